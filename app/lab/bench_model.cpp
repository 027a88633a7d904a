#include "app/lab/bench_model.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/lab/bench_inputs.h"
#include "gpu/core/error.h"
#include "gpu/transfer/download.h"
#include "models/captioner.h"
#include "models/classifier.h"
#include "models/contrast/phrases.h"
#include "models/detector.h"
#include "models/files/synthetic.h"
#include "models/knock_outs/class_trials.h"
#include "models/knock_outs/detection_trials.h"
#include "models/registry/published.h"
#include "models/registry/registry.h"

namespace saccade {

namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// Gives an open-vocabulary model five dummy texts. Their embeddings are kept, as from frame to
// frame.
void tell_phrases(Phrases* phrases) {
    if (!phrases) return;
    const TextTowerConfig& config = phrases->tower().config();
    constexpr uint32_t count = 5, words = 2;
    TextIds texts;
    std::vector<std::string> labels;
    for (uint32_t i = 0; i < count; ++i) {
        std::vector<uint32_t> row(words, i + 1);
        row.push_back(std::min(config.end, config.vocabulary - 1));
        if (config.pad) row.resize(config.positions, std::min(*config.pad, config.vocabulary - 1));
        texts.rows.push_back(std::move(row));
        labels.push_back(std::to_string(i));
    }
    phrases->use(std::move(labels), texts);
}

// A dummy question. Models that read the picture as words have it after the first few words.
std::vector<uint32_t> made_up_question(const CaptionModel& model) {
    constexpr uint32_t before = 5, after = 20;
    const std::span<const uint32_t> picture = model.decoder().picture_words();
    std::vector<uint32_t> ids;
    for (uint32_t i = 0; i < before + after; ++i) {
        if (i == before && !picture.empty()) ids.push_back(model.prompt()[picture.front()]);
        ids.push_back(i + 1);
    }
    return ids;
}

// A model that is one recording, which is run repeatedly.
class RecordedModel : public BenchModel {
public:
    void prepare(Engine& engine, const BenchLoad& load) override {
        inputs_ = std::make_unique<BenchInputs>(engine);
        commands_ = std::make_unique<Commands>(engine.device(), engine.scratch(), "bench");
        Commands& c = *commands_;
        patches_ = input(*inputs_, load.batch);
        record_all(c);
    }
    std::vector<ScopeTime> dispatch_times() override {
        Commands& c = *commands_;
        c.time_dispatches(true);
        record_all(c);
        for (int warm = 0; warm < 20; ++warm) c.run();
        std::vector<ScopeTime> times = c.times();
        c.time_dispatches(false);
        record_all(c);
        std::erase_if(times, [](const ScopeTime& time) { return time.depth == 0; });
        return times;
    }
    double run() override {
        const auto begin = Clock::now();
        commands_->run();
        const std::vector<ScopeTime> times = commands_->times();
        // Without timestamps, the host's clock is used.
        return times.empty() ? ms_since(begin) : times.front().ms;
    }
    std::vector<float> result() override {
        commands_->run();
        return result_.floats();
    }
    Commands::Counts counts() const override { return commands_->counts(); }

private:
    void record_all(Commands& c) {
        c.begin();
        Tensor result;
        {
            auto scope = c.scope("model");
            result = record(c, patches_);
        }
        // The download is not timed. The result's memory has not been reused yet.
        result_.record(c, result);
        c.end();
    }
    // Preprocessed pictures.
    virtual Tensor input(BenchInputs& inputs, uint32_t batch) = 0;
    // Records the model alone and returns its output.
    virtual Tensor record(Commands& c, const Tensor& patches) = 0;

    std::unique_ptr<BenchInputs> inputs_;
    std::unique_ptr<Commands> commands_;
    Tensor patches_;
    Download result_;
};

class BenchClassifier : public RecordedModel {
public:
    // The output of a model without a classifier is its features.
    explicit BenchClassifier(Classifier classifier) : classifier_(std::move(classifier)) {
        tell_phrases(classifier_.phrases());
        tap_ = Tap({}, false, classifier_.labels().empty());
    }

    Tensor input(BenchInputs& inputs, uint32_t batch) override {
        const ClassificationModel& model = classifier_.model();
        return inputs.random(batch, area(model.picture() / model.patch()), 3 * area(model.patch()),
                             model.input_type());
    }
    Tensor record(Commands& c, const Tensor& patches) override {
        const Tensor logits = classifier_.logits(c, patches, tap_);
        return logits ? logits : tap_.features();
    }
    double multiply_adds() const override { return classifier_.model().multiply_adds(); }
    std::unique_ptr<Trials> trials(Engine& engine, const PictureView& picture,
                                   const TrialOptions& options) override {
        classifier_.prepare({picture.width, picture.height});
        return std::make_unique<ClassTrials>(engine.device(), engine.scratch(), classifier_, 0,
                                             picture, options);
    }

private:
    Classifier classifier_;
    Tap tap_;
};

class BenchDetector : public RecordedModel {
public:
    explicit BenchDetector(Detector detector) : detector_(std::move(detector)) {
        tell_phrases(detector_.phrases());
        detector_.prepare({640, 480});
    }

