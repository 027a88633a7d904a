#include <algorithm>

#include "gpu/ops/maps.h"
#include "gpu/ops/products.h"

#include "tests/gpu_test.h"

namespace saccade {
namespace {

struct Case {
    const char* what;
    Size size, kernel;
    uint32_t in, out, stride, padding, dilation, batch;
};

class Conv2dTest : public GpuTest {
protected:
    struct Inputs {
        std::vector<float> x, weight, bias, residual;
        Tensor tx, tr;
        Conv2d conv;
    };
    Inputs make(const Case& c, Type type) {
        Inputs in;
        in.conv = {{}, {}, c.in, c.kernel, c.stride, c.padding, c.dilation};
        const Size out = in.conv.out_size(c.size);
        in.x = random(size_t(c.batch) * area(c.size) * c.in, type);
        in.weight = random(size_t(c.out) * area(c.kernel) * c.in, type);  // (out, ky, kx, in)
        in.bias = random(c.out);
        in.residual = random(size_t(c.batch) * area(out) * c.out, type);
        in.tx = tensor(c.batch, area(c.size), c.in, type, in.x);
        in.tr = tensor(c.batch, area(out), c.out, type, in.residual);
        // Channels are padded in every tap.
        std::vector<float> wide(size_t(c.out) * area(c.kernel) * padded(c.in));
        for (size_t tap = 0; tap < size_t(c.out) * area(c.kernel); ++tap)
            std::copy_n(&in.weight[tap * c.in], c.in, &wide[tap * padded(c.in)]);
        in.conv.weight = tensor(1, c.out, area(c.kernel) * padded(c.in), type, wide);
        in.conv.bias = tensor(1, 1, c.out, Type::f32, in.bias);
        in.conv.fragments = fragments(in.conv.weight);
        return in;
    }
    static std::vector<float> reference(const Case& c, const Inputs& in, bool relu, bool residual) {
        const Size out = in.conv.out_size(c.size);
        std::vector<float> y;
        for (uint32_t b = 0; b < c.batch; ++b)
            for (uint32_t oy = 0; oy < out.y; ++oy)
                for (uint32_t ox = 0; ox < out.x; ++ox)
                    for (uint32_t n = 0; n < c.out; ++n) {
                        double sum = double(in.bias[n]);
                        for (uint32_t ky = 0; ky < c.kernel.y; ++ky)
                            for (uint32_t kx = 0; kx < c.kernel.x; ++kx) {
                                const int iy =
                                    int(oy * c.stride + ky * c.dilation) - int(c.padding);
                                const int ix =
                                    int(ox * c.stride + kx * c.dilation) - int(c.padding);
                                if (iy < 0 || ix < 0 || iy >= int(c.size.y) || ix >= int(c.size.x))
                                    continue;
                                const float* pixel =
                                    &in.x[((size_t(b) * c.size.y + size_t(iy)) * c.size.x +
                                           size_t(ix)) *
                                          c.in];
                                const float* w =
                                    &in.weight[((size_t(n) * c.kernel.y + ky) * c.kernel.x + kx) *
                                               c.in];
                                for (uint32_t i = 0; i < c.in; ++i)
                                    sum += double(pixel[i]) * double(w[i]);
                            }
                        if (residual) sum += double(in.residual[y.size()]);
                        y.push_back(static_cast<float>(relu ? std::max(sum, 0.0) : sum));
                    }
        return y;
    }
};

const Case cases[] = {
    {"1x1", {7, 5}, {1, 1}, 24, 33, 1, 0, 1, 1},
    {"1x1 stride 2, as ResNet's shortcuts", {9, 7}, {1, 1}, 16, 40, 2, 0, 1, 2},
    {"3x3", {5, 6}, {3, 3}, 12, 20, 1, 1, 1, 1},
    {"3x3 stride 2", {8, 9}, {3, 3}, 8, 17, 2, 1, 1, 2},
    {"3x3 dilated, as DC5", {6, 7}, {3, 3}, 10, 9, 1, 2, 2, 1},
    {"7x7 stride 2 on three channels, as ResNet's stem", {22, 17}, {7, 7}, 3, 16, 2, 3, 1, 1},
    {"a kernel wider than the picture", {3, 2}, {3, 3}, 4, 8, 2, 1, 1, 1},
    {"a kernel that is not square", {7, 6}, {5, 3}, 5, 8, 1, 0, 1, 1},
};

TEST_F(Conv2dTest, matches_plain_loops_in_both_storage_types) {
    for (const Case& c : cases)
        for (Type type : {Type::f32, Type::f16}) {
            const Inputs in = make(c, type);
            const auto y = run([&](Commands& r) { return conv2d(r, in.tx, c.size, in.conv); });
            EXPECT_LT(relative_error(y, reference(c, in, false, false)), tolerance(type))
                << c.what << " " << name_of(type);
        }
}

TEST_F(Conv2dTest, adds_to_what_is_there_before_the_relu) {
    for (const Case& c : cases)
        for (Type type : {Type::f32, Type::f16}) {
            const Inputs in = make(c, type);
            const auto y = run([&](Commands& r) {
                conv2d_add(r, in.tr, in.tx, c.size, in.conv, Activation::relu);
                return in.tr;
            });
            EXPECT_LT(relative_error(y, reference(c, in, true, true)), tolerance(type))
                << c.what << " " << name_of(type);
        }
}

TEST_F(Conv2dTest, counts_its_windows_as_pytorch_does) {
    // floor((side + 2 padding - dilation (kernel - 1) - 1) / stride) + 1
    const Conv2d stem{{}, {}, 3, {7, 7}, 2, 3, 1};
    EXPECT_EQ(stem.out_size({1066, 800}), (Size{533, 400}));
    EXPECT_EQ((Pool{3, 2, 1}.out_size({533, 400})), (Size{267, 200}));
    const Conv2d dilated{{}, {}, 3, {3, 3}, 1, 2, 2};
    EXPECT_EQ(dilated.out_size({34, 25}), (Size{34, 25}));
}

TEST_F(Conv2dTest, refuses_what_does_not_fit) {
    const Inputs in = make(cases[2], Type::f32);
    begin();
    EXPECT_THROW(conv2d(commands, in.tx, {5, 5}, in.conv), Error);
    EXPECT_THROW(conv2d_add(commands, in.tx, in.tx, {5, 6}, in.conv), Error);
    Conv2d large = in.conv;
    large.padding = 0;
    large.dilation = 9;
    EXPECT_THROW(conv2d(commands, in.tx, {5, 6}, large), Error);
    finish();
}

}  // namespace
}  // namespace saccade
