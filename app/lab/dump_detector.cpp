#include <algorithm>

#include "app/lab/dump_parts.h"
#include "gpu/core/error.h"
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
    taps.encoder = Tap({encoder_layers - 1}, true);
    taps.decoder = cross ? Tap({query_layer}, true) : Tap({}, true);
    run(engine, detector, frame, taps);

    const uint32_t queries = parts.queries();
    add_pixel_values(engine, detector.input(), frame, out);
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
    const Size grid = tokens.grid;
    out.add("encoder_attention_center", {keys},
            row_of(taps.encoder, encoder_layers - 1,
                   tokens.first_cell + grid.y / 2 * grid.x + grid.x / 2, std::nullopt));
}

}  // namespace saccade
