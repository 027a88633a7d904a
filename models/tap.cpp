#include "models/tap.h"

#include "gpu/error.h"

namespace saccade {

Tensor Tap::keep(Commands& c, const Tensor& from) {
    buffers_.emplace_back(c.device(), "attention tap",
                          tensor_bytes(from.batch, from.rows, from.columns, from.type),
                          Memory::device);
    return make_tensor(buffers_.back().handle(), 0, from.batch, from.rows, from.columns, from.type);
}

void Tap::attention(Commands& c, uint32_t layer, const Tensor& q, const Tensor& k,
                    const Heads& heads) {
    if (!layers_.contains(layer)) return;
    auto [kept, fresh] = kept_.try_emplace(layer);
    if (fresh) kept->second = {keep(c, q), keep(c, k), heads};
    copy(c, kept->second.q, q);
    copy(c, kept->second.k, k);
}

void Tap::hidden(Commands& c, uint32_t index, const Tensor& z) {
    if (!keep_hidden_) return;
    auto [kept, fresh] = hidden_.try_emplace(index);
    if (fresh) kept->second = keep(c, z);
    copy(c, kept->second, z);
}

const Tap::Kept& Tap::layer(uint32_t index) const {
    const auto found = kept_.find(index);
    if (found == kept_.end())
        throw Error("layer " + std::to_string(index) + " was not kept: ask for it before the run");
    return found->second;
}

}  // namespace saccade
