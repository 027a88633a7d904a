#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/activation.h"
#include "models/files/json.h"

namespace saccade {

// From transformers' names ("gelu", "gelu_new", ...). `where` opens the error over an unknown one.
Activation activation_named(std::string_view name, const std::string& where);

// What every config.json says.
struct ModelConfig {
    std::string model_type;                  // "vit"
    std::vector<std::string> architectures;  // {"ViTForImageClassification"}
    std::vector<std::string> labels;         // one per class, LABEL_i where the file names none
};
ModelConfig read_model_config(const JsonFields& fields);

// Refusals that several readers share. A model of another type, or a file that says it holds the
// same network for another task.
void require_architecture(const JsonFields& fields, const ModelConfig& config,
                          std::string_view model_type, std::string_view architecture);
// Heads that do not share the columns evenly.
void require_whole_heads(const JsonFields& fields, std::string_view hidden_key, uint32_t hidden,
                         std::string_view heads_key, uint32_t heads);
// No classes at all, as an empty id2label has it.
void require_labels(const std::vector<std::string>& labels);
// Anything but three colours, in num_channels.
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
