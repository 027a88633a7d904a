#include <algorithm>

#include "app/lab/dump/dump_parts.h"
#include "gpu/core/error.h"
#include "models/attention/attention_maps.h"
#include "models/detector.h"

namespace saccade {

namespace {

void run(Engine& engine, Detector& detector, const Frame& frame, DetectionTaps& taps) {
    Commands c(engine.device(), engine.scratch(), "dump");
    c.begin();
    frame.record(c);
    detector.record(c, frame.image(), taps);
    c.end();
    c.run();
}

// The queries with the best scores, best first. On weights that nobody has trained, scores differ
// in the seventh digit: the references chose in float64, so this is asked of an fp32 model.
std::vector<uint32_t> best_queries(Engine& engine, const std::filesystem::path& model,
                                   const Detector& detector, const Frame& frame) {
    DetectionFilter five;
    five.threshold = -1;
    five.most = 5;
    std::vector<Detection> found = detector.findings().detections(five);
    if (detector.precision() != Type::f32) {
        Detector exact = Detector::open(engine.device(), model, Type::f32);
        exact.prepare({frame.width(), frame.height()});
        DetectionTaps nobody;
        run(engine, exact, frame, nobody);
        found = exact.findings().detections(five);
    }
    std::vector<uint32_t> queries;
    for (const Detection& one : found) queries.push_back(one.query);
    return queries;
}

// What a model that makes masks left of some queries: (queries, rows, columns) of logits, every
// fourth of them, and of the first query what its mask was made from.
void add_masks(Engine& engine, const Detector& detector, const Parts& parts,
               const std::vector<uint32_t>& queries, Collection& out) {
    add_maps(engine, parts, "backbone", out);
    const std::vector<uint32_t> masked = detector.findings().masked_queries();
    const std::vector<float> logits = detector.findings().mask_logits();
    const Size size = detector.findings().mask_size();
    constexpr uint32_t step = 4;
    std::vector<float> some;
    for (uint32_t query : queries) {
        const auto place = std::ranges::find(masked, query);
        if (place == masked.end())
            throw Error("query " + std::to_string(query) + " is not among those that got a mask");
        const auto index = static_cast<uint32_t>(place - masked.begin());
        for (uint32_t y = 0; y < size.y; y += step)
            for (uint32_t x = 0; x < size.x; x += step)
                some.push_back(logits[(size_t(index) * size.y + y) * size.x + x]);
        if (query != queries.front()) continue;
        for (const char* name : {"mask_stage_0", "mask_stage_1", "mask_stage_2"})
            add_map(engine, name, parts[name].x.at_batch(index), parts[name].size, out);
        const Parts::Part& seen = parts["mask_attention"];
        const auto cells =
            read_back(engine, "map", [&](Commands&) { return seen.x.at_batch(index); });
        std::vector<float> heads;
        for (uint32_t head = 0; head < seen.x.columns; ++head)
            for (size_t i = head; i < cells.size(); i += seen.x.columns) heads.push_back(cells[i]);
        out.add("mask_attention_top1", {seen.x.columns, seen.size.y, seen.size.x},
                std::move(heads));
    }
    auto count = [](uint64_t side) { return (side + step - 1) / step; };
    out.add("pred_masks_top5", {queries.size(), count(size.y), count(size.x)}, std::move(some));
}

}  // namespace

void dump_detector(Engine& engine, const std::filesystem::path& model, const PictureView& picture,
                   const DumpInputs& inputs, Collection& out) {
    Detector detector = Detector::open(engine.device(), model, engine.precision());
    if (detector.phrases()) return dump_owl(engine, detector, picture, inputs, out);
    const DetectionModel& parts = detector.model();
    detector.prepare({picture.width, picture.height});
    Frame frame(engine.device(), picture.width, picture.height, picture.bgr);
    frame.write(picture);

    const bool cross = parts.decoder_layers() > 0;
    const uint32_t encoder_layers = parts.encoder_layers();
    const uint32_t query_layer = (cross ? parts.decoder_layers() : encoder_layers) - 1;
    DetectionTaps taps;
    taps.encoder = encoder_layers > 0 ? Tap({0, encoder_layers - 1}, true) : Tap({}, true);
    taps.decoder = cross ? Tap({query_layer}, true) : Tap({}, true);
    taps.queries = cross ? Tap({query_layer}) : Tap();
    taps.parts = Parts(true);
    run(engine, detector, frame, taps);

    const uint32_t queries = parts.queries();
    add_pixel_values(engine, detector.input(), frame, out);
    if (taps.parts.has("topk_indices")) {
        dump_queries(engine, detector, taps, inputs, out);
        if (taps.parts.has("aifi")) {
            const TokenLayout tokens = detector.layout();
            const AttentionRow attention(engine.device());
            const uint32_t centre =
                tokens.first_cell + tokens.grid.y / 2 * tokens.grid.x + tokens.grid.x / 2;
            out.add("aifi_attention_center", {area(tokens.grid)},
                    read_back(engine, "attention", [&](Commands& c) {
                        return attention.record(c, taps.encoder.layer(encoder_layers - 1), centre,
                                                std::nullopt);
                    }));
        }
        return;
    }
    out.add("logits", {queries, detector.labels().size() + 1}, detector.findings().logits());
    out.add("boxes", {queries, 4}, detector.findings().boxes());

    // What the heads saw of the first queries.
    const uint32_t first = std::min(8u, queries);
    const Tensor& seen = taps.decoder.hidden_states().at(0);
    out.add(cross ? "decoder_last" : "last_detection_tokens", {first, seen.columns},
            read_back(engine, "queries", [&](Commands&) { return seen.slice_rows(0, first); }));
    if (cross) {
        const Tensor& z = taps.encoder.hidden_states().at(encoder_layers);
        std::vector<float> every;
        uint64_t rows = 0;
        for (uint32_t i = 0; i < z.rows; i += std::max(1u, z.rows / 16), ++rows) {
            const auto row =
                read_back(engine, "row", [&](Commands&) { return z.slice_rows(i, 1); });
            every.insert(every.end(), row.begin(), row.end());
        }
        out.add("encoder_last", {rows, z.columns}, std::move(every));
    }

    // Rows of attention, whole: not only what of them falls on the picture.
    const TokenLayout tokens = detector.layout();
    const AttentionRow attention(engine.device());
    auto row_of = [&](const Tap& tap, uint32_t layer, uint32_t row, std::optional<uint32_t> head) {
        return read_back(engine, "attention", [&](Commands& r) {
            return attention.record(r, tap.layer(layer), row, head);
        });
    };
    const Tap& tap = cross ? taps.decoder : taps.encoder;
    std::vector<float> best;
    const std::vector<uint32_t> top = inputs.top5_queries.empty()
                                          ? best_queries(engine, model, detector, frame)
                                          : inputs.top5_queries;
    for (uint32_t query : top)
        if (query >= detector.model().queries())
            throw Error("the model has no query " + std::to_string(query));
    for (uint32_t query : top) {
        const auto row = row_of(tap, query_layer, tokens.first_query + query, std::nullopt);
        best.insert(best.end(), row.begin(), row.end());
    }
    const uint64_t keys = tap.layer(query_layer).k.rows;
    out.add(cross ? "cross_attention_top5" : "attention_top5", {top.size(), keys}, std::move(best));
    if (!cross) return;
    std::vector<float> heads;
    const uint32_t head_count = tap.layer(query_layer).heads.count;
    for (uint32_t head = 0; head < head_count; ++head) {
        const auto row = row_of(tap, query_layer, 0, head);
        heads.insert(heads.end(), row.begin(), row.end());
    }
    out.add("cross_attention_heads_q0", {head_count, keys}, std::move(heads));
    const uint32_t centre =
        tokens.first_cell + tokens.grid.y / 2 * tokens.grid.x + tokens.grid.x / 2;
    out.add("encoder_attention_center", {keys},
            row_of(taps.encoder, encoder_layers - 1, centre, std::nullopt));
    if (area(detector.findings().mask_size()) == 0) return;
    out.add("encoder_attention_first", {keys}, row_of(taps.encoder, 0, centre, std::nullopt));
    add_masks(engine, detector, taps.parts, top, out);
}

}  // namespace saccade
