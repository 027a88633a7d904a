#pragma once

#include "models/captioning/caption_model.h"
#include "models/contrast/vision_tower.h"
#include "models/language/llama.h"

// SmolVLM (Marafioti et al. 2025) and Idefics3 (Laurençon et al. 2024): SigLIP's tower encodes the
// picture, as a whole and in tiles. Neighbouring tokens are concatenated (pixel shuffle) and
// projected to embeddings of a small Llama, which reads them among the words of the prompt.

namespace saccade {

struct SmolVlmConfig {
    VisionTowerConfig vision;
    LlamaConfig text;
    uint32_t scale = 0;        // scale x scale patches become one token
    uint32_t image_token = 0;  // the id of the picture's tokens in the prompt

    uint32_t side() const { return vision.grid() / scale; }  // tokens along a side of a tile
};
SmolVlmConfig read_smolvlm_config(const Json& json, const std::string& where);

class SmolVlm : public CaptionModel {
public:
    SmolVlm(WeightLoader& weights, const SmolVlmConfig& config);

    const TextDecoder& decoder() const override { return text_; }
    const Llama& llama() const { return text_; }
    PictureTokens picture() const override;
    // patches: (pictures * tiles, patches, columns). The tap's last hidden state is the one after
    // the final norm.
    void encode(Commands& c, const Tensor& encoded, const Tensor& patches, Tap& tap) const override;
    uint32_t encoder_layers() const override { return config_.vision.form.layers; }
    void memorize(Commands& c, const Tensor& memory, const Tensor& encoded, Tap&) const override;
    uint32_t memory_columns() const override { return config_.text.form.hidden; }

    bool answers() const override { return true; }
    // A question with one image token, which is repeated as needed, or with all of them.
    void ask(std::span<const uint32_t> question) override;
    std::span<const uint32_t> prompt() const override { return prompt_; }
    std::string chat_prompt(const std::string& question) const override;
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
    Size tiles_;  // columns and rows; the whole picture comes in addition
    std::vector<uint32_t> prompt_;
};

}  // namespace saccade
