#include "models/files/synthetic.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <regex>
#include <system_error>

#include "gpu/core/error.h"
#include "models/files/half.h"
#include "models/files/json.h"
#include "models/files/sha256.h"

namespace saccade {
namespace {

// Element `index` of the splitmix64 sequence that starts at `key`.
uint64_t splitmix(uint64_t key, uint64_t index) {
    uint64_t z = key + (index + 1) * 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
}

// In [-1, 1), exact.
float uniform(uint64_t key, uint64_t index) {
    return static_cast<float>(splitmix(key, index) >> 40) * 0x1p-23f - 1.0f;
}

uint64_t key_of(uint64_t seed, std::string_view name) {
    auto digest = sha256(std::to_string(seed) + ":" + std::string(name));
    uint64_t key;
    std::memcpy(&key, digest.data(), sizeof key);
    return key;
}

// value = centre + scale * uniform
struct Spread {
    float centre = 0;
    float scale = 1;
};

Spread spread_of(std::string_view name, std::span<const uint64_t> shape) {
    std::string low(name);
    std::ranges::transform(low, low.begin(), [](unsigned char c) { return std::tolower(c); });
    auto has = [&](std::initializer_list<std::string_view> parts) {
        return std::ranges::any_of(parts, [&](auto part) { return low.find(part) != low.npos; });
    };
    auto sqrt_of = [](double gain, double over, uint64_t fan) {
        return static_cast<float>(gain * std::sqrt(over / static_cast<double>(fan)));
    };
    size_t rank = shape.size();

    if (has({"running_var"})) return {1.0f, 0.5f};
    if (has({"running_mean"})) return {0, 0.2f};
    if (rank == 4) return {0, sqrt_of(1.0, 6.0, shape[1] * shape[2] * shape[3])};
    bool embedding = has({"embeddings.weight", "wte", "wpe", "embedding.weight", "query_position"});
    if (rank == 2 && !embedding) {
        bool conv1d = has({"c_attn", "c_proj", "c_fc", "q_attn"});  // GPT-2's, stored [in, out]
        // Twice the scale, because attention would be nearly uniform otherwise.
        bool scores = has({"query", "key", "q_proj", "k_proj", "c_attn", "q_attn", "qkv"});
        return {0, sqrt_of(scores ? 2.0 : 1.0, 3.0, shape[conv1d ? 0 : 1])};
    }
    if (rank == 1 && low.ends_with("bias")) return {0, 0.1f};
    if (rank == 1 && low.ends_with("weight")) return {1.0f, 0.2f};
    if (has({"wte", "word_embeddings"})) return {0, 0.15f};
    return {0, 0.5f};
}

// A product that is rounded to float. It is exact in double, and the conversion keeps the compiler
// from fusing it with an addition (FMA), which would round once instead of twice.
float rounded_product(float a, float b) {
    return static_cast<float>(static_cast<double>(a) * static_cast<double>(b));
}

uint64_t count_of(std::span<const uint64_t> shape) {
    return StoredTensor{{}, {}, {shape.begin(), shape.end()}, {}}.elements();
}

std::vector<std::byte> stored_as(std::span<const float> values, StoredType type) {
    std::vector<std::byte> bytes(values.size() * size_of(type));
    auto fill = [&]<typename Stored>(Stored (*from_float)(float)) {
        for (size_t i = 0; i < values.size(); ++i) {
            const Stored stored = from_float(values[i]);
            std::memcpy(bytes.data() + i * sizeof stored, &stored, sizeof stored);
        }
    };
    switch (type) {
        case StoredType::f32:
            fill(+[](float v) { return v; });
            break;
        case StoredType::f16:
            fill(half_from_float);
            break;
        case StoredType::bf16:
            fill(bfloat_from_float);
            break;
        default:
            throw Error("synthetic weights are F32, F16 or BF16");
    }
    return bytes;
}

std::vector<std::byte> bytes_of(const Manifest::Entry& entry, uint64_t seed, StoredType type,
                                std::span<const Adjustment> adjust) {
    if (entry.values.empty()) return synthetic_bytes(seed, entry.name, entry.shape, type, adjust);
    return stored_as(entry.values, type);
}

}  // namespace

std::vector<std::byte> synthetic_bytes(uint64_t seed, std::string_view name,
                                       std::span<const uint64_t> shape, StoredType type,
                                       std::span<const Adjustment> adjust) {
    const uint64_t key = key_of(seed, name);
    const Spread spread = spread_of(name, shape);
    const auto change = std::ranges::find_if(adjust, [&](const Adjustment& one) {
        return std::regex_search(std::string(name), std::regex(one.found));
    });
    std::vector<float> values(count_of(shape));
    for (uint64_t i = 0; i < values.size(); ++i) {
        values[i] = spread.centre + rounded_product(spread.scale, uniform(key, i));
        if (change != adjust.end())
            values[i] = rounded_product(values[i], change->factor) + change->offset;
    }
    return stored_as(values, type);
}

Manifest read_manifest(const std::filesystem::path& path) {
    const Json json = read_json(path);
    JsonFields fields(json, path.string());
    Manifest manifest;
    manifest.seed = fields.whole("seed", {});
    std::string type = fields.text("dtype");
    for (StoredType known : {StoredType::f32, StoredType::f16, StoredType::bf16}) {
        if (name_of(known) == type) manifest.type = known;
    }
    if (name_of(manifest.type) != type) fields.refuse("dtype", "is not F32, F16 or BF16");
    try {
        for (const Json& row : json.at("tensors")) {
            if (row.size() > 2 && row[2].is_string()) continue;  // an integer counter, never loaded
            manifest.tensors.push_back({row.at(0), row.at(1)});
            if (row.size() > 2) manifest.tensors.back().values = row[2].get<std::vector<float>>();
        }
    } catch (const Json::exception&) {
        fields.refuse("tensors", "is not a list of [name, shape]");
    }
    try {
        if (const Json* adjust = fields.find("adjust"))
            for (const Json& row : *adjust)
                manifest.adjust.push_back({row.at(0), row.at(1), row.at(2)});
    } catch (const Json::exception&) {
        fields.refuse("adjust", "is not a list of [regular expression, factor, offset]");
    }
    return manifest;
}

void write_checkpoint(const std::filesystem::path& folder, const Manifest& manifest) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) throw Error(folder.string() + ": cannot be made (" + error.message() + ")");

    std::vector<StoredTensor> tensors;
    std::map<std::string_view, const Manifest::Entry*> entries;
    for (const Manifest::Entry& entry : manifest.tensors) {
        tensors.push_back({entry.name, manifest.type, entry.shape, {}});
        entries[entry.name] = &entry;
    }
    std::vector<std::byte> bytes;  // of the one tensor being written
    write_safetensors(folder / "model.safetensors", tensors, [&](const StoredTensor& tensor) {
        bytes = {};
        bytes = bytes_of(*entries.at(tensor.name), manifest.seed, manifest.type, manifest.adjust);
        return std::span<const std::byte>(bytes);
    });
}

