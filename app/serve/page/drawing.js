// The picture, and the attention maps and masks on it.
const drawing = (() => {
    const {$, element, percent} = page;
    const picture = $("picture"), heat = $("heat"), masks = $("masks");

    // The quantised levels of one map as attention weights.
    function cells_of(map, index) {
        const count = map.grid.width * map.grid.height;
        if (map.kind === "cause") return Float32Array.from(map.levels, (level) => map.largest[0] * (level - 128) / 127);
        const scale = map.largest[index] / 255;
        return Float32Array.from(map.levels.subarray(index * count, (index + 1) * count),
                                 (level) => scale * level);
    }
    // Several maps are drawn as tiles, each on a small copy of the picture.
    function tiles_of(count) {
        const columns = Math.ceil(Math.sqrt(count)), rows = Math.ceil(count / columns);
        const part = 1 / Math.max(columns, rows);
        return {columns, part};
    }
    // The borders of all patches.
    function draw_grid(context, {grid, geometry: {left, top, cell_width, cell_height}}, scale) {
        const x = (column) => (left + column * cell_width) * scale.x, y = (row) => (top + row * cell_height) * scale.y;
        context.beginPath();
        for (let column = 0; column <= grid.width; ++column) {
            context.moveTo(x(column), y(0));
            context.lineTo(x(column), y(grid.height));
        }
        for (let row = 0; row <= grid.height; ++row) {
            context.moveTo(x(0), y(row));
            context.lineTo(x(grid.width), y(row));
        }
        context.strokeStyle = "rgb(255 255 255 / 35%)";
        context.stroke();
    }
    function draw_one(context, map, index, scale) {
        const cells = cells_of(map, index);
        if (map.kind === "cause") {
            page.draw_effects(context, cells, map, scale, $("opacity").value / 100);
            return;
        }
        page.draw_map(context, cells, map, scale, {
            opacity: $("opacity").value / 100,
            share: $("share").value / 100,
            smooth: $("smooth").checked,
        });
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
    // The sampling points of deformable attention, the largest last; none of dense attention.
    function points_of({points = [], point_colours}) {
        return points.map(([x, y, share, level]) => ({x, y, share, colour: point_colours[level]}))
                     .sort((a, b) => a.share - b.share);
    }
    function is_tiled() { return looking.attention.mode === "grid" && live.frame?.map?.count > 1; }
    // Draws the attention map over the picture.
    function draw() {
        const {frame} = live, context = heat.getContext("2d");
        context.clearRect(0, 0, heat.width, heat.height);
        const map = looking.wanted() ? frame?.map : null;
        picture.style.filter = map ? `brightness(${1 - 0.004 * $("opacity").value})` : "";
        if (!map) return;
        const scale = {x: heat.width / frame.line.width, y: heat.height / frame.line.height};
        if (map.kind === "colours") {
            page.draw_mixed(context, [0, 1, 2].map((i) => cells_of(map, i)), map, scale,
                            {opacity: $("opacity").value / 100, smooth: $("smooth").checked});
            if (switches.is_on("grid")) draw_grid(context, map, scale);
            return;
        }
        if (map.count > 1) {
            draw_tiles(context, map, scale);
            return;
        }
        draw_one(context, map, 0, scale);
        if (switches.is_on("grid")) draw_grid(context, map, scale);
        page.draw_points(context, scale, points_of(map));
        if (map.window) page.draw_window(context, scale, map.window);
        if (map.patch) page.draw_cell(context, map, scale, map.patch);
    }

    // COCO's compressed run lengths: column by column, background first, five bits per character, each run
    // as the difference to the one before the last.
    function runs_of(counts) {
        const runs = [];
        for (let at = 0; at < counts.length;) {
            let value = 0, shift = 0, letter;
            do {
                letter = counts.charCodeAt(at++) - 48;
                value |= (letter & 31) << shift;
                shift += 5;
            } while (letter & 32);
            if (letter & 16) value |= -1 << shift;
            if (runs.length > 2) value += runs[runs.length - 2];
            runs.push(value);
        }
        return runs;
    }
    function fill_mask(context, {size: [height], counts}) {
        let at = 0;
        runs_of(counts).forEach((run, i) => {
            for (let left = i % 2 ? run : 0, from = at; left > 0;) {
                const y = from % height, length = Math.min(left, height - y);
                context.fillRect(Math.floor(from / height), y, 1, length);
                from += length;
                left -= length;
            }
            at += run;
        });
    }
    // The strongest is drawn last; the canvas as a whole is translucent.
    function draw_masks(all) {
        const masked = all.filter((found) => found.mask);
        masks.hidden = masked.length === 0 || !switches.is_on("masks") || Boolean(live.state?.annotated) || is_tiled();
        if (masks.hidden) return;
        const context = masks.getContext("2d");
        context.clearRect(0, 0, masks.width, masks.height);
        for (const found of masked.reverse()) {
            context.fillStyle = found.colour;
            fill_mask(context, found.mask);
        }
    }

    function show(bitmap) {
        for (const canvas of [picture, heat, masks])
            if (canvas.width !== bitmap.width || canvas.height !== bitmap.height)
                Object.assign(canvas, {width: bitmap.width, height: bitmap.height});
        page.set_aspect(bitmap.width, bitmap.height);
        picture.getContext("2d").drawImage(bitmap, 0, 0);
    }

    // Something that takes longer than a quarter of a second shows that it is working.
    let work = 0;
    function begin_work() {
        clearTimeout(work);
        work = setTimeout(() => { $("busy").hidden = false; }, 250);
    }
    function end_work() {
        clearTimeout(work);
        $("busy").hidden = true;
    }

    // ---- screenshot: the picture with all that is drawn on it -------------------------------------------

    function draw_pixels(context) {
        context.filter = picture.style.filter || "none";
        context.drawImage(picture, 0, 0);
        context.filter = "none";
        context.drawImage(heat, 0, 0);
        if (masks.hidden) return;
        context.globalAlpha = Number(getComputedStyle(masks).opacity);
        context.drawImage(masks, 0, 0);
        context.globalAlpha = 1;
    }
    function draw_label(context, size, text, x, y, colour) {
        context.fillStyle = colour;
        context.fillRect(x, y, context.measureText(text).width + size / 2, 1.3 * size);
        context.fillStyle = "#101012";
        context.fillText(text, x + size / 4, y + size);
    }
    // Labels give way to stronger ones, as on the page.
    function draw_boxes(context, size) {
        const all = found.detections().reverse(), {width, height} = context.canvas;
        const texts = all.map(({label, score}) => `${label} ${percent(score)}`);
        const places = labels.arrange(all.map(({box, score}, i) =>
            ({box, score, extent: [context.measureText(texts[i]).width + size / 2, 1.3 * size]})), {width, height});
        for (const {box: [left, top, right, bottom], colour} of all) {
            context.strokeStyle = colour;
            context.strokeRect(left, top, right - left, bottom - top);
        }
        places.forEach((at, i) => { if (at) draw_label(context, size, texts[i], at[0], at[1], all[i].colour); });
    }
    function draw_said(context, size) {
        const text = [...$("said").children].map(({firstChild}) => firstChild.textContent).join(" ");
        const {width, height} = context.canvas, length = context.measureText(text).width;
        context.fillStyle = "rgb(0 0 0 / 65%)";
        context.fillRect((width - length - size) / 2, height - 2.2 * size, length + size, 1.6 * size);
        context.fillStyle = "#fff";
        context.fillText(text, (width - length) / 2, height - size);
    }
    function screenshot() {
        const {frame} = live;
        if (!frame) return;
        const canvas = element("canvas", {width: picture.width, height: picture.height});
        const context = canvas.getContext("2d"), size = Math.max(canvas.width / 60, 12);
        draw_pixels(context);
        context.font = `${size}px sans-serif`;
        context.lineWidth = Math.max(canvas.width / 400, 2);
        marks.draw_on(context, canvas.width / frame.line.width,
                      (text, x, y, colour) => draw_label(context, size, text, x, y, colour));
        if ($("boxes").children.length > 0) draw_boxes(context, size);
        if (!$("said").hidden) draw_said(context, size);
        canvas.toBlob((blob) => {
            const link = element("a", {href: URL.createObjectURL(blob), download: `saccade-${frame.line.frame}.png`});
            link.click();
            setTimeout(() => URL.revokeObjectURL(link.href), 1000);
            page.say("screenshot saved");
        });
    }

    for (const id of ["opacity", "share", "smooth"])
        $(id).addEventListener("input", () => {
            looking.show_choice();
            draw();
        });
    $("screenshot").addEventListener("click", screenshot);

    return {cells_of, tiles_of, is_tiled, draw, draw_masks, show, begin_work, end_work, screenshot};
})();
