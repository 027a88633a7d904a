#include "app/live/state.h"

#include <algorithm>
#include <iterator>

namespace saccade {

void step_layer(LiveState& state, int by) {
    const int last = static_cast<int>(state.layers) - 1;
    const int now = std::min(static_cast<int>(state.attention.layer), last);
    state.attention.layer = static_cast<uint32_t>(std::clamp(now + by, 0, last));
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

}  // namespace saccade
