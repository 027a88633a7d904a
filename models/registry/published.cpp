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

// No id ends a caption: benchmarks want as many words as they ask for.
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

}  // namespace saccade
