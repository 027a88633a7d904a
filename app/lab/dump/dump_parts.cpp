#include "app/lab/dump/dump_parts.h"

#include <algorithm>

#include "gpu/core/error.h"

namespace saccade {

// (patches, 3 * h * w) back to (3, height, width).
std::vector<float> picture_of(const std::vector<float>& patches, const PictureInput& input) {
    const PreprocessPlan& plan = input.plan();
    const uint32_t pw = input.patch().x, ph = input.patch().y;
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

std::vector<float> some_tokens(Engine& engine, const Tensor& z, uint64_t& rows) {
    std::vector<float> every;
    rows = 0;
    for (uint32_t i = 0; i < z.rows; i += std::max(1u, z.rows / 16), ++rows) {
        const auto row = read_back(engine, "row", [&](Commands&) { return z.slice_rows(i, 1); });
        every.insert(every.end(), row.begin(), row.end());
    }
    return every;
}

TextIds texts_for(const TextTowerConfig& config, const DumpInputs& inputs) {
    if (inputs.input_ids.empty()) {
        const uint32_t end = std::min(config.end, config.vocabulary - 1);
        const size_t length = config.pad ? config.positions : std::min(4u, config.positions);
        return {.rows = {std::vector<uint32_t>(length, end)}};
    }
    TextIds texts{.rows = inputs.input_ids};
    // Causal attention never reads the padding after a text.
    if (config.causal || inputs.attention_mask.empty()) return texts;
    for (const std::vector<uint32_t>& mask : inputs.attention_mask) {
        const auto length = static_cast<uint32_t>(std::ranges::count(mask, 1u));
        if (texts.unpadded != UINT32_MAX && texts.unpadded != length)
            throw Error("attention_mask must have the same number of ones for each text");
        texts.unpadded = length;
    }
    return texts;
}

std::vector<std::string> text_names(size_t count) {
    std::vector<std::string> names;
    for (size_t i = 0; i < count; ++i) names.push_back("text " + std::to_string(i));
    return names;
}

void add_pixel_values(Engine& engine, const PictureInput& input, const Frame& frame,
                      Collection& out) {
    // Patches of one pixel, which divide every size.
    PictureInput pixels(engine.device(), input.preprocessor(), {1, 1});
    pixels.prepare({frame.width(), frame.height()}, input.within());
    const std::vector<float> rows = read_back(engine, "pixel_values", [&](Commands& c) {
        const Tensor y = c.scratch(1, pixels.patches(), 3, engine.precision());
        pixels.record(c, y, frame.image());
        return y;
    });
    const size_t count = pixels.patches();
    std::vector<float> values(3 * count);
    for (size_t i = 0; i < rows.size(); ++i) values[i % 3 * count + i / 3] = rows[i];
    out.add("pixel_values", {1, 3, pixels.plan().height, pixels.plan().width}, std::move(values));
}

void add_some_tokens(Engine& engine, const std::string& name, const Tensor& rows, Collection& out) {
    uint64_t count = 0;
    std::vector<float> some = some_tokens(engine, rows, count);
    out.add(name, {count, rows.columns}, std::move(some));
}

}  // namespace saccade
