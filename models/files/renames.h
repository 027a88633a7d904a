#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace saccade {

// A rename of whole dotted words of a tensor's name, wherever they are in it; # stands for a
// number, the same on both sides: {"layer.#.fc1", "layers.#.mlp.fc1"}.
struct Rename {
    std::string_view from, to;
};

// Nothing if the name does not have the words.
std::optional<std::string> renamed(std::string_view name, const Rename& rename);

}  // namespace saccade
