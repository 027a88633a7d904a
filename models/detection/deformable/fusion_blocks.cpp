#include "models/detection/deformable/fusion_blocks.h"

#include <numeric>

namespace saccade {

namespace {

// RepVGG's re-parameterisation (Ding et al. 2021): a parallel 1x1 convolution is added to the
// centre of the 3x3 kernel.
Conv2d load_rep_vgg(WeightLoader& weights, const std::string& prefix, uint32_t channels,
                    const FusionForm& fusion) {
    const ConvolutionForm form{
        .out = channels, .in = channels, .kernel = 3, .padding = 1, .norm_eps = fusion.norm_eps};
    HostConvolution wide = weights.folded(prefix + ".conv1.conv", prefix + ".conv1.norm", form);
    const HostConvolution narrow =
        weights.folded(prefix + ".conv2.conv", prefix + ".conv2.norm",
                       {.out = channels, .in = channels, .norm_eps = fusion.norm_eps});
    for (size_t i = 0; i < narrow.weight.size(); ++i) wide.weight[9 * i + 4] += narrow.weight[i];
    for (size_t i = 0; i < narrow.bias.size(); ++i) wide.bias[i] += narrow.bias[i];
    return weights.convolution(prefix, wide, form);
}

// Some rows of a 1x1 convolution.
HostConvolution some_rows(const HostConvolution& from, uint32_t first, uint32_t count) {
    const size_t in = from.weight.size() / from.bias.size();
    const auto weight = from.weight.begin() + std::ptrdiff_t(first * in);
    const auto bias = from.bias.begin() + std::ptrdiff_t(first);
    return {{weight, weight + std::ptrdiff_t(count * in)}, {bias, bias + std::ptrdiff_t(count)}};
}

// A CSPRepLayer whose conv1 holds the shortcut and, stacked below it, the bottlenecks' input.
CspRep load_split_csp_rep(WeightLoader& weights, const std::string& prefix, uint32_t in,
                          const ElanForm& form, const FusionForm& fusion) {
    const uint32_t hidden = form.hidden;
    const ConvolutionForm conv{.out = 2 * hidden, .in = in, .norm_eps = fusion.norm_eps};
    const HostConvolution whole =
        weights.folded(prefix + ".conv1.conv", prefix + ".conv1.norm", conv);
    auto half = [&](uint32_t first) { return some_rows(whole, first, hidden); };
    CspRep w;
    w.hidden = hidden;
    w.both = weights.convolution(prefix, stacked(half(hidden), half(0)),
                                 {.out = 2 * padded(hidden), .in = in});
    for (uint32_t i = 0; i < form.blocks; ++i)
        w.bottlenecks.push_back(
            load_rep_vgg(weights, prefix + ".bottlenecks." + std::to_string(i), hidden, fusion));
    return w;
}

}  // namespace

Conv2d load_conv_norm(WeightLoader& weights, const std::string& prefix, ConvolutionForm form,
                      const FusionForm& fusion) {
    form.norm_eps = fusion.norm_eps;
    form.padding = (form.kernel - 1) / 2;
    return weights.convolution(prefix + ".conv", prefix + ".norm", form);
}

Conv2d load_merging(WeightLoader& weights, const std::string& prefix, uint32_t out,
                    const std::vector<uint32_t>& channels, const FusionForm& fusion) {
    ConvolutionForm form{.out = out,
                         .in = std::reduce(channels.begin(), channels.end()),
                         .norm_eps = fusion.norm_eps};
    const HostConvolution host = weights.folded(prefix + ".conv", prefix + ".norm", form);
    form.in = merged(channels);
    return weights.convolution(prefix, with_gaps(host, channels, 1), form);
}

CspRep load_csp_rep(WeightLoader& weights, const std::string& prefix, const CspRepForm& form,
                    const FusionForm& fusion) {
    ConvolutionForm in{.out = form.hidden,
                       .in = std::reduce(form.in.begin(), form.in.end()),
                       .norm_eps = fusion.norm_eps};
    auto half = [&](const std::string& name) {
        const std::string layer = prefix + "." + name;
        const HostConvolution host = weights.folded(layer + ".conv", layer + ".norm", in);
        return form.in.size() == 1 ? host : with_gaps(host, form.in, 1);
    };
    const HostConvolution both = stacked(half("conv1"), half("conv2"));
    if (form.in.size() > 1) in.in = merged(form.in);
    in.out = 2 * padded(form.hidden);
    CspRep w;
    w.hidden = form.hidden;
    w.both = weights.convolution(prefix, both, in);
    for (uint32_t i = 0; i < form.blocks; ++i)
        w.bottlenecks.push_back(load_rep_vgg(weights, prefix + ".bottlenecks." + std::to_string(i),
                                             form.hidden, fusion));
    if (form.hidden != form.out)
        w.out = load_conv_norm(weights, prefix + ".conv3", {.out = form.out, .in = form.hidden},
                               fusion);
    return w;
}

void csp_rep_into(Commands& c, const Tensor& y, const Tensor& x, Size size, const CspRep& w,
                  Activation activation) {
    auto scope = c.scope("csp");
    const Tensor both = conv2d(c, x, size, w.both, activation);
    Tensor h = both.slice_columns(0, w.hidden);
    const Tensor rest = both.slice_columns(padded(w.hidden), w.hidden);
    const Tensor sum = w.out.weight ? rest : y;
    for (size_t i = 0; i + 1 < w.bottlenecks.size(); ++i)
        h = conv2d(c, h, size, w.bottlenecks[i], activation);
    if (w.bottlenecks.empty())
        add_into(c, sum, h, rest);
    else
        conv2d_into(c, sum, h, size, w.bottlenecks.back(), activation, rest);
    if (w.out.weight) conv2d_into(c, y, sum, size, w.out, activation);
}

Elan load_elan(WeightLoader& weights, const std::string& prefix, const ElanForm& form,
               const FusionForm& fusion) {
    const uint32_t dim = form.dim, hidden = form.hidden, blocks = form.blocks;
    const ConvolutionForm three{.out = hidden, .in = hidden, .kernel = 3};
    return {
        .dim = dim,
        .hidden = hidden,
        .in = load_merging(weights, prefix + ".conv1", 2 * dim, {dim, dim}, fusion),
        .middle = load_conv_norm(weights, prefix + ".conv2", three, fusion),
        .last = load_conv_norm(weights, prefix + ".conv3", three, fusion),
        .out = load_merging(weights, prefix + ".conv4", dim, {2 * dim, hidden, hidden}, fusion),
        .first =
            load_csp_rep(weights, prefix + ".csp_rep1",
                         {.in = {dim}, .out = hidden, .hidden = hidden, .blocks = blocks}, fusion),
        .second = load_csp_rep(weights, prefix + ".csp_rep2",
                               {.in = {hidden}, .out = hidden, .hidden = hidden, .blocks = blocks},
                               fusion),
    };
}

Elan load_summing_elan(WeightLoader& weights, const std::string& prefix, const ElanForm& form,
                       const FusionForm& fusion) {
    const uint32_t dim = form.dim, hidden = form.hidden;
    const std::string first = prefix + ".csp_rep1", second = prefix + ".csp_rep2";
    auto trailing = [&](const std::string& layer) {
        if (!form.trailing) return Conv2d{};
        return load_conv_norm(weights, layer + ".conv2", {.out = hidden, .in = hidden, .kernel = 3},
                              fusion);
    };
    return {
        .dim = dim,
        .hidden = hidden,
        .in = load_conv_norm(weights, prefix + ".conv1", {.out = 2 * dim, .in = dim}, fusion),
        .middle = trailing(first),
        .last = trailing(second),
        .out = load_merging(weights, prefix + ".conv2", dim, {2 * dim, hidden, hidden}, fusion),
        .first = load_split_csp_rep(weights, first, dim, form, fusion),
        .second = load_split_csp_rep(weights, second, hidden, form, fusion),
        .between = fusion.activation,
    };
}

void elan_into(Commands& c, const Tensor& y, const Tensor& x, Size size, const Elan& w,
               Activation activation) {
    auto scope = c.scope("elan");
    const Tensor all = c.scratch(x.batch, x.rows, w.out.in, x.type);
    const Tensor in = all.slice_columns(0, 2 * w.dim);
    const Tensor middle = all.slice_columns(padded(2 * w.dim), w.hidden);
    const Tensor last = all.slice_columns(padded(2 * w.dim) + padded(w.hidden), w.hidden);
    auto layer = [&](const Tensor& to, const Tensor& from, const CspRep& csp, const Conv2d& after) {
        const Tensor branch = after.weight ? c.scratch(x.batch, x.rows, w.hidden, x.type) : to;
        csp_rep_into(c, branch, from, size, csp, activation);
        if (after.weight) conv2d_into(c, to, branch, size, after, w.between);
    };
    conv2d_into(c, in, x, size, w.in, w.between);
    layer(middle, in.slice_columns(w.dim, w.dim), w.first, w.middle);
    layer(last, middle, w.second, w.last);
    conv2d_into(c, y, all, size, w.out, w.between);
}

double work_of(const Conv2d& w, Size size) {
    return double(area(w.out_size(size))) * w.weight.rows * area(w.kernel) * w.in;
}
double work_of(const CspRep& w, Size size) {
    double total = work_of(w.both, size) + (w.out.weight ? work_of(w.out, size) : 0);
    for (const Conv2d& bottleneck : w.bottlenecks) total += work_of(bottleneck, size);
    return total;
}
double work_of(const Elan& w, Size size) {
    double total = work_of(w.in, size) + work_of(w.out, size) + work_of(w.first, size) +
                   work_of(w.second, size);
    for (const Conv2d* trailing : {&w.middle, &w.last})
        if (trailing->weight) total += work_of(*trailing, size);
    return total;
}

}  // namespace saccade
