#include "app/classify.h"

#include <spdlog/spdlog.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/lab/print.h"
#include "app/picture_file.h"
#include "gpu/error.h"
#include "models/classifier.h"

namespace saccade {

namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// The Hub's files for DeiT name ViT's preprocessing; the weights were trained, and their published
// accuracy measured, with this one.
Preprocessor deit_preprocessor(ImageSize input) {
    Preprocessor p;
    p.type = "DeiT";
    p.resize = Preprocessor::Resize::edges;
    p.shortest_edge = input.height * 256 / 224;
    p.filter = Filter::bicubic;
    p.crop = input;
    p.rescale_factor = 1.0 / 255.0;
    p.mean = {0.485, 0.456, 0.406};
    p.std_dev = {0.229, 0.224, 0.225};
    return p;
}

// One picture after another through one model; a new size of picture is recorded anew.
class Session {
public:
    Session(Engine& engine, Classifier& classifier)
        : engine_(engine),
          classifier_(classifier),
          commands_(engine.device(), engine.scratch(), "classify") {}

    std::vector<ClassScore> run(const std::string& name, const PictureView& picture,
                                uint32_t count) {
        try {
            return run(picture, count);
        } catch (const Error& error) {
            throw Error("'" + name + "': " + error.what());
        }
    }
    std::vector<ScopeTime> times() const { return commands_.times(); }

private:
    std::vector<ClassScore> run(const PictureView& picture, uint32_t count) {
        const ImageSize size{picture.width, picture.height};
        if (!frame_ || frame_->width() != size.width || frame_->height() != size.height) {
            frame_.reset();  // one frame at a time is held
            auto frame =
                std::make_unique<Frame>(engine_.device(), size.width, size.height, picture.bgr);
            classifier_.input().prepare(size);
            commands_.begin();
            {
                auto scope = commands_.scope("upload");
                frame->record(commands_);
            }
            classifier_.record(commands_, frame->image(), nobody_);
            commands_.end();
            frame_ = std::move(frame);  // only now: what could not be recorded must not be run
        }
        frame_->write(picture);
        commands_.run();
        return classifier_.top(count);
    }

    Engine& engine_;
    Classifier& classifier_;
    Commands commands_;
    std::unique_ptr<Frame> frame_;
    Tap nobody_;
};

std::string as_text(const std::string& image, const std::vector<ClassScore>& classes,
                    const std::vector<std::string>& labels) {
    std::string text = image + "\n";
    char percent[16];
    for (const ClassScore& c : classes) {
        std::snprintf(percent, sizeof percent, "  %5.1f %%  ", 100.0 * double(c.score));
        text += percent + labels[c.id] + "\n";
    }
    return text;
}

std::string as_json(const std::string& image, const PictureView& picture,
                    const std::vector<ClassScore>& classes, const std::vector<std::string>& labels,
                    double decode_ms, const std::vector<ScopeTime>& times) {
    nlohmann::ordered_json line = {{"source", image},
                                   {"frame", 0},
                                   {"time", 0.0},
                                   {"width", picture.width},
                                   {"height", picture.height},
                                   {"classes", nlohmann::ordered_json::array()},
                                   {"ms", {{"decode", decode_ms}}}};
    for (const ClassScore& c : classes)
        line["classes"].push_back({{"label", labels[c.id]}, {"id", c.id}, {"score", c.score}});
    for (const ScopeTime& time : times) line["ms"][time.name] = time.ms;
    return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace

int classify(const ClassifyOptions& options) {
    Engine engine(options.common.engine());
    spdlog::info("running on {}", engine.device().info().name);
    auto begin = Clock::now();
    Classifier classifier =
        Classifier::open(engine.device(), options.classifier, engine.precision());
    spdlog::info("{} loaded in {:.0f} ms", options.classifier, ms_since(begin));
    for (const std::string& name : classifier.unused())
        spdlog::info("tensor '{}' is not used by this model", name);
    if (options.preprocess == "deit")
        classifier.use(
            deit_preprocessor({classifier.config().image_width, classifier.config().image_height}));

    Session session(engine, classifier);
    int failed = 0;
    for (const std::string& image : options.images) {
        std::string result;
        try {
            begin = Clock::now();
            const PictureFile file(image);
            const double decode_ms = ms_since(begin);
            const std::vector<ClassScore> classes = session.run(image, file.view(), options.top);
            result = options.json ? as_json(image, file.view(), classes, classifier.labels(),
                                            decode_ms, session.times())
                                  : as_text(image, classes, classifier.labels());
        } catch (const Error& error) {
            spdlog::error("{}", error.what());
            ++failed;
        }
        print(result);
    }
    return failed ? 1 : 0;
}

}  // namespace saccade
