// Detections as they are shown: near-duplicates merged, labels placed so that the strongest is readable.
const labels = (() => {
    const duplicate_iou = 0.8;

    const area_of = ([left, top, right, bottom]) => Math.max(right - left, 0) * Math.max(bottom - top, 0);
    function iou(a, b) {
        const shared = area_of([Math.max(a[0], b[0]), Math.max(a[1], b[1]),
                                Math.min(a[2], b[2]), Math.min(a[3], b[3])]);
        return shared > 0 ? shared / (area_of(a) + area_of(b) - shared) : 0;
    }
    // One box for one thing: of detections whose boxes almost coincide, of the same or another class, only the
    // strongest is kept. Those of other classes become its `rivals`, those of its own class its `repeats`. The
    // result is sorted, the strongest first.
    function merge(detections) {
        const kept = [];
        for (const one of [...detections].sort((a, b) => b.score - a.score)) {
            const stronger = kept.find((other) => iou(one.box, other.box) > duplicate_iou);
            if (!stronger) kept.push({...one, rivals: [], repeats: []});
            else (stronger.label === one.label ? stronger.repeats : stronger.rivals).push(one);
        }
        return kept;
    }
    // "bed 58 %, or couch 52 %"
    function full_text({label, score, rivals = []}) {
        const name = (one) => `${one.label} ${page.percent(one.score)}`;
        return [name({label, score}), ...rivals.map((one) => `or ${name(one)}`)].join(", ");
    }

    const overlap = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
    // The first free place of a label: above its box, inside at the top, below, inside at the bottom. All
    // rectangles are [left, top, right, bottom] within a picture of this width and height.
    function place_for([left, top, , bottom], [width, height], size, taken) {
        const x = Math.min(Math.max(left, 0), Math.max(size.width - width, 0));
        const first = Math.max(top, 0), last = Math.min(bottom, size.height);
        for (const y of [first - height, first, last, last - height]) {
            if (y < 0 || y + height > size.height) continue;
            const place = [x, y, x + width, y + height];
            if (!taken.some((other) => overlap(place, other))) return place;
        }
        return null;
    }
    // The places of labels {box, extent, score}; null for a label that gives way. The strongest claims its
    // place first. `taken` are rectangles that no label may cover.
    function arrange(items, size, taken = []) {
        const places = items.map(() => null), claimed = [...taken];
        const order = items.map((_, i) => i).sort((a, b) => items[b].score - items[a].score);
        for (const i of order) {
            places[i] = place_for(items[i].box, items[i].extent, size, claimed);
            if (places[i]) claimed.push(places[i]);
        }
        return places;
    }
    // The same for box elements of box_of() in a container of the picture's size. All sizes are read before
    // anything is written, so that the browser lays the page out once.
    function place(boxes, container, scores, taken = []) {
        const size = {width: container.clientWidth, height: container.clientHeight};
        const items = boxes.map((box, i) => {
            const {offsetLeft: left, offsetTop: top, offsetWidth: width, offsetHeight: height} = box;
            const label = box.firstChild;
            return {box: [left, top, left + width, top + height], score: scores[i],
                    extent: [label.offsetWidth, label.offsetHeight]};
        });
        arrange(items, size, taken).forEach((at, i) => {
            const {style} = boxes[i].firstChild;
            style.visibility = at ? "" : "hidden";
            if (!at) return;
            style.left = at[0] - items[i].box[0] + "px";
            style.top = at[1] - items[i].box[1] + "px";
        });
    }

    // The smallest box around a point, which larger ones would hide otherwise.
    function smallest_at(detections, x, y) {
        const around = detections.filter(({box}) => x >= box[0] && x < box[2] && y >= box[1] && y < box[3]);
        return around.length === 0 ? null : around.reduce((a, b) => area_of(a.box) <= area_of(b.box) ? a : b);
    }
    // A tooltip at a point of the view in CSS pixels; without text it goes.
    function show_tip(text, x = 0, y = 0) {
        const tip = page.$("tip"), view = page.$("view");
        tip.hidden = !text;
        if (!text) return;
        if (tip.textContent !== text) tip.textContent = text;
        tip.style.left = Math.max(Math.min(x + 14, view.clientWidth - tip.offsetWidth), 0) + "px";
        tip.style.top = Math.max(y - tip.offsetHeight - 10, 0) + "px";
    }
    return {merge, full_text, arrange, place, smallest_at, show_tip};
})();
