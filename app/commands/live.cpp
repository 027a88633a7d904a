#include "app/commands/live.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <memory>

#include "app/io/interrupts.h"
#include "app/io/print.h"
#include "app/io/text.h"
#include "app/live/headless.h"
#include "app/live/state/settings.h"
#include "app/live/view/live_window.h"
#include "app/serve/live_viewers.h"
#include "app/serve/web/server.h"
#include "app/track/region_store.h"
#include "gpu/core/error.h"
#include "models/contrast/phrases.h"

namespace saccade {

namespace {

using Clock = std::chrono::steady_clock;

AttentionMode mode_named(const std::string& name) {
    // Names of batch and inspect choose the token; here the mouse does.
    if (name == "none") return AttentionMode::off;
    if (name == "cls" || name == "detection" || name == "word") return AttentionMode::mean;
    for (AttentionMode mode : attention_modes)
        if (name == name_of(mode)) return mode;
    throw Error("--attention knows no '" + name + "'");
}

// The command line goes before what was remembered.
Wishes first_wishes(const LiveOptions& options, const Settings& settings) {
    Wishes wishes = settings.wishes;
    wishes.source = options.source;
    wishes.detector = options.models.detector;
    wishes.classifier = options.models.classifier;
    wishes.captioner = options.models.captioner;
    wishes.prompts = {options.models.find, options.models.labels, options.models.question,
                      options.models.like};
    Wishes::Filter& filter = wishes.look.filter;
    if (options.threshold) {
        filter.threshold = static_cast<float>(*options.threshold);
        if (!options.models.find.empty())
            for (const std::string& phrase : phrases_in(options.models.find, "--find"))
                filter.least_scores[phrase] = *filter.threshold;
    }
    filter.only = {options.classes.begin(), options.classes.end()};
    filter.most = options.most;
    AttentionState& attention = wishes.look.attention;
    if (options.attention) attention.mode = mode_named(*options.attention);
    if (options.layer) attention.layer = *options.layer;
    if (options.head) attention.head = *options.head;
    for (PresentMode mode : {PresentMode::fifo, PresentMode::mailbox, PresentMode::immediate})
        if (options.present_mode == name_of(mode)) wishes.window.present_mode = mode;
    if (options.full_screen) wishes.window.full_screen = true;
    wishes.feed = options.to;
    if (options.truth) wishes.look.truth = true;
    if (options.track) wishes.look.track = true;
    if (!options.zones.empty()) wishes.regions = read_regions(options.zones);
    if (options.stride) wishes.detector_stride = wishes.classifier_stride = *options.stride;
    return wishes;
}

CaptureOptions capture_options(const LiveOptions& options) {
    CaptureOptions capture;
    capture.source = options.camera;
    capture.loop = options.loop && options.frames == 0;
    capture.stays = !options.headless && options.frames == 0;
    return capture;
}

int live_without_window(const LiveOptions& options) {
    const Interrupts interrupts;
    HeadlessOptions headless{.wishes = first_wishes(options, {}),
                             .engine = options.common.engine(),
                             .capture = capture_options(options),
                             .frames = options.frames};
    const std::unique_ptr<Server> server =
        open_server(options.serve, "Saccade: " + without_password(options.source));
    if (!server) return run_headless(headless);
    LiveViewers viewers(server->exchange(), Offered::at_start(headless.wishes, options.offered),
                        headless.wishes.look.attention, RegionStore(drawn_regions_folder()));
    headless.audience = &viewers;
    headless.audience_prompts = !options.serve.read_only;
    // Every page draws for itself.
    Wishes::Look& look = headless.wishes.look;
    look.boxes = look.caption = look.classes = false;
    look.attention.mode = AttentionMode::off;
    return run_headless(headless);
}

int live_in_window(const LiveOptions& options) {
    const Interrupts interrupts;
    const auto start = Clock::now();
    try {
        const std::filesystem::path path = settings_file();
        const Settings settings = read_settings(path);
        LiveWindow window({.wishes = first_wishes(options, settings),
                           .settings = settings,
                           .settings_path = path,
                           .engine = options.common.engine(),
                           .capture = capture_options(options),
                           .frames = options.frames});
        window.run();
        if (!options.common.quiet)
            print(summary_of(window.status(),
                             std::chrono::duration<double>(Clock::now() - start).count()));
    } catch (const NoDisplay& error) {
        throw NoDisplay(std::string(error.what()) +
                        "; --serve 8080 shows it in a browser, 'saccade batch' writes videos, and "
                        "--headless runs the loop without a window");
    }
    return 0;
}

}  // namespace

int live(const LiveOptions& options) {
    const bool window = !options.headless && options.serve.address.empty();
    return window ? live_in_window(options) : live_without_window(options);
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
    command.add_option("--offer", options->offered, "Another source that viewers may choose")
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
