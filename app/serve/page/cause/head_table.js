// What switching each head off does to this viewer's target: layers down, heads across. A click keeps a head off, for
// everybody, until it is clicked again or all are put back.
const head_table = (() => {
    const {$, element} = page;
    let cause = null;     // what the table shows
    let buttons = [];     // by layer, then head
    let built = "";       // for these layers and heads
    const mine = new Map();  // heads that this viewer has just switched, and when: the shared state follows later

    const name_of = (model, layer, head) => `${model} ${layer}.${head}`;
    function is_off(layer, head) {
        const name = name_of(cause.model, layer, head), own = mine.get(name);
        if (own && performance.now() - own.when < 1500) return own.off;
        return (live.state?.heads_off?.all ?? []).some((one) => name_of(...one) === name);
    }
    function press(layer, head) {
        if (live.read_only) return;
        const off = !is_off(layer, head);
        mine.set(name_of(cause.model, layer, head), {off, when: performance.now()});
        link.send({set: {heads: [[cause.model, layer, head, off]]}});
        draw();
    }
    function put_back() {
        if (live.read_only || !live.state?.heads_off?.words) return;
        mine.clear();
        link.send({set: {heads_on: true}});
        page.say("all heads are on again");
    }
    // Arrow keys go from head to head, so that the table is one stop of the Tab key.
    function step(event, layer, head) {
        const [down, right] = {ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1]}[event.key] ?? [];
        const next = down === undefined ? null : buttons[layer + down]?.[head + right];
        if (!next) return;
        event.preventDefault();
        event.stopPropagation();
        for (const one of buttons.flat()) one.tabIndex = one === next ? 0 : -1;
        next.focus();
    }
    function build() {
        const shape = JSON.stringify([cause.model, cause.layers]) + cause.heads;
        if (shape === built) return;
        built = shape;
        buttons = cause.heads.map((heads, layer) => Array.from({length: heads}, (_, head) => {
            const button = element("button", {type: "button", tabIndex: layer + head === 0 ? 0 : -1});
            button.addEventListener("click", () => press(layer, head));
            button.addEventListener("keydown", (event) => step(event, layer, head));
            return button;
        }));
        $("cause-heads").replaceChildren(...buttons.map((row, layer) => element(
            "tr", {}, element("th", {scope: "row", textContent: layer, title: cause.layers[layer] ?? ""}),
            ...row.map((button) => element("td", {}, button)))));
    }
    function draw() {
        const {effects} = cause, most = Math.max(...effects.flat().map(Math.abs), 0);
        buttons.forEach((row, layer) => row.forEach((button, head) => {
            const effect = effects[layer]?.[head], off = is_off(layer, head);
            const known = effect === undefined ? "not known yet" : `${effect.toPrecision(3)} ${cause.unit}`;
            button.style.backgroundColor = effect !== undefined && most > 0 ? page.effect_colour(effect / most) : "";
            button.title = `${cause.layers[layer] ?? `layer ${layer}`}, head ${head}: ${known}` +
                (off ? "; it is off" : live.read_only ? "" : "; a click keeps it off, for everybody");
            button.ariaLabel = button.title;
            button.setAttribute("aria-pressed", String(off));
            button.disabled = Boolean(live.read_only);
        }));
        $("cause-heads").ariaLabel = `Effect of each head on “${cause.label}”, the strongest ${most.toPrecision(2)} ${cause.unit}`;
    }
    // Of a new picture. While a target is worked on again, the table of before stays.
    function take(now, wanted) {
        if (!wanted) cause = null;
        else if (now?.heads?.length > 0) cause = now;
        else if (now && now.model !== cause?.model) cause = null;
        $("cause-heads-part").hidden = !cause;
        if (!cause) return;
        build();
        draw();
    }
    // Of a new shared state: which heads are off, for every viewer.
    function show() {
        const words = live.state?.heads_off?.words ?? "";
        $("heads-note").hidden = !words;
        const text = `Heads are off: ${words} (layer.head). Boxes, classes and words are those of the models without them.`;
        if (words && $("heads-off").textContent !== text) $("heads-off").textContent = text;
        $("heads-on").hidden = Boolean(live.read_only);
        if (cause) draw();
    }
    $("heads-on").addEventListener("click", put_back);

    return {take, show, keys: {x: put_back}};
})();
