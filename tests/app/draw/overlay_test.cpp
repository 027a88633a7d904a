#include "app/draw/overlay.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <stdexcept>

#include "app/draw/colour.h"
#include "tests/gpu/ops/image_test.h"

namespace saccade {
namespace {

Pixel pixel_of(uint32_t colour) {
    return {int(colour & 255), int(colour >> 8 & 255), int(colour >> 16 & 255)};
}

// An overlay over a grey frame, recorded once and run any number of times.
class OverlayTest : public ImageTest {
protected:
    static constexpr uint32_t width = 320, height = 240;
    static constexpr Pixel grey = {90, 90, 90};

    void record(const OverlayInput& input) {
        const std::vector<uint8_t> bytes(size_t(3) * width * height, 90);
        frame.write({bytes.data(), width, height, 3 * width, false});
        commands.begin();
        frame.record(commands);
        overlay.record(commands, frame.image(), input);
        readback.record(commands, frame.image());
        commands.end();
    }
    Picture run() {
        overlay.update();
        commands.run();
        return picture_of(readback);
    }
    // How many pixels of a part of the picture are no longer grey.
    static int changed(const Picture& picture, Rectangle part) {
        int count = 0;
        for (uint32_t y = uint32_t(part.min.y); y < uint32_t(part.max.y); ++y)
            for (uint32_t x = uint32_t(part.min.x); x < uint32_t(part.max.x); ++x)
                count += picture.at(x, y) != grey;
        return count;
    }
    static int changed(const Picture& picture) { return changed(picture, {0, 0, width, height}); }

    // Boxes of three classes, well apart.
    Tensor three_found() {
        const std::vector<float> rows = {20,  60,  80,  120, 0.9f, 0, 0,  //
                                         120, 60,  200, 130, 0.7f, 1, 1,  //
                                         220, 150, 300, 220, 0.4f, 2, 2};
        return tensor(1, 3, 7, Type::f32, rows);
    }

