#include "models/detection/detr_config.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/backbone/config.h"
#include "models/backbone/resnet_config.h"

namespace saccade {

namespace {

ResNetConfig read_timm_backbone(const JsonFields& fields, const std::string& name) {
    ResNetConfig config = timm_resnet(name.substr(0, name.find('.')));  // "resnet50.a1_in1k"
    if (config.stages.empty())
        fields.refuse("backbone", "is " + in_quotes(name) +
                                      ", which is not supported; supported: resnet18, resnet26, "
                                      "resnet34, resnet50, resnet101, resnet152");
    return config;
}

// transformers v5 writes backbone_config; v4 wrote the name of a timm model into `backbone`, and
// DC5 into `dilation` or backbone_kwargs.
ResNetConfig read_backbone(const JsonFields& fields) {
    if (fields.has("backbone_config")) {
        const JsonFields nested = fields.object("backbone_config");
        const std::string type = nested.text("model_type");
        if (type == "resnet") return read_transformers_resnet(nested);
        if (type != "timm_backbone")
            nested.refuse("model_type",
                          in_quotes(type) + " is not supported; supported: resnet, timm_backbone");
        ResNetConfig config = read_timm_backbone(nested, nested.text("backbone"));
        read_output_stride(nested, config);
        keep_stages(nested, config);
        require_rgb(nested);
        return config;
    }
    if (!fields.flag("use_timm_backbone", true)) {
        if (fields.has("backbone"))
            fields.refuse("backbone", "is " + in_quotes(fields.text("backbone")) +
                                          ", whose layers the file does not say: it has no "
                                          "backbone_config");
        const Json nothing = Json::object();
        return read_transformers_resnet(JsonFields(nothing, fields.where()));
    }
    ResNetConfig config = read_timm_backbone(fields, fields.text("backbone", "resnet50"));
    if (fields.flag("dilation", false)) config.output_stride = 16;
    if (fields.has("backbone_kwargs")) {
        const JsonFields nested = fields.object("backbone_kwargs");
        read_output_stride(nested, config);
        keep_stages(nested, config);
    }
    return config;
}

}  // namespace

DetrConfig read_detr_config(const Json& json, const std::string& where) {
    const JsonFields fields(json, where);
    ModelConfig common = read_model_config(fields);
    DetrConfig config;
    config.masks = std::ranges::find(common.architectures, "DetrForSegmentation") !=
                   common.architectures.end();
    require_architecture(fields, common, "detr",
                         config.masks ? "DetrForSegmentation" : "DetrForObjectDetection");
    config.backbone = read_backbone(fields);
    config.hidden = fields.whole("d_model", {4, 65536}, 256);
    config.encoder_layers = fields.whole("encoder_layers", {1, 1024}, 6);
    config.encoder_heads = fields.whole("encoder_attention_heads", {1, 1024}, 8);
    config.encoder_intermediate = fields.whole("encoder_ffn_dim", {1, 262144}, 2048);
    config.decoder_layers = fields.whole("decoder_layers", {1, 1024}, 6);
    config.decoder_heads = fields.whole("decoder_attention_heads", {1, 1024}, 8);
    config.decoder_intermediate = fields.whole("decoder_ffn_dim", {1, 262144}, 2048);
    config.queries = fields.whole("num_queries", {1, 65536}, 100);
    config.activation = activation_named(fields.text("activation_function", "relu"), where);
    config.labels = std::move(common.labels);

    require_whole_heads(fields, "d_model", config.hidden, "encoder_attention_heads",
                        config.encoder_heads);
    require_whole_heads(fields, "d_model", config.hidden, "decoder_attention_heads",
                        config.decoder_heads);
    if (config.hidden % 4 != 0)
        fields.refuse("d_model", "is " + std::to_string(config.hidden) +
                                     "; sine positions need a multiple of four");
    const std::string positions = fields.text("position_embedding_type", "sine");
    if (positions != "sine")
        fields.refuse("position_embedding_type",
                      "is " + in_quotes(positions) + "; only sine is supported");
    if (config.masks && (config.hidden % 16 != 0 || config.encoder_heads % 8 != 0 ||
                         config.backbone.stages.size() < 4))
        fields.refuse("d_model",
                      "is " + std::to_string(config.hidden) +
                          "; masks need a multiple of 16, heads a multiple of 8 and four "
                          "stages of the backbone");
    require_labels(config.labels);
    require_rgb(fields);
    return config;
}

}  // namespace saccade
