#include "models/knock_outs/masked_input.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "gpu/core/error.h"
#include "gpu/ops/elementwise.h"

namespace saccade {

namespace {

constexpr uint32_t blurs = 3;           // box blurs in a row come close to a Gaussian
constexpr uint32_t parts_of_side = 12;  // a box reaches this part of the longer side to each side

// The mean over 2 * reach + 1 pixels along a line; the ends are repeated.
void blur_line(std::span<const float> from, std::span<float> to, uint32_t reach) {
    const auto last = static_cast<int64_t>(from.size()) - 1;
    const auto at = [&](int64_t i) {
        return double(from[size_t(std::clamp<int64_t>(i, 0, last))]);
    };
    double sum = 0;
    for (int64_t i = -int64_t(reach); i <= int64_t(reach); ++i) sum += at(i);
    for (int64_t i = 0; i <= last; ++i) {
        to[size_t(i)] = static_cast<float>(sum / (2.0 * reach + 1));
        sum += at(i + 1 + int64_t(reach)) - at(i - int64_t(reach));
    }
}

std::vector<uint8_t> blurred(const PictureView& picture) {
    const uint32_t width = picture.width, height = picture.height;
    const uint32_t reach = std::max(1u, std::max(width, height) / parts_of_side);
    std::vector<uint8_t> result(size_t(width) * height * 3);
    std::vector<float> plane(size_t(width) * height), line(std::max(width, height)), out(line);
    for (uint32_t channel = 0; channel < 3; ++channel) {
        for (uint32_t y = 0; y < height; ++y)
            for (uint32_t x = 0; x < width; ++x)
                plane[size_t(y) * width + x] =
                    picture.pixels[size_t(y) * picture.row_bytes + 3 * x + channel];
        const auto along = [&](uint32_t lines, uint32_t length, size_t line_step, size_t step) {
            for (uint32_t i = 0; i < lines; ++i) {
                float* const first = &plane[i * line_step];
                for (uint32_t k = 0; k < length; ++k) line[k] = first[k * step];
                blur_line({line.data(), length}, {out.data(), length}, reach);
                for (uint32_t k = 0; k < length; ++k) first[k * step] = out[k];
            }
        };
        for (uint32_t i = 0; i < blurs; ++i) {
            along(height, width, width, 1);
            along(width, height, 1, width);
        }
        for (size_t i = 0; i < plane.size(); ++i)
            result[3 * i + channel] = static_cast<uint8_t>(std::clamp(plane[i] + 0.5f, 0.f, 255.f));
    }
    return result;
}

std::vector<uint8_t> blank(const PictureView& picture, glm::u8vec3 colour) {
    std::vector<uint8_t> result(size_t(picture.width) * picture.height * 3);
    for (size_t i = 0; i < result.size(); i += 3)
        for (int k = 0; k < 3; ++k) result[i + size_t(k)] = colour[picture.bgr ? 2 - k : k];
    return result;
}

}  // namespace

glm::u8vec3 blank_colour(const Preprocessor& preprocessor) {
    constexpr double grey = 127.5;
    glm::u8vec3 colour;
    for (int k = 0; k < 3; ++k) {
        const double mean = preprocessor.mean[size_t(k)],
                     deviation = preprocessor.std_dev[size_t(k)];
        const bool normalised = mean != 0 || deviation != 1;
        const double level = normalised ? mean / preprocessor.rescale_factor : grey;
        colour[k] = static_cast<uint8_t>(std::clamp(std::round(level), 0.0, 255.0));
    }
    return colour;
}

MaskedInput::MaskedInput(Device& device, Arena& scratch, const PictureInput& input, Type type,
                         uint32_t most, const MaskedPicture& picture, CellInstead instead)
    : device_(&device), input_(&input), instead_of_cells_(instead) {
    if (input.tile_count() > 1)
        throw Error(
            "the model looks at tiles of the picture one by one, whose cells cannot be knocked out "
            "yet; name a model that looks at the picture as a whole");
    cells_.across = input.plan().width / input.patch().x;
    const uint32_t down = input.patches() / cells_.across;
    cells_.side = (std::max(cells_.across, down) + most - 1) / most;
    const uint64_t each =
        (tensor_bytes(1, input.patches(), input.patch_columns(), type) + 255) / 256 * 256;
    memory_ = Buffer(device, "a picture and its blank", 2 * each, Memory::device);
    picture_ = make_tensor(memory_.handle(), 0, 1, input.patches(), input.patch_columns(), type);
    instead_ = make_tensor(memory_.handle(), each, 1, input.patches(), input.patch_columns(), type);
    preprocess(scratch, picture, picture_);
    prepare_instead(scratch, picture);
}

void MaskedInput::show(Arena& scratch, const MaskedPicture& picture) {
    preprocess(scratch, picture, picture_);
    // Blank is the same for every picture of a size.
    if (instead_of_cells_ == CellInstead::blur) prepare_instead(scratch, picture);
}

void MaskedInput::prepare_instead(Arena& scratch, const MaskedPicture& picture) {
    const bool blur = instead_of_cells_ == CellInstead::blur;
    if (blur && picture.image)
        throw Error("a picture on the device cannot be blurred; knock cells out to blank");
    PictureView view = picture.view;
    if (picture.image) view = {nullptr, picture.size.x, picture.size.y, 0, false};
    const std::vector<uint8_t> other =
        blur ? blurred(view) : blank(view, blank_colour(input_->preprocessor()));
    preprocess(scratch,
               PictureView{other.data(), view.width, view.height, 3 * view.width, view.bgr},
               instead_);
}

void MaskedInput::preprocess(Arena& scratch, const MaskedPicture& picture, const Tensor& to) {
    std::optional<Frame> frame;
    if (!picture.image) {
        frame.emplace(*device_, picture.size.x, picture.size.y, picture.view.bgr);
        frame->write(picture.view);
    }
    Commands c(*device_, scratch, "picture");
    c.begin();
    {
        auto scope = c.scope("picture");
        if (frame)
            frame->record(c);
        else
            picture.upload(c);
        input_->record_tiles(c, to, 0, frame ? frame->image() : *picture.image);
    }
    c.end();
    c.run();
}

MapGeometry MaskedInput::geometry() const {
    return geometry_of(input_->plan(),
                       {.grid = grid(), .cell = glm::vec2(input_->patch() * cells_.side)});
}

Tensor MaskedInput::record(Commands& c, uint32_t batch) {
    const uint32_t cells = area(grid());
    const uint64_t bytes = tensor_bytes(batch, 1, cells, Type::f32);
    if (mask_memory_.bytes() < bytes)
        mask_memory_ = Buffer(*device_, "cells that are knocked out", bytes, Memory::mapped);
    mask_ = make_tensor(mask_memory_.handle(), 0, batch, 1, cells, Type::f32);
    put_all_back();
    const Tensor patches = c.scratch(batch, picture_.rows, picture_.columns, picture_.type);
    auto scope = c.scope("knock-outs");
    const Tensor mask = c.scratch(batch, 1, cells, Type::f32);  // every pixel reads it
    copy(c, mask, mask_);
    mask_cells(c, patches, picture_, instead_, mask, cells_);
    return patches;
}

void MaskedInput::put_all_back() { std::ranges::fill(mask_memory_.mapped(), std::byte{}); }

void MaskedInput::knock_out(uint32_t picture, std::span<const uint32_t> cells) {
    auto* const mask = reinterpret_cast<float*>(mask_memory_.mapped().data()) +
                       size_t(picture) * mask_.batch_stride;
    for (const uint32_t cell : cells) mask[cell] = 1;
}

}  // namespace saccade
