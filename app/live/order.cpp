#include "app/live/order.h"

#include "app/pipeline/examples.h"

namespace saccade {

namespace {

using Token = Looker::Token;

constexpr uint32_t words_at_once = 4;

// Looks for a phrase: how much each patch is like it. Token::none if the model no longer has it.
Looker looker_of(const PhraseRef& phrase, const Models& models) {
    Looker looker;
    looker.of_detector = phrase.model == MapModel::detector;
    looker.phrase = phrase.index;
    const bool has_phrases = looker.of_detector ? models.detector && models.detector->phrases()
                                                : models.classifier && models.classifier->phrases();
    if (has_phrases && phrase.index < phrases_of(looker, models).size())
        looker.token = Token::phrase;
    return looker;
}

// Whether the detector's patches attend to each other: not every encoder has attention.
bool patches_attend(const Models& models) { return models.detector->model().encoder_layers() > 0; }

// The query of the smallest box at a point, for models that have a query for each patch, or whose
// patches do not attend to each other.
std::optional<uint32_t> query_of_box(const Models& models, const LastResult& last,
                                     glm::vec2 point) {
    if (!models.detector || (!models.detector->phrases() && patches_attend(models))) return {};
    const Detection* found = nullptr;
    for (const Detection& d : last.found)
        if (d.box.contains(point) && (!found || d.box.area() < found->box.area())) found = &d;
    if (!found) return {};
    return found->query;
}

// A box under the pointer takes the place of the patch there.
void look_from_box(Looker& looker, const Models& models, const LastResult& last) {
    const std::optional<uint32_t> query = query_of_box(models, last, looker.point);
    if (query) {
        looker.token = Token::query;
        looker.query = *query;
    } else if (!patches_attend(models)) {
        looker.token = Token::none;
    }
}

Looker patch_under(const MapWish& wish, const Models& models) {
    const Target& target = wish.target;
    Looker looker;
    if (!models.detector && !models.classifier) return looker;
    looker.of_detector =
        models.detector && (wish.model == MapModel::detector || !models.classifier);
    looker.token = Token::patch;
    looker.point = target.held ? *target.held : target.point.value_or(glm::vec2());
    return looker;
}

// The token of an overview, which needs no pointer.
void look_without_pointer(Looker& looker, const LastResult& last) {
    looker.token = Token::none;
    if (!looker.of_detector) {
        looker.token = Token::class_token;
    } else if (!last.found.empty()) {
        looker.token = Token::query;
        looker.query = last.found.front().query;
    }
}

}  // namespace

Looker choose_looker(const MapWish& wish, const Models& models, const LastResult& last) {
    const Target& target = wish.target;
    Looker looker;
    const std::vector<CaptionWord>& words = last.caption.words;
    if (target.word && models.captioner && *target.word < words.size()) {
        looker.token = Token::word;
        looker.first_id = words[*target.word].first;
        looker.ids = words[*target.word].count;
        return looker;
    }
    if (target.phrase) return looker_of(*target.phrase, models);
    if (target.query && models.detector && *target.query < models.detector->model().queries()) {
        looker.token = Token::query;
        looker.query = *target.query;
        return looker;
    }
    looker = patch_under(wish, models);
    if (looker.token == Token::none) return looker;
    const bool points = target.held || target.point;
    const Looker at = looker_at_features(looker, wish.mode, models);
    if (at.token == Token::everywhere || (wish.mode == AttentionMode::similarity && points))
        return at;
    if (points) {
        if (looker.of_detector && (!target.held || !patches_attend(models)))
            look_from_box(looker, models, last);
    } else if (wish.overview) {
        look_without_pointer(looker, last);
    } else {
        looker.token = Token::none;
    }
    return looker;
}

MapChoices choices_of(const MapWish& wish, const AttentionState& attention, const Models& models,
                      const LastResult& last) {
    Looker looker = choose_looker(wish, models, last);
    if (looker.token == Token::none) looker = patch_under(wish, models);
    return {layers_of(looker, models), heads_of(looker, attention, models)};
}

MapModel richest(const Models& models) {
    const uint32_t detector = models.detector ? models.detector->model().encoder_layers() : 0;
    const uint32_t classifier = models.classifier ? models.classifier->model().layers() : 0;
    return classifier > detector ? MapModel::classifier : MapModel::detector;
}

DetectionFilter filter_of(const Wishes& wishes, const Models& models) {
    const Wishes::Filter& wanted = wishes.look.filter;
    DetectionFilter filter;
    filter.most = wanted.most;
    if (wanted.threshold) filter.threshold = *wanted.threshold;
    if (!models.detector) return filter;
    if (!wanted.threshold) filter.threshold = models.detector->sure_above();
    const std::vector<std::string>& labels = models.detector->labels();
    if (models.detector->phrases()) set_thresholds(filter, *models.detector, wanted.least_scores);
    if (wanted.only.empty()) return filter;
    for (uint32_t id = 0; id < labels.size(); ++id)
        if (wanted.only.contains(labels[id])) filter.classes.insert(id);
    // A filter without classes would let all of them through.
    if (filter.classes.empty()) filter.classes.insert(UINT32_MAX);
    return filter;
}

namespace {

// How a frame or its second view is drawn.
template <typename Order>
void draw_for(Order& order, const Wishes& wishes, const Target& target, const Models& models) {
    const Wishes::Look& look = wishes.look;
    // Tiles have no room for what lies over a whole frame.
    const bool tiled = order.shows_attention() && order.attention.mode == AttentionMode::grid &&
                       heads_of(order.looker, order.attention, models) > 1;
    order.truth = look.truth && !tiled;
    OverlaySettings& overlay = order.overlay;
    overlay.boxes = look.boxes && !tiled;
    overlay.filter = filter_of(wishes, models);
    overlay.filter.masks = wishes.remote.outlines;
    overlay.selected_query = target.query;
    if (order.shows_attention() && order.looker.token == Token::query)
        overlay.selected_query = order.looker.query;
    overlay.classes = look.classes && !look.classes_beside && !tiled;
    overlay.caption = look.caption;
    overlay.opacity = order.attention.blend;
    overlay.mass = order.attention.mass;
    overlay.scale = order.attention.fixed_scale                               ? HeatScale::fixed
                    : shows_similarity(order.looker, order.attention, models) ? HeatScale::min_max
                                                                              : HeatScale::max;
}

}  // namespace

FrameOrder order_of(const Wishes& wishes, const Target& target, const Models& models,
                    const LastResult& last) {
    const Wishes::Look& look = wishes.look;
    FrameOrder order;
    order.attention = look.attention;
    order.looker =
        choose_looker({target, look.model, look.attention.mode, look.overview}, models, last);
    order.read_back.planes = wishes.remote.planes;
    bool word_looked_at = order.looker.token == Token::word;
    for (const RemoteLook& remote : wishes.remote.looks) {
        const MapWish wish{remote.target, remote.model, remote.attention.mode, true};
        order.maps.push_back({remote.attention, choose_looker(wish, models, last), remote.viewer,
                              remote.track, remote.version, remote.due});
        word_looked_at = word_looked_at || order.maps.back().looker.token == Token::word;
    }
    // The caption stays while a word of it is the target.
    order.caption = {
        .begin = !word_looked_at, .to_end = false, .words = words_at_once, .lit = target.word};
    draw_for(order, wishes, target, models);
    order.overlay.covered = {look.legends[0], look.invitation};
    if (look.second.kind == SecondView::Kind::off) return order;
    SecondOrder& second = order.second.emplace();
    second.bare = look.second.kind == SecondView::Kind::bare;
    second.attention = look.second.attention;
    // One strength, share and scale for both, so that they can be compared.
    second.attention.blend = look.attention.blend;
    second.attention.mass = look.attention.mass;
    second.attention.fixed_scale = look.attention.fixed_scale;
    second.looker = choose_looker(
        {target, look.second.model, look.second.attention.mode, look.overview}, models, last);
    draw_for(second, wishes, target, models);
    second.overlay.covered = {look.legends[1]};
    return order;
}

DrawnFor drawn_for(const Wishes& wishes, const Target& target) {
    DrawnFor drawn{wishes.look, wishes.remote, wishes.frozen, wishes.recording, target};
    const bool maps = wishes.look.attention.mode != AttentionMode::off ||
                      wishes.look.second.kind == SecondView::Kind::maps;
    if (!maps) drawn.target.point.reset();  // the mouse moves over a picture without maps
    return drawn;
}

}  // namespace saccade
