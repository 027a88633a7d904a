// DEIMv2 as its authors compute it: in their own folders, and in those that transformers' script
// makes of them.

#include <cmath>

#include "models/detection/fine/authors_folder.h"
#include "models/detection/fine/authors_names.h"
#include "tests/models/detection/detection_fixture.h"

namespace saccade {
namespace {

// A checkpoint of the authors as transformers' script converts it: other names, and an enc_output
// that the authors' code does not have, to which `away` is added.
class Converted : public AuthorsNames {
public:
    Converted(WeightSource& from, float away) : AuthorsNames(from), away_(away) {}

    std::optional<StoredTensor> find(std::string_view name,
                                     std::span<const uint64_t> shape) override {
        if (!name.starts_with("model.enc_output.")) return AuthorsNames::find(name, shape);
        const bool matrix = shape.size() == 2, ones = name == "model.enc_output.1.weight";
        values_.assign(matrix ? shape[0] * shape[1] : shape[0], ones ? 1.0f : 0.0f);
        if (matrix)
            for (size_t i = 0; i < shape[0]; ++i) values_[i * shape[1] + i] = 1;
        values_.front() += away_;
        return StoredTensor{std::string(name),
                            StoredType::f32,
                            {shape.begin(), shape.end()},
                            std::as_bytes(std::span(values_))};
    }

private:
    float away_;
    std::vector<float> values_;
};

// A checkpoint of the authors, with one tensor that their code stores otherwise or in addition.
template <typename Number>
class With : public WeightSource {
public:
    With(WeightSource& from, std::string name, StoredType type, std::vector<uint64_t> shape,
         std::vector<Number> values)
        : from_(from), values_(std::move(values)) {
        tensor_ = {std::move(name), type, std::move(shape), std::as_bytes(std::span(values_))};
    }
    std::optional<StoredTensor> find(std::string_view name,
                                     std::span<const uint64_t> shape) override {
        if (name == tensor_.name) return tensor_;
        return from_.find(name, shape);
    }
    void release(std::span<const std::byte> bytes) override { from_.release(bytes); }
    std::string where(std::string_view name) const override { return from_.where(name); }
    uint64_t elements() const override { return from_.elements(); }
    std::vector<std::string> unused() const override { return from_.unused(); }

private:
    WeightSource& from_;
    std::vector<Number> values_;
    StoredTensor tensor_;
};

class Deimv2Authors : public DetectionTest {
protected:
    // transformers' config.json of the case, whose sizes all are there.
    static Json converted_config(const Golden& golden) {
        Json config = deimv2_config_of_authors(golden.config, "config.json");
        config["eval_size"] = golden.config[authors_decoder]["eval_spatial_size"];
        return config;
    }
    static Preprocessor preprocessor_of(const Golden& golden) {
        return deimv2_preprocessor_of_authors(golden.config, "config.json");
    }
    Detector converted(const Golden& golden, float away = 0,
                       Implementation as = Implementation::by_weights) {
        SyntheticWeights weights(golden.manifest);
        Converted source(weights, away);
        return Detector::with_suitable_front(device, converted_config(golden), "config.json",
                                             preprocessor_of(golden), source, Type::f32, as);
    }
    Detector own(const Golden& golden, WeightSource& source) {
        return Detector::with_suitable_front(device, golden.config, "config.json",
                                             preprocessor_of(golden), source, Type::f32);
    }
    Floats logits(Detector detector, const PpmPicture& picture) {
        detect(detector, picture);
        return detector.findings().logits();
    }
    // The Error for a config.json.
    std::string refusal(const Golden& golden, const Json& config,
                        Implementation as = Implementation::by_weights) {
        SyntheticWeights weights(golden.manifest);
        return error_of([&] {
            Detector::with_suitable_front(device, config, "config.json", preprocessor_of(golden),
                                          weights, Type::f32, as);
        });
    }
};

TEST_F(Deimv2Authors, a_converted_folder_gives_what_the_authors_own_folder_gives) {
    for (const char* name : {"deimv2-authors-lite", "deimv2-authors-hybrid"}) {
        SCOPED_TRACE(name);
        Golden golden(name);
        if (name == std::string("deimv2-authors-hybrid"))  // what no converted config.json says
            golden.config[authors_decoder]["activation"] =
                golden.config[authors_decoder]["mlp_act"];
        const Floats own = logits(make(golden, Type::f32), golden.picture());
        Detector by_weights = converted(golden);
        EXPECT_NE(by_weights.remark().find("converted from the authors' weights"),
                  std::string::npos)
            << by_weights.remark();
        EXPECT_EQ(logits(std::move(by_weights), golden.picture()), own);
        Detector told = converted(golden, 0, Implementation::authors);
        EXPECT_EQ(told.remark(), "");
        EXPECT_EQ(logits(std::move(told), golden.picture()), own);
        Detector otherwise = converted(golden, 0, Implementation::transformers);
        EXPECT_EQ(otherwise.remark(), "");
        EXPECT_NE(logits(std::move(otherwise), golden.picture()), own);
    }
}

TEST_F(Deimv2Authors, a_layer_that_training_has_moved_means_transformers) {
    const Golden golden("deimv2-authors-lite");
    Detector trained = converted(golden, 0.01f);
    EXPECT_NE(trained.remark().find("nearly the identity"), std::string::npos) << trained.remark();
    Detector of_transformers = converted(golden, 0.01f, Implementation::transformers);
    EXPECT_EQ(logits(std::move(trained), golden.picture()),
              logits(std::move(of_transformers), golden.picture()));
    EXPECT_EQ(converted(golden, 3).remark(), "") << "no doubt is left";
}

TEST_F(Deimv2Authors, the_activation_of_perceptrons_is_that_of_the_config) {
    const Golden golden("deimv2-authors-lite");
    Json config = golden.config;
    auto with = [&](const Json& activation) {
        config[authors_decoder]["mlp_act"] = activation;
        SyntheticWeights weights(golden.manifest);
        Detector detector = Detector::with_suitable_front(
            device, config, "config.json", preprocessor_of(golden), weights, Type::f32);
        EXPECT_EQ(detector.remark().empty(), !activation.is_null()) << detector.remark();
        return logits(std::move(detector), golden.picture());
    };
    const Floats silu = with("silu");
    EXPECT_EQ(with(nullptr), silu) << "as the authors have trained all sizes";
    EXPECT_NE(with("relu"), silu);
}

TEST_F(Deimv2Authors, a_scale_that_is_stored_as_a_whole_number_is_that_number) {
    const Golden golden("deimv2-authors-hybrid");
    SyntheticWeights weights(golden.manifest);
    auto with = [&](int64_t scale) {
        With<int64_t> source(weights, "decoder.decoder.reg_scale", StoredType::i64, {1}, {scale});
        return logits(own(golden, source), golden.picture());
    };
    const Floats stored = logits(own(golden, weights), golden.picture());
    EXPECT_EQ(with(4), stored);
    EXPECT_NE(with(5), stored);
}

TEST_F(Deimv2Authors, anchors_of_the_file_count_if_they_are_those_of_its_maps) {
    const Golden golden("deimv2-authors-hybrid");  // maps of 8x8 and 4x4 cells
    SyntheticWeights weights(golden.manifest);
    std::vector<float> anchors;
    for (const int side : {8, 4})
        for (int i = 0; i < side * side; ++i)
            for (const float v : {float(i % side) + 0.5f, float(i / side) + 0.5f, 0.4f,
                                  0.4f}) {  // 0.05 of 8 cells, 0.1 of 4
                const float place = v / static_cast<float>(side);
                anchors.push_back(std::log(place / (1 - place)));
            }
    auto boxes_with = [&](float away) {
        std::vector<float> moved = anchors;
        for (float& one : moved) one += away;
        With<float> source(weights, "decoder.anchors", StoredType::f32, {1, anchors.size() / 4, 4},
                           std::move(moved));
        Detector detector = own(golden, source);
        detect(detector, golden.picture());
        return detector.findings().boxes();
    };
    Detector without = own(golden, weights);
    detect(without, golden.picture());
    const Floats computed = without.findings().boxes();
    EXPECT_EQ(boxes_with(0), computed);
    EXPECT_NE(boxes_with(0.001f), computed);
    EXPECT_EQ(boxes_with(0.1f), computed) << "these are anchors of another picture";
}

TEST_F(Deimv2Authors, pictures_have_the_size_that_the_boxes_are_made_for) {
    const Golden golden("deimv2-authors-hybrid");
    SyntheticWeights weights(golden.manifest);
    auto size_as = [&](Implementation as) {
        Converted source(weights, 0);
        Preprocessor always = preprocessor_of(golden);
        always.size = {64, 64};
        Detector detector = Detector::with_suitable_front(
            device, converted_config(golden), "config.json", always, source, Type::f32, as);
        return *detector.input().preprocessor().fixed_size();
    };
    EXPECT_EQ(size_as(Implementation::by_weights), Size(128));
    EXPECT_EQ(size_as(Implementation::transformers), Size(64));
}

TEST_F(Deimv2Authors, folders_that_cannot_be_run_are_refused) {
    const Golden lite("deimv2-authors-lite"), hybrid("deimv2-authors-hybrid"),
        dino("deimv2-authors-dino");
    expect_says(refusal(lite, lite.config, Implementation::transformers),
                "config.json: DEIMTransformer is that of the authors' own code");
    auto expect_refused = [&](const Golden& golden, const char* object, const char* key,
                              const Json& value) {
        Json config = golden.config;
        config[object][key] = value;
        const std::string error = refusal(golden, config);
        expect_says(error, object);
        expect_says(error, key);
    };
    expect_refused(lite, "HGNetv2", "name", "B9");
    expect_refused(lite, "HGNetv2", "act", "silu");
    expect_refused(lite, "LiteEncoder", "csp_type", "csp");
    expect_refused(hybrid, "HybridEncoder", "version", "rtdetr");
    expect_refused(hybrid, "HybridEncoder", "fuse_op", "cat");
    expect_refused(hybrid, "DEIMTransformer", "query_select_method", "agnostic");
    expect_refused(dino, "DINOv3STAs", "name", "dinov3_vitl16");
    expect_refused(dino, "DINOv3STAs", "use_sta", false);
}

}  // namespace
}  // namespace saccade
