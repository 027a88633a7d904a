// The words of a caption, each as opaque as it is probable: on the picture and beside it.
const captions = (() => {
    const unsure_below = 0.1;

    // `handlers` are {enter, leave, click}, each called with the word's number.
    function make(name, number, handlers) {
        const word = page.element(name, {className: "word"});
        if (name === "button") word.type = "button";
        for (const event of ["pointerenter", "focus"])
            word.addEventListener(event, ({pointerType}) => {
                if (pointerType !== "touch") handlers.enter(number);
            });
        for (const event of ["pointerleave", "blur"]) word.addEventListener(event, () => handlers.leave(number));
        // The picture under the word is not pointed at.
        for (const event of ["pointermove", "pointerdown"])
            word.addEventListener(event, (moved) => moved.stopPropagation());
        word.addEventListener("click", (event) => {
            event.stopPropagation();
            handlers.click(number);
        });
        return word;
    }
    function update(element, {text, p}, lit) {
        element.classList.toggle("lit", lit);
        const shows = text + page.percent(p);
        if (element.shows === shows) return;
        element.shows = shows;
        element.classList.toggle("unsure", p < unsure_below);
        element.style.setProperty("--p", p.toFixed(3));
        element.dataset.p = page.percent(p);
        const letters = page.element("span", {textContent: text});
        element.replaceChildren(letters);
        if (element.localName === "button") element.append(page.element("small", {textContent: element.dataset.p}));
    }
    // Fills a container; the elements stay from frame to frame, so that one under the pointer is kept.
    function show(container, words, lit, handlers) {
        const name = container.id === "caption" ? "button" : "span";
        page.fill(container, words, (i) => make(name, i, handlers),
                  (element, word, i) => update(element, word, i === lit));
    }
    return {show};
})();
