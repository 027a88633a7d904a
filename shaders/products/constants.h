// The specialisation constants of the kernels of products, each with its name in C++, its name in
// GLSL and its default. This file is compiled both as C++ and as GLSL; the order in a list is the
// order of the constants' numbers.
//   CONSTANT(number, name, NAME, value)

// A tile on cooperative matrices: see product.coopmat.glsl.
#define MATRIX_TILE_CONSTANTS(CONSTANT)                                                    \
    CONSTANT(0, threads, THREADS, 256)                                                     \
    CONSTANT(1, subgroups, SUBGROUPS, 8)                                                   \
    CONSTANT(2, bm, BM, 128)                                                               \
    CONSTANT(3, bn, BN, 256)                                                               \
    CONSTANT(4, bk, BK, 64)                                                                \
    CONSTANT(5, wm, WM, 64)                                                                \
    CONSTANT(6, wn, WN, 64)                                                                \
    CONSTANT(7, fm, FM, 16) /* what the device multiplies at once */                       \
    CONSTANT(8, fn, FN, 16)                                                                \
    CONSTANT(9, fk, FK, 16)                                                                \
    CONSTANT(10, eights, EIGHTS, 1) /* that a thread holds of a fragment of W */           \
    CONSTANT(11, ahead, AHEAD, 1)   /* steps of W on their way; divides those of a tile */ \
    CONSTANT(12, splits, SPLITS, 1)                                                        \
    CONSTANT(13, in_fours, IN_FOURS,                                                       \
             0) /* see fragment.coopmat.glsl; 2: y can be written in eights */             \
    CONSTANT(14, shares, SHARES, 1)
#define MATRIX_TILE_CONSTANT_COUNT 15

// A tile in shared memory: see product.tiled.glsl.
#define SHARED_TILE_CONSTANTS(CONSTANT)                        \
    CONSTANT(0, threads, THREADS, 256) /* BM / TM * BN / TN */ \
    CONSTANT(1, bm, BM, 128)                                   \
    CONSTANT(2, bn, BN, 128)                                   \
    CONSTANT(3, bk, BK, 16)                                    \
    CONSTANT(4, tm, TM, 8) /* 4 or 8, as TN */                 \
    CONSTANT(5, tn, TN, 8)                                     \
    CONSTANT(6, splits, SPLITS, 1)
#define SHARED_TILE_CONSTANT_COUNT 7

// What happens to the sums. These follow the constants of the tile, whose count is FIRST.
#define LINEAR_CONSTANTS(CONSTANT, FIRST)          \
    CONSTANT(FIRST + 0, activation, ACTIVATION, 0) \
    CONSTANT(FIRST + 1, bias, BIAS, 1)             \
    CONSTANT(FIRST + 2, accumulate, ACCUMULATE, 0)
#define LINEAR_CONSTANT_COUNT 3
// Of linear.coopmat alone: its part in the folded norms of a stream, see there.
#define STREAM_CONSTANTS(CONSTANT, FIRST)                                                    \
    CONSTANT(FIRST + 0, moments, MOMENTS, 0) /* of a row of x; 0: x is not normalised */     \
    CONSTANT(FIRST + 1, width, WIDTH, 0)     /* columns of x that each of them stands for */ \
    CONSTANT(FIRST + 2, next, NEXT, 0)       /* 1: y is a stream that a norm reads next */
#define CONV2D_CONSTANTS(CONSTANT, FIRST)          \
    CONSTANT(FIRST + 0, activation, ACTIVATION, 0) \
    CONSTANT(FIRST + 1, residual, RESIDUAL, 0)     \
    CONSTANT(FIRST + 2, pointwise, POINTWISE, 0) /* 1: kernels of 1x1, no padding */

#ifdef __cplusplus
#pragma once
#include <array>
#include <bit>
#include <cstdint>
namespace saccade::params {
#define SACCADE_FIELD(number, name, NAME, value) uint32_t name = value;
struct MatrixTileConstants {
    MATRIX_TILE_CONSTANTS(SACCADE_FIELD)
};
struct SharedTileConstants {
    SHARED_TILE_CONSTANTS(SACCADE_FIELD)
};
struct LinearConstants {
    LINEAR_CONSTANTS(SACCADE_FIELD, 0)
};
struct StreamConstants {
    STREAM_CONSTANTS(SACCADE_FIELD, 0)
};
struct Conv2dConstants {
    CONV2D_CONSTANTS(SACCADE_FIELD, 0)
};
#undef SACCADE_FIELD
static_assert(sizeof(MatrixTileConstants) == 4 * MATRIX_TILE_CONSTANT_COUNT);
static_assert(sizeof(SharedTileConstants) == 4 * SHARED_TILE_CONSTANT_COUNT);

// The constants of a kernel in the order of their numbers.
template <typename First, typename Second>
auto constants_of(const First& first, const Second& second) {
    struct All {
        First first;
        Second second;
    };
    return std::bit_cast<std::array<uint32_t, sizeof(All) / 4>>(All{first, second});
}
template <typename First, typename Second, typename Third>
auto constants_of(const First& first, const Second& second, const Third& third) {
    return constants_of(constants_of(first, second), third);
}
}  // namespace saccade::params
#else
#define SACCADE_SPECIALISED(number, name, NAME, value) \
    layout(constant_id = number) const uint NAME = value;
#endif
