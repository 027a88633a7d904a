#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/activation.h"
#include "models/files/json.h"

namespace saccade {

// By transformers' name ("gelu", "gelu_new", ...); an Error that starts with `where` for other
// names.
Activation activation_named(std::string_view name, const std::string& where);

// The fields of every config.json.
struct ModelConfig {
    std::string model_type;                  // "vit"
    std::vector<std::string> architectures;  // {"ViTForImageClassification"}
    std::vector<std::string> labels;         // one per class; LABEL_i if the file has no name
};
ModelConfig read_model_config(const JsonFields& fields);

// Checks that several readers share; each throws an Error. The model has this type and
// architecture: the same network may also be stored for another task.
void require_architecture(const JsonFields& fields, const ModelConfig& config,
                          std::string_view model_type, std::string_view architecture);
// The heads divide the columns evenly.
void require_whole_heads(const JsonFields& fields, std::string_view hidden_key, uint32_t hidden,
                         std::string_view heads_key, uint32_t heads);
// There is at least one class.
void require_labels(const std::vector<std::string>& labels);
// num_channels is 3.
void require_rgb(const JsonFields& fields);

// ViT and DeiT: model_type vit or deit. Missing fields take transformers' defaults.
struct ViTConfig {
    uint32_t hidden = 0;
    uint32_t layers = 0;
    uint32_t heads = 0;
    uint32_t intermediate = 0;
    uint32_t image_height = 0, image_width = 0;
    uint32_t patch_height = 0, patch_width = 0;
    uint32_t channels = 0;
    float norm_eps = 0;
    bool qkv_bias = true;
    Activation activation = Activation::gelu_erf;
    bool distilled = false;     // DeiT: a distillation token after the class token
    bool teacher_head = false;  // two classifiers, one on each token, whose logits are averaged
    std::vector<std::string> labels;

    uint32_t head_size() const { return hidden / heads; }
    uint32_t grid_height() const { return image_height / patch_height; }
    uint32_t grid_width() const { return image_width / patch_width; }
    uint32_t prefix_tokens() const { return distilled ? 2 : 1; }
    uint32_t tokens() const { return prefix_tokens() + grid_height() * grid_width(); }
};
ViTConfig read_vit_config(const Json& json, const std::string& where);

}  // namespace saccade
