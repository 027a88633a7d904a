// Section 4: all heads of all layers.
const heads_section = {
    id: "heads",
    applies: () => head_section.applies(),
    uses: ["token", "layer", "head"],
    build(figure) {
        const {element} = page, say = (key, ...values) => texts.of(`sections.heads.labels.${key}`, ...values);
        const about = lesson.classifier, {kept_layers: layers, heads} = about;
        const all = new figures.Atlas("", [layers.length, heads], about.place.grid,
                                      (column, head) => lecture.choose({head, layer: layers[column]}));
        const picture = figures.captioned(all.canvas, "");
        all.canvas.addEventListener("pointermove", (event) => {
            const [column, head] = all.at(event);
            all.canvas.title = lecture.where({layer: layers[column], head});
        });
        const far = element("div");
        const off = lesson.classifier.off_layers?.length > 0 ? heads_off(say) : null;
        figure.append(picture, element("div", {className: "panels two"}, far, ...(off ? [off.answers] : [])));
        if (off) figure.append(off.table);
        function draw_distances(chosen) {
            const points = layers.flatMap((layer) => [...attention.whole(layer).distances].map(
                (distance, head) => [layer, distance, `${lecture.where({layer, head})}: ${figures.round(distance, 1)}`]));
            const mine = points.filter(([layer], i) => layer === chosen.layer && i % heads === chosen.head);
            far.replaceChildren(figures.chart([{name: say("distance_axis"), points, dots: true}, {name: lecture.where(chosen), points: mine, dots: true}],
                                              {x_label: texts.of("words.layer"), y_label: say("distance"), least: 0, most: null}));
        }
        return (state) => {
            const {token, layer, head} = state;
            picture.say(say("all", names.token(token)));
            all.canvas.setAttribute("aria-label", say("all", names.token(token)));
            all.canvas.getContext("2d").clearRect(0, 0, all.canvas.width, all.canvas.height);
            layers.forEach((one, column) => {
                for (let h = 0; h < heads; ++h) all.draw(column, h, attention.cells_of(attention.weights(one, h, token)), {});
            });
            all.outline(layers.indexOf(layer), head);
            draw_distances(state);
            off?.update(state);
        };
    },
};

// The change of the likeliest class's logit without each head, and the answer without the chosen one.
function heads_off(say) {
    const {element} = page, about = lesson.classifier, {heads} = about;
    const whole = tensors.get("logits").values, target = attention.best_of(whole, 1)[0];
    const layers = [...about.off_layers].sort((a, b) => a - b);
    const change = (layer, head) => tensors.row(`off.${layer}`, head)[target] - whole[target];
    let largest = 0;
    for (const layer of layers) for (let head = 0; head < heads; ++head) largest = Math.max(largest, Math.abs(change(layer, head)));
    const table = element("table", {className: "effects"}), title = element("tr", {}, element("td"));
    for (const layer of layers) title.append(element("th", {scope: "col", textContent: layer}));
    table.append(element("caption", {textContent: say("off", names.label(target))}), title);
    const cells = new Map();
    for (let head = 0; head <= heads; ++head) {
        const row = element("tr", {}, element("th", {scope: "row", textContent: head < heads ? head : say("all_off")}));
        for (const layer of layers) {
            const value = change(layer, head), every = head === heads;
            const cell = figures.button(figures.round(value), () => lecture.choose(every ? {layer} : {layer, head}, {all_heads: every}));
            const [red, green, blue] = figures.signed_colour(value / (largest || 1));
            cell.style.background = `rgb(${red} ${green} ${blue})`;
            cell.classList.toggle("deep", value < -0.78 * largest);
            row.append(element("td", {}, cell));
            cells.set(`${layer} ${head}`, cell);
        }
        table.append(row);
    }
    const before = figures.bar_list(), after = figures.bar_list(), after_title = element("h4");
    const p = attention.probabilities(whole), shown = attention.best_of(whole, 5);
    figures.bars(before, shown.map((id) => ({label: names.label(id), p: p[id]})));
    const answers = element("div", {}, element("h4", {textContent: say("before")}), before, after_title, after);
    const scrolled = element("div", {className: "scroll"}, table);
    if (layers.length < about.layers)
        scrolled.append(element("p", {className: "note", textContent: say("not_run", `${layers[0]}–${layers[layers.length - 1]}`)}));
    function update({layer, head, all_heads}) {
        for (const cell of cells.values()) cell.removeAttribute("aria-pressed");
        const number = all_heads ? heads : head, run = layers.includes(layer);
        after_title.hidden = after.hidden = !run;
        if (!run) return;
        cells.get(`${layer} ${number}`)?.setAttribute("aria-pressed", "true");
        after_title.textContent = all_heads ? say("after_all", layer) : say("after", layer, head);
        const without = attention.probabilities(tensors.row(`off.${layer}`, number));
        const ids = [...new Set([...shown.slice(0, 4), ...attention.best_of(without, 3)])].slice(0, 6);
        figures.bars(after, ids.map((id) => ({label: names.label(id), p: without[id]})));
    }
    return {table: scrolled, answers, update};
}
