// Section 8: the caption, word by word.
const caption_section = {
    id: "caption",
    applies: () => lesson.caption,
    uses: [],
    build(figure) {
        const {element} = page, say = (key, ...values) => texts.of(`sections.caption.labels.${key}`, ...values);
        const state = {step: 0, other: 0, layer: lesson.caption.layers - 1, head: 0, masked: true};
        const refresh = (change) => { Object.assign(state, change); lecture.refresh("caption"); };
        const shown = (text) => text.trim() || say("end");

        // The words, the map of the chosen one, and the likeliest words.
        function writer(about, prefix, key, title) {
            const view = new figures.View(title);
            const picture = figures.captioned(view.canvas, "");
            const words = element("p", {className: "said"});
            about.steps.forEach((_, i) => {
                const [text, p] = about.ids[about.first + 1 + i];
                const word = figures.button(shown(text), () => refresh({[key]: i}));
                word.title = page.percent(p);
                words.append(word, " ");
            });
            const list = figures.bar_list();
            const parts = element("div", {}, element("h4", {textContent: `${title} (${about.model})`}), words, picture,
                                  element("h4", {textContent: say("likeliest")}), list);
            function update(gaze, layer) {
                const step = state[key], {shape: [, steps, cells]} = tensors.get(`${prefix}gazes`);
                const map = tensors.row(`${prefix}gazes`, layer).subarray(step * cells, (step + 1) * cells);
                view.draw(about.place, {map: map.slice(), smooth: true, strength: 0.7});
                const [text] = about.ids[about.first + 1 + step], [, , id] = about.ids[about.first + 1 + step];
                picture.say(say(gaze, shown(text), layer));
                figures.bars(list, about.steps[step].map(([piece, p, other]) => ({label: shown(piece), p, strong: other === id})));
                [...words.children].forEach((word, i) => word.setAttribute("aria-pressed", i === step));
                return steps;
            }
            return {parts, update};
        }
        const first = writer(lesson.caption, "words.", "step", say("said"));
        const row = element("div", {className: "panels two"}, first.parts);
        const second = lesson.recurrent ? writer(lesson.recurrent, "recurrent.", "other", say("recurrent")) : null;
        if (second) {
            second.parts.append(element("p", {className: "note", textContent: say("memory", lesson.recurrent.hidden)}));
            row.append(second.parts);
        }
        const layer = figures.slider(texts.of("words.layer"), {min: 0, max: lesson.caption.layers - 1, value: state.layer}, (value) => refresh({layer: value}));
        figure.append(row, layer);
        caption_section.own = {
            get: () => [state.step, state.other, state.layer, state.head, Number(state.masked)],
            set: ([step, other, l, head, masked]) => {
                const about = lesson.caption, steps = lesson.recurrent?.steps.length ?? 1;
                if (!(step >= 0 && step < about.steps.length && other >= 0 && other < steps)) return;
                if (!(l >= 0 && l < about.layers && head >= 0 && head < about.heads)) return;
                layer.set(l);
                refresh({step, other, layer: l, head, masked: masked === 1});
            },
        };
        const mask = lesson.caption.self_attention ? mask_figure() : null;

        // Who looks at whom among the words, from their queries and keys.
        function mask_figure() {
            const box = element("input", {type: "checkbox", checked: true});
            box.addEventListener("change", () => refresh({masked: box.checked}));
            const head = figures.slider(texts.of("words.head"), {min: 0, max: lesson.caption.heads - 1, value: 0}, (value) => refresh({head: value}));
            const table = element("table", {className: "matrix"}), title = element("caption");
            const pieces = lesson.caption.ids.slice(0, -1).map(([text]) => text.trim() || "·");
            const top = element("tr", {}, element("td"));
            for (const piece of pieces) top.append(element("th", {scope: "col"}, element("span", {textContent: piece})));
            table.append(title, top);
            const cells = pieces.map((piece) => {
                const line = element("tr", {}, element("th", {scope: "row", textContent: piece}));
                const all = pieces.map(() => element("td"));
                line.append(...all);
                table.append(line);
                return all;
            });
            figure.append(element("div", {className: "scroll"}, table),
                          element("div", {className: "row"}, element("label", {className: "check"}, box, say("masked")), head));
            return () => {
                box.checked = state.masked;
                head.set(state.head);
                title.textContent = say("mask", state.layer, state.head);
                caption_section.compute(state.layer, state.head, state.masked).forEach((weights, i) =>
                    weights.forEach((p, j) => {
                        const level = p === 0 ? [127, 127, 127] : figures.signed_colour(p);
                        cells[i][j].style.background = p === 0 ? "" : `rgb(${level.join(" ")})`;
                        cells[i][j].title = `${pieces[i]} → ${pieces[j]}: ${page.percent(p)}`;
                        cells[i][j].className = p === 0 ? "masked" : "";
                    }));
            };
        }
        return () => {
            first.update("gaze", state.layer);
            second?.update("recurrent_gaze", 0);
            mask?.();
        };
    },
    // The weights of each word over the words, in the order of the caption.
    compute(layer, head, masked) {
        const {shape: [words, , wide], values: q} = tensors.get(`words.q.${layer}`), {values: k} = tensors.get(`words.k.${layer}`);
        const {heads, head_size} = lesson.caption, step = heads * wide;
        return Array.from({length: words}, (_, i) => arithmetic.softmax(Float32Array.from({length: words}, (_, j) =>
            masked && j > i ? -Infinity
                            : arithmetic.dot(q, k, i * step + head * wide, j * step + head * wide, wide) / Math.sqrt(head_size))));
    },
};
