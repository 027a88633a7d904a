#pragma once

#include "gpu/core/geometry.h"
#include "gpu/core/tensor.h"
#include "gpu/ops/attention.h"
#include "gpu/ops/norms.h"
#include "gpu/recorder/commands.h"

// Attention between the cells of a map: within shifted windows (Swin), and with relative positions
// and pooled heads (MViTv2).

namespace saccade {

// A map cut into windows of `window` x `window` cells, after it was shifted to the left and up by
// `shift` cells, around its edges. A map that windows do not fill is padded: then q, k and v have
// one more row than the map has cells, which all padding shares.
struct Windows {
    Size map;
    uint32_t window = 7, shift = 0;
    Tensor bias;         // (heads, (2 window - 1)^2) f32, by how far a key lies from a query
    Tensor scales = {};  // (heads) f32, of the cosine of q and k; none: Heads::scale of q k^T
    float mask = 0;      // added to scores of cells that only the shift has brought together
    // Each window has a class token, and there is no bias: q and k have a row for each window after
    // the map's.
    bool class_tokens = false;

    Size count() const { return (map + window - 1u) / window; }
    bool padded() const { return count() * window != map; }
    // Queries and keys: the cells of the map, then the windows' class tokens.
    uint32_t tokens() const { return area(map) + (class_tokens ? area(count()) : 0); }
    // The same of one window.
    uint32_t tokens_each() const { return window * window + (class_tokens ? 1 : 0); }
    // The window that a token is in, and where in it.
    struct Place {
        uint32_t window, cell;
    };
    Place place_of(uint32_t token) const;
};
// softmax(scale q k^T + bias) v within each window: (batch, cells of the map, columns).
Tensor window_attention(Commands& c, const Tensor& q, const Tensor& k, const Tensor& v,
                        const Heads& heads, const Windows& windows);
// Its softmax for one query, by head. `whole`: over all tokens(), 0 outside of the window; else
// over those of the window. map is (1, heads, tokens) f32; q and k have one batch.
struct WindowLook {
    Windows::Place from;
    uint32_t first_head = 0;
    bool whole = true;
};
void window_map(Commands& c, const Tensor& map, const Tensor& q, const Tensor& k,
                const Heads& heads, const Windows& windows, const WindowLook& look);

// Attention between a map of queries and a map of keys, each after `first` rows that lie on no map.
// A decomposed relative position is added to each score: one part for the distance down, one for
// the distance across.
struct RelativePlaces {
    Size queries, keys;  // the maps
    uint32_t first = 0;
    Tensor down;    // (height of queries * height of keys, head size) f32
    Tensor across;  // (width of queries * width of keys, head size) f32
};
// q . down and q . across for each query and head: (batch, queries, heads * (height + width of
// keys)) f32.
Tensor relative_scores(Commands& c, const Tensor& q, const Heads& heads,
                       const RelativePlaces& places);
struct RelativeTerms {
    const RelativePlaces& places;
    const Tensor& scores;  // relative_scores of q and these places
};
// softmax(scale q k^T + terms) v, and q added to it if `residual`.
Tensor relative_attention(Commands& c, const Tensor& q, const Tensor& k, const Tensor& v,
                          const Heads& heads, const RelativeTerms& terms, bool residual);
// Its softmax, as attention_map's, of one batch.
void relative_map(Commands& c, const Tensor& map, const Tensor& q, const Tensor& k,
                  const Heads& heads, const RelativeTerms& terms, const MapRange& range);

// Heads of cells pooled by a depthwise convolution, then normalised.
struct HeadPool {
    Tensor weight;  // (kernel * kernel, size) f32, for all heads
    Norm norm;      // (size)
    uint32_t kernel = 3, stride = 1;
    Size out_size(Size map) const;
};
// x (batch, first + cells of the map, heads * padded(size)); the first rows are only normalised.
Tensor pool_heads(Commands& c, const Tensor& x, Size map, uint32_t first, uint32_t heads,
                  const HeadPool& pool);

}  // namespace saccade
