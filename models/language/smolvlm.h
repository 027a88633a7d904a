#pragma once

#include "models/captioning/caption_model.h"
#include "models/contrast/vision_tower.h"
#include "models/language/llama.h"

// SmolVLM (Marafioti et al. 2025) and Idefics3 (Laurençon et al. 2024): SigLIP's tower sees the picture,
// whole and in tiles; neighbouring tokens are put side by side (pixel shuffle) and projected to words
// of a small Llama, which reads them between the words of the question.

namespace saccade {

struct SmolVlmConfig {
    VisionTowerConfig vision;
    LlamaConfig text;
    uint32_t scale = 0;        // tokens of scale x scale patches become one
    uint32_t image_token = 0;  // the id that the picture's tokens take the place of

    uint32_t side() const { return vision.grid() / scale; }  // tokens of a tile's side
};
SmolVlmConfig read_smolvlm_config(const Json& json, const std::string& where);

class SmolVlm : public CaptionModel {
public:
    SmolVlm(WeightLoader& weights, const SmolVlmConfig& config);

    const TextDecoder& decoder() const override { return text_; }
    const Llama& llama() const { return text_; }
    PictureTokens picture() const override;
    // patches: (pictures * tiles, patches, columns). The tap's last hidden state is after the norm.
    void encode(Commands& c, const Tensor& encoded, const Tensor& patches, Tap& tap) const override;
    uint32_t encoder_layers() const override { return config_.vision.form.layers; }
    void memorize(Commands& c, const Tensor& memory, const Tensor& encoded, Tap&) const override;
    uint32_t memory_columns() const override { return config_.text.form.hidden; }

    bool answers() const override { return true; }
    // A question with one id for the picture, or a whole prompt with the ids of all its tokens.
    void ask(std::span<const uint32_t> question) override;
    std::span<const uint32_t> prompt() const override { return prompt_; }
    std::string written(const std::string& question) const override;
    bool cut_into(Size tiles) override;
    TokenMap token_map() const override;

    Generation read_generation(const Json& config, const std::string& where, const Json* file,
                               const std::string& file_where) const override;
    double multiply_adds() const override;

private:
    uint32_t tiles() const { return tiles_.x * tiles_.y + 1; }
    uint32_t tokens_of_tile() const { return config_.side() * config_.side(); }

    SmolVlmConfig config_;
    VisionTower vision_;
    Norm norm_;
    Linear projection_;  // (text hidden, scale * scale * vision hidden)
    Llama text_;
    Size tiles_;                    // that the picture is cut into
    std::vector<uint32_t> prompt_;  // with an id for each of the picture's tokens
};

}  // namespace saccade
