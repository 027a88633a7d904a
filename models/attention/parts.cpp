#include "models/attention/parts.h"

#include "gpu/ops/elementwise.h"

namespace saccade {

void Parts::keep(Commands& c, const std::string& name, const Tensor& x, Size size) {
    if (!wanted_) return;
    Part& part = parts_[name];
    const uint64_t bytes = tensor_bytes(x.batch, x.rows, x.columns, x.type);
    if (part.memory.bytes() < bytes)
        part.memory = Buffer(c.device(), "part", bytes, Memory::device);
    part.x = make_tensor(part.memory.handle(), 0, x.batch, x.rows, x.columns, x.type);
    part.size = size;
    if (x.type == Type::u32)
        c.copy_bytes(x, part.x);
    else
        copy(c, part.x, x);
}

}  // namespace saccade
