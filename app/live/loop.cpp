#include "app/live/loop.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdio>
#include <thread>
#include <utility>

#include "app/live/window_order.h"
#include "gpu/core/error.h"

namespace saccade {

using namespace std::chrono_literals;

namespace {

// A person notices that something takes this long.
constexpr auto noticed = 250ms;

double stages_ms(const FrameResult& result) {
    double ms = 0;
    for (const auto& [stage, took] : result.ms) ms += took;
    return ms;
}

void leave_out_effects(FrameOrder& order) {
    order.effects.reset();
    if (order.second) order.second->effects.reset();
}

// The frame as it came, at once. It is repeated for the models.
void leave_to_models(FrameOrder& order) {
    order.models = false;
    order.caption.begin = false;
    order.attention.mode = AttentionMode::off;
    if (order.second) order.second->attention.mode = AttentionMode::off;
    order.decide = {};
    for (MapOrder& map : order.maps) map.due = false;
    leave_out_effects(order);
}

CaptureOptions beginning_at(CaptureOptions options, uint64_t frame) {
    options.first = frame;
    return options;
}

}  // namespace

LiveLoop::LiveLoop(Engine& engine, const CaptureOptions& capture, std::filesystem::path folder,
                   const LivePlace& from)
    : LiveLoop(engine, std::make_unique<Shared>(engine), nullptr, capture, std::move(folder),
               from) {
    if (std::optional<ShaderBuild> build = ShaderBuild::own())
        shaders_.emplace(engine.device(), std::move(*build));
}

LiveLoop::LiveLoop(LiveLoop& first, const CaptureOptions& capture, std::filesystem::path folder,
                   const LivePlace& from)
    : LiveLoop(first.engine_, nullptr, &first.shared_, capture, std::move(folder), from) {}

LiveLoop::LiveLoop(Engine& engine, std::unique_ptr<Shared> own, Shared* shared,
                   const CaptureOptions& capture, std::filesystem::path folder,
                   const LivePlace& from)
    : engine_(engine),
      own_(std::move(own)),
      shared_(own_ ? *own_ : *shared),
      models_(shared_.models),
      prompts_(shared_.prompts),
      path_(engine, path_for_screen(), &shared_.together),
      explaining_(engine),
      player_(path_.ring(), beginning_at(capture, from.next)),
      outputs_(std::move(folder)) {
    shared_.loops.push_back(this);
    if (is_first()) shared_.captioned = this;
    status_.frames = from.frames;
    status_.device = engine.device().info().name;
    const Status& first = shared_.loops.front()->status_;
    auto known = [&](ModelStatus Status::*model, Task task) {
        (status_.*model).known = is_first() ? known_models(task) : (first.*model).known;
    };
    known(&Status::detector, Task::detect);
    known(&Status::classifier, Task::classify);
    known(&Status::captioner, Task::caption);
}

LiveLoop::~LiveLoop() {
    std::erase(shared_.loops, this);
    if (shared_.captioned == this) shared_.captioned = nullptr;
}

Models LiveLoop::models() const {
    Models models = Prompts::ready(models_.loaded());
    if (shared_.captioned != this) models.captioner = nullptr;
    return models;
}

void LiveLoop::take_captions() {
    LiveLoop* const before = std::exchange(shared_.captioned, this);
    if (before == this || !models_.loaded().captioner) return;
    for (LiveLoop* loop : {before, this}) {
        if (!loop) continue;
        loop->use(loop->models());
        loop->again_ = true;
    }
}

bool LiveLoop::step(const Wishes& wishes, const Pointer& pointer, Events& events) {
    follow(wishes, pointer, events);
    if (std::optional<PathsTogether::Beginning> next = offer(wishes, pointer)) {
        const Size size = next->frame.info().size;
        try {
            path_.begin(std::move(next->frame), std::move(next->order));
            has_begun(wishes, pointer);
        } catch (const OutOfMemory& error) {
            recover(error, size);
        }
    }
    return collect(wishes, pointer);
}

void LiveLoop::follow(const Wishes& wishes, const Pointer& pointer, Events& events) {
    const Wanted wanted{wishes, pointer};
    holds_back_ = false;
    follow_source(wanted, events);
    follow_freeze(wanted);
    if (is_first()) {
        follow_models(wanted);
        follow_prompts(wanted);
        follow_shaders(wanted);
    }
    follow_tracking(wanted);
    if (outputs_.follow(wishes, events, status_)) again_ = true;
    follow_caption_search(wanted);
    follow_heads(wanted);
}

bool LiveLoop::collect(const Wishes& wishes, const Pointer& pointer) {
    const Wanted wanted{wishes, pointer};
    bool new_picture = false;
    try {
        while (std::optional<Done> done = path_.poll())
            new_picture = show(std::move(*done), wanted) || new_picture;
    } catch (const OutOfMemory& error) {
        if (!fitted_) throw;
        recover(error, *fitted_);
    }
    explain(wanted);
    // Many loops do not report with every step, which may have had nothing to do for them.
    const auto now = Clock::now();
    if (new_picture || shared_.loops.size() == 1 || now - last_report_ > 20ms) {
        last_report_ = now;
        report_choices(wanted);
        report(wanted);
    }
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
    } else {
        const uint64_t shown = shown_ ? shown_->result.info.index : 0;
        for (const Seek& seek : seeks) player_.seek(seek, shown);
    }
    // What is lost while the first models are made ready was not to be seen yet.
    if (!begun_) player_.forgive_drops();
    player_.play(wanted.wishes.frozen || !begun_, shown_.has_value(), wanted.wishes);
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
    if (!models_.ready() || !may_leave_models()) return;
    leave_models(wanted);  // the old ones are idle from here on
    models_.swap();
    prompts_.apply(wanted.wishes.prompts, models_.loaded());
    for (LiveLoop* loop : shared_.loops) {
        loop->too_large_.reset();
        loop->stats_.restart(loop->status_);
    }
    use_models();
}

