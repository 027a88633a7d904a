#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "models/detection/fine/authors_folder.h"
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

void use_in_perceptrons(Activation activation, Deimv2Config& config) {
    config.box_activation = activation;
    config.edges.positions = config.edges.boxes = config.edges.quality = activation;
}

// How far a layer is from the identity, or from constants.
float distance(WeightSource& weights, const std::string& name, const std::vector<uint64_t>& shape,
               float diagonal, float others) {
    const StoredTensor tensor = weights.required(name, shape);
    std::vector<float> values(tensor.elements());
    read_floats(tensor, 0, values);
    weights.release(tensor.bytes);
    float largest = 0;
    for (size_t i = 0; i < values.size(); ++i) {
        const bool on_diagonal = shape.size() == 1 || i % shape[1] == i / shape[1];
        largest = std::max(largest, std::abs(values[i] - (on_diagonal ? diagonal : others)));
    }
    return largest;
}

// How far enc_output is from what transformers' conversion script writes: the identity, and a norm
// of ones and zeros.
float distance_from_added(WeightSource& weights, uint64_t dim) {
    const std::string layer = "model.enc_output.";
    return std::max({distance(weights, layer + "0.weight", {dim, dim}, 1, 0),
                     distance(weights, layer + "0.bias", {dim}, 0, 0),
                     distance(weights, layer + "1.weight", {dim}, 1, 1),
                     distance(weights, layer + "1.bias", {dim}, 0, 0)});
}

constexpr float nearly = 0.1f;  // training in transformers has changed a layer that was added

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
    config.edges.positions = config.decoder.activation;
    if (fields.has("mlp_act")) {
        config.mlp_activation = activation_named(fields.text("mlp_act"), where);
        use_in_perceptrons(*config.mlp_activation, config);
    }
    if (fields.has("eval_size")) {
        const HeightWidth size = fields.extent("eval_size", {1, 16384});
        config.trained_size = Size(size.width, size.height);
    }
    config.edges.gateway = fields.flag("use_gateway", true);
    config.edges.shared_head = fields.flag("share_bbox_head", false);
    if (config.decoder.intermediate < 2) fields.refuse("decoder_ffn_dim", "is less than 2");
    return config;
}

void follow_authors(Deimv2Config& config) {
    // Queries are chosen from the memory itself.
    config.projects_memory = false;
    // All perceptrons have mlp_act, which all of the authors' models set to SiLU.
    use_in_perceptrons(config.mlp_activation.value_or(Activation::silu), config);
    // Positions of queries are computed once, from the first boxes.
    config.edges.placed_once = true;
    // AIFI has positions always; transformers leaves them out if there is an eval_size.
    config.encoder.positions = true;
    if (!config.dino) return;
    // The script keeps transformers' defaults for both.
    if (config.dino->dino.gated) config.dino->dino.activation = Activation::silu;
    if (config.dino->dino.registers != 0) return;
    // ViT-Tiny has other norms, and none after its last layer.
    config.dino->dino.norm_eps = 1e-6f;
    config.dino->normed.assign(config.dino->normed.size(), false);
}

void choose_implementation(Deimv2Config& config, Implementation as, WeightSource& weights) {
    const bool by_weights = as == Implementation::by_weights;
    const float away = by_weights ? distance_from_added(weights, config.decoder.dim) : 0;
    if (as == Implementation::authors || (by_weights && away == 0)) follow_authors(config);
    if (config.projects_memory) config.trained_size = std::nullopt;
    if (!by_weights || away > nearly) return;
    config.remark =
        away == 0
            ? "its enc_output is the identity, so it was converted from the authors' weights and "
              "runs as their code does; --as transformers runs it as transformers does"
            : "its enc_output is nearly the identity, as after training in transformers, so it "
              "runs as transformers does; --as authors runs it as the authors' code does";
}

Deimv2Config read_deimv2_config_of_authors(const Json& json, const std::string& where,
                                           Implementation as) {
    const JsonFields fields(json, where), decoder = fields.object(authors_decoder);
    if (as == Implementation::transformers)
        fields.refuse(authors_decoder,
                      "is that of the authors' own code, which transformers does not read; leave "
                      "out --as transformers");
    Deimv2Config config = read_deimv2_config(deimv2_config_of_authors(json, where), where);
    follow_authors(config);
    config.stored_anchors = true;
    if (decoder.has("activation")) config.edges.quality = config.decoder.activation;
    if (!decoder.has("mlp_act"))
        config.remark =
            "its config.json names no mlp_act, so it runs with SiLU, as its authors have trained "
            "all sizes; \"mlp_act\": \"relu\" in DEIMTransformer changes that";
    return config;
}

}  // namespace saccade
