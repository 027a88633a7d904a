#include "app/live/loop.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "app/draw/heat_map.h"
#include "app/io/picture_file.h"
#include "app/live/window_order.h"
#include "app/pipeline/attention_choice.h"
#include "app/pipeline/models_in_use.h"
#include "app/sources/open_source.h"
#include "gpu/core/error.h"

namespace saccade {

namespace {

using namespace std::chrono_literals;

// What changes the drawing of a picture that stands still.
bool looks_the_same(const LiveState& a, const LiveState& b) {
    return a.frozen == b.frozen && a.boxes == b.boxes && a.caption == b.caption &&
           a.classes == b.classes && a.truth == b.truth && a.attention == b.attention &&
           a.second == b.second && a.room == b.room && a.word == b.word &&
           a.query == b.query && a.held == b.held &&
           a.overview == b.overview && a.asked == b.asked && filters_the_same(a, b) &&
           a.phrase == b.phrase && a.planes == b.planes && a.outlines == b.outlines &&
           a.looks == b.looks && a.track == b.track && a.recording == b.recording &&
           a.screenshots == b.screenshots &&
           ((a.attention.mode == AttentionMode::off && a.second.kind != SecondView::Kind::maps) ||
            a.pointer == b.pointer);
}

}  // namespace

LiveLoop::LiveLoop(Engine& engine, const CaptureOptions& capture, std::filesystem::path folder,
                   const LivePlace& from)
    : engine_(engine),
      capture_options_(capture),
      models_(engine),
      told_(engine),
      path_(engine, path_for_screen()),
      recorder_(std::move(folder)),
      finished_(from.frames) {
    capture_options_.first = from.next;
    report_.frames = finished_;
    if (std::optional<ShaderBuild> build = ShaderBuild::own())
        shaders_.emplace(engine.device(), std::move(*build));
    report_.device = engine.device().info().name;
    report_.detector.known = known_models(Task::detect);
    report_.classifier.known = known_models(Task::classify);
    report_.captioner.known = known_models(Task::caption);
}

LastSeen LiveLoop::last_seen() const {
    LastSeen seen{captions().caption()};
    if (shown_) seen.frame = shown_->result.info.size;
    if (shown_ && shown_->result.detections) seen.found = *shown_->result.detections;
    return seen;
}

LivePlace LiveLoop::place() const { return {finished_, begun_}; }

bool LiveLoop::step(LiveState& state) {
    follow_source(state);
    // Before somebody lets the picture go on: since the last step, too, it stood still.
    if (frozen_) forgive_drops();
    if (std::exchange(frozen_, state.frozen) != state.frozen) {
        unseen_ = state.frozen && shown_ ? path_.in_flight() : 0;
        last_frame_.reset();  // the time in between says nothing of how quick it is
    }
    follow_models(state);
    follow_words(state);
    follow_tracking(state);
    const bool new_shaders = follow_shaders(state);
    follow_feed(state);
    search_captions(state);
    state.choices = report_.choices =
        choices_of(state, state.asked, state.attention, models(), last_seen());
    state.second_choices = report_.second_choices =
        choices_of(state, state.second.asked, state.second.attention, models(), last_seen());
    if (!screenshots_) screenshots_ = state.screenshots;
    if (!pages_) pages_ = state.pages;
    if (state.recording && recorder_.failed()) {
        state.recording = false;
        ++report_.failed_recordings;
    }
    if (state.recording != recorder_.recording()) {
        if (state.recording)
            recorder_.start();
        else
            recorder_.stop(seconds_now());
    }
    again_ = again_ || new_shaders;
    advance(state);
    bool finished = false;
    try {
        while (std::optional<Done> done = path_.poll())
            finished = show(std::move(*done), state) || finished;
    } catch (const OutOfMemory& error) {
        if (!fitted_) throw;
        make_do_without(error, *fitted_);
    }
    tell(state);
    return finished;
}

bool LiveLoop::show(Done done, LiveState& state) {
    if (unseen_ > 0) {
        --unseen_;
        if (!done.repeated) return false;
    }
    const FrameResult before = shown_ ? std::move(shown_->result) : FrameResult();
    shown_ = std::move(done);
    if (tracker_) follow_track(state, before);
    if (!shown_->repeated) {
        models_.settle();
        count_frame();
        fitted_ = shown_->result.info.size;
        shortages_ = 0;
    }
    score_frame(state);
    if (std::exchange(bare_, false))
        write_bare_frame(state);
    else
        take_picture(state);
    return true;
}

void LiveLoop::write_bare_frame(const LiveState& state) {
    pages_ = state.pages;
    again_ = true;
    const std::filesystem::path file = recorder_.new_file(".png");
    try {
        write_picture(file, as_bgr(shown_->picture));
        report_.bare_file = file.string();
    } catch (const Error& error) {
        report_.notice = error.what();
        notice_time_ = Clock::now();
    }
}

void LiveLoop::settle(LiveState& state) {
    while (!path_.empty()) show(path_.finish(), state);
}

void LiveLoop::follow_tracking(LiveState& state) {
    // Lines and zones count tracks, so there have to be some.
    const bool wanted = (state.track || !state.regions.all.empty()) && models().detector;
    const TrackerSettings how = tracking_for(filter_of(state, models()).threshold);
    if (wanted && tracker_ && regions_ == state.regions) return tracker_->use(how);
    if (!wanted && !tracker_) return;
    settle(state);  // frames on their way know the tracker
    again_ = true;
    if (wanted && tracker_) {
        tracker_->count_in(regions_ = state.regions);
        return;
    }
    tracker_.reset();
    identities_ = {};
    followed_ = 0;
    followed_query_.reset();
    if (!wanted) return;
    tracker_.emplace(how);
    tracker_->count_in(regions_ = state.regions);
}

// It was clicked on the picture that is going now.
void LiveLoop::follow_track(const LiveState& state, const FrameResult& before) {
    if (state.query == followed_query_) return;
    followed_query_ = state.query;
    followed_ = 0;
    for (size_t i = 0; i < before.tracks.size(); ++i)
        if ((*before.detections)[i].query == state.query) followed_ = before.tracks[i];
}

void LiveLoop::follow_source(const LiveState& state) {
    if (state.source == source_ && state.opened == opened_) return follow_player(state);
    source_ = state.source;
    opened_ = state.opened;
    source_error_.clear();
    too_large_.reset();
    capture_.reset();
    path_.drop();
    unseen_ = 0;
    shown_.reset();
    drawn_.reset();
    scored_.reset();
    tracker_.reset();  // numbers begin anew
    try {
        capture_ = std::make_unique<Capture>(source_, path_.ring(), capture_options_);
    } catch (const Error& error) {
        source_error_ = error.what();
        spdlog::error("{}", error.what());
    }
    begun_ = std::exchange(capture_options_.first, 0);  // of another source, all is wanted
    seek_ = state.seek.number;
    awaiting_ = false;
    dropped_ = forgiven_ = 0;
    report_.player = {};
    follow_player(state);
}

void LiveLoop::follow_feed(const LiveState& state) {
    if (feed_target_ != state.feed) {
        feed_target_ = state.feed;
        report_.feed_failed = false;
        feed_ = feed_target_.empty() ? nullptr : std::make_unique<Feed>(feed_target_);
        again_ = true;
    }
    if (!feed_) return;
    if (const std::optional<std::string> trouble = feed_->trouble()) {
        note_feed_trouble(*trouble);
        feed_.reset();
    }
}

void LiveLoop::note_feed_trouble(const std::string& trouble) {
    spdlog::error("{}", trouble);
    report_.feed_failed = true;
    report_.notice = trouble;
    notice_time_ = Clock::now();
}

void LiveLoop::end_feed() {
    if (!feed_) return;
    if (const std::optional<std::string> trouble = feed_->end()) note_feed_trouble(*trouble);
    feed_.reset();
}

void LiveLoop::follow_player(const LiveState& state) {
    if (!capture_) return;
    // What stands still has to be there first.
    capture_->play_as({.paused = state.frozen && shown_,
                       .speed = state.speed,
                       .loop = capture_options_.loop && state.loop});
    if (std::exchange(seek_, state.seek.number) == state.seek.number) return;
    capture_->seek(state.seek.frame);
    awaiting_ = !report_.player.live && !report_.player.still;
}

void LiveLoop::search_captions(LiveState& state) {
    const bool still = state.frozen || report_.player.still;
    report_.caption_note = models_.caption_note(still);
    if (!models_.searches_otherwise(still)) return;
    settle(state);
    path_.use({});
    models_.search(still);
    path_.use(models());
    again_ = true;
}

void LiveLoop::follow_models(LiveState& state) {
    models_.want(state);
    if (!models_.ready()) return;
    settle(state);
    path_.use({});  // nobody uses the old ones any more
    tracker_.reset();
    models_.swap();
    told_.tell(state.words, models_.loaded());
    too_large_.reset();
    report_.stages = {};
    frame_gpu_ms_ = frame_seconds_ = {};
    last_frame_.reset();
    gpu_ms_ = 0;
    begin_anew(state);
}

void LiveLoop::begin_anew(LiveState& state) {
    path_.use(models());
    detector_turns_ = classifier_turns_ = {};
    release_held(state);
    state.word.reset();
    ++report_.swaps;
    tell_labels();
    scored_.reset();
    again_ = true;
}

void LiveLoop::tell_labels() {
    report_.labels = models_.labels();
    if (models().detector) report_.sure_above = models().detector->sure_above();
    told_.report(report_, models_.loaded());
}

// What lies in a box of the frame on screen is seen once; its vector is kept.
void LiveLoop::follow_examples(LiveState& state) {
    std::vector<Example> shown;
    for (const Example& known : told_.shown())
        if (std::ranges::any_of(state.examples, [&](const DrawnExample& drawn) {
                return name_of(drawn) == known.label;
            }))
            shown.push_back(known);
    for (const DrawnExample& drawn : state.examples) {
        if (drawn.number <= last_example_) continue;
        last_example_ = drawn.number;
        // Without phrases the path has no detector yet.
        Detector* const detector = models_.loaded().detector;
        if (!shown_ || !detector || !detector->phrases()) continue;
        settle(state);
        shown.push_back(path_.example_in(*detector, shown_->frame, drawn.box, name_of(drawn)));
        again_ = true;
    }
    if (shown != told_.shown()) told_.show(std::move(shown));
}

// Whoever types does not wait for a model: its phrases are others from the next frame on.
void LiveLoop::follow_words(LiveState& state) {
    follow_examples(state);
    if (!told_.due(state.words, models_.loaded())) return;
    settle(state);
    path_.use({});
    tracker_.reset();  // classes are others
    told_.tell(state.words, models_.loaded());
    begin_anew(state);
}

void LiveLoop::wait_for_models(const LiveState& state, bool words_may_come) {
    LiveState wanted = state;
    for (;;) {
        follow_models(wanted);
        models_.require_all();
        if (!models_.loading()) break;
        std::this_thread::sleep_for(2ms);
    }
    const std::string trouble = words_may_come ? told_.error_in_words() : told_.error();
    if (!trouble.empty()) throw Error(trouble);
    const Models here = models_.loaded();
    if (!here.detector && !state.words.find.empty()) throw Error("--find needs a --detector");
    if (!here.detector && !state.words.like.empty()) throw Error("--like needs a --detector");
    if (!here.classifier && !state.words.labels.empty())
        throw Error("--labels needs a --classifier");
    if (!here.captioner && !state.words.question.empty()) throw Error("--ask needs a --captioner");
    for (const std::string& name : state.only)
        if (std::ranges::find(report_.labels, name) == report_.labels.end())
            throw Error("'" + models_.detector_name() + "' has no class '" + name + "'");
}

bool LiveLoop::follow_shaders(LiveState& state) {
    if (!shaders_ || !shaders_->poll()) return false;
    settle(state);
    path_.record_anew();
    return true;
}

bool LiveLoop::has_room() const {
    double ms = 0;
    if (shown_)
        for (const auto& [stage, took] : shown_->result.ms) ms += took;
    return path_.in_flight() < most_in_flight(ms);
}

void LiveLoop::advance(LiveState& state) {
    if (!has_room() || Clock::now() < memory_again_) return;
    const bool enough = most_frames_ > 0 && finished_ + path_.in_flight() >= most_frames_;
    std::optional<TakenFrame> frame;
    if ((!state.frozen || awaiting_ || !shown_) && capture_ && !enough) frame = capture_->take();
    if (frame) awaiting_ = false;
    if (frame && frame->info().size == too_large_) return;
    if (frame) {
        const Size size = frame->info().size;
        try {
            if (!path_.has_room_for(*frame)) settle(state);  // it has another size
            begin(std::move(*frame), state);
        } catch (const OutOfMemory& error) {
            return make_do_without(error, size);
        }
    } else if (shown_ && drawn_ && path_.empty() &&
               (again_ || captions().writing() || wants_page(state) ||
                !looks_the_same(*drawn_, state))) {
        // A picture that stands still is drawn once more if that makes a difference.
        try {
            repeat(state);
        } catch (const OutOfMemory& error) {
            const Size size = shown_->result.info.size;
            shown_.reset();  // its frame is gone
            return make_do_without(error, size);
        }
    } else {
        return;
    }
    drawn_ = state;
    again_ = false;
}

void LiveLoop::make_do_without(const OutOfMemory& error, Size frame) {
    if (finished_ == 0) throw error;  // there is nothing to go on with
    path_.drop();
    unseen_ = 0;
    path_.use({});
    const bool undone = models_.undo(error.what());
    path_.use(models());
    tell_labels();
    if (undone || too_large_ == frame) return;  // that has been said
    if (frame == fitted_ && shortages_ < most_shortages) {  // somebody else has it for a moment
        memory_again_ = Clock::now() + 1s;
        if (++shortages_ == 1)
            spdlog::error("no memory for the next frame, trying again every second: {}",
                          error.what());
        return;
    }
    too_large_ = frame;
    spdlog::error(
        "frames of {}x{} do not fit, the last picture stays: {}; smaller frames (--size) would do",
        frame.x, frame.y, error.what());
}

FrameOrder LiveLoop::order_for(const LiveState& state, const LastSeen& seen) {
    FrameOrder order = order_of(state, models(), seen);
    order.read_back.pixels = wants_pixels(state);
    if (area(state.room) > 0) order.window = window_order(seen.frame, state.room, state.second);
    if (!tracker_) return order;
    order.tracker = &*tracker_;
    const bool maps_follow =
        std::ranges::any_of(order.maps, [](const MapOrder& map) { return map.track > 0; });
    if (followed_ > 0 || maps_follow)
        order.decide = [number = followed_](FrameOrder& frame_order, const FrameResult& known) {
            if (number > 0) look_from_track(frame_order, known, number);
            for (MapOrder& map : frame_order.maps) look_from_track(map, known);
            if (number > 0 && frame_order.second &&
                frame_order.second->looker.token == Looker::Token::query)
                frame_order.second->looker = frame_order.looker;
        };
    return order;
}

void LiveLoop::begin(TakenFrame frame, const LiveState& state) {
    LastSeen seen = last_seen();
    seen.frame = frame.info().size;
    FrameOrder order = order_for(state, seen);
    order.detect = detector_turns_.next(state.detector_stride);
    order.classify = classifier_turns_.next(state.classifier_stride);
    begun_ = frame.info().index + 1;
    path_.begin(std::move(frame), std::move(order));
}

void LiveLoop::repeat(const LiveState& state) {
    FrameOrder order = order_for(state, last_seen());
    bare_ = wants_page(state);
    if (bare_) {
        order.overlay.boxes = order.overlay.classes = order.overlay.caption = order.truth = false;
        order.attention.mode = AttentionMode::off;
        order.second.reset();
        order.window.reset();  // which goes on showing the picture that it has
    }
    // It is captioned once.
    order.caption.begin = order.caption.begin && captions().caption().ids.empty();
    path_.repeat(std::move(shown_->frame), std::move(order));
}

void LiveLoop::take_picture(const LiveState& state) {
    const PictureView& picture = shown_->picture;
    if (!picture.pixels) return;
    for (; *screenshots_ < state.screenshots; ++*screenshots_) recorder_.screenshot(picture);
    recorder_.frame(picture, seconds_now());
    if (feed_) feed_->show(picture);
}

bool LiveLoop::over() const {
    if (too_large_) return true;
    if (!capture_) return !source_error_.empty();
    return capture_->status().state == CaptureState::ended && path_.empty() &&
           !capture_->wait_for(0ms);
}

bool LiveLoop::waits_for_person() const {
    if (!path_.empty() || models_.loading() || recorder_.recording()) return false;
    if (!capture_) return true;
    if (awaiting_) return false;
    return (drawn_ && drawn_->frozen) || report_.player.still ||
           capture_->status().state == CaptureState::ended;
}

bool LiveLoop::waits_for_source() const {
    return path_.empty() && !models_.loading() && !recorder_.recording() && capture_ &&
           !awaiting_ && capture_->status().state == CaptureState::lost;
}

void LiveLoop::rest() const {
    if (!path_.empty())
        std::this_thread::sleep_for(500us);  // a frame or the device, whichever comes first
    else if (!capture_ || waits_for_person() || Clock::now() < memory_again_)
        std::this_thread::sleep_for(5ms);  // whatever frames there are, none is taken
    else
        capture_->wait_for(5ms);
}

}  // namespace saccade
