#include "app/lab/bench_model.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/lab/bench_inputs.h"
#include "gpu/download.h"
#include "gpu/error.h"
#include "models/captioner.h"
#include "models/classifier.h"
#include "models/detector.h"
#include "models/synthetic.h"

namespace saccade {

namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// A model that is one recording, run again and again.
class RecordedModel : public BenchModel {
public:
    void prepare(Engine& engine, uint32_t batch) override {
        inputs_ = std::make_unique<BenchInputs>(engine);
        commands_ = std::make_unique<Commands>(engine.device(), engine.scratch(), "bench");
        Commands& c = *commands_;
        const Tensor patches = input(*inputs_, batch);
        c.begin();
        {
            auto scope = c.scope("model");
            result_.record(c, record(c, patches));
        }
        c.end();
    }
    double run() override {
        const auto begin = Clock::now();
        commands_->run();
        const std::vector<ScopeTime> times = commands_->times();
        // Without timestamps the host's clock has to do.
        return times.empty() ? ms_since(begin) : times.front().ms;
    }
    std::vector<float> result() override {
        commands_->run();
        return result_.floats();
    }
    Commands::Counts counts() const override { return commands_->counts(); }

private:
    // Pictures, as their preprocessing leaves them.
    virtual Tensor input(BenchInputs& inputs, uint32_t batch) = 0;
    // Records the model alone and returns what somebody would want of it.
    virtual Tensor record(Commands& c, const Tensor& patches) = 0;

    std::unique_ptr<BenchInputs> inputs_;
    std::unique_ptr<Commands> commands_;
    Download result_;
};

class BenchClassifier : public RecordedModel {
public:
    explicit BenchClassifier(Classifier classifier) : classifier_(std::move(classifier)) {}

    Tensor input(BenchInputs& inputs, uint32_t batch) override {
        const ViTConfig& config = classifier_.config();
        return inputs.random(batch, config.grid_height() * config.grid_width(),
                             config.channels * config.patch_height * config.patch_width,
                             classifier_.precision());
    }
    Tensor record(Commands& c, const Tensor& patches) override {
        return classifier_.logits(c, patches, nobody_);
    }
    double multiply_adds() const override {
        const ViTConfig& config = classifier_.config();
        const double tokens = config.tokens(), dim = config.hidden;
        const double block =
            tokens * dim * (4 * dim + 2.0 * config.intermediate) + 2 * tokens * tokens * dim;
        return config.layers * block +
               tokens * dim * config.channels * config.patch_height * config.patch_width;
    }

private:
    Classifier classifier_;
    Tap nobody_;
};

class BenchDetector : public RecordedModel {
public:
    explicit BenchDetector(Detector detector) : detector_(std::move(detector)) {
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
        return detector_.model().multiply_adds({plan.height, plan.width});
    }

private:
    Detector detector_;
    DetectionTaps nobody_;
};

class BenchCaptioner : public BenchModel {
public:
    explicit BenchCaptioner(std::unique_ptr<Captioner> captioner)
        : captioner_(std::move(captioner)) {}

    void prepare(Engine& engine, uint32_t batch) override {
        batch_ = batch;
        CaptionOptions options;
        options.beams = 1;
        options.max_length = std::min(1 + words, captioner_->model().decoder().form().positions);
        captioner_->use(options);
        captioner_->prepare({640, 480});
        frame_ = std::make_unique<Frame>(engine.device(), 640, 480, false);
        std::ranges::fill(frame_->slot(), std::byte{127});
        frame_->flush();
        commands_ = std::make_unique<Commands>(engine.device(), engine.scratch(), "bench");
        commands_->begin();
        frame_->record(*commands_);
        captioner_->record(*commands_, frame_->image());
        commands_->end();
    }
    double run() override {
        const auto begin = Clock::now();
        for (uint32_t i = 0; i < batch_; ++i) {  // it sees one picture at a time
            commands_->submit();
            captioner_->start();
            captioner_->advance(words);
            caption_ = captioner_->result();
        }
        return ms_since(begin);
    }
    std::vector<float> result() override {
        run();
        return caption_.logs;
    }
    Commands::Counts counts() const override {
        Commands::Counts all;
        for (uint32_t i = 0; i < batch_; ++i) {
            all += captioner_->counts();
            all += commands_->counts();
        }
        return all;
    }
    double multiply_adds() const override {
        const CaptionModel& model = captioner_->model();
        return model.multiply_adds() + words * model.decoder().multiply_adds();
    }

private:
    static constexpr uint32_t words = 16;

