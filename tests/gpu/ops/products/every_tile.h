#pragma once

#include <string>
#include <vector>

#include "gpu/ops/products.h"
#include "gpu/ops/products/tile_table.h"
#include "tests/gpu_test.h"

namespace saccade {

// Kernels in every tile and split, against the plain ones.
class EveryTile : public GpuTest {
protected:
    template <typename Record>
    std::vector<float> plain(const Record& record) {
        commands.use_plain_kernels(true);
        std::vector<float> result = run(record);
        commands.use_plain_kernels(false);
        return result;
    }
    // A layer whose weight lies in fragments, too.
    Linear matrix_layer(uint32_t out, uint32_t in) {
        Linear w{random_tensor(1, out, in, Type::f16), random_tensor(1, 1, out, Type::f32)};
        w.fragments = fragments(w.weight);
        return w;
    }
    template <typename Tile>
    static std::string text(const Tile& t) {
        std::string text = std::to_string(t.bm) + "x" + std::to_string(t.bn) + "x" +
                           std::to_string(t.bk) + ", splits: " + std::to_string(t.splits);
        if constexpr (requires { t.shares; }) text += ", shares: " + std::to_string(t.shares);
        return text;
    }
};

}  // namespace saccade
