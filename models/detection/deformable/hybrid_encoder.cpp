#include "models/detection/deformable/hybrid_encoder.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gpu/ops/maps.h"

namespace saccade {

namespace {

// AIFI's positions: sines and cosines of the row, then of the column, counted from 0.
std::vector<float> plain_sine_positions(Size grid, uint32_t dim, double temperature) {
    const uint32_t quarter = dim / 4;
    std::vector<float> result;
    result.reserve(size_t(area(grid)) * dim);
    for (uint32_t y = 0; y < grid.y; ++y)
        for (uint32_t x = 0; x < grid.x; ++x)
            for (const uint32_t place : {y, x})
                for (const bool cosine : {false, true})
                    for (uint32_t i = 0; i < quarter; ++i) {
                        const double angle = place / std::pow(temperature, double(i) / quarter);
                        result.push_back(
                            static_cast<float>(cosine ? std::cos(angle) : std::sin(angle)));
                    }
    return result;
}

}  // namespace

HybridEncoder::HybridEncoder(WeightLoader& front, WeightLoader& weights,
                             const HybridEncoderConfig& config)
    : device_(weights.device()),
      config_(config),
      heads_(heads_of(config.heads, config.dim)),
      type_(weights.type()) {
    const uint32_t dim = config.dim;
    for (size_t i = 0; i < config.channels.size(); ++i) {
        const ProjectionNames& names = config.projections;
        const std::string layer = names.prefix + std::to_string(i);
        const std::vector<uint32_t>& parts = config.channels[i];
        const HostConvolution host =
            front.folded(layer + names.convolution, layer + names.norm,
                         {.out = dim, .in = std::reduce(parts.begin(), parts.end())});
        projections_.push_back(parts.size() == 1
                                   ? front.linear(host, parts.front())
                                   : front.linear(with_gaps(host, parts, 1), merged(parts)));
    }
    for (size_t i = 0; i < config.attended.size(); ++i) {
        std::vector<Layer>& layers = aifi_.emplace_back();
        for (uint32_t j = 0; j < config.layers; ++j) {
            const std::string layer =
                config.prefix + ".encoder." + std::to_string(i) + ".layers." + std::to_string(j);
            layers.push_back(
                {load_self_attention(j == 0 ? front : weights, layer, dim, heads_, config.norm_eps),
                 load_feed_forward(weights, layer, dim, config.intermediate, config.norm_eps)});
        }
        positions_.emplace_back(device_, "AIFI positions");
    }
    for (size_t i = 0; i + 1 < config.channels.size(); ++i) {
        const std::string number = std::to_string(i);
        laterals_.push_back(load_conv_norm(weights, config.prefix + ".lateral_convs." + number,
                                           {.out = dim, .in = dim}, config.form));
        down_.push_back(load_fusion(weights, config.prefix + ".fpn_blocks." + number));
        if (i + 1 >= config.fused) continue;
        downsamples_.push_back(
            load_downsample(weights, config.prefix + ".downsample_convs." + number));
        up_.push_back(load_fusion(weights, config.prefix + ".pan_blocks." + number));
    }
}

HybridEncoder::Fusion HybridEncoder::load_fusion(WeightLoader& weights,
                                                 const std::string& prefix) const {
    const uint32_t dim = config_.dim;
    const ElanForm elan{dim, config_.hidden, config_.blocks, config_.trailing};
    if (config_.fusion == HybridEncoderConfig::Fusion::elan)
        return {{}, load_elan(weights, prefix, elan, config_.form)};
    if (config_.fusion == HybridEncoderConfig::Fusion::summing_elan)
        return {{}, load_summing_elan(weights, prefix, elan, config_.form)};
    const CspRepForm form{
        .in = {dim, dim}, .out = dim, .hidden = config_.hidden, .blocks = config_.blocks};
    return {load_csp_rep(weights, prefix, form, config_.form), {}};
}

HybridEncoder::Downsample HybridEncoder::load_downsample(WeightLoader& weights,
                                                         const std::string& prefix) const {
    const uint32_t dim = config_.dim;
    ConvolutionForm form{.out = dim, .in = dim, .kernel = 3, .stride = 2, .padding = 1};
    if (config_.fusion == HybridEncoderConfig::Fusion::csp_rep)
        return {load_conv_norm(weights, prefix, form, config_.form), {}, {}};
    form.in = 1;
    form.norm_eps = config_.form.norm_eps;
    const HostConvolution each =
        weights.folded(prefix + ".conv2.conv", prefix + ".conv2.norm", form);
    return {{},
            load_conv_norm(weights, prefix + ".conv1", {.out = dim, .in = dim}, config_.form),
            weights.depthwise(each, form)};
}

// The activation of the convolutions between the fusion blocks.
Activation HybridEncoder::between() const {
    return config_.fusion == HybridEncoderConfig::Fusion::csp_rep ? config_.form.activation
                                                                  : Activation::none;
}

void HybridEncoder::prepare(const std::vector<Size>& sizes) {
    require_halves(sizes);
    if (config_.positions)
        for (size_t i = 0; i < config_.attended.size(); ++i) {
            const Size grid = sizes.at(config_.attended[i]);
            positions_[i].prepare(grid, 1, area(grid), config_.dim, [&](uint32_t) {
                return plain_sine_positions(grid, config_.dim, config_.temperature);
            });
        }
}

// AIFI's input: a projected map, with positions if `placed`.
Stream HybridEncoder::embed(Commands& c, const FeatureMap& map, size_t index, bool placed) const {
    const Tensor x = c.scratch(map.x.batch, map.x.rows, config_.dim, Type::f32);
    const Linear& w = projections_[config_.attended[index]];
    const Stream s = stream_around(c, x, placed ? positions_[index][0] : Tensor{}, w.weight.type);
    linear_into(c, s.x, map.x, w);
    if (s.y.type != s.x.type) copy(c, s.y, s.x);
    if (placed) add_into(c, s.at, s.x, s.pos);
    return s;
}

// Attention-based intra-scale feature interaction: DETR's encoder, on one map.
Tensor HybridEncoder::attend(Commands& c, const FeatureMap& map, size_t index, Tap& tap) const {
    const Stream front = embed(c, map, index, config_.positions);
    const Stream s = front.y.type == type_ ? front : stream_around(c, front.x, front.pos, type_);
    auto scope = c.scope("AIFI");
    Tap no_tap;
    Tap& layer_tap = index + 1 == config_.attended.size() ? tap : no_tap;
    for (uint32_t i = 0; i < config_.layers; ++i) {
        const Layer& w = aifi_[index][i];
        self_attend(c, i == 0 ? front : s, s.values(), w.self, heads_, i, layer_tap);
        feed_forward(c, s, s, w.ffn, config_.attention_activation);
    }
    return s.y;
}

void HybridEncoder::project_into(Commands& c, const Tensor& y, const FeatureMap& map,
                                 uint32_t level) const {
    if (map.x.type == y.type)
        linear_into(c, y, map.x, projections_[level]);
    else
        copy(c, y, linear(c, map.x, projections_[level]));
}

void HybridEncoder::fuse_into(Commands& c, const Tensor& y, const Tensor& x, Size size,
                              const Fusion& w) const {
    if (config_.fusion == HybridEncoderConfig::Fusion::csp_rep)
        csp_rep_into(c, y, x, size, w.csp, config_.form.activation);
    else
        elan_into(c, y, x, size, w.elan, config_.form.activation);
}

// The input of a fusion block: two concatenated maps, or their sum.
Tensor HybridEncoder::fusion_input(Commands& c, const Tensor& both) const {
    if (config_.fusion != HybridEncoderConfig::Fusion::summing_elan) return both;
    const Tensor sum = both.slice_columns(0, config_.dim);
    add_into(c, sum, sum, both.slice_columns(padded(config_.dim), config_.dim));
    return sum;
}

void HybridEncoder::downsample_into(Commands& c, const Tensor& y, const FeatureMap& x,
                                    const Downsample& w) const {
    if (w.convolution.weight) {
        conv2d_into(c, y, x.x, x.size, w.convolution, between());
        return;
    }
    auto scope = c.scope("downsample");
    depthwise_into(c, y, conv2d(c, x.x, x.size, w.pointwise), x.size, w.depthwise);
}

void HybridEncoder::forward(Commands& c, const std::vector<FeatureMap>& maps,
                            const std::vector<Tensor>& fused, Tap& tap, Parts& parts) const {
    const auto levels = static_cast<uint32_t>(maps.size());
    auto scope = c.scope("hybrid encoder");
    const uint32_t dim = config_.dim, wide = padded(dim);
    // Maps that are fused are concatenated; the resized one is on the left.
    std::vector<Tensor> down, up;
    for (const FeatureMap& map : maps) {
        down.push_back(c.scratch(map.x.batch, map.x.rows, 2 * wide, type_));
        up.push_back(c.scratch(map.x.batch, map.x.rows, 2 * wide, type_));
    }
    auto left = [&](const Tensor& both) { return both.slice_columns(0, dim); };
    auto right = [&](const Tensor& both) { return both.slice_columns(wide, dim); };

    Tensor top = right(down.back());
    for (uint32_t i = 0; i < levels; ++i) {
        const auto found = std::ranges::find(config_.attended, i);
        if (found == config_.attended.end() || config_.layers == 0) {
            project_into(c, right(down[i]), maps[i], i);
            continue;
        }
        const auto index = static_cast<size_t>(found - config_.attended.begin());
        const Tensor y = attend(c, maps[i], index, tap);
        if (i + 1 == levels)
            top = y;
        else
            copy(c, right(down[i]), y);
        if (index + 1 == config_.attended.size()) parts.keep(c, "aifi", y, maps[i].size);
    }

    if (levels == 1) copy(c, fused.front(), top);
    // Top-down: a map is fused with the next smaller one, upsampled.
    for (uint32_t i = 0; i + 1 < levels; ++i) {
        const uint32_t level = levels - 1 - i;
        conv2d_into(c, right(up[level]), top, maps[level].size, laterals_[i], between());
        upsample_into(c, left(down[level - 1]), right(up[level]), maps[level].size, 2);
        top = level == 1 ? fused.front() : c.scratch(top.batch, maps[level - 1].x.rows, dim, type_);
        fuse_into(c, top, fusion_input(c, down[level - 1]), maps[level - 1].size, down_[i]);
    }
    // Bottom-up: a map is fused with the next larger one, downsampled.
    for (uint32_t i = 0; i + 1 < fused.size(); ++i) {
        downsample_into(c, left(up[i + 1]), {fused[i], maps[i].size}, downsamples_[i]);
        fuse_into(c, fused[i + 1], fusion_input(c, up[i + 1]), maps[i + 1].size, up_[i]);
    }
    // In reverse order, because the maps may share one buffer.
    for (size_t i = fused.size(); i-- > 0;)
        parts.keep(c, "hybrid_" + std::to_string(i), fused[i], maps[i].size);
}

Tensor HybridEncoder::first_queries_and_keys(Commands& c,
                                             const std::vector<FeatureMap>& maps) const {
    const Stream s = embed(c, maps.at(config_.attended.front()), 0, false);
    return linear(c, s.y, aifi_.front().front().self.qk);
}

double HybridEncoder::multiply_adds(const std::vector<Size>& sizes) const {
    const double dim = config_.dim;
    double total = 0;
    for (size_t i = 0; i < sizes.size(); ++i)
        total += area(sizes[i]) * dim * projections_[i].weight.columns;
    for (uint32_t level : config_.attended) {
        const double n = area(sizes[level]);
        total += config_.layers *
                 (4 * n * dim * dim + 2 * n * n * dim + 2 * n * dim * config_.intermediate);
    }
    auto fusion = [&](const Fusion& w, Size size) {
        return w.csp.hidden ? work_of(w.csp, size) : work_of(w.elan, size);
    };
    for (size_t i = 0; i + 1 < sizes.size(); ++i) {
        const size_t level = sizes.size() - 1 - i;
        total += work_of(laterals_[i], sizes[level]) + fusion(down_[i], sizes[level - 1]);
        if (i >= downsamples_.size()) continue;
        total += fusion(up_[i], sizes[i + 1]);
        total += downsamples_[i].convolution.weight
                     ? work_of(downsamples_[i].convolution, sizes[i])
                     : work_of(downsamples_[i].pointwise, sizes[i]) + 9 * dim * area(sizes[i + 1]);
    }
    return total;
}

}  // namespace saccade
