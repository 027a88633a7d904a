#include "app/commands/live.h"

#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

#include "app/io/interrupts.h"
#include "app/io/print.h"
#include "app/io/text.h"
#include "app/live/loop.h"
#include "app/live/settings.h"
#include "app/live/view/live_window.h"
#include "app/pipeline/device_loss.h"
#include "app/serve/live_viewers.h"
#include "app/serve/web/server.h"
#include "app/track/region_store.h"
#include "gpu/core/check.h"
#include "gpu/core/error.h"
#include "models/contrast/phrases.h"

namespace saccade {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

AttentionMode mode_named(const std::string& name) {
    // --attention's names are about whose attention it is; that is what the mouse chooses here.
    if (name == "none") return AttentionMode::off;
    if (name == "cls" || name == "detection" || name == "word") return AttentionMode::mean;
    for (AttentionMode mode : attention_modes)
        if (name == name_of(mode)) return mode;
    throw Error("--attention knows no '" + name + "'");
}

// What the command line says goes before what was remembered.
LiveState first_state(const LiveOptions& options, const Settings& settings) {
    LiveState state = settings.state;
    state.source = options.source;
    state.detector = options.models.detector;
    state.classifier = options.models.classifier;
    state.captioner = options.models.captioner;
    state.words = {options.models.find, options.models.labels, options.models.question,
                   options.models.like};
    if (options.threshold) {
        state.threshold = static_cast<float>(*options.threshold);
        if (!options.models.find.empty())
            for (const std::string& phrase : phrases_in(options.models.find, "--find"))
                state.least_scores[phrase] = *state.threshold;
    }
    state.only = {options.classes.begin(), options.classes.end()};
    state.most = options.most;
    if (options.attention) state.attention.mode = mode_named(*options.attention);
    if (options.layer) state.attention.layer = *options.layer;
    if (options.head) state.attention.head = *options.head;
    for (PresentMode mode : {PresentMode::fifo, PresentMode::mailbox, PresentMode::immediate})
        if (options.present_mode == name_of(mode)) state.present_mode = mode;
    if (options.full_screen) state.full_screen = true;
    state.feed = options.to;
    if (options.truth) state.truth = true;
    if (options.track) state.track = true;
    if (!options.zones.empty()) state.regions = read_regions(options.zones);
    if (options.stride) state.detector_stride = state.classifier_stride = *options.stride;
    return state;
}

CaptureOptions capture_options(const LiveOptions& options) {
    CaptureOptions capture;
    capture.source = options.camera;
    capture.loop = options.loop && options.frames == 0;
    capture.stays = !options.headless && options.frames == 0;
    return capture;
}

// "door: 2 dog in, 1 cat out"
std::string counted_by(const RegionCounts& region, const std::vector<std::string>& labels) {
    std::string line;
    auto add = [&](uint32_t count, uint32_t id, const char* how) {
        if (count == 0) return;
        const std::string label = id < labels.size() ? labels[id] : std::to_string(id);
        line += (line.empty() ? "" : ", ") + std::to_string(count) + " " + label + how;
    };
    for (const RegionCounts::OfClass& of : region.classes) {
        add(of.in, of.id, " in");
        add(of.out, of.id, " out");
        if (region.zone) add(of.inside, of.id, " inside");
    }
    return region.name + ": " + (line.empty() ? "nothing yet" : line);
}

std::string summary(const LiveReport& report, double seconds) {
    char text[200];
    std::snprintf(text, sizeof text,
                  "%llu frames in %.1f s, %.1f frames/s, %llu dropped, %.0f ms from capture to "
                  "screen, GPU idle %.0f %%\n",
                  static_cast<unsigned long long>(report.frames), seconds,
                  seconds > 0 ? double(report.frames) / seconds : 0,
                  static_cast<unsigned long long>(report.dropped), report.latency_ms,
                  100 * report.gpu_idle);
    std::string lines = text;
    if (report.score && report.score->objects().count() > 0) {
        const Tally& objects = report.score->objects();
        std::snprintf(text, sizeof text, "precision %.3f, recall %.3f against the scene's truth\n",
                      objects.precision(), objects.recall());
        lines += text;
    }
    if (report.tracks) {
        const TrackReport& tracks = *report.tracks;
        std::snprintf(text, sizeof text, "%u tracks, %u found again", tracks.numbers,
                      tracks.found_again);
        lines += text;
        std::snprintf(text, sizeof text, ": IDF1 %.3f, MOTA %.3f, %llu identity switches",
                      tracks.idf1, tracks.mota, static_cast<unsigned long long>(tracks.switches));
        lines += (report.score ? text : "") + std::string("\n");
        for (const RegionCounts& region : tracks.counts)
            lines += counted_by(region, report.labels) + "\n";
    }
    if (report.score && report.score->captions() > 0)
        lines += std::to_string(report.score->right_captions()) + " of " +
                 std::to_string(report.score->captions()) + " captions right to the word\n";
    for (const StageTimes::Stage& stage : report.stages.stages) {
        std::snprintf(text, sizeof text, "  %-12s %8.2f ms\n", stage.name.c_str(),
                      double(stage.ms.mean()));
        lines += text;
    }
    return lines;
}

// A window shows why there is no picture, and waits. Without one, nobody sees that.
bool lacks_camera(const LiveReport& report) { return report.frames == 0 && report.source_missing; }

struct Ended {
    LiveReport report;
    bool frames_fit;
};

// Until it ends, or the device is lost. `place` is then where it was; `start` is when models were
// there for the first time.
Ended run_on(Engine& engine, const LiveOptions& options, LiveState& state, LivePlace& place,
             std::optional<Clock::time_point>& start, LiveViewers* viewers) {
    LiveLoop loop(engine, capture_options(options), std::filesystem::current_path(), place);
    loop.end_after(options.frames);
    try {
        // Who watches may say what is to be found, unless he only looks.
        loop.wait_for_models(state, viewers && !options.serve.read_only);
        if (!start) start = Clock::now();
        while (!Interrupts::came() && !loop.over() &&
               (options.frames == 0 || loop.report().frames < options.frames)) {
            if (viewers) viewers->ask(state);
            const bool new_picture = loop.step(state);
            if (new_picture) loop.was_shown();
            if (viewers) viewers->show(loop, state, new_picture);
            if (!new_picture) loop.rest();
            // Without viewers, nobody would see the rest. Both have been said.
            if (!viewers && (lacks_camera(loop.report()) || loop.report().feed_failed)) break;
        }
        loop.end_feed();
    } catch (const DeviceLost&) {
        place = loop.place();
        throw;
    }
    return {loop.report(), loop.frames_fit()};
}

// Without a window: for browsers, or for nobody.
int run_headless(const LiveOptions& options) {
    const Interrupts interrupts;
    Settings defaults;
    LiveState state = first_state(options, defaults);
    const std::unique_ptr<Server> server =
        open_server(options.serve, "Saccade: " + without_password(options.source));
    std::optional<LiveViewers> viewers;
    if (server) {
        viewers.emplace(server->exchange(), Offered::at_start(state, options.offered),
                        state.attention, RegionStore(drawn_regions_folder()));
        // Everybody draws what he wants to see himself.
        state.boxes = state.caption = state.classes = false;
        state.attention.mode = AttentionMode::off;
    } else {
        KeptRegions kept{RegionStore(drawn_regions_folder())};
        const std::string trouble = kept.follow(state.source, state.regions);
        if (!trouble.empty()) spdlog::error("{}", trouble);
    }
    std::unique_ptr<Engine> engine = std::make_unique<Engine>(options.common.engine());
    spdlog::info("running on {}", engine->device().info().name);
    LivePlace place;
    DeviceLosses losses;
    std::optional<Clock::time_point> start;
    for (;;) try {
            const auto [report, fit] =
                run_on(*engine, options, state, place, start, viewers ? &*viewers : nullptr);
            if (!viewers && (lacks_camera(report) || report.feed_failed)) return 1;
            print(summary(report, std::chrono::duration<double>(Clock::now() - *start).count()));
            // A source that never gave a picture is no success.
            return fit && !report.feed_failed && (report.frames > 0 || Interrupts::came()) ? 0 : 1;
        } catch (const DeviceLost& lost) {
            losses.tell(lost);
            engine.reset();
            engine = open_again(options.common.engine());
        }
}

}  // namespace

