#include "app/commands/demo.h"

#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <opencv2/imgproc.hpp>

#include "app/commands/live.h"
#include "app/frame/score.h"
#include "app/hub/model_finder.h"
#include "app/io/line_file.h"
#include "app/io/picture_file.h"
#include "app/io/print.h"
#include "app/io/progress.h"
#include "app/live/window/window.h"
#include "app/pipeline/attention_choice.h"
#include "app/pipeline/frame_pump.h"
#include "app/sources/open_source.h"
#include "app/sources/reader.h"
#include "app/track/frame_tracker.h"
#include "app/track/identity_score.h"
#include "app/video/video_writer.h"
#include "gpu/core/error.h"
#include "gpu/core/files.h"

namespace saccade {

namespace {

constexpr int rate = 10;  // frames a second: software Vulkan has a minute or two for ten seconds

// Frames side by side, three in a row.
class SheetOfFrames {
public:
    explicit SheetOfFrames(uint64_t frames) : frames_(frames) {}

    void add(uint64_t index, const PictureView& picture) {
        if (tiles_.size() == count || index < frames_ * (2 * tiles_.size() + 1) / (2 * count))
            return;
        const cv::Mat frame(static_cast<int>(picture.height), static_cast<int>(picture.width),
                            CV_8UC3, const_cast<uint8_t*>(picture.pixels), picture.row_bytes);
        tiles_.push_back(frame.clone());
    }
    void write(const std::filesystem::path& path) const {
        if (tiles_.empty()) return;
        const int rows = static_cast<int>((tiles_.size() + columns - 1) / columns);
        const cv::Size tile = tiles_.front().size();
        cv::Mat sheet(rows * (tile.height + gap) + gap, columns * (tile.width + gap) + gap, CV_8UC3,
                      cv::Scalar::all(255));
        for (size_t i = 0; i < tiles_.size(); ++i) {
            const int row = static_cast<int>(i) / columns, column = static_cast<int>(i) % columns;
            const cv::Point corner(gap + column * (tile.width + gap),
                                   gap + row * (tile.height + gap));
            tiles_[i].copyTo(sheet(cv::Rect(corner, tile)));
        }
        write_picture(path, sheet);
    }

private:
    static constexpr size_t count = 6;
    static constexpr int columns = 3, gap = 8;
    uint64_t frames_;
    std::vector<cv::Mat> tiles_;
};

std::string percent(uint64_t part, uint64_t whole) {
    char text[16];
    std::snprintf(text, sizeof text, "%.0f %%", 100.0 * double(part) / double(whole));
    return text;
}

// Of the synthetic camera.
std::string settings_of(const DemoOptions& options) {
    return "?seed=" + std::to_string(options.seed) + (options.hard ? "&hard" : "");
}

bool has_display() {
    auto set = [](const char* name) {
        const char* value = std::getenv(name);
        return value && *value;
    };
    return set("DISPLAY") || set("WAYLAND_DISPLAY");
}

// The window, on the same camera; files where a display is named but not there.
int watch(const DemoOptions& options) try {
    LiveOptions window;
    window.common = options.common;
    window.models = options.models;
    window.truth = options.truth;
    window.source = "synth:" + settings_of(options);
    window.track = options.track;
    return live(window);
} catch (const NoDisplay&) {
    return demo(options);
}

}  // namespace

int demo(const DemoOptions& options) {
    const std::filesystem::path folder = options.folder;
    make_folder(folder);
    const auto frames = static_cast<uint64_t>(std::max(1.0, std::round(options.seconds * rate)));
    Engine engine(options.common.engine());
    if (!options.common.quiet)
        print("on " + engine.device().info().name + ": " + std::to_string(frames) +
              " frames of the synthetic camera\n");
    ModelsInUse models = ModelsInUse::open(engine, options.models);
    FrameOrder order;
    order.caption.to_end = true;
    order.overlay.most_classes = 3;
    order.overlay.only_sure = true;
    order.truth = options.truth;
    order.read_back = {.pixels = true, .planes = true};
    if (models.detector) {
        order.overlay.filter.threshold = models.detector->sure_above();
        show_attention(order, {.kind = AttentionKind::detection}, models.borrowed());
    }
    FrameTracker tracker(tracking_for(order.overlay.filter.threshold));
    IdentityScore identities;
    if (models.detector && options.track) order.tracker = &tracker;
    FramePath path(engine, path_for_files(engine.device().info(), models.borrowed(), order));
    path.use(models.borrowed());
    const ResultLabels labels = path.labels();
    Reader reader(open_source("synth:640x480@" + std::to_string(rate) +
                              settings_of(options)),
                  path.ring(), {.end = frames});

    VideoWriter video(folder / "demo.mp4", *reader.traits().size, VideoClock(rate));
    LineFile lines(folder / "demo.jsonl");
    SheetOfFrames sheet(frames);
    Score score;
    Progress progress("demo", frames, options.common.quiet);
    const auto start = std::chrono::steady_clock::now();
    auto write = [&](const Done& done) {
        video.write(done.planes);
        sheet.add(done.result.info.index, done.picture);
        lines.add(line_of(done.result, labels));
        if (done.result.info.truth) {
            if (order.tracker) identities.add(done.result);
            if (done.result.detections)
                score.add(*done.result.detections, labels.detector, *done.result.info.truth);
            if (done.result.caption)
                score.add_caption(done.result.caption->text, *done.result.info.truth);
        }
        progress.step();
    };
    pump(
        path, order, [&] { return reader.next(); }, write);
    progress.end();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    video.finish();
    sheet.write(folder / "demo.png");

    char text[256];
    std::snprintf(text, sizeof text, "%llu frames in %.1f s: %.1f fps\n",
                  static_cast<unsigned long long>(frames), took.count(),
                  double(frames) / took.count());
    std::string summary = text;
    if (models.detector) {
        const Tally& tally = score.objects();
        std::snprintf(text, sizeof text,
                      "%llu objects found: precision %.3f, recall %.3f against the scene's truth\n",
                      static_cast<unsigned long long>(tally.right + tally.wrong), tally.precision(),
                      tally.recall());
        summary += text;
    }
    if (order.tracker) {
        std::snprintf(text, sizeof text,
                      "%u tracks: IDF1 %.3f, MOTA %.3f, %llu identity switches against the "
                      "scene's truth\n",
                      tracker.tracker().numbers(), identities.idf1(), identities.mota(),
                      static_cast<unsigned long long>(identities.switches()));
        summary += text;
    }
    if (models.captioner && score.captions() > 0)
        summary += std::to_string(score.captions()) + " captions, " +
                   percent(score.right_captions(), score.captions()) + " right to the word\n";
    print(summary + "wrote " + (folder / "demo.mp4").string() + ", " +
          (folder / "demo.jsonl").string() + " and " + (folder / "demo.png").string() + "\n");
    return 0;
}

void add_demo_command(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<DemoOptions>();
    CLI::App& command =
        *app.add_subcommand("demo", "See it work, on bundled models and a synthetic camera");
    add_model_option(command, Task::detect, options->models.detector, Imagery::emoji);
    add_model_option(command, Task::classify, options->models.classifier, Imagery::emoji);
    add_model_option(command, Task::caption, options->models.captioner, Imagery::emoji);
    command.add_option("--seconds", options->seconds, "How much of the camera to look at")
        ->check(CLI::Range(0.1, 86400.0).description(""))
        ->type_name("S")
        ->capture_default_str();
    command.add_option("--seed", options->seed, "Which scenes the camera sees")
        ->type_name("N")
        ->capture_default_str();
    command.add_option("-o,--out", options->folder, "Folder for demo.mp4, demo.jsonl and demo.png")
        ->type_name("FOLDER");
    command.add_flag("--hard", options->hard,
                     "Twice as many objects, half of which cross the picture");
    command.add_flag("--track", options->track,
                     "Give the same thing the same number in every frame, as it does anyway");
    command.add_flag_callback(
        "--no-track", [options] { options->track = false; }, "Number nothing");
    command.add_flag("--truth", options->truth, "Draw what is really there, too");
    command.add_flag("--headless", options->headless, "No window, even where there is a display");
    add_common_options(command, options->common);
    command.footer(
        "Opens the live window. Without a display, or with --headless, --seconds or -o, it writes\n"
        "demo.mp4, demo.jsonl and demo.png (a sheet of frames) instead.\n"
        "Examples:\n"
        "  saccade demo\n"
        "  saccade demo --seed 7 -o out");
    command.callback([options, &command, &exit_code] {
        set_up_log(options->common);
        const bool files = command.count("--out") + command.count("--seconds") > 0;
        exit_code = options->headless || files || !has_display() ? demo(*options) : watch(*options);
    });
}

}  // namespace saccade
