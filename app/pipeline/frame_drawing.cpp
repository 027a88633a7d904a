#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "app/draw/point_marks.h"
#include "app/draw/track_marks.h"
#include "app/io/clock.h"
#include "app/pipeline/frame_path.h"

// What is drawn: onto a frame itself, and onto the picture of it that a window shows, which may
// have a second view of the frame.

namespace saccade {

Overlay& FramePath::made(std::optional<Overlay>& overlay, Size image) {
    if (overlay) return *overlay;
    return overlay.emplace(engine_.device(), OverlaySize(size_, image),
                           OverlayLabels{labels().detector, labels().classifier},
                           static_cast<uint32_t>(lanes_.size()));
}

OverlayInput FramePath::drawn_from(const LaneDrawing& drawing, const AttentionView* maps,
                                   const Looker& looker) const {
    OverlayInput input;
    if (drawing.detected) {
        const Findings& findings = drawing.detected->findings;
        input.found = findings.found();
        input.masks = {findings.masks(), findings.masked(), findings.mask_size()};
    }
    if (drawing.classified) input.classes = drawing.classified->ranking.on_device();
    if (maps) {
        input.maps = maps->maps();
        input.geometry = maps->geometry();
        input.coloured = maps->coloured();
        input.map_names = maps->names(models_, looker);
    }
    input.points = maps || drawing.points;
    return input;
}

const DetectionTaps& FramePath::taps_of(const FrameLane& lane) const {
    const FrameLane* const seen = lane.drawing ? lane.drawing->detected : nullptr;
    return (seen ? seen : &lane)->group->detection_taps;
}

bool FramePath::shows_points(const FrameLane& lane) const {
    const FrameOrder& order = lane.order;
    auto samples = [&](const auto& view) {
        return sampled_layer(models_, taps_of(lane), view.looker, view.attention) != nullptr;
    };
    return (order.shows_attention() && samples(order)) ||
           (order.compares_attention() && samples(*order.second)) ||
           std::ranges::any_of(order.maps,
                               [&](const MapOrder& map) { return map.computed() && samples(map); });
}

std::vector<SampledPoint> FramePath::points_for(const FrameLane& lane, PointView& view,
                                                const Looker& looker,
                                                const AttentionState& attention) const {
    const AttentionLayer* const layer = sampled_layer(models_, taps_of(lane), looker, attention);
    return layer ? view.read(*layer, models_, looker, attention) : std::vector<SampledPoint>();
}

Marks FramePath::marks_for(const FrameLane& lane) const {
    const FrameOrder& order = lane.order;
    if (!order.overlay.boxes || !lane.has_detections) return {};
    const std::optional<uint32_t> selected = order.overlay.selected_query;
    const FrameResult* const tracked = lane.tracked ? &*lane.tracked
                                       : tracked_   ? &*tracked_
                                                    : nullptr;
    if (order.tracker && tracked)
        return marks_of(*tracked, *order.tracker, labels().detector, selected);
    return marks_of(
        lane.own_detections ? lane.findings.detections(order.overlay.filter) : detections_,
        labels().detector, selected);
}

uint32_t FramePath::sure_classes(const FrameLane& lane) const {
    engine_.device().wait(lane.group->seen, "models");
    const auto likely = lane.ranking.top(lane.order.overlay.most_classes);
    return static_cast<uint32_t>(std::ranges::count_if(likely, [&](const ClassScore& one) {
        return one.score >= models_.classifier->sure_above();
    }));
}

float freshness(const SourceName& source, std::chrono::steady_clock::time_point seen,
                const FrameInfo& now) {
    if (source != now.source) return 0;
    const double age = std::chrono::duration<double>(now.captured - seen).count();
    // In steps of 1/8: each step means another set of colours.
    return static_cast<float>(std::round(8 * std::clamp(1 - (age - 1) / 4, 0.0, 1.0)) / 8);
}

void FramePath::set_freshness(const FrameLane& lane, OverlaySettings& settings) const {
    const FrameInfo& now = lane.taken->info();
    if (lane.drawing->detected && lane.drawing->detected != &lane)
        settings.boxes_freshness = freshness(detected_in_, detected_at_, now);
    if (!lane.order.caption.to_end && !captions_.caption().words.empty())
        settings.caption_freshness =
            freshness(captions_.frame().source, captions_.frame().captured, now);
}

// A question stays on screen above its answers.
std::vector<Note> FramePath::notes_for(const FrameOrder& order) const {
    if (!models_.captioner || !order.overlay.caption || !models_.captioner->is_asked()) return {};
    return {{models_.captioner->question(), {0.5f, 1}}};
}

std::optional<MapLegend> FramePath::legend_for(const FrameLane& lane) const {
    if (lane.order.effects) return MapLegend{lane.order.effects->lines, false};
    // Tiles show their own names.
    if (!lane.heat || lane.attention.tiled()) return {};
    const Looker& looker = lane.order.looker;
    const AttentionSeen seen = lane.attention.recorded(models_, looker, lane.order.attention);
    MapLegend legend{{shortly(seen)}, !seen.coloured};
    if (looker.token == Looker::Token::phrase && looker.phrase < phrases_of(looker, models_).size())
        legend.lines.push_back("\"" + phrases_of(looker, models_)[looker.phrase] + "\"");
    // If `decide` chose the looker, the findings of this frame are on the host already.
    if (looker.token == Looker::Token::query && lane.own_detections && lane.order.decide)
        for (const Detection& one : lane.findings.detections(lane.order.overlay.filter))
            if (one.query == looker.query)
                legend.lines.push_back("from \"" + labels().detector.at(one.id) + "\"");
    if (looker.token == Looker::Token::word && lane.caption)
        for (const CaptionWord& word : lane.caption->words)
            if (word.first == looker.first_id) legend.lines.push_back("from \"" + word.text + "\"");
    return legend;
}

void FramePath::record_drawing(FrameLane& lane, const LaneDrawing& drawing) {
    lane.drawing.reset();  // what follows may throw half-way
    const Image& frame = lane.memory->image();
    Commands& c = lane.draw_commands();
    c.begin();
    // The second view comes first: it needs the frame before anything is drawn onto it.
    if (drawing.second != LaneDrawing::Second::none) record_second(c, lane, drawing);
    {
        auto scope = c.scope("draw");
        const OverlayInput input =
            drawn_from(drawing, drawing.maps ? &lane.attention : nullptr, lane.order.looker);
        if (drawing.window) {
            const Size view = drawing.window->view;
            letterbox(c, window_->first, frame, {0, 0, view.x, view.y});
            made(window_->first_overlay, view).record(c, window_->first, input, lane.index);
        }
        if (drawing.on_frame) made(overlay_, size_).record(c, frame, input, lane.index);
    }
    record_readback(c, lane, drawing.read_back);
    c.end();
    lane.drawing = drawing;
}

void FramePath::record_second(Commands& c, FrameLane& lane, const LaneDrawing& drawing) {
    auto scope = c.scope("second view");
    const Size view = drawing.window->view;
    Image& image = window_->second;
    if (!image) image = Image(engine_.device(), "second view", view.x, view.y);
    letterbox(c, image, lane.memory->image(), {0, 0, view.x, view.y});
    if (drawing.second == LaneDrawing::Second::bare) return;
    const bool maps = drawing.second == LaneDrawing::Second::with_maps;
    made(window_->second_overlay, view)
        .record(c, image,
                drawn_from(drawing, maps ? &lane.second->attention : nullptr,
                           lane.order.second->looker),
                lane.index);
}

void FramePath::record_readback(Commands& c, FrameLane& lane, const ReadBack& how) {
    const uint32_t width = size_.x, height = size_.y;
    if (!how.pixels)
        lane.pixels.reset();
    else if (!lane.pixels)
        lane.pixels = std::make_unique<Readback>(engine_.device(), width, height, true);
    if (!how.planes)
        lane.planes.reset();
    else if (!lane.planes)
        lane.planes = std::make_unique<PlanarReadback>(
            engine_.device(), PlaneLayout{width, height, chroma_for(width, height)});
    if (!lane.pixels && !lane.planes) return;
    auto scope = c.scope("readback");
    if (lane.pixels) lane.pixels->record(c, lane.memory->image());
    if (lane.planes) lane.planes->record(c, lane.memory->image());
}

void FramePath::record_attention(FrameLane& lane) {
    // Maps are of the findings that are drawn: of this frame, or of the last that a model has seen.
    const FrameLane* const classified = lane.drawing->classified;
    const MapTaps taps{taps_of(lane), (classified ? classified : &lane)->group->classification_tap,
                       detection_colours_, classification_colours_};
    const FrameOrder& order = lane.order;
    if (order.colours_anew) {
        detection_colours_.begin_anew();
        classification_colours_.begin_anew();
    }
    Commands& c = lane.attention_commands();
    c.begin();
    if (lane.heat || lane.second_heat) {
        auto scope = c.scope("attention");
        if (lane.heat) lane.attention.record(c, models_, taps, order.looker, order.attention);
        if (lane.second_heat)
            lane.second->attention.record(c, models_, taps, order.second->looker,
                                          order.second->attention);
    }
    for (size_t i = 0; i < order.maps.size(); ++i) {
        const MapOrder& wanted = order.maps[i];
        if (!wanted.computed()) continue;
        const auto begin = std::chrono::steady_clock::now();
        LaneMap& map = *lane.maps[i];
        {
            auto scope = c.scope("map");  // each is timed by itself
            map.view.record(c, models_, taps, wanted.looker, wanted.attention);
            map.download.record(c, map.view.maps());
        }
        map.record_ms = ms_since(begin);
    }
    c.end();
}

void FramePath::draw(FrameLane& lane) {
    const FrameOrder& order = lane.order;
    lane.heat = order.shows_attention();
    lane.second_heat = order.compares_attention();
    const bool attention = lane.heat || lane.second_heat || order.maps_attention();
    if (attention) record_attention(lane);
    draw_first(lane);
    if (lane.second) draw_second(lane);
    for (size_t i = 0; i < order.maps.size(); ++i)
        if (order.maps[i].computed())
            lane.maps[i]->sampled = points_for(lane, lane.maps[i]->points, order.maps[i].looker,
                                               order.maps[i].attention);
    lane.ticket = submit_in_order(std::span(lane.drawn).last(attention ? 2 : 1));
    if (!order.window) return;
    window_->drawn = true;
    if (!order.window->tile) send(lane);
}

void FramePath::draw_first(FrameLane& lane) {
    const FrameOrder& order = lane.order;
    OverlaySettings settings = order.overlay;
    settings.heat = lane.heat || order.effects;
    Marks below;
    if (lane.heat)
        below.dots = dots_of(points_for(lane, lane.points, order.looker, order.attention));
    if (order.effects) below.patches = patches_of(*order.effects, double(settings.opacity));
    auto use = [&](Overlay& overlay, const OverlaySettings& chosen) {
        set_texts(lane, overlay, chosen, order.truth, below);
        lane.words = overlay.caption_places();
        if (lane.heat && lane.attention.tiled())
            lane.tiles = overlay.tiles(lane.attention.maps().batch);
    };
    if (lane.drawing->on_frame) {
        // A window draws its own, larger legend.
        OverlaySettings of_frame = settings;
        of_frame.covered = {};
        overlay_->set_legend(legend_for(lane));
        use(*overlay_, of_frame);
    }
    // Last, because words and tiles are pointed at where the window shows them.
    if (lane.drawing->window) use(*window_->first_overlay, settings);
}

void FramePath::draw_second(FrameLane& lane) {
    const SecondOrder& order = *lane.order.second;
    LaneSecond& second = *lane.second;
    second.tiles.reset();
    if (order.bare) return;
    OverlaySettings settings = order.overlay;
    settings.heat = lane.second_heat;
    Marks below;
    if (lane.second_heat)
        below.dots = dots_of(points_for(lane, second.points, order.looker, order.attention));
    if (order.effects) below.patches = patches_of(*order.effects, double(settings.opacity));
    Overlay& overlay = *window_->second_overlay;
    set_texts(lane, overlay, settings, order.truth, below);
    if (lane.second_heat && second.attention.tiled())
        second.tiles = overlay.tiles(second.attention.maps().batch);
}

void FramePath::send(FrameLane& lane) {
    const WindowOrder& window = *lane.order.window;
    const PictureRing::Part parts[] = {{&window_->first, {}},
                                       {&window_->second, window.second_corner}};
    lane.sent = pictures_->send(window.all, std::span(parts).first(lane.second ? 2 : 1));
    lane.ticket = lane.sent.ticket();
}

void FramePath::set_texts(FrameLane& lane, Overlay& overlay, const OverlaySettings& settings,
                          bool truth, const Marks& below) {
    const FrameOrder& order = lane.order;
    const Caption* caption = lane.caption ? &*lane.caption : nullptr;
    if (!order.caption.to_end) caption = &captions_.caption();
    std::vector<ShownWord> words;
    if (caption)
        for (const CaptionWord& word : caption->words)
            words.push_back({word.text, static_cast<float>(word.p)});
    std::optional<size_t> lit = order.caption.lit;
    if (!lit && captions_.writing() && !order.caption.to_end && !words.empty())
        lit = words.size() - 1;
    overlay.settings = settings;
    set_freshness(lane, overlay.settings);
    if (models_.classifier && settings.classes && settings.only_sure && lane.own_classes)
        overlay.settings.most_classes = sure_classes(lane);
    overlay.set_caption(words, lit);
    overlay.set_notes(notes_for(order));
    const bool marked = marks_boxes(order);
    if (marked) overlay.settings.boxes = false;
    Marks marks = marked && settings.boxes ? marks_for(lane) : Marks();
    marks.patches = below.patches;
    marks.dots.insert(marks.dots.begin(), below.dots.begin(), below.dots.end());
    overlay.set_marks(std::move(marks));
    overlay.settings.masks = settings.boxes && settings.masks;
    overlay.set_truth(truth ? lane.taken->info().truth : std::nullopt);
    overlay.update(lane.index);
}

// ---- the second view

bool FramePath::plan_second(FrameLane& lane, LaneDrawing& drawing) {
    using Second = LaneDrawing::Second;
    const std::optional<SecondOrder>& order = lane.order.second;
    if (!order || !drawing.window) {
        lane.second.reset();
        return false;
    }
    if (!lane.second) lane.second = std::make_unique<LaneSecond>(engine_);
    drawing.second = order->bare                ? Second::bare
                     : order->shows_attention() ? Second::with_maps
                                                : Second::drawn;
    return drawing.second == Second::with_maps &&
           lane.second->attention.prepare(models_, order->looker, order->attention);
}

void FramePath::read_second(const FrameLane& lane, Done& done) const {
    const SecondOrder& order = *lane.order.second;
    SecondSeen& seen = done.second.emplace();
    seen.bare = order.bare;
    seen.below = lane.order.window->second_corner.y > 0;
    seen.tiles = lane.second->tiles;
    if (lane.second_heat)
        seen.attention = lane.second->attention.seen(models_, order.looker, order.attention);
    else if (order.effects)
        seen.attention = seen_of(*order.effects, order.looker);
}

}  // namespace saccade
