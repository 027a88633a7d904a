#include <algorithm>
#include <cstdio>

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

// The queries with the highest scores, best first. On untrained weights scores differ in the
// seventh digit: the references were chosen in float64, so an fp32 model chooses here.
std::vector<uint32_t> best_queries(Engine& engine, const std::filesystem::path& model,
                                   const Detector& detector, const Frame& frame) {
    DetectionFilter five;
    five.threshold = -1;
    five.most = 5;
    std::vector<Detection> found = detector.findings().detections(five);
    if (detector.precision() != Type::f32) {
        Detector exact = Detector::open(engine.device(), model, Type::f32);
        exact.prepare({frame.width(), frame.height()});
        DetectionTaps no_taps;
        run(engine, exact, frame, no_taps);
        found = exact.findings().detections(five);
    }
    std::vector<uint32_t> queries;
    for (const Detection& one : found) queries.push_back(one.query);
    return queries;
}

// Mask logits of some queries, (queries, rows, columns), every fourth of them, and the inner
// tensors of the first query's mask.
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
            throw Error("query " + std::to_string(query) + " has no mask: only the best do");
        const auto index = static_cast<uint32_t>(place - masked.begin());
        for (uint32_t y = 0; y < size.y; y += step)
            for (uint32_t x = 0; x < size.x; x += step)
                some.push_back(logits[(size_t(index) * size.y + y) * size.x + x]);
        if (query != queries.front()) continue;
        for (const char* name : {"mask_stage_0", "mask_stage_1", "mask_stage_2"})
            add_map(engine, name, parts[name].x.at_batch(index), parts[name].size, out);
        const Parts::Part& maps = parts["mask_attention"];
        const auto cells =
            read_back(engine, "map", [&](Commands&) { return maps.x.at_batch(index); });
        std::vector<float> heads;
        for (uint32_t head = 0; head < maps.x.columns; ++head)
            for (size_t i = head; i < cells.size(); i += maps.x.columns) heads.push_back(cells[i]);
        out.add("mask_attention_top1", {maps.x.columns, maps.size.y, maps.size.x},
                std::move(heads));
    }
    auto count = [](uint64_t side) { return (side + step - 1) / step; };
    out.add("pred_masks_top5", {queries.size(), count(size.y), count(size.x)}, std::move(some));
}

// Taps on the layers whose attention is compared: the encoder's first and last, and the last in
// which queries attend to the picture.
DetectionTaps taps_on(const DetectionModel& model) {
    const uint32_t encoder = model.encoder_layers(), decoder = model.decoder_layers();
    DetectionTaps taps;
    taps.encoder = encoder > 0 ? Tap({0, encoder - 1}, true) : Tap({}, true);
    taps.decoder = decoder > 0 ? Tap({decoder - 1}, true) : Tap({}, true);
    taps.queries = decoder > 0 ? Tap({decoder - 1}) : Tap();
    taps.parts = Parts(true);
    return taps;
}

// One row of attention over all keys, not only those that are cells of the picture.
std::vector<float> attention_row(Engine& engine, const Tap& tap, uint32_t layer, uint32_t row,
                                 std::optional<uint32_t> head = std::nullopt) {
    const AttentionRow attention(engine.device());
    return read_back(engine, "attention",
                     [&](Commands& c) { return attention.record(c, tap.layer(layer), row, head); });
}

// Self-attention of the cell in the middle, in a layer of the encoder.
void add_centre_attention(Engine& engine, const std::string& name, const Detector& detector,
                          const Tap& encoder, uint32_t layer, Collection& out) {
    const TokenLayout tokens = detector.layout();
    const uint32_t centre =
        tokens.first_cell + tokens.grid.y / 2 * tokens.grid.x + tokens.grid.x / 2;
    out.add(name, {encoder.layer(layer).k.rows}, attention_row(engine, encoder, layer, centre));
}

