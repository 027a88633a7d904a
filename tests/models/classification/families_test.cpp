// Classifiers other than ViT against transformers and timm: see tests/golden.

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/lab/dump/dump.h"
#include "app/lab/ppm.h"
#include "models/attention/window_outline.h"
#include "models/classifier.h"
#include "models/files/safetensors.h"
#include "models/files/synthetic.h"
#include "tests/gpu_test.h"
#include "tests/models/golden.h"

namespace saccade {
namespace {

using Floats = std::vector<float>;

Floats floats_of(const StoredTensor& tensor) {
    Floats values(tensor.elements());
    read_floats(tensor, 0, values);
    return values;
}

// Every eighth row and column, as in the goldens of large pictures.
Floats lattice(const Floats& picture, size_t height, size_t width) {
    Floats result;
    for (size_t c = 0; c < 3; ++c)
        for (size_t y = 0; y < height; y += 8)
            for (size_t x = 0; x < width; x += 8)
                result.push_back(picture[(c * height + y) * width + x]);
    return result;
}

class Families : public GpuTest, public ::testing::WithParamInterface<const char*> {
protected:
    struct Run {
        Floats answer;  // logits, or features
        std::vector<std::string> trace;
    };
    Run classify(Classifier& classifier, const GoldenFolder& from, Tap& tap) {
        Frame frame(device, from.picture.width, from.picture.height, false);
        frame.write(from.view());
        classifier.prepare({from.picture.width, from.picture.height});
        Commands c(device, arena, "classify");
        use_kernels_of_this_round(c);
        c.keep_trace(true);
        c.begin();
        frame.record(c);
        classifier.record(c, frame.image(), tap);
        c.end();
        c.run();
        Run run{{}, c.trace()};
        if (!classifier.labels().empty()) run.answer = classifier.ranking().logits();
        return run;
    }
    static std::set<uint32_t> all_layers(const Classifier& classifier) {
        std::set<uint32_t> layers;
        for (uint32_t i = 0; i < classifier.model().layers(); ++i) layers.insert(i);
        return layers;
    }
};

TEST_P(Families, every_tensor_is_what_the_reference_computes) {
    const GoldenFolder from(GetParam());
    const SafetensorsFile golden(from.golden / "golden.safetensors");
    for (Precision precision : {Precision::fp32, Precision::fp16}) {
        SCOPED_TRACE(precision == Precision::fp32 ? "fp32" : "fp16");
        EngineOptions options;
        options.precision = precision;
        Engine engine(options);
        const std::filesystem::path file = from.folder.path() / "dump.safetensors";
        dump(engine, from.folder.path(), from.view(), {}, file);
        const SafetensorsFile got(file);
        EXPECT_EQ(got.tensors().size(), golden.tensors().size());
        for (const StoredTensor& want : golden.tensors()) {
            const StoredTensor* ours = got.find(want.name);
            ASSERT_TRUE(ours) << want.name;
            Floats values = floats_of(*ours);
            if (want.name == "pixel_values" && ours->shape != want.shape)
                values = lattice(values, ours->shape[2], ours->shape[3]);
            else
                EXPECT_EQ(ours->shape, want.shape) << want.name;
            // SAGAN's scores are not scaled, so half precision changes the sharpest rows more.
            const double half = want.name == "attention" ? 2e-2 : 1e-2;
            EXPECT_LT(relative_error(values, floats_of(want)),
                      precision == Precision::fp32 ? 1e-4 : half)
                << want.name;
        }
    }
}

TEST_P(Families, looking_changes_no_bit_of_the_answer) {
    const GoldenFolder from(GetParam());
    for (Type precision : {Type::f32, Type::f16}) {
        Classifier classifier = Classifier::open(device, from.folder.path(), precision);
        EXPECT_TRUE(classifier.unused().empty() || classifier.unused().size() == 1)
            << classifier.unused().front();  // the mask token, used in training only
        Tap nobody, all(all_layers(classifier), true, true);
        const Run alone = classify(classifier, from, nobody);
        const Run watched = classify(classifier, from, all);
        EXPECT_EQ(alone.answer, watched.answer);
        EXPECT_EQ(alone.trace, classify(classifier, from, nobody).trace);
        EXPECT_GT(watched.trace.size(), alone.trace.size());
    }
}

TEST_P(Families, a_patch_gives_nothing_to_what_lies_outside_of_its_window) {
    const GoldenFolder from(GetParam());
    Classifier classifier = Classifier::open(device, from.folder.path(), Type::f32);
    Tap tap(all_layers(classifier));
    classify(classifier, from, tap);
    const bool windowed = std::string(GetParam()).starts_with("swin");
    const glm::vec2 size(from.picture.width, from.picture.height);
    for (uint32_t layer = 0; layer < classifier.model().layers(); ++layer) {
        const MapGeometry map = classifier.geometry(layer);
        for (const glm::vec2& part : {glm::vec2(0), glm::vec2(0.55f, 0.3f), glm::vec2(0.999f)}) {
            const auto window = window_at(tap.layer(layer), map, size * part);
            ASSERT_EQ(window.has_value(), windowed);
            if (!windowed) return;
            EXPECT_TRUE(window->contains(
                map.corner +
                map.cell * (glm::vec2(0.5f) + glm::vec2(map.cell_at(size * part).column,
                                                        map.cell_at(size * part).row))));
            const Floats cells = run([&](Commands& c) {
                return classifier.look_from_point(c, tap, {layer}, size * part);
            });
            for (uint32_t i = 0; i < cells.size(); ++i) {
                const glm::vec2 middle =
                    map.corner + (glm::vec2(i % map.grid.x, i / map.grid.x) + 0.5f) * map.cell;
                if (window->contains(middle))
                    EXPECT_GT(cells[i], 0) << "layer " << layer << ", cell " << i;
                else
                    EXPECT_LT(cells[i], 1e-6) << "layer " << layer << ", cell " << i;
            }
        }
    }
}

TEST_P(Families, features_of_patches_can_be_compared_and_coloured) {
    const GoldenFolder from(GetParam());
    Classifier classifier = Classifier::open(device, from.folder.path(), Type::f32);
    Tap tap({}, false, true);
    classify(classifier, from, tap);
    const TokenLayout tokens = classifier.model().feature_layout();
    const MapGeometry map = classifier.feature_geometry();
    const uint32_t columns = tap.features().columns, cells = area(map.grid);
    EXPECT_EQ(tokens.first_cell + cells, tap.features().rows) << "patches are the last tokens";
    const Floats x = run([&](Commands&) { return tap.features(); });
    auto cosine = [&](uint32_t a, uint32_t b) {
        double ab = 0, aa = 0, bb = 0;
        for (uint32_t j = 0; j < columns; ++j) {
            const auto u = double(x[a * columns + j]), v = double(x[b * columns + j]);
            ab += u * v;
            aa += u * u;
            bb += v * v;
        }
        return static_cast<float>(ab / std::sqrt(aa * bb));
    };
    const glm::vec2 size(from.picture.width, from.picture.height);
    for (const glm::vec2& part : {glm::vec2(0), glm::vec2(0.4f, 0.7f), glm::vec2(0.999f)}) {
        const auto [row, column] = map.cell_at(size * part);
        const uint32_t here = row * map.grid.x + column;
        Floats want;
        for (uint32_t cell = 0; cell < cells; ++cell)
            want.push_back(cosine(tokens.first_cell + here, tokens.first_cell + cell));
        const Floats got =
            run([&](Commands& c) { return classifier.similarity_to_point(c, tap, size * part); });
        EXPECT_LT(relative_error(got, want), 1e-4);
        EXPECT_NEAR(got[here], 1, 1e-4) << "like itself";
    }
    PatchColours colours(device);
    const Floats rgb = run([&](Commands& c) { return classifier.colours(c, tap, colours); });
    ASSERT_EQ(rgb.size(), 3 * cells);
    const auto [least, most] = std::ranges::minmax(rgb);
    EXPECT_EQ(least, 0);
    EXPECT_EQ(most, 1);
}

TEST_P(Families, every_layer_can_be_looked_at_from_every_corner) {
    const GoldenFolder from(GetParam());
    Classifier classifier = Classifier::open(device, from.folder.path(), Type::f32);
    Tap tap(all_layers(classifier));
    classify(classifier, from, tap);
    const glm::vec2 size(from.picture.width, from.picture.height);
    for (uint32_t layer = 0; layer < classifier.model().layers(); ++layer) {
        const MapGeometry map = classifier.geometry(layer);
        for (const glm::vec2& part : {glm::vec2(0), glm::vec2(0.5f), glm::vec2(0.999f)}) {
            const Floats cells = run([&](Commands& c) {
                return classifier.look_from_point(c, tap, {layer}, size * part);
            });
            ASSERT_EQ(cells.size(), area(map.grid));
            double sum = 0;
            for (float cell : cells) sum += double(cell);
            EXPECT_GT(sum, 0.01) << "layer " << layer;
            EXPECT_LT(sum, 1.001) << "layer " << layer;
        }
        const Floats whole =
            run([&](Commands& c) { return classifier.look_from_class_token(c, tap, {layer}); });
        EXPECT_EQ(whole.size(), area(map.grid));
    }
}

TEST_P(Families, a_batch_gives_what_its_pictures_give_alone) {
    const GoldenFolder from(GetParam());
    Classifier classifier = Classifier::open(device, from.folder.path(), Type::f32);
    classifier.prepare({from.picture.width, from.picture.height});
    const uint32_t rows = classifier.input().patches(),
                   columns = classifier.input().patch_columns();
    const Floats pixels = random(size_t(2) * rows * columns);
    Tap tap({}, false, true);
    auto answer = [&](uint32_t batch, std::span<const float> values) {
        return run([&](Commands& c) {
            const Tensor logits =
                classifier.logits(c, tensor(batch, rows, columns, Type::f32, values), tap);
            if (logits) return logits;
            const Tensor y =
                c.scratch(batch, tap.features().rows, tap.features().columns, Type::f32);
            copy(c, y, tap.features());
            return y;
        });
    };
    const Floats together = answer(2, pixels);
    for (size_t i = 0; i < 2; ++i) {
        const Floats alone =
            answer(1, std::span(pixels).subspan(i * pixels.size() / 2, pixels.size() / 2));
        EXPECT_LT(
            relative_error(std::span(together).subspan(i * alone.size(), alone.size()), alone),
            1e-5);
    }
}

INSTANTIATE_TEST_SUITE_P(Golden, Families,
                         ::testing::Values("dinov2-nano", "dinov2-with-registers-nano",
                                           "dinov3-nano", "swin-nano", "swinv2-nano", "mvitv2-nano",
                                           "attention-cnn-nano"),
                         [](const auto& one) {
                             std::string name = one.param;
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

}  // namespace
}  // namespace saccade
