#include "app/commands/live.h"

#include <spdlog/spdlog.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <filesystem>
#include <memory>

#include "app/io/interrupts.h"
#include "app/io/print.h"
#include "app/io/text.h"
#include "app/live/clips/clip_keeper.h"
#include "app/live/state/settings.h"
#include "app/live/view/live_window.h"
#include "app/live/wall/headless.h"
#include "app/serve/lecture/lecture_desk.h"
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
    wishes.detector = options.models.detector;
    wishes.classifier = options.models.classifier;
    wishes.captioner = options.models.captioner;
    wishes.as = options.models.as;
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
    wishes.cause_budget_ms = options.cause_budget;
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

// What is left out of a list is told; the others go on.
std::vector<NamedSource> sources_of(const LiveOptions& options) {
    SourceList list = sources_from(options.sources, Wall::most_sources);
    for (const std::string& trouble : list.troubles) spdlog::error("{}", trouble);
    for (NamedSource& one : list.sources)
        if (one.regions.all.empty() && !options.zones.empty())
            one.regions = read_regions(options.zones);
    return std::move(list.sources);
}

// Clips of all sources, if they are wanted.
class Clips {
public:
    explicit Clips(const LiveOptions& options) {
        if (!options.clips.empty()) store_.emplace(options.clips, options.keep_bytes);
    }
    // Adds to the audience of a source, which may be null.
    Audience* beside(Audience* others, const NamedSource& source) {
        if (!store_) return others;
        const std::string name = source.name.empty() ? "live" : source.name;
        return keepers_.emplace_back(std::make_unique<ClipKeeper>(*store_, name, others)).get();
    }
    // The only audience of each source; none without clips.
    std::vector<Audience*> of(const std::vector<NamedSource>& sources) {
        std::vector<Audience*> all;
        for (const NamedSource& source : sources)
            if (Audience* const one = beside(nullptr, source)) all.push_back(one);
        return all;
    }

private:
    std::optional<ClipStore> store_;
    std::vector<std::unique_ptr<ClipKeeper>> keepers_;
};

