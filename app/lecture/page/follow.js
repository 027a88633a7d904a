// Where a person is in the lecture, as a few whole numbers, so that others can be at the same place: in the frame of a
// class (`live --serve --lecture`). Messages to the page around: {ready}, {at: place}, {own: a person has scrolled or
// clicked here}; from it: {go: place}, {alone}. Any other page around gets nothing and changes nothing.
const follow = (() => {
    const inside = window.parent !== window && location.protocol.startsWith("http");
    // What a pointer is on, and what is scrolled to: the same on all screens.
    const parts = "h2, .words > p, .formula, .figure, .figure canvas, .figure svg, .figure table, .figure .row, .figure .queries";
    const dot = page.element("div", {id: "teacher", hidden: true});
    let pointer = [-1, -1, 0, 0];  // section, part, and thousandths of its width and height
    let told = "", last = [];

    const tell = (message) => window.parent.postMessage({saccade: message}, location.origin);
    const parts_of = (section) => [...document.querySelectorAll("#sections > section")[section].querySelectorAll(parts)];
    // [section, part] of an element; null outside of sections.
    function part_of(target) {
        const section = target?.closest?.("#sections > section"), part = target?.closest?.(parts);
        if (!section) return null;
        const index = [...document.querySelectorAll("#sections > section")].indexOf(section);
        return [index, part ? parts_of(index).indexOf(part) : 0];
    }

    // ---- whoever leads ----------------------------------------------------------------------------

    // What is at the middle of the window, or just beside it.
    function part_in_view() {
        for (const x of [0.5, 0.3, 0.7])
            for (const y of [0.5, 0.4, 0.6, 0.25]) {
                const part = part_of(document.elementFromPoint(x * innerWidth, y * innerHeight));
                if (part) return part;
            }
        return [0, 0];
    }
    function place() {
        const view = part_in_view(), {token, layer, head, temperature, all_heads} = lecture.state;
        return [...view, ...pointer, token, layer, head, Math.round(100 * temperature), Number(all_heads), ...lecture.own_of(view[0])];
    }
    function report() {
        const now = place();
        if (String(now) === told) return;
        told = String(now);
        tell({at: now});
    }
    function note_pointer(event) {
        const part = part_of(event.target);
        if (!part) return void (pointer = [-1, -1, 0, 0]);
        const area = parts_of(part[0])[part[1]]?.getBoundingClientRect();
        if (!area?.width) return;
        pointer = [...part, Math.round(1000 * (event.clientX - area.left) / area.width), Math.round(1000 * (event.clientY - area.top) / area.height)];
    }

    // ---- whoever follows ---------------------------------------------------------------------------

    const is_place = (at) => Array.isArray(at) && at.length >= 11 && at.every(Number.isInteger);
    const calm = matchMedia("(prefers-reduced-motion: reduce)");
    function show_pointer([section, part, x, y]) {
        const area = section >= 0 && section < lecture.count ? parts_of(section)[part]?.getBoundingClientRect() : null;
        dot.hidden = !area?.width;
        if (dot.hidden) return;
        dot.style.left = `${area.left + scrollX + x / 1000 * area.width}px`;
        dot.style.top = `${area.top + scrollY + y / 1000 * area.height}px`;
    }
    function go(at) {
        if (!is_place(at) || at[0] < 0 || at[0] >= lecture.count) return;
        const [section, part] = at;
        lecture.take(section, {token: at[6], layer: at[7], head: at[8], temperature: at[9] / 100, all_heads: at[10] === 1}, at.slice(11));
        if (last[0] !== section || last[1] !== part)
            parts_of(section)[part]?.scrollIntoView({block: parts_of(section)[part].matches("h2") ? "start" : "center",
                                                     behavior: calm.matches ? "auto" : "smooth"});
        last = at;
        show_pointer(at.slice(2, 6));
    }

    function start() {
        if (!inside) return;
        document.body.append(dot);
        addEventListener("message", ({source, origin, data}) => {
            if (source !== window.parent || origin !== location.origin) return;
            const {go: at, alone} = data?.saccade ?? {};
            if (at) go(at);
            if (!alone) return;
            dot.hidden = true;
            last = [];
        });
        addEventListener("pointermove", note_pointer, {passive: true});
        addEventListener("resize", () => show_pointer(last.slice(2, 6)));
        for (const kind of ["wheel", "touchmove", "pointerdown", "keydown"])
            addEventListener(kind, (event) => { if (event.isTrusted) tell({own: true}); }, {passive: true});
        setInterval(report, 200);
        tell({ready: true});
    }
    return {start, place, go};
})();
