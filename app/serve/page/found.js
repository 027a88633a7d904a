// The models' results: boxes and caption on the picture, and lists beside it.
const found = (() => {
    const {$, element, percent, fill} = page;
    const hidden = new Set(), met = new Set();  // classes that this viewer has switched off; all so far
    let stale = null;  // the frame whose results are no longer shown, because another picture was asked for

    const is_stale = () => stale !== null && stale === live.frame;
    // All detections of the frame of classes that are switched on.
    function all_detections() {
        const {frame} = live;
        if (is_stale()) return [];
        return (frame?.line.detections ?? [])
            .map((one, i) => ({...one, colour: frame.found?.colours[i], query: frame.found?.queries[i]}))
            .filter((one) => !hidden.has(one.label))
            .map((one) => one.track === undefined ? one : {...one, label: `${one.track} ${one.label}`});
    }
    // Those that are shown, one for each thing, the strongest first.
    const detections = () => labels.merge(all_detections());
    // The ground truth, if the source has it.
    function truth() {
        if (!switches.is_on("truth") || is_stale()) return [];
        return (live.frame?.line.truth?.objects ?? [])
            .map((one) => ({...one, colour: "#ffffff", really: true, score: -1}));
    }
    function meet({detections: all}) {
        for (const {label} of all ?? []) {
            if (met.has(label) || met.size > 400) continue;
            met.add(label);
            const box = element("input", {type: "checkbox", checked: true});
            box.addEventListener("input", () => {
                if (box.checked) hidden.delete(label);
                else hidden.add(label);
                draw();
            });
            $("only").append(element("label", {}, box, label));
        }
    }
    function at([x, y]) { return switches.is_on("boxes") ? labels.smallest_at(detections(), x, y) : null; }
    // A box says its full name under the pointer: its label may be hidden, and rivals are in no label.
    let pointer = null;  // over the picture: {point, x, y}
    function point_at(point, {clientX, clientY}) {
        const area = $("view").getBoundingClientRect();
        pointer = point && {point, x: clientX - area.left, y: clientY - area.top};
        show_tip();
    }
    function show_tip() {
        const one = pointer && !live.state?.annotated && !drawing.is_tiled() ? at(pointer.point) : null;
        labels.show_tip(one ? labels.full_text(one) : "", pointer?.x, pointer?.y);
    }

    // Rectangles of other text on the picture, which labels do not cover.
    function taken() {
        const area = $("view").getBoundingClientRect();
        const texts = [...document.querySelectorAll("#regions-drawn text")];
        if (!$("said").hidden) texts.push($("said"));
        return texts.map((node) => {
            const {left, top, right, bottom} = node.getBoundingClientRect();
            return [left - area.left, top - area.top, right - area.left, bottom - area.top];
        });
    }
    function draw_boxes(all) {
        const shows = switches.is_on("boxes") && !live.state?.annotated && !drawing.is_tiled();
        const drawn = shows ? [...truth(), ...[...all].reverse()] : [];  // the strongest last, on top
        fill($("boxes"), drawn,
            () => page.box_of({box: [0, 0, 0, 0], label: "", colour: ""}, {width: 1, height: 1}).box,
            (box, one) => {
                const {box: fresh} = page.box_of(one, live.frame.line);
                box.style.cssText = fresh.style.cssText;
                box.classList.toggle("chosen", !one.really && looking.is_chosen(one));
                box.classList.toggle("true", Boolean(one.really));
                box.firstChild.style.background = one.colour;
                const text = one.really ? one.label : `${one.label} ${percent(one.score)}`;
                if (box.firstChild.textContent !== text) box.firstChild.textContent = text;
            });
        const score = (one) => one.score + (!one.really && looking.is_chosen(one) ? 1 : 0);
        labels.place([...$("boxes").children], $("boxes"), drawn.map(score), taken());
    }
    function draw_detections(all) {
        $("detections-part").hidden = !live.frame?.line.detections;
        fill($("detections"), all, () => {
            const button = element("button", {type: "button"});
            button.addEventListener("click", () => looking.choose(button.found));
            return element("li", {}, button);
        }, (item, one) => {
            const button = item.firstChild;
            button.found = one;
            button.setAttribute("aria-pressed", String(looking.is_chosen(one)));
            const text = labels.full_text(one) + one.colour;
            if (button.shows === text) return;
            button.shows = text;
            button.title = one.rivals.length > 0 ? labels.full_text(one) : "";
            button.replaceChildren(...page.name_of_box(one), ...one.rivals.map((rival) =>
                element("small", {textContent: `or ${rival.label} ${percent(rival.score)}`})));
        });
    }

    const on_word = {
        enter: (i) => looking.at_word(i, false),
        leave: () => looking.at_word(null, false),
        click: (i) => looking.at_word(i, true),
    };
    // The caption of another picture is not shown; that of an earlier frame fades, as in the window.
    function draw_caption() {
        const {line, found: more} = live.frame ?? {};
        const freshness = more?.caption_freshness === undefined ? 1 : more.caption_freshness;
        const caption = freshness === null || is_stale() ? null : line?.caption ?? line?.answer;
        const shows = Boolean(caption) && switches.is_on("caption"), words = caption?.words ?? [];
        // A captioner takes longer than a detector: until its words come, the page says that they will.
        const {captioner, words: prompts} = live.state ?? {};
        const written = Boolean(line && captioner) && captioner.name !== "none" &&
            !(captioner.takes_words && !prompts?.question);
        $("caption-part").hidden = !(written || line?.caption || line?.answer) || !switches.is_on("caption");
        $("caption-title").textContent = (line?.answer ? "Answer" : "Caption") +
            (shows && freshness < 1 ? ", of an earlier frame" : "");
        $("said").hidden = !shows || words.length === 0 || Boolean(live.state?.annotated);
        for (const id of ["said", "caption"]) {
            $(id).style.opacity = 0.45 + 0.55 * (freshness ?? 1);
            $(id).classList.toggle("old", freshness < 1);
            captions.show($(id), shows ? words : [], looking.pointing.word, on_word);
        }
        $("caption-next").hidden = !written || shows;
    }
    function draw_classes() {
        const classes = is_stale() ? [] : live.frame?.line.classes ?? [];
        $("classes-part").hidden = classes.length === 0 || !switches.is_on("classes");
        page.show_classes(classes, live.state?.classifier ?? {});
    }
    function draw() {
        const all = detections();
        drawing.draw_masks(all);
        draw_caption();
        draw_boxes(all);
        draw_detections(all);
        draw_classes();
        show_tip();
        announce(all);
    }
    // Another picture was asked for: what belongs to this one goes at once.
    function clear() {
        stale = live.frame;
        if (live.frame) live.frame.map = null;
        marks.forget();
        draw();
        drawing.draw();
        looking.say();
        drawing.begin_work();
    }
    // Screen readers announce the results when they change, at most every four seconds.
    let announced = "", announced_at = 0;
    function announce(all) {
        const text = all.map((one) => one.label).sort().join(", ");
        if (text === announced || performance.now() - announced_at < 4000) return;
        announced = text;
        announced_at = performance.now();
        page.say(text ? `${all.length} found: ${text}` : "nothing found");
    }
    function take(line) {
        meet(line);
        switches.offer("truth", Boolean(line.truth));
        if ((line.detections ?? []).some((one) => one.mask)) switches.offer("masks", true);
        draw();
    }

    for (const name of ["masks", "truth"]) switches.offer(name, false);
    addEventListener("resize", () => { if (live.frame) draw(); });

    return {detections, at, point_at, draw, clear, take};
})();
