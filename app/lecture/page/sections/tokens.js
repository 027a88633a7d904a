// Sections 1 and 2: patches, their projection, and the vectors of their places.
const names = (() => {
    const about = lesson.classifier ?? {};
    // "patch in row 3, column 5", "class token"
    function token(index) {
        const cell = index - about.first_cell;
        if (cell < 0) {
            if (index === 0) return texts.of("words.class_token");
            if (about.extra === "registers") return texts.of("words.register", index - 1);
            return texts.of(about.extra === "distillation" ? "words.distillation_token" : "words.extra_token", index);
        }
        const columns = about.place.grid[0];
        return texts.of("words.patch", Math.floor(cell / columns) + 1, cell % columns + 1);
    }
    const label = (id) => about.labels[id].split(",")[0];
    return {token, label};
})();

const tokens_section = {
    id: "tokens",
    applies: () => lesson.classifier,
    uses: ["token"],
    variant: () => lesson.classifier.rotary ? "-rotary" : lesson.classifier.pooled ? "-pooled" : "",
    build(figure) {
        const {element} = page, say = (key, ...values) => texts.of(`sections.tokens.labels.${key}`, ...values);
        const about = lesson.classifier, [width, height] = about.patch;
        const view = new figures.View(say("picture"), (cell) => lecture.choose({token: cell + about.first_cell}));
        const alike = element("input", {type: "checkbox"});
        alike.addEventListener("change", () => lecture.refresh("tokens"));
        const pixels = element("canvas", {className: "pixels", width, height});
        const strips = ["projection", "position", "token"].map((key) => figures.strip(say(key, about.dim)));
        const seen = figures.captioned(pixels, say("pixels", 3 * width * height), "pixels-panel");
        const note = element("p", {className: "note", textContent: say("class")});
        figure.append(
            element("div", {className: "panels two"},
                    figures.captioned(view.canvas, say("picture")),
                    element("div", {className: "steps"}, seen, note, ...strips)),
            element("label", {className: "check"}, alike, say("alike")));

        // The model's own pixels, back as levels of red, green and blue.
        function draw_pixels(cell) {
            const row = tensors.row("patches", cell), {mean, deviation, rescale} = about.input;
            const image = new ImageData(width, height), plane = width * height;
            for (let i = 0; i < plane; ++i)
                for (let c = 0; c < 3; ++c)
                    image.data[4 * i + c] = Math.round((row[c * plane + i] * deviation[c] + mean[c]) / rescale);
            for (let i = 0; i < plane; ++i) image.data[4 * i + 3] = 255;
            pixels.getContext("2d").putImageData(image, 0, 0);
        }
        return ({token}) => {
            const cell = token - about.first_cell, own = tensors.row("stream.0", token);
            const all = tensors.get("stream.0").shape[0];
            const cosines = alike.checked
                ? attention.cells_of(Float32Array.from({length: all}, (_, i) => arithmetic.cosine(own, tensors.row("stream.0", i))))
                : null;
            view.draw(about.place, {map: cosines, least: -1, grid: !cosines, chosen: cell});
            seen.hidden = cell < 0;
            note.hidden = cell >= 0;
            if (cell >= 0) draw_pixels(cell);
            const place = about.positions ? tensors.row("positions", token) : new Float32Array(about.dim);
            const limit = figures.largest_size(own) || 1;
            strips[0].hidden = cell < 0 || !about.positions;
            strips[1].hidden = !about.positions || cell < 0;
            strips[0].show(own.map((x, i) => x - place[i]), limit);
            strips[1].show(place, limit);
            strips[2].show(own, limit);
        };
    },
};

const positions_section = {
    id: "positions",
    applies: () => lesson.classifier?.positions && tensors.has("positions"),
    uses: ["token"],
    build(figure) {
        const {element} = page, say = (key, ...values) => texts.of(`sections.positions.labels.${key}`, ...values);
        const about = lesson.classifier, [columns, rows] = about.place.grid, count = columns * rows;
        const view = new figures.View(say("map"), (cell) => lecture.choose({token: cell + about.first_cell}));
        const place = (cell) => tensors.row("positions", cell + about.first_cell);
        const cosines = (cell) => Float32Array.from({length: count}, (_, i) => arithmetic.cosine(place(cell), place(i)));

        const atlas = new figures.Atlas(say("atlas"), about.place.grid, about.place.grid,
                                        (column, row) => lecture.choose({token: row * columns + column + about.first_cell}));
        for (let cell = 0; cell < count; ++cell)
            atlas.draw(cell % columns, Math.floor(cell / columns), cosines(cell), {signed: true, limit: 1});
        const scale = figures.legend("\u22121", "1", true);
        figure.append(element("div", {className: "panels two"},
                              figures.captioned(element("div", {}, view.canvas, scale), say("map")),
                              figures.captioned(atlas.canvas, say("atlas"))));
        if (tensors.has("orders")) figure.append(answers());

        // The answer as it is, and with places mixed up or left out.
        function answers() {
            const whole = tensors.get("logits").values;
            const shown = attention.best_of(whole, 4);
            const rest = tensors.get("orders").shape[0];
            const kinds = [["as_is", whole], ["with_shuffle", tensors.row("orders", 0)]];
            if (rest > 1) kinds.push(["without", tensors.row("orders", 1)], ["without_shuffled", tensors.row("orders", 2)]);
            const row = element("div", {className: "panels four"});
            for (const [key, logits] of kinds) {
                const list = figures.bar_list(), p = attention.probabilities(logits);
                const ids = [...new Set([...shown.slice(0, 3), ...attention.best_of(logits, 2)])].slice(0, 5);
                figures.bars(list, ids.map((id) => ({label: names.label(id), p: p[id], strong: shown.includes(id)})));
                row.append(element("div", {}, element("h4", {textContent: say(key)}), list));
            }
            const parts = element("div", {}, row);
            const canvas = shuffled_picture();
            parts.prepend(figures.captioned(canvas, say("shuffled"), "panel small"));
            if (rest > 1) {
                const off = figures.largest_size(kinds[2][1].map((x, i) => x - kinds[3][1][i]));
                parts.append(element("p", {className: "note", textContent: say("difference", off === 0 ? "0" : off.toExponential(1))}));
            }
            return parts;
        }
        function shuffled_picture() {
            const whole = new figures.View(say("shuffled")), {canvas} = whole;
            whole.draw(about.place);
            const from = element("canvas", {width: canvas.width, height: canvas.height});
            from.getContext("2d").drawImage(canvas, 0, 0);
            const context = canvas.getContext("2d");
            about.order.forEach((source, cell) => {
                const [x, y, width, height] = whole.rectangle(source), [to_x, to_y] = whole.rectangle(cell);
                context.drawImage(from, x, y, width, height, to_x, to_y, width, height);
            });
            return canvas;
        }
        return ({token}) => {
            const cell = Math.max(token - about.first_cell, 0);
            view.draw(about.place, {map: cosines(cell), signed: true, limit: 1, chosen: cell});
        };
    },
};
