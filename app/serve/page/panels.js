// The panels with the shared state: source, models, rates, viewers.
const panels = (() => {
    const {$, element, percent, fill} = page;

    // A control that was just used is not overwritten by the shared state.
    const touched = {};
    function touch(id) { touched[id] = performance.now(); }
    function may_change(id) { return !(performance.now() - (touched[id] ?? -Infinity) < 1500); }

    function show_select(id, value, options) {
        const select = $(id), known = JSON.stringify(options);
        if (select.known !== known) {
            select.known = known;
            select.replaceChildren(...options.map((name) => element("option", {value: name, textContent: name})));
        }
        if (may_change(id)) select.value = value;
        select.disabled = live.read_only;
    }
    // The error of a model goes when another one is chosen, although the program repeats it for a while.
    const dismissed = {};
    function show_model(id, model) {
        show_select(id, model.loading || model.name, model.known);
        if (model.error !== dismissed[id]) delete dismissed[id];
        const error = id in dismissed ? "" : model.error;
        const text = error || (model.loading ? `loading ${model.loading}: ${percent(model.progress)}` : "");
        $(id + "-loading").hidden = !text;
        if ($(id + "-loading").textContent !== text) $(id + "-loading").textContent = text;
    }
    function show_times() {
        const {state} = live;
        const mib = (bytes) => (bytes / 1048576).toFixed(0) + " MiB";
        const rows = [["frames", `${state.frames}, ${state.dropped} dropped`], ["device", state.device],
                      ["memory", `device ${mib(state.memory.device)}, host ${mib(state.memory.host)}`],
                      ...state.stages.map(([name, ms]) => [name, ms.toFixed(2) + " ms"])];
        fill($("times"), rows, () => element("div", {}, element("dt"), element("dd")), (row, [name, text]) => {
            row.children[0].textContent = name;
            row.children[1].textContent = text;
        });
    }

    let times = [], age = null;  // arrivals of the last pictures; age of the last one in milliseconds
    function note_picture(captured) {
        const now = performance.now();
        age = link.since(captured);
        times = times.filter((time) => now - time < 2000);
        times.push(now);
    }
    function show_rates() {
        const {state, frame, paused} = live;
        if (!state || !frame) return;
        // A picture that is frozen or stands for a second or more has neither rate nor age.
        const {still, live: of_camera, rate} = state.player ?? {};
        $("rates").hidden = Boolean(still || state.frozen) || (of_camera === false && rate > 0 && rate <= 1);
        if ($("rates").hidden) return;
        const span = times.length > 1 ? times.at(-1) - times[0] : 0;
        const shown = span > 0 ? (1000 * (times.length - 1) / span).toFixed(1) : "0";
        const has_age = age !== null && !paused && state.kind === "live" && state.player?.live !== false;
        $("rates").textContent = `${state.rate.toFixed(1)} frames/s, ${shown} here` +
            (has_age ? `, ${Math.max(age, 0).toFixed(0)} ms old` : "");
    }
    setInterval(show_rates, 500);

    const viewer_text = ({number, looks}) => `viewer ${number}${looks ? " (explores attention)" : ""}`;
    function show_people() {
        const others = live.viewers.filter((one) => one.number !== live.you);
        $("people").textContent = `You are viewer ${live.you}. ` +
            (others.length === 0 ? "There are no other viewers."
                : `Others: ${others.map(viewer_text).join(", ")}.`) +
            (live.read_only ? " Viewers cannot change anything." : "") +
            (live.state?.waiting?.includes(live.you) ? " Your change waits until the loop has time for it." : "");
    }
    function show_progress() {
        const {progress, rate, found: tallies} = live.state;
        $("progress-part").hidden = !progress;
        if (!progress) return;
        const {done, left, source, seconds} = progress;
        $("progress").max = Math.max(done + left, 1);
        $("progress").value = done;
        $("progress-now").textContent = `${done} of ${done + left} frames, ${rate.toFixed(1)} frames/s` +
            (seconds > 0 ? `, about ${Math.ceil(seconds)} s left` : "") + `. ${source}`;
        fill($("tallies"), tallies, () => element("li"), (item, [label, count]) => {
            item.textContent = `${label}: ${count}`;
        });
    }
    function trouble(text) {
        $("trouble").hidden = !text;
        if ($("trouble").textContent !== text) $("trouble").textContent = text || "";
    }
    function show_shared() {
        const {state, read_only} = live;
        $("source-part").hidden = state.sources.length < 2;
        show_select("source", state.source, state.sources);
        for (const id of ["detector", "classifier", "captioner"]) show_model(id, state[id]);
        if (may_change("threshold")) $("threshold").value = state.threshold;
        $("threshold").disabled = read_only;
        $("threshold-now").textContent = Number($("threshold").value).toFixed(2);
        const stride = String(state.strides.detector);
        if (may_change("stride") && [...$("stride").options].some((one) => one.value === stride))
            $("stride").value = stride;
        $("stride").disabled = read_only;
        regions.show();
        words.show();
    }
    function show_frozen() {
        const frozen = live.state.frozen || live.paused;
        $("freeze").setAttribute("aria-pressed", String(frozen));
        $("freeze").textContent = frozen ? "Go on" : "Freeze";
        // A viewer who did not freeze the picture learns why it stands still.
        const other = live.state.frozen && live.frozen_by !== live.you;
        $("frozen-note").hidden = !other;
        $("unfreeze").hidden = live.read_only;
        $("frozen-who").textContent = live.frozen_by > 0 ? `The picture is frozen by viewer ${live.frozen_by}.`
            : "The picture is frozen.";
    }
    // The file is that of the picture on the page, which may be older than the shared state.
    function show_about() {
        const {state, frame} = live;
        const file = (frame?.found?.name ?? "").split("/").pop();
        const about = [...new Set([file, state?.source, state?.device].filter(Boolean))].join(" · ");
        if ($("about").textContent !== about) $("about").textContent = about;
        $("to-wall").hidden = !state?.name;
    }
    // Shows a new shared state.
    function show(before) {
        const {state} = live;
        const is_live = state.kind === "live";
        for (const id of ["attention-part", "shown-part", "tracks-part", "shared-part", "buttons"])
            $(id).hidden = !is_live;
        show_about();
        show_times();
        show_progress();
        show_rates();
        show_people();
        trouble(state.source_state);
        if (!is_live) return;
        show_shared();
        show_frozen();
        player.show();
        if (before && before.frozen !== state.frozen) page.say(state.frozen ? "frozen" : "goes on");
    }

    for (const id of ["source", "detector", "classifier", "captioner"])
        $(id).addEventListener("input", () => {
            touch(id);
            if (live.state?.[id].error) dismissed[id] = live.state[id].error;
            link.send({set: {[id]: $(id).value}});
            if (id === "source") found.clear();
        });
    $("threshold").addEventListener("input", () => {
        touch("threshold");
        $("threshold-now").textContent = Number($("threshold").value).toFixed(2);
        link.send({set: {threshold: Number($("threshold").value)}});
    });
    $("stride").addEventListener("input", () => {
        touch("stride");
        const stride = Number($("stride").value);
        link.send({set: {detector_stride: stride, classifier_stride: stride}});
    });

    return {show, show_about, show_frozen, note_picture, trouble, age: () => age};
})();
