// The page of `saccade live --serve` and `saccade batch --serve`. One WebSocket brings pictures with
// what was found in them; the next one comes when this page has taken the last. See picture_message.h
// and viewer_message.h for what is said.
(() => {
    const {$, element, percent} = page;
    const view = $("view"), picture = $("picture"), heat = $("heat");

    let socket = null;
    let state = null, you = 0, viewers = [], read_only = false;
    let frame = null;          // the last one: {number, line, found, map}
    let paused = false;        // a viewer who may only look freezes his own picture
    let waiting_for_us = null; // the number of a picture that we have not taken while paused

    function say(text) { $("summary").textContent = text; }
    function send(message) {
        if (socket && socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
    }

    // ---- what we look at ----------------------------------------------------------------------------

    const modes = ["off", "rollout", "mean", "max", "head", "grid"];
    const attention = {mode: "off", layer: null, head: 0};
    // A word while the pointer is on it; else the query of the detection that was clicked; else the
    // point under the pointer, or where it was held.
    const pointing = {word: null, query: null, point: null, held: false};

    let look_sent = "", look_timer = 0, look_time = 0;
    function wanted_look() {
        const points = pointing.word !== null || pointing.query !== null || pointing.point;
        if (attention.mode === "off" || !(points || $("overview").checked)) return null;
        const look = {mode: attention.mode, head: attention.head, ask: $("ask").value};
        if (attention.layer !== null) look.layer = attention.layer;
        if (pointing.word !== null) look.word = pointing.word;
        else if (pointing.query !== null) look.query = pointing.query;
        else if (pointing.point) look.point = pointing.point;
        return look;
    }
    // A pointer moves faster than anybody can look.
    function tell_look() {
        clearTimeout(look_timer);
        const rest = look_time + 40 - performance.now();
        if (rest > 0) {
            look_timer = setTimeout(tell_look, rest);
            return;
        }
        const look = JSON.stringify(wanted_look());
        if (look === look_sent) return;
        look_sent = look;
        look_time = performance.now();
        send({look: JSON.parse(look)});
        if (look === "null") draw_overlay();
    }
    function point_at(point) {
        if (pointing.held) return;
        pointing.point = point;
        tell_look();
    }
    function choose_query(query) {
        pointing.query = pointing.query === query ? null : query;
        if (pointing.query !== null && attention.mode === "off") set_mode("mean");
        tell_look();
        draw_found();
    }
    function let_go() {
        pointing.query = null;
        pointing.held = false;
        tell_look();
        draw_found();
    }
    function set_mode(mode) {
        attention.mode = mode;
        $("mode").value = mode;
        show_choice();
        tell_look();
        say(`Attention: ${mode}`);
    }
    function set_layer(layer) {
        const layers = choices?.layers ?? 1;
        attention.layer = Math.min(Math.max(layer, 0), layers - 1);
        show_choice();
        tell_look();
    }
    function set_head(head) {
        if (choices && head >= choices.heads) return;
        attention.head = head;
        if (attention.mode !== "head") set_mode("head");
        show_choice();
        tell_look();
    }
    let choices = null;  // layers and heads of the last map
    function show_choice() {
        if (frame?.map) choices = frame.map;
        const map = choices, off = attention.mode === "off";
        const layer = $("layer"), head = $("head");
        layer.disabled = off || !map || map.layers < 2 || attention.mode === "rollout";
        head.disabled = attention.mode !== "head" || !map || map.heads < 2;
        if (map) {
            layer.max = map.layers - 1;
            layer.value = attention.layer ?? map.layer;
            head.max = map.heads - 1;
            head.value = Math.min(attention.head, map.heads - 1);
        }
        $("layer-now").textContent = attention.mode === "rollout" ? "all" : map ? layer.value : "";
        $("head-now").textContent = attention.mode === "head" && map ? head.value : "";
        for (const id of ["opacity", "mass"]) $(id + "-now").textContent = $(id).value + " %";
    }

    // ---- drawing ------------------------------------------------------------------------------------

    // The levels of one map as parts of the attention.
    function cells_of(map, index) {
        const count = map.grid.width * map.grid.height;
        const scale = map.largest[index] / 255;
        return Float32Array.from(map.levels.subarray(index * count, (index + 1) * count),
                                 (level) => scale * level);
    }
    // Several maps lie side by side, each on a small copy of the picture.
    function tiles_of(count) {
        const columns = Math.ceil(Math.sqrt(count)), rows = Math.ceil(count / columns);
        const part = 1 / Math.max(columns, rows);
        return {columns, part};
    }
    // The part of the largest cell from which on cells hold so much of the attention together.
    function threshold_for(cells, mass) {
        if (mass >= 1) return 0;
        const sorted = Float32Array.from(cells).sort().reverse();
        const all = sorted.reduce((a, b) => a + b, 0);
        let sum = 0;
        for (const cell of sorted) if ((sum += cell) >= mass * all) return cell / sorted[0];
        return 0;
    }
    function map_settings(cells) {
        return {opacity: $("opacity").value / 100, threshold: threshold_for(cells, $("mass").value / 100),
                smooth: $("smooth").checked};
    }
    function draw_one(context, map, index, scale) {
        const cells = cells_of(map, index);
        page.draw_map(context, cells, map, scale, map_settings(cells));
    }
    function draw_overlay() {
        const context = heat.getContext("2d");
        context.clearRect(0, 0, heat.width, heat.height);
        const map = wanted_look() ? frame?.map : null;
        picture.style.filter = map ? `brightness(${1 - 0.004 * $("opacity").value})` : "";
        if (!map) return;
        const scale = {x: heat.width / frame.line.width, y: heat.height / frame.line.height};
        if (map.count > 1) {
            draw_tiles(context, map, scale);
            return;
        }
        draw_one(context, map, 0, scale);
        if (map.patch) page.draw_cell(context, map, scale, map.patch);
    }
    function draw_tiles(context, map, scale) {
        const {columns, part} = tiles_of(map.count);
        context.fillStyle = "#000";
        context.fillRect(0, 0, heat.width, heat.height);
        for (let i = 0; i < map.count; ++i) {
            const x = (i % columns) * part * heat.width, y = Math.floor(i / columns) * part * heat.height;
            context.save();
            context.beginPath();
            context.rect(x, y, part * heat.width, part * heat.height);
            context.clip();
            context.filter = "brightness(0.6)";
            context.drawImage(picture, x, y, part * heat.width, part * heat.height);
            context.filter = "none";
            context.translate(x, y);
            draw_one(context, map, i, {x: part * scale.x, y: part * scale.y});
            context.fillStyle = "#fff";
            context.font = `${Math.round(heat.width / 40)}px sans-serif`;
            context.fillText(String(i), 6, heat.width / 36);
            context.restore();
        }
    }

    // As many children as there are things to show, kept from frame to frame, so that what has the
    // focus or is being pressed stays.
    function fill(parent, things, make, update) {
        while (parent.children.length > things.length) parent.lastChild.remove();
        while (parent.children.length < things.length) parent.append(make(parent.children.length));
        things.forEach((thing, i) => update(parent.children[i], thing, i));
    }
    function detections() {
        const line = frame?.line;
        return (line?.detections ?? [])
            .map((found, i) => ({...found, colour: frame.found?.colours[i], query: frame.found?.queries[i]}))
            .filter((found) => !hidden.has(found.label))
            .map((found) => found.track === undefined ? found : {...found, label: `${found.label} ${found.track}`});
    }
    // What is really there, if the source knows.
    function truth() {
        if (!$("show-truth").checked) return [];
        return (frame?.line.truth?.objects ?? []).map((one) => ({...one, colour: "#ffffff", really: true}));
    }
    const hidden = new Set(), met = new Set();  // labels that this viewer does not want; all so far
    function meet(line) {
        for (const {label} of line.detections ?? []) {
            if (met.has(label) || met.size > 400) continue;
            met.add(label);
            const box = element("input", {type: "checkbox", checked: true});
            box.addEventListener("input", () => {
                if (box.checked) hidden.delete(label);
                else hidden.add(label);
                draw_found();
            });
            $("only").append(element("label", {}, box, label));
        }
    }
    function draw_boxes(all) {
        const shown = $("show-boxes").checked && !state?.annotated && !(frame?.map?.count > 1) ? [...truth(), ...all] : [];
        fill($("boxes"), shown, () => page.box_of({box: [0, 0, 0, 0], label: "", colour: ""}, {width: 1, height: 1}).box,
            (box, found) => {
                const {box: fresh} = page.box_of(found, frame.line);
                box.style.cssText = fresh.style.cssText;
                box.classList.toggle("chosen", !found.really && found.query === pointing.query);
                box.classList.toggle("true", Boolean(found.really));
                box.firstChild.style.background = found.colour;
                const text = found.really ? found.label : `${found.label} ${percent(found.score)}`;
                if (box.firstChild.textContent !== text) box.firstChild.textContent = text;
            });
    }
    function draw_detections(all) {
        $("detections-part").hidden = !frame?.line.detections;
        fill($("detections"), all, () => {
            const button = element("button", {type: "button"});
            button.addEventListener("click", () => choose_query(button.query));
            return element("li", {}, button);
        }, (item, found) => {
            const button = item.firstChild;
            button.query = found.query;
            button.setAttribute("aria-pressed", String(found.query === pointing.query));
            const text = `${found.label}${percent(found.score)}${found.colour}`;
            if (button.shows === text) return;
            button.shows = text;
            button.replaceChildren(...page.name_of_box(found));
        });
    }
    function draw_caption() {
        const caption = frame?.line.caption ?? frame?.line.answer;
        const words = caption?.words ?? [];
        $("caption-part").hidden = !caption || !$("show-caption").checked;
        $("caption-title").textContent = frame?.line.answer ? "Answer" : "Caption";
        $("said").hidden = !caption?.text || !$("show-caption").checked || state?.annotated;
        $("said").textContent = caption?.text ?? "";
        fill($("caption"), words, (i) => {
            const button = element("button", {type: "button"});
            const on = () => look_at_word(i), off = () => look_at_word(null);
            button.addEventListener("pointerenter", on);
            button.addEventListener("pointerleave", off);
            button.addEventListener("focus", on);
            button.addEventListener("blur", off);
            return button;
        }, (button, word, i) => {
            button.classList.toggle("lit", pointing.word === i);
            const text = word.text + percent(word.p);
            if (button.shows === text) return;
            button.shows = text;
            button.replaceChildren(word.text, element("small", {textContent: percent(word.p)}));
        });
    }
    function look_at_word(word) {
        pointing.word = word;
        if (word !== null && attention.mode === "off") set_mode("mean");
        tell_look();
    }
    function draw_classes() {
        const classes = frame?.line.classes ?? [];
        $("classes-part").hidden = classes.length === 0 || !$("show-classes").checked;
        fill($("classes"), classes, () => page.class_row("", 0), (row, one) => {
            const [name, meter, p] = row.children;
            if (name.textContent !== one.label) {
                name.textContent = one.label;
                meter.ariaLabel = one.label;
            }
            meter.value = one.score;
            p.textContent = percent(one.score);
        });
    }
    function draw_found() {
        const all = detections();
        draw_boxes(all);
        draw_detections(all);
        draw_caption();
        draw_classes();
        announce(all);
    }
    // Screen readers hear what was found when it changes, and not all the time.
    let announced = "", announced_at = 0;
    function announce(all) {
        const text = all.map((found) => found.label).sort().join(", ");
        if (text === announced || performance.now() - announced_at < 4000) return;
        announced = text;
        announced_at = performance.now();
        say(text ? `${all.length} found: ${text}` : "nothing found");
    }

    function say_look() {
        const map = frame?.map;
        if (!map || !wanted_look()) {
            $("now").textContent = attention.mode === "off"
                ? "Attention is off: press A, or choose maps."
                : "Point at the picture: what does the patch under the pointer look at?";
            return;
        }
        const cells = cells_of(map, 0);
        let best = 0;
        for (let i = 0; i < cells.length; ++i) if (cells[i] > cells[best]) best = i;
        const row = Math.floor(best / map.grid.width) + 1, column = best % map.grid.width + 1;
        const word = (frame.line.caption ?? frame.line.answer)?.words[pointing.word]?.text;
        const who = map.patch ? `Patch in row ${map.patch.row + 1}, column ${map.patch.column + 1}`
            : map.who === "word" ? `Word “${word ?? ""}”`
            : map.who === "query" ? "The detection’s query" : "Class token";
        const how = {rollout: "through all layers", mean: "mean of its heads", max: "greatest of its heads",
                     head: `head ${Math.min(attention.head, map.heads - 1)}`, grid: "all heads"}[attention.mode];
        const layer = attention.mode === "rollout" ? "" : `layer ${map.layer} of ${map.layers}, `;
        $("now").textContent = `${who}: ${layer}${how}.` +
            (map.count > 1 ? "" : ` Looks most at row ${row}, column ${column} (${percent(cells[best])}).`);
    }

    // ---- pictures -----------------------------------------------------------------------------------

    // Our clock and the server's: the fastest answer of late says most.
    let clocks = [], clock_offset = null;
    function take_clock({clock, now}) {
        const here = performance.now();
        clocks.push({trip: here - clock, offset: now - (here + clock) / 2});
        clocks = clocks.slice(-8);
        clock_offset = clocks.reduce((a, b) => a.trip <= b.trip ? a : b).offset;
    }
    setInterval(() => send({clock: performance.now()}), 2000);

    let times = [], age = null;
    function note_time() {
        const now = performance.now();
        if (clock_offset !== null) age = now + clock_offset - frame.captured;
        times = times.filter((time) => now - time < 2000);
        times.push(now);
    }
    let received = 0;
    async function take_picture(buffer) {
        const turn = ++received;
        const length = new DataView(buffer).getUint32(0, true);
        const json = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
        const bitmap = await createImageBitmap(
            new Blob([new Uint8Array(buffer, 4 + length, json.jpeg)], {type: "image/jpeg"}));
        if (turn !== received || !socket) return;  // the connection is another one
        if (json.map) json.map.levels = new Uint8Array(buffer, 4 + length + json.jpeg);
        frame = json;
        meet(frame.line);
        $("truth-part").hidden = !frame.line.truth;
        for (const canvas of [picture, heat])
            if (canvas.width !== bitmap.width || canvas.height !== bitmap.height) {
                canvas.width = bitmap.width;
                canvas.height = bitmap.height;
                view.style.setProperty("--aspect", bitmap.width / bitmap.height);
            }
        picture.getContext("2d").drawImage(bitmap, 0, 0);
        bitmap.close();
        note_time();
        draw_overlay();
        draw_found();
        show_choice();
        say_look();
        // The next one when this one is on the screen; not while nobody sees the page.
        requestAnimationFrame(() => {
            if (paused) waiting_for_us = json.number;
            else send({taken: json.number});
        });
    }

    // ---- how things are -----------------------------------------------------------------------------

    // What somebody holds in his hand is not taken from it.
    let touched = {};
    function may_change(id) { return !(performance.now() - (touched[id] ?? -Infinity) < 1500); }

    function show_select(id, value, options) {
        const select = $(id), known = JSON.stringify(options);
        if (select.known !== known) {
            select.known = known;
            select.replaceChildren(...options.map((name) => element("option", {value: name, textContent: name})));
        }
        if (may_change(id)) select.value = value;
        select.disabled = read_only;
    }
    function show_model(id, model) {
        show_select(id, model.loading || model.name, model.known);
        const text = model.error || (model.loading ? `loading ${model.loading}: ${percent(model.progress)}` : "");
        $(id + "-loading").hidden = !text;
        if ($(id + "-loading").textContent !== text) $(id + "-loading").textContent = text;
    }
    function show_times() {
        const mib = (bytes) => (bytes / 1048576).toFixed(0) + " MiB";
        const rows = [["frames", `${state.frames}, ${state.dropped} dropped`], ["device", state.device],
                      ["memory", `device ${mib(state.memory.device)}, host ${mib(state.memory.host)}`],
                      ...state.stages.map(([name, ms]) => [name, ms.toFixed(2) + " ms"])];
        fill($("times"), rows, () => element("div", {}, element("dt"), element("dd")), (row, [name, text]) => {
            row.children[0].textContent = name;
            row.children[1].textContent = text;
        });
    }
    function show_rates() {
        if (!state || !frame) return;
        const span = times.length > 1 ? times.at(-1) - times[0] : 0;
        const shown = span > 0 ? (1000 * (times.length - 1) / span).toFixed(1) : "0";
        $("rates").textContent = `${state.rate.toFixed(1)} frames/s, ${shown} here` +
            (age === null || state.frozen || paused || state.kind !== "live" ? "" : `, ${Math.max(age, 0).toFixed(0)} ms old`);
    }
    function show_people() {
        const others = viewers.filter((one) => one.number !== you);
        $("people").textContent = `You are viewer ${you}. ` +
            (others.length === 0 ? "Nobody else is here."
                : `Also here: ${others.map((one) => `viewer ${one.number}${one.looks ? " (looks at attention)" : ""}`).join(", ")}.`) +
            (read_only ? " Viewers can only look." : "");
    }
    function show_progress() {
        $("progress-part").hidden = !state.progress;
        if (!state.progress) return;
        const {done, left, source, seconds} = state.progress;
        $("progress").max = Math.max(done + left, 1);
        $("progress").value = done;
        $("progress-now").textContent = `${done} of ${done + left} frames, ${state.rate.toFixed(1)} frames/s` +
            (seconds > 0 ? `, about ${Math.ceil(seconds)} s left` : "") + `. ${source}`;
        fill($("tallies"), state.found, () => element("li"), (item, [label, count]) => {
            item.textContent = `${label}: ${count}`;
        });
    }
    function show_state(message) {
        const before = state;
        ({state, you, viewers, read_only} = message);
        if (!state) return;
        const live = state.kind === "live";
        if (!before && live && state.start && attention.mode === "off") begin_as(state.start);
        for (const id of ["attention-part", "shown-part", "shared-part", "buttons"]) $(id).hidden = !live;
        $("about").textContent = [state.source, state.device].filter(Boolean).join(" · ");
        show_times();
        show_progress();
        show_rates();
        show_people();
        trouble(state.source_state);
        if (!live) return;
        $("source-part").hidden = state.sources.length < 2;
        show_select("source", state.source, state.sources);
        for (const id of ["detector", "classifier", "captioner"]) show_model(id, state[id]);
        if (may_change("threshold")) $("threshold").value = state.threshold;
        $("threshold").disabled = read_only;
        $("threshold-now").textContent = Number($("threshold").value).toFixed(2);
        const stride = String(state.strides.detector);
        if (may_change("stride") && [...$("stride").options].some((one) => one.value === stride)) $("stride").value = stride;
        $("stride").disabled = read_only;
        show_frozen();
        if (before && before.frozen !== state.frozen) say(state.frozen ? "frozen" : "goes on");
    }
    function begin_as({mode, layer, head}) {
        if (modes.includes(mode)) attention.mode = $("mode").value = mode;
        attention.layer = layer;
        attention.head = head;
        tell_look();
    }
    function show_frozen() {
        const frozen = state.frozen || paused;
        $("freeze").setAttribute("aria-pressed", String(frozen));
        $("freeze").textContent = frozen ? "Go on" : "Freeze";
    }
    function trouble(text) {
        $("trouble").hidden = !text;
        if ($("trouble").textContent !== text) $("trouble").textContent = text || "";
    }

    // ---- the connection -----------------------------------------------------------------------------

    let patience = 250;  // milliseconds until we try again
    function connect() {
        const address = new URL("/watch", location.href);
        address.protocol = address.protocol.replace("http", "ws");
        socket = new WebSocket(address, "saccade");
        socket.binaryType = "arraybuffer";
        socket.addEventListener("open", () => {
            patience = 250;
            look_sent = "";
            clocks = [];
            clock_offset = null;
            waiting_for_us = null;
            trouble("");
            send({clock: performance.now()});
            tell_look();
        });
        socket.addEventListener("message", ({data}) => {
            if (data instanceof ArrayBuffer) {
                take_picture(data);
                return;
            }
            const message = JSON.parse(data);
            if ("clock" in message) take_clock(message);
            else show_state(message);
        });
        socket.addEventListener("close", lost);
    }
    async function lost() {
        socket = null;
        ++received;
        $("about").textContent = "not connected";
        trouble("The connection is lost; trying again.");
        const answer = await fetch("/healthz").catch(() => null);
        const allowed = answer && await fetch("/", {method: "HEAD"}).catch(() => null);
        if (allowed?.status === 401) trouble("It was started again with another token: open the address that saccade has printed.");
        setTimeout(connect, patience);
        patience = Math.min(2 * patience, 5000);
    }

    // ---- pointer, keys, controls ----------------------------------------------------------------------

    // The pixel of the frame under a pointer.
    function point_of(event) {
        if (!frame) return null;
        const area = picture.getBoundingClientRect();
        let x = (event.clientX - area.left) / area.width, y = (event.clientY - area.top) / area.height;
        if (!(x >= 0 && x < 1 && y >= 0 && y < 1)) return null;
        if (attention.mode === "grid" && frame.map?.count > 1) {
            const {part} = tiles_of(frame.map.count);
            x = (x % part) / part;
            y = (y % part) / part;
        }
        return [Math.floor(x * frame.line.width), Math.floor(y * frame.line.height)];
    }
    // The smallest box around a point, which the others cannot be clicked through.
    function query_at([x, y]) {
        const size = ({box}) => (box[2] - box[0]) * (box[3] - box[1]);
        const around = detections().filter(({box}) => x >= box[0] && x < box[2] && y >= box[1] && y < box[3]);
        if (around.length === 0 || !$("show-boxes").checked) return null;
        return around.reduce((a, b) => size(a) <= size(b) ? a : b).query;
    }
    view.addEventListener("pointermove", (event) => {
        if (event.pointerType !== "touch" || event.buttons) point_at(point_of(event));
    });
    view.addEventListener("pointerleave", (event) => {
        if (event.pointerType !== "touch") point_at(null);
    });
    view.addEventListener("click", (event) => {
        const point = point_of(event);
        if (!point || state?.kind !== "live") return;
        const query = query_at(point);
        if (query !== null && query !== undefined) {
            choose_query(query);
            return;
        }
        const again = pointing.held;
        pointing.query = null;
        pointing.held = false;
        if (attention.mode === "off") set_mode("mean");
        point_at(point);
        pointing.held = !again;
        draw_found();
    });
    function step(rows, columns) {
        if (!frame) return;
        const cell = frame.map?.geometry ?? {cell_width: frame.line.width / 16, cell_height: frame.line.height / 16};
        const [x, y] = pointing.point ?? [frame.line.width / 2, frame.line.height / 2];
        const within = (v, end) => Math.round(Math.min(Math.max(v, 0), end - 1));
        pointing.query = null;
        if (attention.mode === "off") set_mode("mean");
        pointing.held = true;
        pointing.point = [within(x + columns * cell.cell_width, frame.line.width),
                          within(y + rows * cell.cell_height, frame.line.height)];
        tell_look();
    }
    function toggle(id) {
        $(id).checked = !$(id).checked;
        draw_found();
    }
    function freeze() {
        if (state?.kind !== "live") return;
        if (!read_only) {
            state.frozen = !state.frozen;
            send({set: {frozen: state.frozen}});
        } else {
            paused = !paused;
            if (!paused && waiting_for_us !== null) send({taken: waiting_for_us});
        }
        show_frozen();
        say(state.frozen || paused ? "frozen" : "goes on");
    }
    function full_screen() {
        if (document.fullscreenElement) document.exitFullscreen();
        else view.requestFullscreen?.();
    }

    // The picture as it is shown, with boxes and caption.
    function screenshot() {
        if (!frame) return;
        const canvas = element("canvas", {width: picture.width, height: picture.height});
        const context = canvas.getContext("2d");
        context.filter = picture.style.filter || "none";
        context.drawImage(picture, 0, 0);
        context.filter = "none";
        context.drawImage(heat, 0, 0);
        const size = Math.max(canvas.width / 60, 12);
        context.font = `${size}px sans-serif`;
        context.lineWidth = Math.max(canvas.width / 400, 2);
        if ($("boxes").children.length > 0)
            for (const {box: [left, top, right, bottom], label, score, colour} of detections()) {
                const text = `${label} ${percent(score)}`;
                context.strokeStyle = context.fillStyle = colour;
                context.strokeRect(left, top, right - left, bottom - top);
                context.fillRect(left, top, context.measureText(text).width + size / 2, 1.3 * size);
                context.fillStyle = "#101012";
                context.fillText(text, left + size / 4, top + size);
            }
        if (!$("said").hidden) {
            const width = context.measureText($("said").textContent).width;
            context.fillStyle = "rgb(0 0 0 / 65%)";
            context.fillRect((canvas.width - width - size) / 2, canvas.height - 2.2 * size, width + size, 1.6 * size);
            context.fillStyle = "#fff";
            context.fillText($("said").textContent, (canvas.width - width) / 2, canvas.height - size);
        }
        canvas.toBlob((blob) => {
            const link = element("a", {href: URL.createObjectURL(blob), download: `saccade-${frame.line.frame}.png`});
            link.click();
            setTimeout(() => URL.revokeObjectURL(link.href), 1000);
            say("screenshot saved");
        });
    }

    const keys = {
        " ": freeze,
        a: () => set_mode(modes[(modes.indexOf(attention.mode) + 1) % modes.length]),
        "[": () => set_layer(Number($("layer").value) - 1),
        "]": () => set_layer(Number($("layer").value) + 1),
        d: () => toggle("show-boxes"),
        c: () => toggle("show-caption"),
        l: () => toggle("show-classes"),
        m: () => {
            $("ask").value = $("ask").value === "detector" ? "classifier" : "detector";
            tell_look();
            say(`asks the ${$("ask").value}`);
        },
        o: () => {
            $("overview").checked = !$("overview").checked;
            tell_look();
        },
        t: () => toggle("show-truth"),
        s: screenshot,
        f: full_screen,
        Escape: let_go,
    };
    const arrows = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0]};
    document.addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.altKey || event.metaKey) return;
        const on_control = event.target.closest("input, select, button, summary");
        if (event.target === view && arrows[event.key]) {
            event.preventDefault();
            step(...arrows[event.key]);
            return;
        }
        if (on_control && (event.key === " " || on_control.matches("input, select"))) return;
        const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
        const press = /^[0-9]$/.test(key) ? () => set_head(Number(key)) : keys[key];
        if (!press) return;
        event.preventDefault();
        press();
    });

    for (const id of ["ask", "overview"]) $(id).addEventListener("input", tell_look);
    $("freeze").addEventListener("click", freeze);
    $("screenshot").addEventListener("click", screenshot);
    $("full-screen").addEventListener("click", full_screen);
    $("mode").addEventListener("input", () => set_mode($("mode").value));
    $("layer").addEventListener("input", () => set_layer(Number($("layer").value)));
    $("head").addEventListener("input", () => set_head(Number($("head").value)));
    for (const id of ["opacity", "mass", "smooth"])
        $(id).addEventListener("input", () => {
            show_choice();
            draw_overlay();
        });
    for (const id of ["show-boxes", "show-caption", "show-classes", "show-truth"]) $(id).addEventListener("input", draw_found);
    for (const id of ["source", "detector", "classifier", "captioner"])
        $(id).addEventListener("input", () => {
            touched[id] = performance.now();
            send({set: {[id]: $(id).value}});
        });
    $("threshold").addEventListener("input", () => {
        touched.threshold = performance.now();
        $("threshold-now").textContent = Number($("threshold").value).toFixed(2);
        send({set: {threshold: Number($("threshold").value)}});
    });
    $("stride").addEventListener("input", () => {
        touched.stride = performance.now();
        const stride = Number($("stride").value);
        send({set: {detector_stride: stride, classifier_stride: stride}});
    });
    setInterval(show_rates, 500);

    // For scripts: what is shown, as numbers.
    window.saccade = {
        number: () => frame?.number ?? 0,
        line: () => frame?.line ?? null,
        map: () => wanted_look() && frame?.map ? {...frame.map, cells: Array.from(cells_of(frame.map, 0)), levels: undefined} : null,
        state: () => state,
        you: () => you,
        viewers: () => viewers,
        age: () => age,
        connected: () => socket?.readyState === WebSocket.OPEN,
    };
    connect();
    say_look();
})();
