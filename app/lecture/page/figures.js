// What the figures are drawn with: maps over the picture, strips of numbers, bars and curves.
const figures = (() => {
    const {$, element} = page;
    const picture = $("picture");
    // Okabe and Ito's colours, which colour-blind people can tell apart; of the same lightness on
    // black and on white.
    const colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];
    const round = (x, digits = 2) => Number(x).toFixed(digits).replace("-", "\u2212");

    // Blue for negative, orange for positive numbers, white for zero; x from -1 to 1.
    function signed_colour(x) {
        const [far, part] = x < 0 ? [[0, 90, 181], -x] : [[220, 95, 0], x];
        const t = Math.min(part, 1);
        return far.map((level) => Math.round(255 + t * (level - 255)));
    }
    const largest_size = (values) => values.reduce((most, x) => Math.max(most, Math.abs(x)), 0);

    // A map as a small canvas, one pixel a cell.
    const small = document.createElement("canvas");
    function signed_cells(map, [width, height], limit) {
        const cells = new ImageData(width, height);
        for (let i = 0; i < map.length; ++i)
            if (!Number.isNaN(map[i])) cells.data.set([...signed_colour(map[i] / (limit || 1)), 255], 4 * i);
        small.width = width;
        small.height = height;
        small.getContext("2d").putImageData(cells, 0, 0);
        return small;
    }
    function cells_of(map, grid, {signed = false, limit = 0, least = 0}) {
        return signed ? signed_cells(map, grid, limit || largest_size(map))
                      : page.coloured(map, {width: grid[0], height: grid[1]}, () => 255, least);
    }

    // A canvas with the picture, on which cells of a grid can be chosen with the pointer.
    class View {
        constructor(label, on_cell = null, on_point = null) {
            this.canvas = element("canvas", {className: "view", width: 640});
            this.canvas.height = Math.round(640 * lesson.height / lesson.width);
            this.canvas.setAttribute("role", "img");
            this.canvas.setAttribute("aria-label", label);
            this.place = null;
            if (on_cell) this.follow(on_cell, on_point);
        }
        get scale() { return this.canvas.width / lesson.width; }
        rectangle(cell) {
            const {grid, left, top, cell: size} = this.place;
            return [(left + cell % grid[0] * size[0]) * this.scale, (top + Math.floor(cell / grid[0]) * size[1]) * this.scale,
                    size[0] * this.scale, size[1] * this.scale];
        }
        cell_at({offsetX, offsetY}) {
            const {grid, left, top, cell} = this.place;
            const x = offsetX / this.canvas.clientWidth * lesson.width, y = offsetY / this.canvas.clientHeight * lesson.height;
            const clamp = (value, most) => Math.min(Math.max(Math.floor(value), 0), most - 1);
            return clamp((y - top) / cell[1], grid[1]) * grid[0] + clamp((x - left) / cell[0], grid[0]);
        }
        follow(on_cell, on_point) {
            this.canvas.classList.add("pick");
            this.canvas.addEventListener("pointerdown", (event) => on_cell(this.cell_at(event)));
            this.canvas.addEventListener("pointermove", (event) => {
                if (event.buttons) on_cell(this.cell_at(event));
                else on_point?.(this.cell_at(event));
            });
        }
        // The picture, pale under a map.
        draw(place, {map = null, signed, limit, least, strength = 0.75, grid = false, smooth = false, chosen = null} = {}) {
            this.place = place;
            const {canvas} = this, context = canvas.getContext("2d");
            context.drawImage(picture, 0, 0, canvas.width, canvas.height);
            if (map) {
                const [x, y] = this.rectangle(0), {grid: [columns, rows], cell} = place;
                context.globalAlpha = strength;
                context.imageSmoothingEnabled = smooth;
                context.drawImage(cells_of(map, place.grid, {signed, limit, least}), x, y,
                                  columns * cell[0] * this.scale, rows * cell[1] * this.scale);
                context.globalAlpha = 1;
            }
            if (grid) this.lines();
            if (chosen !== null && chosen >= 0) this.outline(chosen);
        }
        lines() {
            const context = this.canvas.getContext("2d"), {grid: [columns, rows]} = this.place;
            context.lineWidth = 1;
            context.strokeStyle = "rgb(255 255 255 / 55%)";
            for (let i = 0; i < columns * rows; ++i) context.strokeRect(...this.rectangle(i));
        }
        // The border around some cells, which may lie apart.
        surround(cells, colour) {
            const context = this.canvas.getContext("2d"), [columns] = this.place.grid, all = new Set(cells);
            const path = new Path2D();
            for (const cell of all) {
                const [x, y, width, height] = this.rectangle(cell), column = cell % columns;
                const edge = (there, ...line) => {
                    if (there) return;
                    path.moveTo(line[0], line[1]);
                    path.lineTo(line[2], line[3]);
                };
                edge(all.has(cell - columns), x, y, x + width, y);
                edge(all.has(cell + columns), x, y + height, x + width, y + height);
                edge(column > 0 && all.has(cell - 1), x, y, x, y + height);
                edge(column < columns - 1 && all.has(cell + 1), x + width, y, x + width, y + height);
            }
            for (const [line, ink] of [[6, "#000"], [3, colour]]) {
                context.lineWidth = line;
                context.strokeStyle = ink;
                context.stroke(path);
            }
        }
        outline(cell, colour = "#fff") {
            const context = this.canvas.getContext("2d"), [x, y, width, height] = this.rectangle(cell);
            for (const [line, ink] of [[6, "#000"], [3, colour]]) {
                context.lineWidth = line;
                context.strokeStyle = ink;
                context.strokeRect(x, y, width, height);
            }
        }
    }

    // Many small maps in one picture, in columns and rows, each cell of a map some pixels wide.
    class Atlas {
        constructor(label, [columns, rows], grid, on_map) {
            this.count = [columns, rows];
            this.grid = grid;
            this.zoom = Math.max(1, Math.round(640 / (columns * (grid[0] + 1))));
            this.step = [(grid[0] + 1) * this.zoom, (grid[1] + 1) * this.zoom];
            this.canvas = element("canvas", {className: "atlas", width: columns * this.step[0], height: rows * this.step[1]});
            this.canvas.setAttribute("role", "img");
            this.canvas.setAttribute("aria-label", label);
            this.canvas.addEventListener("pointerdown", (event) => on_map(...this.at(event)));
        }
        at({offsetX, offsetY}) {
            const {clientWidth, clientHeight} = this.canvas, [columns, rows] = this.count;
            return [Math.min(Math.floor(offsetX / clientWidth * columns), columns - 1), Math.min(Math.floor(offsetY / clientHeight * rows), rows - 1)];
        }
        draw(column, row, map, how) {
            const context = this.canvas.getContext("2d"), [across, down] = this.step;
            context.imageSmoothingEnabled = false;
            context.drawImage(cells_of(map, this.grid, how), column * across, row * down, this.grid[0] * this.zoom, this.grid[1] * this.zoom);
        }
        outline(column, row) {
            const context = this.canvas.getContext("2d"), [across, down] = this.step;
            for (const [line, ink] of [[5, "#000"], [2.5, "#fff"]]) {
                context.lineWidth = line;
                context.strokeStyle = ink;
                context.strokeRect(column * across + 1, row * down + 1, across - this.zoom - 2, down - this.zoom - 2);
            }
        }
    }

    // A figure with its caption below: `text` may be set later.
    function captioned(content, text = "", name = "panel") {
        const caption = element("figcaption", {textContent: text});
        const figure = element("figure", {className: name}, content, caption);
        figure.say = (words) => { caption.textContent = words; };
        return figure;
    }
    // The colours' legend below a map.
    function legend(least, most, signed = false) {
        const bar = element(signed ? "span" : "canvas", {className: signed ? "scale signed" : "scale"});
        if (!signed) {
            Object.assign(bar, {width: 256, height: 1});
            page.draw_colours(bar);
        }
        return element("span", {className: "legend"}, least, bar, most);
    }

    // A strip of numbers, blue and orange.
    function strip(label) {
        const canvas = element("canvas", {className: "strip", height: 1, width: 1});
        canvas.setAttribute("role", "img");
        canvas.setAttribute("aria-label", label);
        const name = element("span", {textContent: label});
        const row = element("div", {className: "strip-row"}, name, canvas);
        row.show = (values, limit, text) => {
            if (text) {
                name.textContent = text;
                canvas.setAttribute("aria-label", text);
            }
            canvas.width = values.length;
            canvas.getContext("2d").drawImage(signed_cells(values, [values.length, 1], limit), 0, 0);
            row.dataset.limit = round(limit);
            row.title = `\u2212${round(limit)} … ${round(limit)}`;
        };
        return row;
    }

    // Bars of {label, p, strong}.
    function bars(container, rows) {
        page.fill(container, rows, () => element("li", {}, element("span"), element("meter"), element("b")),
                  (row, {label, p, strong = true}) => {
                      const [name, meter, number] = row.children;
                      name.textContent = meter.ariaLabel = label;
                      meter.value = p;
                      number.textContent = page.percent(p);
                      row.classList.toggle("weak", !strong);
                  });
    }
    const bar_list = () => element("ol", {className: "bars"});

    const svg = (name, attributes, ...children) => {
        const made = document.createElementNS("http://www.w3.org/2000/svg", name);
        for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
        made.append(...children);
        return made;
    };
    // Curves or points over whole numbers: series of {name, points: [[x, y]], dots}.
    // Round numbers from `low` to `high`, some five of them: of a logarithmic axis powers of ten, or halves and doubles.
    function ticks(low, high, log) {
        if (log) {
            const all = [];
            for (let power = Math.floor(low); power <= high; ++power)
                for (const times of high - low > 3 ? [1] : [1, 2, 5]) all.push(power + Math.log10(times));
            return all.filter((at) => at >= low - 1e-9 && at <= high + 1e-9);
        }
        const rough = (high - low) / 5, power = 10 ** Math.floor(Math.log10(rough));
        const step = power * [1, 2, 5, 10].find((times) => times * power >= rough * 0.999);
        return Array.from({length: 12}, (_, i) => (Math.ceil(low / step - 1e-9) + i) * step).filter((at) => at <= high + 1e-9 * step);
    }
    function chart(series, {x_label, y_label, log = false, mark = null, least = null, most = null}) {
        const [width, height, left, bottom, top, right] = [460, 240, 52, 40, 12, 20];
        const xs = series.flatMap(({points}) => points.map(([x]) => x));
        const ys = series.flatMap(({points}) => points.map(([, y]) => y));
        const into = log ? Math.log10 : (value) => value;
        const range = (values, lowest, highest) => {
            const low = lowest ?? Math.min(...values.map(into)), high = highest ?? Math.max(...values.map(into));
            return high > low ? [low, high] : [low - 1, high + 1];
        };
        const [x0, x1] = range(xs, null, null), [y0, y1] = range(ys, least, most);
        const at_x = (x) => left + (into(x) - x0) / (x1 - x0) * (width - left - right);
        const at_y = (y) => height - bottom - (into(y) - y0) / (y1 - y0) * (height - bottom - top);
        const drawing = svg("svg", {viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img",
                                    "aria-label": `${y_label}: ${series.map(({name}) => name).join(", ")}`});
        const text = (x, y, words, more = {}) => {
            const made = svg("text", {x, y, ...more});
            made.textContent = words;
            drawing.append(made);
        };
        const numbers = [...new Set(xs)].sort((a, b) => a - b);
        let free = 0;  // to the right of the last number
        for (const x of numbers) {
            const half = 4 * String(x).length;
            if (at_x(x) - half < free) continue;
            text(at_x(x), height - bottom + 16, x, {"text-anchor": "middle"});
            free = at_x(x) + half + 4;
        }
        const marks = ticks(y0, y1, log).map((at) => [at, Number((log ? 10 ** at : at).toPrecision(3))]);
        for (const [at, shown] of marks) {
            const y = height - bottom - (at - y0) / (y1 - y0) * (height - bottom - top);
            drawing.append(svg("line", {x1: left, x2: width - right, y1: y, y2: y, class: "rule"}));
            text(left - 6, y + 4, String(shown).replace("-", "\u2212"), {"text-anchor": "end"});
        }
        text((width + left) / 2, height - 6, x_label, {"text-anchor": "middle"});
        if (mark !== null) drawing.append(svg("line", {x1: at_x(mark), x2: at_x(mark), y1: top, y2: height - bottom, class: "mark"}));
        series.forEach(({name, points, dots = false, dashed = false}, i) => {
            const colour = colours[i % colours.length];
            if (!dots)
                drawing.append(svg("polyline", {points: points.map(([x, y]) => `${at_x(x)},${at_y(y)}`).join(" "), fill: "none",
                                                stroke: colour, "stroke-width": 2.5, "stroke-dasharray": dashed ? "6 4" : "none"}));
            for (const [x, y, title] of points) {
                const dot = svg("circle", {cx: at_x(x), cy: at_y(y), r: dots ? 4.5 : 3, fill: colour, "fill-opacity": dots ? 0.75 : 1});
                const words = svg("title", {});
                words.textContent = title ?? `${name}: ${x}, ${round(y, 3)}`;
                dot.append(words);
                drawing.append(dot);
            }
        });
        const names = element("p", {className: "names"});
        if (series.length > 1)
            series.forEach(({name}, i) => {
                const swatch = element("i", {});
                swatch.style.background = colours[i % colours.length];
                names.append(element("span", {}, swatch, name));
            });
        return element("div", {className: "chart-box"}, element("p", {className: "axis", textContent: y_label}), drawing, names);
    }

    // A slider with its label and number: on(value).
    function slider(label, {min, max, step = 1, value}, on, shown = (number) => number) {
        const input = element("input", {type: "range", min, max, step, value}), output = element("output");
        input.setAttribute("aria-label", label);
        const made = element("label", {className: "slide"}, element("span", {textContent: label}), input, output);
        made.set = (number) => {
            input.value = number;
            output.textContent = shown(Number(number));
            input.setAttribute("aria-valuetext", shown(Number(number)));
        };
        made.limit = (most) => { input.max = most; };
        input.addEventListener("input", () => { made.set(input.value); on(Number(input.value)); });
        made.set(value);
        return made;
    }
    function button(label, on) {
        const made = element("button", {type: "button", textContent: label});
        made.addEventListener("click", on);
        return made;
    }
    return {View, Atlas, captioned, legend, strip, bars, bar_list, chart, slider, button, round, colours, cells_of,
            signed_colour, largest_size};
})();
