// What models have found: boxes on the picture, and lists beside it.
const found = (() => {
    const {$, element, percent, fill} = page;
    const hidden = new Set(), met = new Set();  // labels that this viewer does not want; all so far

    // Those of the last frame that this viewer wants to see.
    function detections() {
        const {frame} = live;
        return (frame?.line.detections ?? [])
            .map((one, i) => ({...one, colour: frame.found?.colours[i], query: frame.found?.queries[i]}))
            .filter((one) => !hidden.has(one.label))
            .map((one) => one.track === undefined ? one : {...one, label: `${one.track} ${one.label}`});
    }
    // What is really there, if the source knows.
    function truth() {
        if (!switches.is_on("truth")) return [];
        return (live.frame?.line.truth?.objects ?? []).map((one) => ({...one, colour: "#ffffff", really: true}));
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
    // The smallest box around a point, which the others cannot be clicked through.
    function at([x, y]) {
        const size = ({box}) => (box[2] - box[0]) * (box[3] - box[1]);
        const around = detections().filter(({box}) => x >= box[0] && x < box[2] && y >= box[1] && y < box[3]);
        if (around.length === 0 || !switches.is_on("boxes")) return null;
        return around.reduce((a, b) => size(a) <= size(b) ? a : b);
    }

    function draw_boxes(all) {
        const shows = switches.is_on("boxes") && !live.state?.annotated && !drawing.is_tiled();
        fill($("boxes"), shows ? [...truth(), ...all] : [],
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
            const text = `${one.label}${percent(one.score)}${one.colour}`;
            if (button.shows === text) return;
            button.shows = text;
            button.replaceChildren(...page.name_of_box(one));
        });
    }
    function draw_caption() {
        const caption = live.frame?.line.caption ?? live.frame?.line.answer;
        const shows = Boolean(caption) && switches.is_on("caption");
        $("caption-part").hidden = !shows;
        $("caption-title").textContent = live.frame?.line.answer ? "Answer" : "Caption";
        $("said").hidden = !shows || !caption.text || Boolean(live.state?.annotated);
        $("said").textContent = caption?.text ?? "";
        fill($("caption"), caption?.words ?? [], (i) => {
            const button = element("button", {type: "button"});
            for (const event of ["pointerenter", "focus"]) button.addEventListener(event, () => looking.at_word(i));
            for (const event of ["pointerleave", "blur"]) button.addEventListener(event, () => looking.at_word(null));
            return button;
        }, (button, word, i) => {
            button.classList.toggle("lit", looking.pointing.word === i);
            const text = word.text + percent(word.p);
            if (button.shows === text) return;
            button.shows = text;
            button.replaceChildren(word.text, element("small", {textContent: percent(word.p)}));
        });
    }
    function draw_classes() {
        const classes = live.frame?.line.classes ?? [];
        $("classes-part").hidden = classes.length === 0 || !switches.is_on("classes");
        fill($("classes"), classes, () => page.class_row("", 0), (row, one) => {
            const [name, meter, p] = row.children;
            if (name.textContent !== one.label) {
                name.textContent = one.label;
                meter.ariaLabel = one.label;
            }
            meter.value = one.score;
            p.textContent = percent(one.score);
        });
    }
    function draw() {
        const all = detections();
        drawing.draw_masks(all);
        draw_boxes(all);
        draw_detections(all);
        draw_caption();
        draw_classes();
        announce(all);
    }
    // Screen readers hear what was found when it changes, and not all the time.
    let announced = "", announced_at = 0;
    function announce(all) {
        const text = all.map((one) => one.label).sort().join(", ");
        if (text === announced || performance.now() - announced_at < 4000) return;
        announced = text;
        announced_at = performance.now();
        page.say(text ? `${all.length} found: ${text}` : "nothing found");
    }
    // A frame with other things in it.
    function take(line) {
        meet(line);
        switches.offer("truth", Boolean(line.truth));
        if ((line.detections ?? []).some((one) => one.mask)) switches.offer("masks", true);
        draw();
    }

    for (const name of ["masks", "truth"]) switches.offer(name, false);

    return {detections, at, draw, take};
})();
