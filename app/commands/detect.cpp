#include "app/commands/detect.h"

#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>

#include "app/draw/annotate.h"
#include "app/hub/model_finder.h"
#include "app/io/clock.h"
#include "app/io/picture_file.h"
#include "app/io/text.h"
#include "app/pipeline/examples.h"
#include "app/pipeline/models_in_use.h"
#include "app/pipeline/still_pictures.h"
#include "app/sources/pictures.h"
#include "gpu/core/error.h"
#include "gpu/core/files.h"
#include "models/detector.h"

namespace saccade {

namespace {

using Clock = std::chrono::steady_clock;

// The annotated pictures: one file, or files in a folder, named after their sources with a suffix,
// so that no source is overwritten.
class Destination {
public:
    Destination(const std::string& out, size_t pictures) : out_(out) {
        if (out.empty()) return;
        folder_ = pictures > 1 || out.ends_with('/') || std::filesystem::is_directory(out_);
        if (!folder_) return;
        if (!out.ends_with('/') && is_picture_name(out_) && !std::filesystem::is_directory(out_))
            throw Error("'" + out + "' is the name of one picture, but there are " +
                        std::to_string(pictures) + " pictures: name a folder, like '" +
                        out_.replace_extension().string() + "/'");
        make_folder(out_);
    }

    explicit operator bool() const { return !out_.empty(); }

    std::filesystem::path path_for(const std::filesystem::path& source) {
        if (!folder_) {
            std::error_code ignored;
            if (std::filesystem::equivalent(out_, source, ignored))
                throw Error("'" + out_.string() +
                            "' would overwrite the picture; name another file");
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
    std::set<std::filesystem::path> taken_;  // names in use
};

std::string as_text(const std::string& image, const std::vector<Detection>& detections,
                    const std::vector<std::string>& labels) {
    std::string text = one_line(image) + "\n";
    if (detections.empty()) text += "  nothing found\n";
    char percent[16], box[96];
    for (const Detection& d : detections) {
        std::snprintf(percent, sizeof percent, "  %5.1f %%  ", 100.0 * double(d.score));
        std::snprintf(box, sizeof box, "  [%.1f, %.1f, %.1f, %.1f]\n", double(d.box.min.x),
                      double(d.box.min.y), double(d.box.max.x), double(d.box.max.y));
        text += percent + one_line(labels[d.id]) + box;
    }
    return text;
}

}  // namespace

int detect(const DetectOptions& options) {
    Destination destination(options.out, options.images.size());
    Engine engine(options.common.engine());
    spdlog::info("running on {}", engine.device().info().name);
    auto begin = Clock::now();
    Detector detector = Detector::open(engine.device(), find_model(options.detector),
                                       engine.precision(), {}, Tokenizer::open, options.as);
    spdlog::info("{} loaded in {:.0f} ms", options.detector, ms_since(begin));
    log_choices(detector, options.detector);
    for (const std::string& name : detector.unused())
        spdlog::info("tensor '{}' is not used by this model", name);
    tell(detector, options.find, examples_of(engine, detector, options.like));
    DetectionFilter filter = options.wanted.filter(detector);
    filter.masks = options.json;

    DetectionTaps none;
    Annotator annotator(engine.device(), detector.labels(), filter);
    StillPictures pictures(engine, "detect", [&](Commands& c, const Image& image) {
        detector.prepare({image.width(), image.height()}, options.wanted.size);
        detector.record(c, image, none);
        if (destination) annotator.record(c, image, detector.findings());
    });
    return for_each_picture(options.images, [&](const std::string& image) {
        begin = Clock::now();
        const PictureFile file(image);
        const double decode_ms = ms_since(begin);
        pictures.run(image, file.view());
        const std::vector<Detection> found = detector.findings().detections(filter);
        if (destination && !filter.is_plain()) {
            annotator.mark(found);
            pictures.run(image, file.view());
        }
        if (destination) write_picture(destination.path_for(image), annotator.picture());
        if (!options.json) return as_text(image, found, detector.labels());
        FrameResult result = pictures.result(image, decode_ms);
        result.detections = found;
        return line_of(result, {.detector = detector.labels()}) + "\n";
    });
}

void add_detect_command(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<DetectOptions>();
    CLI::App& command = *app.add_subcommand("detect", "Find objects in pictures");
    command.add_option("images", options->images, "Picture files")->required()->type_name("IMAGE");
    add_model_option(command, Task::detect, options->detector, Imagery::photographs);
    add_as_option(command, options->as);
    command
        .add_option("--find", options->find,
                    "What an open-vocabulary detector (OWLv2) looks for, separated by commas")
        ->type_name("\"A, B\"");
    add_like_option(command, options->like);
    add_detection_options(command, options->wanted);
    command
        .add_option("-o,--out", options->out,
                    "Write the pictures with boxes drawn: a file, or a folder if there are several")
        ->type_name("FILE|FOLDER");
    command.add_flag("--json", options->json, "Print one JSON object per picture");
    add_common_options(command, options->common);
    command.footer(
        "Examples:\n"
        "  saccade detect street.jpg --detector detr-resnet-50 -o boxes.jpg\n"
        "  saccade detect desk.jpg --detector google/owlv2-base-patch16-ensemble --find \"red "
        "mug\" "
        "--threshold 0.2\n"
        "  saccade detect shelf.jpg --detector google/owlv2-base-patch16-ensemble --like "
        "desk.jpg@40,60,120,90\n"
        "  saccade detect *.jpg --detector yolos-tiny --classes cat,dog --threshold 0.9 --json");
    command.callback([options, &exit_code] {
        set_up_log(options->common);
        exit_code = detect(*options);
    });
}

}  // namespace saccade