// The states of the first queries that the heads read, and about 16 tokens of DETR's memory.
void add_states(Engine& engine, const DetectionModel& model, const DetectionTaps& taps,
                Collection& out) {
    const bool cross = model.decoder_layers() > 0;
    const uint32_t first = std::min(8u, model.queries());
    const Tensor& queries = taps.decoder.hidden_states().at(0);
    out.add(cross ? "decoder_last" : "last_detection_tokens", {first, queries.columns},
            read_back(engine, "queries", [&](Commands&) { return queries.slice_rows(0, first); }));
    if (cross)
        add_some_tokens(engine, "encoder_last",
                        taps.encoder.hidden_states().at(model.encoder_layers()), out);
}

// Attention of some queries to the picture, averaged over heads; in a decoder also of query 0, by
// head.
void add_query_attention(Engine& engine, const Detector& detector, const DetectionTaps& taps,
                         const std::vector<uint32_t>& queries, Collection& out) {
    const DetectionModel& model = detector.model();
    const bool cross = model.decoder_layers() > 0;
    const Tap& tap = cross ? taps.decoder : taps.encoder;
    const uint32_t layer = (cross ? model.decoder_layers() : model.encoder_layers()) - 1;
    const uint64_t keys = tap.layer(layer).k.rows;
    std::vector<float> rows;
    for (uint32_t query : queries) {
        if (query >= model.queries())
            throw Error("the model has no query " + std::to_string(query));
        const auto row = attention_row(engine, tap, layer, detector.layout().first_query + query);
        rows.insert(rows.end(), row.begin(), row.end());
    }
    out.add(cross ? "cross_attention_top5" : "attention_top5", {queries.size(), keys},
            std::move(rows));
    if (!cross) return;
    std::vector<float> by_head;
    const uint32_t heads = tap.layer(layer).heads.count;
    for (uint32_t head = 0; head < heads; ++head) {
        const auto row = attention_row(engine, tap, layer, 0, head);
        by_head.insert(by_head.end(), row.begin(), row.end());
    }
    out.add("cross_attention_heads_q0", {heads, keys}, std::move(by_head));
}

}  // namespace

void dump_detector(Engine& engine, const std::filesystem::path& model, const PictureView& picture,
                   const DumpInputs& inputs, Collection& out) {
    Detector detector =
        Detector::open(engine.device(), model, engine.precision(), {}, no_tokenizer, inputs.as);
    if (!detector.remark().empty())
        std::fprintf(stderr, "saccade: the detector: %s\n", detector.remark().c_str());
    if (detector.phrases()) return dump_owl(engine, detector, picture, inputs, out);
    detector.prepare({picture.width, picture.height});
    Frame frame(engine.device(), picture.width, picture.height, picture.bgr);
    frame.write(picture);
    DetectionTaps taps = taps_on(detector.model());
    run(engine, detector, frame, taps);

    const uint32_t queries = detector.model().queries();
    const uint32_t last = detector.model().encoder_layers() - 1;
    add_pixel_values(engine, detector.input(), frame, out);
    if (taps.parts.has("topk_indices")) {
        dump_queries(engine, detector, taps, inputs, out);
        if (taps.parts.has("aifi"))
            add_centre_attention(engine, "aifi_attention_center", detector, taps.encoder, last,
                                 out);
        return;
    }
    out.add("logits", {queries, detector.labels().size() + 1}, detector.findings().logits());
    out.add("boxes", {queries, 4}, detector.findings().boxes());
    add_states(engine, detector.model(), taps, out);
    const std::vector<uint32_t> top = inputs.top5_queries.empty()
                                          ? best_queries(engine, model, detector, frame)
                                          : inputs.top5_queries;
    add_query_attention(engine, detector, taps, top, out);
    if (detector.model().decoder_layers() == 0) return;
    add_centre_attention(engine, "encoder_attention_center", detector, taps.encoder, last, out);
    if (area(detector.findings().mask_size()) == 0) return;
    add_centre_attention(engine, "encoder_attention_first", detector, taps.encoder, 0, out);
    add_masks(engine, detector, taps.parts, top, out);
}

}  // namespace saccade
