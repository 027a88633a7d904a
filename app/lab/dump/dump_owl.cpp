#include <algorithm>

#include "app/lab/dump/dump_parts.h"
#include "gpu/core/error.h"
#include "models/contrast/owl.h"
#include "models/detector.h"

namespace saccade {

namespace {

// Every `step`-th row of a table with this many columns.
std::vector<float> every(const std::vector<float>& table, size_t columns, size_t step) {
    std::vector<float> some;
    for (size_t at = 0; at < table.size(); at += step * columns)
        some.insert(some.end(), table.begin() + std::ptrdiff_t(at),
                    table.begin() + std::ptrdiff_t(at + columns));
    return some;
}

}  // namespace

void dump_owl(Engine& engine, Detector& detector, const PictureView& picture,
              const DumpInputs& inputs, Collection& out) {
    const auto& model = dynamic_cast<const Owl&>(detector.model());
    Phrases& phrases = *detector.phrases();
    const TextIds texts = texts_for(phrases.tower().config(), inputs);
    const uint64_t count = texts.rows.size();
    phrases.use(text_names(count), texts);
    detector.prepare({picture.width, picture.height});
    Frame frame(engine.device(), picture.width, picture.height, picture.bgr);
    frame.write(picture);
    const uint32_t layers = model.encoder_layers();
    DetectionTaps taps;
    taps.encoder = Tap({layers - 1}, true);
    taps.decoder = Tap({}, true);
    Commands c(engine.device(), engine.scratch(), "dump");
    c.begin();
    frame.record(c);
    detector.record(c, frame.image(), taps);
    c.end();
    c.run();

    add_pixel_values(engine, detector.input(), frame, out);
    const size_t patches = model.queries(), step = patches > 1000 ? 3 : 1;
    const uint64_t rows = (patches + step - 1) / step;
    out.add("logits", {rows, count}, every(detector.findings().logits(), count, step));
    out.add("boxes", {rows, 4}, every(detector.findings().boxes(), 4, step));
    const Tensor& features = taps.decoder.hidden_states().at(0);
    if (detector.input().preprocessor().blurs)
        out.add("objectness", {rows},
                every(read_back(engine, "objectness",
                                [&](Commands& r) { return model.objectness(r, features); }),
                      1, step));
    const uint32_t dim = phrases.vectors().columns;
    out.add("text_embeds", {count, dim},
            read_back(engine, "texts", [&](Commands&) { return phrases.vectors(); }));

    uint64_t taken = 0;
    std::vector<float> some = some_tokens(engine, features, taken);
    out.add("image_embeds", {taken, features.columns}, std::move(some));
    const Tensor& last = taps.encoder.hidden_states().at(layers);
    some = some_tokens(engine, last, taken);
    out.add("vision_last", {taken, last.columns}, std::move(some));
    const AttentionRow attention(engine.device());
    out.add("attention_cls", {last.rows}, read_back(engine, "attention", [&](Commands& r) {
                return attention.record(r, taps.encoder.layer(layers - 1), 0, std::nullopt);
            }));

    std::vector<uint32_t> top = inputs.top5_patches;
    if (top.empty()) {
        DetectionFilter five;
        five.threshold = -1;
        five.most = 5;
        for (const Detection& one : detector.findings().detections(five)) top.push_back(one.query);
    }
    const std::vector<float> vectors = read_back(
        engine, "class vectors", [&](Commands& r) { return model.class_vectors(r, features); });
    std::vector<float> best;
    for (uint32_t patch : top) {
        if (patch >= patches) throw Error("the model has no patch " + std::to_string(patch));
        best.insert(best.end(), vectors.begin() + std::ptrdiff_t(size_t(patch) * dim),
                    vectors.begin() + std::ptrdiff_t(size_t(patch + 1) * dim));
    }
    out.add("class_embeds_top5", {top.size(), dim}, std::move(best));
}

}  // namespace saccade
