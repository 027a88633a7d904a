#include "app/pipeline/frame_path.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "app/frame/slots.h"
#include "app/pipeline/paths_together.h"
#include "gpu/core/error.h"

namespace saccade {

namespace {

// How many frames the models see in one run. A small picture does not fill a GPU, so several go in,
// as far as memory allows; software Vulkan is busy with one.
uint32_t frames_at_once(const DeviceInfo& device) {
    constexpr uint64_t gib = uint64_t{1} << 30;
    if (device.kind == DeviceKind::cpu || device.memory_bytes < 4 * gib) return 1;
    return device.memory_bytes < 12 * gib ? 2 : 4;
}

}  // namespace

FramePathOptions path_for_files(const DeviceInfo& device, const Models& models,
                                const FrameOrder& order) {
    FramePathOptions options;
    // Attention is shown of one frame at a time.
    options.at_once = order.shows_attention() || order.attention.mode == AttentionMode::cause
                          ? 1
                          : frames_at_once(device);
    if (models.captioner)
        options.at_once = std::min(options.at_once, models.captioner->most_together());
    // While the host reads one group, the device runs the models on another, and draws a third once
    // the host knows its results.
    options.groups_in_flight = 3;
    // More are gathered or decoded; of single frames, two are being written to files.
    options.groups = options.groups_in_flight + (options.at_once == 1 ? 4 : 2);
    return options;
}

FramePath::FramePath(Engine& engine, const FramePathOptions& options, PathsTogether* together)
    : engine_(engine),
      options_(options),
      together_(together),
      ring_(options.groups * options.at_once,
            [this](size_t slot, const PixelLayout& layout) { return make_slot(slot, layout); }),
      detection_colours_(engine.device()),
      classification_colours_(engine.device()) {
    for (size_t i = 0; i < options.groups; ++i) {
        std::vector<FrameLane*> members;
        for (size_t j = 0; j < options.at_once; ++j) {
            lanes_.push_back(
                std::make_unique<FrameLane>(engine, static_cast<uint32_t>(lanes_.size())));
            members.push_back(lanes_.back().get());
        }
        groups_.push_back(std::make_unique<LaneGroup>(engine, std::move(members)));
    }
    if (together_) together_->add(*this);
}

FramePath::~FramePath() {
    drop();
    if (!together_) return;
    try {
        together_->wait_for_tiles();
    } catch (const std::exception&) {
        // The device is lost: nothing is in use any more.
    }
    together_->record_anew();
    together_->remove(*this);
}

Slot FramePath::make_slot(size_t slot, const PixelLayout& layout) {
    FrameLane& lane = *lanes_.at(slot);
    if (!lane.memory || lane.memory->layout() != layout) {
        lane.fresh = true;
        lane.memory.reset();
        lane.memory = std::make_unique<Frame>(engine_.device(), layout);
    }
    return slot_of(*lane.memory);
}

void FramePath::use(const Models& models) {
    drop();
    if (models.detector != models_.detector) empty_ = {};
    models_ = models;
    labels_ = std::make_shared<ResultLabels>(
        models.detector ? models.detector->labels() : std::vector<std::string>(),
        models.classifier ? models.classifier->labels() : std::vector<std::string>());
    detection_colours_.begin_anew();
    classification_colours_.begin_anew();
    captions_.use(models.captioner);
    for (const std::unique_ptr<LaneGroup>& group : groups_) group->pictures = {};
    if (models.captioner) {
        models.captioner->keep_off(
            heads_of_text_decoder(heads_off_, models.captioner->model().encoder_layers()));
        if (models.captioner->together() != options_.at_once)
            models.captioner->take_together(options_.at_once);
        for (const std::unique_ptr<LaneGroup>& group : groups_)
            group->pictures = models.captioner->make_group();
    }
    for (const std::unique_ptr<FrameLane>& lane : lanes_) {
        lane->findings = {};  // as many as the old model had queries
        lane->ranking = {};
        lane->own_detections = lane->own_classes = false;
        lane->tracked.reset();
    }
    size_ = {};  // the next frame prepares the models for its size
    record_anew();
}

void FramePath::switch_off(const HeadsOff& heads) {
    heads_off_ = heads;
    for (const std::unique_ptr<LaneGroup>& group : groups_) group->heads.want(heads);
    record_anew();
}

void FramePath::record_anew() {
    for (const std::unique_ptr<LaneGroup>& group : groups_) group->forget_recording();
    for (const std::unique_ptr<FrameLane>& lane : lanes_) lane->drawing.reset();
    if (together_) together_->record_anew();
}

bool FramePath::has_room_for(const TakenFrame& frame) const {
    return empty() || (in_flight() < options_.groups_in_flight * options_.at_once &&
                       frame.info().size == size_);
}

void FramePath::prepare(Size size) {
    if (!empty()) throw Error("frames of another size are still on their way");
    size_ = {};  // what follows may throw half-way
    record_anew();
    prepare_models(size);
    overlay_.reset();
    if (together_) together_->wait_for_tiles();
    window_.reset();
    // Readbacks stay: finished frames may still be read from them.
    size_ = size;
}

void FramePath::prepare_models(Size size) {
    if (models_.detector) models_.detector->prepare(size, options_.within);
    if (models_.classifier) models_.classifier->prepare(size);
    if (models_.captioner && models_.captioner->prepare(size))
        for (const std::unique_ptr<LaneGroup>& group : groups_)
            group->pictures =
                models_.captioner->make_group();  // of as many tokens as this size has
}

void FramePath::come_to_rest() {
    for (FrameLane* lane : on_their_way_) {
        if (!lane->concluded) conclude(*lane);
        engine_.device().wait(lane->ticket, "a frame");
    }
}

void FramePath::prepare_again() {
    if (together_) together_->make_ready(*this, size_);
}

// For a new size of the window, frames in flight are drawn at the old size first.
void FramePath::prepare_window(const WindowOrder& window) {
    if (window_ && window_->size == window) return;
    come_to_rest();
    if (together_) together_->wait_for_tiles();
    for (const std::unique_ptr<FrameLane>& lane : lanes_) lane->drawing.reset();
    window_.reset();
    const Size view = window.view;
    WindowDrawing& made = window_.emplace();
    made.first = Image(engine_.device(), "view", view.x, view.y);
    made.size = window;
}

std::optional<PictureRing::Part> FramePath::tile_of(Size all) const {
    if (!window_ || !window_->drawn || !window_->size.tile || window_->size.all != all) return {};
    return PictureRing::Part{&window_->first, window_->size.corner};
}

void FramePath::begin(TakenFrame frame, FrameOrder& order, bool repeated) {
    FrameLane& lane = take(std::move(frame), order, repeated);
    gathered_.push_back(&lane);
    if (&lane == lane.group->lanes.back()) submit_gathered();
}

FrameLane& FramePath::take(TakenFrame frame, FrameOrder& order, bool repeated) {
    FrameLane& lane = *lanes_.at(frame.slot());
    const Size size = frame.info().size;
    if (together_) together_->make_ready(*this, size);
    if (size != size_) prepare(size);
    if (!pictures_) order.window.reset();
    if (order.window) prepare_window(*order.window);
    // After frames that were left out, slots go on in another group.
    if (!gathered_.empty() && gathered_.front()->group != lane.group) submit_gathered();
    const uint64_t scene = frame.info().scene;
    if (std::exchange(scene_, scene) != scene) forget_scene();
    lane.memory->flush();
    lane.taken = std::move(frame);
    lane.order = std::move(order);
    lane.repeated = repeated;
    lane.first_look = lane.order.models && (!repeated || lane.awaits_models);
    lane.awaits_models = !lane.order.models && (!repeated || lane.awaits_models);
    lane.heat = lane.second_heat = false;
    if (!repeated) lane.tracked.reset();
    // What the models have kept for maps is in the group that they have run with.
    if (!repeated || lane.group != lane.home) lane.own_detections = lane.own_classes = false;
    lane.group = lane.home;
    return lane;
}

void FramePath::forget_scene() {
    // Frames of the last scene still refer to its caption.
    for (FrameLane* lane : on_their_way_)
        if (!lane->concluded) conclude(*lane);
    captions_.stop();
    for (FrameLane* lane : on_their_way_) lane->words_asked = false;
    detections_.clear();
    classes_.clear();
    detected_ = classified_ = nullptr;
    tracked_.reset();
}

void FramePath::submit_gathered() {
    const std::vector<FrameLane*> lanes = std::exchange(gathered_, {});
    LaneGroup& group = *lanes.front()->group;
    try {
        plan(group, lanes);
        group.submit();
        for (FrameLane* lane : lanes) was_submitted(*lane);
        group.have_run();
        for (FrameLane* lane : lanes)
            if (!needs_answers(*lane)) conclude(*lane);
    } catch (...) {
        for (FrameLane* lane : lanes) drop(*lane);
        throw;
    }
    on_their_way_.insert(on_their_way_.end(), lanes.begin(), lanes.end());
    // The device is busy with this group, so the host can wait for the results of those before.
    conclude_before(group);
    if (models_.captioner && lanes.front()->order.caption.to_end) begin_captions(group);
}

void FramePath::was_submitted(FrameLane& lane) {
    const LaneGroup& group = *lane.group;
    lane.ticket = group.seen;
    if (group.detected) {
        detected_ = &lane;
        detected_in_ = lane.taken->info().source;
        detected_at_ = lane.taken->info().captured;
    }
    if (group.classified) classified_ = &lane;
    lane.own_detections = lane.own_detections || group.detected;
    lane.own_classes = lane.own_classes || group.classified;
}

bool FramePath::needs_answers(const FrameLane& lane) const {
    // Frames of files can wait until the host knows which classes are to be drawn.
    const bool classes = models_.classifier && lane.order.overlay.classes &&
                         lane.order.overlay.only_sure && lane.order.draw;
    return (models_.captioner && lane.order.caption.to_end) || lane.order.decide ||
           lane.order.explain || marks_boxes(lane.order) || classes || shows_points(lane);
}

bool FramePath::marks_boxes(const FrameOrder& order) const {
    return order.tracker || (models_.detector && order.draw && order.overlay.boxes &&
                             !order.overlay.filter.is_plain());
}

// Viewers of a page look at different layers, and change them often. A layer stays kept for a
// while, because every other set of layers means recording the models again.
KeptLayers FramePath::kept_for_maps(const FrameOrder& order) {
    constexpr size_t spare = 4;  // layers that are not looked at now
    KeptLayers needed;
    if (order.shows_attention()) needed = kept_for(order.looker, order.attention, models_);
    if (order.compares_attention())
        needed.add(kept_for(order.second->looker, order.second->attention, models_));
    if (!order.draw || order.maps.empty()) {
        kept_ = {};
        return needed;
    }
    for (const MapOrder& map : order.maps) needed.add(kept_for(map.looker, map.attention, models_));
    kept_.add(needed);
    if (kept_.count() > needed.count() + spare) kept_ = needed;
    return kept_;
}

void FramePath::plan(LaneGroup& group, const std::vector<FrameLane*>& lanes) {
    const FrameLane& first = *lanes.front();
    const FrameOrder& order = first.order;
    KeptLayers kept = kept_for_maps(order);
    kept.queries = kept.queries || (order.tracker && models_.detector);
    std::vector<const Image*> images(group.lanes.size());
    bool same = true;
    for (FrameLane* lane : lanes) {
        images[lane->index % options_.at_once] = &lane->memory->image();
        same = same && !lane->fresh;
    }
    same = same && images == group.images;

    // Whether a model has to see this frame: because that is asked for, or because there are no
    // findings that can be drawn instead.
    auto due = [&](bool asked, bool own, const FrameLane* last, bool LaneGroup::*has) {
        if (own && same && group.kept == kept) return false;
        return asked || !last || !(last->group->*has) || last->group->kept != kept ||
               (!same && last->group == &group);
    };
    group.detected = models_.detector && order.models &&
                     due(order.detect, first.own_detections, detected_, &LaneGroup::has_detections);
    group.classified = models_.classifier && order.models &&
                       due(order.classify, first.own_classes, classified_, &LaneGroup::has_classes);
    if ((group.detected || group.classified) && group.kept != kept) {
        // Maps of frames in flight may still read what this group has kept.
        for (const FrameLane* other : on_their_way_) engine_.device().wait(other->ticket, "a look");
        group.keep(kept);
        same = false;
    }
    if (!same) {
        group.record(models_, std::move(images));
        if (together_) together_->count_recording();
    }
    group.begin(lanes.size());
    for (FrameLane* lane : lanes) plan_lane(*lane);
}

void FramePath::plan_lane(FrameLane& lane) {
    const LaneGroup& group = *lane.group;
    lane.has_detections = models_.detector && (group.detected || lane.own_detections || detected_);
    lane.has_classes = models_.classifier && (group.classified || lane.own_classes || classified_);
    plan_drawing(lane);
}

void FramePath::plan_drawing(FrameLane& lane) {
    if (lane.fresh) {
        lane.drawing.reset();
        lane.pixels.reset();
        lane.planes.reset();
        lane.fresh = false;
    }
    if (!lane.order.draw) return;
    const LaneGroup& group = *lane.group;
    LaneDrawing drawing;
    if (models_.detector)
        drawing.detected = group.detected || lane.own_detections ? &lane : detected_;
    if (models_.classifier)
        drawing.classified = group.classified || lane.own_classes ? &lane : classified_;
    drawing.maps = lane.order.shows_attention();
    drawing.points = drawing.maps || lane.order.tracker || lane.order.effects ||
                     lane.order.explain || (lane.order.second && lane.order.second->effects);
    drawing.on_frame = lane.order.draws_on_frame();
    drawing.read_back = lane.order.read_back;
    drawing.window = lane.order.window;
    const bool new_maps =
        drawing.maps && lane.attention.prepare(models_, lane.order.looker, lane.order.attention);
    const bool new_second = plan_second(lane, drawing);
    if (new_maps || new_second || lane.drawing != drawing) record_drawing(lane, drawing);
    while (lane.maps.size() < lane.order.maps.size())
        lane.maps.push_back(std::make_unique<LaneMap>(engine_));
    for (size_t i = 0; i < lane.order.maps.size(); ++i) {
        const MapOrder& map = lane.order.maps[i];
        if (map.computed()) lane.maps[i]->view.prepare(models_, map.looker, map.attention);
    }
}

void FramePath::conclude_before(const LaneGroup& group) {
    for (FrameLane* lane : on_their_way_) {
        if (lane->group == &group) break;
        if (!lane->concluded) conclude(*lane);
    }
}

void FramePath::conclude(FrameLane& lane) {
    prepare_again();
    FrameOrder& order = lane.order;
    if (models_.captioner && order.caption.to_end) {
        if (lane.group->captions.empty()) write_to_end(*lane.group, order.caption.words);
        lane.caption = lane.group->captions.at(lane.index % options_.at_once);
    } else {
        if (captions_.can_begin() && order.caption.begin) begin_captions(*lane.group);
        lane.words_asked = captions_.ask(order.caption.words);
    }
    if (order.decide || order.explain || marks_boxes(order) || shows_points(lane))
        engine_.device().wait(lane.group->seen, "models");
    if (order.tracker && models_.detector && lane.own_detections) track(lane);
    if (order.decide || order.explain) {
        FrameResult known = known_of(lane);
        if (order.decide) order.decide(order, known);
        if (order.explain) {
            order.explain(order, known, picture_of(lane));
            lane.meter = std::move(known.meter);
        }
    }
    if (order.draw) draw(lane);
    lane.concluded = true;
}

FrameResult FramePath::known_of(const FrameLane& lane) const {
    FrameResult known;
    if (lane.tracked)
        known = *lane.tracked;
    else if (models_.detector)
        known.detections = lane.findings.detections(lane.order.overlay.filter);
    known.info = lane.taken->info();
    if (models_.classifier) known.classes = lane.ranking.top(lane.order.overlay.most_classes);
    known.caption = lane.caption;
    return known;
}

MaskedPicture FramePath::picture_of(const FrameLane& lane) const {
    return {lane.memory->image(), [&lane](Commands& c) { lane.memory->record(c); }};
}

// A frame that is repeated is not tracked again.
void FramePath::track(FrameLane& lane) {
    if (!lane.first_look) return;
    FrameTracker& tracker = *lane.order.tracker;
    DetectionFilter filter = lane.order.overlay.filter;
    filter.threshold = std::min(filter.threshold, tracker.weakest());
    FrameResult& result = lane.tracked.emplace();
    result.info = lane.taken->info();
    result.detections = lane.findings.detections(filter);
    const std::vector<float> states = lane.findings.query_states();
    tracker.step(result, states, states.size() / models_.detector->model().queries());
    lane.observed = tracker.observed();
}

void FramePath::begin_captions(LaneGroup& group) {
    const FrameLane* first = nullptr;
    for (const FrameLane* lane : group.lanes)
        if (!first && lane->taken) first = lane;
    group.caption_begun = true;
    const Ticket encoded = captions_.begin(group.encode, group.pictures, first->taken->info());
    for (FrameLane* lane : group.lanes) lane->ticket = encoded;
    if (first->order.caption.to_end) captions_.ask(first->order.caption.words);
}

void FramePath::write_to_end(LaneGroup& group, uint32_t words) {
    if (!group.caption_begun) begin_captions(group);
    do group.words_ms += captions_.read();
    while (captions_.ask(words));
    group.captions = captions_.captions();
}

std::optional<Done> FramePath::poll() {
    if (on_their_way_.empty()) return std::nullopt;
    FrameLane& first = *on_their_way_.front();
    if (!engine_.device().reached(first.ticket)) return std::nullopt;
    if (first.concluded) return finish();
    try {
        conclude(first);  // its answers are there: now it can be drawn
    } catch (...) {
        on_their_way_.pop_front();
        drop(first);
        throw;
    }
    return std::nullopt;
}

Done FramePath::finish() {
    if (on_their_way_.empty() && !gathered_.empty()) submit_gathered();
    if (on_their_way_.empty()) throw Error("no frame is on its way");
    FrameLane& lane = *on_their_way_.front();
    on_their_way_.pop_front();  // whatever happens now, it is not waited for again
    try {
        if (!lane.concluded) conclude(lane);
        engine_.device().wait(lane.ticket, "a frame");
        return read(lane);
    } catch (...) {
        drop(lane);
        throw;
    }
}

Done FramePath::read(FrameLane& lane) {
    const LaneGroup& group = *lane.group;
    for (const std::unique_ptr<Commands>& part : group.models) part->check_finished();
    // The findings of other lanes may be written meanwhile, so those of this lane are copied.
    if (lane.own_detections) {
        detections_ = lane.findings.detections(lane.order.overlay.filter);
        look_for_any(lane);
    }
    if (lane.own_classes) classes_ = lane.ranking.top(lane.order.overlay.most_classes);
    Done done(std::move(*lane.taken));
    done.labels = labels_;
    if (lane.has_detections) done.result.detections = detections_;
    if (lane.tracked) {
        tracked_ = *lane.tracked;
        done.observed = std::move(lane.observed);
    }
    if (lane.order.tracker && lane.has_detections && tracked_) {
        done.result.detections = tracked_->detections;
        done.result.tracks = tracked_->tracks;
        done.result.counts = tracked_->counts;
        // A frame that is repeated has told them before.
        if (lane.tracked) done.result.events = std::exchange(lane.tracked->events, {});
    }
    if (lane.has_classes) done.result.classes = classes_;
    done.result.meter = std::move(lane.meter);
    if (models_.captioner) read_words(lane, done);
    if (done.result.info.decode_ms > 0)
        done.result.ms.emplace_back("decode", done.result.info.decode_ms);
    add_times(lane, done.result.ms);
    done.window = std::move(lane.sent);
    if (lane.order.draw && lane.pixels) done.picture = lane.pixels->picture();
    if (lane.order.draw && lane.planes) done.planes = lane.planes->picture();
    if (lane.order.draw) read_maps(lane, done);
    done.words = std::move(lane.words);
    done.tiles = lane.tiles;
    if (lane.heat)
        done.attention = lane.attention.seen(models_, lane.order.looker, lane.order.attention);
    else if (lane.order.draw && lane.order.effects)
        done.attention = seen_of(*lane.order.effects, lane.order.looker);
    if (lane.order.draw && lane.second) read_second(lane, done);
    done.repeated = lane.repeated;
    done.detected = group.detected;
    done.awaits_models = lane.awaits_models;
    done.first_look = lane.first_look;
    lane.release();
    return done;
}

void FramePath::look_for_any(const FrameLane& lane) {
    const float threshold = lane.order.overlay.filter.threshold;
    if (!empty_.add(lane.findings.best_score(), threshold)) return;
    spdlog::warn(
        "the detector has found nothing above {:.2g} in a hundred frames; if there was something "
        "to see, its weights and its computation may not belong together: 'saccade models verify' "
        "looks at a picture with it",
        threshold / 10);
}

void FramePath::read_words(FrameLane& lane, Done& done) {
    if (lane.order.caption.to_end) {
        done.result.caption = std::move(lane.caption);
        done.captioned = done.result.info;
        done.caption_ended = true;
        return;
    }
    if (lane.words_asked) {
        lane.words_ms = captions_.read();
        done.caption_ended = !captions_.writing();
    }
    done.result.caption = captions_.caption();
    done.captioned = captions_.frame();
}

void FramePath::read_maps(FrameLane& lane, Done& done) const {
    const std::vector<ScopeTime> times = lane.attention_commands().times();
    size_t time = lane.heat || lane.second_heat ? 1 : 0;
    for (size_t i = 0; i < lane.order.maps.size(); ++i) {
        const MapOrder& wanted = lane.order.maps[i];
        if (!wanted.due || wanted.attention.mode == AttentionMode::cause) continue;
        MapOnHost& map = done.maps.emplace_back();
        map.looker = wanted.looker;
        map.whose = wanted.whose;
        map.version = wanted.version;
        if (wanted.looker.token == Looker::Token::none) continue;
        map.ms = lane.maps[i]->record_ms + (time < times.size() ? times[time].ms : 0);
        ++time;
        map.layer = layer_of(wanted.looker, wanted.attention, models_);
        map.layers = layers_of(wanted.looker, models_);
        map.heads = heads_of(wanted.looker, wanted.attention, models_);
        map.similarity = shows_similarity(wanted.looker, wanted.attention, models_);
        map.coloured = lane.maps[i]->view.coloured();
        map.geometry = lane.maps[i]->view.geometry();
        map.window = lane.maps[i]->view.window();
        map.points = lane.maps[i]->sampled;
        map.levels = lane.maps[i]->view.levels();
        map.limited = lane.maps[i]->view.limited();
        map.count = lane.maps[i]->view.maps().batch;
        map.cells = lane.maps[i]->download.floats();
    }
}

void FramePath::add_times(const FrameLane& lane, StageMs& ms) const {
    auto add = [&](const Commands& commands, size_t frames) {
        for (const ScopeTime& time : commands.times())
            ms.emplace_back(time.name, time.ms / double(frames));
    };
    const LaneGroup& group = *lane.group;
    add(*group.models[LaneGroup::upload], group.frames);
    if (group.detected) add(*group.models[LaneGroup::detect], group.frames);
    if (group.classified) add(*group.models[LaneGroup::classify], group.frames);
    if (group.caption_begun || lane.words_asked) {
        const double encode_ms = group.caption_begun ? total_ms(group.encode.times()) : 0;
        ms.emplace_back("captioner",
                        (encode_ms + group.words_ms) / double(group.frames) + lane.words_ms);
    }
    if (!lane.order.draw) return;
    if (lane.heat || lane.second_heat || lane.order.maps_attention())
        ms.emplace_back("attention", total_ms(lane.drawn[0]->times()));
    add(*lane.drawn[1], 1);
}

Example FramePath::example_in(Detector& detector, const TakenFrame& frame, const Rectangle& box,
                              const std::string& label) {
    const FrameLane& lane = *lanes_.at(frame.slot());
    detector.prepare(frame.info().size, options_.within);
    return detector.example_in(
        engine_.scratch(), [&](Commands& c) { lane.memory->record(c); }, lane.memory->image(), box,
        label);
}

void FramePath::drop(FrameLane& lane) noexcept {
    try {
        const uint64_t last = std::max(lane.ticket.value, lane.group->seen.value);
        engine_.device().wait({last}, "a frame that is dropped");
    } catch (const std::exception&) {
        // The device is lost: nothing of the frame is in use any more.
    }
    if (lane.words_asked || (lane.group->caption_begun && lane.group->captions.empty())) {
        captions_.stop();
        lane.group->caption_begun = false;
    }
    lane.own_detections = lane.own_classes = false;
    if (detected_ == &lane) detected_ = nullptr;
    if (classified_ == &lane) classified_ = nullptr;
    lane.release();
}

void FramePath::drop() noexcept {
    for (FrameLane* lane : gathered_) lane->release();
    gathered_.clear();
    for (FrameLane* lane : on_their_way_) drop(*lane);
    on_their_way_.clear();
    captions_.stop();
    detected_ = classified_ = nullptr;
    detections_.clear();
    classes_.clear();
    tracked_.reset();
}

void pump(FramePath& path, const FrameOrder& order,
          const std::function<std::optional<TakenFrame>()>& next,
          const std::function<void(Done)>& use) {
    path.drop();
    while (std::optional<TakenFrame> frame = next()) {
        while (!path.has_room_for(*frame)) use(path.finish());
        path.begin(std::move(*frame), order);
    }
    while (!path.empty()) use(path.finish());
}

}  // namespace saccade
