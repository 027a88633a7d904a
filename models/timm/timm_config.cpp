#include "models/timm/timm_config.h"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>

namespace saccade {

namespace {

constexpr uint32_t most_labels = 1'000'000;

// The preprocessing fields; old folders have them at the top level.
JsonFields pretrained(const JsonFields& fields) {
    return fields.has("pretrained_cfg") ? fields.object("pretrained_cfg") : fields;
}

std::vector<std::string> read_labels(const JsonFields& fields) {
    const JsonFields inner = pretrained(fields);
    const uint32_t count = fields.whole("num_classes", {0, most_labels},
                                        inner.whole("num_classes", {0, most_labels}, 1000));
    std::vector<std::string> labels;
    for (const JsonFields* where : {&fields, &inner})
        if (labels.empty()) labels = where->texts("label_names");
    if (labels.size() == count) return labels;
    labels.clear();
    for (uint32_t i = 0; i < count; ++i) labels.push_back("LABEL_" + std::to_string(i));
    return labels;
}

// [channels, height, width], of three channels.
Size read_input_size(const JsonFields& fields) {
    const Json* size = fields.find("input_size");
    if (!size) return {224, 224};
    const bool fits = size->is_array() && size->size() == 3 && (*size)[0] == 3 &&
                      (*size)[1].is_number_unsigned() && (*size)[2].is_number_unsigned() &&
                      (*size)[1] > 0 && (*size)[1] <= 16384 && (*size)[2] > 0 &&
                      (*size)[2] <= 16384;
    if (!fits) fields.refuse("input_size", "must be [3, height, width]");
    return {(*size)[2].get<uint32_t>(), (*size)[1].get<uint32_t>()};
}

std::array<double, 3> three(const JsonFields& fields, const char* key,
                            const std::array<double, 3>& otherwise) {
    const Json* value = fields.find(key);
    if (!value) return otherwise;
    bool numbers = value->is_array() && value->size() == 3;
    for (size_t i = 0; numbers && i < 3; ++i) numbers = (*value)[i].is_number();
    if (!numbers) fields.refuse(key, "must be three numbers, one per colour");
    return value->get<std::array<double, 3>>();
}

Filter filter_named(const JsonFields& fields) {
    const std::string name = fields.text("interpolation", "bicubic");
    if (name == "bicubic" || name == "random") return Filter::bicubic;
    if (name == "bilinear") return Filter::bilinear;
    if (name == "lanczos") return Filter::lanczos;
    if (name == "nearest") return Filter::nearest;
    fields.refuse("interpolation", in_quotes(name) + " is not supported");
}

// The parts of an architecture's name; an Error if it does not match.
std::smatch parts_of(const JsonFields& fields, const std::string& name, const char* form,
                     const char* known) {
    std::smatch parts;
    if (!std::regex_match(name, parts, std::regex(form)))
        fields.refuse("architecture", in_quotes(name) + " is not supported; supported: " + known);
    return parts;
}

// model_args change an architecture; an unknown one is an Error, since ignoring it would change
// results.
void apply_arguments(const JsonFields& fields, Json& config,
                     std::initializer_list<std::pair<const char*, const char*>> names) {
    const Json* args = fields.find("model_args");
    if (!args) return;
    if (!args->is_object()) fields.refuse("model_args", "is not an object");
    for (const auto& argument : args->items()) {
        const auto known = std::find_if(names.begin(), names.end(), [&](const auto& name) {
            return argument.key() == name.first;
        });
        if (known == names.end())
            fields.refuse("model_args",
                          "has " + in_quotes(argument.key()) + ", which is not supported");
        config[known->second] = argument.value();
    }
}

Json labels_of(const std::vector<std::string>& labels) {
    Json map = Json::object();
    for (size_t i = 0; i < labels.size(); ++i) map[std::to_string(i)] = labels[i];
    return map;
}

}  // namespace

TimmConfig read_timm_config(const JsonFields& fields) {
    TimmConfig config{fields.text("architecture"), read_input_size(pretrained(fields)),
                      read_labels(fields)};
    config.architecture = config.architecture.substr(0, config.architecture.find('.'));
    if (fields.has("model_args") && fields.object("model_args").has("img_size")) {
        const auto size = fields.object("model_args").extent("img_size", {1, 16384});
        config.image = {size.width, size.height};
    }
    return config;
}

Preprocessor timm_preprocessor(const Json& json, const std::string& where) {
    const JsonFields outer(json, where), fields = pretrained(outer);
    const Size size = read_timm_config(outer).image;
    const double part = fields.number("crop_pct", 0.05, 1, 0.875);
    const Size scaled(static_cast<uint32_t>(std::floor(size.x / part)),
                      static_cast<uint32_t>(std::floor(size.y / part)));
    const std::string mode = fields.text("crop_mode", "center");
    Preprocessor p;
    p.type = "timm";
    p.filter = filter_named(fields);
    p.rounding = Rounding::pillow;
    p.crop = size;
    p.crop_to_even = true;
    p.rescale_factor = 1.0 / 255.0;
    p.mean = three(fields, "mean", {0.485, 0.456, 0.406});
    p.std_dev = three(fields, "std", {0.229, 0.224, 0.225});
    for (double deviation : p.std_dev)
        if (deviation == 0) fields.refuse("std", "must not be 0");
    if (mode == "squash") {
        p.resize = Preprocessor::Resize::fixed;
        p.size = scaled;
    } else if (mode == "center" && size.x == size.y) {
        p.resize = Preprocessor::Resize::edges;
        p.shortest_edge = scaled.x;
    } else {
        fields.refuse("crop_mode", in_quotes(mode) +
                                       " is not supported for this input_size; "
                                       "supported: center of squares, squash");
    }
    return p;
}

Json vit_config_of_timm(const Json& json, const std::string& where) {
    const JsonFields fields(json, where);
    const TimmConfig timm = read_timm_config(fields);
    const std::smatch parts =
        parts_of(fields, timm.architecture,
                 "(vit|deit)_(tiny|small|base|large|huge)(_distilled)?_patch(\\d{1,3})_\\d+",
                 "vit_SIZE_patchN_N, deit_SIZE_patchN_N, deit_SIZE_distilled_patchN_N");
    struct Scale {
        const char* name;
        uint32_t hidden, layers, heads;
    };
    constexpr Scale scales[] = {{"tiny", 192, 12, 3},
                                {"small", 384, 12, 6},
                                {"base", 768, 12, 12},
                                {"large", 1024, 24, 16},
                                {"huge", 1280, 32, 16}};
    const Scale* scale = scales;
    while (parts[2] != scale->name) ++scale;
    const bool distilled = parts[3].matched;
    Json config = {
        {"model_type", distilled ? "deit" : "vit"}, {"hidden_size", scale->hidden},
        {"num_hidden_layers", scale->layers},       {"num_attention_heads", scale->heads},
        {"patch_size", std::stoul(parts[4])},       {"layer_norm_eps", 1e-6},
        {"id2label", labels_of(timm.labels)}};
    if (distilled) config["architectures"] = {"DeiTForImageClassificationWithTeacher"};
    apply_arguments(fields, config,
                    {{"embed_dim", "hidden_size"},
                     {"depth", "num_hidden_layers"},
                     {"num_heads", "num_attention_heads"},
                     {"patch_size", "patch_size"},
                     {"img_size", "image_size"},
                     {"qkv_bias", "qkv_bias"},
                     {"mlp_ratio", "mlp_ratio"}});
    config["image_size"] = {timm.image.y, timm.image.x};
    const JsonFields made(config, where);
    config["intermediate_size"] = static_cast<uint32_t>(made.whole("hidden_size", {1, 65536}) *
                                                        made.number("mlp_ratio", 0.01, 64, 4));
    return config;
}

Json swin_config_of_timm(const Json& json, const std::string& where) {
    const JsonFields fields(json, where);
    const TimmConfig timm = read_timm_config(fields);
    const std::smatch parts =
        parts_of(fields, timm.architecture,
                 "swin_(tiny|small|base|large)_patch(\\d{1,3})_window(\\d{1,3})_\\d+",
                 "swin_SIZE_patchN_windowN_N");
    struct Scale {
        const char* name;
        uint32_t dim, third_depth, heads;
    };
    constexpr Scale scales[] = {
        {"tiny", 96, 6, 3}, {"small", 96, 18, 3}, {"base", 128, 18, 4}, {"large", 192, 18, 6}};
    const Scale* scale = scales;
    while (parts[1] != scale->name) ++scale;
    Json config = {
        {"model_type", "swin"},
        {"embed_dim", scale->dim},
        {"depths", {2u, 2u, scale->third_depth, 2u}},
        {"num_heads", {scale->heads, 2 * scale->heads, 4 * scale->heads, 8 * scale->heads}},
        {"patch_size", std::stoul(parts[2])},
        {"window_size", std::stoul(parts[3])},
        {"id2label", labels_of(timm.labels)},
        {"architectures", {"SwinForImageClassification"}}};
    apply_arguments(fields, config,
                    {{"embed_dim", "embed_dim"},
                     {"depths", "depths"},
                     {"num_heads", "num_heads"},
                     {"patch_size", "patch_size"},
                     {"window_size", "window_size"},
                     {"img_size", "image_size"},
                     {"qkv_bias", "qkv_bias"},
                     {"mlp_ratio", "mlp_ratio"}});
    config["image_size"] = {timm.image.y, timm.image.x};
    return config;
}

}  // namespace saccade
