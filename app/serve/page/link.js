// The state that the parts of the page share.
const live = {
    state: null,       // the shared state: see LiveViewers::tell
    you: 0,            // this viewer's number
    viewers: [],
    read_only: false,  // this viewer cannot change the shared state
    frame: null,       // the last frame: {number, line, found, map}, see picture_message.h
    frozen_by: 0,      // the number of the viewer who has frozen the picture; 0: none of them
    paused: false,     // a read-only viewer has stopped its own picture
};

// The WebSocket to the program. It reconnects when the connection is lost, and measures the offset between
// the two clocks. See picture_message.h and viewer_message.h for the messages.
const link = (() => {
    let socket = null;
    let delay = 250;  // milliseconds until the next attempt to connect
    let clocks = [], offset = null;
    const on = {opened() {}, picture() {}, news() {}, lost() {}};

    function send(message) {
        if (socket && socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
    }
    // Of the last answers the fastest is the most accurate.
    function take_clock({clock, now}) {
        const here = performance.now();
        clocks.push({trip: here - clock, offset: now - (here + clock) / 2});
        clocks = clocks.slice(-8);
        offset = clocks.reduce((a, b) => a.trip <= b.trip ? a : b).offset;
    }
    setInterval(() => send({clock: performance.now()}), 2000);

    function connect() {
        const address = new URL("/watch" + location.search, location.href);
        address.protocol = address.protocol.replace("http", "ws");
        const mine = socket = new WebSocket(address, "saccade");
        socket.binaryType = "arraybuffer";
        socket.addEventListener("open", () => {
            delay = 250;
            clocks = [];
            offset = null;
            send({clock: performance.now()});
            on.opened();
        });
        socket.addEventListener("message", ({data}) => {
            if (socket !== mine) return;
            if (data instanceof ArrayBuffer) {
                on.picture(data);
                return;
            }
            const message = JSON.parse(data);
            if ("clock" in message) take_clock(message);
            else on.news(message);
        });
        socket.addEventListener("close", lost);
    }
    async function lost() {
        socket = null;
        on.lost("The connection is lost; trying again.");
        const answer = await fetch("/healthz").catch(() => null);
        const allowed = answer && await fetch("/", {method: "HEAD"}).catch(() => null);
        if (allowed?.status === 401)
            on.lost("Saccade was restarted with another token: open the address that it has printed.");
        setTimeout(connect, delay);
        delay = Math.min(2 * delay, 5000);
    }
    // Milliseconds since a time of the program's clock; null while the offset is unknown.
    function since(moment) { return offset === null ? null : performance.now() + offset - moment; }

    return {on, connect, send, since, connected: () => socket?.readyState === WebSocket.OPEN};
})();
