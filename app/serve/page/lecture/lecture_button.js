// The button that asks for a lecture of the newest frame, and the line that says what becomes of it.
const lecture_button = (() => {
    const {$} = page;
    const patience = 20000;  // milliseconds until a wish that the program has not heard is forgotten
    let asked = null;        // {number, time}: this viewer waits for a page with a larger number

    const news = () => live.state?.lecture ?? null;
    const may_ask = () => news() !== null && !news().for_class && !live.read_only;
    // The page of this source; of a class, the one that follows the teacher.
    const address = () => new URL((news().for_class ? "/lecture" : "/lecture/page") + location.search, location.href);

    function ask() {
        if (!may_ask() || asked || news().making) return;
        asked = {number: news().number, time: performance.now()};
        link.send({set: {lecture: true}});
        show();
        page.say("asking for a lecture of this frame");
    }
    // The page opens by itself if the browser lets it: the click may be too long ago.
    function open_mine() {
        asked = null;
        page.say("the lecture is ready");
        if (!window.open(address(), "_blank")) $("lecture-link").focus();
    }
    function text() {
        const {making, error} = news();
        if (making) return `Lecture: ${making} …`;
        if (error) return `There is no lecture: ${error}`;
        if (asked) return "Lecture: waiting for its turn …";
        return "";
    }
    function show() {
        const now = news();
        if (asked && now && !now.making) {
            if (now.number > asked.number) open_mine();
            else if (performance.now() - asked.time > patience || (now.error && now.asked_by === live.you)) asked = null;
        }
        const made = now !== null && (now.number > 0 || now.for_class);
        $("lecture").hidden = !may_ask();
        $("lecture").disabled = Boolean(asked || now?.making);
        const line = now ? text() : "";
        if ($("lecture-now").textContent !== line) $("lecture-now").textContent = line;
        $("lecture-link").hidden = !made;
        if (made) $("lecture-link").href = address();
        $("lecture-note").hidden = !line && !made;
    }
    $("lecture").addEventListener("click", ask);
    return {show, ask};
})();
