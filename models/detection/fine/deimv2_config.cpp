#include <nlohmann/json.hpp>

#include "models/detection/fine/deimv2.h"
#include "models/detection/test_picture.h"

namespace saccade {

namespace {

TunedDinoConfig read_tuned_dino(const JsonFields& fields, const Json& json,
                                const std::string& where) {
    const JsonFields backbone = fields.object("backbone_config");
    TunedDinoConfig config;
    config.dino = read_dino_config(json["backbone_config"], where);
    config.dino.prefix = "model.conv_encoder.backbone.";
    config.planes = fields.whole("spatial_tuning_adapter_inplanes", {1, 16384}, 16);
    config.norm_eps = fields.number("batch_norm_eps", 0.0, 1.0, 1e-5);
    if (config.dino.patch != Size(16))
        backbone.refuse("patch_size", "is not 16, which the adapter's maps need");
    const uint32_t layers = config.dino.layers;
    const bool all = backbone.flag("apply_layernorm", true);
    for (uint32_t stage : read_used_stages(backbone, layers, {})) {
        config.stages.push_back(stage + 1);
        config.normed.push_back(all || stage + 1 == layers);
    }
    if (config.stages.size() != 3)
        backbone.refuse("out_indices", "are not three, one for each map of the adapter");
    config.dino.layers = config.stages.back();
    config.dino.image = TestPicture::size;  // the first picture that it is prepared for
    return config;
}

LiteEncoderConfig read_lite_encoder(const JsonFields& fields,
                                    const std::vector<uint32_t>& channels) {
    const auto named = fields.wholes("encoder_in_channels", sides, {{512, 1024, 2048}});
    if (named.size() != 1 || named != channels)
        fields.refuse("encoder_in_channels",
                      "are not those of the backbone's one map, which a lite encoder works on");
    LiteEncoderConfig config;
    config.channels = channels.front();
    config.dim = fields.whole("encoder_hidden_dim", {8, 65536}, 256);
    config.form.activation =
        activation_named(fields.text("activation_function", "silu"), fields.where());
    config.form.norm_eps = fields.number("batch_norm_eps", 0.0, 1.0, 1e-5);
    if (config.dim % 8 != 0)
        fields.refuse("encoder_hidden_dim",
                      "is " + std::to_string(config.dim) + "; only multiples of 8 are supported");
    return config;
}

std::vector<uint32_t> map_channels(const Deimv2Config& config) {
    if (!config.dino) return used_channels(config.backbone);
    std::vector<uint32_t> channels;
    for (const std::vector<uint32_t>& parts : TunedDino::channels(*config.dino))
        channels.push_back(parts[0] + parts[1]);
    return channels;
}

void read_encoder(const JsonFields& fields, Deimv2Config& config) {
    const std::vector<uint32_t> channels = map_channels(config);
    const std::string type = fields.text("encoder_type", "hybrid");
    const std::string fusion = fields.text("encoder_fuse_op", "sum");
    if (type != "hybrid" && type != "lite")
        fields.refuse("encoder_type", "is " + in_quotes(type) + ", not hybrid or lite");
    if (fusion != "sum")
        fields.refuse("encoder_fuse_op", "is " + in_quotes(fusion) + "; only sum is supported");
    const bool trailing = fields.flag("encoder_has_trailing_conv", true);
    auto fill = [&](auto& encoder) {
        const FusionSize size = read_fusion_size(fields, encoder.dim);
        encoder.hidden = size.hidden;
        encoder.blocks = size.blocks;
        encoder.trailing = trailing;
    };
    if (type == "lite") {
        config.lite = read_lite_encoder(fields, channels);
        fill(*config.lite);
        return;
    }
    config.encoder = read_hybrid_encoder(fields, channels);
    config.encoder.fusion = HybridEncoderConfig::Fusion::summing_elan;
    config.encoder.projections = {"model.conv_encoder.encoder_input_proj.", ".conv", ".norm"};
    if (config.dino) {
        config.encoder.channels = TunedDino::channels(*config.dino);
        config.encoder.projections.prefix = "model.conv_encoder.fusion_proj.";
    }
    fill(config.encoder);
}

}  // namespace

Deimv2Config read_deimv2_config(const Json& json, const std::string& where) {
    const JsonFields fields(json, where);
    ModelConfig common = read_model_config(fields);
    require_architecture(fields, common, "deimv2", "Deimv2ForObjectDetection");
    const JsonFields backbone = fields.object_if_any("backbone_config");
    const std::string type = backbone.text("model_type", "hgnet_v2");
    Deimv2Config config;
    if (type == "dinov3_vit") {
        config.dino = read_tuned_dino(fields, json, where);
        config.darkest = -2.2f;  // normalised by ImageNet's mean and deviation
        config.brightest = 2.7f;
    } else if (type == "hgnet_v2") {
        config.backbone = read_hgnet_v2(backbone);
    } else {
        backbone.refuse("model_type",
                        "is " + in_quotes(type) + "; only hgnet_v2 and dinov3_vit are supported");
    }
    read_encoder(fields, config);

    config.decoder = read_edge_decoder_form(fields, std::move(common));
    config.decoder.projections = {"model.decoder_input_proj.", ".conv", ".norm"};
    const size_t maps = config.lite ? 2 : config.encoder.channels.size();
    const uint32_t dim = config.lite ? config.lite->dim : config.encoder.dim;
    if (config.decoder.channels != std::vector<uint32_t>(maps, dim))
        fields.refuse("decoder_in_channels", "are not encoder_hidden_dim, once for each of the " +
                                                 std::to_string(maps) + " maps");
    config.edges = read_edge_decoder(fields);
    config.edges.simplified = true;
    config.edges.gateway = fields.flag("use_gateway", true);
    config.edges.shared_head = fields.flag("share_bbox_head", false);
    if (config.decoder.intermediate < 2) fields.refuse("decoder_ffn_dim", "is less than 2");
    return config;
}

}  // namespace saccade