    Frame frame{device, width, height, false};
    Readback readback{device, width, height, false};
    Overlay overlay{
        device,
        Size{width, height},
        {.detector = {"cat", "dog", "a thing"}, .classifier = {"tabby", "tiger", "lynx"}}};
};

TEST_F(OverlayTest, a_box_has_its_outline_in_the_colour_of_its_class) {
    record({.found = three_found()});
    const Picture got = run();
    for (uint32_t x = 20; x < 80; ++x)
        for (uint32_t y : {60u, 61u, 118u, 119u})
            EXPECT_EQ(got.at(x, y), pixel_of(class_colour(0)));
    for (uint32_t y = 60; y < 120; ++y)
        for (uint32_t x : {20u, 21u, 78u, 79u}) EXPECT_EQ(got.at(x, y), pixel_of(class_colour(0)));
    EXPECT_EQ(changed(got, {22, 62, 78, 118}), 0) << "nothing is drawn inside";
    EXPECT_EQ(got.at(120, 100), pixel_of(class_colour(1)));
    EXPECT_EQ(changed(got, {205, 145, width, height}), 0) << "below the threshold";
    // The label lies directly above the box, and has text in it.
    EXPECT_GT(changed(got, {20, 45, 60, 60}), 400);
    int dark = 0;
    for (uint32_t y = 45; y < 60; ++y)
        for (uint32_t x = 20; x < 80; ++x) dark += got.at(x, y)[1] < 60;
    EXPECT_GT(dark, 25) << "letters";
}

TEST_F(OverlayTest, settings_change_what_is_drawn_without_another_recording) {
    record({.found = three_found()});
    const Rectangle cat{20, 40, 90, 130}, dog{115, 40, 205, 140}, thing{215, 130, 310, 230};
    auto seen = [&] {
        const Picture got = run();
        return std::array{changed(got, cat) > 0, changed(got, dog) > 0, changed(got, thing) > 0};
    };
    EXPECT_EQ(seen(), (std::array{true, true, false}));
    overlay.settings.filter.threshold = 0.3f;
    EXPECT_EQ(seen(), (std::array{true, true, true}));
    overlay.settings.filter.classes = {1, 2};
    EXPECT_EQ(seen(), (std::array{false, true, true}));
    overlay.settings.filter.most = 1;
    EXPECT_EQ(seen(), (std::array{false, true, false}));
    overlay.settings.boxes = false;
    EXPECT_EQ(seen(), (std::array{false, false, false}));
}

TEST_F(OverlayTest, what_is_of_an_earlier_frame_fades_with_age) {
    record({.found = three_found()});
    auto outline = [&](float freshness) {
        overlay.settings.boxes_freshness = freshness;
        return run().at(50, 60);
    };
    // The saturation of a pixel: the distance of its channels.
    auto colour = [](const Pixel& pixel) {
        return std::max({pixel[0], pixel[1], pixel[2]}) - std::min({pixel[0], pixel[1], pixel[2]});
    };
    const Pixel now = outline(1), old = outline(0.5f), ancient = outline(0);
    EXPECT_EQ(now, pixel_of(class_colour(0)));
    EXPECT_LT(colour(old), colour(now) - 20);
    EXPECT_LT(colour(ancient), colour(old) - 20);
    EXPECT_NE(ancient, grey) << "it can still be seen";
    EXPECT_EQ(outline(1), now) << "a new frame is fresh again";
}

TEST_F(OverlayTest, a_caption_of_an_earlier_frame_fades_too) {
    record({});
    auto brightest = [&](float freshness) {
        overlay.settings.caption_freshness = freshness;
        overlay.set_caption({{"a"}, {"cat"}});
        const Picture got = run();
        int most = 0;
        for (const Pixel& pixel : got.pixels) most = std::max(most, pixel[1]);
        return most;
    };
    const int now = brightest(1), old = brightest(0.25f);
    EXPECT_GT(now, 200) << "white letters";
    EXPECT_LT(old, now - 40);
    EXPECT_EQ(brightest(1), now);
}

TEST_F(OverlayTest, boxes_beyond_the_frame_and_without_end_do_no_harm) {
    const std::vector<float> rows = {-1e9f, -1e9f, 1e9f,     1e9f, 0.9f, 0, 0,  //
                                     NAN,   0,     INFINITY, 5,    0.8f, 1, 1,  //
                                     20,    20,    10,       10,   0.7f, 2, 2};
    record({.found = tensor(1, 3, 7, Type::f32, rows)});
    const Picture got = run();
    EXPECT_EQ(got.at(0, 100), pixel_of(class_colour(0)));
    EXPECT_EQ(got.at(width - 1, height - 1), pixel_of(class_colour(0)));
    EXPECT_EQ(changed(got, {2, 30, width - 2, height - 2}), 0);
}

TEST_F(OverlayTest, labels_of_marks_do_not_cover_each_other) {
    record({});
    Marks marks;
    float right = 300;  // not one thing
    for (const uint32_t colour : {rgba(0, 0, 255), rgba(0, 255, 0), rgba(255, 0, 0)}) {
        marks.boxes.push_back({{0, 0, right, 200}, colour, "a thing"});
        right *= 0.7f;
    }
    overlay.set_marks(marks);
    const Picture got = run();
    std::array<int, 3> pixels = {};  // of each colour
    for (uint32_t y = 4; y < height; ++y)
        for (uint32_t x = 4; x < 100; ++x)  // the frame of the last hides those below
            for (size_t i = 0; i < 3; ++i)
                pixels[i] += got.at(x, y)[i] > 150 && got.at(x, y)[(i + 1) % 3] < 100 &&
                             got.at(x, y)[(i + 2) % 3] < 100;
    for (const int count : pixels) EXPECT_GT(count, 300);
}

TEST_F(OverlayTest, a_caption_is_on_its_plate_with_the_lit_word_lit) {
    record({});
    EXPECT_EQ(changed(run()), 0);
    overlay.set_caption({{"a"}, {"dog"}, {"on"}, {"a"}, {"couch"}}, 4);
    const Picture got = run();
    auto brightest = [&](size_t channel) {
        int most = 0;
        for (const Pixel& pixel : got.pixels) most = std::max(most, pixel[channel]);
        return most;
    };
    EXPECT_GT(brightest(2), 220) << "white letters";
    int amber = 0;
    for (const Pixel& pixel : got.pixels) amber += pixel[0] > 200 && pixel[2] < 120;
    EXPECT_GT(amber, 20) << "the newest word";
    EXPECT_EQ(changed(got, {0, 0, width, height * 2 / 3}), 0) << "only at the bottom";
    EXPECT_GT(changed(got), 2000);

    overlay.settings.caption = false;
    EXPECT_EQ(changed(run()), 0);
    overlay.settings.caption = true;
    overlay.set_caption({});
    EXPECT_EQ(changed(run()), 0);
}

TEST_F(OverlayTest, words_of_the_caption_say_where_they_lie) {
    EXPECT_TRUE(overlay.caption_places().empty());
    overlay.set_caption({{"word"}});
    ASSERT_EQ(overlay.caption_places().size(), 1u);
    const Rectangle& word = overlay.caption_places().front();
    EXPECT_TRUE(word.contains({width / 2, height - 20}));
    EXPECT_FALSE(word.contains({5, height - 20}));
    EXPECT_FALSE(word.contains({width / 2, 20}));
}

TEST_F(OverlayTest, a_caption_too_long_for_the_frame_shows_its_newest_words) {
    record({});
    std::vector<ShownWord> words(400, {"again"});
    words.push_back({"\u2588\u2588\u2588\u2588"});  // full blocks
    overlay.set_caption(words, 400);
    const Picture got = run();
    int amber = 0;
    for (const Pixel& pixel : got.pixels) amber += pixel[0] > 200 && pixel[2] < 120;
    EXPECT_GT(amber, 200);
    EXPECT_EQ(changed(got, {0, 0, width, height / 2}), 0);
    for (const Rectangle& word : overlay.caption_places()) EXPECT_FALSE(word.contains({10, 10}));
}

TEST_F(OverlayTest, notes_lie_in_their_corners) {
    record({});
    overlay.set_notes({{"left\ntop", {0, 0}}, {"right", {1, 1}}});
    const Picture got = run();
    EXPECT_GT(changed(got, {0, 0, 80, 50}), 300);
    EXPECT_GT(changed(got, {width - 80, height - 40, width, height}), 300);
    EXPECT_EQ(changed(got, {100, 60, 220, 180}), 0);
}

TEST_F(OverlayTest, more_text_than_there_is_room_for_is_cut) {
    record({});
    std::vector<Note> notes(1000, {std::string(200, 'x'), {0, 0}});
    overlay.set_notes(notes);
    EXPECT_GT(changed(run()), 300);
}

TEST_F(OverlayTest, likely_classes_have_bars_as_long_as_their_scores) {
    record({.classes = {tensor(1, 1, 2, Type::f32, std::vector{0.9f, 0.1f}),
                        ids(std::vector{2u, 0u})}});
    auto bar = [&](const Picture& picture, uint32_t id) {
        const Pixel colour = pixel_of(class_colour(id));
        return std::ranges::count(picture.pixels, colour);
    };
    const Picture both = run();
    EXPECT_GT(bar(both, 2), 5 * bar(both, 0));
    EXPECT_GT(bar(both, 0), 0);
    EXPECT_EQ(bar(both, 1), 0);
    EXPECT_EQ(changed(both, {0, 0, width / 2, height}), 0) << "the panel is at the right";
    overlay.settings.most_classes = 1;
    EXPECT_EQ(bar(run(), 0), 0);
    overlay.settings.classes = false;
    EXPECT_EQ(changed(run()), 0);
}

TEST_F(OverlayTest, below_likely_classes_it_says_of_how_many) {
    const Top top{tensor(1, 1, 2, Type::f32, std::vector{0.9f, 0.1f}), ids(std::vector{2u, 0u})};
    auto panel_of = [&](Overlay& drawn) {
        const std::vector<uint8_t> bytes(size_t(3) * width * height, 90);
        frame.write({bytes.data(), width, height, 3 * width, false});
        commands.begin();
        frame.record(commands);
        drawn.record(commands, frame.image(), {.classes = top});
        readback.record(commands, frame.image());
        commands.end();
        drawn.update();
        commands.run();
        return picture_of(readback);
    };
    Overlay of_more{
        device,
        Size{width, height},
        {.detector = {}, .classifier = {"tabby", "tiger", "lynx", "cat", "dog", "fox", "cow"}}};
    const Picture three = panel_of(overlay), seven = panel_of(of_more);
    Rectangle apart{glm::vec2(width, height), glm::vec2(0)};
    for (uint32_t y = 0; y < height; ++y)
        for (uint32_t x = 0; x < width; ++x) {
            if (three.at(x, y) == seven.at(x, y)) continue;
            const glm::vec2 place(x, y);
            apart.min = glm::min(apart.min, place);
            apart.max = glm::max(apart.max, place + 1.0f);
        }
    EXPECT_GT(apart.area(), 0) << "the number";
    EXPECT_LT(apart.size().x, 14);
    EXPECT_LT(apart.size().y, 14);
    EXPECT_EQ(changed(three, {0, apart.max.y + 8, width, height}), 0);
    EXPECT_GT(changed(three, {width / 2.0f, 0, width, apart.min.y}), 3000) << "bars above it";
}

TEST_F(OverlayTest, points_and_cells_cover_no_box_and_no_label_whoever_lays_it_out) {
    record({.found = three_found()});
    const Picture plain = run();
    Marks marks;
    // Over the label of the first box, its left edge, and some of its inside.
    marks.dots.push_back({{30, 60}, rgba(255, 0, 255), 12});
    marks.patches.push_back({{40, 40, 100, 100}, rgba(0, 255, 255)});
    overlay.set_marks(marks);
    const Picture got = run();
    EXPECT_NE(got.at(50, 80), grey) << "a cell is inside of the box";
    EXPECT_EQ(got.at(26, 70), pixel_of(rgba(255, 0, 255))) << "and a dot";
    int letters = 0;
    for (uint32_t y = 47; y < 58; ++y)
        for (uint32_t x = 22; x < 60; ++x)
            if (plain.at(x, y)[1] < 60) {
                ++letters;
                EXPECT_LT(got.at(x, y)[1], 110) << x << " " << y;
            }
    EXPECT_GT(letters, 10);
    for (uint32_t x = 22; x < 78; ++x) EXPECT_EQ(got.at(x, 60), plain.at(x, 60)) << x;
}

TEST_F(OverlayTest, heat_is_hottest_where_the_map_is) {
    std::vector<float> cells(6 * 8, 0.001f);
    cells[1 * 8 + 6] = 0.6f;  // second row, seventh column
    cells[4 * 8 + 2] = 0.3f;
    record({.maps = tensor(1, 6, 8, Type::f32, cells), .geometry = {{8, 6}, {0, 0}, {40, 40}}});
    auto brightness = [](const Pixel& pixel) { return pixel[0] + pixel[1] + pixel[2]; };
    const Picture got = run();
    const Pixel hottest = got.at(6 * 40 + 20, 1 * 40 + 20);
    for (const Pixel& pixel : got.pixels) EXPECT_LE(brightness(pixel), brightness(hottest) + 3);
    EXPECT_GT(brightness(hottest), brightness(grey) + 200);
    EXPECT_NE(got.at(2 * 40 + 20, 4 * 40 + 20), grey);

    // The brightest cell alone holds more than half of all.
    overlay.settings.mass = 0.5f;
    const Picture half = run();
    EXPECT_EQ(half.at(6 * 40 + 20, 1 * 40 + 20), hottest);
    EXPECT_EQ(half.at(2 * 40 + 20, 4 * 40 + 20), grey);
    EXPECT_EQ(changed(half, {0, 0, 160, height}), 0);

    overlay.settings.heat = false;
    EXPECT_EQ(changed(run()), 0);
}

TEST_F(OverlayTest, the_truth_is_drawn_in_white_when_it_is_asked_for) {
    overlay.set_caption({{"a"}, {"cat"}});
    record({});
    const Picture without = run();
    const Truth truth{{{0, "dog", {100, 60, 200, 140}}}, "a dog"};
    overlay.set_truth(truth);
    const Picture with = run();
    const Pixel white = {255, 255, 255};
    for (uint32_t x : {120u, 150u, 199u}) EXPECT_EQ(with.at(x, 60), white) << x;
    for (uint32_t y : {70u, 100u, 110u}) EXPECT_EQ(with.at(100, y), white) << y;
    EXPECT_EQ(changed(with, {102, 62, 150, 110}), 0) << "nothing is drawn inside";
    EXPECT_GT(changed(with, {150, 115, 198, 138}), 300) << "its label, in the corner";
    // The right caption lies above the other, which stays where it is.
    EXPECT_EQ(changed(without, {0, 160, width, 215}), 0);
    EXPECT_GT(changed(with, {0, 160, width, 215}), 300);
    EXPECT_EQ(changed(with, {0, 216, width, height}), changed(without, {0, 216, width, height}));
    overlay.set_truth(std::nullopt);
    EXPECT_EQ(changed(run()), changed(without));
}

TEST_F(OverlayTest, a_fixed_scale_makes_maps_comparable) {
    record({.maps = tensor(1, 1, 1, Type::f32, std::vector{0.25f}),
            .geometry = {{1, 1}, {0, 0}, {width, height}}});
    const Pixel by_itself = run().at(100, 100);
    overlay.settings.scale = HeatScale::fixed;
    const Pixel of_one = run().at(100, 100);
    EXPECT_NE(by_itself, of_one);
    overlay.settings.highest = 0.25f;
    EXPECT_EQ(run().at(100, 100), by_itself);
}

TEST_F(OverlayTest, several_maps_are_tiles_with_names_over_small_copies_of_the_frame) {
    std::vector<float> cells(3 * 4);
    for (size_t map = 0; map < 3; ++map) cells[map * 4 + map] = 1;  // in another corner each
    record({.maps = tensor(3, 2, 2, Type::f32, cells),
            .geometry = {{2, 2}, {0, 0}, {width / 2, height / 2}},
            .map_names = {"head 1", "head 2", "head 3"}});
    const Picture got = run();
    // Two tiles side by side, each with its heat in its own corner.
    auto bright = [&](uint32_t x, uint32_t y) { return got.at(x, y)[0] > 150; };
    EXPECT_FALSE(bright(140, 100)) << "the first tile is hot at its top left";
    EXPECT_TRUE(bright(160 + 140, 20)) << "the second at its top right";
    EXPECT_TRUE(bright(20, 120 + 100)) << "the third at its bottom left";
    EXPECT_EQ(got.at(140, 100), grey) << "where there is no heat the frame shows";
    EXPECT_NE(got.at(250, 200), grey) << "there is no fourth";
    // Names, in white.
    for (uint32_t tile = 0; tile < 3; ++tile) {
        int white = 0;
        for (uint32_t y = 0; y < 20; ++y)
            for (uint32_t x = 0; x < 50; ++x)
                white += got.at(tile % 2 * 160 + x, tile / 2 * 120 + y)[2] > 200;
        EXPECT_GT(white, 5) << tile;
    }
    overlay.settings.heat = false;
    EXPECT_EQ(changed(run()), 0);
}

TEST_F(OverlayTest, frames_on_their_way_have_settings_of_their_own) {
    Overlay two(device, Size{width, height}, {.detector = {"cat"}}, 2);
    const std::vector<float> row = {20, 60, 80, 120, 0.9f, 0, 0};
    const Tensor found = tensor(1, 1, 7, Type::f32, row);
    const std::vector<uint8_t> bytes(size_t(3) * width * height, 90);
    frame.write({bytes.data(), width, height, 3 * width, false});
    Commands other(device, arena, "other");
    for (uint32_t slot : {0u, 1u}) {
        Commands& c = slot == 0 ? commands : other;
        c.begin();
        frame.record(c);
        two.record(c, frame.image(), {.found = found}, slot);
        readback.record(c, frame.image());
        c.end();
    }
    two.update(0);
    two.settings.boxes = false;
    two.update(1);
    commands.run();
    EXPECT_GT(changed(picture_of(readback)), 0);
    other.run();
    EXPECT_EQ(changed(picture_of(readback)), 0);
    EXPECT_THROW(two.update(2), std::out_of_range);
}

TEST_F(OverlayTest, an_image_at_another_scale_is_drawn_on_as_one_of_its_own_size) {
    std::vector<float> cells(6 * 8, 0.001f);
    cells[1 * 8 + 6] = 0.6f;
    const Tensor maps = tensor(1, 6, 8, Type::f32, cells);
    std::vector<float> rows = {20,  60, 80,  120, 0.9f, 0, 0,  //
                               120, 60, 200, 130, 0.7f, 1, 1};
    const Truth truth{{{0, "dog", {104, 64, 200, 144}}}, "a dog"};
    auto halved = [](const Rectangle& r) { return Rectangle(r.min * 0.5f, r.max * 0.5f); };
    auto show = [&](Overlay& on, const Truth& what, const Marks& marks) {
        on.set_caption({{"a"}, {"cat"}});
        on.set_truth(what);
        on.set_marks(marks);
        on.update();
        commands.run();
        return picture_of(readback);
    };
    Marks marks;
    marks.boxes.push_back({{40, 150, 100, 200}, rgba(0, 0, 255), "a thing", true});
    marks.dots.push_back({{200, 180}, rgba(255, 0, 0), 3});
    marks.texts.push_back({"text", {220, 30}, rgba(0, 255, 0)});
    record({.found = tensor(1, 2, 7, Type::f32, rows),
            .maps = maps,
            .geometry = {{8, 6}, {0, 0}, {40, 40}}});
    const Picture want = show(overlay, truth, marks);

    for (size_t row = 0; row < 2; ++row)
        for (size_t side = 0; side < 4; ++side) rows[7 * row + side] /= 2;
    Truth small_truth = truth;
    small_truth.objects[0].box = halved(truth.objects[0].box);
    marks.boxes[0].place = halved(marks.boxes[0].place);
    marks.dots[0].place /= 2.0f;
    marks.texts[0].place /= 2.0f;
    Overlay larger(device, {Size{width / 2, height / 2}, Size{width, height}},
                   {.detector = {"cat", "dog", "a thing"}});
    commands.begin();
    frame.record(commands);
    larger.record(commands, frame.image(),
                  {.found = tensor(1, 2, 7, Type::f32, rows),
                   .maps = maps,
                   .geometry = {{8, 6}, {0, 0}, {20, 20}}});
    readback.record(commands, frame.image());
    commands.end();
    EXPECT_EQ(show(larger, small_truth, marks).distance(want), 0);
    for (size_t i = 0; i < 2; ++i)
        EXPECT_EQ(larger.caption_places()[i], halved(overlay.caption_places()[i]));
}

TEST_F(OverlayTest, texts_are_laid_out_once_and_only_when_they_change) {
    record({});
    auto show = [&](const std::string& word) {
        overlay.set_caption({{"a"}, {word}});
        overlay.set_notes({{"note", {0, 0}}});
        overlay.set_marks({});
        overlay.set_truth(std::nullopt);
        run();
        EXPECT_EQ(overlay.caption_places().size(), 2u);
        return overlay.layouts();
    };
    EXPECT_EQ(show("cat"), 1u);
    EXPECT_EQ(show("cat"), 1u);
    EXPECT_EQ(show("dog"), 2u);
    overlay.settings.caption_freshness = 0.5f;
    EXPECT_EQ(show("dog"), 3u) << "other colours";
    EXPECT_EQ(show("dog"), 3u);
}

TEST_F(OverlayTest, a_frame_of_another_size_is_refused) {
    const Image image(device, "frame", 100, 100);
    commands.begin();
    EXPECT_THROW(overlay.record(commands, image, {}), Error);
    commands.end();
}

TEST_F(OverlayTest, frames_of_any_size_are_drawn_on) {
    for (Size size : {Size{1, 1}, Size{8, 9}, Size{40, 30}, Size{1280, 720}}) {
        Overlay other(device, size, {.detector = {"cat"}});
        Frame frame_of_size(device, size.x, size.y, false);
        const Readback back(device, size.x, size.y, false);
        const std::vector<uint8_t> black(size_t(3) * size.x * size.y);
        frame_of_size.write({black.data(), size.x, size.y, 3 * size.x, false});
        const auto w = float(size.x), h = float(size.y);
        const std::vector<float> row = {0, 0.25f * h, w, h, 0.9f, 0, 0};
        other.set_caption({{"caption"}});
        other.update();
        commands.begin();
        frame_of_size.record(commands);
        other.record(commands, frame_of_size.image(), {.found = tensor(1, 1, 7, Type::f32, row)});
        back.record(commands, frame_of_size.image());
        commands.end();
        commands.run();
        const Picture got = picture_of(back);
        EXPECT_NE(got.at(size.x - 1, size.y / 2), (Pixel{0, 0, 0})) << size.x;
        if (size.x < 1000) continue;
        // The label is higher than on a small frame, as the text in it is.
        EXPECT_NE(got.at(10, size.y / 4 - 20), (Pixel{0, 0, 0}));
        EXPECT_EQ(got.at(10, size.y / 4 - 40), (Pixel{0, 0, 0}));
    }
}

}  // namespace
}  // namespace saccade
