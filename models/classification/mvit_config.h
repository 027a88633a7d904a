#pragma once

#include <string>
#include <vector>

#include "gpu/core/geometry.h"
#include "models/files/json.h"

namespace saccade {

// MViT v2 from timm's folders: mvitv2_tiny and up. model_args.cfg may change any of it.
struct MvitConfig {
    struct Stage {
        uint32_t dim = 0, dim_out = 0;  // of its input and output
        uint32_t depth = 0, heads = 0;
        uint32_t stride_q = 1, stride_kv = 1;
    };
    Size image;
    std::vector<Stage> stages;
    float mlp_ratio = 4, norm_eps = 1e-6f;
    bool widens_in_attention = true;  // else in the MLP of a stage's last block
    bool qkv_bias = true, class_token = false, absolute_positions = false;
    bool residual_pooling = true;
    uint32_t pool_kernel = 3;
    uint32_t patch_kernel = 7, patch_stride = 4, patch_padding = 3;
    std::vector<std::string> labels;  // empty: the model has no classifier

    uint32_t layers() const;
    uint32_t first() const { return class_token ? 1 : 0; }
};
MvitConfig read_mvit_config(const Json& json, const std::string& where);

}  // namespace saccade
