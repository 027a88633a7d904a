#include "app/live/state.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace saccade {

ChosenMaps maps_under_mouse(LiveState& state) {
    if (state.over_second && state.second.kind == SecondView::Kind::maps)
        return {state.second.attention, state.second.asked, state.second_choices};
    return {state.attention, state.asked, state.choices};
}

void step_layer(LiveState& state, int by) {
    const ChosenMaps maps = maps_under_mouse(state);
    const int last = static_cast<int>(maps.choices.layers) - 1;
    const int now = std::min(static_cast<int>(maps.attention.layer), last);
    maps.attention.layer = static_cast<uint32_t>(std::clamp(now + by, 0, last));
}

void choose_head(LiveState& state, uint32_t head) {
    const ChosenMaps maps = maps_under_mouse(state);
    if (head >= maps.choices.heads) return;
    maps.attention.head = head;
    maps.attention.mode = AttentionMode::head;
}

void choose_second_view(LiveState& state, SecondView::Kind kind) {
    const SecondView::Kind before = std::exchange(state.second.kind, kind);
    if (kind != SecondView::Kind::maps || before == kind) return;
    // To begin with, the same maps of the other model.
    state.second.attention = state.attention;
    if (state.attention.mode == AttentionMode::off)
        state.second.attention.mode = AttentionMode::mean;
    state.second.asked =
        state.asked == AskedModel::detector ? AskedModel::classifier : AskedModel::detector;
}

void next_second_view(LiveState& state) {
    using enum SecondView::Kind;
    const SecondView::Kind now = state.second.kind;
    choose_second_view(state, now == off ? bare : now == bare ? maps : off);
}

const char* title_of(SecondView::Kind kind) {
    switch (kind) {
        case SecondView::Kind::bare:
            return "the picture as it came";
        case SecondView::Kind::maps:
            return "other maps";
        case SecondView::Kind::off:
            break;
    }
    return "off";
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

void choose_source(LiveState& state, std::string source) {
    if (std::ranges::find(state.sources, source) == state.sources.end()) state.sources.clear();
    state.source = std::move(source);
    ++state.opened;
}

void choose_sources(LiveState& state, std::vector<std::string> sources) {
    if (sources.empty()) return;
    state.sources = std::move(sources);
    choose_source(state, state.sources.front());
}

void step_source(LiveState& state, int by) {
    const int count = static_cast<int>(state.sources.size());
    const auto now = std::ranges::find(state.sources, state.source);
    if (count < 2 || now == state.sources.end()) return;
    const int at = static_cast<int>(now - state.sources.begin());
    choose_source(state, state.sources[static_cast<size_t>((at + by + count) % count)]);
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
        case AttentionMode::similarity:
            return "similarity";
        case AttentionMode::colours:
            return "colours";
        case AttentionMode::off:
            break;
    }
    return "off";
}

void next_attention_mode(LiveState& state) {
    AttentionMode& mode = maps_under_mouse(state).attention.mode;
    const auto* now = std::ranges::find(attention_modes, mode);
    mode = now + 1 == std::end(attention_modes) ? attention_modes[0] : *(now + 1);
}

}  // namespace saccade
