#include "app/live/loop.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "app/draw/heat_map.h"
#include "app/hub/model_finder.h"
#include "app/io/picture_file.h"
#include "app/pipeline/attention_choice.h"
#include "app/pipeline/models_in_use.h"
#include "app/sources/open_source.h"
#include "gpu/core/error.h"

namespace saccade {

namespace {

using namespace std::chrono_literals;

bool filters_the_same(const LiveState& a, const LiveState& b) {
    return a.threshold == b.threshold && a.only == b.only && a.most == b.most &&
           a.least_scores == b.least_scores;
}

// What changes the drawing of a picture that stands still.
bool looks_the_same(const LiveState& a, const LiveState& b) {
    return a.frozen == b.frozen && a.boxes == b.boxes && a.caption == b.caption &&
           a.classes == b.classes && a.truth == b.truth && a.attention == b.attention &&
           a.word == b.word && a.query == b.query && a.held == b.held && a.overview == b.overview &&
           a.asked == b.asked && filters_the_same(a, b) && a.phrase == b.phrase &&
           a.planes == b.planes && a.outlines == b.outlines && a.looks == b.looks &&
           a.track == b.track &&
           a.recording == b.recording && a.screenshots == b.screenshots &&
           (a.attention.mode == AttentionMode::off || a.pointer == b.pointer);
}


// Of what is there, what was asked for.
Truth truth_of(Truth truth, const std::set<std::string>& only) {
    if (!only.empty())
        std::erase_if(truth.objects, [&](const TrueObject& o) { return !only.contains(o.label); });
    return truth;
}

std::string describe(const CaptureStatus& status, const std::string& source) {
    switch (status.state) {
        case CaptureState::connecting:
            return "opening " + source + (status.reason.empty() ? "" : ": " + status.reason);
        case CaptureState::lost:
            return status.reason;
        case CaptureState::ended:
            return status.reason;
        case CaptureState::playing:
            break;
    }
    return "";
}

// Those that are here come first.
std::vector<KnownModel> known_models(Task task) {
    const ModelPlaces places = ModelPlaces::of_this_machine();
    std::vector<KnownModel> known;
    for (const CatalogueModel& model : catalogue()) {
        if (model.task != task) continue;
        const bool here = model.bundled() ? bundled_model(model.name, places).has_value()
                                          : cached_model({model.name, std::nullopt}, places.hub,
                                                         StoredWeights::safetensors)
                                                .has_value();
        if (here || !model.bundled()) known.push_back({model.name, here, model.megabytes});
    }
    std::ranges::stable_partition(known, &KnownModel::here);
    return known;
}

CaptionOptions greedy() {
    CaptionOptions options;
    options.beams = 1;
    return options;
}

template <typename Model>
void tell_model(ModelReport& report, const SwappedModel<Model>& slot) {
    report.name = slot.name() == "none" ? "" : slot.name();
    report.loading = slot.loading() == "none" ? "" : slot.loading();
    report.progress = slot.progress();
    if (slot.error() != report.error && !slot.error().empty()) spdlog::error("{}", slot.error());
    report.error = slot.error();
}

template <typename Model>
void require(const SwappedModel<Model>& slot) {
    if (!slot.error().empty()) throw Error(slot.error());
}

}  // namespace

LiveLoop::LiveLoop(Engine& engine, const CaptureOptions& capture, std::filesystem::path folder,
                   const LivePlace& from)
    : engine_(engine),
      capture_options_(capture),
      detector_([&engine](const std::string& name, LoadProgress progress) {
          return std::make_unique<Detector>(
              Detector::open(engine.device(), find_model(name), engine.precision(),
                             std::move(progress), Tokenizer::open));
      }),
      classifier_([&engine](const std::string& name, LoadProgress progress) {
          return std::make_unique<Classifier>(
              Classifier::open(engine.device(), find_model(name), engine.precision(),
                               std::move(progress), Tokenizer::open));
      }),
      captioner_([&engine](const std::string& name, LoadProgress progress) {
          auto own = std::make_unique<OwnCaptioner>();
          own->scratch = std::make_unique<Arena>(engine.device(), "captioner's scratch");
          own->captioner = std::make_unique<Captioner>(
              Captioner::open(engine.device(), *own->scratch, find_model(name), Tokenizer::open,
                              engine.precision(), std::move(progress)));
          own->beams = own->captioner->generation().beams;
          own->searches = own->beams == 1;
          if (!own->searches) own->captioner->use(greedy());
          return own;
      }),
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

Models LiveLoop::loaded() const {
    const OwnCaptioner* own = captioner_.model();
    return {detector_.model(), classifier_.model(), own ? own->captioner.get() : nullptr};
}

Models LiveLoop::models() const { return ToldWords::ready(loaded()); }

LastSeen LiveLoop::last_seen() const {
    LastSeen seen{captions().caption()};
    if (shown_) seen.frame = shown_->result.info.size;
    if (shown_ && shown_->result.detections) seen.found = *shown_->result.detections;
    return seen;
}

LivePlace LiveLoop::place() const { return {finished_, begun_}; }

bool LiveLoop::step(LiveState& state) {
    follow_source(state);
    follow_models(state);
    follow_words(state);
    follow_tracking(state);
    const bool new_shaders = follow_shaders(state);
    follow_feed(state);
    search_captions(state);
    Looker looker = choose_looker(state, models(), last_seen());
    if (looker.token == Looker::Token::none) looker = looker_under_mouse(state, models());
    state.layers = report_.layers = layers_of(looker, models());
    state.heads = report_.heads = heads_of(looker, state.attention, models());
    if (!screenshots_) screenshots_ = state.screenshots;
    if (!pages_) pages_ = state.pages;
    if (state.recording != recorder_.recording()) {
        if (state.recording)
            recorder_.start();
        else
            recorder_.stop(seconds_now());
    }
    again_ = again_ || new_shaders;
    advance(state);
    bool finished = false;
    while (std::optional<Done> done = path_.poll()) {
        show(std::move(*done), state);
        finished = true;
    }
    tell(state);
    return finished;
}

void LiveLoop::show(Done done, LiveState& state) {
    const FrameResult before = shown_ ? std::move(shown_->result) : FrameResult();
    shown_ = std::move(done);
    if (tracker_) follow_track(state, before);
    if (!shown_->repeated) {
        detector_.settle();
        classifier_.settle();
        captioner_.settle();
        count_frame();
    }
    score_frame(state);
    if (std::exchange(bare_, false)) return write_bare_frame(state);
    take_picture(state);
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

void LiveLoop::count_frame() {
    ++finished_;
    const auto now = Clock::now();
    if (last_frame_) frame_seconds_.add(std::chrono::duration<float>(now - *last_frame_).count());
    last_frame_ = now;
    for (const auto& [stage, ms] : shown_->result.ms) note_time(stage, ms);
    frame_gpu_ms_.add(static_cast<float>(std::exchange(gpu_ms_, 0)));
}

void LiveLoop::note_time(std::string_view stage, double ms) {
    report_.stages.add(stage, ms);
    gpu_ms_ += ms;
}

// Another source, model or filter begins another account.
void LiveLoop::score_frame(const LiveState& state) {
    const FrameResult& shown = shown_->result;
    if (!scored_ || !filters_the_same(*scored_, state)) {
        report_.score.reset();
        scored_ = state;
    }
    if (shown_->detected && !shown_->repeated && tracker_) identities_.add(shown);
    if (shown.info.truth && !report_.score) report_.score.emplace();
    if (shown_->detected && !shown_->repeated && shown.info.truth)
        report_.score->add(*shown.detections, report_.labels,
                           truth_of(*shown.info.truth, state.only));
    const std::optional<Truth>& truth = captions().frame().truth;
    if (shown_->caption_ended && truth && report_.score)
        report_.score->add_caption(captions().caption().text, *truth);
}

void LiveLoop::follow_tracking(LiveState& state) {
    // Lines and zones count tracks, so there have to be some.
    const bool wanted = (state.track || !state.regions.all.empty()) && models().detector;
    const TrackerSettings how = tracking_for(filter_of(state, models()).threshold);
    if (wanted && tracker_ && regions_ == state.regions)
        return tracker_->use(how);
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
    if (state.source == source_) return follow_player(state);
    source_ = state.source;
    source_error_.clear();
    too_large_.reset();
    capture_.reset();
    path_.drop();
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
        feed_ = feed_target_.empty() ? nullptr : std::make_unique<Feed>(feed_target_);
        again_ = true;
    }
    if (!feed_) return;
    if (const std::optional<std::string> trouble = feed_->trouble()) {
        spdlog::error("{}", *trouble);
        report_.notice = *trouble;
        notice_time_ = Clock::now();
        feed_.reset();
    }
}

void LiveLoop::follow_player(const LiveState& state) {
    if (!capture_) return;
    capture_->play_as({.paused = state.frozen,
                       .speed = state.speed,
                       .loop = capture_options_.loop && state.loop});
    if (std::exchange(seek_, state.seek.number) == state.seek.number) return;
    capture_->seek(state.seek.frame);
    awaiting_ = !report_.player.live && !report_.player.still;
}

// Beams are sorted on the host after every word, and a picture that moves would wait for that. So
// captions are greedy then; a picture that stands still gets the search that the model's files ask
// for.
void LiveLoop::search_captions(LiveState& state) {
    OwnCaptioner* own = captioner_.model();
    report_.caption_note.clear();
    if (!own || own->beams <= 1) return;
    const bool full = state.frozen || report_.player.still;
    report_.caption_note =
        full ? "by " + std::to_string(own->beams) + " beams, as the model's files ask for"
             : "greedy while the picture moves; by " + std::to_string(own->beams) +
                   " beams when it is frozen";
    if (own->searches == full) return;
    settle(state);
    path_.use({});
    own->captioner->use(full ? CaptionOptions() : greedy());
    own->searches = full;
    path_.use(models());
    again_ = true;
}

void LiveLoop::follow_models(LiveState& state) {
    const Imagery imagery = imagery_of(state.source);
    detector_.want(model_or_default(state.detector, Task::detect, imagery));
    classifier_.want(model_or_default(state.classifier, Task::classify, imagery));
    captioner_.want(model_or_default(state.captioner, Task::caption, imagery));
    if (!detector_.ready() && !classifier_.ready() && !captioner_.ready()) return;
    settle(state);
    path_.use({});  // nobody uses the old ones any more
    tracker_.reset();
    auto swap = [](auto& slot) {
        if (slot.ready()) slot.swap();
    };
    swap(detector_);
    swap(classifier_);
    swap(captioner_);
    told_.tell(state.words, loaded());
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
        if (!shown_ || !detector_.model() || !detector_.model()->phrases()) continue;
        settle(state);
        shown.push_back(
            path_.example_in(*detector_.model(), shown_->frame, drawn.box, name_of(drawn)));
        again_ = true;
    }
    if (shown != told_.shown()) told_.show(std::move(shown));
}