int live_without_window(const LiveOptions& options) {
    const Interrupts interrupts;
    HeadlessOptions headless{.wishes = first_wishes(options, {}),
                             .sources = sources_of(options),
                             .engine = options.common.engine(),
                             .capture = capture_options(options),
                             .frames = options.frames};
    const std::vector<NamedSource>& sources = headless.sources;
    std::vector<std::string> names;
    for (const NamedSource& one : sources)
        if (!one.name.empty()) names.push_back(one.name);
    const std::string title = sources.size() == 1 ? sources.front().source.text()
                                                  : std::to_string(sources.size()) + " sources";
    const std::unique_ptr<Server> server = open_server(options.serve, "Saccade: " + title, names);
    Clips clips(options);
    if (!server) {
        headless.follows_drawn_regions = true;
        headless.audiences = clips.of(sources);
        return run_headless(headless);
    }
    using Lifetime = KeptRegions::Lifetime;
    LectureTurn turn;
    std::vector<std::unique_ptr<LectureDesk>> desks;
    std::vector<std::unique_ptr<LiveViewers>> viewers;
    for (size_t i = 0; i < sources.size(); ++i) {
        headless.wishes.source = sources[i].source;
        viewers.push_back(std::make_unique<LiveViewers>(
            server->exchange(i), Offered::at_start(headless.wishes, options.offered),
            headless.wishes.look.attention,
            KeptRegions(RegionStore(drawn_regions_folder()),
                        options.keep_lines ? Lifetime::beyond : Lifetime::run)));
        desks.push_back(std::make_unique<LectureDesk>(turn, options.serve.classroom));
        viewers.back()->offer_lectures(*desks.back());
        headless.audiences.push_back(clips.beside(viewers.back().get(), sources[i]));
    }
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
        const std::vector<NamedSource> sources = sources_of(options);
        Clips clips(options);
        LiveWindow window({.wishes = first_wishes(options, settings),
                           .sources = sources,
                           .settings = settings,
                           .settings_path = path,
                           .audiences = clips.of(sources),
                           .engine = options.common.engine(),
                           .capture = capture_options(options),
                           .frames = options.frames,
                           .tour = options.tour});
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

void add_camera_options(CLI::App& command, SourceOptions& camera) {
    add_size_option(command, camera.size, "Picture size to ask a camera for");
    command.add_option("--rate", camera.rate, "Frames a second to ask a camera for")
        ->check(within(0.01, 1000))
        ->type_name("FPS");
    command
        .add_option("--pixel-format", camera.pixel_format,
                    "Four letters to ask a camera for, like MJPG")
        ->type_name("FOUR");
}

// "20GB", "500 MB"
uint64_t parse_bytes(const std::string& text) {
    size_t end = 0;
    double number = 0;
    try {
        number = std::stod(text, &end);
    } catch (const std::exception&) {
        end = 0;
    }
    std::string unit = text.substr(end);
    std::erase(unit, ' ');
    for (const auto& [name, bytes] : {std::pair("MB", 1e6), {"GB", 1e9}, {"TB", 1e12}})
        if (end > 0 && number > 0 && unit == name) return static_cast<uint64_t>(number * bytes);
    throw Error("'" + text + "' is not a size; write it like 500MB or 20GB");
}

void add_clip_options(CLI::App& command, const std::shared_ptr<LiveOptions>& options) {
    CLI::Option* const clips =
        command
            .add_option("--clips", options->clips,
                        "Keep a clip in this folder when a zone is entered, a line is crossed or "
                        "--find finds something")
            ->type_name("FOLDER");
    command
        .add_option_function<std::string>(
            "--keep",
            [options](const std::string& text) {
                try {
                    options->keep_bytes = parse_bytes(text);
                } catch (const Error& error) {
                    throw CLI::ValidationError("--keep", error.what());
                }
            },
            "Most space that clips may take on the disk; the oldest are deleted first")
        ->needs(clips)
        ->type_name("SIZE")
        ->default_str("20GB");
}

void add_attention_options(CLI::App& command, const std::shared_ptr<LiveOptions>& options) {
    command.add_option("--attention", options->attention, "The map to begin with")
        ->check(CLI::IsMember({"none", "rollout", "cls", "head", "detection", "word", "mean", "max",
                               "grid", "similarity", "colours", "cause"})
                    .description(""))
        ->type_name("none|rollout|mean|max|head|grid|similarity|colours|cause");
    command
        .add_option(
            "--cause-budget", options->cause_budget,
            "How long knock-outs may keep an idle device busy at a time, for maps of cause; "
            "0: no such maps")
        ->check(CLI::Range(0.0, 1000.0).description(""))
        ->type_name("MS")
        ->capture_default_str();
    command.add_option("--layer", options->layer, "The layer to look into, counted from 0")
        ->type_name("L");
    command.add_option("--head", options->head, "The head to look at, counted from 0")
        ->type_name("H");
}

void add_window_options(CLI::App& command, const std::shared_ptr<LiveOptions>& options) {
    command.add_option("--present", options->present_mode, "How pictures go on screen")
        ->check(CLI::IsMember({"fifo", "mailbox", "immediate"}).description(""))
        ->type_name("fifo|mailbox|immediate");
    command.add_flag("--full-screen", options->full_screen, "Begin in full screen");
    command.add_flag_callback(
        "--no-tour", [options] { options->tour = false; },
        "Do not play maps at the start, until the mouse or a key is used");
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
        .add_option("source", options->sources,
                    "Camera number or device, video file, rtsp or http URL, folder or glob of "
                    "pictures, synth:, screen:. Several are watched at once; @FILE lists them, "
                    "NAME = SOURCE in each line")
        ->type_name("SOURCE")
        ->default_str("0");
    add_model_options(command, options->models);
    add_words_options(command, options->models);
    command
        .add_option("--threshold", options->threshold, "Show only detections that score above P")
        ->check(within(0.0, 1.0))
        ->type_name("P");
    command.add_option("--classes", options->classes, "Show only these classes")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("A,B");
    command
        .add_option("--max-detections", options->most,
                    "Keep at most the N best detections of a frame")
        ->check(CLI::Range(1, 65536).description(""))
        ->type_name("N")
        ->capture_default_str();
    add_attention_options(command, options);
    command
        .add_option("--stride", options->stride, "Run detector and classifier on every Nth frame")
        ->check(CLI::Range(1, 1000).description(""))
        ->type_name("N");
    command.add_flag("--track", options->track, "Give each object the same number in every frame");
    add_zones_option(command, options->zones);
    command.add_flag("--truth", options->truth, "Also draw the ground truth, which synth: knows");
    add_camera_options(command, options->camera);
    command.add_flag_callback(
        "--no-loop", [options] { options->loop = false; },
        "Stop at the end of a file instead of playing it again");
    add_window_options(command, options);
    add_clip_options(command, options);
    add_serve_options(command, options->serve);
    command
        .add_flag("--lecture", options->serve.classroom,
                  "A class follows a lecture on the picture, at the addresses that are printed: "
                  "one for everybody, one for who teaches")
        ->needs("--serve");
    command.add_option("--offer", options->offered, "Another source that viewers may choose")
        ->needs("--serve")
        ->allow_extra_args(false)
        ->type_name("SOURCE");
    command
        .add_flag("--keep-lines", options->keep_lines,
                  "Keep the lines and zones that viewers draw for the next run")
        ->needs("--serve");
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
        "  saccade live 0 1 rtsp://camera.local/stream --track\n"
        "  saccade live @cameras.txt --serve 8080\n"
        "  saccade live 0 --serve 8080\n"
        "  saccade live dog.jpg --serve 0.0.0.0:8080 --lecture\n"
        "  saccade live 0 --to /dev/video9\n"
        "  saccade live clip.mp4 --headless --frames 300 --verbose");
    command.callback([options, &exit_code] {
        set_up_log(options->common);
        exit_code = live(*options);
    });
}

}  // namespace saccade
