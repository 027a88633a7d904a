"use strict";
// Small pictures of all sources. The next picture of a source is asked for when the last one has come, so a slow line
// gets fewer; at most a few a second, and of no source that gives none.
const pace = 250;      // milliseconds between two pictures of a source
const patience = 1500;  // until a source that gave no picture is asked again
const tiles = new Map();

function tile_of(name) {
    let tile = tiles.get(name);
    if (tile) return tile;
    const link = document.getElementById("tile").content.firstElementChild.cloneNode(true);
    link.href = "/?source=" + encodeURIComponent(name);
    link.querySelector(".name").textContent = name;
    link.querySelector("img").alt = name;
    document.getElementById("wall").append(link);
    tile = {link, name, alive: false, seen: false};
    tiles.set(name, tile);
    follow(tile);
    return tile;
}

async function picture_of(tile) {
    const answer = await fetch("/frame.jpg?small&source=" + encodeURIComponent(tile.name)).catch(() => null);
    if (!answer?.ok) return false;
    const image = tile.link.querySelector("img");
    const address = URL.createObjectURL(await answer.blob());
    const before = image.src;
    image.src = address;
    if (before) URL.revokeObjectURL(before);
    return true;
}

const sleep = ms => new Promise(done => setTimeout(done, ms));

async function follow(tile) {
    for (;;) {
        const begin = performance.now();
        const wanted = !document.hidden && (tile.alive || !tile.seen && tile.frames > 0);
        const came = wanted && await picture_of(tile);
        if (came) tile.seen = true;
        await sleep(Math.max((came ? pace : wanted ? patience : pace) - (performance.now() - begin), 20));
    }
}

// As many columns as make the tiles largest.
function lay_out() {
    const wall = document.getElementById("wall");
    const count = tiles.size, width = wall.clientWidth;
    const height = Math.max(innerHeight - wall.getBoundingClientRect().top - 16, 200);
    const gap = 8, caption = 32;
    let best = {columns: 1, tile: 0};
    for (let columns = 1; columns <= count; ++columns) {
        const rows = Math.ceil(count / columns);
        const across = (width - gap * (columns - 1)) / columns;
        const down = ((height - gap * (rows - 1)) / rows - caption) * 16 / 9;
        const tile = Math.min(across, down);
        if (tile > best.tile) best = {columns, tile};
    }
    // Small screens scroll: two tiles side by side can still be seen.
    if (best.tile < 150) best.columns = Math.max(1, Math.floor(width / 160));
    wall.style.setProperty("--columns", best.columns);
}

function since(ms) {
    return new Date(Date.now() - ms).toLocaleTimeString();
}

function tell(source) {
    const tile = tile_of(source.name);
    tile.alive = !source.state;
    tile.frames = source.frames;
    tile.link.classList.toggle("gone", !tile.alive);
    const state = tile.link.querySelector(".state");
    state.hidden = tile.alive;
    const from = "since " + since(source.silent_ms) + ": ";
    state.textContent = tile.alive ? "" : from + source.state;
    const dropped = source.dropped > 0 ? `, ${source.dropped} dropped` : "";
    tile.link.querySelector(".rate").textContent = tile.alive ? `${source.rate.toFixed(1)}/s${dropped}` : "";
}

async function poll() {
    const trouble = document.getElementById("trouble");
    for (;;) {
        const answer = await fetch("/sources.json").catch(() => null);
        const sources = answer?.ok ? await answer.json() : null;
        trouble.hidden = sources !== null;
        if (sources) {
            const count = tiles.size;
            for (const source of sources) if (source.name) tell(source);
            if (tiles.size !== count) lay_out();
            const alive = [...tiles.values()].filter(tile => tile.alive).length;
            document.getElementById("about").textContent = `${alive} of ${tiles.size} sources`;
        } else {
            trouble.textContent = answer?.status === 401
                ? "Saccade was restarted with another token: open the address that it has printed."
                : "The connection is lost; trying again.";
        }
        await sleep(1000);
    }
}

addEventListener("resize", lay_out);
poll();
