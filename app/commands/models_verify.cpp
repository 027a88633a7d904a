#include "app/commands/models_verify.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "app/hub/model_finder.h"
#include "app/io/picture_file.h"
#include "app/io/print.h"
#include "app/io/text.h"
#include "app/pipeline/models_in_use.h"
#include "app/pipeline/still_pictures.h"
#include "app/sources/open_source.h"
#include "gpu/core/error.h"
#include "gpu/transfer/download.h"
#include "models/captioner.h"
#include "models/classifier.h"
#include "models/detector.h"
#include "models/files/json.h"

namespace saccade {
namespace {

// Tolerances against the published outputs. Those were computed with Pillow's resizing and another
// JPEG decoder; ours is torchvision's resizing. Some pixels differ by a level, which moves
// transformers' own logits by some hundredths.
constexpr double logit_tolerance = 0.1, box_tolerance = 0.01, score_tolerance = 0.02,
                 pixel_tolerance = 3;

constexpr Size published_size{640, 480};
constexpr uint32_t words_between_looks = 8;

// A test picture: colour gradients and a few edges.
struct TestPicture {
    static constexpr uint32_t width = 320, height = 240;
    std::vector<uint8_t> pixels = std::vector<uint8_t>(size_t{3} * width * height);

    TestPicture() {
        for (uint32_t y = 0; y < height; ++y)
            for (uint32_t x = 0; x < width; ++x) {
                const bool inside = x / 40 % 3 == 1 && y / 30 % 3 == 1;
                uint8_t* const pixel = pixels.data() + 3 * (size_t{y} * width + x);
                pixel[0] = static_cast<uint8_t>(inside ? 230 : x * 255 / width);
                pixel[1] = static_cast<uint8_t>(inside ? 60 : y * 255 / height);
                pixel[2] = static_cast<uint8_t>((x + y) % 256);
            }
    }
    PictureView view() const { return {pixels.data(), width, height, 3 * width, false}; }
};

void report(const std::string& what, const std::string& result) {
    std::string line = "  " + what;
    line.resize(14, ' ');
    print(line + result + "\n");
}

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", value);
    return text;
}

// What the model sees in a picture of the kind that it is for: a frame of the synthetic camera for
// the bundled models for emoji, a photograph of a cat for all others.
class LookedAt {
public:
    explicit LookedAt(const std::string& model) {
        for (const Task task : {Task::classify, Task::detect, Task::caption})
            if (model == default_model(task, Imagery::emoji)) {
                film();
                return;
            }
        if (const auto photograph = sample_picture()) {
            file_.emplace(*photograph);
            view_ = file_->view();
        }
    }
    // Nothing if this copy of Saccade has no such picture.
    const std::optional<PictureView>& view() const { return view_; }

private:
    void film() {
        const std::unique_ptr<Source> camera = open_source("synth:640x480?seed=1");
        camera->seek(40);
        camera->next([&](const PixelLayout& layout) {
            pixels_.resize(layout.bytes());
            view_ = {pixels_.data(), layout.width, layout.height, 3 * layout.width, layout.bgr};
            return Slot{reinterpret_cast<std::byte*>(pixels_.data()), layout};
        });
    }

