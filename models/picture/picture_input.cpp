#include "models/picture/picture_input.h"

#include <bit>
#include <cstring>

#include "gpu/core/device.h"
#include "gpu/core/error.h"
#include "gpu/ops/elementwise.h"
#include "gpu/recorder/upload.h"

namespace saccade {

bool PictureInput::prepare(Size frame, std::optional<Size> within) {
    const Frames frames{frame, within};
    if (prepared_.is(frames)) return false;
    prepared_.choose(frames, [&] { return prepare_for(frames); });
    return true;
}

PictureInput::Prepared PictureInput::prepare_for(const Frames& frames) const {
    Prepared to;
    to.frames = frames;
    PreprocessPlan& plan = to.plan;
    Preprocess& how = to.on_device;
    plan = preprocessor_.plan(frames.size.x, frames.size.y, frames.within);
    how.filled = {plan.width, plan.height};
    how.exact = preprocessor_.exact || plan.horizontal.floats;
    if (remainder_ != Remainder::refused) fit_to_patches(plan);
    if (plan.width % patch_.x != 0 || plan.height % patch_.y != 0 || patches_of(plan) == 0)
        throw Error("the preprocessor makes pictures of " + std::to_string(plan.width) + "x" +
                    std::to_string(plan.height) + ", which patches of " + std::to_string(patch_.x) +
                    "x" + std::to_string(patch_.y) +
                    " do not fill: preprocessor_config.json does not match config.json");
    how.horizontal = upload(plan.horizontal, to.horizontal, "horizontal taps", how.exact);
    how.vertical = upload(plan.vertical, to.vertical, "vertical taps", how.exact);
    for (size_t i = 0; i < 3; ++i) {
        how.scale[i] = plan.scale[i];
        how.shift[i] = plan.shift[i];
    }
    how.patch_width = patch_.x;
    how.patch_height = patch_.y;
    prepare_tiles(to);
    prepare_padding(to);
    return to;
}

// How much of an output's weight falls on the frame: the rest falls on the padding.
static std::vector<float> weight_on_frame(const Taps& taps) {
    std::vector<float> sums(taps.out_size);
    for (uint32_t i = 0; i < taps.out_size; ++i)
        for (uint32_t k = 0; k < taps.count[i]; ++k)
            sums[i] += taps.weight(size_t(i) * taps.max_taps + k);
    return sums;
}

// The taps take what lies beyond the frame as black.
void PictureInput::prepare_padding(Prepared& to) const {
    const Size frame = to.frames.size;
    if (preprocessor_.padding == 0 || !preprocessor_.square || frame.x == frame.y) return;
    const PreprocessPlan& plan = to.plan;
    const std::vector<float> across = weight_on_frame(plan.horizontal),
                             down = weight_on_frame(plan.vertical);
    const uint32_t columns = patch_columns(), per_row = plan.width / patch_.x;
    const uint32_t patches = patches_of(plan);
    to.padding_memory =
        Buffer(*device_, "padding", tensor_bytes(1, patches, columns, Type::f32), Memory::device);
    to.padding = make_tensor(to.padding_memory.handle(), 0, 1, patches, columns, Type::f32);
    saccade::upload(*device_, to.padding, [&](std::span<std::byte> staged) {
        std::vector<float> row(columns);
        for (uint32_t i = 0; i < patches; ++i) {
            for (uint32_t k = 0; k < columns; ++k) {
                const uint32_t x = i % per_row * patch_.x + k % patch_.x;
                const uint32_t y = i / per_row * patch_.y + k / patch_.x % patch_.y;
                row[k] = preprocessor_.padding * (1 - across[x] * down[y]) *
                         plan.scale[k / (patch_.x * patch_.y)];
            }
            std::memcpy(&staged[size_t(i) * to.padding.row_stride * sizeof(float)], row.data(),
                        columns * sizeof(float));
        }
    });
}

void PictureInput::fit_to_patches(PreprocessPlan& plan) const {
    auto fit = [&](Taps& taps, uint32_t& side, uint32_t patch) {
        if (remainder_ == Remainder::filled_up) side += patch - 1;
        side -= side % patch;
        taps.out_size = side;
        taps.first.resize(side);
        taps.count.resize(side);  // the new ones have no taps
        taps.weights.resize(size_t(side) * taps.max_taps);
    };
    fit(plan.horizontal, plan.width, patch_.x);
    fit(plan.vertical, plan.height, patch_.y);
}

void PictureInput::prepare_tiles(Prepared& to) const {
    if (preprocessor_.resize != Preprocessor::Resize::tiles) return;
    to.tiling = preprocessor_.tiling(to.frames.size);
    Size from = to.frames.size;
    auto resize_to = [&](Size size) {
        if (size == from) return;
        Step step;
        step.image = std::make_unique<Image>(*device_, "resized", size.x, size.y);
        step.horizontal = upload(make_taps(from.x, size.x, preprocessor_.filter),
                                 step.horizontal_memory, "horizontal taps");
        step.vertical = upload(make_taps(from.y, size.y, preprocessor_.filter),
                               step.vertical_memory, "vertical taps");
        to.steps.push_back(std::move(step));
        from = size;
    };
    resize_to(to.tiling.first);
    if (preprocessor_.splits) resize_to(to.tiling.filled);
    const uint32_t tile = preprocessor_.tile;
    const bool exact = to.on_device.exact;
    for (uint32_t y = 0; y < to.tiling.tiles.y; ++y)
        for (uint32_t x = 0; x < to.tiling.tiles.x; ++x) {
            Step cut;
            cut.horizontal = upload(make_taps(from.x, from.x, preprocessor_.filter, x * tile, tile),
                                    cut.horizontal_memory, "horizontal taps", exact);
            cut.vertical = upload(make_taps(from.y, from.y, preprocessor_.filter, y * tile, tile),
                                  cut.vertical_memory, "vertical taps", exact);
            to.cuts.push_back(std::move(cut));
        }
}

void PictureInput::record_tiles(Commands& c, const Tensor& patches, uint32_t first,
                                const Image& image) const {
    if (preprocessor_.resize != Preprocessor::Resize::tiles)
        return record(c, patches.at_batch(first), image);
    if (Size(image.width(), image.height()) != frame())
        throw Error("the picture has another size than prepare() was called with");
    const Image* picture = &image;
    for (const Step& step : now().steps) {
        resize(c, *step.image, *picture, step.horizontal, step.vertical);
        picture = step.image.get();
    }
    for (const Step& cut : now().cuts) {
        Preprocess how = now().on_device;
        how.horizontal = cut.horizontal;
        how.vertical = cut.vertical;
        preprocess(c, patches.at_batch(first++), *picture, how);
    }
    preprocess(c, patches.at_batch(first), *picture, now().on_device);
}

// Uploads the windows (pairs of first and count), then the weights, in one buffer.
ResizeTaps PictureInput::upload(const Taps& taps, Buffer& buffer, const char* name,
                                bool floats) const {
    const Tensor windows = make_tensor(nullptr, 0, 1, 1, 2 * taps.out_size, Type::u32);
    const uint64_t weights_at = (windows.bytes + 255) / 256 * 256;
    const Tensor weights =
        make_tensor(nullptr, weights_at, 1, 1, taps.out_size * taps.max_taps, Type::u32);
    buffer = Buffer(*device_, name, weights_at + weights.bytes, Memory::upload);
    auto* window = reinterpret_cast<uint32_t*>(buffer.mapped().data());
    for (uint32_t i = 0; i < taps.out_size; ++i) {
        window[2 * i] = taps.first[i];
        window[2 * i + 1] = taps.count[i];
    }
    auto* to = reinterpret_cast<int32_t*>(buffer.mapped().data() + weights_at);
    for (size_t i = 0; i < taps.weights.size(); ++i)
        to[i] = floats ? std::bit_cast<int32_t>(taps.weight(i)) : taps.weights[i];
    buffer.flush();
    ResizeTaps result{windows, weights, taps.out_size, taps.max_taps};
    result.windows.buffer = result.weights.buffer = buffer.handle();
    return result;
}

void PictureInput::record(Commands& c, const Tensor& patches, const Image& image) const {
    if (Size(image.width(), image.height()) != frame())
        throw Error("the picture has another size than prepare() was called with");
    preprocess(c, patches, image, now().on_device);
    const Tensor& stored = now().padding;
    if (!stored) return;
    Tensor padding = stored;
    if (patches.type != padding.type) {
        padding = c.scratch(1, padding.rows, padding.columns, patches.type);
        copy(c, padding, stored);
    }
    add_into(c, patches, patches, padding);
}

}  // namespace saccade
