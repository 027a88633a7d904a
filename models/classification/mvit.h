#pragma once

#include <string>
#include <vector>

#include "gpu/ops/attention.h"
#include "gpu/ops/grid_attention.h"
#include "gpu/ops/norms.h"
#include "gpu/ops/products.h"
#include "models/classification/classification_model.h"
#include "models/classification/mvit_config.h"
#include "models/weights/weight_loader.h"

// MViTv2: Improved Multiscale Vision Transformers (Li et al. 2022), as in timm. From stage to stage
// the map shrinks and its channels grow. The pooling is part of attention: queries, keys and values
// are pooled, keys and values more than queries. Scores have decomposed relative position
// embeddings, and the pooled query is added to the result of attention (residual pooling).

namespace saccade {

class Mvit : public ClassificationModel {
public:
    Mvit(WeightLoader& weights, const MvitConfig& config);

    const std::vector<std::string>& labels() const override { return config_.labels; }
    Size picture() const override { return config_.image; }
    Size patch() const override { return {1, 1}; }
    Type input_type() const override { return patch_embedding_.weight.type; }
    Tensor logits(Commands& c, const Tensor& patches, Tap& tap) const override;

    uint32_t layers() const override { return config_.layers(); }
    uint32_t heads(uint32_t layer) const override { return blocks_.at(layer).heads.count; }
    std::vector<uint32_t> layers_of_stages() const override;
    TokenLayout layout(uint32_t layer) const override;
    TokenLayout query_layout(uint32_t layer) const override;
    bool rolls_out() const override { return false; }
    double multiply_adds() const override;

private:
    struct Block {
        uint32_t dim = 0, attended = 0, dim_out = 0;  // columns of its input, attention and output
        Heads heads;
        uint32_t stride_q = 1;
        Size map;  // of its input
        Norm norm1, norm2;
        Linear qkv;                       // (3 * heads * head, dim)
        HeadPool pool_q, pool_k, pool_v;  // without weights: no pooling
        Linear out;                       // (attended, heads * head)
        Linear attention_shortcut;        // (attended, dim), or none
        Linear fc1, fc2;                  // (inner, attended), (dim_out, inner)
        Linear mlp_shortcut;              // (dim_out, attended), or none
        RelativePlaces places;
    };
    Block load_block(WeightLoader& weights, const std::string& in, Block block,
                     uint32_t stride_kv) const;
    Tensor attend(Commands& c, const Tensor& z, const Block& w, uint32_t layer, Tap& tap) const;
    Tensor mlp(Commands& c, const Tensor& z, const Block& w) const;
    Tensor pool_shortcut(Commands& c, const Tensor& x, const Block& w) const;
    TokenLayout layout_of(Size map, uint32_t first) const;

    MvitConfig config_;
    Conv2d patch_embedding_;
    Tensor start_;                // (1 + cells, dim) f32: class token and positions, or none
    std::vector<Block> blocks_;   // of all stages
    std::vector<uint32_t> ends_;  // the last block of each stage
    Norm norm_;
    Linear head_;  // (classes, dim), or none
};

}  // namespace saccade
