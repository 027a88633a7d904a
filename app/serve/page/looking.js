// What this viewer points at, and which attention maps the page asks for.
const looking = (() => {
    const {$, percent} = page;
    const modes = ["off", "rollout", "mean", "max", "head", "grid", "similarity", "colours", "cause"];
    const without_layers = ["rollout", "similarity", "colours", "cause"];
    const attention = {mode: "off", layer: null, head: 0};
    // In order of precedence: a word or phrase that is hovered or was clicked; the detection that was clicked,
    // by its query and, with tracking, its track; the point under the pointer, or the one that was clicked.
    const pointing = {word: null, word_held: false, phrase: null, phrase_held: false, query: null, track: 0,
                      point: null, held: false};
    const on = {changed() {}};  // called when something else is chosen
    let choices = null;         // the last map, for the number of its layers and heads

    // Until this viewer chooses, a patch asks the model with the richest attention. Without one the detector comes
    // first: its overview is of the strongest detection.
    let chosen = false;
    const asked = () => chosen || pointing.point || attention.mode === "colours" ? $("ask").value : "detector";
    function ask(model, by_hand) {
        if (chosen && !by_hand) return;
        chosen ||= by_hand;
        $("ask").value = model;
        tell();
    }
    const ask_first = (model) => ask(model, false);

    const points = () =>
        Boolean(pointing.word !== null || pointing.phrase || pointing.query !== null || pointing.point);
    function wanted() {
        const shows = points() || switches.is_on("overview") || ["colours", "cause"].includes(attention.mode);
        if (attention.mode === "off" || !shows) return null;
        const look = {mode: attention.mode, head: attention.head, ask: asked()};
        if (attention.layer !== null) look.layer = attention.layer;
        if (pointing.word !== null) {
            look.word = pointing.word;
        } else if (pointing.phrase) {
            Object.assign(look, pointing.phrase);
        } else if (pointing.query !== null) {
            look.query = pointing.query;
            if (pointing.track > 0) look.track = pointing.track;
        } else if (pointing.point) {
            look.point = pointing.point;
        }
        return look;
    }
    // Pointer events are throttled to 25 messages per second.
    let sent = "", timer = 0, time = 0;
    function tell() {
        clearTimeout(timer);
        const rest = time + 40 - performance.now();
        if (rest > 0) {
            timer = setTimeout(tell, rest);
            return;
        }
        const look = JSON.stringify(wanted());
        if (look === sent) return;
        sent = look;
        time = performance.now();
        link.send({look: JSON.parse(look)});
        // An overview has no map while nothing is found.
        if (look !== "null" && points()) {
            drawing.begin_work();
            if (!live.frame?.map) say();
            return;
        }
        if (!player.waits()) drawing.end_work();
        if (look === "null") drawing.draw();
    }
    function tell_again() {
        sent = "";
        tell();
    }

    function point_at(point) {
        if (pointing.held) return;
        pointing.point = point;
        tell();
    }
    // A click holds the point; the next click releases it.
    function hold_at(point) {
        const again = pointing.held;
        pointing.query = null;
        pointing.held = false;
        wake();
        point_at(point);
        pointing.held = !again;
        on.changed();
    }
    function is_chosen({query, track}) {
        if (pointing.query === null) return false;
        return pointing.track > 0 ? track === pointing.track : query === pointing.query;
    }
    function choose({query, track}) {
        const chosen = is_chosen({query, track});
        pointing.query = chosen ? null : query;
        pointing.track = chosen ? 0 : track ?? 0;
        if (!chosen) wake();
        tell();
        on.changed();
    }
    // Hovering shows a word until the pointer leaves; a click holds it, and another releases it.
    function at_word(word, clicked) {
        if (pointing.word_held && !clicked) return;
        if (clicked && pointing.word_held && word === pointing.word) word = null;
        pointing.word = word;
        pointing.word_held = clicked && word !== null;
        if (word !== null) wake();
        tell();
        on.changed();
    }
    const is_phrase = (look) => JSON.stringify(look) === JSON.stringify(pointing.phrase);
    // The same for a phrase.
    function at_phrase(look, clicked) {
        if (pointing.phrase_held && !clicked) return;
        if (clicked && pointing.phrase_held && is_phrase(look)) look = null;
        pointing.phrase = look;
        pointing.phrase_held = clicked && look !== null;
        if (look) wake();
        tell();
        if (clicked) on.changed();
    }
    function release() {
        pointing.query = pointing.phrase = pointing.word = null;
        pointing.phrase_held = pointing.word_held = false;
        pointing.held = false;
        tell();
        on.changed();
    }
    function step(rows, columns) {
        const {frame} = live;
        if (!frame) return;
        const cell = frame.map?.geometry ?? {cell_width: frame.line.width / 16, cell_height: frame.line.height / 16};
        const [x, y] = pointing.point ?? [frame.line.width / 2, frame.line.height / 2];
        const within = (v, end) => Math.round(Math.min(Math.max(v, 0), end - 1));
        pointing.query = null;
        wake();
        pointing.held = true;
        pointing.point = [within(x + columns * cell.cell_width, frame.line.width),
                          within(y + rows * cell.cell_height, frame.line.height)];
        tell();
    }

    function wake() {
        if (attention.mode === "off") set_mode("mean");
    }
    function set_mode(mode) {
        attention.mode = mode;
        $("mode").value = mode;
        show_choice();
        tell();
        page.say(`Attention: ${mode}`);
    }
    function next_mode() { set_mode(modes[(modes.indexOf(attention.mode) + 1) % modes.length]); }
    function set_layer(layer) {
        const layers = choices?.layers ?? 1;
        attention.layer = Math.min(Math.max(layer, 0), layers - 1);
        show_choice();
        tell();
    }
    function set_head(head) {
        if (choices && head >= choices.heads) return;
        attention.head = head;
        if (attention.mode !== "head") set_mode("head");
        show_choice();
        tell();
    }
    function begin_as({mode, layer, head}) {
        if (attention.mode !== "off") return;
        if (modes.includes(mode)) attention.mode = $("mode").value = mode;
        attention.layer = layer;
        attention.head = head;
        tell();
    }

    function show_choice() {
        if (live.frame?.map) choices = live.frame.map;
        const map = choices, off = attention.mode === "off";
        const layer = $("layer"), head = $("head");
        layer.disabled = off || !map || map.layers < 2 || without_layers.includes(attention.mode);
        head.disabled = attention.mode !== "head" || !map || map.heads < 2;
        if (map) {
            layer.max = map.layers - 1;
            layer.value = attention.layer ?? map.layer;
            head.max = map.heads - 1;
            head.value = Math.min(attention.head, map.heads - 1);
        }
        $("layer-now").textContent = attention.mode === "rollout" ? "all" : layer.disabled || !map ? "" : layer.value;
        $("head-now").textContent = attention.mode === "head" && map ? head.value : "";
        for (const id of ["opacity", "share"]) $(id + "-now").textContent = $(id).value + " %";
    }
    // The line below the picture describes what is shown.
    // The model whose patches are shown: the one that was asked for, or the other if that is not loaded.
    function asked_model() {
        const loaded = ["detector", "classifier"].filter((id) => live.state?.[id] && live.state[id].name !== "none");
        const model = loaded.length === 1 ? loaded[0] : $("ask").value;
        return model[0].toUpperCase() + model.slice(1);
    }
    function who_of(map) {
        const {line} = live.frame;
        if (map.patch) return `${asked_model()}’s patch in row ${map.patch.row + 1}, column ${map.patch.column + 1}`;
        if (map.who === "phrase") return "Similarity of each patch to the phrase";
        if (map.who === "word") {
            const word = (line.caption ?? line.answer)?.words[pointing.word]?.text;
            return word === undefined ? "A word that is no longer there" : `Word “${word}”`;
        }
        if (map.who === "query") return pointing.track > 0 ? `Track ${pointing.track}` : "The detection’s query";
        return "Class token";
    }
    function similarity_text(map) {
        const sorted = Float32Array.from(drawing.cells_of(map, 0)).sort();
        return `${who_of(map)}: cosine similarity of the features of each patch to its own, from ` +
            `${percent(sorted[0])} to ${percent(sorted[sorted.length - 1])}; the median is ` +
            `${percent(sorted[sorted.length >> 1])}.`;
    }
    function attention_text(map) {
        const cells = drawing.cells_of(map, 0), best = page.best_of(cells, map.grid);
        const {mode} = attention;
        const how = {rollout: `rollout through ${map.layers} layers`, mean: `mean of ${map.heads} heads`,
                     max: `greatest of ${map.heads} heads`, grid: `heads 0-${map.heads - 1}`,
                     head: `head ${Math.min(attention.head, map.heads - 1)} of 0-${map.heads - 1}`}[mode];
        const layer = mode === "rollout" ? "" : `${page.layer_text(map.layer, map.layers)}, `;
        const place = `row ${best.row}, column ${best.column}`;
        // The greatest of the heads is no distribution: its values do not add up to the attention.
        const most = map.count > 1 ? ""
            : mode === "max" ? ` The largest weight of any head is ${percent(cells[best.index])}, at ${place}.`
            : ` Looks most at ${place} (${percent(cells[best.index])}).`;
        return `${who_of(map)}: ${layer}${how}.${most}` +
            (map.points_on ? ` Dots are its sampling points, sized by their weights, on ${map.points_on}.` : "") +
            (map.limited ? " A few outliers are far beyond the scale." : "");
    }
    function cause_text({cause, largest, grid}) {
        const now = cause.does ? ` Now: ${cause.does}.` : "";
        const worth = cause.methods.map(({name, words}) => ` ${name}: ${words}.`).join("");
        return `What “${cause.label}” ${percent(cause.score)} needs: ${cause.knock_outs} knock-outs of ${grid.width} × ` +
            `${grid.height} cells; strongest ${largest[0].toPrecision(2)} ${cause.unit}, noise ` +
            `${cause.noise.toPrecision(2)}. Warm: needed; blue: holds it back.${now}${worth}`;
    }
    function text_of(map) {
        if (!map && attention.mode === "cause" && points())
            return "What it needs is found out while the loop has nothing else to do: freeze the picture.";
        if (!map)
            return attention.mode === "off" ? "Attention is off: press A, or choose maps."
                : points() ? "The map is being computed."
                : "Point at the picture: what does the patch under the pointer look at?";
        if (map.kind === "colours")
            return "The first three principal components of the features as red, green and blue: patches of similar " +
                "colour are similar to the model.";
        if (map.kind === "cause") return cause_text(map);
        return map.kind === "similarity" ? similarity_text(map) : attention_text(map);
    }
    function say() {
        const map = wanted() ? live.frame?.map : null;
        $("now").textContent = text_of(map);
        head_table.take(map?.cause, attention.mode === "cause");
        page.show_scale(map && map.count === 1 ? drawing.cells_of(map, 0) : null, map?.kind);
    }

    $("mode").addEventListener("input", () => set_mode($("mode").value));
    $("layer").addEventListener("input", () => set_layer(Number($("layer").value)));
    $("head").addEventListener("input", () => set_head(Number($("head").value)));
    $("ask").addEventListener("input", () => ask($("ask").value, true));
    const keys = {
        a: next_mode,
        "[": () => set_layer(Number($("layer").value) - 1),
        "]": () => set_layer(Number($("layer").value) + 1),
        m: () => {
            ask(asked() === "detector" ? "classifier" : "detector", true);
            page.say(`asks the ${$("ask").value}`);
        },
        Escape: release,
    };
    for (let head = 0; head < 10; ++head) keys[head] = () => set_head(head);

    return {on, attention, pointing, wanted, tell, tell_again, point_at, hold_at, is_chosen, choose, at_word, at_phrase,
            is_phrase, step, begin_as, ask_first, show_choice, say, keys};
})();
