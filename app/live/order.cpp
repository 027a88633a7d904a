#include "app/live/order.h"

#include "app/pipeline/examples.h"

namespace saccade {

namespace {

using Token = Looker::Token;

constexpr uint32_t words_at_once = 4;

// How much each patch is like a phrase; nobody's if the model does not have it any more.
Looker looker_of(const PhraseLook& look, const Models& models) {
    Looker looker;
    looker.of_detector = look.of == AskedModel::detector;
    looker.phrase = look.number;
    const bool told = looker.of_detector ? models.detector && models.detector->phrases()
                                         : models.classifier && models.classifier->phrases();
    if (told && look.number < phrases_of(looker, models).size()) looker.token = Token::phrase;
    return looker;
}

// Whether cells of the detector's map look at each other: not every encoder has attention.
bool cells_look(const Models& models) { return models.detector->model().encoder_layers() > 0; }

// The query that found the smallest box at a point, of a model whose every patch finds something, or
// whose patches do not look at each other.
std::optional<uint32_t> query_at(const Models& models, const LastSeen& seen, glm::vec2 point) {
    if (!models.detector || (!models.detector->phrases() && cells_look(models))) return {};
    const Detection* found = nullptr;
    for (const Detection& d : seen.found)
        if (d.box.contains(point) && (!found || d.box.area() < found->box.area())) found = &d;
    if (!found) return {};
    return found->query;
}

// A box under the mouse is asked instead of the patch under it.
void look_from_box_at(Looker& looker, const Models& models, const LastSeen& seen) {
    const std::optional<uint32_t> query = query_at(models, seen, looker.point);
    if (query) {
        looker.token = Token::query;
        looker.query = *query;
    } else if (!cells_look(models)) {
        looker.token = Token::none;
    }
}

// Colours need no pointer.
bool looks_at_features(const Looker& at, AttentionMode mode, bool points) {
    return at.token == Token::everywhere || (mode == AttentionMode::similarity && points);
}

// Of somebody who watches from elsewhere, and asks for an overview if he points at nothing.
Looker looker_of(const RemoteLook& look, const Models& models, const LastSeen& seen) {
    Looker looker;
    const std::vector<CaptionWord>& words = seen.caption.words;
    if (look.word && models.captioner && *look.word < words.size()) {
        looker.token = Token::word;
        looker.first_id = words[*look.word].first;
        looker.ids = words[*look.word].count;
        return looker;
    }
    if (look.phrase) return looker_of(*look.phrase, models);
    if (look.query && models.detector && *look.query < models.detector->model().queries()) {
        looker.token = Token::query;
        looker.query = *look.query;
        return looker;
    }
    if (!models.detector && !models.classifier) return looker;
    looker.of_detector =
        models.detector && (look.asked == AskedModel::detector || !models.classifier);
    looker.token = Token::patch;
    looker.point = look.pointer.value_or(glm::vec2());
    const Looker at = looker_at_features(looker, look.attention.mode, models);
    if (looks_at_features(at, look.attention.mode, look.pointer.has_value())) return at;
    looker.token = Token::none;
    if (look.pointer) {
        looker.token = Token::patch;
        if (looker.of_detector) look_from_box_at(looker, models, seen);
    } else if (!looker.of_detector) {
        looker.token = Token::class_token;
    } else if (!seen.found.empty()) {
        looker.token = Token::query;
        looker.query = seen.found.front().query;
    }
    return looker;
}

}  // namespace

DetectionFilter filter_of(const LiveState& state, const Models& models) {
    DetectionFilter filter;
    filter.most = state.most;
    if (state.threshold) filter.threshold = *state.threshold;
    if (!models.detector) return filter;
    if (!state.threshold) filter.threshold = models.detector->sure_above();
    const std::vector<std::string>& labels = models.detector->labels();
    if (models.detector->phrases()) set_thresholds(filter, *models.detector, state.least_scores);
    if (state.only.empty()) return filter;
    for (uint32_t id = 0; id < labels.size(); ++id)
        if (state.only.contains(labels[id])) filter.classes.insert(id);
    // If the model has none of them, nothing is shown, not everything.
    if (filter.classes.empty()) filter.classes.insert(UINT32_MAX);
    return filter;
}

Looker looker_under_mouse(const LiveState& state, AskedModel asked, const Models& models) {
    Looker looker;
    if (!models.detector && !models.classifier) return looker;
    looker.of_detector = models.detector && (asked == AskedModel::detector || !models.classifier);
    looker.token = Token::patch;
    looker.point = state.held ? *state.held : state.pointer.value_or(glm::vec2());
    return looker;
}

Looker choose_looker(const LiveState& state, AskedModel asked, AttentionMode mode,
                     const Models& models, const LastSeen& seen) {
    Looker looker;
    const std::vector<CaptionWord>& words = seen.caption.words;
    if (state.word && models.captioner && *state.word < words.size()) {
        looker.token = Token::word;
        looker.first_id = words[*state.word].first;
        looker.ids = words[*state.word].count;
        return looker;
    }
    if (state.phrase) return looker_of(*state.phrase, models);
    if (state.query && models.detector && *state.query < models.detector->model().queries()) {
        looker.token = Token::query;
        looker.query = *state.query;
        return looker;
    }
    looker = looker_under_mouse(state, asked, models);
    const Looker at = looker_at_features(looker, mode, models);
    if (looks_at_features(at, mode, state.held || state.pointer)) return at;
    const bool points = state.held || state.pointer;
    if (looker.of_detector && points && (!state.held || !cells_look(models)))
        look_from_box_at(looker, models, seen);
    if (state.held || state.pointer || looker.token == Token::none) return looker;
    if (state.overview && !looker.of_detector) {
        looker.token = Token::class_token;
    } else if (state.overview && !seen.found.empty()) {
        looker.token = Token::query;
        looker.query = seen.found.front().query;
    } else {
        looker.token = Token::none;
    }
    return looker;
}

namespace {

// How a frame or its second view is drawn.
template <typename Order>
void draw_for(Order& order, const LiveState& state, const Models& models) {
    // Tiles have no room for what lies over a whole frame.
    const bool tiled = order.shows_attention() && order.attention.mode == AttentionMode::grid &&
                       heads_of(order.looker, order.attention, models) > 1;
    order.truth = state.truth && !tiled;
    OverlaySettings& overlay = order.overlay;
    overlay.boxes = state.boxes && !tiled;
    overlay.filter = filter_of(state, models);
    overlay.filter.masks = state.outlines;
    overlay.selected_query = state.query;
    if (order.shows_attention() && order.looker.token == Token::query)
        overlay.selected_query = order.looker.query;
    overlay.classes = state.classes && !state.classes_beside && !tiled;
    overlay.caption = state.caption;
    overlay.opacity = order.attention.blend;
    overlay.mass = order.attention.mass;
    overlay.scale = order.attention.fixed_scale                               ? HeatScale::fixed
                    : shows_similarity(order.looker, order.attention, models) ? HeatScale::min_max
                                                                              : HeatScale::max;
}

}  // namespace

MapChoices choices_of(const LiveState& state, AskedModel asked, const AttentionState& attention,
                      const Models& models, const LastSeen& seen) {
    Looker looker = choose_looker(state, asked, attention.mode, models, seen);
    if (looker.token == Token::none) looker = looker_under_mouse(state, asked, models);
    return {layers_of(looker, models), heads_of(looker, attention, models)};
}

FrameOrder order_of(const LiveState& state, const Models& models, const LastSeen& seen) {
    FrameOrder order;
    order.attention = state.attention;
    order.looker = choose_looker(state, state.asked, state.attention.mode, models, seen);
    order.read_back.planes = state.planes;
    bool word_looked_at = state.word.has_value();
    for (const RemoteLook& look : state.looks) {
        order.maps.push_back(
            {look.attention, looker_of(look, models, seen), look.viewer, look.track});
        word_looked_at = word_looked_at || look.word;
    }
    // A word that somebody looks at stays until he has seen enough.
    order.caption = {
        .begin = !word_looked_at, .to_end = false, .words = words_at_once, .lit = state.word};
    draw_for(order, state, models);
    if (state.second.kind == SecondView::Kind::off) return order;
    SecondOrder& second = order.second.emplace();
    second.bare = state.second.kind == SecondView::Kind::bare;
    second.attention = state.second.attention;
    // One strength, share and scale for both, or they could not be compared.
    second.attention.blend = state.attention.blend;
    second.attention.mass = state.attention.mass;
    second.attention.fixed_scale = state.attention.fixed_scale;
    second.looker =
        choose_looker(state, state.second.asked, state.second.attention.mode, models, seen);
    draw_for(second, state, models);
    return order;
}

}  // namespace saccade
