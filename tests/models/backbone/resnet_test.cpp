#include "models/backbone/resnet.h"

#include <cmath>
#include <cstring>

#include "models/detection/detr_config.h"
#include "models/files/synthetic.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

using Floats = std::vector<float>;

// A ResNet in plain loops, channels first, its batch norms where they were trained.
class Reference {
public:
    Reference(const ResNetConfig& config, std::string prefix)
        : config_(config), prefix_(std::move(prefix)) {}

    struct Feature {
        Floats values;  // (channels, height, width)
        uint32_t channels, height, width;
    };

    Feature forward(Feature x) {
        const bool timm = config_.names == ResNetConfig::Names::timm;
        x = relu(layer(x, timm ? "conv1" : "embedder.embedder.convolution",
                       timm ? "bn1" : "embedder.embedder.normalization", config_.stem, 7, 2, 1));
        x = pool(x);
        uint32_t net_stride = 4, dilation = 1, before = 1;
        for (uint32_t s = 0; s < config_.stages.size(); ++s) {
            // timm's make_blocks
            uint32_t stride = s > 0 || config_.first_stage_strides ? 2 : 1;
            if (net_stride >= config_.output_stride) {
                dilation *= stride;
                stride = 1;
            } else {
                net_stride *= stride;
            }
            for (uint32_t i = 0; i < config_.stages[s].blocks; ++i) {
                x = block(x, s, i, i == 0 ? stride : 1, before, dilation);
                before = dilation;
            }
        }
        return x;
    }

private:
    Feature block(const Feature& x, uint32_t s, uint32_t i, uint32_t stride, uint32_t first,
                  uint32_t dilation) {
        const uint32_t out = config_.stages[s].channels;
        const bool timm = config_.names == ResNetConfig::Names::timm;
        const std::string at =
            timm ? "layer" + std::to_string(s + 1) + "." + std::to_string(i)
                 : "encoder.stages." + std::to_string(s) + ".layers." + std::to_string(i);
        auto convolution = [&](const Feature& h, uint32_t number, uint32_t channels,
                               uint32_t kernel, uint32_t step, uint32_t spread) {
            const std::string n = std::to_string(timm ? number + 1 : number);
            return layer(h, at + (timm ? ".conv" + n : ".layer." + n + ".convolution"),
                         at + (timm ? ".bn" + n : ".layer." + n + ".normalization"), channels,
                         kernel, step, spread);
        };
        Feature h;
        if (config_.bottleneck) {
            const bool early = config_.first_convolution_strides;
            h = relu(convolution(x, 0, out / 4, 1, early ? stride : 1, 1));
            h = relu(convolution(h, 1, out / 4, 3, early ? 1 : stride, first));
            h = convolution(h, 2, out, 1, 1, 1);
        } else {
            h = relu(convolution(x, 0, out, 3, stride, first));
            h = convolution(h, 1, out, 3, 1, dilation);
        }
        Feature shortcut = x;
        if (stride != 1 || x.channels != out)
            shortcut =
                layer(x, at + (timm ? ".downsample.0" : ".shortcut.convolution"),
                      at + (timm ? ".downsample.1" : ".shortcut.normalization"), out, 1, stride, 1);
        for (size_t j = 0; j < h.values.size(); ++j) h.values[j] += shortcut.values[j];
        return relu(h);
    }
    Floats tensor(const std::string& name, const std::vector<uint64_t>& shape) const {
        const auto bytes = synthetic_bytes(1, prefix_ + "." + name, shape, StoredType::f32);
        Floats values(bytes.size() / sizeof(float));
        std::memcpy(values.data(), bytes.data(), bytes.size());
        return values;
    }
    static Feature relu(Feature x) {
        for (float& v : x.values) v = std::max(v, 0.0f);
        return x;
    }
    static Feature pool(const Feature& x) {
        Feature y{{}, x.channels, (x.height - 1) / 2 + 1, (x.width - 1) / 2 + 1};
        for (uint32_t c = 0; c < x.channels; ++c)
            for (uint32_t i = 0; i < y.height; ++i)
                for (uint32_t j = 0; j < y.width; ++j) {
                    float most = -INFINITY;
                    for (int di = -1; di <= 1; ++di)
                        for (int dj = -1; dj <= 1; ++dj) {
                            const int r = int(2 * i) + di, q = int(2 * j) + dj;
                            if (r < 0 || q < 0 || r >= int(x.height) || q >= int(x.width)) continue;
                            most = std::max(
                                most,
                                x.values[(c * x.height + uint32_t(r)) * x.width + uint32_t(q)]);
                        }
                    y.values.push_back(most);
                }
        return y;
    }
    Feature layer(const Feature& x, const std::string& name, const std::string& norm, uint32_t out,
                  uint32_t kernel, uint32_t stride, uint32_t dilation) const {
        const uint32_t padding = kernel / 2 * dilation;
        const Floats w = tensor(name + ".weight", {out, x.channels, kernel, kernel});
        const Floats gain = tensor(norm + ".weight", {out}), bias = tensor(norm + ".bias", {out});
        const Floats mean = tensor(norm + ".running_mean", {out});
        const Floats variance = tensor(norm + ".running_var", {out});
        auto size = [&](uint32_t side) {
            return (side + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
        };
        Feature y{{}, out, size(x.height), size(x.width)};
        for (uint32_t o = 0; o < out; ++o)
            for (uint32_t i = 0; i < y.height; ++i)
                for (uint32_t j = 0; j < y.width; ++j) {
                    double sum = 0;
                    for (uint32_t c = 0; c < x.channels; ++c)
                        for (uint32_t ki = 0; ki < kernel; ++ki)
                            for (uint32_t kj = 0; kj < kernel; ++kj) {
                                const int r = int(i * stride + ki * dilation) - int(padding);
                                const int q = int(j * stride + kj * dilation) - int(padding);
                                if (r < 0 || q < 0 || r >= int(x.height) || q >= int(x.width))
                                    continue;
                                sum +=
                                    double(w[((o * x.channels + c) * kernel + ki) * kernel + kj]) *
                                    double(x.values[(c * x.height + uint32_t(r)) * x.width +
                                                    uint32_t(q)]);
                            }
                    y.values.push_back(static_cast<float>(
                        (sum - double(mean[o])) / std::sqrt(double(variance[o]) + 1e-5) *
                            double(gain[o]) +
                        double(bias[o])));
                }
        return y;
    }

    ResNetConfig config_;
    std::string prefix_;
};

class ResNetTest : public GpuTest {
protected:
    void expect_like_reference(const ResNetConfig& config, Size size, const char* what) {
        const Floats pixels = random(size_t(3) * area(size));  // (3, height, width)
        Reference reference(config, "net");
        const Reference::Feature want = reference.forward({pixels, 3, size.y, size.x});
        for (Type type : {Type::f32, Type::f16}) {
            SCOPED_TRACE(std::string(what) + " " + name_of(type));
            SyntheticWeights weights(1, StoredType::f32);
            WeightLoader loader(device, weights, type, "resnet");
            const ResNet net(loader, config, "net");
            const std::vector<Buffer> memory = loader.finish();
            EXPECT_EQ(net.out_size(size), (Size{want.width, want.height}));

            Floats last(pixels.size());  // (height * width, 3)
            for (uint32_t c = 0; c < 3; ++c)
                for (uint32_t i = 0; i < area(size); ++i)
                    last[i * 3 + c] = pixels[c * area(size) + i];
            const Tensor x = tensor(1, area(size), 3, type, last);
            const Floats got = run([&](Commands& c) { return net.forward(c, x, size); });
            Floats first(got.size());
            const uint32_t area = want.height * want.width;
            ASSERT_EQ(got.size(), size_t(area) * want.channels);
            for (uint32_t c = 0; c < want.channels; ++c)
                for (uint32_t i = 0; i < area; ++i)
                    first[c * area + i] = got[i * want.channels + c];
            EXPECT_LT(relative_error(first, want.values), type == Type::f32 ? 1e-5 : 5e-3);
        }
    }
    static ResNetConfig thin(bool bottleneck) {
        ResNetConfig config;
        config.bottleneck = bottleneck;
        config.stem = 12;
        config.stages = {{1, 16}, {2, 24}, {1, 40}, {2, 48}};
        return config;
    }
};

TEST_F(ResNetTest, basic_blocks_are_what_plain_loops_compute) {
    expect_like_reference(thin(false), {50, 65}, "basic");
}

TEST_F(ResNetTest, bottlenecks_are_what_plain_loops_compute) {
    expect_like_reference(thin(true), {65, 50}, "bottleneck");
}

TEST_F(ResNetTest, strides_may_be_elsewhere_under_the_names_of_transformers) {
    ResNetConfig config = thin(true);
    config.names = ResNetConfig::Names::transformers;
    config.first_convolution_strides = true;
    config.first_stage_strides = true;
    expect_like_reference(config, {66, 97}, "strides");
}

TEST_F(ResNetTest, a_stage_that_may_not_stride_dilates) {
    for (bool bottleneck : {false, true})
        for (uint32_t output_stride : {16u, 8u}) {
            ResNetConfig config = thin(bottleneck);
            config.output_stride = output_stride;
            expect_like_reference(config, {81, 66}, "dilated");
        }
}

TEST_F(ResNetTest, stops_after_the_stage_that_is_wanted) {
    ResNetConfig config = thin(true);
    config.stages.resize(2);
    expect_like_reference(config, {40, 33}, "two stages");
}

TEST_F(ResNetTest, a_single_pixel_becomes_a_single_cell) {
    expect_like_reference(thin(true), {1, 1}, "a pixel");
}

TEST_F(ResNetTest, a_shortcut_is_convolved_beside_its_block_and_added_to_in_place) {
    for (bool bottleneck : {false, true}) {
        SyntheticWeights weights(1, StoredType::f32);
        WeightLoader loader(device, weights, Type::f32, "resnet");
        const ResNet net(loader, thin(bottleneck), "net");
        const std::vector<Buffer> memory = loader.finish();
        const Size size{47, 34};
        Commands c(device, arena, "barriers");
        c.begin();
        net.forward(c, random_tensor(1, area(size), 3, Type::f32), size);
        c.end();
        const uint32_t blocks = 6, shortcuts = 4, convolutions = bottleneck ? 3 : 2;
        EXPECT_EQ(c.counts().dispatches, 2 + blocks * convolutions + shortcuts);
        EXPECT_EQ(c.counts().barriers, 1 + blocks * convolutions) << "the stem does not wait";
    }
}

TEST_F(ResNetTest, pictures_of_a_batch_do_not_meet) {
    SyntheticWeights weights(1, StoredType::f32);
    WeightLoader loader(device, weights, Type::f32, "resnet");
    const ResNet net(loader, thin(false), "net");
    const std::vector<Buffer> memory = loader.finish();
    const Size size{47, 34};
    const size_t count = size_t(3) * area(size);
    const Floats pixels = random(2 * count);
    const Floats together = run([&](Commands& c) {
        return net.forward(c, tensor(2, area(size), 3, Type::f32, pixels), size);
    });
    for (size_t i = 0; i < 2; ++i) {
        const auto one = std::span(pixels).subspan(i * count, count);
        const Floats alone = run([&](Commands& c) {
            return net.forward(c, tensor(1, area(size), 3, Type::f32, one), size);
        });
        EXPECT_EQ(Floats(together.begin() + std::ptrdiff_t(i * alone.size()),
                         together.begin() + std::ptrdiff_t((i + 1) * alone.size())),
                  alone);
    }
}

TEST(ResNetConfigTest, names_of_timm_stand_for_their_layers) {
    const ResNetConfig small = timm_resnet("resnet34"), large = timm_resnet("resnet101");
    EXPECT_FALSE(small.bottleneck);
    EXPECT_EQ(small.channels(), 512u);
    ASSERT_EQ(large.stages.size(), 4u);
    EXPECT_TRUE(large.bottleneck);
    EXPECT_EQ(large.stages[2].blocks, 23u);
    EXPECT_EQ(large.channels(), 2048u);
    EXPECT_TRUE(timm_resnet("resnet50d").stages.empty());
    EXPECT_TRUE(timm_resnet("").stages.empty());
}

TEST_F(ResNetTest, cells_lie_a_stride_apart) {
    SyntheticWeights weights(1, StoredType::f32);
    WeightLoader loader(device, weights, Type::f32, "resnet");
    ResNetConfig config = thin(false);
    EXPECT_EQ(ResNet(loader, config, "net").stride(), 32u);
    config.output_stride = 16;
    EXPECT_EQ(ResNet(loader, config, "net").stride(), 16u);
    loader.finish();
}

}  // namespace
}  // namespace saccade
