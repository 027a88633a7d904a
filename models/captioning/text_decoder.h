#pragma once

#include <span>

#include "gpu/ops/attention.h"
#include "gpu/ops/norms.h"
#include "gpu/ops/products.h"
#include "gpu/recorder/commands.h"
#include "models/attention/tap.h"

// Autoregressive text decoders: causal self-attention over the words so far, and cross-attention to
// a picture.

namespace saccade {

struct TextDecoderForm {
    uint32_t layers = 0, hidden = 0, heads = 0, intermediate = 0;
    uint32_t vocabulary = 0;
    uint32_t positions = 0;  // the maximum length of a sentence

    uint32_t head_size() const { return hidden / heads; }
    uint32_t width() const { return heads * padded(head_size()); }  // of q, k and v
};

// A decoder's KV cache. It also keeps the queries, so that attention maps can be computed
// afterwards.
struct DecoderState {
    Tensor memory;  // (pictures, picture tokens, layers * 2 * width): k and v of each layer
    Tensor past;    // (sentences, words, layers * 4 * width): for each layer q, k and v of
                    // self-attention, and q of cross-attention. Every picture has the same number
                    // of sentences; those of the first picture come first.
    KnockOuts* knock_outs = nullptr;  // heads that are off; null: none. Self-attention of layer i
                                      // is 2 i, cross-attention 2 i + 1; without cross-attention
                                      // layer i is i.

    // The output of attention's heads, before their projection.
    Tensor heads(Commands& c, uint32_t layer, const Tensor& y, const Heads& heads) const {
        return knock_outs ? knock_outs->without(c, layer, y, heads) : y;
    }
};

class TextDecoder {
public:
    virtual ~TextDecoder() = default;

    const TextDecoderForm& form() const { return form_; }
    virtual Type type() const { return memory_.weight.type; }
    virtual double multiply_adds() const;  // of reading a word, without attention's own products
    // Whether its operations can be recorded as a chain: see gpu/chains/chain.h.
    virtual bool chains() const { return true; }
    virtual uint32_t past_columns() const { return form_.layers * 4 * form_.width(); }

    // Computes the keys and values of cross-attention for all layers, once per picture. images:
    // (pictures, tokens, n).
    virtual void memorize(Commands& c, const Tensor& memory, const Tensor& images) const;

    // Reads ids (sentences, 1, n), words [first, first + n) of their sentences, appends them to the
    // KV cache and computes the logits of the next word, (sentences, 1, vocabulary) f32. With n > 1
    // there is one sentence per picture.
    virtual void read(Commands& c, const Tensor& logits, const Tensor& ids,
                      const DecoderState& state, uint32_t first) const = 0;

    // Cross-attention of one layer: queries of the words (sentences, words, width), keys of the
    // pictures (pictures, picture tokens, width).
    virtual AttentionLayer cross_attention_layer(const DecoderState& state, uint32_t layer) const;
    // Self-attention of one layer among the words (sentences, words, width). Empty q: the model has
    // none.
    virtual AttentionLayer self_attention_layer(const DecoderState& state, uint32_t layer) const;
    // For models without cross-attention, which read the picture as words of the sentence: the
    // words that are the picture's. cross_attention_layer is then self-attention over all words.
    // Empty: the model has cross-attention.
    virtual std::span<const uint32_t> picture_words() const { return {}; }
    // The number of words before the first that sees the picture. Their KV cache is the same for
    // all pictures and is computed once.
    virtual uint32_t fixed_words() const { return 0; }

protected:
    explicit TextDecoder(const TextDecoderForm& form) : form_(form) {}

    // softmax(q k^T) v over the words so far, of LN(x); q, k and v of the new words go to `past`.
    Tensor self_attention(Commands& c, const Tensor& x, const Norm& norm, const Linear& qkv,
                          const DecoderState& state, uint32_t layer, uint32_t first) const;
    // softmax(q k^T) v over the picture, of LN(x).
    Tensor cross_attention(Commands& c, const Tensor& x, const Norm& norm, const Linear& q,
                           const DecoderState& state, uint32_t layer, uint32_t first) const;

    virtual Heads heads(uint32_t layer) const;

    Linear memory_;  // (layers * 2 * width, n): k and v of each layer

private:
    TextDecoderForm form_;
};

}  // namespace saccade
