#include <cmath>

#include "gpu/ops/common.h"
#include "gpu/planar.h"

namespace saccade {

namespace {

void require_taps(const ResizeTaps& taps, const char* op) {
    require(taps.size > 0 && taps.windows.type == Type::u32 && taps.weights.type == Type::u32 &&
                taps.windows.bytes >= uint64_t(taps.size) * 8 &&
                taps.weights.bytes >= uint64_t(taps.size) * taps.max_taps * 4 &&
                taps.windows.offset == 0 && taps.weights.offset == 0,
            op, "taps for " + std::to_string(taps.size) + " outputs are not all there");
}

// Packed pixels that hold the rows of the image that they say.
void require_pixels(const Pixels& pixels, const Image& image, const char* op) {
    require(pixels.rows > 0 && uint64_t(pixels.first_row) + pixels.rows <= image.height() &&
                pixels.row_bytes >= 3 * image.width() &&
                pixels.bytes.bytes >=
                    uint64_t(pixels.row_bytes) * (pixels.rows - 1) + 3 * uint64_t(image.width()) &&
                pixels.bytes.type == Type::u32 && pixels.bytes.offset == 0,
            op,
            "the buffer does not hold " + std::to_string(pixels.rows) + " rows of a picture of " +
                std::to_string(image.width()) + "x" + std::to_string(image.height()));
}

// Weights of red, green and blue for a share of 255 levels each.
params::YuvSum yuv_sum(double offset, double red, double green, double blue) {
    auto fixed = [](double weight) {
        return static_cast<uint32_t>(std::lround(weight / 255 * (1 << params::yuv_bits)));
    };
    return {static_cast<uint32_t>(offset), fixed(red), fixed(green), fixed(blue)};
}

}  // namespace

void unpack(Commands& c, const Image& image, const Pixels& pixels) {
    constexpr const char* op = "unpack";
    require_pixels(pixels, image, op);
    const params::UnpackParams p{image.width(), pixels.first_row, pixels.rows, pixels.row_bytes,
                                 pixels.bgr ? 1u : 0u};
    c.dispatch(Kernel("unpack", {pixel_threads(c)}), {divide_up(image.width(), 4), pixels.rows},
               {read(pixels.bytes), write(image)}, p);
}

void unpack_yuv(Commands& c, const Image& image, const YuvPlanes& planes) {
    constexpr const char* op = "unpack_yuv";
    const YuvFormat& format = planes.format;
    const uint32_t chroma_width = format.half_width ? divide_up(planes.width, 2) : planes.width;
    const uint32_t chroma_height = format.half_height ? divide_up(planes.height, 2) : planes.height;
    const bool wide = format.bits > 8;
    auto holds = [&](const Tensor& plane, uint32_t width, uint32_t height, uint32_t row_bytes) {
        return plane.type == Type::u32 && plane.offset == 0 && row_bytes % 4 == 0 &&
               row_bytes >= uint64_t(width) * (wide ? 2 : 1) &&
               plane.bytes >= uint64_t(row_bytes) * height;
    };
    require(planes.width > 0 && planes.height > 0 && format.bits >= 8 && format.bits <= 16 &&
                holds(planes.y, planes.width, planes.height, planes.row_bytes) &&
                holds(planes.u, chroma_width, chroma_height, planes.chroma_row_bytes) &&
                holds(planes.v, chroma_width, chroma_height, planes.chroma_row_bytes),
            op,
            "the planes do not hold a picture of " + std::to_string(planes.width) + "x" +
                std::to_string(planes.height));
    const bool lying = planes.quarter_turns % 2 == 1;
    require(planes.quarter_turns < 4 && image.width() == (lying ? planes.height : planes.width) &&
                image.height() == (lying ? planes.width : planes.height),
            op, "the image has another size than the picture");

    const LumaWeights weight = luma_weights(format.matrix);
    const YuvLevels level = yuv_levels(format.full_range, format.bits);
    const double red = 2 * (1 - weight.red) / level.chroma;
    const double blue = 2 * (1 - weight.blue) / level.chroma;
    params::UnpackYuvParams p{};
    p.width = planes.width;
    p.height = planes.height;
    p.chroma_width = chroma_width;
    p.chroma_height = chroma_height;
    p.row_words = planes.row_bytes / 4;
    p.chroma_row_words = planes.chroma_row_bytes / 4;
    p.quarter_turns = planes.quarter_turns;
    p.black = static_cast<float>(level.black);
    p.grey = static_cast<float>(level.grey);
    p.luma = static_cast<float>(1 / level.luma);
    p.red_v = static_cast<float>(red);
    p.green_u = static_cast<float>(-blue * weight.blue / weight.green());
    p.green_v = static_cast<float>(-red * weight.red / weight.green());
    p.blue_u = static_cast<float>(blue);
    p.most_chroma = static_cast<float>(2 * level.grey * 32767 / 32768);
    c.dispatch(Kernel("unpack_yuv", {pixel_threads(c), format.half_width, format.half_height,
                                     format.chroma_left, format.chroma_top, wide}),
               {chroma_width, chroma_height},
               {read(planes.y), read(planes.u), read(planes.v), write(image)}, p);
}

void pack(Commands& c, const Pixels& pixels, const Image& image) {
    constexpr const char* op = "pack";
    require_pixels(pixels, image, op);
    require(
        pixels.row_bytes % 4 == 0 && pixels.bytes.bytes >= uint64_t(pixels.row_bytes) * pixels.rows,
        op, "rows of " + std::to_string(pixels.row_bytes) + " bytes are not whole words");
    const params::PackParams p{image.width(), pixels.first_row, pixels.rows, pixels.row_bytes / 4,
                               pixels.bgr ? 1u : 0u};
    c.dispatch(Kernel("pack", {pixel_threads(c)}), {divide_up(image.width(), 4), pixels.rows},
               {read(image), write(pixels.bytes)}, p);
}

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

void preprocess(Commands& c, const Tensor& y, const Image& image, const Preprocess& how) {
    constexpr const char* op = "preprocess";
    require_taps(how.horizontal, op);
    require_taps(how.vertical, op);
    const uint32_t width = how.horizontal.size, height = how.vertical.size;
    require(width % how.patch_width == 0 && height % how.patch_height == 0, op,
            std::to_string(width) + "x" + std::to_string(height) + " is not made of patches of " +
                std::to_string(how.patch_width) + "x" + std::to_string(how.patch_height));
    const uint32_t across = width / how.patch_width, down = height / how.patch_height;
    require(y.batch == 1 && y.rows == across * down &&
                y.columns == 3 * how.patch_width * how.patch_height,
            op, "patches do not make " + y.shape());
    require(uint64_t(across) * padded(y.columns) / 4 < 1u << 22, op,  // what divide() can do
            "patches of " + std::to_string(how.patch_width) + "x" +
                std::to_string(how.patch_height) + " are too large");

    auto scope = c.scope(op);
    const Tensor rows = c.scratch(how.exact ? 3 : 1, image.height(), width, Type::u32);
    const uint32_t exact = how.exact ? 1 : 0;
    const params::PreprocessHorizontalParams h{view(rows), width, image.height(),
                                               how.horizontal.max_taps};
    c.dispatch(
        Kernel("preprocess.horizontal", {pixel_threads(c), exact}), {width, image.height()},
        {read(image), read(how.horizontal.windows), read(how.horizontal.weights), write(rows)}, h);
    params::PreprocessVerticalParams v{view(rows),
                                       view(y),
                                       width,
                                       height,
                                       how.patch_width,
                                       how.patch_height,
                                       how.vertical.max_taps,
                                       how.filled.x,
                                       how.filled.y,
                                       {},
                                       {}};
    for (int i = 0; i < 3; ++i) {
        v.scale[i] = how.scale[i];
        v.shift[i] = how.shift[i];
    }
    c.dispatch(Kernel("preprocess.vertical", y.type, {pixel_threads(c), exact}),
               {across * (padded(y.columns) / 4), down},
               {read(rows), read(how.vertical.windows), read(how.vertical.weights), write(y)}, v);
}

}  // namespace saccade
