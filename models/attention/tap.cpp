#include "models/attention/tap.h"

#include "gpu/core/error.h"
#include "gpu/ops/elementwise.h"

namespace saccade {

Tap Tap::on_first(uint32_t count, bool hidden, bool features) {
    std::set<uint32_t> layers;
    for (uint32_t i = 0; i < count; ++i) layers.insert(i);
    return Tap(std::move(layers), hidden, features);
}

std::vector<AttentionLayer> Tap::in_order() const {
    std::vector<AttentionLayer> layers;
    for (const auto& [index, kept] : kept_) layers.push_back(kept);
    return layers;
}

Tensor Tap::keep(Commands& c, Buffer& memory, const Tensor& from) {
    const uint64_t bytes = tensor_bytes(from.batch, from.rows, from.columns, from.type);
    if (memory.bytes() < bytes) memory = Buffer(c.device(), "tap", bytes, Memory::device);
    const Tensor to =
        make_tensor(memory.handle(), 0, from.batch, from.rows, from.columns, from.type);
    copy(c, to, from);
    return to;
}

void Tap::attention(Commands& c, uint32_t layer, const Tensor& q, const Tensor& k,
                    const Heads& heads, std::optional<Windows> windows) {
    if (!layers_.contains(layer)) return;
    Kept& kept = kept_[layer];
    kept.q = keep(c, kept.q_memory, q);
    kept.k = keep(c, kept.k_memory, k);
    kept.heads = heads;
    kept.windows = std::move(windows);
}

void Tap::attention(Commands& c, uint32_t layer, const Tensor& q, const Tensor& k,
                    const Heads& heads, const RelativePlaces& places, const Tensor& scores) {
    attention(c, layer, q, k, heads);
    const auto found = kept_.find(layer);
    if (found == kept_.end()) return;
    found->second.places = places;
    found->second.scores = keep(c, found->second.scores_memory, scores);
}

void Tap::sampling(Commands& c, uint32_t layer, const SamplingQueries& queries, uint32_t heads,
                   const Sampling& sampling, const std::vector<Size>& levels) {
    if (!layers_.contains(layer)) return;
    auto scope = c.scope("tap");
    const SamplingPoints points = sampling_points(c, queries, heads, sampling);
    attention(c, layer, points.places, points.shares, {heads, 1.0f});
    kept_[layer].points = sampling.points;
    kept_[layer].levels = levels;
}

void Tap::values(Commands& c, uint32_t layer, const Tensor& v) {
    if (!keep_values_ || !layers_.contains(layer)) return;
    Kept& kept = kept_[layer];
    kept.v = keep(c, kept.v_memory, v);
}

void Tap::hidden(Commands& c, uint32_t index, const Tensor& z) {
    if (keep_hidden_) hidden_[index] = keep(c, hidden_memory_[index], z);
}

void Tap::features(Commands& c, const Tensor& y) {
    if (keep_features_) features_ = keep(c, features_memory_, y);
}

const Tap::Kept& Tap::layer(uint32_t index) const {
    const auto found = kept_.find(index);
    if (found == kept_.end())
        throw Error("the tap has no layer " + std::to_string(index) +
                    ": request it before recording");
    return found->second;
}

}  // namespace saccade
