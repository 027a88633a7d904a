#include "models/detection/fine/authors_folder.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace saccade {

namespace {

constexpr WholeRange counts{1, 65536};

// HGNetV2's sizes, by the names that the authors' code gives them.
struct HgnetSize {
    const char* name;
    uint32_t stem_middle, stem_out;
    struct Stage {
        uint32_t in, middle, out, blocks, kernel;
    };
    std::vector<Stage> stages;
    uint32_t layers;
};

const HgnetSize& hgnet_size(const JsonFields& fields) {
    static const std::array sizes{
        HgnetSize{
            "Atto", 16, 16, {{16, 16, 64, 1, 3}, {64, 32, 256, 1, 3}, {256, 64, 256, 1, 3}}, 3},
        HgnetSize{
            "Femto", 16, 16, {{16, 16, 64, 1, 3}, {64, 32, 256, 1, 3}, {256, 64, 512, 1, 5}}, 3},
        HgnetSize{
            "Pico", 16, 16, {{16, 16, 64, 1, 3}, {64, 32, 256, 1, 3}, {256, 64, 512, 2, 5}}, 3},
        HgnetSize{
            "B0",
            16,
            16,
            {{16, 16, 64, 1, 3}, {64, 32, 256, 1, 3}, {256, 64, 512, 2, 5}, {512, 128, 1024, 1, 5}},
            3},
        HgnetSize{
            "B1",
            24,
            32,
            {{32, 32, 64, 1, 3}, {64, 48, 256, 1, 3}, {256, 96, 512, 2, 5}, {512, 192, 1024, 1, 5}},
            3},
        HgnetSize{"B2",
                  24,
                  32,
                  {{32, 32, 96, 1, 3},
                   {96, 64, 384, 1, 3},
                   {384, 128, 768, 3, 5},
                   {768, 256, 1536, 1, 5}},
                  4},
        HgnetSize{"B3",
                  24,
                  32,
                  {{32, 32, 128, 1, 3},
                   {128, 64, 512, 1, 3},
                   {512, 128, 1024, 3, 5},
                   {1024, 256, 2048, 1, 5}},
                  5},
        HgnetSize{"B4",
                  32,
                  48,
                  {{48, 48, 128, 1, 3},
                   {128, 96, 512, 1, 3},
                   {512, 192, 1024, 3, 5},
                   {1024, 384, 2048, 1, 5}},
                  6},
        HgnetSize{"B5",
                  32,
                  64,
                  {{64, 64, 128, 1, 3},
                   {128, 128, 512, 2, 3},
                   {512, 256, 1024, 5, 5},
                   {1024, 512, 2048, 2, 5}},
                  6},
        HgnetSize{"B6",
                  48,
                  96,
                  {{96, 96, 192, 2, 3},
                   {192, 192, 512, 3, 3},
                   {512, 384, 1024, 6, 5},
                   {1024, 768, 2048, 3, 5}},
                  6},
    };
    const std::string name = fields.text("name");
    const auto found = std::ranges::find(sizes, name, &HgnetSize::name);
    if (found == sizes.end())
        fields.refuse("name",
                      in_quotes(name) + " is not a known HGNetV2: Atto, Femto, Pico, B0 to B6");
    return *found;
}

// What the code takes for one of several words.
void require_word(const JsonFields& fields, const char* key, const char* otherwise,
                  std::string_view supported) {
    const std::string word = fields.text(key, otherwise);
    if (word != supported)
        fields.refuse(
            key, "is " + in_quotes(word) + "; only " + std::string(supported) + " is supported");
}

Json one_more(std::vector<uint32_t> stages) {  // transformers counts the stem
    for (uint32_t& stage : stages) ++stage;
    return stages;
}

Json hgnet_of(const JsonFields& fields) {
    const HgnetSize& size = hgnet_size(fields);
    require_word(fields, "act", "relu", "relu");
    Json backbone{{"model_type", "hgnet_v2"},
                  {"hidden_act", "relu"},
                  {"stem_channels", {3, size.stem_middle, size.stem_out}},
                  {"use_learnable_affine_block", fields.flag("use_lab", false)},
                  {"out_indices", one_more(fields.wholes("return_idx", {0, 3}, {{1, 2, 3}}))}};
    for (size_t i = 0; i < size.stages.size(); ++i) {
        const HgnetSize::Stage& stage = size.stages[i];
        backbone["stage_in_channels"].push_back(stage.in);
        backbone["stage_mid_channels"].push_back(stage.middle);
        backbone["stage_out_channels"].push_back(stage.out);
        backbone["stage_num_blocks"].push_back(stage.blocks);
        backbone["stage_kernel_size"].push_back(stage.kernel);
        backbone["stage_numb_of_layers"].push_back(size.layers);
        backbone["stage_downsample"].push_back(i > 0);
        backbone["stage_light_block"].push_back(i > 1);
    }
    return backbone;
}

// DINOv3 ViT-S and ViT-S+, and the authors' own ViT-Tiny, which has other biases and norms.
Json dino_of(const JsonFields& fields) {
    const std::string name = fields.text("name");
    const bool small = name == "dinov3_vits16", plus = name == "dinov3_vits16plus";
    const bool tiny = name == "vit_tiny" || name == "vit_tinyplus";
    if (!small && !plus && !tiny)
        fields.refuse("name", in_quotes(name) +
                                  " is not supported; supported: vit_tiny, vit_tinyplus, "
                                  "dinov3_vits16, dinov3_vits16plus");
    if (!fields.flag("use_sta", true)) fields.refuse("use_sta", "is false; this is not supported");
    const uint32_t dim = tiny ? fields.whole("embed_dim", counts, 192) : 384;
    return {{"model_type", "dinov3_vit"},
            {"hidden_size", dim},
            {"num_attention_heads", tiny ? fields.whole("num_heads", counts, 3) : 6},
            {"num_hidden_layers", 12},
            {"intermediate_size", 4 * dim},  // of a gated MLP: two thirds of six times as many
            {"use_gated_mlp", plus},
            {"hidden_act", plus ? "silu" : "gelu"},
            {"num_register_tokens", tiny ? 0 : 4},
            {"key_bias", tiny},
            {"layer_norm_eps", tiny ? 1e-6 : 1e-5},
            {"patch_size", fields.whole("patch_size", counts, 16)},
            {"apply_layernorm", !tiny},
            {"out_indices", one_more(fields.wholes("interaction_indexes", {0, 11}))}};
}

const char* const coco_names[] = {
    "person",        "bicycle",      "car",
    "motorcycle",    "airplane",     "bus",
    "train",         "truck",        "boat",
    "traffic light", "fire hydrant", "stop sign",
    "parking meter", "bench",        "bird",
    "cat",           "dog",          "horse",
    "sheep",         "cow",          "elephant",
    "bear",          "zebra",        "giraffe",
    "backpack",      "umbrella",     "handbag",
    "tie",           "suitcase",     "frisbee",
    "skis",          "snowboard",    "sports ball",
    "kite",          "baseball bat", "baseball glove",
    "skateboard",    "surfboard",    "tennis racket",
    "bottle",        "wine glass",   "cup",
    "fork",          "knife",        "spoon",
    "bowl",          "banana",       "apple",
    "sandwich",      "orange",       "broccoli",
    "carrot",        "hot dog",      "pizza",
    "donut",         "cake",         "chair",
    "couch",         "potted plant", "bed",
    "dining table",  "toilet",       "tv",
    "laptop",        "mouse",        "remote",
    "keyboard",      "cell phone",   "microwave",
    "oven",          "toaster",      "sink",
    "refrigerator",  "book",         "clock",
    "vase",          "scissors",     "teddy bear",
    "hair drier",    "toothbrush",
};

// Their files do not name the classes; 80 are COCO's.
Json labels_of(uint32_t classes) {
    Json labels;
    for (uint32_t i = 0; i < classes; ++i)
        labels[std::to_string(i)] =
            classes == std::size(coco_names) ? coco_names[i] : "LABEL_" + std::to_string(i);
    return labels;
}

void add_encoder(const JsonFields& fields, Json& config) {
    const bool lite = fields.has("LiteEncoder");
    const JsonFields encoder = fields.object(lite ? "LiteEncoder" : "HybridEncoder");
    config["encoder_type"] = lite ? "lite" : "hybrid";
    config["encoder_hidden_dim"] = encoder.whole("hidden_dim", counts, 256);
    config["encoder_in_channels"] =
        lite ? encoder.wholes("in_channels", counts, {{512}})
             : encoder.wholes("in_channels", counts, {{512, 1024, 2048}});
    config["activation_function"] = encoder.text("act", "silu");
    config["hidden_expansion"] = encoder.number("expansion", 0, 64, 1);
    config["depth_mult"] = encoder.number("depth_mult", 0, 64, 1);
    if (lite) {
        require_word(encoder, "csp_type", "csp2", "csp2");
        return;
    }
    const std::string version = encoder.text("version", "dfine");
    if (version != "dfine" && version != "deim")
        encoder.refuse("version", "is " + in_quotes(version) + ", not dfine or deim");
    if (version == "dfine") require_word(encoder, "csp_type", "csp", "csp2");
    require_word(encoder, "fuse_op", "cat", "sum");
    config["encoder_has_trailing_conv"] = version == "dfine";
    config["encoder_layers"] = encoder.whole("num_encoder_layers", {1, 1024}, 1);
    config["encoder_attention_heads"] = encoder.whole("nhead", {1, 1024}, 8);
    config["encoder_ffn_dim"] = encoder.whole("dim_feedforward", {1, 262144}, 1024);
    config["encode_proj_layers"] = encoder.wholes("use_encoder_idx", {0, 64}, {{2}});
    config["encoder_activation_function"] = encoder.text("enc_act", "gelu");
    config["positional_encoding_temperature"] = encoder.number("pe_temperature", 1, 1e9, 10000);
}

// A field under another name, if it is there.
void copy_field(const JsonFields& from, const char* key, Json& to, const char* as) {
    if (const Json* value = from.find(key)) to[as] = *value;
}

void add_decoder(const JsonFields& decoder, Json& config) {
    require_word(decoder, "query_select_method", "default", "default");
    config["d_model"] = decoder.whole("hidden_dim", counts, 256);
    config["decoder_layers"] = decoder.whole("num_layers", {1, 1024}, 6);
    config["decoder_attention_heads"] = decoder.whole("nhead", {1, 1024}, 8);
    config["decoder_ffn_dim"] = decoder.whole("dim_feedforward", {1, 262144}, 1024);
    config["decoder_in_channels"] = decoder.wholes("feat_channels", counts, {{512, 1024, 2048}});
    config["num_feature_levels"] = decoder.whole("num_levels", counts, 3);
    config["num_queries"] = decoder.whole("num_queries", counts, 300);
    config["learn_initial_query"] = decoder.flag("learn_query_content", false);
    config["use_gateway"] = decoder.flag("use_gateway", true);
    config["share_bbox_head"] = decoder.flag("share_bbox_head", false);
    config["id2label"] = labels_of(decoder.whole("num_classes", counts, 80));
    copy_field(decoder, "num_points", config, "decoder_n_points");
    copy_field(decoder, "eval_idx", config, "eval_idx");
    copy_field(decoder, "reg_max", config, "max_num_bins");
    copy_field(decoder, "cross_attn_method", config, "decoder_method");
    copy_field(decoder, "mlp_act", config, "mlp_act");
    copy_field(decoder, "activation", config, "decoder_activation_function");
}

}  // namespace

