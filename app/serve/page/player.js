// Previous, next and seek, for files and folders. All viewers share the place in the file.
const player = (() => {
    const {$} = page;
    const patience = 20000;  // milliseconds until a seek that has not arrived is forgotten
    let asked = null;        // {frame, time}: where this viewer has gone, until that frame arrives

    const report = () => live.state?.player;
    const seekable = () => Boolean(report()) && !report().live && !live.read_only;
    // The frame that is shown, or that was asked for a moment ago: several steps in a row add up.
    function frame_now() {
        const arrived = live.frame?.line.frame === asked?.frame;
        if (asked && (arrived || performance.now() - asked.time > patience)) asked = null;
        return asked?.frame ?? live.frame?.line.frame ?? report()?.frame ?? 0;
    }
    function go_to(frame, freeze) {
        if (!seekable()) return;
        const last = (report().frames ?? Infinity) - 1, to = Math.min(Math.max(frame, 0), last);
        const set = {};
        if (freeze) {
            set.frozen = live.state.frozen = true;
            live.frozen_by = live.you;
        }
        const moves = to !== frame_now();  // there is none before the first or after the last
        if (moves) {
            asked = {frame: to, time: performance.now()};
            set.seek = to;
            found.clear();
        }
        link.send({set});
        panels.show_frozen();
        show();
        page.say(`frame ${to}`);
    }
    // Whether the frame that was asked for has not arrived.
    const waits = () => seekable() && frame_now() !== live.frame?.line.frame && asked !== null;
    const step = (by) => go_to(frame_now() + by, true);

    const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
    function show() {
        const {frames, rate, still} = report() ?? {};
        const several = seekable() && !still;
        for (const id of ["previous", "next"]) $(id).hidden = !several;
        $("seek-part").hidden = !several || !frames;
        if ($("seek-part").hidden) return;
        const frame = frame_now();
        $("seek").max = frames - 1;
        if (document.activeElement !== $("seek") || !asked) $("seek").value = frame;
        const time = rate > 0 ? `${clock(frame / rate)} of ${clock(frames / rate)}, ` : "";
        $("seek-now").textContent = `${time}frame ${frame} of 0-${frames - 1}`;
        $("seek").setAttribute("aria-valuetext", $("seek-now").textContent);
    }

    $("previous").addEventListener("click", () => step(-1));
    $("next").addEventListener("click", () => step(1));
    $("seek").addEventListener("input", () => go_to(Number($("seek").value), false));
    const keys = {ArrowLeft: () => step(-1), ArrowRight: () => step(1)};

    return {show, waits, keys};
})();
