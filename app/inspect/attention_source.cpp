#include "app/inspect/attention_source.h"

#include <algorithm>

#include "gpu/transfer/download.h"
#include "models/attention/attention_maps.h"

namespace saccade {

namespace {
constexpr uint64_t chunk_bytes = 16ull << 20;  // read back from the device at a time
}

AttentionSource::AttentionSource(Engine& engine, std::vector<AttentionLayer> layers,
                                 uint32_t first_cell, const MapGeometry& geometry)
    : engine_(&engine), layers_(std::move(layers)), first_cell_(first_cell), geometry_(geometry) {}

std::vector<SampledPoint> AttentionSource::points(uint32_t layer, uint32_t token,
                                                  std::optional<uint32_t> head) const {
    Commands c(engine_->device(), engine_->scratch(), "points");
    return SampledPoints().read(c, layers_.at(layer), token, head, geometry_);
}

std::vector<float> AttentionSource::rows(uint32_t layer, uint32_t first, uint32_t count) const {
    const AttentionLayer& from = layers_.at(layer);
    const uint32_t heads = this->heads(), keys = this->keys();
    std::vector<float> all(size_t(heads) * count * keys);
    const uint64_t row_bytes = tensor_bytes(1, heads, keys, Type::f32);
    const auto most = static_cast<uint32_t>(std::max<uint64_t>(chunk_bytes / row_bytes, 1));
    for (uint32_t done = 0; done < count; done += most) {
        const uint32_t now = std::min(most, count - done);
        Commands c(engine_->device(), engine_->scratch(), "attention rows");
        Download download;
        c.begin();
        {
            auto scope = c.scope("attention rows");
            const Tensor map = c.scratch(1, heads * now, keys, Type::f32);
            attention_rows(c, map, from, {first + done, now, 0, heads});
            download.record(c, map);
        }
        c.end();
        c.run();
        const std::vector<float> part = download.floats();
        for (uint32_t head = 0; head < heads; ++head)
            std::copy_n(part.begin() + std::ptrdiff_t(size_t(head) * now * keys),
                        size_t(now) * keys,
                        all.begin() + std::ptrdiff_t((size_t(head) * count + done) * keys));
    }
    return all;
}

std::vector<float> AttentionSource::average(uint32_t layer, uint32_t first, uint32_t count) const {
    const std::vector<float> all = rows(layer, first, count);
    std::vector<float> result;
    const size_t each = size_t(count) * keys();
    for (size_t at = 0; at < all.size(); at += each) {
        const auto head = all.begin() + std::ptrdiff_t(at);
        const std::vector<float> mean =
            of_head({head, head + std::ptrdiff_t(each)}, count, std::nullopt);
        result.insert(result.end(), mean.begin(), mean.end());
    }
    return result;
}

std::vector<float> AttentionSource::cells_of(const std::vector<float>& rows) const {
    std::vector<float> result;
    result.reserve(rows.size() / keys() * cells());
    for (size_t row = 0; row < rows.size(); row += keys()) {
        const auto first = rows.begin() + std::ptrdiff_t(row + first_cell_);
        result.insert(result.end(), first, first + cells());
    }
    return result;
}

std::vector<float> of_head(const std::vector<float>& heads, uint32_t count,
                           std::optional<uint32_t> head) {
    const size_t each = heads.size() / count;
    std::vector<float> result(each);
    const size_t first = head.value_or(0), last = head ? first + 1 : count;
    const float weight = 1.0f / static_cast<float>(last - first);
    for (size_t h = first; h < last; ++h)
        for (size_t i = 0; i < each; ++i) result[i] += weight * heads[h * each + i];
    return result;
}

}  // namespace saccade