bool LiveLoop::may_leave_models() {
    holds_back_ = std::ranges::any_of(
        shared_.loops, [&](const LiveLoop* loop) { return loop != this && !loop->path_.empty(); });
    return !holds_back_;
}

void LiveLoop::leave_models(const Wanted& wanted) {
    settle(wanted);
    for (LiveLoop* loop : shared_.loops) {
        loop->use({});
        loop->tracking_.stop();  // the classes are different
    }
}

void LiveLoop::use_models() {
    for (LiveLoop* loop : shared_.loops) loop->restart_results();
}

void LiveLoop::use(const Models& models) {
    explaining_.use(models, heads_off_);
    path_.use(models);
}

// The picture's results are made anew, by models without these heads.
void LiveLoop::follow_heads(const Wanted& wanted) {
    if (heads_off_ == wanted.wishes.look.heads_off) return;
    settle(wanted);
    use({});
    heads_off_ = wanted.wishes.look.heads_off;
    path_.switch_off(heads_off_);
    use(models());
    again_ = true;
}

// Knocks cells and heads out while the device is idle: until the next frame is due, or a person
// wants something else.
void LiveLoop::explain(const Wanted& wanted) {
    explains_ = false;
    // The models of several sources are prepared for one or the other.
    if (shared_.loops.size() > 1) return;
    if (!known() || !path_.empty() || shown_->awaits_models || again_) return;
    double ms = wanted.wishes.cause_budget_ms;
    if (!stands(wanted)) {
        constexpr double margin_ms = 2;
        const std::chrono::duration<double, std::milli> age =
            Clock::now() - shown_->result.info.captured;
        const double rate = status_.frames_per_second;
        ms = std::min(ms, rate > 0 ? 1000 / rate - age.count() - margin_ms : 0);
        if (player_.wait_for(0ms)) return;
    }
    if (explaining_.work(*shown_, path_.picture_of(shown_->frame), captions().caption(),
                         stands(wanted), holds(wanted.pointer), ms))
        again_ = true;  // to draw what is known now
    explains_ = again_ || (ms > 0 && !explaining_.done());
}

