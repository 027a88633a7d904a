#pragma once

#include <string>
#include <vector>

#include "gpu/ops/grid_attention.h"
#include "gpu/ops/norms.h"
#include "gpu/ops/products.h"
#include "models/backbone/position.h"
#include "models/classification/classification_model.h"
#include "models/classification/swin_config.h"
#include "models/weights/weight_loader.h"

// Swin Transformer (Liu et al. 2021) and Swin Transformer V2 (Liu et al. 2022). Cells attend to the
// cells of their window; every other block shifts the windows, which connects neighbouring windows;
// after each stage 2x2 cells become one (patch merging). What V2 changes:
//  - a branch is normalised after it, not before (res-post-norm);
//  - scores are cosines with a learned scale per head (scaled cosine attention);
//  - the relative position bias comes from a small MLP on log-spaced coordinates (continuous
//    position bias).

namespace saccade {

class Swin : public ClassificationModel {
public:
    Swin(WeightLoader& weights, const SwinConfig& config);

    const std::vector<std::string>& labels() const override { return config_.labels; }
    Size picture() const override { return config_.image; }
    bool takes_any_size() const override { return true; }
    Remainder remainder() const override { return Remainder::filled_up; }
    void prepare(Size picture) override;
    Size patch() const override { return config_.patch; }
    Type input_type() const override { return patch_embedding_.weight.type; }
    Tensor logits(Commands& c, const Tensor& patches, Tap& tap) const override;

    uint32_t layers() const override { return config_.layers(); }
    uint32_t heads(uint32_t layer) const override { return stage_of(layer).heads; }
    std::vector<uint32_t> layers_of_stages() const override;
    TokenLayout layout(uint32_t layer) const override;
    bool rolls_out() const override { return false; }
    double multiply_adds() const override;

private:
    using Stage = SwinConfig::Stage;
    struct Block {
        Norm norm1, norm2;
        Linear qkv;       // (3 * heads * head, dim), heads padded to a multiple of eight
        Linear out;       // (dim, heads * head)
        Linear fc1, fc2;  // (inner, dim), (dim, inner)
        Tensor bias;      // (heads, (2 window - 1)^2) f32
        Tensor scales;    // (heads) f32, V2
    };
    struct Merging {
        Norm norm;         // V1: 4 * dim, before the product; V2: 2 * dim, after it
        Linear reduction;  // (2 * dim, 4 * dim)
    };
    Block load_block(WeightLoader& weights, const std::string& in, const Stage& stage) const;
    const Stage& stage_of(uint32_t layer) const;
    Windows windows_of(const Stage& stage, const Block& block, Size map, bool odd) const;

    // The residual stream and, in V2, a copy in the type of the products. Padded maps have an extra
    // row of zeros.
    struct Stream {
        Size map;
        bool padded = false;
        Tensor z, y;  // (batch, cells, dim)
        Tensor cells() const { return z.slice_rows(0, area(map)); }
    };
    Stream embed(Commands& c, const Tensor& patches) const;
    void attend(Commands& c, const Stream& s, const Stage& stage, const Block& w, uint32_t layer,
                bool odd, Tap& tap) const;
    void mlp(Commands& c, const Stream& s, const Block& w) const;
    Stream merge(Commands& c, const Stream& s, const Merging& w, const Stage& next) const;
    Stream stream(Commands& c, uint32_t batch, Size map, const Stage& stage) const;
    void clear_padding(Commands& c, const Tensor& y, Size map) const;

    SwinConfig config_;
    Linear patch_embedding_;  // (dim, 3 * patch * patch)
    Norm embedding_norm_, norm_;
    Tensor positions_;                        // (cells of image_size, dim) f32, or none
    std::vector<std::vector<Block>> blocks_;  // of each stage
    std::vector<Merging> mergings_;           // after each stage but the last
    Linear head_;                             // (classes, dim), on the mean of the cells, or none
    Size grid_;                               // of the first stage
};

}  // namespace saccade
