// A kernel's parameters are set at every dispatch (push constants) or when its pipeline is built
// (specialisation constants). The params.h files declare them. They are compiled both as C++ and as
// GLSL, so they hold only 32-bit scalars and structs of them, whose layout is the same in both.
// This one has what all families share.
#ifndef SACCADE_COMMON_PARAMS
#define SACCADE_COMMON_PARAMS

#ifdef __cplusplus
#include <cstdint>
#define SACCADE_PARAMS_BEGIN namespace saccade::params {
#define SACCADE_PARAMS_END }
#define SACCADE_CONSTANT inline constexpr uint
#else
#define SACCADE_PARAMS_BEGIN
#define SACCADE_PARAMS_END
#define SACCADE_CONSTANT const uint
#endif

SACCADE_PARAMS_BEGIN

#ifdef __cplusplus
using uint = uint32_t;
#endif

// A specialisation constant that every pipeline gets, if its shader has it: 1 if the device
// converts halves to floats in one instruction.
#define NATIVE_HALVES_ID 100

// Where the elements of a (batch, rows, columns) tensor lie in its binding. Kernels take the batch
// from the third dispatch axis, so that none has to divide by a number that is not a constant.
struct View {
    uint offset, batch_stride, row_stride;
};

// The activation after a product: y = activation(x W^T + b).
SACCADE_CONSTANT activation_none = 0;
SACCADE_CONSTANT activation_gelu_erf = 1;
SACCADE_CONSTANT activation_gelu_tanh = 2;
SACCADE_CONSTANT activation_quick_gelu = 3;
SACCADE_CONSTANT activation_relu = 4;
SACCADE_CONSTANT activation_tanh = 5;
SACCADE_CONSTANT activation_sigmoid = 6;
SACCADE_CONSTANT activation_silu = 7;
SACCADE_CONSTANT activation_hard_swish = 8;
SACCADE_CONSTANT activation_clip = 9;  // to -10 .. 10

SACCADE_PARAMS_END

#endif
