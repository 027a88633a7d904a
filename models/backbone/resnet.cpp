#include "models/backbone/resnet.h"

#include <array>
#include <utility>

namespace saccade {

namespace {

struct Layers {
    std::string_view name;
    bool bottleneck;
    std::array<uint32_t, 4> blocks;
};
constexpr Layers timm_layers[] = {
    {"resnet18", false, {2, 2, 2, 2}},  {"resnet34", false, {3, 4, 6, 3}},
    {"resnet26", true, {2, 2, 2, 2}},   {"resnet50", true, {3, 4, 6, 3}},
    {"resnet101", true, {3, 4, 23, 3}}, {"resnet152", true, {3, 8, 36, 3}},
};
constexpr uint32_t timm_channels[] = {64, 128, 256, 512};
constexpr uint32_t expansion = 4;  // of a bottleneck's channels

using Names = ResNetConfig::Names;

// Convolution `index` of a block or the stem, and its norm.
std::pair<std::string, std::string> names_of(Names names, const std::string& block,
                                             uint32_t index) {
    const std::string number = std::to_string(index + (names == Names::timm ? 1 : 0));
    if (names == Names::timm) return {block + ".conv" + number, block + ".bn" + number};
    const std::string layer = block + ".layer." + number;
    return {layer + ".convolution", layer + ".normalization"};
}

std::string block_name(Names names, const std::string& prefix, size_t stage, uint32_t block) {
    if (names == Names::timm)
        return prefix + ".layer" + std::to_string(stage + 1) + "." + std::to_string(block);
    return prefix + ".encoder.stages." + std::to_string(stage) + ".layers." + std::to_string(block);
}

}  // namespace

ResNetConfig timm_resnet(std::string_view name) {
    ResNetConfig config;
    for (const Layers& layers : timm_layers) {
        if (name != layers.name) continue;
        config.bottleneck = layers.bottleneck;
        for (size_t i = 0; i < layers.blocks.size(); ++i)
            config.stages.push_back(
                {layers.blocks[i], timm_channels[i] * (layers.bottleneck ? expansion : 1)});
    }
    return config;
}

ResNet::ResNet(WeightLoader& weights, const ResNetConfig& config, const std::string& prefix)
    : config_(config) {
    load_stem(weights, prefix);
    uint32_t in = config.stem, dilation = 1;
    for (size_t s = 0; s < config.stages.size(); ++s) {
        const auto& [blocks, out] = config.stages[s];
        uint32_t stride = s > 0 || config.first_stage_strides ? 2 : 1;
        // A stage beyond output_stride has dilation instead of a stride, from the convolution after
        // the strided one on.
        const uint32_t before = dilation;
        if (stride_ >= config.output_stride) {
            dilation *= stride;
            stride = 1;
        }
        stride_ *= stride;
        std::vector<Block>& stage = stages_.emplace_back();
        for (uint32_t i = 0; i < blocks; ++i) {
            const std::string name = block_name(config.names, prefix, s, i);
            Block& block = stage.emplace_back(load_block(
                weights, name, in, out, i == 0 ? stride : 1, i == 0 ? before : dilation, dilation));
            const bool always = config.is_d && !config.bottleneck;
            block.pooled = config.is_d && (config.bottleneck ? stride != 1 : in != out);
            if (i == 0 && (stride != 1 || in != out || always))
                block.shortcut = load_shortcut(weights, name, in, out, stride, block.pooled);
            in = out;
        }
    }
}

Conv2d ResNet::load_convolution(WeightLoader& weights, const std::string& name,
                                const std::string& norm, const ConvolutionForm& form) const {
    return config_.folded_norms ? weights.biased_convolution(name, form)
                                : weights.convolution(name, norm, form);
}

void ResNet::load_stem(WeightLoader& weights, const std::string& prefix) {
    const uint32_t stem = config_.stem;
    if (config_.is_d) {
        const std::string layers = prefix + ".embedder.embedder.";
        const uint32_t channels[] = {3, stem / 2, stem / 2, stem};
        for (uint32_t i = 0; i < 3; ++i) {
            const std::string layer = layers + std::to_string(i);
            stem_.push_back(load_convolution(weights, layer + ".convolution",
                                             layer + ".normalization",
                                             {.out = channels[i + 1],
                                              .in = channels[i],
                                              .kernel = 3,
                                              .stride = i == 0 ? 2u : 1u,
                                              .padding = 1}));
        }
    } else {
        const bool timm = config_.names == Names::timm;
        stem_.push_back(
            load_convolution(weights, prefix + (timm ? ".conv1" : ".embedder.embedder.convolution"),
                             prefix + (timm ? ".bn1" : ".embedder.embedder.normalization"),
                             {.out = stem, .in = 3, .kernel = 7, .stride = 2, .padding = 3}));
    }
    stride_ = stem_.front().stride * pool_.stride;
}

ResNet::Block ResNet::load_block(WeightLoader& weights, const std::string& prefix, uint32_t in,
                                 uint32_t out, uint32_t stride, uint32_t first_dilation,
                                 uint32_t dilation) const {
    std::vector<ConvolutionForm> forms;
    if (config_.bottleneck) {
        const uint32_t width = out / expansion;
        const bool early = config_.first_convolution_strides;
        forms = {{.out = width, .in = in, .stride = early ? stride : 1},
                 {.out = width,
                  .in = width,
                  .kernel = 3,
                  .stride = early ? 1 : stride,
                  .padding = first_dilation,
                  .dilation = first_dilation},
                 {.out = out, .in = width}};
    } else {
        forms = {{.out = out,
                  .in = in,
                  .kernel = 3,
                  .stride = stride,
                  .padding = first_dilation,
                  .dilation = first_dilation},
                 {.out = out, .in = out, .kernel = 3, .padding = dilation, .dilation = dilation}};
    }
    Block block;
    for (uint32_t i = 0; i < forms.size(); ++i) {
        const auto [name, norm] = names_of(config_.names, prefix, i);
        block.convolutions.push_back(load_convolution(weights, name, norm, forms[i]));
    }
    return block;
}

Conv2d ResNet::load_shortcut(WeightLoader& weights, const std::string& prefix, uint32_t in,
                             uint32_t out, uint32_t stride, bool pooled) const {
    const ConvolutionForm form{.out = out, .in = in, .stride = pooled ? 1 : stride};
    if (config_.names == Names::timm)
        return load_convolution(weights, prefix + ".downsample.0", prefix + ".downsample.1", form);
    const std::string shortcut = prefix + (pooled ? ".shortcut.1" : ".shortcut");
    return load_convolution(weights, shortcut + ".convolution", shortcut + ".normalization", form);
}

// y = F(x, {W}) + x, or + W_s x where the shape changes, in place                   (eqs. 1, 2)
Tensor ResNet::block(Commands& c, const Tensor& x, Size& size, const Block& w) const {
    const bool apart = bool(w.shortcut.weight);  // y has memory of its own
    const Size shortcut_size = w.pooled ? halved(size) : size;
    const Tensor y = apart ? c.scratch(x.batch, area(w.shortcut.out_size(shortcut_size)),
                                       w.shortcut.weight.rows, x.type)
                           : x;
    auto scope = c.scope("block");
    // The shortcut is recorded step by step between the convolutions, so that both run in parallel.
    const Tensor shortcut = apart && w.pooled ? avg_pool(c, x, size) : x;
    Tensor h = x;
    for (size_t i = 0; i + 1 < w.convolutions.size(); ++i) {
        h = conv2d(c, h, size, w.convolutions[i], Activation::relu);
        size = w.convolutions[i].out_size(size);
        if (apart && i == 0) conv2d_into(c, y, shortcut, shortcut_size, w.shortcut);
    }
    conv2d_add(c, y, h, size, w.convolutions.back(), config_.activation);
    return y;
}

std::vector<FeatureMap> ResNet::stages(Commands& c, const Tensor& pixels, Size size) const {
    Tensor x = pixels;
    for (const Conv2d& w : stem_) {
        x = conv2d(c, x, size, w, config_.activation);
        size = w.out_size(size);
    }
    x = max_pool(c, x, size, pool_);
    size = pool_.out_size(size);
    std::vector<FeatureMap> maps;
    for (const std::vector<Block>& stage : stages_) {
        for (const Block& w : stage) x = block(c, x, size, w);
        maps.push_back({x, size});
    }
    return maps;
}

Size ResNet::stem_size(Size size) const {
    for (const Conv2d& w : stem_) size = w.out_size(size);
    return pool_.out_size(size);
}

std::vector<Size> ResNet::stage_sizes(Size size) const {
    size = stem_size(size);
    std::vector<Size> sizes;
    for (const std::vector<Block>& stage : stages_) {
        for (const Block& block : stage)
            for (const Conv2d& w : block.convolutions) size = w.out_size(size);
        sizes.push_back(size);
    }
    return sizes;
}

double ResNet::multiply_adds(Size size) const {
    double total = 0;
    auto through = [&](const Conv2d& w, Size from) {
        const Size to = w.out_size(from);
        total += double(area(to)) * w.weight.rows * area(w.kernel) * w.in;
        return to;
    };
    for (const Conv2d& w : stem_) size = through(w, size);
    size = pool_.out_size(size);
    for (const std::vector<Block>& stage : stages_)
        for (const Block& block : stage) {
            if (block.shortcut.weight) through(block.shortcut, block.pooled ? halved(size) : size);
            for (const Conv2d& w : block.convolutions) size = through(w, size);
        }
    return total;
}

}  // namespace saccade
