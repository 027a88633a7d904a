#include <algorithm>

#include "tests/gpu_test.h"

namespace saccade {
namespace {

struct Case {
    const char* what;
    Extent size, kernel;
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
        const Extent out = in.conv.out_size(c.size);
        in.x = random(size_t(c.batch) * c.size.area() * c.in, type);
        in.weight = random(size_t(c.out) * c.kernel.area() * c.in, type);  // (out, ky, kx, in)
        in.bias = random(c.out);
        in.residual = random(size_t(c.batch) * out.area() * c.out, type);
        in.tx = tensor(c.batch, c.size.area(), c.in, type, in.x);
        in.tr = tensor(c.batch, out.area(), c.out, type, in.residual);
        // Channels are padded in every tap.
        std::vector<float> wide(size_t(c.out) * c.kernel.area() * padded(c.in));
        for (size_t tap = 0; tap < size_t(c.out) * c.kernel.area(); ++tap)
            std::copy_n(&in.weight[tap * c.in], c.in, &wide[tap * padded(c.in)]);
        in.conv.weight = tensor(1, c.out, c.kernel.area() * padded(c.in), type, wide);
        in.conv.bias = tensor(1, 1, c.out, Type::f32, in.bias);
        in.conv.fragments = fragments(in.conv.weight);
        return in;
    }
    static std::vector<float> reference(const Case& c, const Inputs& in, bool relu, bool residual) {
        const Extent out = in.conv.out_size(c.size);
        std::vector<float> y;
        for (uint32_t b = 0; b < c.batch; ++b)
            for (uint32_t oy = 0; oy < out.height; ++oy)
                for (uint32_t ox = 0; ox < out.width; ++ox)
                    for (uint32_t n = 0; n < c.out; ++n) {
                        double sum = double(in.bias[n]);
                        for (uint32_t ky = 0; ky < c.kernel.height; ++ky)
                            for (uint32_t kx = 0; kx < c.kernel.width; ++kx) {
                                const int iy =
                                    int(oy * c.stride + ky * c.dilation) - int(c.padding);
                                const int ix =
                                    int(ox * c.stride + kx * c.dilation) - int(c.padding);
                                if (iy < 0 || ix < 0 || iy >= int(c.size.height) ||
                                    ix >= int(c.size.width))
                                    continue;
                                const float* pixel =
                                    &in.x[((size_t(b) * c.size.height + size_t(iy)) * c.size.width +
                                           size_t(ix)) *
                                          c.in];
                                const float* w = &in.weight[((size_t(n) * c.kernel.height + ky) *
                                                                 c.kernel.width +
                                                             kx) *
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
    {"1x1", {5, 7}, {1, 1}, 24, 33, 1, 0, 1, 1},
    {"1x1 stride 2, as ResNet's shortcuts", {7, 9}, {1, 1}, 16, 40, 2, 0, 1, 2},
    {"3x3", {6, 5}, {3, 3}, 12, 20, 1, 1, 1, 1},
    {"3x3 stride 2", {9, 8}, {3, 3}, 8, 17, 2, 1, 1, 2},
    {"3x3 dilated, as DC5", {7, 6}, {3, 3}, 10, 9, 1, 2, 2, 1},
    {"7x7 stride 2 on three channels, as ResNet's stem", {17, 22}, {7, 7}, 3, 16, 2, 3, 1, 1},
    {"a kernel wider than the picture", {2, 3}, {3, 3}, 4, 8, 2, 1, 1, 1},
    {"a kernel that is not square", {6, 7}, {3, 5}, 5, 8, 1, 0, 1, 1},
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
    EXPECT_EQ(stem.out_size({800, 1066}), (Extent{400, 533}));
    EXPECT_EQ((Pool{3, 2, 1}.out_size({400, 533})), (Extent{200, 267}));
    const Conv2d dilated{{}, {}, 3, {3, 3}, 1, 2, 2};
    EXPECT_EQ(dilated.out_size({25, 34}), (Extent{25, 34}));
}

TEST_F(Conv2dTest, refuses_what_does_not_fit) {
    const Inputs in = make(cases[2], Type::f32);
    begin();
    EXPECT_THROW(conv2d(commands, in.tx, {5, 5}, in.conv), Error);
    EXPECT_THROW(conv2d_add(commands, in.tx, in.tx, {6, 5}, in.conv), Error);
    Conv2d large = in.conv;
    large.padding = 0;
    large.dilation = 9;
    EXPECT_THROW(conv2d(commands, in.tx, {6, 5}, large), Error);
    finish();
}

}  // namespace
}  // namespace saccade
