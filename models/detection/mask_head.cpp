#include "models/detection/mask_head.h"

#include <algorithm>

#include "gpu/ops/elementwise.h"
#include "gpu/ops/maps.h"
#include "gpu/ops/rows.h"

namespace saccade {

namespace {

constexpr float group_norm_eps = 1e-5f;
constexpr uint32_t most_groups = 8;
constexpr size_t fusions = 3;

// A convolution with a bias.
Conv2d load_plain(WeightLoader& weights, const std::string& name, uint32_t out, uint32_t in,
                  uint32_t kernel) {
    const HostConvolution host{weights.floats(name + ".weight", {out, in, kernel, kernel}),
                               weights.floats(name + ".bias", {out})};
    return weights.convolution(name, host,
                               {.out = out, .in = in, .kernel = kernel, .padding = kernel / 2});
}

}  // namespace

MaskHead::MaskHead(WeightLoader& weights, const MaskHeadForm& form) : form_(form) {
    const uint32_t dim = form.dim, head = dim / form.heads.count;
    const LinearForm in{.out = dim, .in = dim, .out_head = head};
    q_ = weights.linear("bbox_attention.q_linear", in);
    k_ = weights.linear("bbox_attention.k_linear", in);
    first_ = load(weights, "1", dim + form.heads.count, dim + form.heads.count);
    second_ = load(weights, "2", dim / 2, dim + form.heads.count);
    uint32_t width = dim / 2;
    for (size_t i = 0; i < fusions; ++i) {
        adapters_.push_back(load_plain(weights, "mask_head.adapter" + std::to_string(i + 1), width,
                                       form.channels[fusions - 1 - i], 1));
        stages_.push_back(load(weights, std::to_string(i + 3), width / 2, width));
        width /= 2;
    }
    out_ = load_plain(weights, "mask_head.out_lay", 1, width, 3);
}

MaskHead::ConvNorm MaskHead::load(WeightLoader& weights, const std::string& number, uint32_t out,
                                  uint32_t in) const {
    return {load_plain(weights, "mask_head.lay" + number, out, in, 3),
            weights.norm("mask_head.gn" + number, out, group_norm_eps)};
}

std::vector<std::pair<uint32_t, uint32_t>> MaskHead::inputs(uint32_t queries,
                                                            const std::vector<Size>& sizes) const {
    const uint32_t cells = area(sizes.back());
    std::vector<std::pair<uint32_t, uint32_t>> shapes{
        {queries, form_.dim}, {cells, form_.dim}, {cells, form_.dim}};
    for (size_t i = 0; i < fusions; ++i) shapes.emplace_back(area(sizes[i]), form_.channels[i]);
    return shapes;
}

// A 3x3 convolution, group norm, activation.
Tensor MaskHead::refine(Commands& c, const Tensor& x, Size size, const ConvNorm& w) const {
    const uint32_t channels = w.convolution.weight.rows;
    const Tensor y = conv2d(c, x, size, w.convolution);
    return group_norm(c, y, w.norm, std::min(most_groups, channels), form_.activation);
}

Tensor MaskHead::forward(Commands& c, const std::vector<Tensor>& from, const Tensor& list,
                         const std::vector<Size>& sizes, Parts& parts) const {
    const Tensor &queries = from[0], &memory = from[1], &features = from[2];
    const uint32_t count = list.columns, dim = form_.dim, heads = form_.heads.count;
    const Type type = queries.type;
    Size size = sizes.back();
    const Tensor y = c.scratch(count, area(sizes.front()), 1, type);
    auto scope = c.scope("masks");
    // Concatenates the features, which are the same for all queries, and each query's attention
    // maps.
    const Tensor both = c.scratch(count, area(size), dim + heads, type);
    copy(c, both.slice_columns(0, dim), features);
    const Tensor maps = both.slice_columns(dim, heads);
    const Tensor chosen = gather_rows(c, queries, list, type);
    joint_attention_into(c, maps, linear(c, chosen, q_), linear(c, memory, k_), form_.heads);
    parts.keep(c, "mask_attention", maps, size);

    Tensor x = refine(c, refine(c, both, size, first_), size, second_);
    for (size_t i = 0; i < fusions; ++i) {
        const size_t level = fusions - 1 - i;
        const Tensor adapted = conv2d(c, from[3 + level], sizes[level], adapters_[i]);
        const Tensor fused = add_enlarged(c, adapted, sizes[level], x, size);
        size = sizes[level];
        x = refine(c, fused, size, stages_[i]);
        parts.keep(c, "mask_stage_" + std::to_string(i), x, size);
    }
    conv2d_into(c, y, x, size, out_);
    return y;
}

}  // namespace saccade
