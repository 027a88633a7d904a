// The page of a class: `live --serve --lecture`. The lecture is in a frame, and tells by messages where it is; places
// of the teacher go to the program, which passes them on. See follow.js for the messages, classroom.h for the socket's.
"use strict";
(() => {
    const $ = (id) => document.getElementById(id);
    const pace = 250;  // milliseconds between two places that are sent
    const search = location.search, frame = $("lesson");
    let known = {lecture: {number: 0, making: "", error: ""}, at: null, teaches: false, here: 0};
    let shown = 0, ready = false;  // the number of the lecture in the frame
    let mine = null, sent = null, due = null;  // where this page's lecture is
    let socket = null, delay = 250, connected = false;

    // The teacher's key, which stays in this tab.
    const key = new URLSearchParams(location.hash.slice(1)).get("teach") ?? sessionStorage.getItem("teach");
    if (key) sessionStorage.setItem("teach", key);
    if (location.hash) history.replaceState(null, "", location.pathname + search);

    addEventListener("hashchange", () => location.reload());  // the teacher's address in the same tab

    const send = (message) => { if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message)); };
    const tell = (message) => frame.contentWindow?.postMessage({saccade: message}, location.origin);
    const follows = () => !known.teaches && $("follow").checked;

    // ---- what is shown -------------------------------------------------------------------------

    function line() {
        const {lecture, teaches, here} = known;
        if (!connected) return "The connection is lost; trying again.";
        if (lecture.making) return `${lecture.number > 0 ? "The next lecture" : "The lecture"}: ${lecture.making} …`;
        if (lecture.error) return `There is no ${lecture.number > 0 ? "newer " : ""}lecture: ${lecture.error}`;
        if (lecture.number === 0) return "There is no lecture yet.";
        if (teaches) return here === 1 ? "You teach. One person is here." : `You teach. ${here} people are here.`;
        if (!known.at) return "The teacher has not begun.";
        return follows() ? "You follow the teacher." : "You look around alone.";
    }
    function show() {
        if ($("class-now").textContent !== line()) $("class-now").textContent = line();
        $("follow-part").hidden = known.teaches;
        $("make").hidden = !known.teaches;
        $("make").disabled = Boolean(known.lecture.making);
        frame.hidden = shown === 0;
        $("alone").hidden = shown === 0;
    }
    function go() {
        if (ready && follows() && known.at) tell({go: known.at});
        else if (ready && !known.teaches) tell({alone: true});
    }
    function take(news) {
        known = news;
        if (known.lecture.number > shown) {
            shown = known.lecture.number;
            ready = false;
            mine = sent = null;
            frame.src = "/lecture/page" + search;
        }
        show();
        go();
    }

    // ---- the frame -----------------------------------------------------------------------------

    function pass_on() {
        due = null;
        if (!known.teaches || !mine || String(mine) === String(sent)) return;
        send({at: mine});
        sent = mine;
        due = setTimeout(pass_on, pace);
    }
    addEventListener("message", ({source, origin, data}) => {
        if (source !== frame.contentWindow || origin !== location.origin) return;
        const {ready: begins, at, own} = data?.saccade ?? {};
        if (begins) {
            ready = true;
            go();
        }
        if (at) {
            mine = at;
            if (due === null) pass_on();
        }
        // Whoever scrolls or clicks looks around alone.
        if (own && follows()) {
            $("follow").checked = false;
            show();
            go();
        }
    });
    $("follow").addEventListener("input", () => { show(); go(); });
    $("make").addEventListener("click", () => send({set: {lecture: true}}));
    $("alone").search = search;

    // ---- the program ---------------------------------------------------------------------------

    function connect() {
        const address = new URL("/watch" + (search ? search + "&" : "?") + "class", location.href);
        address.protocol = address.protocol.replace("http", "ws");
        socket = new WebSocket(address, "saccade");
        socket.addEventListener("open", () => {
            delay = 250;
            connected = true;
            sent = null;
            if (key) send({teach: key});
            show();
        });
        socket.addEventListener("message", ({data}) => {
            const message = JSON.parse(data);
            if (!message.class) return;
            take(message.class);
            if (known.teaches && due === null) pass_on();
        });
        socket.addEventListener("close", () => {
            connected = false;
            show();
            setTimeout(connect, delay);
            delay = Math.min(2 * delay, 5000);
        });
    }
    connect();
})();
