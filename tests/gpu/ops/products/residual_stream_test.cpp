// Sums of a residual stream, and the norms of them, against plain loops: as this device computes
// them and, where norms are folded, with every tile and split.

#include <cmath>
#include <numeric>

#include "gpu/ops/elementwise.h"
#include "gpu/ops/products/kernels.h"
#include "gpu/ops/products/residual_stream.h"
#include "tests/gpu/ops/products/every_tile.h"

namespace saccade {
namespace {

constexpr float eps = 1e-5f;

class ResidualStreamTest : public EveryTile {
protected:
    // A layer after a norm has been folded into it: the rows of its weight have mean 0.
    struct Layer {
        std::vector<float> weight, bias;
        Linear linear;
    };
    Layer layer(uint32_t out, uint32_t in, bool centred) {
        Layer w{random(size_t(out) * in, Type::f16), random(out), {}};
        for (size_t row = 0; centred && row < out; ++row)
            for (size_t i = 0; i < in; i += 2) w.weight[row * in + i + 1] = -w.weight[row * in + i];
        w.linear = {tensor(1, out, in, Type::f16, w.weight), tensor(1, 1, out, Type::f32, w.bias)};
        if (held_fragments(device).eights > 0) w.linear.fragments = fragments(w.linear.weight);
        return w;
    }
    NormLinear after_norm(const Layer& w) {
        const uint32_t in = w.linear.weight.columns;
        return {{tensor(1, 1, in, Type::f32, std::vector<float>(in, 1.0f)),
                 tensor(1, 1, in, Type::f32, std::vector<float>(in, 0.0f)), eps},
                w.linear,
                folds_norms(device, in, Type::f16)};
    }
    // z + x W^T + b
    static std::vector<double> sums(std::span<const float> z, std::span<const float> x,
                                    const Layer& w) {
        const size_t out = w.bias.size(), in = w.weight.size() / out;
        std::vector<double> y(z.begin(), z.end());
        for (size_t i = 0; i < y.size(); ++i) {
            y[i] += double(w.bias[i % out]);
            for (size_t k = 0; k < in; ++k)
                y[i] += double(x[i / out * in + k]) * double(w.weight[i % out * in + k]);
        }
        return y;
    }
    // LN(z) W^T + b
    static std::vector<float> normed(std::span<const double> z, const Layer& w) {
        const size_t out = w.bias.size(), in = w.weight.size() / out;
        std::vector<float> y;
        for (size_t row = 0; row < z.size() / in; ++row) {
            const auto of = z.subspan(row * in, in);
            const double mean = std::accumulate(of.begin(), of.end(), 0.0) / double(in);
            double squares = 0;
            for (double v : of) squares += (v - mean) * (v - mean);
            const double scale = 1 / std::sqrt(squares / double(in) + double(eps));
            for (size_t n = 0; n < out; ++n) {
                double sum = double(w.bias[n]);
                for (size_t k = 0; k < in; ++k)
                    sum += (of[k] - mean) * scale * double(w.weight[n * in + k]);
                y.push_back(static_cast<float>(sum));
            }
        }
        return y;
    }
    // Like real streams: a mean that is not 0, and a column with values beyond the range of a half.
    std::vector<float> stream(uint32_t rows, uint32_t columns) {
        std::vector<float> z = random(size_t(rows) * columns);
        for (size_t i = 0; i < z.size(); ++i) z[i] = i % columns == 5 ? 90'000.0f : 40 * z[i] + 7;
        return z;
    }
};

TEST_F(ResidualStreamTest, a_norm_reads_what_has_been_added) {
    constexpr uint32_t batch = 2, rows = 37, columns = 128, inner = 72, out = 40;
    const std::vector<float> z = random(size_t(batch) * rows * columns);
    const std::vector<float> x = random(size_t(batch) * rows * inner, Type::f16);
    const Layer down = layer(columns, inner, false), up = layer(out, columns, true);
    const Tensor tz = tensor(batch, rows, columns, Type::f32, z);
    const Tensor tx = tensor(batch, rows, inner, Type::f16, x);
    const NormLinear after = after_norm(up);
    const std::vector<double> once = sums(z, x, down);
    const std::vector<float> first = normed(std::vector<double>(z.begin(), z.end()), up);

    const auto of = [&](const auto& read) {
        return run([&](Commands& c) {
            const Tensor sum = c.scratch(batch, rows, columns, Type::f32);
            copy(c, sum, tz);
            ResidualStream stream(c, sum, Type::f16);
            return read(c, stream);
        });
    };
    EXPECT_LT(
        relative_error(of([&](Commands& c, ResidualStream& s) { return s.norm_linear(c, after); }),
                       first),
        tolerance(Type::f16));
    EXPECT_LT(relative_error(of([&](Commands& c, ResidualStream& s) {
                                 s.add(c, tx, down.linear);
                                 return s.norm_linear(c, after);
                             }),
                             normed(once, up)),
              tolerance(Type::f16));
    // Writes of other operations count, into however many batches the stream is cut.
    EXPECT_LT(relative_error(of([&](Commands& c, ResidualStream& s) {
                                 s.add(c, tx, down.linear);
                                 copy(c, s.sums(), tz);
                                 s.changed();
                                 s.cut(1);
                                 const Tensor y = s.norm_linear(c, after);
                                 EXPECT_EQ(y.rows, batch * rows);
                                 return y;
                             }),
                             first),
              tolerance(Type::f16));
}

TEST_F(ResidualStreamTest, sums_are_noted_and_read_in_every_tile_and_split) {
    if (!folds_norms(device, 64, Type::f16))
        GTEST_SKIP() << device.info().name << " does not fold norms";
    constexpr uint32_t rows = 75, columns = 384, inner = 1100, out = 136;
    const std::vector<float> z = stream(rows, columns);
    const std::vector<float> x = random(size_t(rows) * inner, Type::f16);
    const Layer down = layer(columns, inner, false), up = layer(out, columns, true);
    const Tensor tz = tensor(1, rows, columns, Type::f32, z);
    const Tensor tx = tensor(1, rows, inner, Type::f16, x);
    const std::vector<double> summed = sums(z, x, down);
    const std::vector<float> expected = normed(summed, up);
    DeviceInfo large = device.info();
    large.limits.cores = 132;
    const auto tiles = matrix_tiles(large, held_fragments(device), {1, rows, columns, inner});
    const auto readers = matrix_tiles(large, held_fragments(device), {1, rows, out, columns});
    uint32_t most_splits = 0;
    for (size_t i = 0; i < std::max(tiles.size(), readers.size()); ++i) {
        const MatrixTile &tile = tiles[i % tiles.size()], &reader = readers[i % readers.size()];
        if (!can_write_folded(tz, tile)) continue;
        most_splits = std::max(most_splits, tile.splits);
        Tensor sum;
        const auto result = run([&](Commands& c) {
            sum = c.scratch(1, rows, columns, Type::f32);
            copy(c, sum, tz);
            const FoldedInput folded{c.scratch(1, rows, columns, Type::f16),
                                     c.scratch(1, rows, 2 * columns / 64, Type::f32), tile.bn, eps};
            linear_add_folded(c, sum, tx, down.linear, folded, tile);
            const Tensor y = c.scratch(1, rows, out, Type::f16);
            linear_of_folded(c, y, folded, up.linear, Activation::none, reader);
            return y;
        });
        EXPECT_LT(relative_error(result, expected), tolerance(Type::f16))
            << text(tile) << " read by " << text(reader);
    }
    EXPECT_GT(most_splits, 1u);
}

}  // namespace
}  // namespace saccade
