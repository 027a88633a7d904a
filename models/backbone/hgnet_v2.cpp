#include "models/backbone/hgnet_v2.h"

namespace saccade {

namespace {

// A 2x2 kernel, padded on the right and below, as a 3x3 one whose other weights are zero.
HostConvolution widened(const HostConvolution& from) {
    HostConvolution to{std::vector<float>(from.weight.size() / 4 * 9), from.bias};
    for (size_t i = 0; i < from.weight.size() / 4; ++i)
        for (size_t tap = 0; tap < 4; ++tap)
            to.weight[9 * i + 4 + tap / 2 * 3 + tap % 2] = from.weight[4 * i + tap];
    return to;
}

double work_of(const Conv2d& w, Size size) {
    return double(area(w.out_size(size))) * w.weight.rows * area(w.kernel) * w.in;
}
double work_of(const DepthwiseConv2d& w, Size size) {
    return double(area(w.out_size(size))) * w.weight.rows * w.weight.columns;
}

}  // namespace

std::vector<uint32_t> HGNetV2::Block::channels() const {
    std::vector<uint32_t> all(layers.size() + 1, middle);
    all.front() = in;
    return all;
}

HGNetV2::HGNetV2(WeightLoader& weights, const HGNetV2Config& config, const std::string& prefix)
    : config_(config) {
    const std::string stem = prefix + ".embedder.stem";
    const uint32_t middle = config.stem_middle, half = middle / 2;
    const std::vector<uint32_t>& strides = config.stem_strides;
    auto load = [&](const char* name, ConvolutionForm form) {
        return load_layer(weights, stem + name, form, true);
    };
    stem1_ = load("1", {.out = middle, .in = 3, .kernel = 3, .stride = strides[0]});
    stem2a_ = load("2a", {.out = half, .in = middle, .kernel = 2, .stride = strides[1]});
    stem2b_ = load("2b", {.out = middle, .in = half, .kernel = 2, .stride = strides[2]});
    stem3_ = load_layer(weights, stem + "3",
                        {.out = middle, .in = 2 * middle, .kernel = 3, .stride = strides[3]}, true,
                        {middle, middle});
    stem4_ = load("4", {.out = config.stem_out, .in = middle, .stride = strides[4]});
    for (size_t s = 0; s < config.stages.size(); ++s) {
        const HGNetV2Config::Stage& form = config.stages[s];
        const std::string name = prefix + ".encoder.stages." + std::to_string(s);
        Stage& stage = stages_.emplace_back();
        if (form.stride > 0)
            stage.downsample =
                load_channelwise(weights, name + ".downsample", form.in, 3, form.stride, false);
        for (uint32_t i = 0; i < form.blocks; ++i)
            stage.blocks.push_back(
                load_block(weights, name + ".blocks." + std::to_string(i), form, i == 0));
    }
}

Conv2d HGNetV2::load_layer(WeightLoader& weights, const std::string& prefix, ConvolutionForm form,
                           bool activated, const std::vector<uint32_t>& merged_from) const {
    HostConvolution host = weights.folded(prefix + ".convolution", prefix + ".normalization", form);
    if (form.kernel == 2) {
        host = widened(host);
        form.kernel = 3;
    }
    form.padding = (form.kernel - 1) / 2;
    if (!merged_from.empty()) {
        host = with_gaps(host, merged_from, form.kernel * form.kernel);
        form.in = merged(merged_from);
    }
    Conv2d w = weights.convolution(prefix, host, form);
    if (activated && config_.affine) {
        w.gain = weights.floats(prefix + ".lab.scale", {1})[0];
        w.shift = weights.floats(prefix + ".lab.bias", {1})[0];
    }
    return w;
}

DepthwiseConv2d HGNetV2::load_channelwise(WeightLoader& weights, const std::string& prefix,
                                          uint32_t channels, uint32_t kernel, uint32_t stride,
                                          bool activated) const {
    const ConvolutionForm form{
        .out = channels, .in = 1, .kernel = kernel, .stride = stride, .padding = (kernel - 1) / 2};
    DepthwiseConv2d w = weights.depthwise(
        weights.folded(prefix + ".convolution", prefix + ".normalization", form), form);
    if (activated && config_.affine) {
        w.gain = weights.floats(prefix + ".lab.scale", {1})[0];
        w.shift = weights.floats(prefix + ".lab.bias", {1})[0];
    }
    return w;
}

HGNetV2::Block HGNetV2::load_block(WeightLoader& weights, const std::string& prefix,
                                   const HGNetV2Config::Stage& stage, bool first) const {
    Block block;
    block.in = first ? stage.in : stage.out;
    block.middle = stage.middle;
    block.residual = !first;
    for (uint32_t i = 0; i < stage.layers; ++i) {
        const std::string name = prefix + ".layers." + std::to_string(i);
        const uint32_t in = i == 0 ? block.in : stage.middle;
        if (stage.light)
            block.layers.push_back(
                {load_layer(weights, name + ".conv1", {.out = stage.middle, .in = in}, false),
                 load_channelwise(weights, name + ".conv2", stage.middle, stage.kernel, 1, true)});
        else
            block.layers.push_back(
                {load_layer(weights, name, {.out = stage.middle, .in = in, .kernel = stage.kernel},
                            true),
                 {}});
    }
    const uint32_t all = block.in + stage.layers * stage.middle;
    block.squeeze = load_layer(weights, prefix + ".aggregation.0",
                               {.out = stage.out / 2, .in = all}, true, block.channels());
    block.excite = load_layer(weights, prefix + ".aggregation.1",
                              {.out = stage.out, .in = stage.out / 2}, true);
    return block;
}

// Two branches, whose results are concatenated: max pooling, and two convolutions.
void HGNetV2::stem_into(Commands& c, const Tensor& y, const Tensor& pixels, Size size) const {
    const Activation activation = config_.stem_activation;
    const uint32_t middle = config_.stem_middle;
    auto scope = c.scope("stem");
    const Tensor x = conv2d(c, pixels, size, stem1_, activation);
    const Size first = stem1_.out_size(size), second = stem2a_.out_size(first);
    const Tensor a = conv2d(c, x, first, stem2a_, activation);
    const Size joined = stem2b_.out_size(second);
    const Tensor both = c.scratch(pixels.batch, area(joined), 2 * padded(middle), pixels.type);
    conv2d_into(c, both.slice_columns(padded(middle), middle), a, second, stem2b_, activation);
    max_pool_into(c, both.slice_columns(0, middle), x, first, pool_);
    const Tensor third = conv2d(c, both, joined, stem3_, activation);
    conv2d_into(c, y, third, stem3_.out_size(joined), stem4_, activation);
}

// `all`: the block's input, followed by the outputs of its layers.
void HGNetV2::block_into(Commands& c, const Tensor& y, const Tensor& all, Size size,
                         const Block& w) const {
    auto scope = c.scope("block");
    const Tensor in = all.slice_columns(0, w.in);
    Tensor x = in;
    uint32_t column = padded(w.in);
    for (const Layer& layer : w.layers) {
        const Tensor out = all.slice_columns(column, w.middle);
        if (layer.channelwise.weight) {
            auto light = c.scope("light");
            const Tensor mixed = conv2d(c, x, size, layer.convolution);
            depthwise_into(c, out, mixed, size, layer.channelwise, Activation::relu);
        } else {
            conv2d_into(c, out, x, size, layer.convolution, Activation::relu);
        }
        x = out;
        column += padded(w.middle);
    }
    const Tensor squeezed = conv2d(c, all, size, w.squeeze, Activation::relu);
    conv2d_into(c, y, squeezed, size, w.excite, Activation::relu, w.residual ? in : Tensor{});
}

std::vector<FeatureMap> HGNetV2::maps(Commands& c, const Tensor& pixels, Size picture) const {
    auto scratch = [&](Size of, uint32_t channels) {
        return c.scratch(pixels.batch, area(of), channels, pixels.type);
    };
    Size size = stem_size(picture);
    FeatureMap x;
    if (stages_.front().downsample.weight) {
        x = {scratch(size, config_.stem_out), size};
        stem_into(c, x.x, pixels, picture);
    }
    std::vector<FeatureMap> all_maps;
    for (const Stage& stage : stages_) {
        if (stage.downsample.weight) size = stage.downsample.out_size(size);
        // A block's concatenated maps begin with the output of the block before it.
        Tensor all = scratch(size, merged(stage.blocks.front().channels()));
        const Tensor start = all.slice_columns(0, stage.blocks.front().in);
        if (stage.downsample.weight)
            depthwise_into(c, start, x.x, x.size, stage.downsample);
        else if (all_maps.empty())
            stem_into(c, start, pixels, picture);
        else
            copy(c, start, x.x);
        for (size_t i = 0; i < stage.blocks.size(); ++i) {
            const bool last = i + 1 == stage.blocks.size();
            const uint32_t out = stage.blocks[i].excite.weight.rows;
            const Tensor next = scratch(size, last ? out : merged(stage.blocks[i + 1].channels()));
            x = {next.slice_columns(0, out), size};
            block_into(c, x.x, all, size, stage.blocks[i]);
            all = next;
        }
        all_maps.push_back(x);
    }
    std::vector<FeatureMap> used;
    for (uint32_t stage : config_.used) used.push_back(all_maps[stage]);
    return used;
}

Size HGNetV2::stem_size(Size size) const {
    for (const Conv2d* w : {&stem1_, &stem2a_, &stem2b_, &stem3_, &stem4_})
        size = w->out_size(size);
    return size;
}

std::vector<Size> HGNetV2::map_sizes(Size size) const {
    size = stem_size(size);
    std::vector<Size> all, used;
    for (const Stage& stage : stages_) {
        if (stage.downsample.weight) size = stage.downsample.out_size(size);
        all.push_back(size);
    }
    for (uint32_t stage : config_.used) used.push_back(all[stage]);
    return used;
}

double HGNetV2::multiply_adds(Size size) const {
    double total = 0;
    for (const Conv2d* w : {&stem1_, &stem2a_, &stem2b_, &stem3_, &stem4_}) {
        total += work_of(*w, size);
        size = w->out_size(size);
    }
    for (const Stage& stage : stages_) {
        if (stage.downsample.weight) {
            total += work_of(stage.downsample, size);
            size = stage.downsample.out_size(size);
        }
        for (const Block& block : stage.blocks) {
            for (const Layer& layer : block.layers)
                total += work_of(layer.convolution, size) +
                         (layer.channelwise.weight ? work_of(layer.channelwise, size) : 0);
            total += work_of(block.squeeze, size) + work_of(block.excite, size);
        }
    }
    return total;
}

}  // namespace saccade
