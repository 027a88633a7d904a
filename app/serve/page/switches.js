// The switches of this viewer alone. The program says which there are, from its table of controls; the page builds
// them from that.
const switches = (() => {
    const {$, element} = page;
    const boxes = new Map(), keys = new Map();  // check boxes by name, names by key
    const offered = new Map();                  // names of switches that have something to show, or not yet
    const on = {changed() {}};                  // one of them was switched

    function build({name, label, key, line, tip, part, on: checked}) {
        const box = element("input", {type: "checkbox", id: `show-${name}`, checked});
        box.addEventListener("input", () => on.changed());
        const title = label[0].toUpperCase() + label.slice(1);
        $(`${part}-switches`).append(element("label", {id: `${name}-part`, title: tip, hidden: offered.get(name) === false}, box, title));
        boxes.set(name, box);
        if (!key) return;
        keys.set(key.toLowerCase(), name);
        $("switch-keys").append(element("div", {}, element("dt", {}, element("kbd", {textContent: key})),
                                        element("dd", {textContent: `${label}: ${line}`})));
    }
    function show(all) {
        const added = (all ?? []).filter(({name}) => !boxes.has(name));
        added.forEach(build);
        if (added.length > 0) on.changed();
    }
    // Until the program has said which there are, everything is shown.
    function is_on(name) { return boxes.get(name)?.checked ?? true; }
    // A switch without anything to show is hidden.
    function offer(name, there) {
        offered.set(name, there);
        if (boxes.has(name)) $(`${name}-part`).hidden = !there;
    }
    function press(key) {
        const box = boxes.get(keys.get(key));
        if (!box) return false;
        box.checked = !box.checked;
        on.changed();
        return true;
    }

    return {on, show, is_on, offer, press};
})();
