// `saccade models verify` on intact and on damaged models.

#include "app/commands/models_verify.h"

#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "app/hub/hub_cache.h"
#include "models/files/json.h"
#include "models/files/safetensors.h"
#include "tests/app/program.h"
#include "tests/app/variable.h"

namespace saccade {
namespace {

class ModelVerify : public ::testing::Test {
protected:
    static VerifyOptions options_for(const std::string& model, const std::string& image = "") {
        VerifyOptions options;
        const char* device = std::getenv("SACCADE_DEVICE");
        if (device) options.common.device = device;
        options.common.precision = "fp32";
        options.model = model;
        options.image = image;
        return options;
    }
    static std::string printed(const std::function<void()>& act) {
        ::testing::internal::CaptureStdout();
        try {
            act();
        } catch (...) {
            ::testing::internal::GetCapturedStdout();
            throw;
        }
        return ::testing::internal::GetCapturedStdout();
    }
    std::string refusal(const VerifyOptions& options) const {
        return error_of([&] { printed([&] { verify_model(options); }); });
    }
    // The folder's weights with some change.
    void rewrite(const std::string& folder,
                 const std::function<void(std::vector<StoredTensor>&)>& change) const {
        const std::filesystem::path file = std::filesystem::path(folder) / "model.safetensors";
        const SafetensorsFile before(file);
        std::vector<StoredTensor> tensors(before.tensors().begin(), before.tensors().end());
        change(tensors);
        write_safetensors(file, tensors);
    }
    // Rows of a golden tensor.
    static std::vector<std::vector<double>> golden(const std::string& name,
                                                   const std::string& tensor, size_t rows,
                                                   size_t columns) {
        const SafetensorsFile file(golden_folder() / name / "golden.safetensors");
        const StoredTensor* const stored = file.find(tensor);
        std::vector<std::vector<double>> result(rows, std::vector<double>(columns));
        for (size_t i = 0; i < rows; ++i) {
            std::vector<float> row(columns);
            read_floats(*stored, i * stored->shape.back(), row);
            result[i].assign(row.begin(), row.end());
        }
        return result;
    }

    TempFolder temp;
    const std::string astronaut = golden_folder() / "images" / "astronaut.png";
};

TEST_F(ModelVerify, bundled_models_are_sound) {
    for (const char* model :
         {"emoji-detector", "emoji-classifier", "emoji-captioner", "photo-detector",
          "photo-classifier", "photo-captioner", "photo-captioner-2015"}) {
        const Outcome outcome = saccade_program(on_test_device({"models", "verify", model}));
        expect_done(outcome);
        expect_says(outcome.out, std::string(model) + "  ");
        expect_says(outcome.out, "all values finite");
        expect_says(outcome.out, "all checks passed\n");
    }
}

TEST_F(ModelVerify, a_weight_that_is_not_a_number_is_named) {
    const std::string folder = model_folder(temp, "vit-nano");
    const float bad = std::numeric_limits<float>::quiet_NaN();
    std::vector<std::byte> bytes;
    rewrite(folder, [&](std::vector<StoredTensor>& tensors) {
        for (StoredTensor& tensor : tensors) {
            if (tensor.name != "vit.layernorm.bias") continue;
            bytes.assign(tensor.bytes.begin(), tensor.bytes.end());
            std::memcpy(bytes.data() + bytes.size() - sizeof bad, &bad, sizeof bad);
            tensor.bytes = bytes;
        }
    });
    expect_says(refusal(options_for(folder)),
                "'vit.layernorm.bias' has values that are not finite numbers");
}

TEST_F(ModelVerify, tensors_that_are_missing_or_of_another_shape_are_named) {
    const std::string folder = model_folder(temp, "vit-nano");
    rewrite(folder, [](std::vector<StoredTensor>& tensors) {
        std::erase_if(tensors, [](const auto& t) { return t.name == "classifier.bias"; });
    });
    expect_says(refusal(options_for(folder)), "'classifier.bias' of shape [10] is missing");
    rewrite(folder, [](std::vector<StoredTensor>& tensors) {
        for (StoredTensor& tensor : tensors)
            if (tensor.name == "classifier.weight") std::swap(tensor.shape[0], tensor.shape[1]);
    });
    expect_says(refusal(options_for(folder)), "'classifier.weight' has shape [64, 10]");
}

TEST_F(ModelVerify, answers_as_published_are_well) {
    PublishedAnswers published;
    published.logits = golden("yolos-nano", "logits", 3, 3);
    published.boxes = golden("yolos-nano", "boxes", 3, 3);
    const nlohmann::json detections =
        read_json(golden_folder() / "yolos-nano" / "golden.json")["detections"];
    for (const auto& found : detections)
        published.detections.push_back(
            {"LABEL_" + std::to_string(found["label"].get<int>()), found["score"], found["box"]});
    const VerifyOptions options = options_for(model_folder(temp, "yolos-nano"), astronaut);
    const std::string text = printed([&] { verify_model(options, published); });
    for (const char* part :
         {"logits      within", "boxes       within", "published ones found", "all checks passed"})
        expect_says(text, part);

    auto refused = [&](const PublishedAnswers& other) {
        return error_of([&] { printed([&] { verify_model(options, other); }); });
    };
    PublishedAnswers other = published;
    other.logits[2][1] += 0.2;
    expect_says(refused(other), "logits differ by 0.2 from the published ones");
    other = published;
    other.boxes[0][2] -= 0.02;
    expect_says(refused(other), "boxes differ by");
    other = published;
    other.detections.push_back(other.detections[0]);
    expect_says(refused(other), "is not found");  // there is only one
    other = published;
    other.detections[0].box[3] += 10;
    expect_says(refused(other), "is not found");
    other = published;
    other.logits.assign(100, {0});
    expect_says(refused(other), "another shape than the published ones");
}

TEST_F(ModelVerify, the_catalogues_answers_are_for_one_picture_and_its_models) {
    const std::string folder = model_folder(temp, "vit-nano");
    expect_says(refusal(options_for(folder, astronaut)), "there are no published results");
    expect_says(refusal(options_for("facebook/detr-resnet-50", astronaut)),
                "that one has 640x480 pixels");
    // Another model under a name of the catalogue.
    const Variable hub("HF_HUB_CACHE", (temp / "hub").c_str());
    const HubCache cache;
    std::filesystem::create_directories(cache.repository("google/vit-base-patch16-224") /
                                        "snapshots");
    std::filesystem::rename(folder, cache.snapshot("google/vit-base-patch16-224", "1111"));
    std::string pixels = "P6\n640 480\n255\n";
    pixels.resize(pixels.size() + size_t{3} * 640 * 480, '\x40');
    expect_says(refusal(options_for("vit-base-patch16-224", temp.write("grey.ppm", pixels))),
                "logits differ by");
}

}  // namespace
}  // namespace saccade
