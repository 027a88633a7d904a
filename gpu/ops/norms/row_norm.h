#pragma once

#include <algorithm>

#include "gpu/ops/common.h"
#include "gpu/ops/norms.h"

// How norms share a row among threads: see shaders/norms/row_norm.glsl.

namespace saccade {

inline void require_same(const char* op, const Tensor& x, const Tensor& y) {
    require(y.batch == x.batch && y.rows == x.rows && y.columns == x.columns &&
                x.type != Type::u32 && y.type != Type::u32,
            op, x.shape() + " into " + y.shape());
    require_wide(x, op);
    require_wide(y, op);
}

inline void check_result(const char* op, const Tensor& x, const Tensor& y) {
    require(y.batch == x.batch && y.rows == x.rows && y.columns == x.columns, op,
            x.shape() + " into " + y.shape());
    require_wide(y, op);
}

inline constexpr uint32_t most_rounds = 4;
// How many fours of a row each thread holds in registers; 0: none, see row_norm.glsl.
inline uint32_t rounds(const Commands& c, uint32_t columns, uint32_t threads) {
    const uint32_t all = divide_up(padded(columns) / 4, threads);
    return c.device().is_cpu() || all > most_rounds ? 0 : all;
}

// Threads of a row. Where there are enough rows to fill a GPU, fewer threads wait less for each
// other, as long as they can hold the row.
inline uint32_t norm_threads(const Commands& c, uint32_t rows, uint32_t columns) {
    constexpr uint32_t many_rows = 4096, few = 64;
    const bool hold = padded(columns) / 4 <= few * most_rounds;
    return !c.device().is_cpu() && rows >= many_rows && hold ? few : row_threads(c);
}

}  // namespace saccade
