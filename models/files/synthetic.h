#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/files/checkpoint.h"

namespace saccade {

// Deterministic pseudo-random weights: every value is a function of a seed, the tensor's name and
// the element's index, and the same to the bit on every machine and in the parity kit's weights.py.
// Their scales keep activations in the range of trained models.

// Changes the range of tensors whose names a regular expression finds: x becomes x * factor +
// offset. The first adjustment that matches applies.
struct Adjustment {
    std::string found;
    float factor = 1, offset = 0;
};

// F32, F16 or BF16 elements of one tensor.
std::vector<std::byte> synthetic_bytes(uint64_t seed, std::string_view name,
                                       std::span<const uint64_t> shape, StoredType type,
                                       std::span<const Adjustment> adjust = {});

// A parity case's weights.json: the tensors of a checkpoint.
struct Manifest {
    struct Entry {
        std::string name;
        std::vector<uint64_t> shape;
        std::vector<float> values = {};  // of a constant; empty: synthetic values
    };
    uint64_t seed = 0;
    StoredType type = StoredType::f32;
    std::vector<Entry> tensors;
    std::vector<Adjustment> adjust = {};
};
Manifest read_manifest(const std::filesystem::path& path);

// Creates the folder and writes model.safetensors, tensor by tensor; no config.json.
void write_checkpoint(const std::filesystem::path& folder, const Manifest& manifest);

// A source of synthetic weights, without files.
class SyntheticWeights : public WeightSource {
public:
    // Has the tensors of the manifest.
    explicit SyntheticWeights(const Manifest& manifest);

    // Has every tensor in any requested shape, as far as `has` allows.
    using Has = std::function<bool(std::string_view name)>;
    SyntheticWeights(uint64_t seed, StoredType type, Has has = nullptr);

    std::optional<StoredTensor> find(std::string_view name,
                                     std::span<const uint64_t> shape) override;
    void release(
        std::span<const std::byte> bytes) override;  // frees a tensor once its end is released
    std::string where(std::string_view name) const override;
    uint64_t elements() const override;  // 0 without a manifest
    std::vector<std::string> unused() const override;

private:
    StoredTensor make(const Manifest::Entry& entry);

    uint64_t seed_;
    StoredType type_;
    Has has_;
    std::vector<Adjustment> adjust_;
    std::optional<std::map<std::string, Manifest::Entry, std::less<>>> listed_;
    std::set<std::string> used_;
    std::vector<std::vector<std::byte>> buffers_;  // of tensors that are not yet released
};

}  // namespace saccade
