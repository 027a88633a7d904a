#include "gpu/ops/pictures.h"

#include "gpu/ops/common.h"
#include "shaders/pictures/params.h"

namespace saccade {

void resample(Commands& c, const Tensor& y, const Image& image, const Preprocess& how) {
    constexpr const char* op = "resample";
    for (const ResizeTaps* taps : {&how.horizontal, &how.vertical})
        require(taps->size > 0 && taps->windows.bytes >= uint64_t(taps->size) * 8 &&
                    taps->weights.bytes >= uint64_t(taps->size) * taps->max_taps * 4,
                op, "taps for " + std::to_string(taps->size) + " outputs are not all there");
    const uint32_t width = how.horizontal.size, height = how.vertical.size;
    const uint32_t across = width / how.patch_width, down = height / how.patch_height;
    require(across * how.patch_width == width && down * how.patch_height == height &&
                y.batch == 1 && y.rows == across * down &&
                y.columns == 3 * how.patch_width * how.patch_height,
            op,
            std::to_string(width) + "x" + std::to_string(height) + " in patches does not make " +
                y.shape());
    require(uint64_t(across) * padded(y.columns) / 4 < 1u << 22, op,  // what divide() can do
            "patches are too large");

    auto scope = c.scope(op);
    const Tensor rows = c.scratch(3, image.height(), width, Type::f32);
    const params::ResampleHorizontalParams h{view(rows), width, image.height(),
                                             how.horizontal.max_taps};
    c.dispatch(
        Kernel("resample.horizontal", {pixel_threads(c)}), {rows.row_stride, image.height()},
        {read(image), read(how.horizontal.windows), read(how.horizontal.weights), write(rows)}, h);
    params::ResampleVerticalParams v{view(rows),
                                     view(y),
                                     width,
                                     height,
                                     how.vertical.max_taps,
                                     how.patch_width,
                                     how.patch_height,
                                     {},
                                     {}};
    for (int i = 0; i < 3; ++i) {
        v.scale[i] = how.scale[i];
        v.shift[i] = how.shift[i];
    }
    c.dispatch(Kernel("resample.vertical", y.type, {pixel_threads(c)}),
               {across * padded(y.columns) / 4, down},
               {read(rows), read(how.vertical.windows), read(how.vertical.weights), write(y)}, v);
}

}  // namespace saccade
