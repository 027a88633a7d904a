#pragma once

#include <string>
#include <vector>

#include "models/captioning/text_decoder.h"
#include "models/files/json.h"
#include "models/weights/weight_loader.h"

// Language Models are Unsupervised Multitask Learners (Radford et al. 2019): a pre-norm decoder,
// here with cross-attention to a picture between self-attention and the feed-forward part. Its
// Conv1D weights are stored as (in, out).

namespace saccade {

struct Gpt2Config {
    TextDecoderForm form;
    float norm_eps = 0;
    Activation activation = Activation::gelu_tanh;
    bool scale_scores = true;            // by 1 / sqrt(head size)
    bool scale_scores_by_layer = false;  // and by 1 / (layer + 1)
};
// The "decoder" of a config.json.
Gpt2Config read_gpt2_config(const JsonFields& fields);

class Gpt2 : public TextDecoder {
public:
    // `prefix` of its tensors in the file: "decoder".
    Gpt2(WeightLoader& weights, const Gpt2Config& config, const std::string& prefix);

    void read(Commands& c, const Tensor& logits, const Tensor& ids, const DecoderState& state,
              uint32_t first) const override;

private:
    struct Block {
        Norm norm1, norm_cross, norm2;
        Linear qkv, out;            // (3 * width, hidden), (hidden, width)
        Linear cross_q, cross_out;  // (width, hidden), (hidden, width)
        Linear fc1, fc2;            // (intermediate, hidden), (hidden, intermediate)
    };
    Heads heads(uint32_t layer) const override;

    Gpt2Config config_;
    Tensor words_;      // (vocabulary, hidden)
    Tensor positions_;  // (positions, hidden) f32
    std::vector<Block> blocks_;
    Norm norm_;
    Linear head_;  // (vocabulary, hidden), tied to words_ unless the file has its own
};

}  // namespace saccade
