// What the parts of the page of `--serve` know together.
const live = {
    state: null,       // how things are: see LiveViewers::tell
    you: 0,            // our number
    viewers: [],
    read_only: false,  // we may only look
    frame: null,       // the last one: {number, line, found, map}, see picture_message.h
    paused: false,     // a viewer who may only look freezes his own picture
};

// The WebSocket to the program. It is opened again when it is lost, and tells how the program's clock
// differs from ours. See picture_message.h and viewer_message.h for what is said.
const link = (() => {
    let socket = null;
    let patience = 250;  // milliseconds until we try again
    let clocks = [], offset = null;
    const on = {opened() {}, picture() {}, news() {}, lost() {}};

    function send(message) {
        if (socket && socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
    }
    // The fastest answer of late says most.
    function take_clock({clock, now}) {
        const here = performance.now();
        clocks.push({trip: here - clock, offset: now - (here + clock) / 2});
        clocks = clocks.slice(-8);
        offset = clocks.reduce((a, b) => a.trip <= b.trip ? a : b).offset;
    }
    setInterval(() => send({clock: performance.now()}), 2000);

    function connect() {
        const address = new URL("/watch", location.href);
        address.protocol = address.protocol.replace("http", "ws");
        const mine = socket = new WebSocket(address, "saccade");
        socket.binaryType = "arraybuffer";
        socket.addEventListener("open", () => {
            patience = 250;
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
            on.lost("It was started again with another token: open the address that saccade has printed.");
        setTimeout(connect, patience);
        patience = Math.min(2 * patience, 5000);
    }
    // Milliseconds since a moment of the program's clock; null while that is not known.
    function since(moment) { return offset === null ? null : performance.now() + offset - moment; }

    return {on, connect, send, since, connected: () => socket?.readyState === WebSocket.OPEN};
})();
