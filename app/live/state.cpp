#include "app/live/state.h"

#include <algorithm>
#include <iterator>
#include <utility>

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

std::string name_of(const DrawnExample& example) {
    return "like " + std::to_string(example.number);
}

void add_example(LiveState& state, const Rectangle& box) {
    state.examples.push_back({++state.last_example, box});
}

void drop_example(LiveState& state, const std::string& name) {
    std::erase_if(state.examples,
                  [&](const DrawnExample& example) { return name_of(example) == name; });
}

std::string_view name_of(AskedModel model) {
    return model == AskedModel::detector ? "detector" : "classifier";
}

void release_held(LiveState& state) {
    state.query.reset();
    state.held.reset();
    if (std::exchange(state.word_held, false)) state.word.reset();
    if (std::exchange(state.phrase_held, false)) state.phrase.reset();
}

bool holds(const LiveState& state) {
    return state.query || state.held || state.word_held || state.phrase_held;
}

void seek_to(LiveState& state, uint64_t frame) {
    ++state.seek.number;
    state.seek.frame = frame;
}

void step_frame(LiveState& state, uint64_t shown, int by) {
    state.frozen = true;
    const uint64_t back = static_cast<uint64_t>(by < 0 ? -by : 0);
    seek_to(state, by < 0 ? shown - std::min(shown, back) : shown + static_cast<uint64_t>(by));
}

const char* title_of(AttentionMode mode) {
    switch (mode) {
        case AttentionMode::rollout:
            return "rollout";
        case AttentionMode::mean:
            return "mean of heads";
        case AttentionMode::max:
            return "greatest of heads";
        case AttentionMode::head:
            return "one head";
        case AttentionMode::grid:
            return "all heads";
        case AttentionMode::off:
            break;
    }
    return "off";
}

void next_attention_mode(LiveState& state) {
    const auto* now = std::ranges::find(attention_modes, state.attention.mode);
    state.attention.mode = now + 1 == std::end(attention_modes) ? attention_modes[0] : *(now + 1);
}

}  // namespace saccade
