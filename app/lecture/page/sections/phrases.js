// Classes in words: the vectors of a zero-shot model's picture and phrases (CLIP, SigLIP).
const phrases_section = {
    id: "phrases",
    applies: () => lesson.classifier?.phrases && tensors.has("phrases"),
    uses: [],
    variant: () => lesson.classifier.pooled ? "-pooled" : "",
    build(figure) {
        const {element} = page, say = (key, ...values) => texts.of(`sections.phrases.labels.${key}`, ...values);
        const about = lesson.classifier, {prompts, scale, bias, maps} = about.phrases;
        const logits = tensors.get("logits").values, p = attention.probabilities(logits);
        const order = attention.best_of(logits, logits.length);
        let chosen = order[0];
        const choose = (phrase) => { chosen = phrase; lecture.refresh("phrases"); };
        phrases_section.own = {get: () => [chosen], set: ([phrase]) => { if (phrase >= 0 && phrase < prompts.length) choose(phrase); }};
        const list = element("ul", {className: "phrase-list"}), buttons = new Map();
        for (const phrase of order) {
            const button = figures.button(`${about.labels[phrase]} ${page.percent(p[phrase])}`, () => choose(phrase));
            buttons.set(phrase, button);
            list.append(element("li", {}, button, element("small", {textContent: say(bias ? "cosine_plus" : "cosine", figures.round(phrases_section.cosine(phrase), 3), figures.round(scale, 1),
                                                                                        figures.round(scale * phrases_section.cosine(phrase) + bias), figures.round(bias, 1))})));
        }
        const prompt = element("p", {className: "note"}), picture = tensors.get("picture").values;
        const strips = ["picture", "text", "product"].map((key) => figures.strip(say(key, "")));
        const view = new figures.View(say("map", "")), map = figures.captioned(view.canvas, "");
        figure.append(element("div", {className: "panels two"},
                              element("div", {}, element("h4", {textContent: say("phrases")}), list, prompt, ...strips), map));
        return () => {
            for (const [phrase, button] of buttons) button.setAttribute("aria-pressed", phrase === chosen);
            prompt.textContent = say("prompt", prompts[chosen]);
            const text = tensors.row("phrases", chosen), limit = Math.max(figures.largest_size(picture), figures.largest_size(text));
            const product = picture.map((x, i) => x * text[i]);
            strips[0].show(picture, limit, say("picture", picture.length));
            strips[1].show(text, limit, say("text", prompts[chosen]));
            strips[2].show(product, figures.largest_size(product), say("product"));
            const own = chosen < maps ? tensors.row("phrase_maps", chosen) : null;
            view.draw(about.place, {map: own, least: own ? own.reduce((a, b) => Math.min(a, b)) : 0});
            view.canvas.setAttribute("aria-label", say("map", about.labels[chosen]));
            map.say(own ? say("map", about.labels[chosen]) : "");
        };
    },
    cosine: (phrase) => arithmetic.dot(tensors.get("picture").values, tensors.row("phrases", phrase)),
};
