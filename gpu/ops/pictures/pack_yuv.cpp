#include "gpu/ops/pictures.h"

#include <cmath>

#include "gpu/ops/common.h"
#include "shaders/pictures/params.h"

namespace saccade {

namespace {

// Weights of red, green and blue for a share of 255 levels each.
params::YuvSum yuv_sum(double offset, double red, double green, double blue) {
    auto fixed = [](double weight) {
        return static_cast<uint32_t>(std::lround(weight / 255 * (1 << params::yuv_bits)));
    };
    return {static_cast<uint32_t>(offset), fixed(red), fixed(green), fixed(blue)};
}

}  // namespace

void pack_yuv(Commands& c, const YuvRows& planes, const Image& image) {
    constexpr const char* op = "pack_yuv";
    const uint32_t columns = planes.halved ? divide_up(image.width(), 2) : image.width();
    const uint32_t rows = planes.halved ? divide_up(planes.rows, 2) : planes.rows;
    auto holds = [](const Tensor& plane, uint32_t row_bytes, uint32_t width, uint32_t height) {
        return row_bytes % 4 == 0 && row_bytes >= width && plane.type == Type::u32 &&
               plane.offset == 0 && plane.bytes >= uint64_t(row_bytes) * height;
    };
    const uint64_t end = uint64_t(planes.first_row) + planes.rows;
    require(planes.rows > 0 && end <= image.height() &&
                (!planes.halved ||
                 (planes.first_row % 2 == 0 && (planes.rows % 2 == 0 || end == image.height()))),
            op,
            std::to_string(planes.rows) + " rows from row " + std::to_string(planes.first_row) +
                " on are not part of the image");
    require(holds(planes.luma, planes.luma_row_bytes, image.width(), planes.rows) &&
                holds(planes.blue, planes.chroma_row_bytes, columns, rows) &&
                holds(planes.red, planes.chroma_row_bytes, columns, rows),
            op,
            "the planes do not hold " + std::to_string(planes.rows) + " rows of a picture of " +
                std::to_string(image.width()) + "x" + std::to_string(image.height()));
    // Y = r R + g G + b B, U = (B - Y) / (2 (1 - b)), V = (R - Y) / (2 (1 - r))
    const LumaWeights w = luma_weights(planes.matrix);
    const YuvLevels to = yuv_levels(false);
    const double u = to.chroma / 2 / (1 - w.blue), v = to.chroma / 2 / (1 - w.red);
    const params::PackYuvParams p{
        yuv_sum(to.black, to.luma * w.red, to.luma * w.green(), to.luma * w.blue),
        yuv_sum(to.grey, -u * w.red, -u * w.green(), u * (1 - w.blue)),
        yuv_sum(to.grey, v * (1 - w.red), -v * w.green(), -v * w.blue),
        image.width(),
        image.height(),
        planes.first_row,
        planes.rows,
        planes.luma_row_bytes / 4,
        planes.chroma_row_bytes / 4};
    c.dispatch(Kernel("pack_yuv", {pixel_threads(c), planes.halved ? 1u : 0u}),
               {divide_up(image.width(), 8), divide_up(planes.rows, 2)},
               {read(image), write(planes.luma), write(planes.blue), write(planes.red)}, p);
}

}  // namespace saccade
