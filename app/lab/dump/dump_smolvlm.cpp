#include <algorithm>

#include "app/lab/dump/dump_parts.h"
#include "models/captioner.h"
#include "models/captioning/decoding_parts.h"
#include "models/language/smolvlm.h"

namespace saccade {

namespace {

// pixel_values (1, tiles, 3, height, width)
void add_tiles(Engine& engine, const PictureInput& input, const Frame& frame, Collection& out) {
    const uint32_t tiles = input.tile_count();
    const std::vector<float> patches = read_back(engine, "pixel_values", [&](Commands& c) {
        const Tensor y =
            c.scratch(tiles, input.patches(), input.patch_columns(), engine.precision());
        input.record_tiles(c, y, 0, frame.image());
        return y;
    });
    const size_t each = patches.size() / tiles;
    std::vector<float> all;
    for (uint32_t i = 0; i < tiles; ++i) {
        const std::vector<float> one =
            picture_of({patches.begin() + std::ptrdiff_t(i * each),
                        patches.begin() + std::ptrdiff_t((i + 1) * each)},
                       input);
        all.insert(all.end(), one.begin(), one.end());
    }
    out.add("pixel_values", {1, tiles, 3, input.plan().height, input.plan().width}, std::move(all));
}

// Reads the prompt again with a tap on its last word after each layer.
void add_prefill(Engine& engine, const Captioner& captioner, const SmolVlm& model,
                 Collection& out) {
    const std::span<const uint32_t> prompt = model.prompt();
    const auto length = static_cast<uint32_t>(prompt.size());
    OwnTensor ids(engine.device(), "prompt", 1, 1, length, Type::u32, Memory::upload);
    std::ranges::copy(prompt, &ids.at<uint32_t>(0, 0));
    ids.memory.flush();
    const OwnTensor past = make_past(engine.device(), model.decoder(), 1, length);
    Tap tap({}, true);
    read_back(engine, "prefill", [&](Commands& c) {
        const Tensor logits = c.scratch(1, 1, model.decoder().form().vocabulary, Type::f32);
        model.llama().read(c, logits, ids.tensor, {captioner.memory(), past.tensor}, 0, tap);
        return logits;
    });
    std::vector<float> hidden;
    for (const auto& entry : tap.hidden_states()) {
        const Tensor& z = entry.second;
        const auto row =
            read_back(engine, "hidden", [&](Commands&) { return z.slice_rows(z.rows - 1, 1); });
        hidden.insert(hidden.end(), row.begin(), row.end());
    }
    out.add("prefill_hidden", {tap.hidden_states().size(), model.decoder().form().hidden},
            std::move(hidden));
}

}  // namespace

void dump_smolvlm(Engine& engine, const Captioner& captioner, const Frame& frame, const Tap& vision,
                  Collection& out) {
    const auto& model = dynamic_cast<const SmolVlm&>(captioner.model());
    add_tiles(engine, captioner.input(), frame, out);
    uint64_t rows = 0;
    const Tensor last = vision.hidden_states().at(model.encoder_layers() + 1).flat();
    std::vector<float> some = some_tokens(engine, last, rows);
    out.add("vision_last", {rows, last.columns}, std::move(some));
    const Tensor encoded = captioner.encoded();
    some = some_tokens(engine, encoded, rows);
    out.add("connector", {rows, encoded.columns}, std::move(some));
    add_prefill(engine, captioner, model, out);
}

}  // namespace saccade
