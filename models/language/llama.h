#pragma once

#include <string>
#include <vector>

#include "gpu/ops/attention.h"
#include "gpu/ops/norms.h"
#include "gpu/ops/products.h"
#include "models/attention/tap.h"
#include "models/captioning/text_decoder.h"
#include "models/files/json.h"
#include "models/weights/weight_loader.h"

// LLaMA (Touvron et al. 2023) with grouped-query attention (Ainslie et al. 2023): a pre-norm
// decoder with RMSNorm, rotary position embeddings (RoPE) and SwiGLU. A picture's tokens are
// embedded among the words of its prompt.

namespace saccade {

struct LlamaConfig {
    TextDecoderForm form;
    uint32_t kv_heads = 0, head = 0;
    float norm_eps = 0;
    double theta = 10000;  // RoPE's base
    bool attention_bias = false, mlp_bias = false;
    Activation activation = Activation::silu;

    uint32_t q_width() const { return form.heads * padded(head); }
    uint32_t kv_width() const { return kv_heads * padded(head); }
};
// The "text_config" of a config.json.
LlamaConfig read_llama_config(const JsonFields& fields);

class Llama : public TextDecoder {
public:
    // Loads `prefix`.embed_tokens and so on, and lm_head if the file has one.
    Llama(WeightLoader& weights, const std::string& prefix, const LlamaConfig& config);

    Type type() const override { return words_.type; }
    uint32_t past_columns() const override;
    double multiply_adds() const override;

    // Which words of the prompt are the picture's tokens, in order.
    void set_picture_words(std::vector<uint32_t> words);
    std::span<const uint32_t> picture_words() const override { return picture_words_; }
    uint32_t fixed_words() const override {
        return picture_words_.empty() ? 0 : picture_words_.front();
    }

    // DecoderState's memory holds the picture's tokens. They replace the embeddings of the
    // picture's words, which must be read in one call.
    void read(Commands& c, const Tensor& logits, const Tensor& ids, const DecoderState& state,
              uint32_t first) const override;
    // The same with a tap, which keeps the hidden states before each layer, and the last word's
    // after the final norm.
    void read(Commands& c, const Tensor& logits, const Tensor& ids, const DecoderState& state,
              uint32_t first, Tap& tap) const;
    // Self-attention: the keys of all words so far.
    AttentionLayer cross_attention_layer(const DecoderState& state, uint32_t layer) const override;
    AttentionLayer self_attention_layer(const DecoderState&, uint32_t) const override { return {}; }

private:
    struct Block {
        RmsNorm norm1, norm2;
        Linear qkv;      // (q_width + 2 kv_width, hidden)
        Linear out;      // (hidden, q_width)
        Linear gate_up;  // (2 * intermediate, hidden)
        Linear down;     // (hidden, intermediate)
    };
    void load_block(WeightLoader& weights, const std::string& in);
    void put_picture(Commands& c, const Tensor& x, uint32_t first, const Tensor& memory) const;
    void attend(Commands& c, const Tensor& x, const Block& w, const DecoderState& state,
                uint32_t layer, uint32_t first) const;
    void feed_forward(Commands& c, const Tensor& x, const Block& w) const;
    // The hidden state of the last word after all blocks.
    Tensor read_blocks(Commands& c, const Tensor& ids, const DecoderState& state, uint32_t first,
                       Tap& tap) const;
    Heads heads(uint32_t layer) const override;

    LlamaConfig config_;
    Tensor words_;  // (vocabulary, hidden)
    std::vector<Block> blocks_;
    RmsNorm norm_;
    Linear head_;       // (vocabulary, hidden), tied to words_ unless the file has its own
    Tensor rotations_;  // (positions, head) f32: RoPE's cosines, then sines
    Tensor nothing_;    // (hidden) f32: zeros, because no position embeddings are added
    std::vector<uint32_t> picture_words_;
};

}  // namespace saccade
