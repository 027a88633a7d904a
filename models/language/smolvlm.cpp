#include "models/language/smolvlm.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gpu/core/error.h"
#include "models/backbone/config.h"

namespace saccade {

SmolVlmConfig read_smolvlm_config(const Json& json, const std::string& where) {
    const JsonFields fields(json, where);
    const ModelConfig common = read_model_config(fields);
    const bool smol = common.model_type == "smolvlm";
    require_architecture(
        fields, common, smol ? "smolvlm" : "idefics3",
        smol ? "SmolVLMForConditionalGeneration" : "Idefics3ForConditionalGeneration");
    const JsonFields vision = fields.object("vision_config");
    SmolVlmConfig config{
        .vision = read_vision_tower_config(
            vision, {.image = 224,
                     .patch = 32,
                     .form = {12, {1152, 16, 3072, 1e-6f, true, Activation::gelu_tanh}},
                     .class_token = false,
                     .patch_bias = true}),
        .text = read_llama_config(fields.object("text_config")),
        .scale = fields.whole("scale_factor", {1, 64}, 2),
    };
    config.image_token = fields.whole("image_token_id", {0, config.text.form.vocabulary - 1},
                                      std::min(128257u, config.text.form.vocabulary - 1));
    if (config.vision.grid() % config.scale != 0)
        fields.refuse("scale_factor", "does not divide the number of patches along a side, " +
                                          std::to_string(config.vision.grid()));
    if (config.vision.form.block.hidden % row_quantum != 0)
        vision.refuse("hidden_size", "is not a multiple of 8");
    return config;
}

SmolVlm::SmolVlm(WeightLoader& weights, const SmolVlmConfig& config)
    : config_(config),
      vision_(weights, "model.vision_model", config.vision),
      text_(weights, "model.text_model", config.text) {
    const EncoderForm& form = config.vision.form.block;
    norm_ = weights.norm("model.vision_model.post_layernorm", form.hidden, form.norm_eps);
    projection_ = weights.linear("model.connector.modality_projection.proj",
                                 {.out = config.text.form.hidden,
                                  .in = config.scale * config.scale * form.hidden,
                                  .bias = false});
    ask(std::vector<uint32_t>{config.image_token});
}

PictureTokens SmolVlm::picture() const {
    const uint32_t side = config_.side();
    return {.input = {config_.vision.image, config_.vision.image},
            .patch = {config_.vision.patch, config_.vision.patch},
            .grid = {side, side},
            .tokens = tiles() * tokens_of_tile(),
            .columns = config_.text.form.hidden};
}

bool SmolVlm::cut_into(Size tiles) {
    if (tiles == tiles_) return false;
    tiles_ = tiles;
    return true;
}

// Idefics3's chat template, applied to a user's question about one picture.
std::string SmolVlm::chat_prompt(const std::string& question) const {
    const std::string fake = "<fake_token_around_image>";
    std::string tokens;
    for (uint32_t i = 0; i < tokens_of_tile(); ++i) tokens += "<image>";
    std::string picture;
    for (uint32_t row = 1; row <= tiles_.y; ++row) {
        for (uint32_t column = 1; column <= tiles_.x; ++column)
            picture += fake + "<row_" + std::to_string(row) + "_col_" + std::to_string(column) +
                       ">" + tokens;
        picture += "\n";
    }
    if (tiles_.y > 0) picture += "\n";
    picture += fake + "<global-img>" + tokens + fake;
    return "<|im_start|>User:" + picture + question + "<end_of_utterance>\nAssistant:";
}

void SmolVlm::ask(std::span<const uint32_t> question) {
    const TextDecoderForm& form = text_.form();
    const uint32_t wanted = tiles() * tokens_of_tile();
    std::vector<uint32_t> prompt, places;
    for (uint32_t id : question) {
        if (id >= form.vocabulary)
            throw Error("the prompt has an id outside of the model's vocabulary");
        if (id == config_.image_token) places.push_back(static_cast<uint32_t>(prompt.size()));
        prompt.push_back(id);
    }
    if (places.size() == 1 && wanted > 1) {
        prompt.insert(prompt.begin() + places.front(), wanted - 1, config_.image_token);
        for (uint32_t i = 1; i < wanted; ++i) places.push_back(places.front() + i);
    }
    if (places.size() != wanted)
        throw Error("the prompt has room for " + std::to_string(places.size()) +
                    " tokens of the picture, which has " + std::to_string(wanted));
    if (prompt.size() >= form.positions)
        throw Error("the prompt has " + std::to_string(prompt.size()) +
                    " tokens; the model has positions for " + std::to_string(form.positions));
    text_.set_picture_words(std::move(places));
    prompt_ = std::move(prompt);
}

// Pixel shuffle: the features of scale x scale patches are concatenated, then projected to one
// token of the language model.
void SmolVlm::encode(Commands& c, const Tensor& encoded, const Tensor& patches, Tap& tap) const {
    auto scope = c.scope("SmolVLM vision");
    const Tensor z = vision_.encode(c, patches, tap);
    const Tensor x = layer_norm(c, z, norm_, projection_.weight.type);
    tap.hidden(c, config_.vision.form.layers + 1, x);
    const uint32_t dim = x.columns, scale = config_.scale, grid = config_.vision.grid();
    const uint32_t side = config_.side(), together = scale * dim, wide = scale * together;
    const Tensor shuffled = c.scratch(z.batch, side * side, wide, x.type);
    const Layout to{
        {z.batch * side, side, scale, together}, {side * wide, wide, together, 1}, shuffled.offset};
    const Layout from{{z.batch * side, side, scale, together},
                      {scale * grid * dim, together, grid * dim, 1},
                      x.offset};
    copy_strided(c, shuffled, to, x, x.type == Type::f16 ? Stored::f16 : Stored::f32, from);
    linear_into(c, encoded.flat(), shuffled.flat(), projection_);
}

void SmolVlm::memorize(Commands& c, const Tensor& memory, const Tensor& encoded, Tap&) const {
    copy(c, memory, encoded);
}

CaptionModel::TokenMap SmolVlm::token_map() const {
    const uint32_t side = config_.side(), each = tokens_of_tile();
    const uint32_t across = std::max(tiles_.x, 1u), down = std::max(tiles_.y, 1u);
    TokenMap map;
    map.grid = {across * side, down * side};
    const uint32_t whole = tiles_.x * tiles_.y * each;  // the whole picture comes last
    for (uint32_t y = 0; y < map.grid.y; ++y)
        for (uint32_t x = 0; x < map.grid.x; ++x) {
            const uint32_t tile = y / side * across + x / side;
            map.tiles.push_back(tile * each + y % side * side + x % side);
            if (tiles_.x > 0) map.whole.push_back(whole + y / down * side + x / across);
        }
    return map;
}

Generation SmolVlm::read_generation(const Json& config, const std::string& where, const Json* file,
                                    const std::string& file_where) const {
    Generation g = read_text_generation(config, where, file, file_where, text_.form().vocabulary);
    constexpr uint32_t longest_answer = 64;
    g.max_new = longest_answer;
    return g;
}

double SmolVlm::multiply_adds() const {
    const double image = tokens_of_tile();
    return tiles() * (vision_.multiply_adds() +
                      image * projection_.weight.rows * projection_.weight.columns) +
           double(prompt_.size()) * text_.multiply_adds();
}

}  // namespace saccade
