#include "models/backbone/config.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "gpu/core/error.h"

namespace saccade {
namespace {

constexpr std::array<std::pair<std::string_view, Activation>, 15> activations{{
    {"gelu", Activation::gelu_erf},
    {"gelu_python", Activation::gelu_erf},
    {"gelu_new", Activation::gelu_tanh},
    {"gelu_fast", Activation::gelu_tanh},
    {"gelu_accurate", Activation::gelu_tanh},
    {"gelu_pytorch_tanh", Activation::gelu_tanh},
    {"gelu_python_tanh", Activation::gelu_tanh},
    {"quick_gelu", Activation::quick_gelu},
    {"relu", Activation::relu},
    {"tanh", Activation::tanh},
    {"sigmoid", Activation::sigmoid},
    {"silu", Activation::silu},
    {"swish", Activation::silu},
    {"hardswish", Activation::hard_swish},
    {"linear", Activation::none},
}};

constexpr uint32_t most_labels = 1'000'000;

std::optional<uint32_t> class_number(std::string_view key) {
    uint32_t number = 0;
    auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), number);
    if (error != std::errc() || end != key.data() + key.size()) return std::nullopt;
    return number;
}

// As in transformers, the number of classes is the number of entries of id2label, whatever their
// ids. The entries come in any order (JSON readers sort "10" before "2") and may have gaps.
std::vector<std::string> read_labels(const JsonFields& fields) {
    const Json* id2label = fields.find("id2label");
    uint32_t count = 0;
    if (!id2label) {
        count = fields.whole("num_labels", {0, most_labels}, 2);
    } else if (!id2label->is_object() || id2label->size() > most_labels) {
        fields.refuse("id2label", "is not a map from class numbers to names");
    } else {
        count = static_cast<uint32_t>(id2label->size());
    }
    std::vector<std::string> labels;
    labels.reserve(count);
    for (uint32_t i = 0; i < count; ++i) labels.push_back("LABEL_" + std::to_string(i));
    if (!id2label) return labels;

    for (const auto& [key, name] : id2label->items()) {
        auto number = class_number(key);
        if (!number) {
            fields.refuse("id2label", "has the key " + in_quotes(key) + ", not a class number");
        }
        if (!name.is_string()) {
            fields.refuse("id2label", "has a name for class " + key + " that is not a string");
        }
        if (*number < count) labels[*number] = name.get<std::string>();
    }
    return labels;
}

bool contains(const std::vector<std::string>& list, std::string_view item) {
    return std::ranges::find(list, item) != list.end();
}

}  // namespace

Activation activation_named(std::string_view name, const std::string& where) {
    auto found =
        std::ranges::find(activations, name, [](const auto& entry) { return entry.first; });
    if (found != activations.end()) return found->second;
    std::string known;
    for (const auto& [other, activation] : activations) {
        known += (known.empty() ? "" : ", ") + std::string(other);
    }
    throw Error(where + ": the activation " + in_quotes(name) +
                " is not supported; supported: " + known);
}

ModelConfig read_model_config(const JsonFields& fields) {
    if (fields.has("quantization_config")) {
        fields.refuse(
            "quantization_config",
            "is set: quantised weights are not supported; use the F32, F16 or BF16 model");
    }
    return {fields.text("model_type"), fields.texts("architectures"), read_labels(fields)};
}

void require_architecture(const JsonFields& fields, const ModelConfig& config,
                          std::string_view model_type, std::string_view architecture) {
    if (config.model_type != model_type)
        fields.refuse("model_type",
                      in_quotes(config.model_type) + " is not " + std::string(model_type));
    if (!config.architectures.empty() && !contains(config.architectures, architecture))
        fields.refuse("architectures", "names " + in_quotes(config.architectures.front()) +
                                           ", not " + std::string(architecture) +
                                           ": the model is for another task");
}

void require_whole_heads(const JsonFields& fields, std::string_view hidden_key, uint32_t hidden,
                         std::string_view heads_key, uint32_t heads) {
    if (hidden % heads != 0)
        fields.refuse(hidden_key, "is " + std::to_string(hidden) + ", which " +
                                      std::string(heads_key) + " (" + std::to_string(heads) +
                                      ") does not divide");
}

void require_labels(const std::vector<std::string>& labels) {
    if (labels.empty())
        throw Error(
            "the model has no classes: id2label in its config.json is empty; fetch the folder "
            "again");
}

void require_rgb(const JsonFields& fields) {
    const uint32_t channels = fields.whole("num_channels", {1, 1024}, 3);
    if (channels != 3)
        fields.refuse("num_channels",
                      "is " + std::to_string(channels) + "; only 3 (RGB) is supported");
}

ViTConfig read_vit_config(const Json& json, const std::string& where) {
    JsonFields fields(json, where);
    ModelConfig common = read_model_config(fields);
    if (common.model_type != "vit" && common.model_type != "deit") {
        fields.refuse("model_type",
                      in_quotes(common.model_type) + " is not supported; supported: vit, deit");
    }

    ViTConfig config;
    config.hidden = fields.whole("hidden_size", {1, 65536}, 768);
    config.layers = fields.whole("num_hidden_layers", {1, 1024}, 12);
    config.heads = fields.whole("num_attention_heads", {1, 1024}, 12);
    config.intermediate = fields.whole("intermediate_size", {1, 262144}, 3072);
    config.activation = activation_named(fields.text("hidden_act", "gelu"), where);
    config.norm_eps = static_cast<float>(fields.number("layer_norm_eps", 0.0, 1.0, 1e-12));
    config.qkv_bias = fields.flag("qkv_bias", true);
    config.channels = fields.whole("num_channels", {1, 1024}, 3);
    auto image = fields.extent("image_size", {1, 16384}, HeightWidth{224, 224});
    auto patch = fields.extent("patch_size", {1, 1024}, HeightWidth{16, 16});
    config.image_height = image.height, config.image_width = image.width;
    config.patch_height = patch.height, config.patch_width = patch.width;
    config.distilled = common.model_type == "deit";
    config.teacher_head = contains(common.architectures, "DeiTForImageClassificationWithTeacher");
    config.labels = std::move(common.labels);

    require_whole_heads(fields, "hidden_size", config.hidden, "num_attention_heads", config.heads);
    require_rgb(fields);
    if (config.grid_height() == 0 || config.grid_width() == 0) {
        fields.refuse("patch_size", "is larger than image_size");
    }
    return config;
}

}  // namespace saccade
