#include "app/classify.h"

#include <spdlog/spdlog.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/picture_file.h"
#include "gpu/error.h"
#include "models/classifier.h"

namespace saccade {

namespace {

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

    std::vector<ClassScore> run(const PictureView& picture, uint32_t count) {
        const ImageSize size{picture.width, picture.height};
        if (!frame_ || frame_->width() != size.width || frame_->height() != size.height) {
            frame_.reset();  // one frame at a time is held
            frame_ =
                std::make_unique<Frame>(engine_.device(), size.width, size.height, picture.bgr);
            classifier_.input().prepare(size);
            commands_.begin();
            {
                auto scope = commands_.scope("upload");
                frame_->record(commands_);
            }
            classifier_.record(commands_, frame_->image(), nobody_);
            commands_.end();
        }
        frame_->write(picture);
        commands_.run();
        return classifier_.top(count);
    }
    std::vector<ScopeTime> times() const { return commands_.times(); }

private:
    Engine& engine_;
    Classifier& classifier_;
    Commands commands_;
    std::unique_ptr<Frame> frame_;
    Tap nobody_;
};

void print_text(const std::string& image, const std::vector<ClassScore>& classes,
                const std::vector<std::string>& labels) {
    std::printf("%s\n", image.c_str());
    for (const ClassScore& c : classes)
        std::printf("  %5.1f %%  %s\n", 100.0 * double(c.score), labels[c.id].c_str());
}

void print_json(const std::string& image, const PictureView& picture,
                const std::vector<ClassScore>& classes, const std::vector<std::string>& labels,
                const std::vector<ScopeTime>& times) {
    nlohmann::ordered_json line = {{"source", image},
                                   {"frame", 0},
                                   {"width", picture.width},
                                   {"height", picture.height},
                                   {"classes", nlohmann::ordered_json::array()}};
    for (const ClassScore& c : classes)
        line["classes"].push_back({{"label", labels[c.id]}, {"id", c.id}, {"score", c.score}});
    for (const ScopeTime& time : times) line["ms"][time.name] = time.ms;
    std::printf("%s\n",
                line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

}  // namespace

int classify(const ClassifyOptions& options) {
    if (options.classifier.empty())
        throw Error(
            "no model: name a folder with config.json and model.safetensors in "
            "--classifier");
    Engine engine(options.common.engine());
    spdlog::info("running on {}", engine.device().info().name);
    const auto begin = std::chrono::steady_clock::now();
    Classifier classifier =
        Classifier::open(engine.device(), options.classifier, engine.precision());
    spdlog::info("{} loaded in {:.0f} ms", options.classifier,
                 std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
                     .count());
    for (const std::string& name : classifier.unused())
        spdlog::info("tensor '{}' is not used by this model", name);
    if (options.preprocess == "deit")
        classifier.use(
            deit_preprocessor({classifier.config().image_width, classifier.config().image_height}));

    Session session(engine, classifier);
    int failed = 0;
    for (const std::string& image : options.images) {
        try {
            const PictureFile file(image);
            const std::vector<ClassScore> classes = session.run(file.view(), options.top);
            if (options.json)
                print_json(image, file.view(), classes, classifier.labels(), session.times());
            else
                print_text(image, classes, classifier.labels());
            std::fflush(stdout);
        } catch (const Error& error) {
            spdlog::error("{}", error.what());
            ++failed;
        }
    }
    return failed ? 1 : 0;
}

}  // namespace saccade
