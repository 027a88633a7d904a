// Section 9: tokens squared.
const cost_section = {
    id: "cost",
    applies: () => lesson.cost?.rows.length > 1,
    uses: [],
    build(figure) {
        const {element} = page, say = (key, ...values) => texts.of(`sections.cost.labels.${key}`, ...values);
        const {rows, dim, heads, inner, patch} = lesson.cost;
        const series = ["attention", "products"].map((kind) => ({
            name: say(kind),
            points: rows.map((row) => [row.tokens, row[`${kind}_ms`],
                                       `${say(kind)}, ${row.tokens} ${say("tokens")}: ${figures.round(row[`${kind}_ms`])} ${say("axis")}`]),
        }));
        let log = false;
        const chart = element("div");
        const table = element("table", {className: "numbers"});
        const head = element("tr");
        for (const key of ["side", "tokens", "attention", "products"]) head.append(element("th", {scope: "col", textContent: say(key)}));
        table.append(head);
        const number = (x) => x >= 1e9 ? `${figures.round(x / 1e9)} G` : `${figures.round(x / 1e6, 1)} M`;
        for (const row of rows) {
            const line = element("tr", {}, element("th", {scope: "row", textContent: row.side}), element("td", {textContent: row.tokens}));
            for (const kind of ["attention", "products"])
                line.append(element("td", {}, `${figures.round(row[`${kind}_ms`])} ${say("milliseconds")}`,
                                    element("small", {textContent: `${number(row[`${kind}_flop`])} ${say("operations")}`})));
            table.append(line);
        }
        const switch_log = element("input", {type: "checkbox"});
        switch_log.addEventListener("change", () => { log = switch_log.checked; lecture.refresh("cost"); });
        figure.append(element("div", {className: "panels"},
                              element("div", {}, chart, element("label", {className: "check"}, switch_log, "log")),
                              element("div", {className: "scroll"}, table)),
                      element("p", {className: "note", textContent: `${say("width", dim, heads, inner, patch)} · ${lesson.device}, ${lesson.precision}`}));
        return () => {
            chart.replaceChildren(figures.chart(series, {x_label: say("tokens"), y_label: `${say("time")} (${say("axis")})`, log, least: log ? null : 0}));
        };
    },
};
