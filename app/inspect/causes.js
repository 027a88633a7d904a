// What detections, classes and words need, in the report of `saccade inspect --cause`: maps side by side, the heads, and
// the curves of the meter.
const causes = (() => {
    const {$, element, percent} = page;
    const inks = ["#c2410c", "#1d6fd8", "#1a8f4c"];  // of methods: cause, attention, rollout
    let all = [], picture = null, shown = -1;

    const width = 240;  // pixels of each part
    function canvas_of(height) {
        return element("canvas", {width: 2 * width, height: Math.round(2 * height)});
    }
    function figure(canvas, caption) {
        canvas.setAttribute("role", "img");
        canvas.ariaLabel = caption;
        return element("figure", {className: "part"}, canvas, element("figcaption", {textContent: caption}));
    }

    function map_part(cause, {name, cells}) {
        const canvas = canvas_of(width * picture.naturalHeight / picture.naturalWidth);
        const context = canvas.getContext("2d");
        context.filter = "brightness(0.6)";
        context.drawImage(picture, 0, 0, canvas.width, canvas.height);
        context.filter = "none";
        const scale = {x: canvas.width / all.width, y: canvas.height / all.height};
        if (name === "cause") {
            page.draw_effects(context, cells, cause, scale);
            const most = cells.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
            return figure(canvas, `cause; strongest ${most.toPrecision(2)} ${cause.unit}`);
        }
        page.draw_map(context, Float32Array.from(cells), cause, scale, {opacity: 0.85, share: 1, smooth: true});
        return figure(canvas, name);
    }

    // A row for each layer, a column for each head.
    function heads_part({heads, unit}) {
        const canvas = canvas_of(width), context = canvas.getContext("2d");
        const across = Math.max(...heads.map((row) => row.length), 1), most = Math.max(...heads.flat().map(Math.abs), 0);
        const step = {x: canvas.width / across, y: canvas.height / Math.max(heads.length, 1)};
        heads.forEach((row, layer) => row.forEach((effect, head) => {
            for (const colour of ["#8884", most > 0 ? page.effect_colour(effect / most) : "#0000"]) {
                context.fillStyle = colour;
                context.fillRect(head * step.x, layer * step.y, step.x - 3, step.y - 3);
            }
        }));
        if (heads.length === 0) return figure(canvas, "the model has no heads that can be switched off");
        return figure(canvas, `heads; layers down. Strongest ${most.toPrecision(2)} ${unit}`);
    }

    // The score while cells go, or return; the random orders in grey.
    function curves_part({methods, random}, kind) {
        const canvas = canvas_of(0.6 * width), context = canvas.getContext("2d"), margin = 6;
        const most = Math.max(...[...methods, ...random].flatMap((one) => one[kind]), 1e-9);
        const line = (values, colour, thick) => {
            context.beginPath();
            values.forEach((value, i) => context.lineTo(
                margin + (canvas.width - 2 * margin) * i / (values.length - 1),
                canvas.height - margin - (canvas.height - 2 * margin) * value / most));
            context.strokeStyle = colour;
            context.lineWidth = thick;
            context.stroke();
        };
        for (const one of random) line(one[kind], "#8888", 2);
        for (let i = methods.length; i-- > 0;) line(methods[i][kind], inks[i % inks.length], i === 0 ? 6 : 4);
        return figure(canvas, kind === "deletion" ? "score while cells go, in each map’s order"
                                                  : "score while cells return, in each map’s order");
    }

    function words_of({name, words}, i) {
        const swatch = element("span", {className: "swatch", ariaHidden: "true"});
        swatch.style.background = inks[i % inks.length];
        return element("li", {}, swatch, `${name}: ${words}`);
    }

    function show(index) {
        if (index === shown || !all[index]) return;
        shown = index;
        const cause = all[index];
        [...$("cause-targets").children].forEach((button, i) => button.setAttribute("aria-pressed", String(i === index)));
        $("cause-about").textContent =
            `${cause.kind} “${cause.label}”, ${percent(cause.score)}: ${cause.knock_outs} knock-outs, an effect below ` +
            `${cause.noise.toPrecision(2)} is noise. Warm: the target needs it. Blue: it holds the target back.`;
        $("cause-maps").replaceChildren(...cause.maps.map((map) => map_part(cause, map)), heads_part(cause),
                                        curves_part(cause, "deletion"), curves_part(cause, "insertion"));
        $("cause-words").replaceChildren(...cause.methods.map(words_of));
    }

    // Shows what a detection or a word needs, while its attention is shown above.
    function follow(kind, row) {
        const kinds = kind === "words" ? ["word", "answer"] : kind === "detections" ? ["detection"] : [];
        const index = all.findIndex((one) => kinds.includes(one.kind) && one.index === row);
        if (index >= 0) show(index);
    }

    function set_up(data, shown_picture) {
        picture = shown_picture;
        const counts = {};
        all = data.causes.map((one) => ({...one, index: (counts[one.kind] = (counts[one.kind] ?? -1) + 1)}));
        Object.assign(all, {width: data.width, height: data.height});
        $("cause-part").hidden = all.length === 0;
        all.forEach(({kind, label}, i) => {
            const button = element("button", {type: "button", textContent: label, title: kind});
            button.addEventListener("click", () => show(i));
            $("cause-targets").append(button);
        });
        if (all.length > 0) picture.decode().then(() => { if (shown < 0) show(0); else show_again(); });
    }
    // What was shown before the picture could be drawn.
    function show_again() {
        const index = shown;
        shown = -1;
        show(index);
    }
    return {set_up, follow};
})();
