#include "app/lab/bench_model.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "gpu/error.h"
#include "models/classifier.h"
#include "models/detector.h"
#include "models/synthetic.h"

namespace saccade {

namespace {

class BenchClassifier : public BenchModel {
public:
    explicit BenchClassifier(Classifier classifier) : classifier_(std::move(classifier)) {}

    Tensor record(Commands& c, uint32_t batch) override {
        const ViTConfig& config = classifier_.config();
        const Tensor patches = c.scratch(batch, config.grid_height() * config.grid_width(),
                                         config.channels * config.patch_height * config.patch_width,
                                         classifier_.precision());
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

class BenchDetector : public BenchModel {
public:
    explicit BenchDetector(Detector detector) : detector_(std::move(detector)) {
        detector_.prepare({640, 480});
    }

    Tensor record(Commands& c, uint32_t batch) override {
        const PictureInput& input = detector_.input();
        const Tensor patches =
            c.scratch(batch, input.patches(), input.patch_columns(), detector_.input_type());
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
    };
}

bool is_detector(const json& config, const std::string& where) {
    const std::string type = JsonFields(config, where).text("model_type", "");
    return type == "detr" || type == "yolos";
}

}  // namespace

std::unique_ptr<BenchModel> make_bench_model(Engine& engine, const std::string& model) {
    Device& device = engine.device();
    const Type precision = engine.precision();
    for (const auto& [name, config, processor] : architectures()) {
        if (model != name) continue;
        SyntheticWeights weights(1, StoredType::f32);
        Preprocessor preprocessor = Preprocessor::parse(processor, name);
        if (is_detector(config, name))
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
    if (std::filesystem::is_regular_file(file) && is_detector(read_json(file), file.string()))
        return std::make_unique<BenchDetector>(Detector::open(device, folder, precision));
    return std::make_unique<BenchClassifier>(Classifier::open(device, folder, precision));
}

std::vector<std::string> bench_models() {
    std::vector<std::string> names;
    for (const Architecture& a : architectures()) names.emplace_back(a.name);
    return names;
}

}  // namespace saccade
