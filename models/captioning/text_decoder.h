#pragma once

#include <span>

#include "gpu/ops/attention.h"
#include "gpu/ops/norms.h"
#include "gpu/ops/products.h"
#include "gpu/recorder/commands.h"
#include "models/attention/tap.h"

// What decoders that write sentences about a picture share: they read words one after another, each
// sees those before it, and all see the picture.

namespace saccade {

struct TextDecoderForm {
    uint32_t layers = 0, hidden = 0, heads = 0, intermediate = 0;
    uint32_t vocabulary = 0;
    uint32_t positions = 0;  // words of a sentence at most

    uint32_t head_size() const { return hidden / heads; }
    uint32_t width() const { return heads * padded(head_size()); }  // of q, k and v
};

// What a decoder keeps on the device while it writes. Nothing of it is computed twice, and what a
// word looked at can be asked afterwards.
struct DecoderState {
    Tensor memory;  // (pictures, picture tokens, layers * 2 * width): k and v of each layer
    Tensor past;    // (sentences, words, layers * 4 * width): of each layer q, k and v of
                    // self-attention, and q of cross-attention. The same number of sentences for
                    // each picture: those of the first picture come first.
};

class TextDecoder {
public:
    virtual ~TextDecoder() = default;

    const TextDecoderForm& form() const { return form_; }
    virtual Type type() const { return memory_.weight.type; }
    virtual double multiply_adds() const;  // of reading a word, but for attention itself
    // Whether its operations are links of chains: see gpu/chains/chain.h.
    virtual bool chains() const { return true; }
    virtual uint32_t past_columns() const { return form_.layers * 4 * form_.width(); }

    // Keys and values of the pictures for all layers: once per picture. images are
    // (pictures, tokens, n).
    virtual void memorize(Commands& c, const Tensor& memory, const Tensor& images) const;

    // Reads ids (sentences, 1, n), words [first, first + n) of their sentences, and says what may
    // come after them: logits (sentences, 1, vocabulary) f32. Several words are read of one
    // sentence a picture alone.
    virtual void read(Commands& c, const Tensor& logits, const Tensor& ids,
                      const DecoderState& state, uint32_t first) const = 0;

    // Cross-attention of one layer: queries of the words (sentences, words, width), keys of the
    // pictures (pictures, picture tokens, width).
    virtual AttentionLayer cross_attention_layer(const DecoderState& state, uint32_t layer) const;
    // Models without cross-attention read the picture as words of the sentence: the layer above is
    // then that of all words. Which of these are the picture's; empty: they look at it apart.
    virtual std::span<const uint32_t> picture_words() const { return {}; }
    // How many words every sentence begins with before the first that sees the picture. What is kept of
    // them is the same for all pictures, so they are read once and not for each.
    virtual uint32_t fixed_words() const { return 0; }

protected:
    explicit TextDecoder(const TextDecoderForm& form) : form_(form) {}

    // softmax(q k^T) v over the words so far, of LN(x); q, k and v of the new ones stay in `past`.
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