void LiveLoop::restart_results() {
    use(models());
    detector_stride_ = classifier_stride_ = {};
    ++status_.models_version;
    report_labels();
    tracking_.report(status_);  // counts of classes of the models before go with their names
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
    if (!prompts_.due(wanted.wishes.prompts, models_.loaded()) || !may_leave_models()) return;
    leave_models(wanted);
    prompts_.apply(wanted.wishes.prompts, models_.loaded());
    use_models();
}

void LiveLoop::follow_tracking(const Wanted& wanted) {
    const Wishes& wishes = wanted.wishes;
    // Lines and zones count tracks.
    const bool tracks = (wishes.look.track || !wishes.regions.all.empty()) && models().detector;
    const TrackerSettings settings = tracking_for(filter_of(wishes, models()).threshold);
    if (tracks && tracking_.counts_in(wishes.regions)) return tracking_.use(settings);
    if (!tracks && !tracking_.active()) return;
    // Frames on their way go on with the same tracker when only lines and zones change.
    if (!tracks || !tracking_.active()) settle(wanted);
    again_ = true;
    if (tracks)
        tracking_.start(settings, wishes.regions);
    else
        tracking_.stop();
}

void LiveLoop::follow_shaders(const Wanted& wanted) {
    if (!shaders_ || !shaders_->poll()) return;
    settle(wanted);
    for (LiveLoop* loop : shared_.loops) {
        loop->path_.drop();
        loop->path_.record_anew();
        loop->again_ = true;
    }
}