// Whoever types does not wait for a model: its phrases are others from the next frame on.
void LiveLoop::follow_words(LiveState& state) {
    follow_examples(state);
    if (!told_.due(state.words, loaded())) return;
    settle(state);
    path_.use({});
    tracker_.reset();  // classes are others
    told_.tell(state.words, loaded());
    begin_anew(state);
}

void LiveLoop::tell_labels() {
    report_.labels = detector_.model() ? detector_.model()->labels() : std::vector<std::string>();
    told_.report(report_, loaded());
}

void LiveLoop::wait_for_models(const LiveState& state) {
    LiveState wanted = state;
    for (;;) {
        follow_models(wanted);
        require(detector_);
        require(classifier_);
        require(captioner_);
        if (detector_.loading().empty() && classifier_.loading().empty() &&
            captioner_.loading().empty())
            break;
        std::this_thread::sleep_for(2ms);
    }
    if (!told_.error().empty()) throw Error(told_.error());
    const Models here = loaded();
    if (!here.detector && !state.words.find.empty()) throw Error("--find needs a --detector");
    if (!here.detector && !state.words.like.empty()) throw Error("--like needs a --detector");
    if (!here.classifier && !state.words.labels.empty())
        throw Error("--labels needs a --classifier");
    if (!here.captioner && !state.words.question.empty()) throw Error("--ask needs a --captioner");
    for (const std::string& name : state.only)
        if (std::ranges::find(report_.labels, name) == report_.labels.end())
            throw Error("'" + detector_.name() + "' has no class '" + name + "'");
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
    if (!has_room()) return;
    const bool enough = most_frames_ > 0 && finished_ + path_.in_flight() >= most_frames_;
    std::optional<TakenFrame> frame;
    if ((!state.frozen || awaiting_) && capture_ && !enough) frame = capture_->take();
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
    path_.use({});
    bool undone = false;
    auto undo = [&](auto& slot) {
        const std::string name = slot.name();
        if (slot.undo("'" + name + "' does not fit: " + error.what())) undone = true;
    };
    undo(detector_);
    undo(classifier_);
    undo(captioner_);
    path_.use(models());
    tell_labels();
    if (undone) return;
    too_large_ = frame;
    spdlog::error(
        "frames of {}x{} do not fit, the last picture stays: {}; smaller frames (--size) would do",
        frame.x, frame.y, error.what());
}

