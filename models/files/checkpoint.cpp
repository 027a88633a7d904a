#include "models/files/checkpoint.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "gpu/core/error.h"
#include "models/files/is_there.h"
#include "models/files/json.h"
#include "models/files/renames.h"

namespace saccade {
namespace {

// transformers v5's renames. Modules are renamed only within a layer, which distinguishes
// attention.output.dense from the layer's own output.dense.
constexpr std::array renames{
    // ViT, DeiT, YOLOS
    Rename{"encoder.layer.#", "layers.#"},
    Rename{"attention.attention.query", "attention.q_proj"},
    Rename{"attention.attention.key", "attention.k_proj"},
    Rename{"attention.attention.value", "attention.v_proj"},
    Rename{"attention.output.dense", "attention.o_proj"},
    Rename{"#.intermediate.dense", "#.mlp.fc1"},
    Rename{"#.output.dense", "#.mlp.fc2"},
    // DETR
    Rename{"backbone.conv_encoder", "backbone"},
    Rename{"self_attn.out_proj", "self_attn.o_proj"},
    Rename{"encoder_attn.out_proj", "encoder_attn.o_proj"},
    // D-FINE's MLPs are lists of layers.
    Rename{"#.fc1", "#.mlp.layers.0"},
    Rename{"#.fc2", "#.mlp.layers.1"},
    Rename{"#.fc1", "#.mlp.fc1"},
    Rename{"#.fc2", "#.mlp.fc2"},
    // RT-DETR and its descendants; the heads are stored in the decoder or at the top level.
    Rename{"encoder.encoder.#.layers", "encoder.aifi.#.layers"},
    // DINOv3 within another model.
    Rename{"backbone.layer.#", "backbone.model.layer.#"},
    Rename{"model.decoder.class_embed", "class_embed"},
    Rename{"model.decoder.bbox_embed", "bbox_embed"},
};

// A plain file name: an index must not refer to files outside the folder.
bool is_plain_file_name(std::string_view name) {
    return !name.empty() && name != "." && name != ".." &&
           std::ranges::none_of(name, [](char c) { return c == '/' || c == '\\' || c == '\0'; });
}

bool is_weight(StoredType type) {
    return type == StoredType::f32 || type == StoredType::f16 || type == StoredType::bf16;
}

}  // namespace

std::vector<std::string> aliases(std::string_view v4_name) {
    // All combinations of renames; inserting at the front puts the fully renamed name first.
    std::vector<std::string> names{std::string(v4_name)};
    for (const Rename& rename : renames) {
        std::vector<std::string> more;
        for (const std::string& name : names) {
            if (auto other = renamed(name, rename)) more.push_back(std::move(*other));
        }
        names.insert(names.begin(), more.begin(), more.end());
    }
    names.pop_back();  // the name itself
    return names;
}

std::filesystem::path config_in(const std::filesystem::path& folder) {
    std::filesystem::path file = folder / "config.json";
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored))
        throw Error("'" + folder.string() +
                    "' is not a model folder: it has no config.json; name a folder with "
                    "config.json and model.safetensors");
    return file;
}

StoredWeights weights_in(const std::filesystem::path& folder) {
    for (std::string_view name :
         {std::string_view("model.safetensors"), std::string_view("model.safetensors.index.json"),
          converted_weights})
        if (is_there(folder / name)) return StoredWeights::safetensors;
    for (const char* name : {"pytorch_model.bin", "pytorch_model.bin.index.json"})
        if (is_there(folder / name)) return StoredWeights::pickle;
    return StoredWeights::none;
}

StoredTensor WeightSource::required(std::string_view name, const std::vector<uint64_t>& shape) {
    auto tensor = optional(name, shape);
    if (!tensor) {
        throw Error(where(name) + ": tensor " + in_quotes(name) + " of shape " + shape_text(shape) +
                    " is missing; the checkpoint does not fit its config.json");
    }
    return *tensor;
}

std::optional<StoredTensor> WeightSource::optional(std::string_view name,
                                                   const std::vector<uint64_t>& shape) {
    auto tensor = find(name, shape);
    if (!tensor) return std::nullopt;
    if (tensor->shape != shape) {
        throw Error(where(name) + ": tensor " + in_quotes(tensor->name) + " has shape " +
                    shape_text(tensor->shape) + ", config.json asks for " + shape_text(shape));
    }
    if (!is_weight(tensor->type)) {
        throw Error(where(name) + ": tensor " + in_quotes(tensor->name) + " is " +
                    std::string(name_of(tensor->type)) +
                    ", weights must be F32, F16 or BF16; save the model in one of those");
    }
    if (progress_) {
        requested_ += tensor->elements();
        // Tensors that layers share are requested more than once.
        const auto all = static_cast<double>(std::max(elements(), requested_));
        progress_(static_cast<float>(static_cast<double>(requested_) / all));
    }
    return tensor;
}

