// The report of `saccade inspect`. The models' maps are embedded in eight bits: see Bank.
(() => {
    const {$, bytes_of, element, percent} = page;
    const data = JSON.parse($("data").textContent);

    // Maps of one kind: (layers, heads, rows, cells), where a row is a token, a detection or a word. The levels
    // 0 .. 255 span 0 to the largest value of each map.
    class Bank {
        constructor(about, index) {
            Object.assign(this, about);
            this.levels = bytes_of("levels-" + index);
            this.scales = new Float32Array(bytes_of("scales-" + index).buffer);
            if (this.levels_of_points) this.places = new Float32Array(bytes_of("points-" + index).buffer);
            this.cells = this.grid.height * this.grid.width;
            this.layer = this.start_layer;  // an index into this.layers
            this.head = this.start_head;    // null: the mean of all heads
        }
        // The attention weights of a row.
        map(row, layer = this.layer, head = this.head) {
            const result = new Float32Array(this.cells);
            const first = head ?? 0, end = head === null ? this.heads : head + 1;
            for (let h = first; h < end; ++h) {
                const at = (layer * this.heads + h) * this.rows + row;
                const scale = this.scales[at] / (255 * (end - first));
                for (let i = 0, from = at * this.cells; i < this.cells; ++i)
                    result[i] += scale * this.levels[from + i];
            }
            return result;
        }
        // The sampling points of a row of deformable attention, with their weights; none of dense attention.
        points(row) {
            if (!this.levels_of_points) return [];
            const levels = this.levels_of_points.flatMap((one, level) => Array(one.points).fill(level));
            const each = levels.length, first = this.head ?? 0, end = this.head === null ? this.heads : this.head + 1;
            const result = [];
            for (let h = first; h < end; ++h)
                for (let i = 0; i < each; ++i) {
                    const at = 3 * (((this.layer * this.rows + row) * this.heads + h) * each + i);
                    result.push({x: this.places[at], y: this.places[at + 1], share: this.places[at + 2] / (end - first),
                                 level: levels[i], colour: this.levels_of_points[levels[i]].colour});
                }
            return result.sort((a, b) => a.share - b.share);
        }
        cell_at(x, y) {
            const {left, top, cell_width, cell_height} = this.geometry;
            const within = (v, count) => Math.min(Math.max(Math.floor(v), 0), count - 1);
            return {row: within((y - top) / cell_height, this.grid.height),
                    column: within((x - left) / cell_width, this.grid.width)};
        }
        // The nearest patch whose maps are embedded: with a stride, the middle one of each stride x stride.
        patch(cell) {
            const {stride} = this;
            const near = (i, count) =>
                Math.min(Math.floor(i / stride) * stride + (stride >> 1), count - 1);
            return {row: near(cell.row, this.grid.height), column: near(cell.column, this.grid.width)};
        }
        row_of(patch) {
            const across = Math.ceil(this.grid.width / this.stride);
            return (this.class_token ? 1 : 0) + Math.floor(patch.row / this.stride) * across +
                   Math.floor(patch.column / this.stride);
        }
        // The attention window of a patch in the layer, in pixels of the picture; null: global attention. The last
        // window of a shifted grid wraps around the edge, and its two ends do not attend to each other.
        window_of(patch) {
            const windows = this.windows?.[this.layer];
            if (!windows) return null;
            const {size, shift} = windows, {left, top, cell_width, cell_height} = this.geometry;
            const stretch = (cell, length) => {
                const all = Math.ceil(length / size) * size;
                const first = Math.floor((cell + all - shift) % all / size) * size + shift;
                if (first + size <= all) return [first, Math.min(first + size, length)];
                return cell < shift ? [0, Math.min(shift, length)] : [first, length];
            };
            const [x, right] = stretch(patch.column, this.grid.width), [y, bottom] = stretch(patch.row, this.grid.height);
            return [left + x * cell_width, top + y * cell_height, left + right * cell_width, top + bottom * cell_height];
        }
        // "captioner-from-layer-4" is some of the captioner's layers.
        name() { return this.task.split("-")[0]; }
        whose() { return `${this.name()} ${this.model}`.trim(); }
    }

    const banks = data.banks.map((about, index) => new Bank(about, index));
    const of_kind = (kind) => banks.filter((bank) => bank.kind === kind);
    const encoders = [...of_kind("patches"), ...of_kind("similarity")];

    // ---- what is shown --------------------------------------------------------------------------------

    // A looker is a row of a bank: {bank, row, name, patch?, button?, box?}.
    let shown = null, held = false;
    // Whose patches the pointer shows: at first the encoder with the richest attention. Undefined if no model has
    // patches.
    const richness = ({kind, layers, heads, cells}) => kind === "patches" ? layers.length * heads * cells : 0;
    let encoder = [...encoders].sort((a, b) => richness(b) - richness(a))[0];

    function patch_looker(bank, cell) {
        const patch = bank.patch(cell);
        return {bank, row: bank.row_of(patch), patch,
                name: `${bank.name()}’s patch in row ${patch.row + 1}, column ${patch.column + 1}`};
    }
    function same(a, b) { return a && b && a.bank === b.bank && a.row === b.row; }

    function look(looker) {
        if (!looker || same(looker, shown)) return;
        shown = looker;
        draw();
    }
    function hold(looker) {
        held = !(held && same(looker, shown));
        look(looker);
        mark();
    }
    function release() {
        held = false;
        mark();
    }

    // ---- drawing ----------------------------------------------------------------------------------

    const picture = $("picture"), canvas = $("heat");
    const scale = {x: 1, y: 1};  // canvas pixels per pixel of the picture
    let now = null;              // the map that is shown

    function draw() {
        if (!shown) return;
        const {bank, row} = shown;
        now = bank.map(row);
        const opacity = $("opacity").value / 100, share = $("share").value / 100;
        picture.style.filter = `brightness(${1 - 0.4 * opacity})`;  // the map stands out on a darker picture
        const context = canvas.getContext("2d");
        context.clearRect(0, 0, canvas.width, canvas.height);
        const smooth = $("smooth").checked;
        if (bank.kind === "colours")
            page.draw_mixed(context, [0, 1, 2].map((i) => bank.map(i)), bank, scale, {opacity, smooth});
        else
            page.draw_map(context, now, bank, scale, {opacity, share, smooth});
        page.draw_points(context, scale, bank.points(row));
        show_levels(bank);
        const seen = shown.patch && bank.window_of(shown.patch);
        if (seen) page.draw_window(context, scale, seen);
        if (shown.patch) page.draw_cell(context, bank, scale, shown.patch);
        page.show_scale(now, bank.kind);
        draw_overview();
        show_choice();
        mark();
        say();
        causes.follow(bank.kind, row);
    }

    // The legend of the sampling points' colours.
    function show_levels(bank) {
        const levels = bank.levels_of_points ?? [];
        $("point-levels").hidden = levels.length === 0;
        $("point-levels").replaceChildren("points on maps of ", ...levels.map((one) => {
            const dot = element("span", {className: "dot"});
            dot.style.background = one.colour;
            return element("span", {}, dot, `${one.width} × ${one.height}`);
        }));
    }

    const gap = 3;  // pixels around each map of the overview
    function overview_columns(bank) { return bank.heads > 1 ? bank.heads + 1 : 1; }

    function draw_overview() {
        const {bank, row} = shown;
        const several = bank.layers.length * bank.heads > 1;
        $("overview-part").hidden = !several;
        if (!several) return;
        const columns = overview_columns(bank), rows = bank.layers.length;
        const zoom = Math.ceil(40 / bank.grid.width);  // pixels of a cell
        const width = bank.grid.width * zoom, height = bank.grid.height * zoom;
        const overview = $("overview");
        overview.width = columns * (width + gap) + gap;
        overview.height = rows * (height + gap) + gap;
        const context = overview.getContext("2d");
        context.imageSmoothingEnabled = false;
        for (let layer = 0; layer < rows; ++layer)
            for (let column = 0; column < columns; ++column) {
                const map = bank.map(row, layer, column === 0 ? null : column - 1);
                context.drawImage(page.coloured(map, bank.grid, () => 255), gap + column * (width + gap),
                                  gap + layer * (height + gap), width, height);
            }
        const column = bank.heads > 1 && bank.head !== null ? bank.head + 1 : 0;
        context.lineWidth = gap;
        context.strokeStyle = getComputedStyle(document.body).getPropertyValue("--accent");
        context.strokeRect(column * (width + gap) + gap / 2, bank.layer * (height + gap) + gap / 2,
                           width + gap, height + gap);
    }

    function head_text(bank) { return bank.head === null ? "mean" : String(bank.head); }

    function show_choice() {
        const {bank} = shown;
        const layer = $("layer"), head = $("head");
        layer.max = bank.layers.length - 1;
        layer.value = bank.layer;
        layer.disabled = bank.layers.length < 2;
        const of_features = bank.kind === "similarity" || bank.kind === "colours";
        $("layer-now").textContent = bank.kind === "rollout" ? "all" : of_features ? "" : layer_of(bank);
        layer.setAttribute("aria-valuetext", $("layer-now").textContent);
        head.max = bank.heads > 1 ? bank.heads : 0;
        head.value = bank.head === null ? 0 : bank.head + 1;
        head.disabled = bank.heads < 2;
        $("head-now").textContent = bank.kind === "rollout" ? "all" : of_features ? "" : head_text(bank);
        head.setAttribute("aria-valuetext", $("head-now").textContent);
        $("opacity-now").textContent = $("opacity").value + " %";
        $("share-now").textContent = $("share").value + " %";
    }

    // Highlights the button and the box of what is shown.
    function mark() {
        for (const one of lookers) {
            const lit = same(one, shown);
            one.button.classList.toggle("lit", lit);
            one.button.setAttribute("aria-pressed", String(lit && held));
            if (one.box) one.box.classList.toggle("chosen", lit);
        }
        const lit = shown?.bank.kind === "words" ? shown.row : -1;
        [...$("said").children].forEach((word, i) => word.classList.toggle("lit", i === lit));
        place_labels();
    }

    // Describes what is shown: at once on the page, and after a pause to screen readers.
    let settled = 0;
    // The number of the shown layer among all layers of the model.
    const layer_of = (bank) => (bank.first_layer ?? 0) + bank.layers[bank.layer];
    function words_of_features(bank) {
        if (bank.kind === "colours")
            return "The first three principal components of the features as red, green and blue: patches of similar " +
                "colour are similar to the model.";
        const {row, column} = shown.patch;
        return `Patch of the ${bank.name()} in row ${row + 1}, column ${column + 1}: cosine similarity of the features ` +
            "of each patch to its own.";
    }
    function words_of_attention(bank) {
        const best = page.best_of(now, bank.grid), all = now.reduce((a, b) => a + b, 0);
        const heads = bank.heads === 1 ? "the only head" : bank.head === null ? `mean of ${bank.heads} heads`
            : `head ${bank.head} of 0-${bank.heads - 1}`;
        const how = bank.kind === "rollout" ? "through all layers"
            : bank.look ? bank.look
            : `${page.layer_text(layer_of(bank), bank.layers_of_model)}, ${heads}`;
        const name = shown.name[0].toUpperCase() + shown.name.slice(1);
        // Of a rollout the values are no share of one token's attention.
        const rest = bank.kind === "rollout" ? "" : `; ${percent(Math.min(all, 1))} of its attention is on the picture`;
        return `${name}: ${how}. Looks most at row ${best.row}, column ${best.column} ` +
            `(${percent(now[best.index])})${rest}.`;
    }
    function say() {
        const {bank} = shown, of_features = bank.kind === "similarity" || bank.kind === "colours";
        $("now").textContent = of_features ? words_of_features(bank) : words_of_attention(bank);
        clearTimeout(settled);
        settled = setTimeout(() => {
            page.say(`${bank.whose()}. ${$("now").textContent}`);
        }, 400);
    }

    // ---- detections, words, encoders -----------------------------------------------------------------

    const lookers = [];  // those that have buttons

    function add_looker(looker, button) {
        looker.button = button;
        lookers.push(looker);
        button.type = "button";
        button.addEventListener("click", () => hold(looker));
        return button;
    }
    // A looker that is shown when its button is hovered or focused.
    function add_ready_looker(looker, button) {
        button.addEventListener("pointerenter", (event) => {
            if (!held && event.pointerType !== "touch") look(looker);
        });
        button.addEventListener("focus", () => { if (!held) look(looker); });
        return add_looker(looker, button);
    }

    const counted = (count, thing) => `${count} ${thing}${count === 1 ? "" : "s"}`;
    function set_up_encoders() {
        for (const bank of encoders) {
            const input = element("input", {type: "radio", name: "encoder", checked: bank === encoder});
            input.addEventListener("change", () => {
                encoder = bank;
                const from = shown.patch ? shown : null;
                const g = from && from.bank.geometry;
                const x = from ? g.left + (from.patch.column + 0.5) * g.cell_width : data.width / 2;
                const y = from ? g.top + (from.patch.row + 0.5) * g.cell_height : data.height / 2;
                look(patch_looker(bank, bank.cell_at(x, y)));
            });
            const what = bank.kind === "similarity" ? "similarity of features, "
                : `${counted(bank.layers.length, "layer")}, ${counted(bank.heads, "head")}, `;
            const first = bank.first_layer > 0 ? `from layer ${bank.first_layer} on, ` : "";
            const layers = `${first}${what}${bank.grid.width} × ${bank.grid.height} patches`;
            $("encoders").append(element("label", {}, input,
                element("span", {}, `${bank.name()}: ${bank.model} `,
                        element("small", {className: "hint", textContent: layers}))));
            if (bank.class_token)
                $("whole").append(add_looker({bank, row: 0, name: "class token"},
                                             element("button", {textContent: "Class token"})));
        }
        for (const bank of of_kind("rollout"))
            $("whole").append(add_looker({bank, row: 0, name: "rollout to the class token"},
                                         element("button", {textContent: "Rollout"})));
        for (const bank of of_kind("colours"))
            $("whole").append(add_looker({bank, row: 0, name: "colours of features"},
                                         element("button", {textContent: `Colours of the ${bank.name()}`})));
    }

    // The caption's words are on the picture and below it, and both show their attention.
    function set_up_words(bank) {
        $("caption-part").hidden = $("said").hidden = false;
        const {words} = data.caption;
        const word_lookers = words.map((word, row) =>
            ({bank, row, name: `word “${word.text}” with a probability of ${percent(word.p)}`}));
        const handlers = {
            enter: (i) => { if (!held) look(word_lookers[i]); },
            leave() {},
            click: (i) => hold(word_lookers[i]),
        };
        captions.show($("caption"), words, -1, handlers);
        captions.show($("said"), words, -1, handlers);
        word_lookers.forEach((looker, i) => {
            looker.button = $("caption").children[i];
            lookers.push(looker);
        });
    }

    let detections = [];  // those that are shown, one for each thing, the strongest first
    function set_up_detections(bank) {
        $("detections-part").hidden = false;
        detections = labels.merge(data.detections.map((found, row) => ({...found, row})));
        const looker_of = (found) => ({bank, row: found.row, name: `${found.label}, found with ${percent(found.score)}`});
        for (const found of detections) {
            const button = element("button", {}, ...page.name_of_box(found));
            found.looker = looker_of(found);
            const item = element("li", {}, add_ready_looker(found.looker, button));
            const add_other = (word) => (other) =>
                item.append(add_ready_looker(looker_of(other),
                                             element("button", {className: "merged"}, word, ...page.name_of_box(other))));
            found.rivals.forEach(add_other("or "));
            found.repeats.forEach(add_other("again "));
            $("detections").append(item);
        }
        // The strongest is drawn last, on top.
        for (const found of [...detections].reverse()) {
            const {box, label} = page.box_of(found, data);
            label.textContent = `${found.label} ${percent(found.score)}`;
            label.addEventListener("pointerenter", () => { if (!held) look(found.looker); });
            label.addEventListener("pointermove", (event) => event.stopPropagation());
            label.addEventListener("click", (event) => {
                event.stopPropagation();
                hold(found.looker);
            });
            found.looker.box = box;
            $("boxes").append(box);
        }
    }
    function place_labels() {
        const boxes = [...$("boxes").children];
        if (boxes.length === 0 || $("boxes").hidden) return;
        const area = $("view").getBoundingClientRect(), said = $("said").getBoundingClientRect();
        const taken = $("said").hidden ? []
            : [[said.left - area.left, said.top - area.top, said.right - area.left, said.bottom - area.top]];
        const weakest_first = [...detections].reverse();
        labels.place(boxes, $("boxes"), weakest_first.map((one) => one.score + (same(one.looker, shown) ? 1 : 0)), taken);
    }

    function set_up_classes() {
        $("classes-part").hidden = data.classes.length === 0;
        page.show_classes(data.classes, {sure_above: data.sure_above, classes: data.known_classes});
    }

    // ---- pointer and keys ---------------------------------------------------------------------------

    const view = $("view");

    function cell_under(event) {
        const area = picture.getBoundingClientRect();
        return encoder.cell_at((event.clientX - area.left) / area.width * data.width,
                               (event.clientY - area.top) / area.height * data.height);
    }
    function change_layer(by) {
        const {bank} = shown;
        bank.layer = Math.min(Math.max(bank.layer + by, 0), bank.layers.length - 1);
        draw();
    }
    function change_head(by) {
        const {bank} = shown;
        const place = (bank.head === null ? 0 : bank.head + 1) + by;
        if (bank.heads > 1 && place >= 0 && place <= bank.heads) bank.head = place === 0 ? null : place - 1;
        draw();
    }
    function step(rows, columns) {
        if (!encoder) return;
        const {grid, stride} = encoder;
        const from = shown.patch && shown.bank === encoder
            ? shown.patch : {row: grid.height >> 1, column: grid.width >> 1};
        const within = (v, count) => Math.min(Math.max(v, 0), count - 1);
        look(patch_looker(encoder, {row: within(from.row + rows * stride, grid.height),
                                    column: within(from.column + columns * stride, grid.width)}));
    }

    const keys = {
        ArrowLeft: () => step(0, -1),
        ArrowRight: () => step(0, 1),
        ArrowUp: () => step(-1, 0),
        ArrowDown: () => step(1, 0),
        PageUp: () => change_layer(1),
        PageDown: () => change_layer(-1),
        "[": () => change_head(-1),
        "]": () => change_head(1),
        Enter: () => hold(shown),
        Home: () => {
            release();
            look(beginning());
        },
    };
    view.addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.altKey || event.metaKey || !keys[event.key] || !shown) return;
        event.preventDefault();
        keys[event.key]();
    });
    document.addEventListener("keydown", (event) => {
        if (event.key === "Escape") release();
    });
    view.addEventListener("pointermove", (event) => {
        const area = view.getBoundingClientRect(), x = event.clientX - area.left, y = event.clientY - area.top;
        const one = $("boxes").hidden || event.pointerType === "touch" ? null
            : labels.smallest_at(detections, x / area.width * data.width, y / area.height * data.height);
        labels.show_tip(one ? labels.full_text(one) : "", x, y);
        if (encoder && !held) look(patch_looker(encoder, cell_under(event)));
    });
    view.addEventListener("pointerleave", () => labels.show_tip(""));
    view.addEventListener("click", (event) => {
        if (encoder) hold(patch_looker(encoder, cell_under(event)));
    });

    $("layer").addEventListener("input", () => {
        if (shown) shown.bank.layer = Number($("layer").value);
        draw();
    });
    $("head").addEventListener("input", () => {
        const place = Number($("head").value);
        if (shown) shown.bank.head = place === 0 ? null : place - 1;
        draw();
    });
    for (const id of ["opacity", "share", "smooth"]) $(id).addEventListener("input", draw);
    $("show-boxes").addEventListener("input", () => { $("boxes").hidden = !$("show-boxes").checked; });
    $("show-caption").addEventListener("input", () => {
        $("said").hidden = !$("show-caption").checked || data.caption.words.length === 0;
        place_labels();
    });
    addEventListener("resize", place_labels);
    $("overview").addEventListener("click", (event) => {
        if (!shown) return;
        const {bank} = shown, area = $("overview").getBoundingClientRect();
        const columns = overview_columns(bank), rows = bank.layers.length;
        const within = (part, count) => Math.min(Math.max(Math.floor(part * count), 0), count - 1);
        bank.layer = within((event.clientY - area.top) / area.height, rows);
        const column = within((event.clientX - area.left) / area.width, columns);
        if (bank.heads > 1) bank.head = column === 0 ? null : column - 1;
        draw();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => draw());

    // ---- beginning ------------------------------------------------------------------------------------

    // The report opens with its strongest detection, else with the most probable long word of the caption.
    function beginning() {
        const words = lookers.filter(({bank}) => bank.kind === "words");
        const telling = ({row}) => data.caption.words[row].text.length > 3 ? data.caption.words[row].p : -1;
        const middle = () => ({row: encoder.grid.height >> 1, column: encoder.grid.width >> 1});
        return detections[0]?.looker || words.sort((a, b) => telling(b) - telling(a))[0] ||
               lookers.find((one) => one.bank.kind === "rollout") || lookers[0] ||
               (encoder && patch_looker(encoder, middle()));
    }

    function set_up() {
        $("models").textContent = data.models;
        page.set_aspect(data.width, data.height);
        picture.alt = `${data.name}, ${data.width} by ${data.height} pixels`;
        canvas.width = data.shown_width;
        canvas.height = data.shown_height;
        scale.x = canvas.width / data.width;
        scale.y = canvas.height / data.height;
        page.draw_colours($("colours"));
        set_up_encoders();
        for (const bank of of_kind("words")) set_up_words(bank);
        for (const bank of of_kind("detections")) set_up_detections(bank);
        set_up_classes();
        causes.set_up(data, picture);
        for (const note of data.notes) $("notes").append(element("li", {textContent: note}));
        $("notes-part").open = data.left_out;
        look(beginning());
    }
    set_up();

    // For scripts and tests: what is shown, as numbers.
    window.saccade = {
        map: () => Array.from(now),
        shown: () => ({kind: shown.bank.kind, task: shown.bank.task, row: shown.row, held,
                       layer: shown.bank.layers[shown.bank.layer], head: shown.bank.head,
                       points: shown.bank.points(shown.row), patch: shown.patch ?? null,
                       window: shown.patch ? shown.bank.window_of(shown.patch) : null}),
    };
})();
