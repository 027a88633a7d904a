#include "gpu/ops/pictures.h"

#include "gpu/ops/common.h"
#include "shaders/pictures/params.h"

namespace saccade {

void resize(Commands& c, const Image& to, const Image& from, const ResizeTaps& horizontal,
            const ResizeTaps& vertical) {
    constexpr const char* op = "resize";
    require(horizontal.size == to.width() && vertical.size == to.height() &&
                horizontal.weights.bytes >= uint64_t(horizontal.size) * horizontal.max_taps * 4 &&
                vertical.weights.bytes >= uint64_t(vertical.size) * vertical.max_taps * 4,
            op,
            "taps do not make a picture of " + std::to_string(to.width()) + "x" +
                std::to_string(to.height()));
    auto scope = c.scope(op);
    const Tensor rows = c.scratch(1, from.height(), to.width(), Type::u32);
    const params::PreprocessHorizontalParams h{view(rows), to.width(), from.height(),
                                               horizontal.max_taps};
    c.dispatch(Kernel("preprocess.horizontal", {pixel_threads(c), 0}), {to.width(), from.height()},
               {read(from), read(horizontal.windows), read(horizontal.weights), write(rows)}, h);
    const params::ResizeParams v{view(rows), to.width(), to.height(), vertical.max_taps};
    c.dispatch(Kernel(op, {pixel_threads(c)}), {to.width(), to.height()},
               {read(rows), read(vertical.windows), read(vertical.weights), write(to)}, v);
}

}  // namespace saccade
