// Phrases and examples of open-vocabulary models.

#include "models/contrast/phrases.h"

#include <cmath>
#include <numeric>
#include <set>

#include "gpu/ops/draw.h"
#include "models/classifier.h"
#include "models/detector.h"
#include "models/files/safetensors.h"
#include "tests/models/golden.h"

namespace saccade {
namespace {

using Floats = std::vector<float>;
using Texts = std::vector<std::string>;

Floats golden_tensor(const GoldenFolder& from, const char* name) {
    const SafetensorsFile file(from.golden / "golden.safetensors");
    const StoredTensor* tensor = file.find(name);
    Floats values(tensor->elements());
    read_floats(*tensor, 0, values);
    return values;
}

double dot(std::span<const float> a, std::span<const float> b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

class PhrasesTest : public GpuTest {
protected:
    template <typename Model, typename Taps>
    void look(Model& model, const GoldenFolder& from, Taps& taps) {
        Frame frame(device, from.picture.width, from.picture.height, false);
        frame.write(from.view());
        model.prepare(from.size());
        Commands c(device, arena, "look");
        use_kernels_of_this_round(c);
        c.begin();
        frame.record(c);
        model.record(c, frame.image(), taps);
        c.end();
        c.run();
    }
    Classifier open_classifier(const GoldenFolder& from) {
        return Classifier::open(device, from.folder.path(), Type::f32, {}, Tokenizer::open);
    }
    Detector open_detector(const GoldenFolder& from) {
        return Detector::open(device, from.folder.path(), Type::f32, {}, Tokenizer::open);
    }
    // An example of the object in a box of the case's picture, or of the whole picture.
    Example example_in(Detector& detector, const GoldenFolder& from, std::optional<Rectangle> box) {
        Frame frame(device, from.picture.width, from.picture.height, false);
        frame.write(from.view());
        detector.prepare(from.size());
        return detector.example_in(
            arena, [&](Commands& c) { frame.record(c); }, frame.image(), box, "like this");
    }
};

TEST_F(PhrasesTest, a_classifier_chooses_among_words_as_transformers_does) {
    const GoldenFolder from("clip-nano");
    Classifier classifier = open_classifier(from);
    const std::vector<std::string> texts = from.facts["texts"];
    const std::vector<double> want = from.facts["probabilities"];
    classifier.look_for(texts, "{}");
    EXPECT_EQ(classifier.labels(), texts);
    Tap nobody;
    look(classifier, from, nobody);
    for (const ClassScore& one : classifier.ranking().top(5))
        EXPECT_NEAR(double(one.score), want[one.id], 1e-3) << texts[one.id];

    // The paper's prompt template around each label.
    classifier.look_for({"cat"});
    EXPECT_EQ(classifier.phrases()->pattern(), "{}") << "as it was set";
    classifier.look_for({"cat"}, "a photo of a {}.");
    EXPECT_EQ(classifier.phrases()->prompt("cat"), "a photo of a cat.");
    EXPECT_EQ(open_classifier(from).phrases()->prompt("cat"), "a photo of a cat.");
    EXPECT_EQ(open_classifier(GoldenFolder("siglip-nano")).phrases()->prompt("cat"),
              "this is a photo of cat.");
}

TEST_F(PhrasesTest, each_patch_tells_how_much_it_is_like_each_phrase) {
    const GoldenFolder from("clip-nano");
    Classifier classifier = open_classifier(from);
    classifier.look_for({"a cat", "a dog", "night"});
    Tap tap({}, true);
    look(classifier, from, tap);
    std::vector<Floats> maps;
    for (uint32_t i = 0; i < 3; ++i)
        maps.push_back(run([&](Commands& c) { return classifier.look_from_phrase(c, tap, i); }));
    ASSERT_EQ(maps[0].size(), area(classifier.geometry().grid));
    for (size_t cell = 0; cell < maps[0].size(); ++cell)
        EXPECT_NEAR(maps[0][cell] + maps[1][cell] + maps[2][cell], 1, 1e-4)
            << "of CLIP's phrases one is right";
    EXPECT_THROW(run([&](Commands& c) { return classifier.look_from_phrase(c, tap, 3); }), Error);
}

TEST_F(PhrasesTest, what_a_pooling_head_looks_at_is_where_rollout_begins) {
    const GoldenFolder from("siglip-nano");
    Classifier classifier = open_classifier(from);
    classifier.phrases()->use({"text"}, TextIds{{std::vector<uint32_t>(16, 3)}});
    const uint32_t pool = classifier.model().layers() - 1;
    std::set<uint32_t> all;
    for (uint32_t i = 0; i <= pool; ++i) all.insert(i);
    Tap tap(all);
    look(classifier, from, tap);
    const Floats pooled =
        run([&](Commands& c) { return classifier.look_from_class_token(c, tap, {pool}); });
    EXPECT_LT(relative_error(pooled, golden_tensor(from, "pool_attention")), 1e-4);
    EXPECT_EQ(run([&](Commands& c) {
                  return classifier.look_from_point(c, tap, {pool}, {300, 200});
              }),
              pooled)
        << "the probe looks wherever somebody points";
    // Rollout starts from the pooling weights of the patches.
    Rollout rollout(device);
    const Floats whole =
        run([&](Commands& c) { return classifier.rollout_from_class_token(c, tap, rollout); });
    const MapGeometry map = classifier.geometry();
    Floats want(whole.size());
    for (uint32_t cell = 0; cell < whole.size(); ++cell) {
        const glm::vec2 at(cell % map.grid.x, cell / map.grid.x);
        Rollout one(device);
        const Floats part = run([&](Commands& c) {
            return classifier.rollout_from_point(c, tap, one, map.corner + (at + 0.5f) * map.cell);
        });
        for (size_t i = 0; i < want.size(); ++i) want[i] += pooled[cell] * part[i];
    }
    EXPECT_LT(relative_error(whole, want), 1e-4);
}

TEST_F(PhrasesTest, the_patches_of_a_detector_are_like_a_phrase_as_much_as_their_boxes_score) {
    const GoldenFolder from("owlv2-nano");
    Detector detector = open_detector(from);
    detector.look_for(from.facts["texts"].get<std::vector<std::string>>());
    DetectionTaps taps;
    taps.decoder = Tap({}, true);
    look(detector, from, taps);
    const Floats logits = golden_tensor(from, "logits");
    for (uint32_t phrase = 0; phrase < 3; ++phrase) {
        const Floats map =
            run([&](Commands& c) { return detector.look_from_phrase(c, taps, phrase); });
        ASSERT_EQ(map.size() * 3, logits.size());
        for (size_t i = 0; i < map.size(); ++i)
            EXPECT_NEAR(map[i], 1 / (1 + std::exp(-logits[i * 3 + phrase])), 1e-4);
    }
}

TEST_F(PhrasesTest, words_that_a_model_cannot_take_are_one_line_and_change_nothing) {
    const GoldenFolder from("owlv2-nano");
    Detector detector = open_detector(from);
    DetectionTaps nobody;
    expect_says(error_of([&] { look(detector, from, nobody); }), "--find \"red mug, my cat\"");
    detector.look_for(Texts{"cat"});
    std::string far;
    for (int i = 0; i < 40; ++i) far += "very ";
    expect_says(error_of([&] {
                    detector.look_for(Texts{"a dog", far + "far"});
                }),
                "tokens; the model reads at most 16: use fewer words");
    expect_says(error_of([&] { detector.look_for(Texts{"a dog", "  "}); }), "a phrase is empty");
    expect_says(error_of([&] { detector.look_for(std::vector<std::string>()); }), "1 to 10000");
    EXPECT_EQ(detector.labels(), std::vector<std::string>{"cat"});
    look(detector, from, nobody);

    expect_says(error_of([&] { phrases_in("cat,, dog", "--find"); }), "--find: a phrase is empty");
    expect_says(error_of([&] { phrases_in(" ", "--labels"); }), "--labels: there is nothing");
    EXPECT_EQ(phrases_in(" red mug,my cat ", "--find"),
              (std::vector<std::string>{"red mug", "my cat"}));
}

// Worked out by hand from transformers' embed_image_query and class_predictor.
TEST_F(PhrasesTest, more_like_a_part_of_a_picture_is_found_as_transformers_does_it) {
    const GoldenFolder from("owlv2-nano");
    Detector detector = open_detector(from);
    const std::vector<std::string> texts = from.facts["texts"];
    detector.look_for(texts);
    DetectionTaps taps;
    taps.decoder = Tap({}, true);
    look(detector, from, taps);
    const size_t dim = detector.phrases()->vectors().columns;
    const Tensor states = taps.decoder.hidden_states().at(0);
    const Floats raw = run([&](Commands& c) { return detector.model().query_vectors(c, states); });
    const Floats words = golden_tensor(from, "text_embeds"), boxes = golden_tensor(from, "boxes");
    const Floats logits = golden_tensor(from, "logits");
    const size_t patches = boxes.size() / 4;

    const Example whole = example_in(detector, from, std::nullopt);
    const size_t best = best_example(raw, dim, boxes, {0, 0, 1, 1});
    for (size_t i = 0; i < dim; ++i) EXPECT_NEAR(whole.vector[i], raw[best * dim + i], 1e-4);

    detector.look_for(std::vector<Example>{whole});
    EXPECT_EQ(detector.labels().back(), "like this");
    EXPECT_EQ(detector.labels().size(), texts.size() + 1);
    look(detector, from, taps);
    const Floats ours = detector.findings().logits();
    const double length = std::sqrt(dot(whole.vector, whole.vector));
    for (size_t i = 0; i < patches; ++i) {
        const std::span<const float> vector = std::span(raw).subspan(i * dim, dim);
        const double own = std::sqrt(dot(vector, vector)) + 1e-6;
        auto cosine = [&](std::span<const float> other, double other_length) {
            return dot(vector, other) / own / other_length;
        };
        // logit = (cosine + shift) * scale; two phrases determine shift and scale.
        const double c0 = cosine(std::span(words).first(dim), 1);
        const double c1 = cosine(std::span(words).subspan(dim, dim), 1);
        const double l0 = logits[i * 3], l1 = logits[i * 3 + 1];
        if (std::abs(c0 - c1) < 0.02) continue;  // too near each other to tell
        const double scale = (l0 - l1) / (c0 - c1), shift = l0 / scale - c0;
        EXPECT_NEAR(double(ours[i * 4 + 3]), (cosine(whole.vector, length + 1e-6) + shift) * scale,
                    2e-3)
            << "patch " << i;
    }

    // The words are forgotten, the example stays.
    detector.phrases()->forget_words();
    EXPECT_EQ(detector.labels(), std::vector<std::string>{"like this"});
    look(detector, from, taps);
    const Floats alone = detector.findings().logits();
    ASSERT_EQ(alone.size(), patches);
    for (size_t i = 0; i < patches; ++i) EXPECT_NEAR(alone[i], ours[i * 4 + 3], 1e-5);
}

TEST(Examples, the_box_that_fits_and_is_least_like_the_rest_stands_for_what_was_shown) {
    // Three boxes are close to `wanted`, one is far away; the third is least similar to the mean.
    const Floats boxes = {0.25f, 0.25f, 0.5f, 0.5f,  0.25f, 0.25f, 0.48f, 0.5f,
                          0.25f, 0.25f, 0.5f, 0.48f, 0.9f,  0.9f,  0.1f,  0.1f};
    const Floats vectors = {1, 0, 1, 0.1f, 0.2f, 1, 3, 0};
    EXPECT_EQ(best_example(vectors, 2, boxes, {0, 0, 0.5f, 0.5f}), 2u);
    EXPECT_EQ(best_example(vectors, 2, boxes, {0.85f, 0.85f, 0.95f, 0.95f}), 3u);
    // Without an overlap, the nearest box wins, by generalized IoU.
    EXPECT_EQ(best_example(vectors, 2, boxes, {0.9f, 0.6f, 0.95f, 0.7f}), 3u);
    EXPECT_THROW(best_example({}, 2, {}, {0, 0, 1, 1}), Error);
}

}  // namespace
}  // namespace saccade
