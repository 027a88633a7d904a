// Section 3: one head, from its queries, keys and values.
const head_section = {
    id: "head",
    applies: () => lesson.classifier && tensors.has(`q.${lesson.classifier.kept_layers[0]}`),
    uses: ["token", "layer", "head", "temperature"],
    build(figure) {
        const {element} = page, say = (key, ...values) => texts.of(`sections.head.labels.${key}`, ...values);
        const about = lesson.classifier, {place, first_cell, head_size} = about;
        let key = null;  // the token whose key is shown; null: the one with the largest weight
        const point = (cell) => { key = cell + first_cell; lecture.refresh("head"); };
        const panel = (name, label) => {
            const view = new figures.View(label, (cell) => lecture.choose({token: cell + first_cell}), point);
            const scale = element("div", {className: "legend-box"});
            return {view, scale, figure: figures.captioned(element("div", {}, view.canvas, scale), label), name};
        };
        const panels = [panel("scores", say("scores")), panel("scaled", say("scaled", head_size)), panel("weights", say("weights"))];
        const undone = 1 / Math.sqrt(head_size);
        const slide = figures.slider(say("temperature"), {min: -1, max: 1, step: 0.01, value: 0},
                                     (power) => lecture.choose({temperature: 10 ** power}), (power) => figures.round(10 ** power));
        const undo = figures.button(say("undone"), () => lecture.choose({temperature: undone}));
        const reset = figures.button("1", () => lecture.choose({temperature: 1}));
        const query = element("p", {className: "asks"}), strip_q = figures.strip(say("strip_q"));
        const strip_k = figures.strip("k"), strip_out = figures.strip(say("strip_out"));
        const most = element("ol", {className: "bars"}), spread = element("p", {className: "note"});
        figure.append(query, element("div", {className: "panels three"}, ...panels.map((one) => one.figure)),
                      element("div", {className: "row"}, slide, undo, reset),
                      element("div", {className: "panels two"},
                              element("div", {className: "steps"}, strip_q, strip_k, strip_out),
                              element("div", {}, element("h4", {textContent: say("most")}), most, spread)));
        if (!about.values) strip_out.replaceWith(element("p", {className: "note", textContent: say("no_values")}));
        return ({token, layer, head, temperature}) => {
            slide.set(Math.log10(temperature));
            query.textContent = `${say("query", names.token(token))} · ${lecture.where()}`;
            const {scores, scaled, weights} = head_section.compute(layer, head, token, temperature);
            const cell = token - first_cell;
            const ends = [figures.largest_size(scores), figures.largest_size(scaled)];
            [scores, scaled].forEach((map, i) => {
                panels[i].view.draw(place, {map: attention.cells_of(map), signed: true, limit: ends[i], chosen: cell, strength: 0.85});
                panels[i].scale.replaceChildren(figures.legend(figures.round(-ends[i], 1), figures.round(ends[i], 1), true));
            });
            const cells = attention.cells_of(weights);
            panels[2].view.draw(place, {map: cells, chosen: cell, strength: 0.85});
            panels[2].scale.replaceChildren(figures.legend("0", page.percent(page.largest_of(cells))));
            const order = attention.best_of(weights, 5), seen = key ?? order[0];
            if (key !== null && key !== token) for (const {view} of panels) view.outline(key - first_cell, "#ffcd50");
            const q = attention.vector("q", layer, head, token), k = attention.vector("k", layer, head, seen);
            const limit = Math.max(figures.largest_size(q), figures.largest_size(k));
            strip_q.show(q, limit);
            strip_k.show(k, limit, `${say("strip_k", names.token(seen))}: ${figures.round(scores[seen])} → ${figures.round(scaled[seen])} → ${page.percent(weights[seen])}`);
            if (about.values) {
                const out = attention.output(layer, head, weights);
                strip_out.show(out, figures.largest_size(out));
            }
            figures.bars(most, order.map((i) => ({label: names.token(i), p: weights[i]})));
            spread.textContent = say("spread", figures.round(Math.exp(arithmetic.entropy(weights)), 1));
        };
    },
    // What the figure shows: the scores of one token with all, divided by the square root of d, and
    // their softmax.
    compute(layer, head, token, temperature = 1) {
        const scores = attention.scores(layer, head, token);
        const scaled = scores.map((score) => score * lesson.classifier.scale);
        return {scores, scaled, weights: arithmetic.softmax(scaled, temperature)};
    },
};
