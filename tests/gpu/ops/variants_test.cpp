// Variants of a kernel (cooperative matrices, texel buffers), where the device has them, give the
// plain kernel's results.

#include <functional>

#include "gpu/ops/attention.h"
#include "gpu/ops/elementwise.h"
#include "gpu/ops/norms.h"
#include "gpu/ops/products.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

class Variants : public GpuTest {
protected:
    using Work = std::function<Tensor(Commands&)>;

    void expect_alike(const char* op, Type out, const Work& work) {
        commands.use_plain_kernels(true);
        const std::vector<float> plain = run(work);
        commands.use_plain_kernels(false);
        EXPECT_LT(relative_error(run(work), plain), tolerance(out)) << op << " " << name_of(out);
    }
    Norm norm(uint32_t columns) {
        return {random_tensor(1, 1, columns, Type::f32), random_tensor(1, 1, columns, Type::f32)};
    }
};

TEST_F(Variants, give_what_the_plain_kernels_give) {
    for (Type type : {Type::f32, Type::f16}) {
        const Tensor x = random_tensor(1, 37, 96, type), y = random_tensor(1, 37, 96, type);
        Linear w{random_tensor(1, 43, 96, type), random_tensor(1, 1, 43, Type::f32)};
        w.fragments = fragments(w.weight);
        expect_alike("linear", type, [&](Commands& c) { return linear(c, x, w); });
        expect_alike("attention", type, [&](Commands& c) {
            return attention(c, x, y, y, {3, 0.2f});
        });
        expect_alike("add", type, [&](Commands& c) { return add(c, x, y, type); });
        const Norm over_columns = norm(96);
        expect_alike("layer_norm", type,
                     [&](Commands& c) { return layer_norm(c, x, over_columns, type); });
        const Tensor picture = random_tensor(1, 7 * 9, 16, type);
        Conv2d kernel{random_tensor(1, 24, 9 * 16, type),
                      random_tensor(1, 1, 24, Type::f32),
                      16,
                      {3, 3},
                      2,
                      1,
                      1};
        kernel.fragments = fragments(kernel.weight);
        expect_alike("conv2d", type, [&](Commands& c) {
            return conv2d(c, picture, {9, 7}, kernel, Activation::relu);
        });
    }
}

TEST_F(Variants, give_what_the_plain_kernels_give_for_few_rows) {
    for (uint32_t rows : {1u, 3u, 8u}) {
        const Tensor x = random_tensor(1, rows, 96, Type::f32);
        const Tensor keys = random_tensor(1, 37, 96, Type::f32);
        const Linear w{random_tensor(1, 43, 96, Type::f32), random_tensor(1, 1, 43, Type::f32)};
        const Norm over_columns = norm(96);
        expect_alike("linear", Type::f32, [&](Commands& c) { return linear(c, x, w); });
        expect_alike("norm_linear", Type::f32,
                     [&](Commands& c) { return norm_linear(c, x, over_columns, w); });
        expect_alike("attention", Type::f32, [&](Commands& c) {
            return attention(c, x, keys, keys, {3, 0.2f});
        });
    }
}

TEST_F(Variants, on_texel_buffers_are_left_out_where_plain_kernels_are_asked_for) {
    const Kernel kernel("add", Type::f32, {4});
    Pipelines& pipelines = device.pipelines();
    EXPECT_EQ(pipelines.get(kernel).name, "add.f32");
    EXPECT_EQ(pipelines.best(kernel).name,
              device.features().texel_loads ? "add.f32.texels" : "add.f32");
    EXPECT_EQ(pipelines.best(Kernel("add", Type::f16, {4})).name, "add.f16");
}

}  // namespace
}  // namespace saccade
