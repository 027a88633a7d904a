// What the live page and the report share.
"use strict";
const page = (() => {
    const $ = (id) => document.getElementById(id);

    function bytes_of(id) {
        const text = atob($(id).textContent);
        $(id).remove();  // megabytes that are read only once
        const bytes = new Uint8Array(text.length);
        for (let i = 0; i < bytes.length; ++i) bytes[i] = text.charCodeAt(i);
        return bytes;
    }
    function element(name, properties, ...children) {
        const made = Object.assign(document.createElement(name), properties);
        made.append(...children);
        return made;
    }
    // For screen readers.
    function say(text) { $("summary").textContent = text; }
    // Gives `parent` one child per thing. Children are kept from frame to frame, so that one with the
    // focus, or under the pointer, stays.
    function fill(parent, things, make, update) {
        while (parent.children.length > things.length) parent.lastChild.remove();
        while (parent.children.length < things.length) parent.append(make(parent.children.length));
        things.forEach((thing, i) => update(parent.children[i], thing, i));
    }
    function percent(p) {
        return (100 * p).toFixed(100 * p < 9.95 ? 1 : 0) + "\u00a0%";
    }

    // ---- maps of attention --------------------------------------------------------------------------

    const heat = bytes_of("heat-colours");  // 256 x (red, green, blue, alpha)
    const small = document.createElement("canvas");

    function largest_of(map) { return map.reduce((a, b) => Math.max(a, b), 0); }
    // The cell with the largest value; row and column are counted from 1.
    function best_of(map, grid) {
        let index = 0;
        for (let i = 0; i < map.length; ++i) if (map[i] > map[index]) index = i;
        return {index, row: Math.floor(index / grid.width) + 1, column: index % grid.width + 1};
    }

    // The map as a canvas with one pixel per cell, valid until the next call. `alpha_of` gets a cell's
    // position between `least` and the largest value, and the alpha of its colour.
    function coloured(map, grid, alpha_of, least = 0) {
        const largest = largest_of(map);
        const cells = new ImageData(grid.width, grid.height);
        for (let i = 0; i < map.length; ++i) {
            const part = largest > least ? Math.max(map[i] - least, 0) / (largest - least) : 0;
            const level = 4 * Math.round(255 * part);
            cells.data.set(heat.subarray(level, level + 3), 4 * i);
            cells.data[4 * i + 3] = alpha_of(part, heat[level + 3]);
        }
        small.width = grid.width;
        small.height = grid.height;
        small.getContext("2d").putImageData(cells, 0, 0);
        return small;
    }

    // A cell's rectangle on a canvas with `scale` pixels per pixel of the picture.
    function place_of(geometry, scale, column, row) {
        const {left, top, cell_width, cell_height} = geometry;
        return [(left + column * cell_width) * scale.x, (top + row * cell_height) * scale.y,
                cell_width * scale.x, cell_height * scale.y];
    }
    // Red, green and blue, each from 0 to 1, as such a canvas.
    function mixed([red, green, blue], grid, opacity) {
        const cells = new ImageData(grid.width, grid.height);
        for (let i = 0; i < red.length; ++i)
            cells.data.set([255 * red[i], 255 * green[i], 255 * blue[i], 255 * opacity], 4 * i);
        small.width = grid.width;
        small.height = grid.height;
        small.getContext("2d").putImageData(cells, 0, 0);
        return small;
    }
    // Similarities differ little, so their colours start at the smallest value.
    function least_of(map, kind) {
        return kind === "similarity" ? map.reduce((a, b) => Math.min(a, b), 1) : 0;
    }
    // The position of the weakest of the fewest cells that together hold this share of the map.
    function cut_for(map, share) {
        if (share >= 1) return 0;
        const sorted = Float32Array.from(map).sort().reverse();
        const all = sorted.reduce((a, b) => a + b, 0);
        let sum = 0;
        for (const cell of sorted) if ((sum += cell) >= share * all) return cell / sorted[0];
        return 0;
    }
    function draw_map(context, map, bank, scale, {opacity, share, smooth}) {
        const threshold = bank.kind === "similarity" ? 0 : cut_for(map, share);
        const cells = coloured(map, bank.grid, (part, alpha) => part < threshold ? 0 : alpha * opacity,
                               least_of(map, bank.kind));
        draw_cells(context, cells, bank, scale, smooth);
    }
    function draw_mixed(context, colours, bank, scale, {opacity, smooth}) {
        draw_cells(context, mixed(colours, bank.grid, opacity), bank, scale, smooth);
    }
    function draw_cells(context, cells, {grid, geometry}, scale, smooth) {
        context.imageSmoothingEnabled = smooth;
        context.imageSmoothingQuality = "high";
        const [x, y, cell_width, cell_height] = place_of(geometry, scale, 0, 0);
        const width = cell_width * grid.width, height = cell_height * grid.height;
        context.drawImage(cells, x, y, width, height);
        // Cells of convolutions may end up to half a cell before the picture's edge; the last are extended.
        const {canvas} = context;
        const right = x <= 0 && canvas.width - x - width < cell_width / 2 ? canvas.width - x - width : 0;
        const below = y <= 0 && canvas.height - y - height < cell_height / 2 ? canvas.height - y - height : 0;
        const [column, row] = [grid.width - 1, grid.height - 1];
        if (right > 0) context.drawImage(cells, column, 0, 1, grid.height, x + width, y, right, height);
        if (below > 0) context.drawImage(cells, 0, row, grid.width, 1, x, y + height, width, below);
        if (right > 0 && below > 0) context.drawImage(cells, column, row, 1, 1, x + width, y + height, right, below);
    }
    function draw_outline(context, place, colour) {
        const line = Math.max(context.canvas.width / 500, 1);
        context.lineWidth = 3 * line;
        context.strokeStyle = "#000";
        context.strokeRect(...place);
        context.lineWidth = 1.5 * line;
        context.strokeStyle = colour;
        context.strokeRect(...place);
    }
    // What knocking a cell out does to a target, from -1 to 1: warm where the target needs the cell, blue where the
    // cell holds it back.
    function effect_colour(part) {
        if (part < 0) return `oklch(${0.35 + 0.4 * -part} 0.15 250 / ${-part})`;
        const [red, green, blue, alpha] = heat.subarray(4 * Math.round(255 * part));
        return `rgb(${red} ${green} ${blue} / ${alpha / 255})`;
    }
    // Such a map, cell by cell, as strong as its largest effect.
    function draw_effects(context, map, {geometry, grid}, scale, opacity = 0.85) {
        const most = map.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
        context.globalAlpha = opacity;
        for (let i = 0; most > 0 && i < map.length; ++i) {
            const [x, y, width, height] = place_of(geometry, scale, i % grid.width, Math.floor(i / grid.width));
            context.fillStyle = effect_colour(map[i] / most);
            context.fillRect(Math.round(x), Math.round(y), Math.round(x + width) - Math.round(x),
                             Math.round(y + height) - Math.round(y));
        }
        context.globalAlpha = 1;
    }
    function draw_cell(context, {geometry}, scale, {row, column}) {
        draw_outline(context, place_of(geometry, scale, column, row), "#fff");
    }
    // The attention window of a patch: [left, top, right, bottom] in pixels of the picture.
    function draw_window(context, scale, [left, top, right, bottom]) {
        draw_outline(context, [left * scale.x, top * scale.y, (right - left) * scale.x, (bottom - top) * scale.y],
                     "#ffcd50");
    }
    // Sampling points of deformable attention, sized by their weights.
    function draw_points(context, scale, points) {
        const line = Math.max(context.canvas.width / 500, 1);
        for (const {x, y, share, colour} of points) {
            context.beginPath();
            context.arc(x * scale.x, y * scale.y, line * Math.max(2, 14 * Math.sqrt(share)), 0, 7);
            context.fillStyle = colour;
            context.fill();
            context.lineWidth = 0.6 * line;
            context.strokeStyle = "#000";
            context.stroke();
        }
    }
    // The colour scale, from 0 to the largest value.
    function draw_colours(canvas) {
        const bar = canvas.getContext("2d"), colours = bar.createImageData(256, 1);
        colours.data.set(heat);
        bar.putImageData(colours, 0, 0);
    }
    // The legend below the picture: the values of the first and the last colour.
    function show_scale(map, kind) {
        $("scale").classList.toggle("unused", !map || kind === "colours" || kind === "cause");
        if (!map || kind === "colours" || kind === "cause") return;
        $("smallest").textContent = kind === "similarity" ? percent(least_of(map, kind)) : "0 %";
        $("largest").textContent = percent(largest_of(map));
    }
    // The layout depends on the picture's shape.
    function set_aspect(width, height) {
        $("stage").style.setProperty("--aspect", width / height);
        $("stage").classList.toggle("portrait", width < 1.15 * height);
    }

    // "layer 7 of 0-7", as the window says it
    function layer_text(layer, layers) {
        return `layer ${layer}` + (layers > 1 ? ` of 0-${layers - 1}` : " (the only one)");
    }

    // ---- results ---------------------------------------------------------------------

    // A detection's box over a picture of this size, with its label; labels.place() positions that.
    function box_of(found, {width, height}) {
        const [left, top, right, bottom] = found.box;
        const label = element("span", {textContent: found.label});
        label.style.background = found.colour;
        const box = element("div", {className: "box"}, label);
        Object.assign(box.style, {
            left: 100 * left / width + "%",
            top: 100 * top / height + "%",
            width: 100 * (right - left) / width + "%",
            height: 100 * (bottom - top) / height + "%",
            color: found.colour,
        });
        return {box, label};
    }
    function name_of_box(found) {
        const swatch = element("span", {className: "swatch", ariaHidden: "true"});
        swatch.style.background = found.colour;
        return [swatch, found.label, element("small", {textContent: percent(found.score)})];
    }
    const class_row = () => element("li", {}, element("span"), element("meter"), element("b"));
    // Classes {label, score} that score as much as the model needs to be believed, and how many it knows.
    function show_classes(classes, {sure_above = 0, classes: known = 0}) {
        const sure = classes.filter(({score}) => score >= sure_above);
        $("not-sure").hidden = sure.length > 0;
        const of = known > 0 ? `out of ${known}` : "";
        if ($("classes-of").textContent !== of) $("classes-of").textContent = of;
        fill($("classes"), sure, class_row, (row, {label, score}) => {
            const [name, meter, p] = row.children;
            if (name.textContent !== label) name.textContent = meter.ariaLabel = label;
            meter.value = score;
            p.textContent = percent(score);
        });
    }

    return {$, bytes_of, element, say, fill, percent, largest_of, best_of, coloured, layer_text, set_aspect,
            draw_map, draw_mixed, draw_cell, draw_window, draw_points, draw_effects, effect_colour,
            draw_colours, show_scale,
            box_of, name_of_box, show_classes};
})();