SyntheticWeights::SyntheticWeights(const Manifest& manifest)
    : seed_(manifest.seed), type_(manifest.type), adjust_(manifest.adjust), listed_(std::in_place) {
    for (const Manifest::Entry& entry : manifest.tensors) listed_->emplace(entry.name, entry);
}

SyntheticWeights::SyntheticWeights(uint64_t seed, StoredType type, Has has)
    : seed_(seed), type_(type), has_(std::move(has)) {}

std::optional<StoredTensor> SyntheticWeights::find(std::string_view name,
                                                   std::span<const uint64_t> shape) {
    if (!listed_) {
        if (has_ && !has_(name)) return std::nullopt;
        return make({std::string(name), {shape.begin(), shape.end()}});
    }
    auto found = listed_->find(name);
    if (found == listed_->end()) {
        for (const std::string& alias : aliases(name)) {
            found = listed_->find(alias);
            if (found != listed_->end()) break;
        }
    }
    if (found == listed_->end()) return std::nullopt;
    return make(found->second);
}

StoredTensor SyntheticWeights::make(const Manifest::Entry& entry) {
    used_.insert(entry.name);
    buffers_.push_back(bytes_of(entry, seed_, type_, adjust_));
    return {entry.name, type_, entry.shape, buffers_.back()};
}

void SyntheticWeights::release(std::span<const std::byte> bytes) {
    std::erase_if(buffers_, [&](const std::vector<std::byte>& buffer) {
        return bytes.data() + bytes.size() == buffer.data() + buffer.size();
    });
}

std::string SyntheticWeights::where(std::string_view) const {
    return "synthetic weights, seed " + std::to_string(seed_);
}

uint64_t SyntheticWeights::elements() const {
    uint64_t total = 0;
    if (listed_) {
        for (const auto& [name, entry] : *listed_) total += count_of(entry.shape);
    }
    return total;
}

std::vector<std::string> SyntheticWeights::unused() const {
    std::vector<std::string> names;
    if (listed_) {
        for (const auto& [name, entry] : *listed_) {
            if (!used_.contains(name)) names.push_back(name);
        }
    }
    return names;
}

}  // namespace saccade
