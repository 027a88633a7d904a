#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

namespace saccade {

// The interface of a compute shader: enough to create its layout and to check every dispatch.
struct Reflection {
    enum class Binding { buffer, image, texels };
    std::vector<Binding> bindings;  // of set 0, numbered from 0 without gaps
    enum class Texel { none, float4, uint1, uint4 };
    std::vector<Texel> texels;  // of each binding
    uint32_t push_constant_bytes = 0;
    uint32_t local_size[3] = {1, 1, 1};     // before specialisation
    int local_size_spec[3] = {-1, -1, -1};  // the specialisation constant that sets it, if any
    std::map<uint32_t, uint32_t> spec_constants;  // id -> default value
    bool whole_subgroups = false;  // it needs full subgroups, for cooperative matrices
    bool native_halves = false;    // it has the constant NATIVE_HALVES, set by device
};

// Reads SPIR-V. `name` is the shader's, for errors.
Reflection reflect(std::span<const uint32_t> code, std::string_view name);

}  // namespace saccade