    Tensor input(BenchInputs& inputs, uint32_t batch) override {
        const PictureInput& input = detector_.input();
        return inputs.random(batch, input.patches(), input.patch_columns(), detector_.input_type());
    }
    Tensor record(Commands& c, const Tensor& patches) override {
        return detector_.forward(c, patches, nobody_).logits;
    }
    double multiply_adds() const override {
        const PreprocessPlan& plan = detector_.input().plan();
        return detector_.model().multiply_adds({plan.width, plan.height});
    }
    std::unique_ptr<Trials> trials(Engine& engine, const PictureView& picture,
                                   const TrialOptions& options) override {
        detector_.prepare({picture.width, picture.height});
        return std::make_unique<DetectionTrials>(engine.device(), engine.scratch(), detector_,
                                                 Detection{}, picture, options);
    }

private:
    Detector detector_;
    DetectionTaps nobody_;
};

class BenchCaptioner : public BenchModel {
public:
    explicit BenchCaptioner(std::unique_ptr<Captioner> captioner)
        : captioner_(std::move(captioner)), words_(captioner_->model().answers() ? 30 : 16) {}

    void prepare(Engine& engine, const BenchLoad& load) override {
        const bool answers = captioner_->model().answers();
        const Size size = answers ? Size{512, 512} : Size{640, 480};
        CaptionOptions options;
        options.beams = load.beams;
        options.max_new = words_;
        captioner_->prepare(size);
        if (answers) captioner_->ask(made_up_question(captioner_->model()));
        captioner_->use(options);
        captioner_->take_together(load.batch);
        group_ = captioner_->make_group();
        frame_ = std::make_unique<Frame>(engine.device(), size.x, size.y, false);
        std::ranges::fill(frame_->slot(), std::byte{127});
        frame_->flush();
        commands_ = std::make_unique<Commands>(engine.device(), engine.scratch(), "bench");
        const std::vector<const Image*> images(load.batch, &frame_->image());
        Tap nobody;
        commands_->begin();
        frame_->record(*commands_);
        captioner_->record(*commands_, images, nobody, group_);
        commands_->end();
    }
    double run() override {
        const auto begin = Clock::now();
        commands_->submit();
        captioner_->start(group_);
        captioner_->advance(words_);
        captions_ = captioner_->results();
        return ms_since(begin);
    }
    std::vector<float> result() override {
        run();
        std::vector<float> logs;
        for (const Caption& caption : captions_)
            logs.insert(logs.end(), caption.log_probs.begin(), caption.log_probs.end());
        return logs;
    }
    Commands::Counts counts() const override {
        Commands::Counts all = captioner_->counts();
        all += commands_->counts();
        return all;
    }
    double multiply_adds() const override {
        const CaptionModel& model = captioner_->model();
        return model.multiply_adds() + words_ * model.decoder().multiply_adds();
    }

private:
    std::unique_ptr<Captioner> captioner_;
    uint32_t words_;  // of a caption or an answer
    PictureGroup group_;
    std::unique_ptr<Frame> frame_;
    std::unique_ptr<Commands> commands_;
    std::vector<Caption> captions_;
};

// One of the registry's published sizes, on synthetic weights.
std::unique_ptr<BenchModel> make_published(Engine& engine, const Family& family,
                                           const PublishedModel& model) {
    Device& device = engine.device();
    const Type precision = engine.precision();
    SyntheticWeights weights(1, StoredType::f32, [&](std::string_view tensor) {
        return family.tied.empty() || !tensor.starts_with(family.tied);
    });
    Preprocessor preprocessor = Preprocessor::parse(model.processor, model.name);
    switch (family.task()) {
        case Task::classify:
            return std::make_unique<BenchClassifier>(Classifier(
                device, model.config, model.name, std::move(preprocessor), weights, precision));
        case Task::detect:
            return std::make_unique<BenchDetector>(Detector(
                device, model.config, model.name, std::move(preprocessor), weights, precision));
        case Task::caption:
            return std::make_unique<BenchCaptioner>(std::make_unique<Captioner>(
                device, engine.scratch(),
                Captioner::Files{.config = model.config, .where = model.name}, nullptr,
                std::move(preprocessor), weights, precision));
    }
    throw Error(std::string(model.name) + ": bench does not know its task");
}

std::unique_ptr<BenchModel> open_model(Engine& engine, const std::filesystem::path& folder) {
    Device& device = engine.device();
    const Type precision = engine.precision();
    switch (family_of(folder).task()) {
        case Task::classify:
            return std::make_unique<BenchClassifier>(Classifier::open(device, folder, precision));
        case Task::detect:
            return std::make_unique<BenchDetector>(Detector::open(device, folder, precision));
        case Task::caption:
            return std::make_unique<BenchCaptioner>(std::unique_ptr<Captioner>(new Captioner(
                Captioner::open(device, engine.scratch(), folder, no_tokenizer, precision))));
    }
    throw Error(folder.string() + ": bench does not know its task");
}

}  // namespace

std::unique_ptr<BenchModel> make_bench_model(Engine& engine, const std::string& model) {
    for (const Family& family : families()) {
        if (!family.published) continue;
        for (const PublishedModel& published : family.published())
            if (model == published.name) return make_published(engine, family, published);
    }
    if (std::filesystem::exists(model)) return open_model(engine, model);
    std::string known;
    for (const std::string& name : bench_models(WhichModels::all)) known += " " + name;
    throw Error("'" + model + "' is neither a model folder nor one of" + known);
}

std::vector<std::string> bench_models(WhichModels which) {
    std::vector<std::string> names;
    for (const Family& family : families()) {
        if (!family.published) continue;
        for (const PublishedModel& published : family.published())
            if (which == WhichModels::all || !published.only_by_name)
                names.emplace_back(published.name);
    }
    return names;
}

}  // namespace saccade
