// The page: its sections, and what all of them share: the chosen token, layer and head.
const lecture = (() => {
    const {$, element} = page;
    const all = [tokens_section, positions_section, head_section, cells_section, heads_section, block_section, whole_section,
                 phrases_section, detector_section, caption_section, cost_section].filter((one) => one.applies());
    const about = lesson.classifier;
    const state = {token: 0, layer: 0, head: 0, temperature: 1, all_heads: false};
    const built = new Map();  // id: {update, seen, stale}

    // "layer 7 of 0-11 · head 2 of 0-5"
    function where({layer, head} = state) {
        const name = (key, value, count) => `${texts.of(`words.${key}`).toLowerCase()} ${texts.of("words.of", value, count - 1)}`;
        return `${name("layer", layer, about.layers)} · ${name("head", head, about.heads)}`;
    }

    // ---- sections ------------------------------------------------------------------------------

    function make(section, number) {
        const own = `sections.${section.id}`, figure = element("div", {className: "figure"});
        const made = element("section", {id: section.id, tabIndex: -1},
                             element("h2", {id: `${section.id}-title`, textContent: `${number}. ${texts.of(`${own}.title`)}`}));
        const words = element("div", {className: "words"});
        for (const text of texts.paragraphs(`${own}.text`)) words.append(element("p", {textContent: text}));
        const formula = $(`formula-${section.id}${section.variant?.() ?? ""}`).content.querySelector("math").cloneNode(true);
        words.append(element("div", {className: "formula"}, formula),
                     element("p", {className: "try"}, element("b", {textContent: `${texts.of("try")}: `}), texts.paragraphs(`${own}.try`).join(" ")));
        made.setAttribute("aria-labelledby", `${section.id}-title`);
        made.append(element("div", {className: "lesson"}, words, figure));
        $("sections").append(made);
        built.set(section.id, {section, figure, made, update: null, seen: false, stale: true});
    }
    // Figures are built and drawn when they come into view, or are printed.
    function draw(one) {
        if (!one.stale) return;
        one.stale = false;
        one.update ??= one.section.build(one.figure);
        one.update(state);
        one.made.dataset.drawn = "";
    }
    function refresh(id) {
        const one = built.get(id);
        one.stale = true;
        if (one.seen) draw(one);
    }
    // ---- for follow.js -------------------------------------------------------------------------

    // What a section keeps to itself, as whole numbers.
    const own_of = (index) => built.get(all[index].id).section.own?.get() ?? [];
    // Takes over another person's choice, as far as this page has it.
    function take(index, {token, layer, head, temperature, all_heads}, own) {
        const one = built.get(all[index].id);
        draw(one);
        if (about) {
            const right = {token: token < about.tokens, layer: about.kept_layers.includes(layer), head: head < about.heads,
                           temperature: temperature >= 0.05 && temperature <= 20};
            const change = Object.fromEntries(Object.entries({token, layer, head, temperature}).filter(
                ([key, value]) => right[key] && value >= 0 && value !== state[key]));
            if (all_heads !== state.all_heads) change.layer ??= state.layer;
            if (Object.keys(change).length > 0) choose(change, {all_heads});
        }
        if (one.section.own && String(own) !== String(own_of(index))) one.section.own.set(own);
    }

    function draw_all() { for (const one of built.values()) draw(one); }

    // ---- what is chosen ------------------------------------------------------------------------

    function choose(change, more = {}) {
        Object.assign(state, {all_heads: false}, change, more);
        for (const one of built.values())
            if (Object.keys(change).some((key) => one.section.uses.includes(key))) refresh(one.section.id);
        show_choice();
        if (about) page.say(`${names.token(state.token)}, ${where()}`);
    }
    let show_choice = () => {};
    function make_choice() {
        const layers = about.kept_layers;
        const layer = figures.slider(texts.of("words.layer"), {min: 0, max: layers.length - 1, value: layers.indexOf(state.layer)},
                                     (index) => choose({layer: layers[index]}), (index) => layers[index]);
        const head = figures.slider(texts.of("words.head"), {min: 0, max: about.heads - 1, value: state.head}, (value) => choose({head: value}));
        const token = element("span", {className: "token"});
        const first = figures.button(texts.of("words.class_token"), () => choose({token: 0}));
        first.hidden = about.first_cell === 0;
        $("choice").append(token, first, layer, head);
        $("choice").setAttribute("aria-label", texts.of("words.token"));
        show_choice = () => {
            token.textContent = names.token(state.token);
            layer.set(layers.indexOf(state.layer));
            head.set(state.head);
        };
        show_choice();
    }

    // ---- keys ----------------------------------------------------------------------------------

    function step_token(right, down) {
        const [columns, rows] = about.place.grid, cell = Math.max(state.token - about.first_cell, 0);
        const x = Math.min(Math.max(cell % columns + right, 0), columns - 1);
        const y = Math.min(Math.max(Math.floor(cell / columns) + down, 0), rows - 1);
        choose({token: about.first_cell + y * columns + x});
    }
    function step_in(list, key, by) {
        const index = list.indexOf(state[key]) + by;
        if (index >= 0 && index < list.length) choose({[key]: list[index]});
    }
    const numbers = (count) => Array.from({length: count}, (_, i) => i);
    const classifier_keys = {
        ArrowLeft: () => step_token(-1, 0), ArrowRight: () => step_token(1, 0),
        ArrowUp: () => step_token(0, -1), ArrowDown: () => step_token(0, 1),
        c: () => about.first_cell > 0 && choose({token: 0}),
        PageUp: () => step_in(about.kept_layers, "layer", 1), PageDown: () => step_in(about.kept_layers, "layer", -1),
        "]": () => step_in(numbers(about.heads), "head", 1), "[": () => step_in(numbers(about.heads), "head", -1),
    };
    function press(event) {
        if (event.ctrlKey || event.altKey || event.metaKey || event.target.matches?.("input")) return;
        const section = all[Number(event.key) - 1];
        const action = section ? () => go_to(section.id) : about && classifier_keys[event.key];
        if (!action) return;
        action();
        event.preventDefault();
    }
    function go_to(id) {
        $(id).scrollIntoView();
        $(id).focus({preventScroll: true});
    }

    // ---- the page ------------------------------------------------------------------------------

    function start() {
        if (about) {
            // A patch in the middle of the picture, in a layer in the middle.
            const [columns, rows] = about.place.grid, layers = about.kept_layers;
            state.token = about.first_cell + Math.floor(rows / 2) * columns + Math.floor(columns / 2);
            state.layer = layers[Math.floor(layers.length / 2)];
        }
        all.forEach((section, i) => make(section, i + 1));
        $("contents").setAttribute("aria-label", texts.of("contents"));
        all.forEach(({id}, i) => $("contents").append(element("a", {href: `#${id}`, textContent: `${i + 1}. ${texts.of(`sections.${id}.title`)}`})));
        if (about) make_choice();
        else $("choice").hidden = true;
        $("made").textContent = texts.of("words.made", [...new Set(["classifier", "cells", "detector", "caption", "recurrent"].map((key) => lesson[key]?.model).filter(Boolean))].join(", "),
                                         lesson.precision, lesson.device);
        const cells = lesson.cells, kept = about?.kept_layers ?? cells?.layers.map(({layer}) => layer) ?? [];
        const layers = about?.layers ?? cells?.all_layers ?? 0;
        $("left-out").hidden = kept.length === layers;
        $("left-out").textContent = texts.of("words.left_out", kept.join(", "), layers);
        const keys = element("dl", {});
        for (const [key, what] of texts.of("keys"))
            keys.append(element("div", {}, element("dt", {}, element("kbd", {textContent: key})), element("dd", {textContent: what})));
        document.querySelector("footer").prepend(element("details", {}, element("summary", {textContent: texts.of("keys_title")}), keys));
        const watch = new IntersectionObserver((entries) => {
            for (const {target, isIntersecting} of entries) {
                const one = built.get(target.id);
                one.seen = isIntersecting;
                if (isIntersecting) draw(one);
            }
        }, {rootMargin: "20%"});
        for (const {made} of built.values()) watch.observe(made);
        addEventListener("keydown", press);
        addEventListener("beforeprint", draw_all);
        follow.start();
    }
    return {start, choose, refresh, where, state, draw_all, own_of, take, count: all.length};
})();
{
    const picture = page.$("picture");
    const begin = () => { lecture.start(); document.body.dataset.ready = ""; };
    if (picture.complete) begin();
    else picture.addEventListener("load", begin);
}
