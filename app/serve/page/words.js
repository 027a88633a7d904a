// Prompts of the models, which all viewers share: phrases to find, classes to choose from, a question.
const words = (() => {
    const {$, element, fill} = page;
    const fields = {find: "detector", labels: "classifier", question: "captioner"};
    const longest = 1000;  // characters

    // A field that is being edited is not overwritten by the shared state.
    const typing = new Set();
    function send(id) {
        typing.delete(id);
        link.send({set: {[id]: $(id).value.trim().slice(0, longest)}});
        page.say(`${$(id).value.trim() || "nothing"}: sent`);
    }
    for (const id of Object.keys(fields)) {
        $(id).addEventListener("input", () => typing.add(id));
        $(id).addEventListener("keydown", (event) => {
            if (event.key === "Enter") send(id);
            if (event.key !== "Escape") return;
            typing.delete(id);
            show();
        });
        $(id + "-send").addEventListener("click", () => send(id));
    }

    // Every phrase has its own threshold, because scores of different phrases are not comparable.
    const touched = new Map();
    function make_phrase() {
        const name = element("span"), swatch = element("span", {className: "swatch", ariaHidden: "true"});
        const least = element("input", {type: "range", min: 0, max: 1, step: 0.01});
        const now = element("output");
        least.addEventListener("input", () => {
            touched.set(least.phrase, performance.now());
            now.textContent = Number(least.value).toFixed(2);
            link.send({set: {least_scores: {[least.phrase]: Number(least.value)}}});
        });
        const row = element("li", {className: "phrase"}, element("button", {type: "button"}, swatch, name), least, now);
        const button = row.firstChild;
        button.addEventListener("pointerenter", () => looking.at_phrase(button.look, false));
        button.addEventListener("pointerleave", () => looking.at_phrase(null, false));
        button.addEventListener("click", () => looking.at_phrase(button.look, true));
        return row;
    }
    function show_phrases(id, model) {
        fill($(id + "-phrases"), model.phrases ?? [], make_phrase, (row, {text, prompt, colour, least}, i) => {
            const [button, slider, now] = row.children, [swatch, name] = button.children;
            button.look = {phrase: i, ask: fields[id]};
            button.setAttribute("aria-pressed", String(looking.is_phrase(button.look)));
            button.title = `read as “${prompt}”: shows the similarity of each patch to it`;
            if (name.textContent !== text) name.textContent = text;
            swatch.style.background = colour ?? "";
            swatch.hidden = !colour;
            slider.hidden = now.hidden = least === undefined;
            if (least === undefined) return;
            slider.phrase = text;
            slider.ariaLabel = `Least score of ${text}`;
            slider.disabled = live.read_only;
            if (performance.now() - (touched.get(text) ?? -Infinity) > 1500) slider.value = least;
            now.textContent = Number(slider.value).toFixed(2);
        });
    }
    function show() {
        const {state, read_only} = live;
        if (!state?.words) return;
        for (const [id, task] of Object.entries(fields)) {
            const model = state[task];
            $(id + "-part").hidden = !model.takes_words;
            if (!model.takes_words) continue;
            if (!typing.has(id)) $(id).value = state.words[id];
            $(id).disabled = $(id + "-send").disabled = read_only;
            const error = model.words_error ?? "";
            $(id + "-error").hidden = !error;
            if ($(id + "-error").textContent !== error) $(id + "-error").textContent = error;
            if (id !== "question") show_phrases(id, model);
        }
        $("words-part").hidden = Object.values(fields).every((task) => !state[task].takes_words);
    }

    return {show};
})();
