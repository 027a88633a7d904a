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
#include "app/io/clock.h"
#include "app/io/interrupts.h"
#include "app/io/line_file.h"
#include "app/io/picture_file.h"
#include "app/io/print.h"
#include "app/io/progress.h"
#include "app/live/window/window.h"
#include "app/pipeline/attention_choice.h"
#include "app/pipeline/frame_path.h"
#include "app/sources/open_source.h"
#include "app/sources/reader.h"
#include "app/track/frame_tracker.h"
#include "app/track/identity_score.h"
#include "app/video/video_writer.h"
#include "gpu/core/error.h"
#include "gpu/core/files.h"

namespace saccade {

namespace {

constexpr int rate =
    10;  // frames per second; software Vulkan takes a minute or two for ten seconds

// A sheet of frames, evenly spaced over the run, three in a row.
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

// The options of the synthetic camera, as in its source text.
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

// Opens the window on the same camera; without a usable display, writes files instead.
int watch(const DemoOptions& options) try {
    LiveOptions window;
    window.common = options.common;
    window.models = options.models;
    window.truth = options.truth;
    window.sources = {"synth:" + settings_of(options)};
    window.track = options.track;
    return live(window);
} catch (const NoDisplay&) {
    return demo(options);
}

FrameOrder order_of(const DemoOptions& options, const ModelsInUse& models) {
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
    return order;
}

// The results of a run, compared with the ground truth of its scenes.
class DemoScore {
public:
    void add(const FrameResult& result, const ResultLabels& labels) {
        if (!result.info.truth) return;
        identities_.add(result);
        if (result.detections)
            objects_.add(*result.detections, labels.detector, *result.info.truth);
        if (result.caption) objects_.add_caption(result.caption->text, *result.info.truth);
    }

    std::string objects_text() const {
        const Tally& tally = objects_.objects();
        char text[160];
        std::snprintf(text, sizeof text,
                      "%llu objects found: precision %.3f, recall %.3f against the scene's truth\n",
                      static_cast<unsigned long long>(tally.right + tally.wrong), tally.precision(),
                      tally.recall());
        return text;
    }
    std::string tracks_text(uint32_t tracks) const {
        char text[160];
        std::snprintf(text, sizeof text,
                      "%u tracks: IDF1 %.3f, MOTA %.3f, %llu identity switches against the "
                      "scene's truth\n",
                      tracks, identities_.idf1(), identities_.mota(),
                      static_cast<unsigned long long>(identities_.switches()));
        return text;
    }
    std::string captions_text() const {
        if (objects_.captions() == 0) return "";
        return std::to_string(objects_.captions()) + " captions, " +
               percent(objects_.right_captions(), objects_.captions()) + " right to the word\n";
    }

private:
    Score objects_;
    IdentityScore identities_;
};

std::string speed_text(uint64_t frames, double seconds) {
    char text[96];
    std::snprintf(text, sizeof text, "%llu frames in %.1f s: %.1f fps\n",
                  static_cast<unsigned long long>(frames), seconds, double(frames) / seconds);
    return text;
}

}  // namespace

int demo(const DemoOptions& options) {
    const Interrupts interrupts;
    const std::filesystem::path folder = options.folder;
    make_folder(folder);
    const auto frames = static_cast<uint64_t>(std::max(1.0, std::round(options.seconds * rate)));
    Engine engine(options.common.engine());
    if (!options.common.quiet)
        print("on " + engine.device().info().name + ": " + std::to_string(frames) +
              " frames of the synthetic camera\n");
    const ModelsInUse models = ModelsInUse::open(engine, options.models);
    FrameOrder order = order_of(options, models);
    FrameTracker tracker(tracking_for(order.overlay.filter.threshold));
    if (models.detector && options.track) order.tracker = &tracker;
    FramePath path(engine, path_for_files(engine.device().info(), models.borrowed(), order));
    path.use(models.borrowed());
    const ResultLabels labels = path.labels();
    Reader reader(open_source("synth:640x480@" + std::to_string(rate) + settings_of(options)),
                  path.ring(), {.end = frames});

    VideoWriter video(folder / "demo.mp4", *reader.traits().size, VideoClock(rate));
    LineFile lines(folder / "demo.jsonl");
    SheetOfFrames sheet(frames);
    DemoScore score;
    Progress progress("demo", frames, options.common.quiet);
    const auto start = std::chrono::steady_clock::now();
    auto write = [&](const Done& done) {
        video.write(done.planes);
        sheet.add(done.result.info.index, done.picture);
        lines.add(line_of(done.result, labels));
        score.add(done.result, labels);
        progress.step();
    };
    auto next = [&] { return Interrupts::came() ? std::nullopt : reader.next(); };
    pump(path, order, next, write);
    progress.end();
    if (Interrupts::came()) throw TemporaryError("interrupted; run it again");
    std::string summary = speed_text(frames, ms_since(start) / 1000);
    video.finish();
    sheet.write(folder / "demo.png");

    if (models.detector) summary += score.objects_text();
    if (order.tracker) summary += score.tracks_text(tracker.tracker().numbers());
    if (models.captioner) summary += score.captions_text();
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
    add_as_option(command, options->models.as);
    command.add_option("--seconds", options->seconds, "How many seconds of the camera to process")
        ->check(within(0.1, 86400.0))
        ->type_name("S")
        ->capture_default_str();
    command.add_option("--seed", options->seed, "Which scenes the camera shows")
        ->type_name("N")
        ->capture_default_str();
    command.add_option("-o,--out", options->folder, "Folder for demo.mp4, demo.jsonl and demo.png")
        ->type_name("FOLDER");
    command.add_flag("--hard", options->hard,
                     "Twice as many objects, half of which cross the picture");
    command.add_flag("--track", options->track,
                     "Give each object the same number in every frame, which is the default");
    command.add_flag_callback(
        "--no-track", [options] { options->track = false; }, "Do not track objects");
    command.add_flag("--truth", options->truth, "Also draw the ground truth");
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
