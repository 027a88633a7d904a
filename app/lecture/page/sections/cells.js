// Section 3 of a model whose tokens are cells of maps: one head, among the cells of a window (Swin), from a map of queries
// to a coarser map of keys (MViT), or on the one map of convolutions. The form of the model is the id of the section.
const cells_section = {
    id: lesson.cells?.form,
    applies: () => lesson.cells,
    uses: [],
    variant: () => lesson.cells.cosine ? "-cosine" : "",
    build(figure) {
        const {element} = page, about = lesson.cells, {layers, form} = about;
        const own_label = (key) => lesson.texts.sections[form].labels?.[key] !== undefined;
        const say = (key, ...values) => texts.of(`sections.${own_label(key) ? form : "windows"}.labels.${key}`, ...values);
        const state = {index: Math.min(1, layers.length - 1), head: 0, x: 0.5, y: 0.5};
        const refresh = (change) => { Object.assign(state, change); lecture.refresh(form); };
        const layer_now = () => layers[state.index];
        // The cell of a map that lies at the chosen place: maps get coarser, and that of keys is coarser than that of queries.
        function cell_now({grid: [columns, rows]}) {
            return Math.min(Math.floor(state.y * rows), rows - 1) * columns + Math.min(Math.floor(state.x * columns), columns - 1);
        }
        function choose(cell) {
            const [columns, rows] = layer_now().place.grid;
            refresh({x: (cell % columns + 0.5) / columns, y: (Math.floor(cell / columns) + 0.5) / rows});
        }
        const panel = (label) => {
            const view = new figures.View(label, choose), scale = element("div", {className: "legend-box"});
            return {view, scale, figure: figures.captioned(element("div", {}, view.canvas, scale), label)};
        };
        const panels = [panel(say(about.cosine ? "scores_cosine" : "scores")), panel(say(about.cosine ? "biased_cosine" : "biased")), panel(say("weights"))];
        const layer = figures.slider(texts.of("words.layer"), {min: 0, max: layers.length - 1, value: state.index},
                                     (index) => refresh({index, head: Math.min(state.head, layers[index].heads - 1)}), (index) => layers[index].layer);
        const head = figures.slider(texts.of("words.head"), {min: 0, max: layers[0].heads - 1, value: 0}, (value) => refresh({head: value}));
        const query = element("p", {className: "asks"}), note = element("p", {className: "note"});
        const strips = ["q", "k", "out"].map((key) => figures.strip(say(`strip_${key}`, "")));
        const most = element("ol", {className: "bars"});
        layer.hidden = layers.length === 1;
        head.hidden = layers.every((one) => one.heads === 1);
        // Scores to which nothing is added need one panel.
        const shown = form === "map" ? [panels[0], panels[2]] : panels;
        figure.append(query, element("div", {className: `panels ${shown.length === 3 ? "three" : "two"}`}, ...shown.map((one) => one.figure)),
                      element("div", {className: "row"}, layer, head), note,
                      element("div", {className: "panels two"}, element("div", {className: "steps"}, ...strips),
                              element("div", {}, element("h4", {textContent: say("most")}), most)));
        if (tensors.has("logits")) figure.append(answer());
        cells_section.own = {
            get: () => [state.index, state.head, Math.round(1000 * state.x), Math.round(1000 * state.y)],
            set: ([index, own_head, x, y]) => {
                if (!(index >= 0 && index < layers.length && own_head >= 0 && own_head < layers[index].heads)) return;
                if (!(x >= 0 && x <= 1000 && y >= 0 && y <= 1000)) return;
                layer.set(index);
                refresh({index, head: own_head, x: x / 1000, y: y / 1000});
            },
        };
        const name = (cell, columns) => cell < 0 ? texts.of("words.class_token")
                                                 : texts.of("words.cell", Math.floor(cell / columns) + 1, cell % columns + 1);
        // Scores of keys as a map over the picture; NaN outside of a window.
        function map_of(found, values, columns, rows) {
            const map = new Float32Array(columns * rows).fill(NaN);
            found.keys.forEach((key, i) => { if (key >= 0) map[key] = values[i]; });
            return map;
        }
        function answer() {
            const logits = tensors.get("logits").values, list = figures.bar_list();
            const p = about.independent ? Float32Array.from(logits, arithmetic.sigmoid) : arithmetic.softmax(logits);
            figures.bars(list, attention.best_of(p, 5).map((id) => ({label: about.labels[id].split(",")[0], p: p[id], strong: p[id] >= about.sure_above})));
            return element("div", {}, element("h4", {textContent: say("answer")}), list);
        }
        function notes({window, shift, place, queries}, found) {
            const [columns, rows] = place.grid;
            if (form === "windows")
                return say(shift > 0 ? "shifted" : "straight", window, columns, rows, shift)
                    + (found.apart.some(Boolean) ? ` ${say("apart")}` : "") + (found.keys.includes(-1) ? ` ${say("padding")}` : "");
            return form === "pooled" ? say("maps", ...queries.grid, columns, rows) : "";
        }
        return () => {
            const one = layer_now(), {place, queries, heads} = one, [columns, rows] = place.grid;
            const cell = cell_now(queries), chosen = cell_now(place), found = cells_section.compute(one, state.head, cell);
            head.limit(heads - 1);
            head.set(state.head);
            query.textContent = say("query", name(cell, queries.grid[0]));
            if (form !== "map") query.textContent += ` · ${texts.of("words.layer").toLowerCase()} ${texts.of("words.of", one.layer, about.all_layers - 1)}`
                + ` · ${texts.of("words.head").toLowerCase()} ${texts.of("words.of", state.head, heads - 1)}`;
            [found.scores, found.biased].forEach((values, i) => {
                const limit = figures.largest_size(values.filter((_, j) => !found.apart[j]));
                panels[i].view.draw(place, {map: map_of(found, values, columns, rows), signed: true, limit, chosen, strength: 0.85});
                panels[i].scale.replaceChildren(figures.legend(figures.round(-limit, 1), figures.round(limit, 1), true));
            });
            const weights = map_of(found, found.weights, columns, rows);
            panels[2].view.draw(place, {map: weights.map((x) => Number.isNaN(x) ? 0 : x), chosen, strength: 0.85});
            panels[2].scale.replaceChildren(figures.legend("0", page.percent(found.weights.reduce((a, b) => Math.max(a, b)))));
            if (form === "windows") for (const {view} of panels) view.surround(found.keys.filter((key) => key >= 0), "#ffcd50");
            note.textContent = notes(one, found);
            const named = (i) => form !== "windows" || found.keys[i] >= 0;  // not a window's padding
            const order = attention.best_of(found.weights, found.weights.length).filter(named).slice(0, 5), best = order[0];
            const q = cells_section.vectors("q", one, state.head)(found.row), k = cells_section.vectors("k", one, state.head)(found.rows[best]);
            const limit = Math.max(figures.largest_size(q), figures.largest_size(k));
            strips[0].show(q, limit, say("strip_q"));
            strips[1].show(k, limit, `${say("strip_k", name(found.keys[best], columns))}: ${figures.round(found.scores[best])} →${form === "map" ? "" : ` ${figures.round(found.biased[best])} →`} ${page.percent(found.weights[best])}`);
            strips[2].hidden = !tensors.has(`v.${one.layer}`);
            if (!strips[2].hidden) strips[2].show(found.output, figures.largest_size(found.output), say("strip_out"));
            figures.bars(most, order.map((i) => ({label: name(found.keys[i], columns), p: found.weights[i]})));
        };
    },
    // The attention of a cell, key by key. keys: their cells, -1 for what lies on no map; rows: where they are stored, as
    // `row` is of the query.
    compute(one, head, cell) {
        return one.window ? cells_section.in_window(one, head, cell) : cells_section.of_map(one, head, cell);
    },
    // A row of a kind of vectors, of one head.
    vectors(kind, {layer, heads, head_size}, head) {
        const all = tensors.get(`${kind}.${layer}`).values, wide = heads * head_size, at = head * head_size;
        return (row) => all.subarray(row * wide + at, row * wide + at + head_size);
    },
    // The mean of the values in these rows; zeros if the page has none.
    mean_of_values(one, head, rows, weights) {
        const output = new Float32Array(one.head_size);
        if (!tensors.has(`v.${one.layer}`)) return output;
        const v = cells_section.vectors("v", one, head);
        rows.forEach((row, i) => v(row).forEach((value, d) => { output[d] += weights[i] * value; }));
        return output;
    },
    of_map(one, head, cell) {
        const {layer, scale, first = 0, place, queries} = one, [columns, rows_of_keys] = place.grid;
        const row = first + cell, q = cells_section.vectors("q", one, head)(row), k = cells_section.vectors("k", one, head);
        const [x, y] = [cell % queries.grid[0], Math.floor(cell / queries.grid[0])];
        // Distances down and across, of queries and keys that lie on maps.
        const distance = (name, at, keys, key) => arithmetic.dot(q, tensors.row(`${name}.${layer}`, at * keys + key));
        const placed = tensors.has(`down.${layer}`);
        const down = placed && Array.from({length: rows_of_keys}, (_, key) => distance("down", y, rows_of_keys, key));
        const across = placed && Array.from({length: columns}, (_, key) => distance("across", x, columns, key));
        const rows = Array.from({length: first + columns * rows_of_keys}, (_, i) => i), keys = rows.map((i) => i < first ? -1 : i - first);
        const scores = Float32Array.from(rows, (i) => arithmetic.dot(q, k(i)));
        const biased = scores.map((score, i) => scale * score
            + (placed && keys[i] >= 0 ? down[Math.floor(keys[i] / columns)] + across[keys[i] % columns] : 0));
        const weights = arithmetic.softmax(biased), output = cells_section.mean_of_values(one, head, rows, weights);
        return {row, keys, rows, apart: rows.map(() => false), scores, biased, weights, output};
    },
    // In the order of the window. apart: keys that only the shift has brought together.
    in_window(one, head, cell) {
        const {layer, window, shift, mask, scale, scales, place} = one, reach = 2 * window - 1;
        const size = [place.grid[0], place.grid[1]], padded = size.map((n) => Math.ceil(n / window) * window);
        const own = [cell % size[0], Math.floor(cell / size[0])];
        const shifted = own.map((at, i) => (at + padded[i] - shift) % padded[i]);
        const first = shifted.map((at) => Math.floor(at / window) * window);
        const inner = shifted.map((at, i) => at - first[i]);
        const last = first.map((at, i) => at + window === padded[i]);
        const bias = tensors.row(`bias.${layer}`, head), cells = size[0] * size[1];
        const query = cells_section.vectors("q", one, head)(cell), k = cells_section.vectors("k", one, head), keys = [], rows = [], apart = [], scores = [], biased = [];
        for (let y = 0; y < window; ++y)
            for (let x = 0; x < window; ++x) {
                const place_of_key = [x, y].map((inside, i) => (first[i] + inside + shift) % padded[i]);
                const real = place_of_key[0] < size[0] && place_of_key[1] < size[1];
                const key = place_of_key[1] * size[0] + place_of_key[0];
                keys.push(real ? key : -1);
                rows.push(real ? key : cells);
                const edge = window - shift;
                apart.push(shift > 0 && [x, y].some((inside, i) => last[i] && (inside >= edge) !== (inner[i] >= edge)));
                const other = k(rows.at(-1));
                const score = scales ? scales[head] * arithmetic.cosine(query, other) : scale * arithmetic.dot(query, other);
                scores.push(scales ? arithmetic.cosine(query, other) : arithmetic.dot(query, other));
                biased.push(score + bias[(inner[1] - y + window - 1) * reach + inner[0] - x + window - 1] + (apart.at(-1) ? mask : 0));
            }
        const weights = arithmetic.softmax(biased), output = cells_section.mean_of_values(one, head, rows, weights);
        return {row: cell, keys, rows, apart, scores: Float32Array.from(scores), biased: Float32Array.from(biased), weights, output};
    },
};
