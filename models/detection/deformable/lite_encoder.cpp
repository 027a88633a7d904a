#include "models/detection/deformable/lite_encoder.h"

#include "gpu/ops/elementwise.h"
#include "gpu/ops/maps.h"
#include "gpu/ops/rows.h"

namespace saccade {

LiteEncoder::LiteEncoder(WeightLoader& front, WeightLoader& weights,
                         const LiteEncoderConfig& config)
    : config_(config), type_(weights.type()) {
    const std::string encoder = "model.encoder.";
    const uint32_t dim = config.dim;
    const std::string input = encoder + "input_proj.0";
    projection_ = front.linear(
        front.folded(input + ".conv", input + ".norm",
                     {.out = dim, .in = config.channels, .norm_eps = config.form.norm_eps}),
        config.channels);
    pool_ = weights.depthwise({std::vector<float>(9 * dim, 1.0f / 9), std::vector<float>(dim)},
                              {.out = dim, .in = 1, .kernel = 3, .stride = 2, .padding = 1});
    auto mixing = [&](const char* name) {
        return load_conv_norm(weights, encoder + name, {.out = dim, .in = dim}, config.form);
    };
    smaller_ = mixing("down_conv1");
    spread_ = mixing("bi_fusion_conv");
    between_ = mixing("down_conv2");
    const ElanForm form{dim, config.hidden, config.blocks, config.trailing};
    down_ = load_summing_elan(weights, encoder + "fpn_block", form, config.form);
    up_ = load_summing_elan(weights, encoder + "pan_block", form, config.form);
}

std::vector<Size> LiteEncoder::fused_sizes(const std::vector<Size>& sizes) const {
    return {sizes.front(), pool_.out_size(sizes.front())};
}

Tensor LiteEncoder::downsample(Commands& c, const Tensor& x, Size size, const Conv2d& w) const {
    const Size half = pool_.out_size(size);
    const Tensor y = c.scratch(x.batch, area(half), config_.dim, type_);
    auto scope = c.scope("downsample");
    const Tensor pooled = c.scratch(x.batch, area(half), config_.dim, type_);
    depthwise_into(c, pooled, x, size, pool_);
    conv2d_into(c, y, pooled, half, w, config_.form.activation);
    return y;
}

// x += mean(x), over its cells
void LiteEncoder::add_mean(Commands& c, const Tensor& x) const {
    auto scope = c.scope("mean");
    const Tensor mean = c.scratch(x.batch, 1, x.columns, x.type);
    const Tensor everywhere = c.scratch(x.batch, x.rows, x.columns, x.type);
    mean_rows_into(c, mean, x);
    const uint32_t wide = padded(x.columns);
    copy_strided(c, everywhere,
                 {{1, x.batch, x.rows, wide},
                  {0, everywhere.batch_stride, everywhere.row_stride, 1},
                  everywhere.offset},
                 mean, x.type == Type::f16 ? Stored::f16 : Stored::f32,
                 {{1, x.batch, x.rows, x.columns}, {0, mean.batch_stride, 0, 1}, mean.offset});
    add_into(c, x, x, everywhere);
}

void LiteEncoder::forward(Commands& c, const std::vector<FeatureMap>& maps,
                          const std::vector<Tensor>& fused, Tap&, Parts& parts) const {
    const FeatureMap& map = maps.front();
    const Size large = map.size, small = pool_.out_size(large);
    const Activation activation = config_.form.activation;
    auto scope = c.scope("lite encoder");
    const Tensor fine = c.scratch(map.x.batch, area(large), config_.dim, type_);
    if (map.x.type == type_)
        linear_into(c, fine, map.x, projection_);
    else
        copy(c, fine, linear(c, map.x, projection_));
    const Tensor halved = downsample(c, fine, large, smaller_);
    add_mean(c, halved);
    const Tensor coarse = conv2d(c, halved, small, spread_, activation);

    // Top-down, then bottom-up: each map is added to the other, upsampled or downsampled.
    const Tensor enlarged = c.scratch(fine.batch, fine.rows, config_.dim, type_);
    upsample_into(c, enlarged, coarse, small, 2);
    add_into(c, fine, fine, enlarged);
    elan_into(c, fused[0], fine, large, down_, activation);
    add_into(c, coarse, coarse, downsample(c, fused[0], large, between_));
    elan_into(c, fused[1], coarse, small, up_, activation);
    // In reverse order, because the maps may share one buffer.
    parts.keep(c, "hybrid_1", fused[1], small);
    parts.keep(c, "hybrid_0", fused[0], large);
}

double LiteEncoder::multiply_adds(const std::vector<Size>& sizes) const {
    const Size large = sizes.front(), small = pool_.out_size(large);
    const double dim = config_.dim;
    return area(large) * dim * config_.channels + 2 * 9 * area(small) * dim +
           work_of(smaller_, small) + work_of(spread_, small) + work_of(between_, small) +
           work_of(down_, large) + work_of(up_, small);
}

}  // namespace saccade
