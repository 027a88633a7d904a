#pragma once

#include <string>
#include <vector>

#include "models/backbone/layers.h"
#include "models/captioning/caption_model.h"
#include "models/captioning/text_decoder.h"
#include "models/files/json.h"
#include "models/weights/weight_loader.h"

// BLIP: Bootstrapping Language-Image Pre-training (Li et al. 2022), its captioning half: a ViT, and
// an image-grounded text decoder, which is BERT with causal self-attention and cross-attention to
// the picture in every layer. ViT is pre-norm, BERT post-norm. blip_vqa.h has the model that
// answers questions.

namespace saccade {

struct BlipConfig {
    // The vision tower.
    uint32_t image = 0, patch = 0;
    uint32_t vision_layers = 0;
    EncoderForm vision{};
    // The text decoder.
    TextDecoderForm text;
    float text_norm_eps = 0;
    Activation text_activation = Activation::gelu_erf;

    uint32_t grid() const { return image / patch; }
    uint32_t tokens() const { return 1 + grid() * grid(); }
};
// `architecture`: the one that the folder must name.
BlipConfig read_blip_config(const Json& json, const std::string& where,
                            const char* architecture = "BlipForConditionalGeneration");

// BERT with cross-attention in every layer.
struct BlipBert {
    struct Layer {
        Linear qkv, out;            // (3 * width, hidden), (hidden, width)
        Linear cross_q, cross_out;  // (width, hidden), (hidden, width)
        Linear fc1, fc2;            // (intermediate, hidden), (hidden, intermediate)
        Norm norm1, norm_cross, norm2;
    };
    Tensor words;      // (vocabulary, hidden)
    Tensor positions;  // (positions, hidden) f32
    Norm embedding_norm;
    std::vector<Layer> layers;
    Linear memory;  // (layers * 2 * width, columns): k and v of cross-attention in each layer
};
// Loads `in`embeddings.word_embeddings and so on; cross-attention reads `columns` columns.
BlipBert load_blip_bert(WeightLoader& weights, const std::string& in, const BlipConfig& config,
                        uint32_t columns);

class BlipText : public TextDecoder {
public:
    // Cross-attention reads `columns` columns.
    BlipText(WeightLoader& weights, const BlipConfig& config, uint32_t columns);

    void read(Commands& c, const Tensor& logits, const Tensor& ids, const DecoderState& state,
              uint32_t first) const override;

private:
    Activation activation_;
    BlipBert bert_;
    Linear transform_;  // (hidden, hidden)
    Norm transform_norm_;
    Linear head_;  // (vocabulary, hidden), tied to the word embeddings unless the file has its own
};

class Blip : public CaptionModel {
public:
    Blip(WeightLoader& weights, const BlipConfig& config)
        : Blip(weights, config, config.vision.hidden) {}

    const TextDecoder& decoder() const override { return text_; }
    PictureTokens picture() const override;
    void encode(Commands& c, const Tensor& encoded, const Tensor& patches, Tap& tap) const override;
    uint32_t encoder_layers() const override { return config_.vision_layers; }
    bool leaves_tokens_out() const override { return true; }
    bool hides_tokens() const override { return true; }
    Generation read_generation(const Json& config, const std::string& where, const Json*,
                               const std::string&) const override {
        return read_blip_generation(config, where, text_.form().vocabulary);
    }
    double multiply_adds() const override;

protected:
    // The decoder's cross-attention reads `columns` columns.
    Blip(WeightLoader& weights, const BlipConfig& config, uint32_t columns);
    const BlipConfig& config() const { return config_; }

private:
    BlipConfig config_;
    Linear patch_embedding_;  // (hidden, 3 * patch * patch)
    Tensor start_;            // (tokens, hidden) f32: positions, with the class token added
    std::vector<EncoderBlock> blocks_;
    Norm norm_;
    BlipText text_;
};

}  // namespace saccade
