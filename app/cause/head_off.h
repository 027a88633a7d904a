#pragma once

#include <compare>
#include <cstdint>
#include <set>
#include <string>

namespace saccade {

// A head of one of the models that stays off. A detector's decoder goes on counting layers where
// its encoder ends.
struct HeadOff {
    enum class Of { detector, classifier, captioner } of = Of::detector;
    uint32_t layer = 0, head = 0;
    auto operator<=>(const HeadOff&) const =
        default;  // NOLINT(modernize-use-nullptr): clang-tidy 14
};
using HeadsOff = std::set<HeadOff>;

std::string name_of(HeadOff::Of model);
// "detector 0.3, 2.1; classifier 4.0": layers and heads.
std::string in_words(const HeadsOff& off);

}  // namespace saccade