    uint32_t batch_ = 1;
    std::unique_ptr<Captioner> captioner_;
    std::unique_ptr<Frame> frame_;
    std::unique_ptr<Commands> commands_;
    Caption caption_;
};

using nlohmann::json;

// What a folder of that name would hold, but for the weights.
struct Architecture {
    const char* name;
    json config, processor;
};

json vit(uint32_t hidden, uint32_t layers, uint32_t heads, uint32_t image) {
    return {{"model_type", "vit"},          {"architectures", {"ViTForImageClassification"}},
            {"hidden_size", hidden},        {"num_hidden_layers", layers},
            {"num_attention_heads", heads}, {"intermediate_size", 4 * hidden},
            {"image_size", image},          {"num_labels", 1000u}};
}
json vit_processor(uint32_t image) {
    return {{"image_processor_type", "ViTImageProcessor"},
            {"size", {{"height", image}, {"width", image}}}};
}

json yolos(uint32_t hidden, uint32_t heads, uint32_t height, uint32_t width, bool mid_positions) {
    return {{"model_type", "yolos"},
            {"hidden_size", hidden},
            {"num_hidden_layers", 12u},
            {"num_attention_heads", heads},
            {"intermediate_size", 4 * hidden},
            {"image_size", {height, width}},
            {"use_mid_position_embeddings", mid_positions},
            {"num_labels", 91u}};
}
json detector_processor(const char* type, uint32_t shortest) {
    return {{"image_processor_type", type},
            {"size", {{"shortest_edge", shortest}, {"longest_edge", 1333u}}}};
}

// No word ends a sentence: sixteen are wanted.
json vit_gpt2() {
    return {{"model_type", "vision-encoder-decoder"},
            {"decoder_start_token_id", 50256u},
            {"encoder", {{"model_type", "vit"}}},
            {"decoder", {{"model_type", "gpt2"}, {"add_cross_attention", true}}}};
}
json blip() {
    return {{"model_type", "blip"},
            {"vision_config", json::object()},
            {"text_config", {{"num_attention_heads", 12u}}}};
}

std::vector<Architecture> architectures() {
    const json detr = {{"model_type", "detr"}, {"backbone", "resnet50"}, {"num_labels", 91u}};
    return {
        {"deit-tiny-patch16-224", vit(192, 12, 3, 224), vit_processor(224)},
        {"deit-small-patch16-224", vit(384, 12, 6, 224), vit_processor(224)},
        {"vit-base-patch16-224", vit(768, 12, 12, 224), vit_processor(224)},
        {"vit-large-patch16-384", vit(1024, 24, 16, 384), vit_processor(384)},
        {"detr-resnet-50", detr, detector_processor("DetrImageProcessor", 800)},
        {"yolos-tiny", yolos(192, 3, 800, 1333, false),
         detector_processor("YolosImageProcessor", 512)},
        {"yolos-small", yolos(384, 6, 512, 864, true),
         detector_processor("YolosImageProcessor", 800)},
        {"vit-gpt2-image-captioning", vit_gpt2(), vit_processor(224)},
        {"blip-image-captioning-base",
         blip(),
         {{"image_processor_type", "BlipImageProcessor"},
          {"size", {{"height", 384u}, {"width", 384u}}}}},
    };
}

enum class Kind { classifier, detector, captioner };
Kind kind_of(const json& config, const std::string& where) {
    const std::string type = JsonFields(config, where).text("model_type", "");
    if (type == "detr" || type == "yolos") return Kind::detector;
    if (type == "vision-encoder-decoder" || type == "blip") return Kind::captioner;
    return Kind::classifier;
}

}  // namespace

std::unique_ptr<BenchModel> make_bench_model(Engine& engine, const std::string& model) {
    Device& device = engine.device();
    const Type precision = engine.precision();
    for (const auto& [name, config, processor] : architectures()) {
        if (model != name) continue;
        // Tied weights are not stored twice.
        SyntheticWeights weights(1, StoredType::f32, [](std::string_view tensor) {
            return tensor != "decoder.lm_head.weight" &&
                   !tensor.starts_with("text_decoder.cls.predictions.decoder.");
        });
        Preprocessor preprocessor = Preprocessor::parse(processor, name);
        const Kind kind = kind_of(config, name);
        if (kind == Kind::captioner)
            return std::make_unique<BenchCaptioner>(std::make_unique<Captioner>(
                device, engine.scratch(), Captioner::Files{.config = config, .where = name},
                nullptr, std::move(preprocessor), weights, precision));
        if (kind == Kind::detector)
            return std::make_unique<BenchDetector>(
                Detector(device, config, name, std::move(preprocessor), weights, precision));
        return std::make_unique<BenchClassifier>(Classifier(
            device, read_vit_config(config, name), std::move(preprocessor), weights, precision));
    }
    const std::filesystem::path folder = model, file = folder / "config.json";
    if (!std::filesystem::exists(folder)) {
        std::string known;
        for (const std::string& name : bench_models()) known += " " + name;
        throw Error("'" + model + "' is neither a model folder nor one of" + known);
    }
    const Kind kind = std::filesystem::is_regular_file(file)
                          ? kind_of(read_json(file), file.string())
                          : Kind::classifier;
    if (kind == Kind::captioner)
        return std::make_unique<BenchCaptioner>(std::unique_ptr<Captioner>(
            new Captioner(Captioner::open(device, engine.scratch(), folder, precision))));
    if (kind == Kind::detector)
        return std::make_unique<BenchDetector>(Detector::open(device, folder, precision));
    return std::make_unique<BenchClassifier>(Classifier::open(device, folder, precision));
}

std::vector<std::string> bench_models() {
    std::vector<std::string> names;
    for (const Architecture& a : architectures()) names.emplace_back(a.name);
    return names;
}

}  // namespace saccade
