#include "gpu/ops/pictures.h"

#include "gpu/ops/common.h"
#include "shaders/pictures/params.h"

namespace saccade {

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

}  // namespace saccade
