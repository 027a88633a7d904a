#include "app/live/order.h"

namespace saccade {

namespace {

using Token = Looker::Token;

constexpr uint32_t words_at_once = 4;

DetectionFilter filter_of(const LiveState& state, const Models& models) {
    DetectionFilter filter;
    filter.threshold = state.threshold;
    filter.most = state.most;
    if (!models.detector || state.only.empty()) return filter;
    const std::vector<std::string>& labels = models.detector->labels();
    for (uint32_t id = 0; id < labels.size(); ++id)
        if (state.only.contains(labels[id])) filter.classes.insert(id);
    // If the model has none of them, nothing is shown, not everything.
    if (filter.classes.empty()) filter.classes.insert(UINT32_MAX);
    return filter;
}

// Of a LiveState or a RemoteLook.
template <typename Pointing>
Looker looker_of(const Pointing& state, const Models& models, const Caption& caption, Size frame) {
    Looker looker;
    if (state.word && models.captioner && *state.word < caption.words.size()) {
        looker.token = Token::word;
        looker.first_id = caption.words[*state.word].first;
        looker.ids = caption.words[*state.word].count;
        return looker;
    }
    if (state.query && models.detector && *state.query < models.detector->model().queries()) {
        looker.token = Token::query;
        looker.query = *state.query;
        return looker;
    }
    looker.of_detector = models.detector != nullptr;
    if (!models.detector && !models.classifier) return looker;
    if (!state.pointer && models.classifier) {
        looker.of_detector = false;
        looker.token = Token::class_token;
        return looker;
    }
    looker.token = Token::patch;
    looker.point = state.pointer.value_or(
        glm::vec2(frame) * 0.5f);
    return looker;
}

}  // namespace

Looker choose_looker(const LiveState& state, const Models& models, const Caption& caption,
                     Size frame) {
    return looker_of(state, models, caption, frame);
}

Looker choose_looker(const RemoteLook& look, const Models& models, const Caption& caption,
                     Size frame) {
    return looker_of(look, models, caption, frame);
}

FrameOrder order_of(const LiveState& state, const Models& models, const Caption& caption,
                    Size frame) {
    FrameOrder order;
    order.attention = state.attention;
    order.looker = choose_looker(state, models, caption, frame);
    order.read_back = {.pixels = state.recording || state.screenshots > 0, .planes = state.planes};
    bool word_looked_at = state.word.has_value();
    for (const RemoteLook& look : state.looks) {
        order.maps.push_back(
            {look.attention, choose_looker(look, models, caption, frame), look.viewer});
        word_looked_at = word_looked_at || look.word;
    }
    // A word that somebody looks at stays until he has seen enough.
    order.caption = {
        .begin = !word_looked_at, .to_end = false, .words = words_at_once, .lit = state.word};
    // Tiles have no room for what lies over a whole frame.
    const bool tiled = order.shows_attention() && state.attention.mode == AttentionMode::grid &&
                       heads_of(order.looker, order.attention, models) > 1;
    order.truth = state.truth && !tiled;
    OverlaySettings& overlay = order.overlay;
    overlay.boxes = state.boxes && !tiled;
    overlay.filter = filter_of(state, models);
    overlay.selected_query = state.query;
    overlay.classes = state.classes && !tiled;
    overlay.caption = state.caption;
    overlay.opacity = state.attention.blend;
    overlay.mass = state.attention.mass;
    overlay.scale = state.attention.fixed_scale ? HeatScale::fixed : HeatScale::max;
    return order;
}

}  // namespace saccade
