#include "models/knock_outs/trials.h"

#include <cmath>

#include "gpu/transfer/download.h"
#include "models/knock_outs/cause_map.h"
#include "models/knock_outs/class_trials.h"
#include "models/knock_outs/detection_trials.h"
#include "models/knock_outs/word_trials.h"
#include "tests/gpu_test.h"
#include "tests/models/golden.h"

namespace saccade {
namespace {

using Floats = std::vector<float>;

// A picture in memory of its own.
struct Painting {
    Size size;
    std::vector<uint8_t> rgb;

    // A part of a golden picture.
    Painting(const std::string& name, Size part) : size(part), rgb(size_t(3) * area(part)) {
        const PpmPicture whole = read_golden_picture(name);
        for (uint32_t y = 0; y < part.y; ++y)
            std::copy_n(whole.rgb.begin() + std::ptrdiff_t(3 * ((y + 40) * whole.width + 60)),
                        3 * part.x, rgb.begin() + std::ptrdiff_t(3 * y * part.x));
    }
    void paint(Size from, Size to, glm::u8vec3 colour) {
        for (uint32_t y = from.y; y < std::min(to.y, size.y); ++y)
            for (uint32_t x = from.x; x < std::min(to.x, size.x); ++x)
                for (int k = 0; k < 3; ++k) rgb[3 * (y * size.x + x) + uint32_t(k)] = colour[k];
    }
    PictureView view() const { return {rgb.data(), size.x, size.y, 3 * size.x, false}; }
};

class TrialsTest : public GpuTest {
protected:
    // The input of a model for a picture, without any knock-outs.
    Floats input_of(const PictureInput& input, Type type, const Painting& painting) {
        Frame frame(device, painting.size.x, painting.size.y, false);
        frame.write(painting.view());
        return run([&](Commands& c) {
            const Tensor patches = c.scratch(1, input.patches(), input.patch_columns(), type);
            frame.record(c);
            input.record(c, patches, frame.image());
            return patches;
        });
    }
    // Knocks each of some cells out, and compares with the picture in which it is painted over.
    void expect_painted(const PictureInput& input, Type type, const Painting& painting,
                        uint32_t most, uint32_t side_in_pixels) {
        MaskedInput masked(device, arena, input, type, most, painting.view(), CellInstead::blank);
        const Size grid = masked.grid();
        EXPECT_EQ(masked.geometry().cell, glm::vec2(float(side_in_pixels)));
        for (const uint32_t cell : {0u, grid.x + 1, area(grid) - 1}) {
            const Floats got = run([&](Commands& c) {
                const Tensor patches = masked.record(c, 1);
                masked.knock_out(0, std::span(&cell, 1));
                masked.flush();
                return patches;
            });
            Painting over = painting;
            const Size from = Size(cell % grid.x, cell / grid.x) * side_in_pixels;
            over.paint(from, from + side_in_pixels, blank_colour(input.preprocessor()));
            EXPECT_NE(over.rgb, painting.rgb);
            EXPECT_EQ(got, input_of(input, type, over)) << "cell " << cell;
        }
    }
    Floats logits_of(Classifier& classifier, const Painting& painting) {
        Frame frame(device, painting.size.x, painting.size.y, false);
        frame.write(painting.view());
        Tap nobody;
        begin();
        frame.record(commands);
        classifier.record(commands, frame.image(), nobody);
        finish();
        return classifier.ranking().logits();
    }
};

TEST_F(TrialsTest, a_cell_knocked_out_of_the_input_is_the_picture_with_that_cell_painted_over) {
    for (Type type : {Type::f32, Type::f16}) {
        const Painting square("chelsea", {64, 64});
        const GoldenFolder vit("vit-nano");
        Classifier classifier = Classifier::open(device, vit.folder.path(), type);
        classifier.prepare(square.size);
        expect_painted(classifier.input(), type, square, 16, 16);
        expect_painted(classifier.input(), type, square, 2, 32);

        const Painting tall("chelsea", {130, 200});
        const GoldenFolder detr("detr-basic");
        Detector detector = Detector::open(device, detr.folder.path(), type);
        detector.prepare(tall.size);
        expect_painted(detector.input(), detector.input_type(), tall, 16, 13);
    }
}

TEST_F(TrialsTest, a_class_reads_what_the_model_says_of_the_painted_picture_to_the_bit) {
    const GoldenFolder golden("vit-nano");
    const Painting painting("chelsea", {64, 64});
    Classifier classifier = Classifier::open(device, golden.folder.path(), Type::f32);
    classifier.prepare(painting.size);
    constexpr uint32_t id = 6, cell = 9;
    ClassTrials trials(device, arena, classifier, id, painting.view(), {.at_once = 1});
    EXPECT_EQ(trials.grid(), Size(4, 4));
    Painting over = painting;
    over.paint({16, 32}, {32, 48}, blank_colour(classifier.input().preprocessor()));
    EXPECT_EQ(trials.whole().value, double(logits_of(classifier, painting)[id]));
    const std::vector<KnockOut> one{{.cells = {cell}}};
    const Reading got = trials.run(one).front();
    EXPECT_EQ(got.value, double(logits_of(classifier, over)[id]));
    EXPECT_NE(got.value, trials.whole().value);
    for (const ClassScore& c : classifier.ranking().top(10)) {
        if (c.id != id) continue;
        EXPECT_NEAR(got.score, double(c.score), 1e-6);
    }
    EXPECT_EQ(trials.runs(), 3u);
    EXPECT_THROW(ClassTrials(device, arena, classifier, 10, painting.view()), Error);
}

TEST_F(TrialsTest, runs_of_a_batch_do_not_depend_on_each_other_nor_on_heads_in_between) {
    const GoldenFolder golden("vit-nano");
    const Painting painting("chelsea", {64, 64});
    Classifier classifier = Classifier::open(device, golden.folder.path(), Type::f32);
    classifier.prepare(painting.size);
    ClassTrials alone(device, arena, classifier, 2, painting.view(), {.at_once = 3});
    ClassTrials together(device, arena, classifier, 2, painting.view(), {.at_once = 3});
    std::vector<KnockOut> all;
    for (uint32_t cell = 0; cell < 16; ++cell) all.push_back({.cells = {cell, (cell + 5) % 16}});
    const std::vector<Reading> got = together.run(all);
    for (size_t i = 0; i < all.size(); ++i)
        EXPECT_EQ(alone.run(std::span(all).subspan(i, 1)).front().value, got[i].value) << i;
    const std::vector<KnockOut> head{{.heads = {{1, 2}}}};
    EXPECT_NE(together.run(head).front().value, together.whole().value);
    EXPECT_EQ(together.run(std::span(all).subspan(7, 1)).front().value, got[7].value);
    EXPECT_EQ(together.heads(), (std::vector<uint32_t>{4, 4, 4}));
    const std::vector<std::vector<float>> effects = head_effects(together);
    ASSERT_EQ(effects.size(), 3u);
    EXPECT_EQ(effects[1].size(), 4u);
    EXPECT_FLOAT_EQ(effects[1][2], float(together.whole().value - together.run(head)[0].value));
}

TEST_F(TrialsTest, a_detection_reads_its_own_score_of_the_whole_picture) {
    for (const char* name : {"yolos-nano", "detr-basic", "rtdetr-nano"}) {
        SCOPED_TRACE(name);
        const GoldenFolder golden(name);
        Detector detector = Detector::open(device, golden.folder.path(), Type::f32);
        detector.prepare(golden.size());
        DetectionTaps nobody;
        Frame frame(device, golden.picture.width, golden.picture.height, false);
        frame.write(golden.view());
        begin();
        frame.record(commands);
        detector.record(commands, frame.image(), nobody);
        finish();
        const Detection target = detector.findings().detections({.threshold = 0.0f}).front();
        DetectionTrials trials(device, arena, detector, target, golden.view(), {.at_once = 2});
        EXPECT_NEAR(trials.whole().score, double(target.score), 1e-5);
        std::vector<KnockOut> all(2);
        for (uint32_t cell = 0; cell < area(trials.grid()); ++cell) all[1].cells.push_back(cell);
        const std::vector<Reading> readings = trials.run(all);
        EXPECT_NE(readings[0].value, readings[1].value);
        EXPECT_FALSE(trials.heads().empty());
    }
}

TEST_F(TrialsTest, a_word_reads_its_probability_in_the_caption_of_the_whole_picture) {
    for (const char* name : {"vit-gpt2-nano", "blip-nano", "blip-vqa-nano", "hybrid-gpt2-nano"}) {
        SCOPED_TRACE(name);
        const GoldenFolder golden(name);
        Captioner captioner =
            Captioner::open(device, arena, golden.folder.path(), no_tokenizer, Type::f32);
        CaptionOptions options;
        options.max_new = 4;
        options.beams = 1;
        if (captioner.model().answers()) captioner.ask(std::vector<uint32_t>{5, 9, 3});
        captioner.use(options);
        captioner.prepare(golden.size());
        Frame frame(device, golden.picture.width, golden.picture.height, false);
        frame.write(golden.view());
        begin();
        frame.record(commands);
        captioner.record(commands, frame.image());
        finish();
        captioner.start();
        captioner.advance(4);
        const Caption caption = captioner.result();
        ASSERT_GE(caption.words.size(), 2u);
        CaptionWord both = caption.words[0];  // a word of two tokens
        both.count = 2;
        both.p *= caption.words[1].p;
        for (const CaptionWord& word : {caption.words[0], caption.words[1], both}) {
            WordTrials trials(device, arena, captioner, caption, word, golden.view(),
                              {.at_once = 2});
            EXPECT_NEAR(trials.whole().score, word.p, 1e-4);
            EXPECT_NEAR(trials.whole().value, std::log(word.p), 1e-3);
            std::vector<KnockOut> all(1);
            for (uint32_t cell = 0; cell < area(trials.grid()); ++cell)
                all[0].cells.push_back(cell);
            EXPECT_NE(trials.run(all)[0].value, trials.whole().value);
            // Heads of the encoder, then two layers of the decoder, each to the words and to the
            // picture or the question.
            const std::vector<std::string> layers = trials.layers();
            ASSERT_EQ(trials.heads().size(), layers.size());
            ASSERT_EQ(layers.size(), captioner.model().encoder_layers() + 4);
            EXPECT_EQ(layers[0], "encoder 0");
            EXPECT_EQ(layers.back(), captioner.model().question_layers() > 0
                                         ? "decoder 1, to the question"
                                         : "decoder 1, to the picture");
            const auto last = uint32_t(layers.size() - 1);
            const std::vector<KnockOut> head{{.heads = {{last, 1}}}, {}};
            const std::vector<Reading> off = trials.run(head);
            EXPECT_NE(off[0].value, off[1].value);
            EXPECT_NEAR(off[1].value, trials.whole().value, 1e-4);
        }
    }
}

TEST_F(TrialsTest, a_map_begins_with_squares_and_ends_with_every_cell_on_its_own) {
    const GoldenFolder golden("vit-nano");
    const Painting painting("chelsea", {64, 64});
    Classifier classifier = Classifier::open(device, golden.folder.path(), Type::f32);
    classifier.prepare(painting.size);
    ClassTrials trials(device, arena, classifier, 6, painting.view(), {.at_once = 4});
    CauseMap map(trials);
    EXPECT_TRUE(map.refine(1));
    EXPECT_EQ(map.knock_outs(), 1u);
    EXPECT_FALSE(map.usable());
    EXPECT_TRUE(map.refine(7));
    EXPECT_TRUE(map.usable());
    EXPECT_EQ(map.knock_outs(), 4u);
    const double whole = trials.whole().value;
    const std::vector<KnockOut> square{{.cells = {0, 1, 4, 5}}};
    const double of_square = whole - trials.run(square)[0].value;
    for (const uint32_t cell : {0u, 1u, 4u, 5u})
        EXPECT_FLOAT_EQ(map.cells()[cell], float(of_square / 4));
    EXPECT_GT(map.noise(), 0);
    EXPECT_TRUE(map.refine(3));
    EXPECT_EQ(map.knock_outs(), 8u) << "a square has four cells";
    while (map.refine()) continue;
    EXPECT_EQ(map.knock_outs(), 20u);
    uint32_t largest = 0;
    for (uint32_t cell = 0; cell < 16; ++cell) {
        const std::vector<KnockOut> one{{.cells = {cell}}};
        EXPECT_FLOAT_EQ(map.cells()[cell], float(whole - trials.run(one)[0].value)) << cell;
        if (map.cells()[cell] > map.cells()[largest]) largest = cell;
    }
    EXPECT_EQ(map.largest(), largest);
}

TEST_F(TrialsTest, a_quick_map_begins_with_blocks_and_ends_as_any_other) {
    const GoldenFolder golden("vit-nano");
    const Painting painting("chelsea", {64, 64});
    Classifier classifier = Classifier::open(device, golden.folder.path(), Type::f32);
    classifier.prepare(painting.size);
    ClassTrials trials(device, arena, classifier, 6, painting.view(), {.at_once = 4});
    CauseMap quick(trials, true), other(trials);
    EXPECT_TRUE(quick.refine(2));
    EXPECT_EQ(quick.knock_outs(), 1u) << "4 x 4 cells are one block";
    EXPECT_TRUE(quick.known());
    EXPECT_FALSE(quick.usable());
    EXPECT_EQ(quick.cells()[0], quick.cells()[15]);
    while (quick.refine()) continue;
    while (other.refine()) continue;
    EXPECT_EQ(quick.cells(), other.cells());
    EXPECT_EQ(quick.knock_outs(), other.knock_outs());
}

TEST_F(TrialsTest, a_picture_on_the_device_is_as_good_and_another_can_take_its_place) {
    const GoldenFolder golden("vit-nano");
    const Painting first("chelsea", {64, 64});
    Painting second = first;
    second.paint({8, 8}, {40, 40}, {200, 30, 60});
    Classifier classifier = Classifier::open(device, golden.folder.path(), Type::f32);
    classifier.prepare(first.size);
    Frame frame(device, first.size.x, first.size.y, false);
    frame.write(first.view());
    const auto upload = [&](Commands& c) { frame.record(c); };
    ClassTrials on_device(device, arena, classifier, 6, MaskedPicture(frame.image(), upload));
    const std::vector<KnockOut> some{{}, {.cells = {5}}, {.heads = {{1, 2}}}};
    for (const Painting* painting : {&first, &std::as_const(second)}) {
        frame.write(painting->view());
        on_device.show(MaskedPicture(frame.image(), upload));
        ClassTrials on_host(device, arena, classifier, 6, painting->view());
        const std::vector<Reading> got = on_device.run(some), want = on_host.run(some);
        for (size_t i = 0; i < some.size(); ++i) EXPECT_EQ(got[i].value, want[i].value) << i;
    }
    // A head that is off in every run.
    ClassTrials without(device, arena, classifier, 6, second.view(), {.off = {{1, 2}}});
    EXPECT_EQ(without.whole().value, on_device.run(some)[2].value);
}

TEST_F(TrialsTest, a_blurred_cell_of_an_even_picture_changes_little_and_a_blank_one_much) {
    const GoldenFolder golden("vit-nano");
    Painting painting("chelsea", {64, 64});
    painting.paint({}, painting.size, {230, 40, 90});
    Classifier classifier = Classifier::open(device, golden.folder.path(), Type::f32);
    classifier.prepare(painting.size);
    const std::vector<KnockOut> one{{.cells = {5, 6}}};
    ClassTrials blur(device, arena, classifier, 6, painting.view(),
                     {.instead = CellInstead::blur, .at_once = 1});
    ClassTrials blank(device, arena, classifier, 6, painting.view(), {.at_once = 1});
    EXPECT_EQ(blur.run(one)[0].value, blur.whole().value);
    EXPECT_NE(blank.run(one)[0].value, blank.whole().value);
}

}  // namespace
}  // namespace saccade
