#include <algorithm>

#include "app/lab/dump/dump_parts.h"
#include "models/attention/attention_maps.h"
#include "models/classification/vit_classifier.h"
#include "models/classifier.h"

namespace saccade {

void dump_classifier(Engine& engine, const std::filesystem::path& model, const PictureView& picture,
                     const DumpInputs& inputs, Collection& out) {
    Classifier classifier =
        Classifier::open(engine.device(), model, engine.precision(), {}, no_tokenizer, inputs.as);
    if (classifier.phrases()) return dump_contrast(engine, classifier, picture, inputs, out);
    const uint32_t layers = classifier.model().layers();
    classifier.prepare({picture.width, picture.height});
    Frame frame(engine.device(), picture.width, picture.height, picture.bgr);
    frame.write(picture);

    // The references of ViT end before the final norm, those of other models (DINO) after it.
    const bool ends_before_norm =
        dynamic_cast<const ViTClassifier*>(&classifier.model()) != nullptr;
    Tap tap = Tap::on_first(layers, true, !ends_before_norm);
    Commands c(engine.device(), engine.scratch(), "dump");
    c.begin();
    frame.record(c);
    classifier.record(c, frame.image(), tap);
    c.end();
    c.run();

    add_pixel_values(engine, classifier.input(), frame, out);
    if (!classifier.labels().empty())
        out.add("logits", {classifier.labels().size()}, classifier.ranking().logits());

    if (!classifier.model().rolls_out()) {
        add_stages(engine, classifier, tap, out);
        return;
    }
    const uint32_t heads = tap.layer(0).heads.count, tokens = tap.layer(0).k.rows;
    const uint32_t dim = tap.hidden_states().at(0).columns;
    std::vector<float> hidden, attention;
    for (const auto& entry : tap.hidden_states()) {
        const Tensor& z = entry.second;
        const auto row = read_back(engine, "hidden", [&](Commands&) { return z.slice_rows(0, 1); });
        hidden.insert(hidden.end(), row.begin(), row.end());
    }
    out.add("hidden_cls", {layers + 1, dim}, std::move(hidden));
    const Tensor last = tap.features() ? tap.features() : tap.hidden_states().at(layers);
    const uint32_t first_tokens = std::min(8u, tokens);
    out.add("last_hidden", {first_tokens, dim}, read_back(engine, "last hidden", [&](Commands&) {
                return last.slice_rows(0, first_tokens);
            }));
    if (tap.features()) {
        const uint32_t prefix = classifier.model().layout(0).first_cell;
        add_some_tokens(engine, "patches", last.slice_rows(prefix, tokens - prefix), out);
    }

    auto attention_row = [&](uint32_t layer, uint32_t row) {
        return read_back(engine, "attention", [&](Commands& r) {
            const Tap::Kept& kept = tap.layer(layer);
            const Tensor map = r.scratch(1, heads, tokens, Type::f32);
            attention_map(r, map, kept.q, kept.k, kept.heads, {row, 1, 0, heads});
            return map;
        });
    };
    for (uint32_t i = 0; i < layers; ++i) {
        const auto rows = attention_row(i, 0);
        attention.insert(attention.end(), rows.begin(), rows.end());
    }
    out.add("attention_cls", {layers, heads, tokens}, std::move(attention));
    if (tokens > 7) out.add("attention_last_row7", {heads, tokens}, attention_row(layers - 1, 7));
    Rollout rollout(engine.device());
    out.add("rollout_cls", {tokens},
            read_back(engine, "rollout", [&](Commands& r) { return rollout.record(r, tap, 0); }));
}

}  // namespace saccade