Json deimv2_config_of_authors(const Json& json, const std::string& where) {
    const JsonFields fields(json, where);
    Json config{{"model_type", "deimv2"}};
    config["backbone_config"] = fields.has("DINOv3STAs") ? dino_of(fields.object("DINOv3STAs"))
                                                         : hgnet_of(fields.object("HGNetv2"));
    if (const JsonFields dino = fields.object_if_any("DINOv3STAs"); dino.has("name"))
        config["spatial_tuning_adapter_inplanes"] = dino.whole("conv_inplane", counts, 16);
    add_encoder(fields, config);
    add_decoder(fields.object(authors_decoder), config);
    return config;
}

Preprocessor deimv2_preprocessor_of_authors(const Json& json, const std::string& where) {
    const JsonFields fields(json, where);
    const HeightWidth size = fields.object(authors_decoder)
                                 .extent("eval_spatial_size", {32, 8192}, HeightWidth{640, 640});
    Preprocessor p;
    p.type = "DEIMv2";
    p.resize = Preprocessor::Resize::fixed;
    p.size = {size.width, size.height};
    p.filter = Filter::bilinear;
    p.rounding = Rounding::pillow;
    p.rescale_factor = 1.0 / 255.0;
    if (fields.has("DINOv3STAs")) {
        p.mean = {0.485, 0.456, 0.406};
        p.std_dev = {0.229, 0.224, 0.225};
    }
    return p;
}

}  // namespace saccade
