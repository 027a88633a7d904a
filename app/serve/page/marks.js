// Trails of tracks on the picture, and lines and zones with their counts.
const marks = (() => {
    const {$, fill} = page;
    const svg = (name, attributes = {}) => {
        const made = document.createElementNS($("marks").namespaceURI, name);
        for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
        return made;
    };
    function set(node, attributes) {
        for (const [key, value] of Object.entries(attributes))
            if (node.getAttribute(key) !== String(value)) node.setAttribute(key, value);
    }

    // ---- trails -------------------------------------------------------------------------------------

    const seconds = 2;
    let trails = new Map(), source = null, time = 0;  // points of each track, the newest last
    function follow(line, colours) {
        if (line.source !== source || line.time < time) trails = new Map();
        const again = line.time === time;  // the frame is repeated while frozen
        ({source, time} = line);
        (line.detections ?? []).forEach(({track, box}, i) => {
            if (track === undefined || again) return;
            const trail = trails.get(track) ?? {points: []};
            trail.colour = colours?.[i] ?? "#fff";
            trail.points.push({time, x: (box[0] + box[2]) / 2, y: (box[1] + box[3]) / 2});
            trails.set(track, trail);
        });
        for (const [track, trail] of trails) {
            trail.points = trail.points.filter((point) => time - point.time <= seconds);
            if (trail.points.length === 0) trails.delete(track);
        }
    }
    function shown_trails() {
        return switches.is_on("trails") && !live.state?.annotated && !drawing.is_tiled() ? [...trails.values()] : [];
    }
    function draw_trails() {
        fill($("trails"), shown_trails(), () => svg("polyline", {fill: "none"}), (node, {colour, points}) => {
            set(node, {points: points.map(({x, y}) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" "), stroke: colour});
        });
    }

    // ---- lines and zones ----------------------------------------------------------------------------

    // All lines and zones in pixels of the frame: {name, zone, corners, point}.
    function regions() {
        const told = live.state?.regions, line = live.frame?.line;
        if (!told || !line) return [];
        const [width, height] = told.size ?? [line.width, line.height];
        const fit = ([x, y]) => [x * line.width / width, y * line.height / height];
        return [
            ...(told.lines ?? []).map(({name, from, to, point}) =>
                ({name, zone: false, corners: [from, to].map(fit), point: point ?? "bottom"})),
            ...(told.zones ?? []).map(({name, corners, point}) =>
                ({name, zone: true, corners: corners.map(fit), point: point ?? "bottom"})),
        ];
    }
    function counts_of(name) {
        return live.frame?.line.counts?.[name] ?? live.state?.tracks?.counts?.[name] ?? {in: {}, out: {}, inside: {}};
    }
    const sum = (classes) => Object.values(classes ?? {}).reduce((a, b) => a + b, 0);
    // "door: in 3, out 1", "yard: 2 inside"
    function text_of({name, zone}) {
        const counts = counts_of(name);
        return zone ? `${name}: ${sum(counts.inside)} inside` : `${name}: in ${sum(counts.in)}, out ${sum(counts.out)}`;
    }
    // From the middle of a line to its "in" side: the right-hand side on the way from the first end to the
    // second.
    function arrow_of([[x0, y0], [x1, y1]], length) {
        const dx = x1 - x0, dy = y1 - y0, all = Math.hypot(dx, dy) || 1;
        const x = (x0 + x1) / 2, y = (y0 + y1) / 2;
        return [[x, y], [x - dy / all * length, y + dx / all * length]];
    }
    const points_of = (corners) => corners.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");

    function shown_regions() {
        return switches.is_on("regions") && !live.state?.annotated && !drawing.is_tiled() ? regions() : [];
    }
    function draw_regions() {
        const {width} = live.frame.line;
        const letter = 13 * width / Math.max($("view").clientWidth, 1);  // pixels of the frame
        fill($("regions-drawn"), shown_regions(), () => {
            const group = svg("g");
            group.append(svg("polygon"), svg("polyline", {"marker-end": "url(#arrow)"}), svg("text"));
            return group;
        }, (group, region) => {
            const [shape, arrow, text] = group.children;
            set(shape, {points: points_of(region.corners), class: region.zone ? "zone" : "line"});
            set(arrow, {points: region.zone ? "" : points_of(arrow_of(region.corners, width / 40))});
            const [x, y] = region.corners.reduce((a, b) => a[1] <= b[1] ? a : b);
            const right = x > 0.75 * width;
            set(text, {x: x + (right ? -0.4 : 0.4) * letter, y: Math.max(y, 0) + 1.1 * letter,
                       "font-size": letter, "text-anchor": right ? "end" : "start"});
            const words = text_of(region);
            if (text.textContent !== words) text.textContent = words;
        });
    }

    function draw() {
        if (!live.frame) return;
        const {width, height} = live.frame.line;
        set($("marks"), {viewBox: `0 0 ${width} ${height}`});
        draw_trails();
        draw_regions();
    }
    function forget() {
        trails = new Map();
        draw();
    }
    function take(line, colours) {
        follow(line, colours);
        if ((line.detections ?? []).some((one) => one.track)) switches.offer("trails", true);
        switches.offer("regions", Boolean(live.state?.regions));
        draw();
    }
    // For screenshots; `scale` is the canvas' pixels per pixel of the frame.
    function draw_on(context, scale, label) {
        const way = (corners, closed) => {
            context.beginPath();
            corners.forEach(([x, y]) => context.lineTo(x * scale, y * scale));
            if (closed) context.closePath();
            context.stroke();
        };
        for (const {colour, points} of shown_trails()) {
            context.strokeStyle = colour;
            way(points.map(({x, y}) => [x, y]), false);
        }
        for (const region of shown_regions()) {
            context.strokeStyle = "#fff";
            way(region.corners, region.zone);
            label(text_of(region), region.corners[0][0] * scale, region.corners[0][1] * scale, "#fff");
        }
    }

    for (const name of ["trails", "regions"]) switches.offer(name, false);

    return {svg, set, points_of, regions, counts_of, sum, draw, forget, take, draw_on};
})();
