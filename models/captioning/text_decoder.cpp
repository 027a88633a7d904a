#include "models/captioning/text_decoder.h"

#include <cmath>

namespace saccade {

Heads TextDecoder::heads(uint32_t) const {
    // The scale is by the model's head size, not the padded one.
    return {form_.heads, 1.0f / std::sqrt(static_cast<float>(form_.head_size()))};
}

double TextDecoder::multiply_adds() const {
    const double dim = form_.hidden;
    return form_.layers * dim * (6 * dim + 2.0 * form_.intermediate) + dim * form_.vocabulary;
}

void TextDecoder::memorize(Commands& c, const Tensor& memory, const Tensor& images) const {
    auto scope = c.scope("memorize");
    linear_into(c, memory, images, memory_);
}

AttentionLayer TextDecoder::cross_attention_layer(const DecoderState& state, uint32_t layer) const {
    const uint32_t width = form_.width();
    return {state.past.slice_columns((4 * layer + 3) * width, width),
            state.memory.slice_columns(2 * layer * width, width), heads(layer)};
}

AttentionLayer TextDecoder::self_attention_layer(const DecoderState& state, uint32_t layer) const {
    const uint32_t width = form_.width(), at = 4 * layer * width;
    return {state.past.slice_columns(at, width), state.past.slice_columns(at + width, width),
            heads(layer)};
}

Tensor TextDecoder::self_attention(Commands& c, const Tensor& x, const Norm& norm,
                                   const Linear& qkv, const DecoderState& state, uint32_t layer,
                                   uint32_t first) const {
    const uint32_t width = form_.width(), at = 4 * layer * width;
    const Tensor fresh = state.past.slice_rows(first, x.rows);
    norm_linear_into(c, fresh.slice_columns(at, 3 * width), x, norm, qkv);
    const Tensor all = state.past.slice_rows(0, first + x.rows);
    const Tensor y =
        attention(c, fresh.slice_columns(at, width), all.slice_columns(at + width, width),
                  all.slice_columns(at + 2 * width, width), heads(layer), x.rows > 1);
    return state.heads(c, 2 * layer, y, heads(layer));
}

Tensor TextDecoder::cross_attention(Commands& c, const Tensor& x, const Norm& norm, const Linear& w,
                                    const DecoderState& state, uint32_t layer,
                                    uint32_t first) const {
    const AttentionLayer look = cross_attention_layer(state, layer);
    const uint32_t width = form_.width();
    const Tensor q = look.q.slice_rows(first, x.rows);
    const Tensor v = state.memory.slice_columns((2 * layer + 1) * width, width);
    norm_linear_into(c, q, x, norm, w);
    const uint32_t sentences = q.batch / look.k.batch;  // of each picture
    // All sentences of a picture share its keys, so their queries are rows of one batch.
    const Tensor y =
        sentences == 1
            ? attention(c, q, look.k, v, look.heads)
            : attention(c, q.batches_as_rows(sentences), look.k, v, look.heads).rows_as_batches();
    return state.heads(c, 2 * layer + 1, y, look.heads);
}

}  // namespace saccade
