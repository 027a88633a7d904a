// Drawing of lines and zones, which all viewers share: by dragging or corner by corner, with pointer, touch or
// keys; and the list of them with their counts.
const regions = (() => {
    const {$, element, fill} = page;
    const view = $("view");
    const longest_message = 3600;  // bytes; the program accepts a few more

    let kind = null;     // what is being drawn: "line", "zone" or null
    let corners = [];    // so far, in pixels of the frame
    let cursor = null;   // the next corner
    let pressed = null;  // where the pointer went down

    // A new region is shown at once; the program confirms it a frame or two later.
    let mine = null;
    function keep_mine() {
        if (!mine || !live.state) return;
        const names = (told) => [...(told?.lines ?? []), ...(told?.zones ?? [])].map(({name}) => name).join("\n");
        const waited = performance.now() - mine.time;
        if (waited > 8000 || live.state.source !== mine.source ||
            (waited > 1500 && names(mine.regions) === names(live.state.regions))) mine = null;
        else live.state.regions = mine.regions;
    }

    // Sends all regions to the program.
    function tell(all) {
        const {width, height} = live.frame.line;
        const round = ([x, y]) => [Math.round(10 * x) / 10, Math.round(10 * y) / 10];
        const told = {size: [width, height], lines: [], zones: []};
        for (const {name, zone, corners: places, point} of all)
            if (zone) told.zones.push({name, corners: places.map(round), point});
            else told.lines.push({name, from: round(places[0]), to: round(places[1]), point});
        if (JSON.stringify(told).length > longest_message) {
            say("There are too many lines and zones: remove some first.");
            return false;
        }
        mine = {regions: all.length > 0 ? told : null, time: performance.now(), source: live.state?.source};
        link.send({set: {regions: mine.regions}});
        keep_mine();
        show();
        marks.draw();
        return true;
    }
    function say(text) {
        $("region-hint").textContent = text;
        page.say(text);
    }
    const hints = {
        line: "Draw it: press, move, let go; or click both ends. What passes to the arrow’s side counts as in. Escape ends.",
        zone: "Click its corners; then the first one again, or Enter. Escape ends.",
    };

    function begin(what) {
        if (!live.frame || live.read_only) return;
        kind = kind === what ? null : what;
        corners = [];
        cursor = pressed = null;
        view.classList.toggle("drawn-on", kind !== null);
        for (const one of ["line", "zone"]) $("draw-" + one).setAttribute("aria-pressed", String(kind === one));
        say(kind ? hints[kind] : "");
        if (kind) view.focus({preventScroll: true});
        draw();
    }
    function free_name(what) {
        const taken = new Set(marks.regions().map(({name}) => name));
        for (let i = 1;; ++i) if (!taken.has(`${what} ${i}`)) return `${what} ${i}`;
    }
    const far = ([x0, y0], [x1, y1]) => Math.hypot(x1 - x0, y1 - y0);
    function near() { return live.frame.line.width / 60; }  // closer points count as the same

    function add(point) {
        if (kind === "zone" && corners.length > 2 && far(point, corners[0]) < near()) {
            finish();
            return;
        }
        if (corners.length > 0 && far(point, corners.at(-1)) < near() / 4) return;
        corners.push(point);
        if (kind === "line" && corners.length === 2) finish();
        else draw();
    }
    function finish() {
        if (corners.length < (kind === "zone" ? 3 : 2)) {
            say(hints[kind]);
            return;
        }
        const region = {name: free_name(kind), zone: kind === "zone", corners, point: "bottom"};
        if (tell([...marks.regions(), region])) {
            begin(kind);
            say(`${region.name} is added.`);
        }
    }

    // The region that is being drawn.
    function draw() {
        const places = cursor && kind ? [...corners, cursor] : corners;
        marks.set($("region-draft"), {points: kind ? marks.points_of(places) : ""});
        fill($("region-corners"), kind ? places : [], () => marks.svg("circle"), (circle, [x, y]) => {
            marks.set(circle, {cx: x, cy: y, r: live.frame.line.width / 160});
        });
    }

    // ---- pointer, touch, keys; each returns true if it has handled the event --------------------------------------------------

    function down(point) {
        if (!kind || !point) return Boolean(kind);
        pressed = point;
        cursor = point;
        draw();
        return true;
    }
    function move(point) {
        if (!kind) return false;
        if (point) cursor = point;
        draw();
        return true;
    }
    function up(point) {
        if (!kind) return false;
        const from = pressed;
        pressed = null;
        if (!from || !point) return true;
        // A line is dragged, or clicked end by end; a zone is clicked corner by corner.
        if (kind === "line" && corners.length === 0 && far(from, point) > near()) {
            add(from);
            add(point);
        } else {
            add(point);
        }
        return true;
    }
    function press(key) {
        if (!kind) return false;
        const {width, height} = live.frame.line;
        const steps = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[key];
        if (steps) {
            const [x, y] = cursor ?? [width / 2, height / 2];
            const within = (v, end) => Math.min(Math.max(v, 0), end);
            cursor = [within(x + steps[0] * width / 40, width), within(y + steps[1] * width / 40, height)];
            say(`at ${Math.round(100 * cursor[0] / width)} % across, ${Math.round(100 * cursor[1] / height)} % down`);
        } else if (key === "Enter") {
            if (kind === "zone" && corners.length > 2 && (!cursor || far(cursor, corners.at(-1)) < near())) finish();
            else if (cursor) add(cursor);
        } else if (key === "Backspace") {
            corners.pop();
        } else if (key === "Escape") {
            begin(kind);
            return true;
        } else {
            return false;
        }
        draw();
        return true;
    }

    // ---- the list beside the picture -----------------------------------------------------------------------------

    const by_class = (classes) => Object.entries(classes ?? {}).map(([label, count]) => `${label} ${count}`).join(", ");
    function change(name, edit) { tell(marks.regions().flatMap((one) => one.name === name ? edit(one) : [one])); }
    function rename(input) {
        const name = input.value.trim().slice(0, 40);
        if (!name || marks.regions().some((one) => one.name === name)) {
            input.value = input.region;
            return;
        }
        change(input.region, (one) => [{...one, name}]);
    }
    function make_row() {
        const name = element("input", {type: "text", maxLength: 40, ariaLabel: "Name"});
        name.addEventListener("change", () => rename(name));
        const point = element("select", {ariaLabel: "Which point of a box counts"},
            ...["bottom", "middle", "top"].map((value) => element("option", {value, textContent: value})));
        point.addEventListener("input", () => change(name.region, (one) => [{...one, point: point.value}]));
        const turn = element("button", {type: "button", textContent: "Turn", title: "Swaps the in and out sides"});
        turn.addEventListener("click", () =>
            change(name.region, (one) => [{...one, corners: [...one.corners].reverse()}]));
        const remove = element("button", {type: "button", textContent: "Remove"});
        remove.addEventListener("click", () => change(name.region, () => []));
        return element("li", {}, element("div", {className: "region-row"}, name, point, turn, remove),
                       element("p", {className: "hint"}));
    }
    function show() {
        const {state, read_only} = live;
        const tracked = Boolean(state?.tracks), all = marks.regions();
        $("track").checked = Boolean(state?.track) || all.length > 0;
        $("track").disabled = read_only || all.length > 0;
        $("draw-part").hidden = read_only;
        fill($("region-list"), all, make_row, (row, region) => {
            const [name, point, turn, remove] = row.firstChild.children;
            name.region = region.name;
            if (document.activeElement !== name) name.value = region.name;
            if (document.activeElement !== point) point.value = region.point;
            turn.hidden = region.zone;
            remove.ariaLabel = `Remove ${region.name}`;
            for (const control of [name, point, turn, remove]) control.disabled = read_only;
            const counts = marks.counts_of(region.name);
            const parts = [`in ${marks.sum(counts.in)}`, `out ${marks.sum(counts.out)}`];
            if (region.zone) parts.unshift(`${marks.sum(counts.inside)} inside`);
            const classes = [["inside", counts.inside], ["in", counts.in], ["out", counts.out]]
                .filter(([, one]) => marks.sum(one) > 0).map(([word, one]) => `${word}: ${by_class(one)}`);
            const text = parts.join(", ") + (classes.length > 0 ? ` (${classes.join("; ")})` : "");
            if (row.lastChild.textContent !== text) row.lastChild.textContent = text;
        });
        const tracks = state?.tracks, score = tracks?.score;
        $("tracks-now").hidden = !tracked;
        if (!tracked) return;
        $("tracks-now").textContent = `${tracks.seen} seen now, ${tracks.numbers} so far, ${tracks.found_again} found again` +
            (tracks.lost.length > 0 ? `; lost: ${tracks.lost.slice(0, 8).join(", ")}` : "") + "." +
            (score ? ` IDF1 ${score.idf1.toFixed(3)}, MOTA ${score.mota.toFixed(3)}, ${score.switches} switches.` : "");
    }

    $("track").addEventListener("input", () => link.send({set: {track: $("track").checked}}));
    for (const what of ["line", "zone"]) $("draw-" + what).addEventListener("click", () => begin(what));

    return {down, move, up, press, keep_mine, show, drawing: () => kind};
})();