void LiveLoop::follow_caption_search(const Wanted& wanted) {
    if (shared_.captioned != this) return;
    const bool still = wanted.wishes.frozen || status_.player.still;
    status_.caption_note = models_.caption_note(still);
    if (!models_.searches_otherwise(still)) return;
    settle(wanted);
    use({});
    models_.search(still);
    use(models());
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

double LiveLoop::frame_ms() const { return shown_ ? stages_ms(shown_->result) : 0; }

bool LiveLoop::has_room() const { return path_.in_flight() < most_in_flight(frame_ms()); }

bool LiveLoop::queues() const { return !frozen_ && !has_room() && player_.wait_for(0ms); }

bool LiveLoop::stands(const Wanted& wanted) const {
    return wanted.wishes.frozen || status_.player.still || status_.player.at_end;
}

bool LiveLoop::complete() const {
    if (!shown_ || !path_.empty() || shown_->awaits_models || models_.loading()) return false;
    if (!path_.models().captioner) return true;
    return captions().frame().scene == shown_->result.info.scene && !captions().writing();
}

bool LiveLoop::seen_enough(const Wanted& wanted) const {
    if (wanted.pointer.tour) return false;
    const double pace = status_.player.rate * wanted.wishes.speed;
    return complete_ &&
           Clock::now() - *complete_ >= std::chrono::duration<double>(pace > 0 ? 1 / pace : 0);
}

std::optional<PathsTogether::Beginning> LiveLoop::offer(const Wishes& wishes,
                                                        const Pointer& pointer) {
    const Wanted wanted{wishes, pointer};
    if (const Target target = target_of(wanted); target != aimed_at_) {
        aimed_at_ = target;
        answers_after_ = path_.in_flight() + 1;
    }
    if (!has_room() || Clock::now() < memory_again_) return {};
    std::optional<TakenFrame> frame = next_frame(wanted);
    if (!frame) {
        if (repeat_shown(wanted)) has_begun(wishes, pointer);
        return {};
    }
    const FrameInfo& info = frame->info();
    if (info.size == too_large_) return {};
    try {
        if (!path_.has_room_for(*frame)) settle(wanted);  // it has another size
        FrameOrder order = order_next(info, wanted);
        return PathsTogether::Beginning{&path_, std::move(*frame), std::move(order)};
    } catch (const OutOfMemory& error) {
        recover(error, info.size);
        return {};
    }
}

void LiveLoop::has_begun(const Wishes& wishes, const Pointer& pointer) {
    drawn_for_ = drawn_for(wishes, target_of({wishes, pointer}));
    again_ = false;
}

std::optional<TakenFrame> LiveLoop::next_frame(const Wanted& wanted) {
    // The shown frame goes through the path once more before the next one, if it is wanted bare.
    const bool waits =
        wanted.wishes.frozen || outputs_.wants_bare() || (!begun_ && !player_.is_live());
    const bool stands_still = waits && shown_ && !player_.seeking();
    if (stands_still) return {};
    const bool passes = shown_ ? seen_enough(wanted) : path_.empty();
    if (player_.has_pictures() && !player_.seeking() && !passes) return {};
    return player_.take();
}

FrameOrder LiveLoop::order_next(const FrameInfo& frame, const Wanted& wanted) {
    const bool same = shown_ && shown_->result.info.scene == frame.scene;
    const Caption none;
    LastResult last = same ? last_result() : LastResult{none};
    last.frame = frame.size;
    FrameOrder order = order_for(wanted, last);
    order.detect = detector_stride_.next(wanted.wishes.detector_stride);
    order.classify = classifier_stride_.next(wanted.wishes.classifier_stride);
    if (player_.has_pictures()) order.detect = order.classify = true;
    if (player_.sought() && look_ms_ > quick_ms_) leave_to_models(order);
    return order;
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
    const LastResult last = last_result();
    FrameOrder order = order_for(wanted, last);
    bare_ = outputs_.wants_bare();
    if (bare_) {
        order.overlay.boxes = order.overlay.classes = order.overlay.caption = order.truth = false;
        order.attention.mode = AttentionMode::off;
        leave_out_effects(order);
        order.second.reset();
        order.window.reset();  // the window keeps its picture
    }
    // A frame gets one caption.
    order.caption.begin = order.caption.begin && last.caption.ids.empty();
    path_.repeat(std::move(shown_->frame), std::move(order));
}

FrameOrder LiveLoop::order_for(const Wanted& wanted, const LastResult& last) {
    FrameOrder order = order_of(wanted.wishes, target_of(wanted), models(), last);
    order.read_back.pixels = outputs_.wants_pixels();
    const Wishes::Look& look = wanted.wishes.look;
    if (look.tile) {
        order.window = tile_order(last.frame, *look.tile);
        order.second.reset();
    } else if (area(look.room) > 0) {
        order.window = window_order(last.frame, look.room, look.second);
    }
    tracking_.add_to(order);
    // A wall's sources that nobody watches are not drawn.
    order.draw = shared_.loops.size() == 1 || order.window || order.read_back != ReadBack() ||
                 !order.maps.empty();
    explaining_.add_to(order, wanted.wishes, known(), captions().caption());
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
    // A frame of another scene may have come after the picture was frozen.
    static const Caption none;
    const bool same = shown_ && shown_->result.info.scene == captions().frame().scene;
    LastResult last{same ? captions().caption() : none};
    if (shown_) last.frame = shown_->result.info.size;
    if (known() && known()->detections) last.found = *known()->detections;
    return last;
}

const FrameResult* LiveLoop::known() const {
    return shown_ && shown_by_ == status_.models_version ? &shown_->result : nullptr;
}

bool LiveLoop::show(Done done, const Wanted& wanted) {
    if (unseen_ > 0) {
        --unseen_;
        if (!done.repeated) return false;
    }
    const FrameResult before = shown_ ? std::move(shown_->result) : FrameResult();
    shown_ = std::move(done);
    if (shown_->awaits_models) again_ = true;
    // What is looked at can be chosen from what the models have found.
    if (shown_by_ != status_.models_version && stands(wanted)) again_ = true;
    shown_by_ = status_.models_version;
    if (shown_->first_look) look_ms_ = stages_ms(shown_->result);
    if (answers_after_ > 0) --answers_after_;
    tracking_.follow(target_of(wanted).query, before);
    if (!shown_->repeated) {
        models_.settle();
        stats_.add_frame(shown_->result, status_);
        fitted_ = shown_->result.info.size;
        shortages_ = 0;
    }
    explaining_.add_maps(*shown_, captions().caption());
    tracking_.score(*shown_);
    stats_.score(*shown_, wanted.wishes.look.filter, captions(), status_);
    if (std::exchange(bare_, false)) {
        outputs_.take_bare(shown_->picture, status_);
        again_ = true;
    } else {
        outputs_.take(shown_->picture);
    }
    if (on_shown_) on_shown_();
    return true;
}

void LiveLoop::settle(const Wanted& wanted) {
    while (!path_.empty()) show(path_.finish(), wanted);
}

void LiveLoop::recover(const OutOfMemory& error, Size frame) {
    if (status_.frames == 0) throw error;
    path_.drop();
    unseen_ = 0;
    for (LiveLoop* loop : shared_.loops) loop->use({});
    const bool undone = models_.undo(error.what());
    for (LiveLoop* loop : shared_.loops) {
        loop->use(loop->models());
        loop->report_labels();
    }
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
    return player_.in_state(CaptureState::ended) && path_.empty() && !player_.wait_for(0ms) &&
           (!player_.has_pictures() || !shown_ || complete());
}

bool LiveLoop::waits_for_person() const {
    if (!path_.empty() || models_.loading() || outputs_.recording()) return false;
    if (!player_.is_open()) return true;
    if (player_.seeking() || explains_) return false;
    return (drawn_for_ && drawn_for_->frozen) || status_.player.still ||
           player_.in_state(CaptureState::ended);
}

bool LiveLoop::waits_for_source() const {
    return path_.empty() && !models_.loading() && !outputs_.recording() && !player_.seeking() &&
           player_.in_state(CaptureState::lost);
}

void LiveLoop::rest() const {
    if (explains_) return;
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
    status_.richest = richest(models());
    if (models().detector) status_.sure_above = models().detector->sure_above();
    prompts_.report(status_, models_.loaded());
}

void LiveLoop::report(const Wanted& wanted) {
    status_.name = wanted.wishes.name;
    player_.report(status_, shown_ ? &shown_->result.info : nullptr);
    stats_.report(status_);
    outputs_.report(status_);
    models_.report(status_);
    tracking_.report(status_);
    explaining_.report(status_, known(), captions().caption());
    report_work(wanted);
    if (shaders_) status_.shader_error = shaders_->error();
    const auto now = Clock::now();
    if (last_log_ && now - *last_log_ < 1s) return;
    last_log_ = now;
    if (status_.tracks) tracking_.report_score(*status_.tracks);
    status_.memory = engine_.device().memory();
    log_status(wanted);
}

void LiveLoop::report_work(const Wanted& wanted) {
    const auto now = Clock::now();
    if (!complete())
        complete_.reset();
    else if (!complete_)
        complete_ = now;
    status_.complete = complete_.has_value();
    status_.stands = shown_ && (stands(wanted) || player_.has_pictures());
    if (shown_ && path_.empty() && !again_ && !models_.loading() && !models_.ready()) begun_ = true;
    const bool still = status_.stands;
    std::string what;
    if (player_.seeking())
        what = "looking for the frame";
    else if (shown_ && (!path_.empty() || again_ || captions().writing()) &&
             (still || answers_after_ > 0))
        what = still && captions().writing() ? "writing the caption" : "looking at the picture";
    if (what.empty())
        working_.reset();
    else if (!working_)
        working_ = now;
    status_.working = working_ && now - *working_ >= noticed ? what : "";
}

void LiveLoop::log_status(const Wanted& wanted) const {
    char pace[96] = "the picture stands still";
    if (!status_.stands)
        std::snprintf(pace, sizeof pace, "%.1f frames/s, %llu dropped, %.0f ms old",
                      status_.frames_per_second, static_cast<unsigned long long>(status_.dropped),
                      status_.latency_ms);
    const std::string name = status_.name.empty() ? "" : status_.name + ": ";
    spdlog::info("{}{} frames, {}, memory: GPU {:.1f} MiB, host {:.1f} MiB{}", name, status_.frames,
                 pace, double(status_.memory.device_bytes) / (1 << 20),
                 double(status_.memory.host_bytes) / (1 << 20),
                 wanted.wishes.frozen ? ", frozen" : "");
}

}  // namespace saccade
