// What this viewer looks at, and which maps of attention he wants.
const looking = (() => {
    const {$, percent} = page;
    const modes = ["off", "rollout", "mean", "max", "head", "grid", "similarity", "colours"];
    const without_layers = ["rollout", "similarity", "colours"];
    const attention = {mode: "off", layer: null, head: 0};
    // A word while the pointer is on it; else a phrase, while the pointer is on it or it was clicked; else the detection that was clicked, by its query and, where
    // things have numbers, its track; else the point under the pointer, or where it was held.
    const pointing = {word: null, phrase: null, phrase_held: false, query: null, track: 0, point: null, held: false};
    const on = {changed() {}};  // something else is looked at
    let choices = null;         // layers and heads of the last map

    function wanted() {
        const points = pointing.word !== null || pointing.phrase || pointing.query !== null || pointing.point;
        if (attention.mode === "off" || !(points || switches.is_on("overview") || attention.mode === "colours")) return null;
        const look = {mode: attention.mode, head: attention.head, ask: $("ask").value};
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
    // A pointer moves faster than anybody can look.
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
    // What is clicked holds; a second click lets go.
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
    function at_word(word) {
        pointing.word = word;
        if (word !== null) wake();
        tell();
    }
    const is_phrase = (look) => JSON.stringify(look) === JSON.stringify(pointing.phrase);
    // A click holds it, another one lets go; pointing shows it until the pointer leaves.
    function at_phrase(look, clicked) {
        if (pointing.phrase_held && !clicked) return;
        if (clicked && pointing.phrase_held && is_phrase(look)) look = null;
        pointing.phrase = look;
        pointing.phrase_held = clicked && look !== null;
        if (look) wake();
        tell();
        if (clicked) on.changed();
    }
    function let_go() {
        pointing.query = pointing.phrase = null;
        pointing.phrase_held = false;
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
        for (const id of ["opacity", "mass"]) $(id + "-now").textContent = $(id).value + " %";
    }
    // What is shown, in words.
    function say() {
        const {frame} = live, map = frame?.map;
        if (!map || !wanted()) {
            $("now").textContent = attention.mode === "off"
                ? "Attention is off: press A, or choose maps."
                : "Point at the picture: what does the patch under the pointer look at?";
            return;
        }
        if (map.kind === "colours") {
            $("now").textContent = "The three main components of what the model knows of each patch, as red, green and " +
                "blue. Alike in colour, alike to the model. The 2 % of patches at either end do not count.";
            return;
        }
        const cells = drawing.cells_of(map, 0);
        const best = page.best_of(cells, map.grid);
        const word = (frame.line.caption ?? frame.line.answer)?.words[pointing.word]?.text;
        const who = map.patch ? `Patch in row ${map.patch.row + 1}, column ${map.patch.column + 1}`
            : map.who === "phrase" ? "How much each patch is like the phrase"
            : map.who === "word" ? `Word “${word ?? ""}”`
            : map.who === "query" ? (pointing.track > 0 ? `Track ${pointing.track}` : "The detection’s query")
            : "Class token";
        if (map.kind === "similarity") {
            const sorted = Float32Array.from(cells).sort();
            $("now").textContent = `${who}: how much the features of each patch are like its own, by their cosine; ` +
                `from ${percent(sorted[0])} to ${percent(sorted[sorted.length - 1])}, half of them above ` +
                `${percent(sorted[sorted.length >> 1])}.`;
            return;
        }
        const how = {rollout: "through all layers", mean: "mean of its heads", max: "greatest of its heads",
                     head: `head ${Math.min(attention.head, map.heads - 1)}`, grid: "all heads"}[attention.mode];
        const layer = attention.mode === "rollout" ? "" : `layer ${map.layer} of ${map.layers}, `;
        $("now").textContent = `${who}: ${layer}${how}.` +
            (map.count > 1 ? "" : ` Looks most at row ${best.row}, column ${best.column} (${percent(cells[best.index])}).`) +
            (map.points_on ? ` Dots are its points, as large as their shares, on ${map.points_on}.` : "") +
            (map.limited ? " A few outliers are far beyond the scale." : "");
    }

    $("mode").addEventListener("input", () => set_mode($("mode").value));
    $("layer").addEventListener("input", () => set_layer(Number($("layer").value)));
    $("head").addEventListener("input", () => set_head(Number($("head").value)));
    $("ask").addEventListener("input", tell);
    const keys = {
        a: next_mode,
        "[": () => set_layer(Number($("layer").value) - 1),
        "]": () => set_layer(Number($("layer").value) + 1),
        m: () => {
            $("ask").value = $("ask").value === "detector" ? "classifier" : "detector";
            tell();
            page.say(`asks the ${$("ask").value}`);
        },
        Escape: let_go,
    };
    for (let head = 0; head < 10; ++head) keys[head] = () => set_head(head);

    return {on, attention, pointing, wanted, tell, tell_again, point_at, hold_at, is_chosen, choose, at_word, at_phrase, is_phrase, step, begin_as,
            show_choice, say, keys};
})();
