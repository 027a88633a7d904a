// Section 7: the detector, from the map of its backbone to the queries' boxes.
const detector_section = {
    id: "detector",
    applies: () => lesson.detector,
    uses: [],
    build(figure) {
        const {element} = page, say = (key, ...values) => texts.of(`sections.detector.labels.${key}`, ...values);
        const about = lesson.detector, {shown, layers} = about;
        const state = {kind: "decoder", query: 0, layer: layers - 1, cell: -1};
        const refresh = (change) => { Object.assign(state, change); lecture.refresh("detector"); };
        const view = new figures.View(say("decoder"), (cell) => refresh({cell}));
        const picture = figures.captioned(view.canvas, "");
        const kinds = element("div", {className: "row choices"});
        for (const kind of ["map", "encoder", "decoder"]) {
            if (kind !== "decoder" && !about[kind]) continue;
            const one = figures.button(say(kind), () => refresh({kind}));
            one.dataset.kind = kind;
            kinds.append(one);
        }
        kinds.hidden = kinds.children.length === 1;
        const slide = figures.slider(say(about.detection_tokens ? "layer_of_tokens" : "layer"), {min: 0, max: layers - 1, value: state.layer}, (layer) => refresh({layer}));
        const answer = element("p", {className: "note", ariaLive: "polite"}), levels = element("p", {className: "note"});
        const lists = ["found", "empty"].map((kind) => {
            const list = element("ul", {className: "queries"});
            shown.forEach((one, i) => {
                if (one.found !== (kind === "found")) return;
                const label = one.found ? `${one.label} ${page.percent(one.score)}` : say("empty_label", one.label);
                const choice = figures.button(label, () => refresh({kind: "decoder", query: i}));
                choice.dataset.query = i;
                if (one.found) choice.style.borderColor = one.colour;
                list.append(element("li", {}, choice));
            });
            return element("div", {hidden: list.children.length === 0}, element("h4", {textContent: say(kind)}), list);
        });
        figure.append(element("div", {className: "panels two"}, element("div", {}, kinds, picture, slide, answer, levels), element("div", {}, ...lists)));

        const all_kinds = ["map", "encoder", "decoder"];
        detector_section.own = {
            get: () => [all_kinds.indexOf(state.kind), state.query, state.layer, state.cell],
            set: ([kind, query, layer, cell]) => {
                const there = all_kinds[kind] === "decoder" || about[all_kinds[kind]];
                if (!there || !(layer >= 0 && layer < layers) || !(query >= 0 && query < Math.max(shown.length, 1))) return;
                slide.set(layer);
                refresh({kind: all_kinds[kind], query, layer, cell});
            },
        };

        const boxes = tensors.get("boxes").values;
        // [left, top, width, height] in pixels of the picture.
        function box_of(layer, query) {
            const [x, y, width, height] = boxes.subarray(4 * (layer * about.queries + query), 4 * (layer * about.queries + query) + 4);
            return [(x - width / 2) * lesson.width, (y - height / 2) * lesson.height, width * lesson.width, height * lesson.height];
        }
        function outline(box, colour, wide) {
            const context = view.canvas.getContext("2d"), {scale} = view;
            for (const [line, ink] of [[wide + 3, "#000"], [wide, colour]]) {
                context.lineWidth = line;
                context.strokeStyle = ink;
                context.strokeRect(...box.map((x) => x * scale));
            }
        }
        function draw_points() {
            const {shape: [, queries, count], values} = tensors.get("points");
            const context = view.canvas.getContext("2d"), {scale} = view;
            const from = 4 * count * (state.layer * queries + state.query);
            for (let i = 0; i < count; ++i) {
                const [x, y, share, level] = values.subarray(from + 4 * i, from + 4 * i + 4);
                context.beginPath();
                context.arc(x * scale, y * scale, Math.max(1.5, 14 * Math.sqrt(share)), 0, 7);
                context.fillStyle = about.levels[level].colour;
                context.fill();
                context.lineWidth = 0.75;
                context.strokeStyle = "#000";
                context.stroke();
            }
        }
        function draw_decoder() {
            const one = shown[state.query];
            const map = tensors.has("gazes")
                ? tensors.row("gazes", state.layer).subarray(state.query * tensors.get("gazes").shape[2], (state.query + 1) * tensors.get("gazes").shape[2])
                : null;
            view.draw(about.place, {map, smooth: true, strength: 0.7});
            for (let layer = 0; layer < state.layer; ++layer) outline(box_of(layer, one.query), "#bbb", 1);
            if (tensors.has("points")) draw_points();
            outline(box_of(state.layer, one.query), one.colour, 4);
            picture.say(say("decoder_view", state.layer));
            answer.hidden = !about.answers;
            if (!about.answers) return;
            const [label, p, none] = about.answers[state.layer][one.query];
            answer.textContent = say("after", state.layer, about.labels[label], page.percent(p), page.percent(none));
        }
        function draw_encoder() {
            const {place, layer} = about.encoder, [columns, rows] = place.grid;
            if (state.cell < 0 || state.cell >= columns * rows) state.cell = Math.floor(rows / 2) * columns + Math.floor(columns / 2);
            view.draw(place, {map: tensors.row("encoder", state.cell), smooth: false, chosen: state.cell});
            picture.say(say("encoder_view", layer, Math.floor(state.cell / columns) + 1, state.cell % columns + 1));
        }
        function draw_map() {
            const {shape: [rows, columns], values} = tensors.get("map");
            const place = {grid: [columns, rows], left: 0, top: 0, cell: [lesson.width / columns, lesson.height / rows]};
            view.draw(place, {map: values, least: values.reduce((a, b) => Math.min(a, b)), strength: 0.8});
            picture.say(say("map_view", about.map.channels, columns, rows));
        }
        if (about.levels) {
            levels.append(say("levels"));
            for (const {size, colour} of about.levels) {
                const dot = element("i", {className: "dot"});
                dot.style.background = colour;
                levels.append(dot, `${size[0]} × ${size[1]} `);
            }
        }
        return () => {
            if (state.kind === "decoder" && shown.length > 0) draw_decoder();
            else if (state.kind === "encoder") draw_encoder();
            else if (about.map) draw_map();
            else view.draw(about.place);
            slide.hidden = answer.hidden = levels.hidden = state.kind !== "decoder";
            levels.hidden ||= !about.levels;
            answer.hidden ||= !about.answers;
            for (const one of kinds.children) one.setAttribute("aria-pressed", one.dataset.kind === state.kind);
            for (const one of figure.querySelectorAll("[data-query]"))
                one.setAttribute("aria-pressed", state.kind === "decoder" && Number(one.dataset.query) === state.query);
        };
    },
};
