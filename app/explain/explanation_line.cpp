#include "app/explain/explanation_line.h"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/io/text.h"
#include "models/files/json.h"

namespace saccade {

namespace {

using Ordered = nlohmann::ordered_json;

// Six digits behind the point say all that single precision knows of a probability.
double rounded(double value) { return std::round(value * 1e6) / 1e6; }

Ordered rows_of(const std::vector<float>& cells, Size grid) {
    Ordered rows = Ordered::array();
    for (uint32_t y = 0; y < grid.y; ++y) {
        Ordered row = Ordered::array();
        for (uint32_t x = 0; x < grid.x; ++x) row.push_back(rounded(double(cells[y * grid.x + x])));
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace

std::string json_of(const std::string& image, const Explanation& e) {
    Ordered target{{"kind", e.target.kind}, {"label", e.target.label}};
    target["score"] = rounded(e.target.score);
    if (e.target.box) {
        const Rectangle& box = *e.target.box;
        target["box"] = {rounded(double(box.min.x)), rounded(double(box.min.y)),
                         rounded(double(box.max.x)), rounded(double(box.max.y))};
    }
    const Size grid = e.geometry.grid;
    Ordered heads = Ordered::array();
    for (const std::vector<float>& layer : e.heads) {
        Ordered row = Ordered::array();
        for (const float effect : layer) row.push_back(rounded(double(effect)));
        heads.push_back(std::move(row));
    }
    Ordered meter = Ordered::object();
    const Meter::Spread out = e.meter.random_deletion(), in = e.meter.random_insertion();
    for (const Meter::Method& method : e.meter.methods)
        meter[method.name] = {{"deletion", rounded(method.curves.deletion_area())},
                              {"insertion", rounded(method.curves.insertion_area())},
                              {"random_deletion", rounded(out.mean)},
                              {"random_insertion", rounded(in.mean)},
                              {"random_deletion_deviation", rounded(out.deviation)},
                              {"random_insertion_deviation", rounded(in.deviation)},
                              {"words", e.meter.in_words(method)}};
    Ordered line{{"image", text_of_name(image)}, {"target", std::move(target)}};
    if (!e.text.empty()) line["text"] = e.text;
    line["unit"] = e.unit;
    line["grid"] = {grid.y, grid.x};
    line["cause"] = rows_of(e.cause, grid);
    line["noise"] = rounded(e.noise);
    line["peak"] = {rounded(double(e.peak.x)), rounded(double(e.peak.y))};
    for (const RankedMap& map : e.others) line["others"][map.name] = rows_of(map.cells, grid);
    if (!e.meter.methods.empty()) {
        line["heads"] = std::move(heads);
        line["layers"] = e.layers;
        line["meter"] = std::move(meter);
    }
    line["knock_outs"] = e.knock_outs;
    return line.dump(-1, ' ', false, Ordered::error_handler_t::replace);
}

std::string text_of(const std::string& image, const Explanation& e) {
    char part[256];
    std::string text = one_line(image) + "\n  " + e.target.kind + " " + in_quotes(e.target.label);
    std::snprintf(part, sizeof part, ", %.1f %%\n", 100 * e.target.score);
    text += part;
    std::snprintf(part, sizeof part,
                  "  needs most what is at (%.0f, %.0f): %u knock-outs of %ux%u cells, in %s, "
                  "noise %.2g\n",
                  double(e.peak.x), double(e.peak.y), e.knock_outs, e.geometry.grid.x,
                  e.geometry.grid.y, e.unit.c_str(), e.noise);
    text += part;
    struct Head {
        size_t layer = 0, head = 0;
        float effect = 0;
    } most;
    for (size_t layer = 0; layer < e.heads.size(); ++layer)
        for (size_t head = 0; head < e.heads[layer].size(); ++head)
            if (e.heads[layer][head] > most.effect) most = {layer, head, e.heads[layer][head]};
    if (e.heads.empty() && !e.meter.methods.empty())
        text += "  the model has no heads that can be switched off\n";
    else if (most.effect > 0) {
        std::snprintf(part, sizeof part, "  head %zu of layer %zu (%s) carries most: %.3g\n",
                      most.head, most.layer, e.layers.at(most.layer).c_str(), double(most.effect));
        text += part;
    }
    for (const Meter::Method& method : e.meter.methods)
        text += "  " + method.name + ": " + e.meter.in_words(method) + "\n";
    return text;
}

}  // namespace saccade
