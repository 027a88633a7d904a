#include "models/attention/knock_outs.h"

#include <algorithm>

#include "gpu/core/error.h"
#include "gpu/ops/elementwise.h"
#include "gpu/ops/rows.h"

namespace saccade {

namespace {

float* row_of(const Buffer& memory, const Tensor& t, uint32_t batch, uint32_t row) {
    return reinterpret_cast<float*>(memory.mapped().data()) + size_t(batch) * t.batch_stride +
           size_t(row) * t.row_stride;
}

}  // namespace

std::map<uint32_t, uint32_t> KnockOuts::heads() const {
    std::map<uint32_t, uint32_t> result;
    for (const auto& [index, layer] : layers_) result[index] = layer.heads;
    return result;
}

void KnockOuts::prepare(Device& device, Layer& layer, const Tensor& y, uint32_t heads) {
    const uint32_t batch = always_.empty() ? y.batch : 1;
    const uint64_t bytes = tensor_bytes(batch, 2, y.columns, Type::f32);
    if (layer.memory.bytes() < bytes)
        layer.memory = Buffer(device, "heads that are on", bytes, Memory::mapped);
    layer.on = make_tensor(layer.memory.handle(), 0, batch, 2, y.columns, Type::f32);
    layer.heads = heads;
    switch_all_on();
}

void KnockOuts::switch_all_on() {
    for (auto& [index, layer] : layers_) {
        std::ranges::fill(layer.memory.mapped(), std::byte{});
        for (uint32_t picture = 0; picture < layer.on.batch; ++picture)
            std::fill_n(row_of(layer.memory, layer.on, picture, 0), layer.on.columns, 1.0f);
        for (const HeadAt& at : always_)
            if (at.layer == index && at.head < layer.heads) set_off(layer, 0, at.head);
        layer.memory.flush();
    }
}

void KnockOuts::set_off(const Layer& layer, uint32_t picture, uint32_t head) {
    const uint32_t width = layer.on.columns / layer.heads;
    std::fill_n(row_of(layer.memory, layer.on, picture, 0) + size_t(head) * width, width, 0.0f);
    std::fill_n(row_of(layer.memory, layer.on, picture, 1) + size_t(head) * width, width, 1.0f);
}

void KnockOuts::switch_off(uint32_t picture, uint32_t layer, uint32_t head) {
    const auto found = layers_.find(layer);
    if (found == layers_.end() || head >= found->second.heads || picture >= found->second.on.batch)
        throw Error("there is no head " + std::to_string(head) + " in layer " +
                    std::to_string(layer) + " to switch off");
    set_off(found->second, picture, head);
    found->second.memory.flush();
}

Tensor KnockOuts::without(Commands& c, uint32_t layer, const Tensor& y, const Heads& heads) {
    const auto is_here = [&](const HeadAt& at) { return at.layer == layer; };
    if (!always_.empty() && std::ranges::none_of(always_, is_here)) return y;
    Layer& own = layers_[layer];
    prepare(c.device(), own, y, heads.count);
    const Tensor result = c.scratch(y.batch, y.rows, y.columns, y.type);
    auto scope = c.scope("knock-outs");
    // In the device's memory, because every token reads it.
    const Tensor on = c.scratch(y.batch, 2, y.columns, y.type);
    copy(c, on, own.on);
    if (!wants_mean()) {
        multiply_into(c, result, y, on.slice_rows(0, 1));
        return result;
    }
    const Tensor mean = c.scratch(y.batch, 1, y.columns, y.type);
    mean_rows_into(c, mean, y);
    Tensor instead = multiply(c, mean, on.slice_rows(1, 1), y.type);
    instead.rows = y.rows;  // every token reads the one row
    instead.row_stride = 0;
    add_into(c, result, multiply(c, y, on.slice_rows(0, 1), y.type), instead);
    return result;
}

}  // namespace saccade