    std::optional<PictureFile> file_;
    std::vector<uint8_t> pixels_;
    std::optional<PictureView> view_;
};

// The phrases that models without classes of their own are asked for.
const std::vector<std::string> phrases_to_see{"cat", "dog", "person", "car", "chair"};

void report_sight(const std::vector<std::pair<std::string, float>>& found) {
    std::string line;
    for (const auto& [label, score] : found) {
        char text[16];
        std::snprintf(text, sizeof text, " %.2f", double(score));
        line += (line.empty() ? "" : ", ") + one_line(label) + text;
    }
    report("sees", line.empty() ? "nothing" : line);
}

// One line; the checks go on.
void doubt(const std::string& what) {
    report("warning", what + "; its weights and its computation may not belong together");
}

bool all_finite(std::span<const float> values) {
    return std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
}

// Checks that every weight is finite.
void check_tensors(const std::filesystem::path& folder) {
    Checkpoint checkpoint(folder);
    std::vector<float> values;
    const std::vector<const StoredTensor*> tensors = checkpoint.tensors();
    for (const StoredTensor* tensor : tensors) {
        if (tensor->type != StoredType::f32 && tensor->type != StoredType::f16 &&
            tensor->type != StoredType::bf16)
            continue;  // counters and masks
        const uint64_t count = tensor->elements();
        for (uint64_t first = 0; first < count; first += values.size()) {
            values.resize(std::min<uint64_t>(count - first, 1 << 16));
            read_floats(*tensor, first, values);
            if (!all_finite(values))
                throw Error(checkpoint.where(tensor->name) + ": tensor " + in_quotes(tensor->name) +
                            " has values that are not finite numbers; download the model again");
        }
        checkpoint.release(tensor->bytes);
    }
    report("tensors", std::to_string(tensors.size()) + ", all values finite");
}

void check_finite(std::span<const float> logits) {
    if (!all_finite(logits))
        throw Error(
            "the model's outputs for a test picture are not all finite; try --precision fp32");
    report("forward", std::to_string(logits.size()) + " outputs for a test picture, all finite");
}

// The largest difference between published and own values; `ours` is (rows, columns).
double difference(const std::vector<std::vector<double>>& published, std::span<const float> ours,
                  size_t columns) {
    double largest = 0;
    for (size_t i = 0; i < published.size(); ++i)
        for (size_t j = 0; j < published[i].size(); ++j) {
            const size_t at = i * columns + j;
            if (j >= columns || at >= ours.size())
                throw Error("the model's outputs have another shape than the published ones");
            if (!std::isfinite(ours[at])) return INFINITY;
            largest = std::max(largest, std::abs(published[i][j] - double(ours[at])));
        }
    return largest;
}

void check_difference(const std::string& what, double found, double allowed) {
    if (found > allowed)
        throw Error(what + " differ by " + number(found) +
                    " from the published ones, but may differ by " + number(allowed) +
                    "; is this the picture 000000039769 of COCO val2017 as it was published?");
    report(what, "within " + number(found) + " of the published ones; " + number(allowed) +
                     " is allowed");
}

bool is_same(const PublishedAnswers::Found& want, const Detection& found,
             const std::vector<std::string>& labels) {
    const std::array<float, 4> box{found.box.min.x, found.box.min.y, found.box.max.x,
                                   found.box.max.y};
    if (labels[found.id] != want.label ||
        std::abs(double(found.score) - want.score) > score_tolerance)
        return false;
    for (size_t i = 0; i < want.box.size(); ++i)
        if (std::abs(double(box[i]) - want.box[i]) > pixel_tolerance) return false;
    return true;
}

// Matches each published object with a detection of its own.
void check_detections(const std::vector<PublishedAnswers::Found>& published,
                      const Findings& findings, const std::vector<std::string>& labels) {
    DetectionFilter filter;
    for (const auto& want : published)
        filter.threshold =
            std::min(filter.threshold, static_cast<float>(want.score - score_tolerance));
    std::vector<Detection> ours = findings.detections(filter);
    for (const auto& want : published) {
        const auto found = std::ranges::find_if(
            ours, [&](const Detection& d) { return is_same(want, d, labels); });
        if (found == ours.end())
            throw Error("the published " + want.label + " of score " + number(want.score) +
                        " is not found; is this the picture 000000039769 of COCO val2017 as it was "
                        "published?");
        ours.erase(found);
    }
    report("objects", "all " + std::to_string(published.size()) + " published ones found");
}

// How even the probabilities are: their entropy, 1 if all are the same.
double evenness(const std::vector<float>& logits) {
    if (logits.size() < 2) return 0;
    const double most = *std::ranges::max_element(logits);
    double sum = 0, weighted = 0;
    for (float logit : logits) {
        const double p = std::exp(double(logit) - most);
        sum += p;
        weighted += p * (double(logit) - most);
    }
    return (std::log(sum) - weighted / sum) / std::log(double(logits.size()));
}

// How far the probabilities of independent classes are apart.
double spread(const std::vector<float>& logits) {
    auto probability = [](float logit) { return 1 / (1 + std::exp(-double(logit))); };
    const auto [least, most] = std::ranges::minmax_element(logits);
    return probability(*most) - probability(*least);
}

void look_with(const Classifier& classifier, const Ranking& ranking) {
    constexpr double nearly_uniform = 0.95, nearly_equal = 0.1;
    std::vector<std::pair<std::string, float>> found;
    const std::vector<ClassScore> best = ranking.top(3);
    for (const ClassScore& one : best) found.emplace_back(classifier.labels()[one.id], one.score);
    report_sight(found);
    if (classifier.has_independent_classes() ? spread(ranking.logits()) < nearly_equal
                                             : evenness(ranking.logits()) > nearly_uniform)
        doubt("it is as unsure of all classes as a guess");
}

void look_with(const Detector& detector) {
    constexpr float least = 0.2f;
    std::vector<std::pair<std::string, float>> found;
    for (const Detection& one : detector.findings().detections({.threshold = least, .most = 3}))
        found.emplace_back(detector.labels()[one.id], one.score);
    report_sight(found);
    const float best = detector.findings().best_score();
    if (found.empty())
        doubt("nothing scores above " + number(least) + ", the best has " + number(best));
}

// Whether some pair of words comes three times, or one token is more than a third of many.
bool repeats_itself(const Caption& caption) {
    constexpr size_t many = 12;
    std::map<uint32_t, size_t> tokens;
    for (const auto id : caption.ids)
        if (3 * ++tokens[static_cast<uint32_t>(id)] > std::max(many, caption.ids.size()))
            return true;
    std::map<std::pair<std::string, std::string>, int> pairs;
    for (size_t i = 1; i < caption.words.size(); ++i)
        if (++pairs[{caption.words[i - 1].text, caption.words[i].text}] == 3) return true;
    return false;
}

void look_with(const Caption& caption) {
    if (caption.text.empty() && !caption.words.empty()) {
        report("sees", std::to_string(caption.words.size()) + " tokens; it has no tokenizer");
        return;
    }
    report("sees", caption.text.empty() ? "nothing" : in_quotes(caption.text));
    if (caption.text.empty()) doubt("it says nothing");
    if (repeats_itself(caption)) doubt("it repeats itself");
}

void verify_classifier(Engine& engine, const std::filesystem::path& folder, Implementation as,
                       const LookedAt& looked, const PictureFile* picture,
                       const PublishedAnswers* published) {
    Classifier classifier =
        Classifier::open(engine.device(), folder, engine.precision(), {}, Tokenizer::open, as);
    if (classifier.phrases()) classifier.look_for(phrases_to_see);
    // A model without a classification head is checked by its patch features.
    const bool has_classes = !classifier.labels().empty();
    Tap tap({}, false, !has_classes);
    Ranking ranking;
    Download features;
    StillPictures pictures(engine, "verify", [&](Commands& c, const Image& image) {
        classifier.prepare({image.width(), image.height()});
        classifier.record(c, image, tap, ranking);
        if (!has_classes) features.record(c, tap.features());
    });
    pictures.run("test picture", TestPicture().view());
    check_finite(has_classes ? ranking.logits() : features.floats());
    if (looked.view() && has_classes) {
        pictures.run("bundled picture", *looked.view());
        look_with(classifier, ranking);
    }
    if (!picture) return;
    pictures.run("picture", picture->view());
    const std::vector<float> logits = ranking.logits();
    check_difference("logits", difference(published->logits, logits, logits.size()),
                     logit_tolerance);
}

void verify_detector(Engine& engine, const std::filesystem::path& folder, Implementation as,
                     const LookedAt& looked, const PictureFile* picture,
                     const PublishedAnswers* published) {
    Detector detector =
        Detector::open(engine.device(), folder, engine.precision(), {}, Tokenizer::open, as);
    if (!detector.remark().empty()) report("computed", detector.remark());
    if (detector.phrases()) detector.look_for(phrases_to_see);
    DetectionTaps none;
    StillPictures pictures(engine, "verify", [&](Commands& c, const Image& image) {
        detector.prepare({image.width(), image.height()});
        detector.record(c, image, none);
    });
    pictures.run("test picture", TestPicture().view());
    check_finite(detector.findings().logits());
    if (!all_finite(detector.findings().boxes()))
        throw Error(
            "the model's boxes for a test picture are not all finite; try --precision fp32");
    if (looked.view()) {
        pictures.run("bundled picture", *looked.view());
        look_with(detector);
    }
    if (!picture) return;
    pictures.run("picture", picture->view());
    const Findings& findings = detector.findings();
    const std::vector<float> logits = findings.logits(), boxes = findings.boxes();
    if (!published->logits.empty())
        check_difference("logits",
                         difference(published->logits, logits, logits.size() / (boxes.size() / 4)),
                         logit_tolerance);
    if (!published->boxes.empty())
        check_difference("boxes", difference(published->boxes, boxes, 4), box_tolerance);
    if (!published->detections.empty())
        check_detections(published->detections, findings, detector.labels());
}

void verify_captioner(Engine& engine, const std::filesystem::path& folder, const LookedAt& looked,
                      const PictureFile* picture, const PublishedAnswers* published) {
    Captioner captioner = Captioner::open(engine.device(), engine.scratch(), folder,
                                          Tokenizer::open, engine.precision());
    StillPictures pictures(engine, "verify", [&](Commands& c, const Image& image) {
        captioner.prepare({image.width(), image.height()});
        captioner.record(c, image);
    });
    auto caption = [&](const std::string& name, const PictureView& view) {
        pictures.run(name, view);
        captioner.start();
        while (!captioner.finished()) captioner.advance(words_between_looks);
        return captioner.result();
    };
    const Caption test = caption("test picture", TestPicture().view());
    if (!all_finite(test.log_probs) || !std::isfinite(test.score))
        throw Error(
            "the probabilities of a test picture's caption are not all finite; try --precision "
            "fp32");
    report("forward", "a caption of " + std::to_string(test.ids.size()) +
                          " tokens for a test picture, all probabilities finite");
    if (looked.view()) look_with(caption("bundled picture", *looked.view()));
    if (!picture) return;
    const Caption ours = caption("picture", picture->view());
    if (ours.text != published->caption)
        throw Error("the caption is " + in_quotes(ours.text) + ", not the published " +
                    in_quotes(published->caption));
    report("caption", in_quotes(ours.text) + ", as published");
}

// `published` is set if `picture` is.
void verify(const VerifyOptions& options, const PictureFile* picture,
            const PublishedAnswers* published) {
    const std::filesystem::path folder = find_model(options.model);
    const Task task = family_of(folder).task();
    print(options.model + "  " + folder.string() + "\n");
    check_tensors(folder);
    Engine engine(options.common.engine());
    const LookedAt looked(options.model);
    switch (task) {
        case Task::classify:
            verify_classifier(engine, folder, options.as, looked, picture, published);
            break;
        case Task::detect:
            verify_detector(engine, folder, options.as, looked, picture, published);
            break;
        case Task::caption:
            verify_captioner(engine, folder, looked, picture, published);
            break;
    }
    print("  all checks passed\n");
}

}  // namespace

void verify_model(const VerifyOptions& options) {
    if (options.image.empty()) {
        verify(options, nullptr, nullptr);
        return;
    }
    const CatalogueModel* known = nullptr;
    if (const auto model = HubModel::parse(options.model)) known = find_in_catalogue(model->name);
    if (!known || !known->published)
        throw Error("there are no published results to compare " + in_quotes(options.model) +
                    " with; leave out --image");
    const PictureFile picture(options.image);
    if (Size{picture.view().width, picture.view().height} != published_size)
        throw Error(in_quotes(options.image) +
                    " is not picture 000000039769 of COCO val2017, for which results are "
                    "published: that one "
                    "has 640x480 pixels");
    verify(options, &picture, &*known->published);
}

void verify_model(const VerifyOptions& options, const PublishedAnswers& published) {
    const PictureFile picture(options.image);
    verify(options, &picture, &published);
}

}  // namespace saccade
