// Sections 5 and 6: the residual stream, the logit lens, rollout and the answer.
const block_section = {
    id: "block",
    applies: () => lesson.classifier && tensors.has("stream.0"),
    uses: ["token"],
    build(figure) {
        const {element} = page, say = (key, ...values) => texts.of(`sections.block.labels.${key}`, ...values);
        const about = lesson.classifier, states = about.kept_states;
        const length = element("div"), direction = element("div");
        figure.append(element("div", {className: "panels two"}, length, direction));
        if (tensors.has("lens")) figure.append(lens(say));
        return ({token}) => {
            const row = (state) => tensors.row(`stream.${state}`, token), end = row(states[states.length - 1]);
            const name = names.token(token), x_label = say("state");
            length.replaceChildren(figures.chart(
                [{name, points: states.map((state) => [state, arithmetic.length_of(row(state))])}], {x_label, y_label: `${say("length")} · ${name}`, least: 0}));
            direction.replaceChildren(figures.chart(
                [{name, points: states.map((state) => [state, arithmetic.cosine(row(state), end)])}], {x_label, y_label: `${say("direction")} · ${name}`, most: 1}));
        };
        function lens() {
            const all = tensors.get("lens"), steps = all.shape[0];
            const p = Array.from({length: steps}, (_, i) => attention.probabilities(tensors.row("lens", i)));
            const best = attention.best_of(p[steps - 1], 4);
            const leaders = [...new Set(p.map((one) => attention.best_of(one, 1)[0]))].filter((id) => !best.includes(id));
            const shown = [...best, ...leaders.slice(-2)];
            const curves = figures.chart(shown.map((id) => ({name: names.label(id), points: p.map((one, i) => [i, one[id]]), dashed: !best.includes(id)})),
                                         {x_label: say("state"), y_label: say("lens"), least: 0, most: Math.max(...p.flatMap((one) => shown.map((id) => one[id])))});
            const list = element("ol", {className: "ladder", start: 0});
            p.forEach((one, i) => {
                const [id] = attention.best_of(one, 1);
                list.append(element("li", {}, element("span", {textContent: i === 0 ? say("embedding") : say("after", i - 1)}),
                                    element("b", {textContent: names.label(id)}), page.percent(one[id])));
            });
            return element("div", {className: "panels two"}, curves,
                           element("div", {}, element("h4", {textContent: `${say("lens")}: ${say("likeliest")}`}), list));
        }
    },
};

const whole_section = {
    id: "whole",
    applies: () => lesson.classifier && (attention.has_all_layers || tensors.has("rollout") || tensors.has("logits")),
    uses: ["token"],
    build(figure) {
        const {element} = page, say = (key, ...values) => texts.of(`sections.whole.labels.${key}`, ...values);
        const about = lesson.classifier;
        const view = new figures.View(say("rollout", names.token(0), about.layers - 1),
                                      (cell) => lecture.choose({token: cell + about.first_cell}));
        let until = about.layers - 1;
        const slide = figures.slider(say("until"), {min: 0, max: about.layers - 1, value: until}, (layer) => {
            until = layer;
            lecture.refresh("whole");
        });
        whole_section.own = {
            get: () => [until],
            set: ([layer]) => {
                if (!(layer >= 0 && layer < about.layers)) return;
                until = layer;
                slide.set(layer);
                lecture.refresh("whole");
            },
        };
        // The token for which the probe was asked instead: choosing another ends that.
        let probed = null;
        const reset = about.pooled
            ? figures.button(say("to_probe"), () => { probed = lecture.state.token; lecture.refresh("whole"); })
            : figures.button(texts.of("words.class_token"), () => lecture.choose({token: 0}));
        const shown = figures.captioned(view.canvas, "");
        const left = element("div", {}, shown);
        if (attention.has_all_layers) left.append(element("div", {className: "row"}, slide, reset));
        else left.append(element("p", {className: "note", textContent: say("left_out")}));
        const parts = element("div", {className: "panels two"}, left);
        if (tensors.has("logits")) parts.append(answer());
        figure.append(parts);
        function answer() {
            const p = attention.probabilities(tensors.get("logits").values), list = figures.bar_list();
            figures.bars(list, attention.best_of(p, 8).map((id) => ({label: names.label(id), p: p[id], strong: p[id] >= about.sure_above})));
            return element("div", {}, element("h4", {textContent: say("answer")}), list,
                           element("p", {className: "note", textContent: about.independent ? say("independent", page.percent(about.sure_above))
                                                                                           : say("exclusive", about.labels.length)}));
        }
        function show_probe() {
            const cells = attention.cells_of(tensors.get("rollout").values);
            view.draw(about.place, {map: cells, smooth: true, least: cells.reduce((a, b) => Math.min(a, b), 1)});
            shown.say(say("probe"));
        }
        return ({token}) => {
            if (about.pooled && (probed === token || !attention.has_all_layers)) return show_probe();
            probed = null;
            const asked = attention.has_all_layers ? token : 0;
            const row = attention.has_all_layers ? attention.rollout(asked, until) : tensors.get("rollout").values;
            const cells = attention.cells_of(row).slice();
            if (asked >= about.first_cell) cells[asked - about.first_cell] = 0;  // its own stream outshines the rest
            const least = cells.reduce((a, b) => Math.min(a, b), 1);
            view.draw(about.place, {map: cells, smooth: true, least, chosen: asked - about.first_cell});
            shown.say(say("rollout", names.token(asked), until) + (asked >= about.first_cell ? ` ${say("own")}` : ""));
        };
    },
};
