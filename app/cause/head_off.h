#pragma once

#include <compare>
#include <cstdint>
#include <set>
#include <string>

namespace saccade {

// A head of one of the models that stays off. A decoder goes on counting layers where the encoder
// ends; of a text decoder with cross-attention each layer counts twice, as in DecoderState.
struct HeadOff {
    enum class Of { detector, classifier, captioner } of = Of::detector;
    uint32_t layer = 0, head = 0;
    auto operator<=>(const HeadOff&) const =
        default;  // NOLINT(modernize-use-nullptr): clang-tidy 14
};
using HeadsOff = std::set<HeadOff>;

constexpr HeadOff::Of models_with_heads[] = {HeadOff::Of::detector, HeadOff::Of::classifier,
                                             HeadOff::Of::captioner};
std::string name_of(HeadOff::Of model);
// "detector 0.3, 2.1; classifier 4.0": layers and heads.
std::string in_words(const HeadsOff& off);

}  // namespace saccade
