#include "app/live_frames.h"

#include <algorithm>
#include <utility>

namespace saccade {

namespace {

constexpr uint32_t words_at_once = 4;

}  // namespace

LiveFrames::Lane::Lane(Engine& engine, uint32_t number, const LiveModels& models)
    : index(number),
      upload(engine.device(), engine.scratch(), "upload"),
      detect(engine.device(), engine.scratch(), "detect"),
      classify(engine.device(), engine.scratch(), "classify"),
      encode(engine.device(), engine.scratch(), "encode"),
      draw(engine.device(), engine.scratch(), "draw"),
      attention(engine, models) {}

LiveFrames::LiveFrames(Engine& engine) : engine_(engine), memory_(slots) {
    for (uint32_t i = 0; i < slots; ++i)
        lanes_.push_back(std::make_unique<Lane>(engine, i, models_));
}

LiveFrames::~LiveFrames() {
    try {
        clear();
    } catch (const std::exception&) {
        // Whoever could still be told has been: the device is lost.
    }
}

MakeSlot LiveFrames::make_slot() {
    return [this](size_t slot, ImageSize size) {
        Memory& memory = memory_.at(slot);
        if (!memory.frame || memory.frame->width() != size.width ||
            memory.frame->height() != size.height) {
            if (memory.frame) engine_.device().wait_idle();  // it may be on its way to the screen
            memory.frame.reset();
            memory.frame = std::make_unique<Frame>(engine_.device(), size.width, size.height, true);
            memory.fresh = true;
        }
        return slot_of(*memory.frame);
    };
}

void LiveFrames::use(const LiveModels& models) {
    wait();
    if (models.captioner != models_.captioner) {
        caption_ = {};
        writing_ = words_on_their_way_ = false;
    }
    models_ = models;
    for (const std::unique_ptr<Lane>& lane : lanes_) {
        lane->findings = {};  // as many as the old model had queries
        lane->ranking = {};
    }
    detector_ = classifier_ = {};
    detections_.clear();
    classes_.clear();
    size_ = {};  // the next frame prepares the models for its size
    record_anew();
}

void LiveFrames::record_anew() {
    wait();
    for (const std::unique_ptr<Lane>& lane : lanes_) {
        lane->recorded = false;
        lane->drawing.reset();
    }
}

bool LiveFrames::has_room() const {
    const double last_ms = shown_ ? total_ms(shown_->times) : 0;
    return on_their_way_.size() < most_on_their_way(last_ms);
}

void LiveFrames::begin(TakenFrame frame, const LiveState& state) {
    if (frame.info().size != size_) prepare(frame.info().size);
    Lane& lane = *lanes_.at(frame.slot());
    lane.taken = std::move(frame);
    memory_[lane.index].frame->flush();
    submit(lane, state, true);
}

void LiveFrames::again(const LiveState& state) {
    if (!on_screen_ || !on_their_way_.empty()) return;
    if (on_screen_->taken->info().size != size_) prepare(on_screen_->taken->info().size);
    submit(*on_screen_, state, false);
}

void LiveFrames::prepare(ImageSize size) {
    wait();
    if (models_.detector) models_.detector->prepare(size);
    if (models_.classifier) models_.classifier->input().prepare(size);
    if (models_.captioner) models_.captioner->prepare(size);
    OverlayLabels labels;
    if (models_.detector) labels.detector = models_.detector->labels();
    if (models_.classifier) labels.classifier = models_.classifier->labels();
    overlay_.reset();
    overlay_.emplace(engine_.device(), size, labels, static_cast<uint32_t>(slots));
    record_anew();
    size_ = size;
}

void LiveFrames::record(Lane& lane) {
    const Image& image = image_of(lane);
    lane.upload.begin();
    {
        auto scope = lane.upload.scope("upload");
        memory_[lane.index].frame->record(lane.upload);
    }
    lane.upload.end();

    if (models_.detector) {
        lane.detect.begin();
        models_.detector->record(lane.detect, image, lane.detection_taps, lane.findings);
        lane.detect.end();
    }
    if (models_.classifier) {
        lane.classify.begin();
        models_.classifier->record(lane.classify, image, lane.classifier_tap, lane.ranking);
        lane.classify.end();
    }
    if (models_.captioner) {
        lane.encode.begin();
        models_.captioner->record(lane.encode, image);
        lane.encode.end();
    }
    lane.recorded = true;
    lane.drawing.reset();
    memory_[lane.index].fresh = false;
}

void LiveFrames::record_drawing(Lane& lane, const Drawing& drawing) {
    OverlayInput input;
    if (drawing.detected) input.found = drawing.detected->findings.found();
    if (drawing.classified) input.classes = drawing.classified->ranking.on_device();
    if (drawing.maps) {
        input.maps = lane.attention.maps();
        input.geometry = lane.attention.geometry();
        input.map_names = lane.attention.names();
    }
    lane.draw.begin();
    {
        auto scope = lane.draw.scope("draw");
        overlay_->record(lane.draw, image_of(lane), input, lane.index);
    }
    if (drawing.read_back) {
        auto scope = lane.draw.scope("read back");
        if (!lane.readback)
            lane.readback =
                std::make_unique<Readback>(engine_.device(), size_.width, size_.height, true);
        lane.readback->record(lane.draw, image_of(lane));
    }
    lane.draw.end();
    if (!drawing.read_back) lane.readback.reset();
    lane.drawing = drawing;
}

void LiveFrames::submit(Lane& lane, const LiveState& state, bool new_frame) {
    const Looker looker = choose_looker(state, models_, caption_, size_);
    const bool heat =
        state.attention.mode != AttentionMode::off && looker.token != Looker::Token::none;
    LiveAttention::Kept kept;
    if (heat) kept = LiveAttention::kept_for(looker, state.attention, models_);
    if (memory_[lane.index].fresh) {
        lane.recorded = false;
        lane.readback.reset();
    }
    lane.detected = models_.detector && is_due(detector_, kept, state.detector_stride, new_frame);
    lane.classified =
        models_.classifier && is_due(classifier_, kept, state.classifier_stride, new_frame);
    if ((lane.detected || lane.classified) && kept != lane.kept) {
        for (Lane* other : on_their_way_) engine_.device().wait(other->ticket, "a look");
        lane.detection_taps = {Tap(kept.encoder), Tap(kept.decoder)};
        lane.classifier_tap = Tap(kept.classifier);
        lane.kept = kept;
        lane.recorded = false;
    }
    if (!lane.recorded) record(lane);
    if (lane.detected) detector_ = {&lane, 0};
    if (lane.classified) classifier_ = {&lane, 0};
    const Drawing drawing{detector_.last, classifier_.last, heat,
                          state.recording || state.screenshots > 0};
    const bool new_maps = heat && lane.attention.prepare(looker, state.attention);
    if (lane.drawing != drawing || new_maps) record_drawing(lane, drawing);

    lane.again = !new_frame;
    lane.upload.submit();
    if (lane.detected) lane.detect.submit();
    if (lane.classified) lane.classify.submit();
    // A picture that stands still is captioned once. A word that somebody looks at stays until he
    // has seen enough.
    ask_for_words(lane, (new_frame || caption_.ids.empty()) && !state.word);
    if (heat)
        lane.attention.look((detector_.last ? *detector_.last : lane).detection_taps,
                            (classifier_.last ? *classifier_.last : lane).classifier_tap, looker,
                            state.attention);
    update_overlay(lane, state, heat);
    lane.filter = overlay_->settings.filter;
    lane.ticket = lane.draw.submit();
    on_their_way_.push_back(&lane);
}

bool LiveFrames::is_due(Rate& rate, const LiveAttention::Kept& kept, uint32_t stride,
                        bool new_frame) const {
    if (new_frame) ++rate.frames;
    return !rate.last || !rate.last->recorded || rate.last->kept != kept ||
           rate.frames >= (new_frame ? stride : 1);
}

void LiveFrames::ask_for_words(Lane& lane, bool new_caption) {
    lane.words_asked = lane.caption_begun = false;
    if (!models_.captioner || words_on_their_way_) return;
    if (!writing_) {
        if (!new_caption) return;
        lane.encode.submit();
        models_.captioner->start();
        captioned_ = lane.taken->info();
        written_ms_ = 0;
        writing_ = lane.caption_begun = true;
    }
    models_.captioner->advance(words_at_once);
    lane.words_asked = words_on_their_way_ = true;
}

void LiveFrames::update_overlay(const Lane& lane, const LiveState& state, bool heat) {
    OverlaySettings& settings = overlay_->settings;
    // Tiles have no room for what lies over a whole frame.
    const bool tiled = heat && lane.attention.maps().batch > 1;
    settings.boxes = state.boxes && !tiled;
    settings.filter = filter_of(state);
    settings.selected_query = state.query;
    settings.classes = state.classes && !tiled;
    settings.caption = state.caption;
    settings.heat = heat;
    settings.opacity = state.attention.blend;
    settings.mass = state.attention.mass;
    settings.scale = state.attention.fixed_scale ? HeatScale::fixed : HeatScale::max;
    std::vector<std::string> words;
    for (const CaptionWord& word : caption_.words) words.push_back(word.text);
    std::optional<size_t> lit = state.word;
    if (!lit && writing_ && !words.empty()) lit = words.size() - 1;
    overlay_->set_caption(words, lit);
    overlay_->set_truth(state.truth && !tiled ? lane.taken->info().truth : std::nullopt);
    overlay_->update(lane.index);
}

DetectionFilter LiveFrames::filter_of(const LiveState& state) const {
    DetectionFilter filter;
    filter.threshold = state.threshold;
    filter.most = state.most;
    if (!models_.detector || state.only.empty()) return filter;
    const std::vector<std::string>& labels = models_.detector->labels();
    for (uint32_t id = 0; id < labels.size(); ++id)
        if (state.only.contains(labels[id])) filter.classes.insert(id);
    // None of them: not all, then.
    if (filter.classes.empty()) filter.classes.insert(UINT32_MAX);
    return filter;
}

bool LiveFrames::update() {
    if (on_their_way_.empty() || !engine_.device().reached(on_their_way_.front()->ticket))
        return false;
    Lane& lane = *on_their_way_.front();
    on_their_way_.pop_front();
    finish(lane);
    return true;
}

void LiveFrames::finish(Lane& lane) {
    if (on_screen_ && on_screen_ != &lane) on_screen_->taken.reset();
    on_screen_ = &lane;
    Shown shown;
    shown.image = &image_of(lane);
    shown.again = lane.again;
    shown.info = lane.taken->info();
    // What other lanes hold may be written meanwhile.
    if (lane.drawing->detected == &lane) detections_ = lane.findings.detections(lane.filter);
    if (lane.drawing->classified == &lane) classes_ = lane.ranking.top(5);
    shown.detected = lane.detected;
    shown.detections = detections_;
    shown.classes = classes_;
    auto add_times = [&](const std::vector<ScopeTime>& times) {
        shown.times.insert(shown.times.end(), times.begin(), times.end());
    };
    add_times(lane.upload.times());
    if (lane.detected) add_times(lane.detect.times());
    if (lane.classified) add_times(lane.classify.times());
    if (lane.words_asked) finish_words(lane, shown);
    if (lane.drawing->maps) add_times(lane.attention.times());
    add_times(lane.draw.times());
    if (lane.readback) shown.picture = lane.readback->picture();
    shown_ = std::move(shown);
}

void LiveFrames::finish_words(const Lane& lane, Shown& shown) {
    words_on_their_way_ = false;
    caption_ = models_.captioner->result();
    writing_ = !models_.captioner->finished();
    shown.caption_ended = !writing_;
    const double before = std::exchange(written_ms_, models_.captioner->steps_ms());
    ScopeTime time{.name = "captioner", .ms = written_ms_ - before};
    if (lane.caption_begun) time.ms += total_ms(lane.encode.times());
    shown.times.push_back(time);
}

void LiveFrames::wait() {
    for (Lane* lane : on_their_way_) engine_.device().wait(lane->ticket, "a frame");
    while (update()) {
    }
}

void LiveFrames::clear() {
    wait();
    shown_.reset();
    on_screen_ = nullptr;
    detector_ = classifier_ = {};
    for (const std::unique_ptr<Lane>& lane : lanes_) lane->taken.reset();
}

std::optional<size_t> LiveFrames::word_at(float x, float y) const {
    return overlay_ ? overlay_->caption_word_at(x, y) : std::nullopt;
}

std::optional<TileGrid> LiveFrames::tiles() const {
    if (!on_screen_ || !overlay_ || !on_screen_->drawing || !on_screen_->drawing->maps)
        return std::nullopt;
    const uint32_t maps = on_screen_->attention.maps().batch;
    return maps > 1 ? std::optional(overlay_->tiles(maps)) : std::nullopt;
}

LookedInto LiveFrames::choices(const LiveState& state) const {
    return looked_into(choose_looker(state, models_, caption_, size_), models_);
}

}  // namespace saccade
