#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace saccade {

// A compiled shader that is part of the program, named after its file and its storage types:
// "linear.f16_f32".
struct EmbeddedShader {
    std::string_view name;
    std::span<const std::uint32_t> code;  // SPIR-V
};

// All of them, in no particular order.
std::span<const EmbeddedShader> embedded_shaders();

}  // namespace saccade
