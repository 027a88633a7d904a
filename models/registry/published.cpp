#include "models/registry/published.h"

namespace saccade {

namespace {

Json vit(uint32_t hidden, uint32_t layers, uint32_t heads, uint32_t image) {
    return {{"model_type", "vit"},          {"architectures", {"ViTForImageClassification"}},
            {"hidden_size", hidden},        {"num_hidden_layers", layers},
            {"num_attention_heads", heads}, {"intermediate_size", 4 * hidden},
            {"image_size", image},          {"num_labels", 1000u}};
}
Json yolos(uint32_t hidden, uint32_t heads, uint32_t height, uint32_t width, bool mid_positions) {
    return {{"model_type", "yolos"},
            {"hidden_size", hidden},
            {"num_hidden_layers", 12u},
            {"num_attention_heads", heads},
            {"intermediate_size", 4 * hidden},
            {"image_size", {height, width}},
            {"use_mid_position_embeddings", mid_positions},
            {"num_labels", 91u}};
}
Json square_processor(const char* type, uint32_t image) {
    return {{"image_processor_type", type}, {"size", {{"height", image}, {"width", image}}}};
}
Json detector_processor(const char* type, uint32_t shortest) {
    return {{"image_processor_type", type},
            {"size", {{"shortest_edge", shortest}, {"longest_edge", 1333u}}}};
}

}  // namespace

std::vector<PublishedModel> published_vits() {
    const Json small = square_processor("ViTImageProcessor", 224);
    return {{"deit-tiny-patch16-224", vit(192, 12, 3, 224), small},
            {"deit-small-patch16-224", vit(384, 12, 6, 224), small},
            {"vit-base-patch16-224", vit(768, 12, 12, 224), small},
            {"vit-large-patch16-384", vit(1024, 24, 16, 384),
             square_processor("ViTImageProcessor", 384)}};
}

std::vector<PublishedModel> published_dinos() {
    const Json config = {{"model_type", "dinov2"}, {"image_size", 518u}};
    const Json small = {{"model_type", "dinov2"},
                        {"hidden_size", 384u},
                        {"num_attention_heads", 6u},
                        {"image_size", 518u}};
    const Json processor = square_processor("BitImageProcessor", 518);
    return {{"dinov2-small-518", small, processor}, {"dinov2-base-518", config, processor}};
}

std::vector<PublishedModel> published_swins() {
    const Json config = {{"model_type", "swin"}, {"num_labels", 1000u}};
    return {{"swin-tiny-patch4-window7-224", config, square_processor("ViTImageProcessor", 224)}};
}

std::vector<PublishedModel> published_detrs() {
    const Json config = {{"model_type", "detr"}, {"backbone", "resnet50"}, {"num_labels", 91u}};
    return {{"detr-resnet-50", config, detector_processor("DetrImageProcessor", 800)}};
}

std::vector<PublishedModel> published_yolos() {
    return {{"yolos-tiny", yolos(192, 3, 800, 1333, false),
             detector_processor("YolosImageProcessor", 512)},
            {"yolos-small", yolos(384, 6, 512, 864, true),
             detector_processor("YolosImageProcessor", 800)}};
}

namespace {

Json fixed_processor(const char* type, uint32_t image, bool normalizes) {
    Json json = square_processor(type, image);
    json["do_normalize"] = normalizes;
    return json;
}
Json hgnet_v2(std::vector<uint32_t> stem, std::vector<uint32_t> in, std::vector<uint32_t> middle,
              std::vector<uint32_t> out, std::vector<uint32_t> blocks, uint32_t layers) {
    return {{"model_type", "hgnet_v2"},
            {"stem_channels", std::move(stem)},
            {"stage_in_channels", std::move(in)},
            {"stage_mid_channels", std::move(middle)},
            {"stage_out_channels", std::move(out)},
            {"stage_num_blocks", std::move(blocks)},
            {"stage_numb_of_layers", std::vector<uint32_t>(4, layers)},
            {"use_learnable_affine_block", true},
            {"out_indices", {2u, 3u, 4u}}};
}
// D-FINE-N and DEIMv2-N, which use the last two stages only.
Json two_scales(const char* type) {
    Json backbone = hgnet_v2({3, 16, 16}, {16, 64, 256, 512}, {16, 32, 64, 128},
                             {64, 256, 512, 1024}, {1, 1, 2, 1}, 3);
    backbone["out_indices"] = {3u, 4u};
    return {{"model_type", type},
            {"backbone_config", backbone},
            {"encoder_hidden_dim", 128u},
            {"encoder_in_channels", {512u, 1024u}},
            {"encoder_ffn_dim", 512u},
            {"encode_proj_layers", {1u}},
            {"hidden_expansion", 0.34},
            {"depth_mult", 0.5},
            {"d_model", 128u},
            {"decoder_in_channels", {128u, 128u}},
            {"decoder_ffn_dim", 512u},
            {"num_feature_levels", 2u},
            {"decoder_layers", 3u},
            {"decoder_n_points", {6u, 6u}},
            {"num_labels", 80u}};
}

}  // namespace

std::vector<PublishedModel> published_owls() {
    const Json config = {{"model_type", "owlv2"},
                         {"text_config", Json::object()},
                         {"vision_config", {{"image_size", 960u}}}};
    return {{"owlv2-base-patch16", config, square_processor("Owlv2ImageProcessor", 960)}};
}

std::vector<PublishedModel> published_rt_detrs() {
    const Json processor = fixed_processor("RTDetrImageProcessor", 640, false);
    const Json small = {{"model_type", "rt_detr"},
                        {"backbone_config",
                         {{"model_type", "rt_detr_resnet"},
                          {"depths", {2u, 2u, 2u, 2u}},
                          {"hidden_sizes", {64u, 128u, 256u, 512u}},
                          {"layer_type", "basic"}}},
                        {"encoder_in_channels", {128u, 256u, 512u}},
                        {"hidden_expansion", 0.5},
                        {"decoder_layers", 3u},
                        {"num_labels", 80u}};
    return {{"rtdetr_r18vd", small, processor},
            {"rtdetr_r50vd", {{"model_type", "rt_detr"}, {"num_labels", 80u}}, processor}};
}

std::vector<PublishedModel> published_d_fines() {
    const Json small = {
        {"model_type", "d_fine"},
        {"backbone_config", hgnet_v2({3, 16, 16}, {16, 64, 256, 512}, {16, 32, 64, 128},
                                     {64, 256, 512, 1024}, {1, 1, 2, 1}, 3)},
        {"encoder_in_channels", {256u, 512u, 1024u}},
        {"hidden_expansion", 0.5},
        {"depth_mult", 0.34},
        {"decoder_layers", 3u},
        {"decoder_n_points", {3u, 6u, 3u}},
        {"num_labels", 80u}};
    const Json processor = fixed_processor("RTDetrImageProcessor", 640, false);
    return {{"dfine-nano-coco", two_scales("d_fine"), processor},
            {"dfine-small-coco", small, processor}};
}

std::vector<PublishedModel> published_deimv2s() {
    const Json smallest = {{"model_type", "deimv2"},
                           {"backbone_config",
                            {{"model_type", "hgnet_v2"},
                             {"stem_channels", {3u, 16u, 16u}},
                             {"stage_in_channels", {16u, 64u, 256u}},
                             {"stage_mid_channels", {16u, 32u, 64u}},
                             {"stage_out_channels", {64u, 256u, 256u}},
                             {"stage_num_blocks", {1u, 1u, 1u}},
                             {"stage_downsample", {false, true, true}},
                             {"stage_light_block", {false, false, true}},
                             {"stage_kernel_size", {3u, 3u, 3u}},
                             {"stage_numb_of_layers", {3u, 3u, 3u}},
                             {"use_learnable_affine_block", true},
                             {"out_indices", Json::array({3u})}}},
                           {"encoder_type", "lite"},
                           {"encoder_hidden_dim", 64u},
                           {"encoder_in_channels", Json::array({256u})},
                           {"hidden_expansion", 0.34},
                           {"depth_mult", 0.5},
                           {"d_model", 64u},
                           {"decoder_in_channels", {64u, 64u}},
                           {"decoder_ffn_dim", 160u},
                           {"decoder_activation_function", "silu"},
                           {"num_feature_levels", 2u},
                           {"num_queries", 100u},
                           {"decoder_layers", 3u},
                           {"decoder_n_points", {4u, 2u}},
                           {"share_bbox_head", true},
                           {"use_gateway", false},
                           {"num_labels", 80u}};
    Json nano = two_scales("deimv2");
    nano["decoder_activation_function"] = "silu";
    const Json small = {{"model_type", "deimv2"},
                        {"backbone_config",
                         {{"model_type", "dinov3_vit"},
                          {"hidden_size", 192u},
                          {"intermediate_size", 768u},
                          {"num_attention_heads", 3u},
                          {"apply_layernorm", false},
                          {"out_indices", {4u, 8u, 12u}}}},
                        {"encoder_hidden_dim", 192u},
                        {"encoder_in_channels", {192u, 192u, 192u}},
                        {"encoder_ffn_dim", 512u},
                        {"encoder_has_trailing_conv", false},
                        {"hidden_expansion", 0.34},
                        {"depth_mult", 0.67},
                        {"d_model", 192u},
                        {"decoder_in_channels", {192u, 192u, 192u}},
                        {"decoder_ffn_dim", 512u},
                        {"decoder_activation_function", "silu"},
                        {"decoder_layers", 4u},
                        {"decoder_n_points", {3u, 6u, 3u}},
                        {"num_labels", 80u}};
    return {{"deimv2-atto-coco", smallest, fixed_processor("RTDetrImageProcessor", 320, false)},
            {"deimv2-nano-coco", nano, fixed_processor("RTDetrImageProcessor", 640, false)},
            {"deimv2-small-coco", small, fixed_processor("RTDetrImageProcessor", 640, true)}};
}

std::vector<PublishedModel> published_rf_detrs() {
    const Json config = {{"model_type", "rf_detr"},
                         {"backbone_config",
                          {{"model_type", "rf_detr_dinov2"},
                           {"hidden_size", 384u},
                           {"num_attention_heads", 6u},
                           {"image_size", 384u},
                           {"patch_size", 16u},
                           {"num_windows", 2u},
                           {"out_indices", {3u, 6u, 9u, 12u}}}},
                         {"decoder_layers", 2u},
                         {"decoder_n_points", 2u},
                         {"num_labels", 91u}};
    return {{"rf-detr-nano", config, fixed_processor("RfDetrImageProcessor", 384, true)}};
}

// No id ends a caption, so that benchmarks get the requested number of words.
std::vector<PublishedModel> published_vit_gpt2s() {
    const Json config = {{"model_type", "vision-encoder-decoder"},
                         {"decoder_start_token_id", 50256u},
                         {"encoder", {{"model_type", "vit"}}},
                         {"decoder", {{"model_type", "gpt2"}, {"add_cross_attention", true}}}};
    return {{"vit-gpt2-image-captioning", config, square_processor("ViTImageProcessor", 224)}};
}

std::vector<PublishedModel> published_blips() {
    const Json config = {{"model_type", "blip"},
                         {"vision_config", Json::object()},
                         {"text_config", {{"num_attention_heads", 12u}}}};
    return {{"blip-image-captioning-base", config, square_processor("BlipImageProcessor", 384)}};
}

// SmolVLM-256M with the picture as one tile of 512x512, and with 4 x 4 tiles and the whole picture.
std::vector<PublishedModel> published_smolvlms() {
    const Json config = {{"model_type", "idefics3"},
                         {"scale_factor", 4u},
                         {"image_token_id", 49190u},
                         {"text_config",
                          {{"hidden_size", 576u},
                           {"intermediate_size", 1536u},
                           {"num_hidden_layers", 30u},
                           {"num_attention_heads", 9u},
                           {"num_key_value_heads", 3u},
                           {"vocab_size", 49280u},
                           {"max_position_embeddings", 8192u},
                           {"rms_norm_eps", 1e-5},
                           {"rope_theta", 100000.0}}},
                         {"vision_config",
                          {{"hidden_size", 768u},
                           {"intermediate_size", 3072u},
                           {"num_hidden_layers", 12u},
                           {"num_attention_heads", 12u},
                           {"image_size", 512u},
                           {"patch_size", 16u}}}};
    auto processor = [](bool splits) {
        return Json{{"image_processor_type", "Idefics3ImageProcessor"},
                    {"do_image_splitting", splits},
                    {"max_image_size", {{"longest_edge", 512u}}},
                    {"size", {{"longest_edge", 2048u}}}};
    };
    return {{"smolvlm-256m", config, processor(false), true},
            {"smolvlm-256m-split", config, processor(true), true}};
}

}  // namespace saccade
