#include <algorithm>

#include "app/lab/dump/dump_parts.h"
#include "gpu/core/error.h"
#include "gpu/ops/attention.h"
#include "models/classifier.h"
#include "models/contrast/contrast_model.h"

namespace saccade {

namespace {

// One row of every hidden state that was kept.
std::vector<float> row_of_each(Engine& engine, const Tap& tap, uint32_t row, uint32_t count) {
    std::vector<float> all;
    for (uint32_t i = 0; i < count; ++i) {
        const Tensor& z = tap.hidden_states().at(i);
        const auto one =
            read_back(engine, "hidden", [&](Commands&) { return z.slice_rows(row, 1); });
        all.insert(all.end(), one.begin(), one.end());
    }
    return all;
}

// A row of attention of every head: (heads, columns), padded with zeros.
std::vector<float> attention_of(Engine& engine, const Tap::Kept& kept, uint32_t row,
                                uint32_t columns) {
    const uint32_t heads = kept.heads.count, keys = kept.k.rows;
    const auto map = read_back(engine, "attention", [&](Commands& c) {
        const Tensor y = c.scratch(1, heads, keys, Type::f32);
        attention_map(c, y, kept.q.at_batch(0), kept.k.at_batch(0), kept.heads, {row, 1, 0, heads});
        return y;
    });
    std::vector<float> wide(size_t(heads) * columns);
    for (uint32_t head = 0; head < heads; ++head)
        std::copy_n(&map[size_t(head) * keys], std::min(keys, columns),
                    &wide[size_t(head) * columns]);
    return wide;
}

std::vector<float> mean_of_rows(const std::vector<float>& map, size_t columns) {
    std::vector<float> mean(columns);
    for (size_t i = 0; i < map.size(); ++i)
        mean[i % columns] += map[i] * static_cast<float>(columns) / static_cast<float>(map.size());
    return mean;
}

// The first text alone, with a tap.
void add_text(Engine& engine, const TextTower& tower, const TextIds& texts, Collection& out) {
    const std::vector<uint32_t>& row = texts.rows.front();
    const auto length = static_cast<uint32_t>(row.size());
    const uint32_t layers = tower.config().form.layers, at = tower.read_at(row);
    Buffer ids(engine.device(), "ids", tensor_bytes(2, 1, length, Type::u32), Memory::upload);
    auto* const words = reinterpret_cast<uint32_t*>(ids.mapped().data());
    std::ranges::copy(row, words);
    words[padded(length)] = at;
    ids.flush();
    Tensor from = make_tensor(ids.handle(), 0, 2, 1, length, Type::u32).at_batch(1);
    from.columns = 1;
    Tap tap({layers - 1}, true);
    read_back(engine, "text", [&](Commands& c) {
        return tower.encode(c, make_tensor(ids.handle(), 0, 1, 1, length, Type::u32), from,
                            texts.unpadded, tap);
    });
    const uint32_t dim = tower.config().form.block.hidden;
    out.add("text_hidden", {layers + 1, dim}, row_of_each(engine, tap, at, layers + 1));
    // attention_map has no causal mask: it gets only the keys up to the row's own.
    Tap::Kept kept;
    kept.q = tap.layer(layers - 1).q;
    kept.k = tap.layer(layers - 1).k;
    kept.heads = tap.layer(layers - 1).heads;
    if (tower.config().causal) kept.k = kept.k.slice_rows(0, at + 1);
    out.add("text_attention", {kept.heads.count, length}, attention_of(engine, kept, at, length));
}

// Patches in the order of SigLIP 2's processor, colours innermost: (1, most, 3 * patch * patch).
void add_flat_pixel_values(Engine& engine, const PictureInput& input, const Frame& frame,
                           Collection& out) {
    const auto patches = read_back(engine, "pixel_values", [&](Commands& c) {
        const Tensor y = c.scratch(1, input.patches(), input.patch_columns(), engine.precision());
        input.record(c, y, frame.image());
        return y;
    });
    const size_t columns = input.patch_columns(), cells = columns / 3;
    const uint64_t most = input.preprocessor().most_patches;
    std::vector<float> flat(most * columns);
    for (size_t i = 0; i < patches.size(); ++i) {
        const size_t colour = i % columns / cells, cell = i % cells;
        flat[i / columns * columns + cell * 3 + colour] = patches[i];
    }
    out.add("pixel_values", {1, most, columns}, std::move(flat));
}

}  // namespace

void dump_contrast(Engine& engine, Classifier& classifier, const PictureView& picture,
                   const DumpInputs& inputs, Collection& out) {
    const auto& model = dynamic_cast<const ContrastModel&>(classifier.model());
    Phrases& phrases = *classifier.phrases();
    const TextIds texts = texts_for(phrases.tower().config(), inputs);
    const auto count = texts.rows.size();
    phrases.use(text_names(count), texts);

    classifier.prepare({picture.width, picture.height});
    Frame frame(engine.device(), picture.width, picture.height, picture.bgr);
    frame.write(picture);
    const uint32_t layers = model.vision().config().form.layers;
    const bool pools = model.layers() > layers;  // SigLIP's last layer is its pooling head
    Tap tap = Tap::on_first(model.layers(), true);
    Commands c(engine.device(), engine.scratch(), "dump");
    c.begin();
    frame.record(c);
    classifier.record(c, frame.image(), tap);
    c.end();
    c.run();

    const bool flat = classifier.input().preprocessor().resize == Preprocessor::Resize::patches;
    if (flat)
        add_flat_pixel_values(engine, classifier.input(), frame, out);
    else
        add_pixel_values(engine, classifier.input(), frame, out);
    out.add("logits_per_image", {count}, classifier.ranking().logits());
    const uint32_t dim = phrases.vectors().columns;
    Tap nobody;
    out.add("image_embeds", {dim}, read_back(engine, "image", [&](Commands& r) {
                const PictureInput& input = classifier.input();
                const Tensor patches =
                    r.scratch(1, input.patches(), input.patch_columns(), model.input_type());
                input.record(r, patches, frame.image());
                return unit_rows(r, model.embed(r, patches, nobody), 0.0f, Type::f32);
            }));
    out.add("text_embeds", {count, dim},
            read_back(engine, "texts", [&](Commands&) { return phrases.vectors(); }));

    const uint32_t hidden = model.vision().config().form.block.hidden;
    const Tensor& last = tap.hidden_states().at(pools ? layers + 1 : layers);
    const uint32_t first = std::min(8u, last.rows);
    const uint32_t tokens = flat ? classifier.input().preprocessor().most_patches : last.rows;
    out.add("vision_hidden_first", {layers + 1, hidden}, row_of_each(engine, tap, 0, layers + 1));
    out.add("vision_last", {first, hidden},
            read_back(engine, "last", [&](Commands&) { return last.slice_rows(0, first); }));
    out.add("vision_attention_row0", {model.heads(layers - 1), tokens},
            attention_of(engine, tap.layer(layers - 1), 0, tokens));
    if (pools)
        out.add("pool_attention", {tokens},
                mean_of_rows(attention_of(engine, tap.layer(layers), 0, tokens), tokens));
    add_text(engine, phrases.tower(), texts, out);
}

}  // namespace saccade
