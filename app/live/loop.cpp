#include "app/live/loop.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "app/live/window_order.h"
#include "gpu/core/error.h"

namespace saccade {

using namespace std::chrono_literals;

namespace {

CaptureOptions beginning_at(CaptureOptions options, uint64_t frame) {
    options.first = frame;
    return options;
}

}  // namespace

LiveLoop::LiveLoop(Engine& engine, const CaptureOptions& capture, std::filesystem::path folder,
                   const LivePlace& from)
    : engine_(engine),
      models_(engine),
      prompts_(engine),
      path_(engine, path_for_screen()),
      player_(path_.ring(), beginning_at(capture, from.next)),
      outputs_(std::move(folder)) {
    if (std::optional<ShaderBuild> build = ShaderBuild::own())
        shaders_.emplace(engine.device(), std::move(*build));
    status_.frames = from.frames;
    status_.device = engine.device().info().name;
    status_.detector.known = known_models(Task::detect);
    status_.classifier.known = known_models(Task::classify);
    status_.captioner.known = known_models(Task::caption);
}

bool LiveLoop::step(const Wishes& wishes, const Pointer& pointer, Events& events) {
    const Wanted wanted{wishes, pointer};
    follow_source(wanted, events);
    follow_freeze(wanted);
    follow_models(wanted);
    follow_prompts(wanted);
    follow_tracking(wanted);
    follow_shaders(wanted);
    if (outputs_.follow(wishes, events, status_)) again_ = true;
    follow_caption_search(wanted);
    report_choices(wanted);
    advance(wanted);
    bool new_picture = false;
    try {
        while (std::optional<Done> done = path_.poll())
            new_picture = show(std::move(*done), wanted) || new_picture;
    } catch (const OutOfMemory& error) {
        if (!fitted_) throw;
        recover(error, *fitted_);
    }
    report(wanted);
    return new_picture;
}

void LiveLoop::follow_source(const Wanted& wanted, Events& events) {
    const bool open = !events.take<OpenSource>().empty();
    const std::vector<Seek> seeks = events.take<Seek>();
    if (open || wanted.wishes.source != player_.source()) {
        player_.close();
        path_.drop();
        shown_.reset();
        drawn_for_.reset();
        unseen_ = 0;
        too_large_.reset();
        stats_.restart_score();
        tracking_.stop();  // numbers begin again
        status_.player = {};
        player_.open(wanted.wishes.source);
    } else if (!seeks.empty()) {
        player_.seek(seeks.back().frame);
    }
    player_.play(wanted.wishes, shown_.has_value());
}

void LiveLoop::follow_freeze(const Wanted& wanted) {
    const bool frozen = wanted.wishes.frozen;
    // Drops until now belong to the last step, in which the picture stood still.
    if (frozen_) player_.forgive_drops();
    if (std::exchange(frozen_, frozen) == frozen) return;
    unseen_ = frozen && shown_ ? path_.in_flight() : 0;
    stats_.skip_interval();
}

void LiveLoop::follow_models(const Wanted& wanted) {
    models_.want(wanted.wishes);
    if (!models_.ready()) return;
    settle(wanted);
    path_.use({});  // the old ones are idle from here on
    tracking_.stop();
    models_.swap();
    prompts_.apply(wanted.wishes.prompts, models_.loaded());
    too_large_.reset();
    stats_.restart(status_);
    restart_results();
}

void LiveLoop::restart_results() {
    path_.use(models());
    detector_stride_ = classifier_stride_ = {};
    ++status_.models_version;
    report_labels();
    stats_.restart_score();
    again_ = true;
}

// The content of a box in the frame on screen is encoded once; its embedding is kept.
void LiveLoop::follow_examples(const Wanted& wanted) {
    const std::vector<ExampleBox>& boxes = wanted.wishes.examples;
    std::vector<Example> examples;
    for (const Example& known : prompts_.examples())
        if (std::ranges::any_of(boxes,
                                [&](const ExampleBox& box) { return name_of(box) == known.label; }))
            examples.push_back(known);
    for (const ExampleBox& box : boxes) {
        if (box.number <= last_example_) continue;
        last_example_ = box.number;
        // Not that of models(): it may have no phrases yet.
        Detector* const detector = models_.loaded().detector;
        if (!shown_ || !detector || !detector->phrases()) continue;
        settle(wanted);
        examples.push_back(path_.example_in(*detector, shown_->frame, box.box, name_of(box)));
        again_ = true;
    }
    if (examples != prompts_.examples()) prompts_.use_examples(std::move(examples));
}

// New phrases are used from the next frame on; no model is loaded for them.
void LiveLoop::follow_prompts(const Wanted& wanted) {
    follow_examples(wanted);
    if (!prompts_.due(wanted.wishes.prompts, models_.loaded())) return;
    settle(wanted);
    path_.use({});
    tracking_.stop();  // the classes are different
    prompts_.apply(wanted.wishes.prompts, models_.loaded());
    restart_results();
}

void LiveLoop::follow_tracking(const Wanted& wanted) {
    const Wishes& wishes = wanted.wishes;
    // Lines and zones count tracks.
    const bool tracks = (wishes.look.track || !wishes.regions.all.empty()) && models().detector;
    const TrackerSettings settings = tracking_for(filter_of(wishes, models()).threshold);
    if (tracks && tracking_.counts_in(wishes.regions)) return tracking_.use(settings);
    if (!tracks && !tracking_.active()) return;
    settle(wanted);
    again_ = true;
    if (tracks)
        tracking_.start(settings, wishes.regions);
    else
        tracking_.stop();
}

void LiveLoop::follow_shaders(const Wanted& wanted) {
    if (!shaders_ || !shaders_->poll()) return;
    settle(wanted);
    path_.record_anew();
    again_ = true;
}

void LiveLoop::follow_caption_search(const Wanted& wanted) {
    const bool still = wanted.wishes.frozen || status_.player.still;
    status_.caption_note = models_.caption_note(still);
    if (!models_.searches_otherwise(still)) return;
    settle(wanted);
    path_.use({});
    models_.search(still);
    path_.use(models());
    again_ = true;
}

void LiveLoop::wait_for_models(const Wishes& wishes, bool prompts_may_come) {
    const Pointer nowhere;
    for (;;) {
        follow_models({wishes, nowhere});
        models_.require_all();
        if (!models_.loading()) break;
        std::this_thread::sleep_for(2ms);
    }
    const std::string trouble = prompts_may_come ? prompts_.error_in_text() : prompts_.error();
    if (!trouble.empty()) throw Error(trouble);
    const Models here = models_.loaded();
    const PromptText& prompts = wishes.prompts;
    if (!here.detector && !prompts.find.empty()) throw Error("--find needs a --detector");
    if (!here.detector && !prompts.like.empty()) throw Error("--like needs a --detector");
    if (!here.classifier && !prompts.labels.empty()) throw Error("--labels needs a --classifier");
    if (!here.captioner && !prompts.question.empty()) throw Error("--ask needs a --captioner");
    for (const std::string& name : wishes.look.filter.only)
        if (std::ranges::find(status_.labels, name) == status_.labels.end())
            throw Error("'" + models_.detector_name() + "' has no class '" + name + "'");
}

bool LiveLoop::has_room() const {
    double ms = 0;
    if (shown_)
        for (const auto& [stage, took] : shown_->result.ms) ms += took;
    return path_.in_flight() < most_in_flight(ms);
}

void LiveLoop::advance(const Wanted& wanted) {
    if (!has_room() || Clock::now() < memory_again_) return;
    std::optional<TakenFrame> frame = next_frame(wanted);
    if (frame ? !begin(std::move(*frame), wanted) : !repeat_shown(wanted)) return;
    drawn_for_ = drawn_for(wanted.wishes, target_of(wanted));
    again_ = false;
}

std::optional<TakenFrame> LiveLoop::next_frame(const Wanted& wanted) {
    const bool enough = most_frames_ > 0 && status_.frames + path_.in_flight() >= most_frames_;
    const bool stands_still = wanted.wishes.frozen && shown_ && !player_.seeking();
    if (enough || stands_still) return {};
    return player_.take();
}

bool LiveLoop::begin(TakenFrame frame, const Wanted& wanted) {
    const Size size = frame.info().size;
    if (size == too_large_) return false;
    try {
        if (!path_.has_room_for(frame)) settle(wanted);  // it has another size
        LastResult last = last_result();
        last.frame = size;
        FrameOrder order = order_for(wanted, last);
        order.detect = detector_stride_.next(wanted.wishes.detector_stride);
        order.classify = classifier_stride_.next(wanted.wishes.classifier_stride);
        path_.begin(std::move(frame), std::move(order));
        return true;
    } catch (const OutOfMemory& error) {
        recover(error, size);
        return false;
    }
}

bool LiveLoop::repeat_shown(const Wanted& wanted) {
    if (!shown_ || !drawn_for_ || !path_.empty()) return false;
    if (!again_ && !captions().writing() && !outputs_.wants_bare() &&
        drawn_for_ == drawn_for(wanted.wishes, target_of(wanted)))
        return false;
    try {
        repeat(wanted);
        return true;
    } catch (const OutOfMemory& error) {
        const Size size = shown_->result.info.size;
        shown_.reset();  // its frame is gone
        recover(error, size);
        return false;
    }
}

void LiveLoop::repeat(const Wanted& wanted) {
    FrameOrder order = order_for(wanted, last_result());
    bare_ = outputs_.wants_bare();
    if (bare_) {
        order.overlay.boxes = order.overlay.classes = order.overlay.caption = order.truth = false;
        order.attention.mode = AttentionMode::off;
        order.second.reset();
        order.window.reset();  // which goes on showing the picture that it has
    }
    // A frame gets one caption.
    order.caption.begin = order.caption.begin && captions().caption().ids.empty();
    path_.repeat(std::move(shown_->frame), std::move(order));
}

FrameOrder LiveLoop::order_for(const Wanted& wanted, const LastResult& last) {
    FrameOrder order = order_of(wanted.wishes, target_of(wanted), models(), last);
    order.read_back.pixels = outputs_.wants_pixels();
    const Wishes::Look& look = wanted.wishes.look;
    if (area(look.room) > 0) order.window = window_order(last.frame, look.room, look.second);
    tracking_.add_to(order);
    return order;
}

Target LiveLoop::target_of(const Wanted& wanted) const {
    const Target& target = wanted.pointer.target;
    if (wanted.pointer.models_version == status_.models_version) return target;
    Target point;
    point.point = target.point;
    return point;
}

LastResult LiveLoop::last_result() const {
    LastResult last{captions().caption()};
    if (shown_) last.frame = shown_->result.info.size;
    if (shown_ && shown_->result.detections) last.found = *shown_->result.detections;
    return last;
}

bool LiveLoop::show(Done done, const Wanted& wanted) {
    if (unseen_ > 0) {
        --unseen_;
        if (!done.repeated) return false;
    }
    const FrameResult before = shown_ ? std::move(shown_->result) : FrameResult();
    shown_ = std::move(done);
    tracking_.follow(target_of(wanted).query, before);
    if (!shown_->repeated) {
        models_.settle();
        stats_.add_frame(shown_->result, status_);
        fitted_ = shown_->result.info.size;
        shortages_ = 0;
    }
    tracking_.score(*shown_);
    stats_.score(*shown_, wanted.wishes.look.filter, captions(), status_);
    if (std::exchange(bare_, false)) {
        outputs_.take_bare(shown_->picture, status_);
        again_ = true;
    } else {
        outputs_.take(shown_->picture);
    }
    return true;
}

void LiveLoop::settle(const Wanted& wanted) {
    while (!path_.empty()) show(path_.finish(), wanted);
}

void LiveLoop::recover(const OutOfMemory& error, Size frame) {
    if (status_.frames == 0) throw error;
    path_.drop();
    unseen_ = 0;
    path_.use({});
    const bool undone = models_.undo(error.what());
    path_.use(models());
    report_labels();
    if (undone || too_large_ == frame) return;  // the reason is in the status, or in the log
    // Frames of this size did fit: another program has the memory for a moment.
    if (frame == fitted_ && shortages_ < most_shortages) {
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

bool LiveLoop::over() const {
    if (too_large_) return true;
    if (!player_.is_open()) return player_.failed();
    return player_.in_state(CaptureState::ended) && path_.empty() && !player_.wait_for(0ms);
}

bool LiveLoop::waits_for_person() const {
    if (!path_.empty() || models_.loading() || outputs_.recording()) return false;
    if (!player_.is_open()) return true;
    if (player_.seeking()) return false;
    return (drawn_for_ && drawn_for_->frozen) || status_.player.still ||
           player_.in_state(CaptureState::ended);
}

bool LiveLoop::waits_for_source() const {
    return path_.empty() && !models_.loading() && !outputs_.recording() && !player_.seeking() &&
           player_.in_state(CaptureState::lost);
}

void LiveLoop::rest() const {
    if (!path_.empty())
        std::this_thread::sleep_for(500us);  // a frame or the device, whichever comes first
    else if (!player_.is_open() || waits_for_person() || Clock::now() < memory_again_)
        std::this_thread::sleep_for(5ms);  // no frame is taken before that
    else
        player_.wait_for(5ms);
}

void LiveLoop::was_shown() {
    if (!shown_ || shown_->repeated) return;
    const std::chrono::duration<double, std::milli> age =
        Clock::now() - shown_->result.info.captured;
    status_.latency_ms = age.count();
}

void LiveLoop::report_choices(const Wanted& wanted) {
    const Target target = target_of(wanted);
    const Wishes::Look& look = wanted.wishes.look;
    auto choices = [&](MapModel model, const AttentionState& attention) {
        return choices_of({target, model, attention.mode, look.overview}, attention, models(),
                          last_result());
    };
    status_.choices = choices(look.model, look.attention);
    status_.second_choices = choices(look.second.model, look.second.attention);
}

void LiveLoop::report_labels() {
    status_.labels = models_.labels();
    if (models().detector) status_.sure_above = models().detector->sure_above();
    prompts_.report(status_, models_.loaded());
}

void LiveLoop::report(const Wanted& wanted) {
    player_.report(status_, shown_ ? &shown_->result.info : nullptr);
    stats_.report(status_);
    outputs_.report(status_);
    models_.report(status_);
    tracking_.report(status_);
    if (shaders_) status_.shader_error = shaders_->error();
    const auto now = Clock::now();
    if (last_log_ && now - *last_log_ < 1s) return;
    last_log_ = now;
    if (status_.tracks) tracking_.report_score(*status_.tracks);
    status_.memory = engine_.device().memory();
    log_status(wanted);
}

void LiveLoop::log_status(const Wanted& wanted) const {
    spdlog::info(
        "{} frames, {:.1f} frames/s, {} dropped, {:.0f} ms old, memory: GPU {:.1f} MiB, "
        "host {:.1f} MiB{}",
        status_.frames, status_.frames_per_second, status_.dropped, status_.latency_ms,
        double(status_.memory.device_bytes) / (1 << 20),
        double(status_.memory.host_bytes) / (1 << 20), wanted.wishes.frozen ? ", frozen" : "");
}

}  // namespace saccade
