#include "app/live_state.h"

#include <algorithm>
#include <iterator>

namespace saccade {

std::string_view name_of(AttentionMode mode) {
    switch (mode) {
        case AttentionMode::rollout:
            return "rollout";
        case AttentionMode::mean:
            return "mean";
        case AttentionMode::max:
            return "max";
        case AttentionMode::head:
            return "head";
        case AttentionMode::grid:
            return "grid";
        case AttentionMode::off:
            break;
    }
    return "off";
}

void step_layer(LiveState& state, int by) {
    const int last = static_cast<int>(state.layers) - 1;
    state.attention.layer =
        static_cast<uint32_t>(std::clamp(static_cast<int>(state.attention.layer) + by, 0, last));
}

void choose_head(LiveState& state, uint32_t head) {
    if (head >= state.heads) return;
    state.attention.head = head;
    state.attention.mode = AttentionMode::head;
}

void next_attention_mode(LiveState& state) {
    const auto* now = std::ranges::find(attention_modes, state.attention.mode);
    state.attention.mode = now + 1 == std::end(attention_modes) ? attention_modes[0] : *(now + 1);
}

void fit_to_model(LiveState& state, uint32_t layers, uint32_t heads) {
    state.layers = std::max(layers, 1u);
    state.heads = std::max(heads, 1u);
    state.attention.layer = std::min(state.attention.layer, state.layers - 1);
    state.attention.head = std::min(state.attention.head, state.heads - 1);
    state.query.reset();
    state.word.reset();
}

}  // namespace saccade
