#include "app/detect.h"

#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "app/annotate.h"
#include "app/model_finder.h"
#include "app/picture_file.h"
#include "app/still_pictures.h"
#include "gpu/error.h"
#include "models/detector.h"

namespace saccade {

namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// Where the annotated pictures go: one file, or files in a folder, named after their sources but
// never like them.
class Destination {
public:
    Destination(const std::string& out, size_t pictures) : out_(out) {
        if (out.empty()) return;
        folder_ = pictures > 1 || out.ends_with('/') || std::filesystem::is_directory(out_);
        if (!folder_) return;
        std::error_code error;
        std::filesystem::create_directories(out_, error);
        if (!std::filesystem::is_directory(out_))
            throw Error("'" + out + "' cannot be made a folder for " + std::to_string(pictures) +
                        " pictures");
    }

    explicit operator bool() const { return !out_.empty(); }

    std::filesystem::path path_for(const std::filesystem::path& source) {
        if (!folder_) {
            std::error_code ignored;
            if (std::filesystem::equivalent(out_, source, ignored))
                throw Error("'" + out_.string() + "' is the picture itself; name another file");
            return out_;
        }
        const std::string extension = source.extension().string();
        const bool known = extension == ".jpg" || extension == ".jpeg" || extension == ".png";
        const std::string stem = source.stem().string() + "-detected";
        std::filesystem::path path;
        for (int i = 1; path.empty() || !taken_.insert(path).second; ++i)
            path = out_ /
                   (stem + (i > 1 ? "-" + std::to_string(i) : "") + (known ? extension : ".png"));
        return path;
    }

private:
    std::filesystem::path out_;
    bool folder_ = false;
    std::set<std::filesystem::path> taken_;  // of two pictures of one name
};

std::string as_text(const std::string& image, const std::vector<Detection>& detections,
                    const std::vector<std::string>& labels) {
    std::string text = image + "\n";
    if (detections.empty()) text += "  nothing found\n";
    char percent[16], box[96];
    for (const Detection& d : detections) {
        std::snprintf(percent, sizeof percent, "  %5.1f %%  ", 100.0 * double(d.score));
        std::snprintf(box, sizeof box, "  [%.1f, %.1f, %.1f, %.1f]\n", double(d.left),
                      double(d.top), double(d.right), double(d.bottom));
        text += percent + labels[d.id] + box;
    }
    return text;
}

std::string as_json(const std::string& image, const PictureView& picture,
                    const std::vector<Detection>& detections,
                    const std::vector<std::string>& labels, double decode_ms,
                    const std::vector<ScopeTime>& times) {
    nlohmann::ordered_json line = {{"source", image},
                                   {"frame", 0},
                                   {"time", 0.0},
                                   {"width", picture.width},
                                   {"height", picture.height},
                                   {"detections", nlohmann::ordered_json::array()},
                                   {"ms", {{"decode", decode_ms}}}};
    for (const Detection& d : detections)
        line["detections"].push_back({{"label", labels[d.id]},
                                      {"id", d.id},
                                      {"score", d.score},
                                      {"box", {d.left, d.top, d.right, d.bottom}}});
    for (const ScopeTime& time : times) line["ms"][time.name] = time.ms;
    return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace

int detect(const DetectOptions& options) {
    Destination destination(options.out, options.images.size());
    Engine engine(options.common.engine());
    spdlog::info("running on {}", engine.device().info().name);
    auto begin = Clock::now();
    Detector detector =
        Detector::open(engine.device(), find_model(options.detector), engine.precision());
    spdlog::info("{} loaded in {:.0f} ms", options.detector, ms_since(begin));
    if (detector.input_type() != detector.precision())
        spdlog::warn("'{}': its features outgrow half precision; its backbone runs in fp32",
                     options.detector);
    for (const std::string& name : detector.unused())
        spdlog::info("tensor '{}' is not used by this model", name);
    const DetectionFilter filter = options.wanted.filter(detector.labels());

    DetectionTaps nobody;
    Annotator annotator(engine.device(), detector.labels(), filter);
    StillPictures pictures(engine, "detect", [&](Commands& c, const Image& image) {
        detector.prepare({image.width(), image.height()}, options.wanted.size);
        detector.record(c, image, nobody);
        if (destination) annotator.record(c, image, detector.findings().found());
    });
    return for_each_picture(options.images, [&](const std::string& image) {
        begin = Clock::now();
        const PictureFile file(image);
        const double decode_ms = ms_since(begin);
        pictures.run(image, file.view());
        const std::vector<Detection> found = detector.findings().detections(filter);
        if (destination) write_picture(destination.path_for(image), annotator.picture());
        return options.json ? as_json(image, file.view(), found, detector.labels(), decode_ms,
                                      pictures.times())
                            : as_text(image, found, detector.labels());
    });
}

void add_detect_command(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<DetectOptions>();
    CLI::App& command = *app.add_subcommand("detect", "Find the objects in pictures");
    command.add_option("images", options->images, "Picture files")->required()->type_name("IMAGE");
    add_model_option(command, Task::detect, options->detector, Shown::photographs);
    add_detection_options(command, options->wanted);
    command
        .add_option("-o,--out", options->out,
                    "Write the picture with boxes drawn: a file, or a folder for several")
        ->type_name("FILE|FOLDER");
    command.add_flag("--json", options->json, "One JSON object per picture");
    add_common_options(command, options->common);
    command.footer(
        "Examples:\n"
        "  saccade detect street.jpg --detector detr-resnet-50 -o boxes.jpg\n"
        "  saccade detect *.jpg --detector yolos-tiny --classes cat,dog --threshold 0.9 --json");
    command.callback([options, &exit_code] {
        set_up_log(options->common);
        exit_code = detect(*options);
    });
}

}  // namespace saccade
