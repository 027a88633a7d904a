#include "models/detection/fine/edge_config.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace saccade {

namespace {

// A list of flags.
std::vector<bool> flags(const JsonFields& fields, const char* key, std::vector<bool> otherwise) {
    const Json* list = fields.find(key);
    if (!list) return otherwise;
    std::vector<bool> result;
    if (list->is_array())
        for (const Json& item : *list)
            if (item.is_boolean()) result.push_back(item.get<bool>());
    if (!list->is_array() || result.size() != list->size())
        fields.refuse(key, "is not a list of true and false");
    return result;
}

void read_points(const JsonFields& fields, DeformableDecoderConfig& decoder) {
    const Json* points = fields.find("decoder_n_points");
    if (points && points->is_array())
        decoder.sampling.points = fields.wholes("decoder_n_points", {1, 255});
    else
        decoder.sampling.points.assign(decoder.levels,
                                       fields.whole("decoder_n_points", {1, 255}, 4));
    if (decoder.sampling.points.size() != decoder.levels)
        fields.refuse("decoder_n_points", "has another length than num_feature_levels");
    read_sampling(fields, decoder.sampling);
}

// Layers after eval_idx are for training only.
uint32_t layers_that_count(const JsonFields& fields, uint32_t layers) {
    const Json* index = fields.find("eval_idx");
    int64_t last = index && index->is_number_integer() ? index->get<int64_t>() : -1;
    if (last < 0) last += layers;
    if (last < 0 || last >= int64_t(layers))
        fields.refuse("eval_idx", "is not one of the decoder's layers");
    return static_cast<uint32_t>(last) + 1;
}

}  // namespace

HGNetV2Config read_hgnet_v2(const JsonFields& fields) {
    HGNetV2Config config;
    const auto stem = fields.wholes("stem_channels", sides, {{3, 32, 48}});
    if (stem.size() != 3 || stem[0] != 3 || stem[1] < 2)
        fields.refuse("stem_channels", "are not 3 and two other numbers of channels");
    config.stem_middle = stem[1];
    config.stem_out = stem[2];
    config.stem_strides = fields.wholes("stem_strides", {1, 64}, {{2, 1, 1, 2, 1}});
    if (config.stem_strides.size() != 5 || config.stem_strides[1] * config.stem_strides[2] != 1)
        fields.refuse("stem_strides", "are not five, the second and third of them 1");
    config.stem_activation = activation_named(fields.text("hidden_act", "relu"), fields.where());
    config.affine = fields.flag("use_learnable_affine_block", false);

    const auto in = fields.wholes("stage_in_channels", sides, {{48, 128, 512, 1024}});
    const auto middle = fields.wholes("stage_mid_channels", sides, {{48, 96, 192, 384}});
    const auto out = fields.wholes("stage_out_channels", {2, 65536}, {{128, 512, 1024, 2048}});
    const auto blocks = fields.wholes("stage_num_blocks", {1, 1024}, {{1, 1, 3, 1}});
    const auto layers = fields.wholes("stage_numb_of_layers", {1, 64}, {{6, 6, 6, 6}});
    const auto kernels = fields.wholes("stage_kernel_size", {1, 63}, {{3, 3, 5, 5}});
    const auto strides = fields.wholes("stage_downsample_strides", {1, 64}, {{2, 2, 2, 2}});
    const auto halves = flags(fields, "stage_downsample", {false, true, true, true});
    const auto light = flags(fields, "stage_light_block", {false, false, true, true});
    for (size_t size : {middle.size(), out.size(), blocks.size(), layers.size(), kernels.size(),
                        halves.size(), light.size()})
        if (size != in.size())
            fields.refuse("stage_in_channels", "has another length than other lists of stages");
    // Files of models with three stages have four strides.
    if (strides.size() < in.size())
        fields.refuse("stage_downsample_strides", "are fewer than there are stages");
    for (size_t i = 0; i < in.size(); ++i) {
        if (kernels[i] % 2 == 0) fields.refuse("stage_kernel_size", "has an even number");
        if (in[i] != (i > 0 ? out[i - 1] : config.stem_out))
            fields.refuse("stage_in_channels", "do not match the output of the stage before");
        config.stages.push_back({.in = in[i],
                                 .middle = middle[i],
                                 .out = out[i],
                                 .blocks = blocks[i],
                                 .layers = layers[i],
                                 .kernel = kernels[i],
                                 .stride = halves[i] ? strides[i] : 0,
                                 .light = light[i]});
    }
    require_rgb(fields);
    config.used = read_used_stages(fields, static_cast<uint32_t>(config.stages.size()), {1, 2, 3});
    config.stages.resize(config.used.back() + 1);
    return config;
}

std::vector<uint32_t> used_channels(const HGNetV2Config& backbone) {
    std::vector<uint32_t> channels;
    for (uint32_t stage : backbone.used) channels.push_back(backbone.stages[stage].out);
    return channels;
}

FusionSize read_fusion_size(const JsonFields& fields, uint32_t dim) {
    const double expansion = fields.number("hidden_expansion", 0.0, 64.0, 1.0);
    const FusionSize size{.hidden = static_cast<uint32_t>(std::floor(expansion * dim / 2)),
                          .blocks = static_cast<uint32_t>(std::nearbyint(
                              3 * fields.number("depth_mult", 0.0, 64.0, 1.0)))};  // half to even
    if (size.hidden == 0) fields.refuse("hidden_expansion", "leaves no channels");
    return size;
}

DeformableDecoderConfig read_edge_decoder_form(const JsonFields& fields, ModelConfig common) {
    DeformableDecoderConfig config = read_deformable_decoder(fields, std::move(common));
    read_points(fields, config);
    config.projects = config.dim != config.channels.back();
    config.layers = layers_that_count(fields, config.layers);
    if (config.dim % 8 != 0)
        fields.refuse("d_model",
                      "is " + std::to_string(config.dim) + "; only multiples of 8 are supported");
    if (!config.projects && config.levels != config.channels.size())
        fields.refuse("num_feature_levels", "is more than the maps of decoder_in_channels");
    return config;
}

EdgeDecoderConfig read_edge_decoder(const JsonFields& fields) {
    EdgeDecoderConfig config;
    config.bins = fields.whole("max_num_bins", {4, 1024}, 32);
    config.best = fields.whole("top_prob_values", {1, 64}, 4);
    config.quality_hidden = fields.whole("lqe_hidden_dim", sides, 64);
    config.quality_layers = fields.whole("lqe_layers", {1, 64}, 2);
    if (config.bins % 2 != 0) fields.refuse("max_num_bins", "is not an even number");
    if (config.best > config.bins + 1)
        fields.refuse("top_prob_values", "is more than there are bins");
    return config;
}

}  // namespace saccade
