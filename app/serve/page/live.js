// The page of `saccade live --serve` and `saccade batch --serve`: takes pictures, and dispatches pointer and
// key events.
(() => {
    const {$} = page;
    const view = $("view"), picture = $("picture");

    // ---- pictures -----------------------------------------------------------------------------------

    let received = 0;
    let unacknowledged = null;  // the number of the picture that was shown last while paused
    async function take_picture(buffer) {
        const turn = ++received;
        const length = new DataView(buffer).getUint32(0, true);
        const json = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
        const bitmap = await createImageBitmap(
            new Blob([new Uint8Array(buffer, 4 + length, json.jpeg)], {type: "image/jpeg"}));
        if (turn !== received) return;  // the connection was replaced in the meantime
        if (json.map) json.map.levels = new Uint8Array(buffer, 4 + length + json.jpeg);
        live.frame = json;
        drawing.show(bitmap);
        bitmap.close();
        panels.note_picture(json.captured);
        panels.show_about();
        drawing.draw();
        marks.take(json.line, json.found?.colours);
        found.take(json.line);
        looking.show_choice();
        looking.say();
        if (!player.waits() && (json.map || !looking.wanted())) drawing.end_work();
        // Asks for the next picture when this one is on screen. A hidden page gets no animation frames.
        requestAnimationFrame(() => {
            if (live.paused) unacknowledged = json.number;
            else link.send({taken: json.number});
        });
    }
    link.on.picture = take_picture;
    link.on.opened = () => {
        unacknowledged = null;
        panels.trouble("");
        looking.tell_again();
    };
    link.on.news = (message) => {
        const before = live.state;
        Object.assign(live, message);
        if (!live.state) return;
        regions.keep_mine();
        switches.show(live.state.switches);
        if (!before && live.state.start) looking.begin_as(live.state.start);
        if (live.state.richest) looking.ask_first(live.state.richest);
        panels.show(before);
        lecture_button.show();
        head_table.show();
    };
    link.on.lost = (why) => {
        ++received;
        $("about").textContent = "not connected";
        panels.trouble(why);
    };
    switches.on.changed = () => {
        looking.tell();
        drawing.draw();
        found.draw();
        marks.draw();
    };
    looking.on.changed = () => {
        found.draw();
        words.show();
    };

    // ---- pointer and keys -----------------------------------------------------------------------------

    // The pixel of the frame under a pointer.
    function point_of(event) {
        const {frame} = live;
        if (!frame) return null;
        const area = picture.getBoundingClientRect();
        let x = (event.clientX - area.left) / area.width, y = (event.clientY - area.top) / area.height;
        if (!(x >= 0 && x < 1 && y >= 0 && y < 1)) return null;
        if (drawing.is_tiled()) {
            const {part} = drawing.tiles_of(frame.map.count);
            x = (x % part) / part;
            y = (y % part) / part;
        }
        return [Math.floor(x * frame.line.width), Math.floor(y * frame.line.height)];
    }
    let drawn = false;  // the click that follows belongs to the line or zone that was drawn
    view.addEventListener("pointerdown", (event) => {
        if (!regions.down(point_of(event))) return;
        view.setPointerCapture(event.pointerId);
        event.preventDefault();
    });
    view.addEventListener("pointermove", (event) => {
        const point = point_of(event);
        if (regions.move(point)) return;
        if (event.pointerType !== "touch") found.point_at(point, event);
        if (event.pointerType !== "touch" || event.buttons) looking.point_at(point);
    });
    view.addEventListener("pointerup", (event) => {
        drawn = regions.up(point_of(event));
    });
    view.addEventListener("pointerleave", (event) => {
        found.point_at(null, event);
        if (event.pointerType !== "touch") looking.point_at(null);
    });
    view.addEventListener("click", (event) => {
        const point = point_of(event);
        if (drawn || !point || live.state?.kind !== "live") return;
        const one = found.at(point);
        if (one && one.query !== undefined) looking.choose({query: one.query, track: one.track});
        else looking.hold_at(point);
    });

    function freeze() {
        const {state} = live;
        if (state?.kind !== "live") return;
        if (!live.read_only) {
            state.frozen = !state.frozen;
            live.frozen_by = state.frozen ? live.you : 0;
            link.send({set: {frozen: state.frozen}});
        } else {
            live.paused = !live.paused;  // a read-only viewer stops only its own picture
            if (!live.paused && unacknowledged !== null) link.send({taken: unacknowledged});
        }
        panels.show_frozen();
        page.say(state.frozen || live.paused ? "frozen" : "goes on");
    }
    function full_screen() {
        if (document.fullscreenElement) document.exitFullscreen();
        else view.requestFullscreen?.();
    }
    for (const id of ["freeze", "unfreeze"]) $(id).addEventListener("click", freeze);
    $("full-screen").addEventListener("click", full_screen);

    const keys = {...looking.keys, ...player.keys, ...head_table.keys, " ": freeze, s: drawing.screenshot, f: full_screen,
                  t: lecture_button.ask};
    const arrows = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0]};
    document.addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.altKey || event.metaKey) return;
        const control = event.target.closest("input, select, button, summary, textarea");
        if (!control && regions.press(event.key)) {
            event.preventDefault();
            return;
        }
        if (event.target === view && arrows[event.key]) {
            event.preventDefault();
            looking.step(...arrows[event.key]);
            return;
        }
        if (control && (event.key === " " || control.matches("input, select, textarea"))) return;
        const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
        if (keys[key]) keys[key]();
        else if (!switches.press(key)) return;
        event.preventDefault();
    });

    // For scripts and tests: what is shown, as numbers.
    window.saccade = {
        number: () => live.frame?.number ?? 0,
        line: () => live.frame?.line ?? null,
        map: () => looking.wanted() && live.frame?.map
            ? {...live.frame.map, cells: Array.from(drawing.cells_of(live.frame.map, 0)), levels: undefined} : null,
        state: () => live.state,
        you: () => live.you,
        viewers: () => live.viewers,
        age: panels.age,
        connected: link.connected,
    };
    page.draw_colours($("colours"));
    link.connect();
    looking.say();
})();