Checkpoint::Checkpoint(const std::filesystem::path& folder) : folder_(folder) {
    if (!is_there(folder)) throw Error(folder.string() + ": no such folder");
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored)) {
        throw Error(folder.string() + ": is not a folder; give the one that holds config.json");
    }
    auto single = folder / "model.safetensors";
    auto index = folder / "model.safetensors.index.json";
    if (!is_there(single) && !is_there(index)) single = folder / converted_weights;
    if (is_there(single)) {
        files_.emplace_back(single);
        for (const StoredTensor& tensor : files_[0].tensors()) {
            places_.emplace(tensor.name, Place{&tensor, 0});
        }
    } else if (is_there(index)) {
        open_shards(index);
    } else if (weights_in(folder) == StoredWeights::pickle) {
        throw Error(folder.string() +
                    ": has pytorch_model.bin only, a Python pickle, which is not read; save the "
                    "model again with transformers' save_pretrained, or fetch a revision that has "
                    "model.safetensors");
    } else {
        throw Error(folder.string() +
                    ": has no model.safetensors and no model.safetensors.index.json; fetch the "
                    "whole model folder");
    }
}

std::map<std::string, std::string> read_shard_index(const std::filesystem::path& index) {
    const Json json = read_json(index);
    JsonFields fields(json, index.string());
    JsonFields weight_map = fields.object("weight_map");
    std::map<std::string, std::string> shards;
    for (const auto& [name, shard] : fields.find("weight_map")->items()) {
        if (!shard.is_string()) weight_map.refuse(in_quotes(name), "does not name a file");
        const auto& file = shard.get_ref<const std::string&>();
        if (!is_plain_file_name(file)) {
            weight_map.refuse(in_quotes(name),
                              "names " + in_quotes(file) + ", which is not a file of this folder");
        }
        shards.emplace(name, file);
    }
    return shards;
}

void Checkpoint::open_shards(const std::filesystem::path& index) {
    const std::map<std::string, std::string> entries = read_shard_index(index);
    std::map<std::string, size_t> shards;
    for (const auto& [name, file] : entries) {
        if (shards.try_emplace(file, files_.size()).second) files_.emplace_back(folder_ / file);
    }
    // files_ no longer grows, so pointers into it stay valid.
    for (const auto& [name, shard] : entries) {
        size_t file = shards.at(shard);
        const StoredTensor* tensor = files_[file].find(name);
        if (!tensor) {
            throw Error(index.string() + ": weight_map: " + in_quotes(name) + " is not in " +
                        files_[file].path().string() + "; fetch both again");
        }
        places_.emplace(name, Place{tensor, file});
    }
}

const Checkpoint::Place* Checkpoint::locate(std::string_view name) const {
    auto found = places_.find(name);
    if (found != places_.end()) return &found->second;
    for (const std::string& alias : aliases(name)) {
        found = places_.find(alias);
        if (found != places_.end()) return &found->second;
    }
    return nullptr;
}

std::optional<StoredTensor> Checkpoint::find(std::string_view name, std::span<const uint64_t>) {
    const Place* place = locate(name);
    if (!place) return std::nullopt;
    used_.insert(place->tensor);
    return *place->tensor;
}

void Checkpoint::release(std::span<const std::byte> bytes) {
    for (const SafetensorsFile& file : files_) file.release(bytes);  // the one they belong to
}

std::string Checkpoint::where(std::string_view name) const {
    const Place* place = locate(name);
    if (place) return files_[place->file].path().string();
    return (files_.size() == 1 ? files_[0].path() : folder_).string();
}

std::vector<std::string> Checkpoint::unused() const {
    std::vector<std::string> names;
    for (const auto& [name, place] : places_) {
        if (!used_.contains(place.tensor)) names.push_back(name);
    }
    return names;
}

std::vector<const StoredTensor*> Checkpoint::tensors() const {
    std::vector<const StoredTensor*> tensors;
    for (const auto& [name, place] : places_) tensors.push_back(place.tensor);
    return tensors;
}

uint64_t Checkpoint::bytes() const {
    uint64_t total = 0;
    for (const auto& [name, place] : places_) total += place.tensor->bytes.size();
    return total;
}

uint64_t Checkpoint::elements() const {
    uint64_t total = 0;
    for (const auto& [name, place] : places_) total += place.tensor->elements();
    return total;
}

}  // namespace saccade
