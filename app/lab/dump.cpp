#include "app/lab/dump.h"

#include <cstring>
#include <deque>
#include <numeric>
#include <set>

#include "gpu/download.h"
#include "gpu/error.h"
#include "models/attention_maps.h"
#include "models/classifier.h"
#include "models/json.h"
#include "models/safetensors.h"

namespace saccade {

namespace {

// Tensors for a file, with their values.
class Collection {
public:
    void add(std::string name, std::vector<uint64_t> shape, std::vector<float> values) {
        values_.push_back(std::move(values));
        tensors_.push_back({std::move(name), StoredType::f32, std::move(shape),
                            std::as_bytes(std::span(values_.back()))});
    }
    void write(const std::filesystem::path& path) const { write_safetensors(path, tensors_); }

private:
    std::deque<std::vector<float>> values_;  // never moves what it holds
    std::vector<StoredTensor> tensors_;
};

// (patches, 3 * h * w) back to (3, height, width).
std::vector<float> picture_of(const std::vector<float>& patches, const PictureInput& input) {
    const PreprocessPlan& plan = input.plan();
    const auto [pw, ph] = input.patch();
    const uint32_t across = plan.width / pw;
    std::vector<float> result(size_t(3) * plan.height * plan.width);
    for (uint32_t c = 0; c < 3; ++c)
        for (uint32_t y = 0; y < plan.height; ++y)
            for (uint32_t x = 0; x < plan.width; ++x)
                result[(size_t(c) * plan.height + y) * plan.width + x] =
                    patches[size_t(y / ph * across + x / pw) * input.patch_columns() +
                            (c * ph + y % ph) * pw + x % pw];
    return result;
}

std::vector<float> read_back(Engine& engine, const char* name, auto record) {
    Commands c(engine.device(), engine.scratch(), name);
    Download download;
    c.begin();
    {
        auto scope = c.scope(name);
        download.record(c, record(c));
    }
    c.end();
    c.run();
    return download.floats();
}

void dump_classifier(Engine& engine, const std::filesystem::path& model, const PictureView& picture,
                     Collection& out) {
    Classifier classifier = Classifier::open(engine.device(), model, engine.precision());
    const ViTConfig& config = classifier.config();
    const uint32_t layers = config.layers, heads = config.heads, tokens = config.tokens();
    classifier.input().prepare({picture.width, picture.height});
    Frame frame(engine.device(), picture.width, picture.height, picture.bgr);
    frame.write(picture);

    std::set<uint32_t> all;
    for (uint32_t i = 0; i < layers; ++i) all.insert(i);
    Tap tap(all, true);
    Commands c(engine.device(), engine.scratch(), "dump");
    c.begin();
    frame.record(c);
    classifier.record(c, frame.image(), tap);
    c.end();
    c.run();

    PictureInput& input = classifier.input();
    out.add("pixel_values", {1, 3, input.plan().height, input.plan().width},
            picture_of(read_back(engine, "pixel_values",
                                 [&](Commands& r) {
                                     const Tensor patches =
                                         r.scratch(1, input.patches(), input.patch_columns(),
                                                   engine.precision());
                                     input.record(r, patches, frame.image());
                                     return patches;
                                 }),
                       input));
    out.add("logits", {config.labels.size()}, classifier.logits());

    std::vector<float> hidden, attention;
    for (const auto& [index, z] : tap.hidden_states()) {
        const auto row = read_back(engine, "hidden", [&](Commands&) { return z.slice_rows(0, 1); });
        hidden.insert(hidden.end(), row.begin(), row.end());
    }
    out.add("hidden_cls", {layers + 1, config.hidden}, std::move(hidden));
    const uint32_t first_tokens = std::min(8u, tokens);
    out.add("last_hidden", {first_tokens, config.hidden},
            read_back(engine, "last hidden", [&](Commands&) {
                return tap.hidden_states().at(layers).slice_rows(0, first_tokens);
            }));

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
    Rollout rollout(engine.device(), tokens);
    out.add("rollout_cls", {tokens},
            read_back(engine, "rollout", [&](Commands& r) { return rollout.record(r, tap, 0); }));
}

}  // namespace

void dump(Engine& engine, const std::filesystem::path& model, const PictureView& picture,
          const std::filesystem::path& out) {
    Collection tensors;
    dump_classifier(engine, model, picture, tensors);
    tensors.write(out);
}

}  // namespace saccade
