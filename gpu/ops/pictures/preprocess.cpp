#include "gpu/ops/pictures.h"

#include "gpu/ops/common.h"
#include "shaders/pictures/params.h"

namespace saccade {

namespace {

void require_taps(const ResizeTaps& taps, const char* op) {
    require(taps.size > 0 && taps.windows.type == Type::u32 && taps.weights.type == Type::u32 &&
                taps.windows.bytes >= uint64_t(taps.size) * 8 &&
                taps.weights.bytes >= uint64_t(taps.size) * taps.max_taps * 4 &&
                taps.windows.offset == 0 && taps.weights.offset == 0,
            op, "taps for " + std::to_string(taps.size) + " outputs are not all there");
}

}  // namespace

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