int live(const LiveOptions& options) {
    if (options.headless || !options.serve.address.empty()) return run_headless(options);
    const Interrupts interrupts;
    const auto start = Clock::now();
    try {
        const std::filesystem::path path = settings_file();
        const Settings settings = read_settings(path);
        LiveWindow window({.state = first_state(options, settings),
                           .settings = settings,
                           .settings_path = path,
                           .engine = options.common.engine(),
                           .capture = capture_options(options),
                           .frames = options.frames});
        window.run();
        if (!options.common.quiet)
            print(summary(window.report(),
                          std::chrono::duration<double>(Clock::now() - start).count()));
    } catch (const NoDisplay& error) {
        throw NoDisplay(std::string(error.what()) +
                        "; --serve 8080 shows it in a browser, 'saccade batch' writes videos, and "
                        "--headless runs the loop without a window");
    }
    return 0;
}

void add_live_command(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<LiveOptions>();
    CLI::App& command = *app.add_subcommand("live", "Watch a camera, a stream or a video");
    command
        .add_option("source", options->source,
                    "Camera number or device, video file, rtsp or http URL, folder or glob of "
                    "pictures, synth:, screen:")
        ->type_name("SOURCE")
        ->capture_default_str();
    add_model_options(command, options->models);
    add_words_options(command, options->models);
    command.add_option("--threshold", options->threshold, "Leave out what scores no more")
        ->check(CLI::Range(0.0, 1.0).description(""))
        ->type_name("P");
    command.add_option("--classes", options->classes, "Show only these")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("A,B");
    command
        .add_option("--max-detections", options->most,
                    "Keep at most the N best detections of a frame")
        ->check(CLI::Range(1, 65536).description(""))
        ->type_name("N")
        ->capture_default_str();
    command.add_option("--attention", options->attention, "Maps of attention to begin with")
        ->check(CLI::IsMember({"none", "rollout", "cls", "head", "detection", "word", "mean", "max",
                               "grid", "similarity", "colours"})
                    .description(""))
        ->type_name("none|rollout|mean|max|head|grid|similarity|colours");
    command
        .add_option("--stride", options->stride, "Detector and classifier look at every n-th frame")
        ->check(CLI::Range(1, 1000).description(""))
        ->type_name("N");
    command.add_flag("--track", options->track,
                     "Give the same thing the same number in every frame");
    add_zones_option(command, options->zones);
    command.add_flag("--truth", options->truth,
                     "Draw what is really there, too, where the source knows: synth: does");
    command.add_option("--layer", options->layer, "The layer to look into, from 0 on")
        ->type_name("L");
    command.add_option("--head", options->head, "The head to look at, from 0 on")->type_name("H");
    add_size_option(command, options->camera.size, "What to ask a camera for");
    command.add_option("--rate", options->camera.rate, "Frames a second to ask a camera for")
        ->type_name("FPS");
    command
        .add_option("--pixel-format", options->camera.pixel_format,
                    "Four letters to ask a camera for, like MJPG")
        ->type_name("FOUR");
    command.add_flag_callback(
        "--no-loop", [options] { options->loop = false; },
        "A file does not begin again at its end");
    command.add_option("--present", options->present_mode, "How pictures go on screen")
        ->check(CLI::IsMember({"fifo", "mailbox", "immediate"}).description(""))
        ->type_name("fifo|mailbox|immediate");
    command.add_flag("--full-screen", options->full_screen, "Begin with the whole screen");
    add_serve_options(command, options->serve);
    command
        .add_option("--offer", options->offered, "Another source that those who watch may choose")
        ->needs("--serve")
        ->allow_extra_args(false)
        ->type_name("SOURCE");
    command
        .add_option("--to", options->to,
                    "Also send annotated frames to a virtual camera (/dev/videoN of v4l2loopback), "
                    "or as MPEG-TS to udp://HOST:PORT, a pipe or a file")
        ->type_name("TARGET");
    command.add_flag("--headless", options->headless, "The same loop without a window");
    command.add_option("--frames", options->frames, "Stop after N frames")->type_name("N");
    add_common_options(command, options->common);
    command.footer(
        "Examples:\n"
        "  saccade live\n"
        "  saccade live rtsp://camera.local/stream --detector facebook/detr-resnet-50\n"
        "  saccade live synth: --attention rollout\n"
        "  saccade live 0 --serve 8080\n"
        "  saccade live 0 --to /dev/video9\n"
        "  saccade live clip.mp4 --headless --frames 300 --verbose");
    command.callback([options, &exit_code] {
        set_up_log(options->common);
        exit_code = live(*options);
    });
}

}  // namespace saccade
