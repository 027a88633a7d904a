#include "models/picture/picture_input.h"

#include <bit>
#include <cstring>

#include "gpu/core/device.h"
#include "gpu/core/error.h"
#include "gpu/ops/elementwise.h"
#include "gpu/recorder/upload.h"

namespace saccade {

bool PictureInput::prepare(Size frame, std::optional<Size> within) {
    if (frame == frame_ && within == within_) return false;
    frame_ = {};  // stays so if an Error is thrown
    plan_ = preprocessor_.plan(frame.x, frame.y, within);
    on_device_.filled = {plan_.width, plan_.height};
    on_device_.exact = preprocessor_.exact || plan_.horizontal.floats;
    if (remainder_ != Remainder::refused) fit_to_patches();
    if (plan_.width % patch_.x != 0 || plan_.height % patch_.y != 0 || patches() == 0)
        throw Error("the preprocessor makes pictures of " + std::to_string(plan_.width) + "x" +
                    std::to_string(plan_.height) + ", which patches of " +
                    std::to_string(patch_.x) + "x" + std::to_string(patch_.y) +
                    " do not fill: preprocessor_config.json does not match config.json");
    on_device_.horizontal =
        upload(plan_.horizontal, horizontal_, "horizontal taps", on_device_.exact);
    on_device_.vertical = upload(plan_.vertical, vertical_, "vertical taps", on_device_.exact);
    for (size_t i = 0; i < 3; ++i) {
        on_device_.scale[i] = plan_.scale[i];
        on_device_.shift[i] = plan_.shift[i];
    }
    on_device_.patch_width = patch_.x;
    on_device_.patch_height = patch_.y;
    frame_ = frame;
    within_ = within;
    prepare_tiles();
    prepare_padding();
    return true;
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
void PictureInput::prepare_padding() {
    padding_ = {};
    if (preprocessor_.padding == 0 || !preprocessor_.square || frame_.x == frame_.y) return;
    const std::vector<float> across = weight_on_frame(plan_.horizontal),
                             down = weight_on_frame(plan_.vertical);
    const uint32_t columns = patch_columns(), per_row = plan_.width / patch_.x;
    const uint64_t bytes = tensor_bytes(1, patches(), columns, Type::f32);
    if (padding_memory_.bytes() < bytes)
        padding_memory_ = Buffer(*device_, "padding", bytes, Memory::device);
    padding_ = make_tensor(padding_memory_.handle(), 0, 1, patches(), columns, Type::f32);
    saccade::upload(*device_, padding_, [&](std::span<std::byte> staged) {
        std::vector<float> row(columns);
        for (uint32_t i = 0; i < patches(); ++i) {
            for (uint32_t k = 0; k < columns; ++k) {
                const uint32_t x = i % per_row * patch_.x + k % patch_.x;
                const uint32_t y = i / per_row * patch_.y + k / patch_.x % patch_.y;
                row[k] = preprocessor_.padding * (1 - across[x] * down[y]) *
                         plan_.scale[k / (patch_.x * patch_.y)];
            }
            std::memcpy(&staged[size_t(i) * padding_.row_stride * sizeof(float)], row.data(),
                        columns * sizeof(float));
        }
    });
}

void PictureInput::fit_to_patches() {
    auto fit = [&](Taps& taps, uint32_t& side, uint32_t patch) {
        if (remainder_ == Remainder::filled_up) side += patch - 1;
        side -= side % patch;
        taps.out_size = side;
        taps.first.resize(side);
        taps.count.resize(side);  // the new ones have no taps
        taps.weights.resize(size_t(side) * taps.max_taps);
    };
    fit(plan_.horizontal, plan_.width, patch_.x);
    fit(plan_.vertical, plan_.height, patch_.y);
}

void PictureInput::prepare_tiles() {
    tiling_ = {};
    steps_.clear();
    cuts_.clear();
    if (preprocessor_.resize != Preprocessor::Resize::tiles) return;
    tiling_ = preprocessor_.tiling(frame_);
    Size from = frame_;
    auto resize_to = [&](Size to) {
        if (to == from) return;
        Step step;
        step.image = std::make_unique<Image>(*device_, "resized", to.x, to.y);
        step.horizontal = upload(make_taps(from.x, to.x, preprocessor_.filter),
                                 step.horizontal_memory, "horizontal taps");
        step.vertical = upload(make_taps(from.y, to.y, preprocessor_.filter), step.vertical_memory,
                               "vertical taps");
        steps_.push_back(std::move(step));
        from = to;
    };
    resize_to(tiling_.first);
    if (preprocessor_.splits) resize_to(tiling_.filled);
    const uint32_t tile = preprocessor_.tile;
    for (uint32_t y = 0; y < tiling_.tiles.y; ++y)
        for (uint32_t x = 0; x < tiling_.tiles.x; ++x) {
            Step cut;
            cut.horizontal = upload(make_taps(from.x, from.x, preprocessor_.filter, x * tile, tile),
                                    cut.horizontal_memory, "horizontal taps", on_device_.exact);
            cut.vertical = upload(make_taps(from.y, from.y, preprocessor_.filter, y * tile, tile),
                                  cut.vertical_memory, "vertical taps", on_device_.exact);
            cuts_.push_back(std::move(cut));
        }
}

void PictureInput::record_tiles(Commands& c, const Tensor& patches, uint32_t first,
                                const Image& image) const {
    if (preprocessor_.resize != Preprocessor::Resize::tiles)
        return record(c, patches.at_batch(first), image);
    if (image.width() != frame_.x || image.height() != frame_.y)
        throw Error("the picture has another size than prepare() was called with");
    const Image* picture = &image;
    for (const Step& step : steps_) {
        resize(c, *step.image, *picture, step.horizontal, step.vertical);
        picture = step.image.get();
    }
    for (const Step& cut : cuts_) {
        Preprocess how = on_device_;
        how.horizontal = cut.horizontal;
        how.vertical = cut.vertical;
        preprocess(c, patches.at_batch(first++), *picture, how);
    }
    preprocess(c, patches.at_batch(first), *picture, on_device_);
}

// Uploads the windows (pairs of first and count), then the weights, in one buffer.
ResizeTaps PictureInput::upload(const Taps& taps, Buffer& buffer, const char* name, bool floats) {
    const Tensor windows = make_tensor(nullptr, 0, 1, 1, 2 * taps.out_size, Type::u32);
    const uint64_t weights_at = (windows.bytes + 255) / 256 * 256;
    const Tensor weights =
        make_tensor(nullptr, weights_at, 1, 1, taps.out_size * taps.max_taps, Type::u32);
    if (buffer.bytes() < weights_at + weights.bytes)
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
    if (image.width() != frame_.x || image.height() != frame_.y)
        throw Error("the picture has another size than prepare() was called with");
    preprocess(c, patches, image, on_device_);
    if (!padding_) return;
    Tensor padding = padding_;
    if (patches.type != padding.type) {
        padding = c.scratch(1, padding.rows, padding.columns, patches.type);
        copy(c, padding, padding_);
    }
    add_into(c, patches, patches, padding);
}

}  // namespace saccade