FrameOrder LiveLoop::order_for(const LiveState& state, const LastSeen& seen) {
    FrameOrder order = order_of(state, models(), seen);
    order.read_back.pixels = wants_pixels(state);
    if (!tracker_) return order;
    order.tracker = &*tracker_;
    const bool maps_follow =
        std::ranges::any_of(order.maps, [](const MapOrder& map) { return map.track > 0; });
    if (followed_ > 0 || maps_follow)
        order.decide = [number = followed_](FrameOrder& frame_order, const FrameResult& known) {
            if (number > 0) look_from_track(frame_order, known, number);
            for (MapOrder& map : frame_order.maps) look_from_track(map, known);
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

const Image* LiveLoop::picture() const { return shown_ ? shown_->image : nullptr; }

void LiveLoop::was_shown() {
    if (!shown_ || shown_->repeated) return;
    const std::chrono::duration<double, std::milli> age =
        Clock::now() - shown_->result.info.captured;
    report_.latency_ms = age.count();
}

bool LiveLoop::over() const {
    if (too_large_) return true;
    if (!capture_) return !source_error_.empty();
    return capture_->status().state == CaptureState::ended && path_.empty() &&
           !capture_->wait_for(0ms);
}

bool LiveLoop::waits_for_person() const {
    if (!path_.empty() || !detector_.loading().empty() || !classifier_.loading().empty() ||
        !captioner_.loading().empty() || recorder_.recording())
        return false;
    if (!capture_) return true;
    if (awaiting_) return false;
    return (drawn_ && drawn_->frozen) || report_.player.still ||
           capture_->status().state == CaptureState::ended;
}

void LiveLoop::rest() const {
    if (!path_.empty())
        std::this_thread::sleep_for(500us);  // a frame or the device, whichever comes first
    else if (!capture_ || waits_for_person())
        std::this_thread::sleep_for(5ms);
    else
        capture_->wait_for(5ms);
}

void LiveLoop::tell_player(const CaptureStatus& status) {
    PlayerReport& player = report_.player;
    player.live = status.traits.live || status.traits.name.empty();
    player.frames = status.traits.frames;
    player.still = !player.live && player.frames == 1;
    player.rate = status.traits.rate;
    if (!shown_) return;
    player.frame = shown_->result.info.index;
    player.time = shown_->result.info.time;
    player.name = shown_->result.info.source;
}

void LiveLoop::tell_tracks() {
    if (!tracker_) return report_.tracks.reset();
    if (!report_.tracks) report_.tracks.emplace();
    TrackReport& tracks = *report_.tracks;
    tracks.seen = tracks.lost = 0;
    tracks.lost_numbers.clear();
    for (const Track& track : tracker_->tracker().tracks()) {
        if (track.number == 0) continue;
        ++(track.lost ? tracks.lost : tracks.seen);
        if (track.lost) tracks.lost_numbers.push_back(track.number);
    }
    tracks.numbers = tracker_->tracker().numbers();
    tracks.found_again = tracker_->tracker().found_again();
    if (const RegionCounter* counter = tracker_->counter()) tracks.counts = counter->counts();
}

void LiveLoop::tell(const LiveState& state) {
    report_.source = source_;
    if (capture_) {
        const CaptureStatus status = capture_->status();
        report_.source_state = describe(status, source_);
        report_.source_missing =
            status.state == CaptureState::lost && kind_of_source(source_) != SourceKind::stream;
        // What nobody wanted to see is not missing.
        if (state.frozen && status.dropped > dropped_) forgiven_ += status.dropped - dropped_;
        dropped_ = status.dropped;
        report_.dropped = status.dropped - std::min(forgiven_, status.dropped);
        tell_player(status);
    } else {
        report_.source_state = source_error_;
        report_.source_missing = false;
    }
    report_.frames = finished_;
    const float seconds = frame_seconds_.mean();
    report_.frames_per_second = seconds > 0 ? 1 / double(seconds) : 0;
    if (seconds > 0)
        report_.gpu_idle = std::clamp(1 - double(frame_gpu_ms_.mean() / 1000 / seconds), 0.0, 1.0);
    report_.recorded_seconds = recorder_.seconds();
    tell_model(report_.detector, detector_);
    tell_model(report_.classifier, classifier_);
    tell_model(report_.captioner, captioner_);
    if (shaders_) report_.shader_error = shaders_->error();
    const auto now = Clock::now();
    if (std::optional<std::string> news = recorder_.news()) {
        spdlog::info("{}", *news);
        report_.notice = std::move(*news);
        notice_time_ = now;
    } else if (notice_time_ && now - *notice_time_ > 4s) {
        report_.notice.clear();
        notice_time_.reset();
    }
    tell_tracks();
    if (last_told_ && now - *last_told_ < 1s) return;
    if (report_.tracks) {
        report_.tracks->idf1 = identities_.idf1();
        report_.tracks->mota = identities_.mota();
        report_.tracks->switches = identities_.switches();
    }
    last_told_ = now;
    report_.memory = engine_.device().memory();
    spdlog::info(
        "{} frames, {:.1f} frames/s, {} dropped, {:.0f} ms old, memory: GPU {:.1f} MiB, "
        "host {:.1f} MiB{}",
        report_.frames, report_.frames_per_second, report_.dropped, report_.latency_ms,
        double(report_.memory.device_bytes) / (1 << 20),
        double(report_.memory.host_bytes) / (1 << 20), state.frozen ? ", frozen" : "");
}

}  // namespace saccade
