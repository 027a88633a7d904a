#include <algorithm>
#include <numeric>

#include "app/lab/dump/dump_parts.h"
#include "gpu/core/error.h"
#include "models/attention/attention_maps.h"

// Detectors with query selection. Rows of queries are sorted by their cell, as in the references,
// because some of hundreds of scores are within rounding of each other.

namespace saccade {

namespace {

// The whole tensor, for the first picture.
std::vector<float> whole(Engine& engine, const Tensor& x) {
    return read_back(engine, "part", [&](Commands&) { return x.at_batch(0); });
}

// Rows of (rows, columns) values.
std::vector<float> rows_of(const std::vector<float>& all, size_t columns,
                           const std::vector<uint32_t>& rows) {
    std::vector<float> some;
    for (uint32_t row : rows)
        some.insert(some.end(), all.begin() + std::ptrdiff_t(row * columns),
                    all.begin() + std::ptrdiff_t((row + 1) * columns));
    return some;
}

std::vector<uint32_t> words(Engine& engine, const Tensor& x) {
    Commands c(engine.device(), engine.scratch(), "words");
    Download download;
    c.begin();
    download.record(c, x.at_batch(0));
    c.end();
    c.run();
    return download.words();
}

}  // namespace

void add_map(Engine& engine, const std::string& name, const Tensor& map, Size size,
             Collection& out) {
    const auto all = read_back(engine, "map", [&](Commands&) { return map; });
    const uint32_t channels = map.columns, width = size.x, height = size.y;
    const uint32_t every = std::max(1u, channels / 16);
    const uint32_t down = std::max(1u, height / 8), across = std::max(1u, width / 8);
    std::vector<float> some;
    for (uint32_t channel = 0; channel < channels; channel += every)
        for (uint32_t y = 0; y < height; y += down)
            for (uint32_t x = 0; x < width; x += across)
                some.push_back(all[(size_t(y) * width + x) * channels + channel]);
    auto count = [](uint64_t all_of, uint64_t step) { return (all_of + step - 1) / step; };
    out.add(name, {count(channels, every), count(height, down), count(width, across)},
            std::move(some));
}

void add_maps(Engine& engine, const Parts& parts, const std::string& name, Collection& out) {
    auto add = [&](const std::string& one) {
        add_map(engine, one, parts[one].x.at_batch(0), parts[one].size, out);
    };
    if (parts.has(name)) add(name);
    for (uint32_t i = 0; parts.has(name + "_" + std::to_string(i)); ++i)
        add(name + "_" + std::to_string(i));
}

namespace {

// Attention of a class token of RF-DETR's backbone, by head: of the last window, in the last layer
// with window attention and in the last one with global attention.
void add_class_rows(Engine& engine, const Parts& parts, const Heads& heads, Collection& out) {
    for (const std::string name : {"window", "whole"}) {
        if (!parts.has(name + "_q")) continue;
        const Tensor &q = parts[name + "_q"].x, &k = parts[name + "_k"].x;
        out.add(name + "_attention_cls", {heads.count, k.rows},
                read_back(engine, "attention", [&](Commands& c) {
                    const Tensor map = c.scratch(1, heads.count, k.rows, Type::f32);
                    attention_map(c, map, q.at_batch(q.batch - 1), k.at_batch(k.batch - 1), heads,
                                  {0, 1, 0, heads.count});
                    return map;
                }));
    }
}

}  // namespace

void dump_queries(Engine& engine, const Detector& detector, const DetectionTaps& taps,
                  const DumpInputs& inputs, Collection& out) {
    const Parts& parts = taps.parts;
    const uint32_t queries = detector.model().queries(),
                   last = detector.model().decoder_layers() - 1;
    for (const char* name : {"backbone", "aifi", "hybrid", "projector"})
        add_maps(engine, parts, name, out);

    if (parts.has("whole_q"))
        add_class_rows(engine, parts, taps.encoder.layers().begin()->second.heads, out);

    // Sorted by cell.
    const std::vector<uint32_t> picks = words(engine, parts["topk_indices"].x);
    std::vector<uint32_t> order(queries);
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::sort(order, {}, [&](uint32_t i) { return picks[i]; });
    std::vector<int32_t> tokens;
    for (uint32_t i : order) tokens.push_back(static_cast<int32_t>(picks[i]));
    out.add("topk_indices", {queries}, std::move(tokens));
    auto add_rows = [&](const std::string& name, std::vector<uint64_t> shape,
                        const std::vector<float>& all, const std::vector<uint32_t>& rows) {
        shape.insert(shape.begin(), rows.size());
        out.add(name, std::move(shape), rows_of(all, all.size() / queries, rows));
    };
    add_rows("topk_scores", {}, whole(engine, parts["topk_scores"].x), order);
    add_rows("reference_points", {4}, whole(engine, parts["reference_points"].x), order);

    const Tensor& states = taps.decoder.hidden_states().at(0);
    const std::vector<uint32_t> first(order.begin(),
                                      order.begin() + std::min<std::ptrdiff_t>(8, queries));
    add_rows("decoder_last", {states.columns}, whole(engine, states), first);
    const AttentionRow attention(engine.device());
    const auto row = read_back(engine, "attention", [&](Commands& c) {
        return attention.record(c, taps.queries.layer(last), order[0], std::nullopt);
    });
    out.add("decoder_attention_q0", {queries}, rows_of(row, 1, order));

    const size_t classes = detector.labels().size();
    const std::vector<float> logits = detector.findings().logits();
    add_rows("logits", {logits.size() / queries}, logits, order);
    add_rows("boxes", {4}, detector.findings().boxes(), order);

    // The best five, as indices into the sorted rows.
    std::vector<uint32_t> top = inputs.top5_queries;
    if (top.empty()) {
        std::vector<float> best;
        for (uint32_t i : order)
            best.push_back(*std::max_element(logits.begin() + std::ptrdiff_t(i * classes),
                                             logits.begin() + std::ptrdiff_t((i + 1) * classes)));
        top.resize(queries);
        std::iota(top.begin(), top.end(), 0u);
        std::ranges::stable_sort(top, std::greater(), [&](uint32_t i) { return best[i]; });
        top.resize(std::min(5u, queries));
    }
    for (uint32_t& query : top) {
        if (query >= queries) throw Error("the model has no query " + std::to_string(query));
        query = order[query];
    }
    const Tap::Kept& points = taps.decoder.layer(last);
    const uint64_t heads = points.heads.count, each = points.k.columns / heads;
    add_rows("sampling_locations_top5", {heads, each, 2}, whole(engine, points.q), top);
    add_rows("sampling_weights_top5", {heads, each}, whole(engine, points.k), top);
    if (parts.has("corners"))
        add_rows("corners_top5", {parts["corners"].x.columns}, whole(engine, parts["corners"].x),
                 top);
}

}  // namespace saccade
