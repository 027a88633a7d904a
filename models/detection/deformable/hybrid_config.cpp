#include "models/detection/deformable/hybrid_config.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "models/backbone/resnet_config.h"
#include "shaders/deformable/params.h"

namespace saccade {

namespace {

// "stage3" to 2; the stem and unknown names to nullopt.
std::optional<uint32_t> stage_named(const std::string& name, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        if (name == "stage" + std::to_string(i + 1)) return i;
    return std::nullopt;
}

}  // namespace

std::vector<uint32_t> read_used_stages(const JsonFields& backbone, uint32_t count,
                                       std::vector<uint32_t> otherwise) {
    std::vector<uint32_t> stages;
    if (backbone.has("out_indices")) {
        for (const Json& item : *backbone.find("out_indices")) {
            int64_t index = item.is_number_integer() ? item.get<int64_t>() : 0;
            if (index < 0) index += int64_t(count) + 1;
            if (index < 1 || index > int64_t(count))
                backbone.refuse("out_indices",
                                "names another stage than 1 to " + std::to_string(count));
            stages.push_back(static_cast<uint32_t>(index - 1));
        }
    } else if (const auto names = backbone.texts("out_features"); !names.empty()) {
        for (const std::string& name : names) {
            const auto stage = stage_named(name, count);
            if (!stage)
                backbone.refuse("out_features", "names " + in_quotes(name) +
                                                    ", not one of stage1 to stage" +
                                                    std::to_string(count));
            stages.push_back(*stage);
        }
    } else {
        stages = std::move(otherwise);
    }
    if (stages.empty() || !std::ranges::is_sorted(stages) || stages.back() >= count)
        backbone.refuse("out_indices", "does not list stages in their order");
    return stages;
}

HybridEncoderConfig read_hybrid_encoder(const JsonFields& fields,
                                        const std::vector<uint32_t>& channels) {
    HybridEncoderConfig config;
    for (uint32_t each : channels) config.channels.push_back({each});
    config.dim = fields.whole("encoder_hidden_dim", {8, 65536}, 256);
    config.layers = fields.whole("encoder_layers", {1, 1024}, 1);
    config.heads = fields.whole("encoder_attention_heads", {1, 1024}, 8);
    config.intermediate = fields.whole("encoder_ffn_dim", {1, 262144}, 1024);
    config.attended = fields.wholes("encode_proj_layers", {0, 64}, {{2}});
    config.attention_activation =
        activation_named(fields.text("encoder_activation_function", "gelu"), fields.where());
    config.form.activation =
        activation_named(fields.text("activation_function", "silu"), fields.where());
    config.form.norm_eps = fields.number("batch_norm_eps", 0.0, 1.0, 1e-5);
    config.norm_eps = static_cast<float>(fields.number("layer_norm_eps", 0.0, 1.0, 1e-5));
    config.temperature = fields.number("positional_encoding_temperature", 1.0, 1e9, 10000.0);
    config.positions = !fields.has("eval_size");

    // Only the number of entries matters; the channels are the backbone's.
    const auto named = fields.wholes("encoder_in_channels", sides, {{512, 1024, 2048}});
    if (named.size() != channels.size())
        fields.refuse("encoder_in_channels", "has another length than the backbone's stages");
    if (std::ranges::max(config.attended) >= channels.size())
        fields.refuse("encode_proj_layers", "names a map that does not exist");
    if (config.dim % 8 != 0)
        fields.refuse("encoder_hidden_dim",
                      "is " + std::to_string(config.dim) + "; only multiples of 8 are supported");
    require_whole_heads(fields, "encoder_hidden_dim", config.dim, "encoder_attention_heads",
                        config.heads);
    if (fields.flag("normalize_before", false))
        fields.refuse("normalize_before", "is true; this option is not supported");
    return config;
}

RtDetrVision read_rt_detr_vision(const JsonFields& fields) {
    const JsonFields backbone = fields.object_if_any("backbone_config");
    const std::string type = backbone.text("model_type", "rt_detr_resnet");
    if (type != "rt_detr_resnet")
        backbone.refuse("model_type",
                        "is " + in_quotes(type) + "; only rt_detr_resnet is supported");

    RtDetrVision config;
    config.backbone = read_resnet_d(backbone);
    const auto count = static_cast<uint32_t>(config.backbone.stages.size());
    config.stages = read_used_stages(backbone, count, {1, 2, 3});
    std::vector<uint32_t> channels;
    for (uint32_t stage : config.stages) channels.push_back(config.backbone.stages[stage].channels);
    config.backbone.stages.resize(config.stages.back() + 1);

    config.encoder = read_hybrid_encoder(fields, channels);
    const double expansion = fields.number("hidden_expansion", 0.0, 64.0, 1.0);
    config.encoder.hidden = static_cast<uint32_t>(config.encoder.dim * expansion);
    if (config.encoder.hidden == 0) fields.refuse("hidden_expansion", "leaves no channels");
    return config;
}

DeformableDecoderConfig read_deformable_decoder(const JsonFields& fields, ModelConfig common) {
    DeformableDecoderConfig config;
    config.dim = fields.whole("d_model", {4, 65536}, 256);
    config.layers = fields.whole("decoder_layers", {1, 1024}, 6);
    config.heads = fields.whole("decoder_attention_heads", {1, 1024}, 8);
    config.intermediate = fields.whole("decoder_ffn_dim", {1, 262144}, 1024);
    config.queries = fields.whole("num_queries", {1, 65536}, 300);
    config.channels = fields.wholes("decoder_in_channels", sides, {{256, 256, 256}});
    config.levels = fields.whole("num_feature_levels", {1, params::most_levels}, 3);
    config.activation =
        activation_named(fields.text("decoder_activation_function", "relu"), fields.where());
    config.norm_eps = static_cast<float>(fields.number("layer_norm_eps", 0.0, 1.0, 1e-5));
    config.batch_norm_eps = fields.number("batch_norm_eps", 0.0, 1.0, 1e-5);
    config.labels = std::move(common.labels);
    if (config.labels.empty()) fields.refuse("id2label", "is empty: there is nothing to find");
    if (config.levels < config.channels.size())
        fields.refuse("num_feature_levels", "is less than the maps of decoder_in_channels");
    require_whole_heads(fields, "d_model", config.dim, "decoder_attention_heads", config.heads);
    if (fields.flag("learn_initial_query", false))
        fields.refuse("learn_initial_query", "is true; this option is not supported");
    return config;
}

void read_sampling(const JsonFields& fields, Sampling& sampling) {
    const std::string method = fields.text("decoder_method", "default");
    if (method != "default" && method != "discrete")
        fields.refuse("decoder_method", "is " + in_quotes(method) + ", not default or discrete");
    sampling.discrete = method == "discrete";
    sampling.scale = static_cast<float>(fields.number("decoder_offset_scale", -1e6, 1e6, 0.5));
}

}  // namespace saccade
