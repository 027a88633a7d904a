#include "app/pipeline/frame_path.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <glm/common.hpp>
#include <set>

#include "app/draw/colour.h"
#include "app/draw/point_marks.h"
#include "app/pipeline/attention_choice.h"
#include "app/sources/open_source.h"
#include "app/sources/reader.h"
#include "gpu/present/host_pictures.h"
#include "tests/app/pictures.h"
#include "tests/app/program.h"

namespace saccade {
namespace {

class FramePathTest : public ::testing::Test {
protected:
    FramePathTest() : engine(engine_options()) {}

    static EngineOptions engine_options() {
        EngineOptions options;
        if (const char* device = std::getenv("SACCADE_DEVICE")) options.device = device;
        return options;
    }
    static FrameOrder files_order() {
        FrameOrder order;
        order.caption.to_end = true;
        order.read_back.pixels = true;
        return order;
    }
    // Golden cases as models.
    void open_golden(ModelNames names) {
        for (std::string* name : {&names.detector, &names.classifier})
            if (*name != "none") *name = model_folder(temp, *name);
        models = ModelsInUse::open(engine, names);
    }
    static FramePathOptions groups_of(uint32_t at_once) {
        return {.at_once = at_once, .groups_in_flight = 2, .groups = at_once == 1 ? 6u : 4u};
    }
    // All frames of a source, in the order in which they are finished.
    std::vector<FrameResult> run(const std::string& source, const FrameOrder& order,
                                 uint64_t frames, uint32_t at_once = 1) {
        FramePath path(engine, groups_of(at_once));
        path.use(models.borrowed());
        Reader reader(open_source(source), path.ring(), {.end = frames});
        std::vector<FrameResult> results;
        pump(
            path, order, [&] { return reader.next(); },
            [&](Done done) {
                EXPECT_EQ(done.picture.pixels != nullptr, order.draw);
                if (order.draw)
                    last_picture.assign(
                        done.picture.pixels,
                        done.picture.pixels + size_t(done.picture.height) * done.picture.row_bytes);
                words = done.words;
                results.push_back(std::move(done.result));
            });
        return results;
    }

    static std::vector<uint8_t> pictures_bytes(const PictureView& picture) {
        return {picture.pixels, picture.pixels + size_t(picture.height) * picture.row_bytes};
    }

    const TempFolder temp;
    Engine engine;
    ModelsInUse models;
    std::vector<uint8_t> last_picture;
    std::vector<Rectangle> words;  // of the last frame
};

TEST_F(FramePathTest, every_frame_comes_out_once_and_in_order_with_its_own_findings) {
    models = ModelsInUse::open(engine, {.detector = "emoji-detector"});
    FrameOrder order = files_order();
    order.draw = false;
    const std::vector<FrameResult> together = run("synth:320x240@2?seed=7", order, 4);
    ASSERT_EQ(together.size(), 4u);
    for (uint64_t i = 0; i < 4; ++i) {
        EXPECT_EQ(together[i].info.index, i);
        ASSERT_TRUE(together[i].detections);
        EXPECT_FALSE(together[i].classes);
        EXPECT_FALSE(together[i].caption);
    }
    // One frame at a time gives the same detections.
    FramePath path(engine, groups_of(1));
    path.use(models.borrowed());
    Reader reader(open_source("synth:320x240@2?seed=7"), path.ring(), {.end = 4});
    for (const FrameResult& want : together) {
        path.begin(*reader.next(), order);
        const Done alone = path.finish();
        ASSERT_EQ(alone.result.detections->size(), want.detections->size());
        for (size_t i = 0; i < want.detections->size(); ++i) {
            EXPECT_EQ((*alone.result.detections)[i].query, (*want.detections)[i].query);
            EXPECT_EQ((*alone.result.detections)[i].score, (*want.detections)[i].score);
        }
    }
}

TEST_F(FramePathTest, frames_that_are_looked_at_together_keep_their_own_findings) {
    open_golden({.detector = "yolos-nano", .classifier = "vit-nano"});
    FrameOrder order = files_order();
    order.overlay.filter.threshold = 0;
    // Ten frames in groups of three leave one alone.
    const std::string source = "synth:96x64@2?seed=7&frames=10";
    const std::vector<FrameResult> alone = run(source, order, 10);
    const std::vector<uint8_t> picture = last_picture;
    const std::vector<FrameResult> together = run(source, order, 10, 3);
    ASSERT_EQ(alone.size(), 10u);
    ASSERT_EQ(together.size(), 10u);
    for (size_t i = 0; i < 10; ++i) {
        EXPECT_EQ(together[i].info.index, i);
        ASSERT_EQ(together[i].detections->size(), alone[i].detections->size());
        for (size_t j = 0; j < alone[i].detections->size(); ++j) {
            EXPECT_EQ((*together[i].detections)[j].query, (*alone[i].detections)[j].query);
            EXPECT_NEAR((*together[i].detections)[j].score, (*alone[i].detections)[j].score, 1e-4);
        }
        EXPECT_NEAR(together[i].classes->front().score, alone[i].classes->front().score, 1e-4);
    }
    EXPECT_NE(together[0].detections->front().score, together[9].detections->front().score);
    EXPECT_EQ(last_picture, picture);
}

TEST_F(FramePathTest, frames_of_another_size_wait_for_those_before) {
    open_golden({.detector = "yolos-nano"});
    std::filesystem::create_directory(temp / "all");
    for (int i = 0; i < 5; ++i)
        temp.write("all/" + std::to_string(i) + ".png",
                   encoded(".png", cv::Mat(48 + 16 * (i / 2), 64, CV_8UC3, cv::Scalar(9, 99, i))));
    const std::vector<FrameResult> results = run(temp / "all", files_order(), 5, 2);
    ASSERT_EQ(results.size(), 5u);
    for (uint32_t i = 0; i < 5; ++i) {
        EXPECT_EQ(results[i].info.index, i);
        EXPECT_EQ(results[i].info.size.y, 48 + 16 * (i / 2));
    }
}

TEST_F(FramePathTest, a_finished_frame_keeps_its_picture_while_one_of_another_size_passes) {
    std::filesystem::create_directory(temp / "all");
    for (int i = 0; i < 2; ++i)
        temp.write("all/" + std::to_string(i) + ".png",
                   encoded(".png", cv::Mat(480 + 480 * i, 640, CV_8UC3, cv::Scalar(9, 99, 50))));
    FramePath path(engine, groups_of(1));
    Reader reader(open_source(temp / "all"), path.ring());
    path.begin(*reader.next(), files_order());
    const Done first = path.finish();
    auto bytes = [&] {
        const PictureView& view = first.picture;
        return std::vector<uint8_t>(view.pixels,
                                    view.pixels + size_t(view.height) * view.row_bytes);
    };
    const std::vector<uint8_t> before = bytes();
    path.begin(*reader.next(), files_order());
    EXPECT_EQ(path.finish().picture.height, 960u);
    EXPECT_EQ(bytes(), before);
}

TEST_F(FramePathTest, looking_changes_no_answer) {
    models = ModelsInUse::open(engine, {.detector = "emoji-detector"});
    FrameOrder order = files_order();
    const std::vector<FrameResult> plain = run("synth:320x240@2?seed=7", order, 2);
    const std::vector<uint8_t> without = last_picture;
    show_attention(order, {.kind = AttentionKind::detection}, models.borrowed());
    const std::vector<FrameResult> looked = run("synth:320x240@2?seed=7", order, 2);
    ASSERT_EQ(plain.size(), looked.size());
    for (size_t i = 0; i < plain.size(); ++i) {
        ASSERT_EQ(plain[i].detections->size(), looked[i].detections->size());
        for (size_t j = 0; j < plain[i].detections->size(); ++j)
            EXPECT_EQ((*plain[i].detections)[j].score, (*looked[i].detections)[j].score);
    }
    EXPECT_NE(last_picture, without) << "the map is drawn";
}

TEST_F(FramePathTest, maps_that_come_to_the_host_are_each_for_somebody_else_and_change_no_answer) {
    open_golden({.detector = "yolos-nano", .classifier = "vit-nano"});
    FramePath path(engine, groups_of(1));
    path.use(models.borrowed());
    Reader reader(open_source("synth:96x64@2?seed=7&frames=6"), path.ring(), {.end = 6});
    FrameOrder order = files_order();
    auto finish = [&](const FrameOrder& wanted) {
        path.begin(*reader.next(), wanted);
        return path.finish();
    };
    EXPECT_TRUE(finish(order).maps.empty());

    MapOrder patch{
        .attention = {.mode = AttentionMode::mean, .layer = 0}, .looker = {}, .whose = 7};
    patch.looker.token = Looker::Token::patch;
    patch.looker.of_detector = true;
    patch.looker.point = {5, 5};
    MapOrder far = patch;
    far.looker.point = {90, 60};
    far.whose = 9;
    MapOrder heads = patch;
    heads.attention.mode = AttentionMode::grid;
    heads.looker = {};
    heads.looker.token = Looker::Token::class_token;
    const MapOrder nobody{.attention = {.mode = AttentionMode::mean}, .looker = {}, .whose = 3};
    order.maps = {patch, far, nobody, heads};
    const Done done = finish(order);
    ASSERT_EQ(done.maps.size(), 4u);
    for (size_t i : {0u, 1u, 3u}) {
        const MapOnHost& map = done.maps[i];
        EXPECT_EQ(map.whose, order.maps[i].whose);
        EXPECT_EQ(map.layer, 0u);
        EXPECT_EQ(map.count, i == 3 ? map.heads : 1u);
        ASSERT_EQ(map.cells.size(), size_t(map.count) * area(map.geometry.grid));
        for (uint32_t n = 0; n < map.count; ++n) {
            double sum = 0;
            for (size_t j = 0; j < area(map.geometry.grid); ++j)
                sum += map.cells[n * area(map.geometry.grid) + j];
            EXPECT_GT(sum, 0);
            EXPECT_LE(sum, 1 + 1e-4) << "parts of one";
        }
    }
    EXPECT_NE(done.maps[0].cells, done.maps[1].cells);
    EXPECT_EQ(done.maps[2].count, 0u) << "nobody looks, nothing is seen";
    // The same looks once alone, and once drawn onto the frame, too: the map is the same.
    FrameOrder both = files_order();
    both.maps = {far};
    both.attention = patch.attention;
    both.looker = patch.looker;
    Done next = finish(both);
    ASSERT_EQ(next.maps.size(), 1u);
    FrameOrder again = files_order();
    again.maps = {patch, far};
    path.repeat(std::move(next.frame), again);
    const Done repeated = path.finish();
    EXPECT_EQ(repeated.maps[1].cells, next.maps[0].cells);
    EXPECT_EQ(repeated.result.classes->front().score, next.result.classes->front().score);
    EXPECT_TRUE(finish(files_order()).maps.empty());
}

TEST_F(FramePathTest, a_map_that_is_not_due_is_not_computed_but_its_layers_are_kept) {
    open_golden({.detector = "yolos-nano", .classifier = "none"});
    FramePath path(engine, groups_of(1));
    path.use(models.borrowed());
    Reader reader(open_source("synth:96x64@2?seed=7"), path.ring(), {.end = 1});
    FrameOrder order = files_order();
    MapOrder later{
        .attention = {.mode = AttentionMode::mean, .layer = 0}, .looker = {}, .whose = 7};
    later.looker.token = Looker::Token::patch;
    later.looker.of_detector = true;
    later.looker.point = {5, 5};
    later.due = false;
    MapOrder now = later;
    now.looker.point = {90, 60};
    now.whose = 9;
    now.version = 12;
    now.due = true;
    order.maps = {later, now};
    path.begin(*reader.next(), order);
    Done done = path.finish();
    ASSERT_EQ(done.maps.size(), 1u);
    EXPECT_EQ(done.maps[0].whose, 9u);
    EXPECT_EQ(done.maps[0].version, 12u);
    EXPECT_GT(done.maps[0].ms, 0);
    EXPECT_GT(done.maps[0].cells.size(), 0u);
    order.maps[0].due = true;
    path.repeat(std::move(done.frame), order);
    done = path.finish();
    ASSERT_EQ(done.maps.size(), 2u);
    EXPECT_GT(done.maps[0].cells.size(), 0u);
    for (const auto& [stage, ms] : done.result.ms)
        EXPECT_FALSE(stage == "detector") << "it has not run again";
    order.maps[0].due = order.maps[1].due = false;
    path.repeat(std::move(done.frame), order);
    done = path.finish();
    EXPECT_TRUE(done.maps.empty());
    for (const auto& [stage, ms] : done.result.ms) EXPECT_NE(stage, "attention");
}

TEST_F(FramePathTest, features_are_looked_at_without_another_run_of_the_model) {
    open_golden({.detector = "yolos-nano", .classifier = "vit-nano"});
    FramePath path(engine, groups_of(1));
    path.use(models.borrowed());
    Reader reader(open_source("synth:96x64@2?seed=7"), path.ring(), {.end = 1});
    FrameOrder order = files_order();
    order.overlay.scale = HeatScale::min_max;
    order.attention.mode = AttentionMode::similarity;
    order.looker = {.token = Looker::Token::patch, .of_detector = true, .point = {5, 5}};
    path.begin(*reader.next(), order);
    Done done = path.finish();
    auto again = [&] {
        path.repeat(std::move(done.frame), order);
        done = path.finish();
        std::set<std::string> stages;
        for (const auto& [name, ms] : done.result.ms) stages.insert(name);
        return stages;
    };
    for (bool of_detector : {true, false}) {
        order.looker = {.token = Looker::Token::patch, .of_detector = of_detector, .point = {5, 5}};
        again();  // another model's features are shown: it has to keep them
        std::vector<float> before;
        for (const glm::vec2& point : {glm::vec2(5), glm::vec2(80, 50)}) {
            order.looker.point = point;
            const std::set<std::string> stages = again();
            EXPECT_FALSE(stages.contains("detector") || stages.contains("classifier"));
            ASSERT_TRUE(done.attention);
            EXPECT_TRUE(done.attention->similarity);
            const glm::ivec2 cell = done.attention->cell();
            const Size grid = done.attention->geometry.grid;
            ASSERT_EQ(done.attention->cells.size(), area(grid));
            EXPECT_NEAR(done.attention->cells[size_t(cell.y) * grid.x + size_t(cell.x)], 1, 1e-3);
            EXPECT_LE(done.attention->largest, 1 + 1e-3f);
            EXPECT_NE(done.attention->cells, before);
            before = done.attention->cells;
        }
        // The same features as colours, drawn over the frame and as a map for the caller.
        const AttentionState attention = order.attention;
        order.attention.mode = AttentionMode::colours;
        order.looker.token = Looker::Token::everywhere;
        order.maps = {{.attention = order.attention, .looker = order.looker, .whose = 4}};
        const std::set<std::string> stages = again();
        EXPECT_FALSE(stages.contains("detector") || stages.contains("classifier"));
        EXPECT_TRUE(done.attention->coloured);
        EXPECT_FALSE(done.tiles) << "three maps that are one";
        ASSERT_EQ(done.maps.size(), 1u);
        EXPECT_TRUE(done.maps[0].coloured);
        EXPECT_EQ(done.maps[0].count, 3u);
        EXPECT_EQ(done.maps[0].cells.size(), 3 * area(done.maps[0].geometry.grid));
        for (float v : done.maps[0].cells) EXPECT_TRUE(v >= 0 && v <= 1) << v;
        order.maps.clear();
        order.attention = attention;
    }
}

// A path whose pictures go to a window through the host's memory.
struct PathToWindow {
    PathToWindow(Engine& engine, const Models& models, const std::string& source)
        : pictures(engine.device()),
          path(engine, path_for_screen()),
          reader(open_source(source), path.ring(), {.end = 1}) {
        path.use(models);
        path.show_in(pictures);
    }
    // The only frame of the source, with another order each time.
    void show(const FrameOrder& order) {
        if (done)
            path.repeat(std::move(done->frame), order);
        else
            path.begin(*reader.next(), order);
        done.emplace(path.finish());
    }
    // A part of the picture that is sent to the window.
    std::vector<uint8_t> view(Size corner, Size size) {
        done->window.publish();
        pictures.take();
        const PictureView all = pictures.shown().host.value();
        std::vector<uint8_t> part;
        for (uint32_t y = corner.y; y < corner.y + size.y; ++y) {
            const uint8_t* row = all.pixels + size_t(y) * all.row_bytes + 3 * corner.x;
            part.insert(part.end(), row, row + 3 * size.x);
        }
        return part;
    }

    HostPictures pictures;
    FramePath path;
    Reader reader;
    std::optional<Done> done;
};

TEST_F(FramePathTest, a_second_view_is_the_frame_as_it_came_or_with_other_maps) {
    open_golden({.detector = "yolos-nano", .classifier = "vit-nano"});
    PathToWindow to(engine, models.borrowed(), "synth:96x64@2?seed=7");
    FrameOrder order;
    order.overlay.filter.threshold = 0;
    order.attention.mode = AttentionMode::mean;
    order.looker = {.token = Looker::Token::patch, .of_detector = true, .point = {40, 30}};
    const Size size(144, 96), corner(150, 0);
    order.window = {.view = size, .all = {294, 96}, .second_corner = corner};
    to.show(order);
    EXPECT_FALSE(to.done->second);
    EXPECT_EQ(to.done->picture.pixels, nullptr) << "nothing was to be read back";
    const std::vector<uint8_t> first = to.view({}, size);
    // The frame stands still, and each order looks at it differently.
    auto again = [&](const SecondOrder& second) {
        order.second = second;
        to.show(order);
        EXPECT_FALSE(to.done->second->below);
        EXPECT_EQ(to.view({}, size), first) << "the first view stays as it is";
        return to.view(corner, size);
    };
    SecondOrder second;
    second.bare = true;
    const std::vector<uint8_t> bare = again(second);
    EXPECT_NE(bare, first);
    EXPECT_TRUE(to.done->second->bare);
    EXPECT_FALSE(to.done->second->attention);
    FrameOrder nothing = order;
    nothing.second.reset();
    nothing.overlay.boxes = nothing.overlay.classes = nothing.overlay.caption = false;
    nothing.attention.mode = AttentionMode::off;
    to.show(nothing);
    EXPECT_EQ(to.view({}, size), bare) << "nothing is drawn on it";
    second.bare = false;
    second.overlay = order.overlay;
    second.attention = order.attention;
    second.looker = order.looker;
    EXPECT_EQ(again(second), first) << "the same maps";
    second.looker.of_detector = false;
    EXPECT_NE(again(second), first) << "another model";
    ASSERT_TRUE(to.done->attention && to.done->second->attention);
    EXPECT_NE(to.done->attention->cells, to.done->second->attention->cells);
    second.attention.mode = AttentionMode::grid;
    again(second);
    ASSERT_TRUE(to.done->second->tiles);
    const std::optional<glm::vec2> middle = to.done->second->tiles->shown_at({24, 16});
    ASSERT_TRUE(middle) << "in pixels of the frame";
    EXPECT_LT(middle->x, 96);
    EXPECT_FALSE(to.done->tiles);
    second.attention.mode = AttentionMode::off;
    again(second);
    EXPECT_FALSE(to.done->second->attention);
}

TEST_F(FramePathTest, a_window_of_another_size_gets_its_own_drawing_and_files_that_of_the_frame) {
    models = ModelsInUse::open(engine, {.captioner = "emoji-captioner"});
    FrameOrder order = files_order();
    run("synth:160x120@2?seed=7", order, 1);
    const std::vector<uint8_t> alone = last_picture;
    const std::vector<Rectangle> words_of_frame = words;
    PathToWindow to(engine, models.borrowed(), "synth:160x120@2?seed=7");
    for (const Size& size : {Size(640, 480), Size(80, 60), Size(640, 480)}) {
        order.window = {.view = size, .all = size, .second_corner = {}};
        to.show(order);
        EXPECT_EQ(to.view({}, size).size(), size_t{3} * area(size));
        EXPECT_EQ(pictures_bytes(to.done->picture), alone) << "with its annotations at its size";
        // Words are smaller in a large window; their places are still pixels of the frame.
        ASSERT_EQ(to.done->words.size(), words_of_frame.size());
        const Rectangle last = to.done->words.back(), in_frame = words_of_frame.back();
        EXPECT_EQ(last.size().y<in_frame.size().y, size.x> 160) << last.size().y;
        EXPECT_GT(last.min.y, 60);
        EXPECT_LE(last.max.y, 120);
    }
}

TEST_F(FramePathTest, what_the_models_cannot_show_gets_one_line) {
    FrameOrder order;
    expect_says(error_of([&] {
                    show_attention(order, {.kind = AttentionKind::rollout}, models.borrowed());
                }),
                "--classifier");
    models = ModelsInUse::open(engine, {.detector = "emoji-detector"});
    const AttentionChoice beyond{.kind = AttentionKind::detection, .layer = 99};
    expect_says(error_of([&] { show_attention(order, beyond, models.borrowed()); }), "8 layers");
}

TEST_F(FramePathTest, words_lie_where_the_frame_shows_them_whatever_came_later) {
    models = ModelsInUse::open(engine, {.captioner = "emoji-captioner"});
    const FrameOrder order = files_order();
    const std::vector<FrameResult> results = run("synth:320x240@2?seed=7", order, 1);
    ASSERT_EQ(words.size(), results.front().caption->words.size());
    const std::vector<Rectangle> alone = words;
    // The next frames are in flight, and laid out, when the first one is finished.
    FramePath path(engine, groups_of(1));
    path.use(models.borrowed());
    Reader reader(open_source("synth:320x240@2?seed=7"), path.ring(), {.end = 3});
    for (int i = 0; i < 3; ++i) path.begin(*reader.next(), order);
    const Done first = path.finish();
    ASSERT_EQ(first.words.size(), alone.size());
    for (size_t i = 0; i < alone.size(); ++i) EXPECT_EQ(first.words[i].min.x, alone[i].min.x);
}

TEST_F(FramePathTest, captions_of_frames_that_are_seen_together_are_their_own) {
    models = ModelsInUse::open(engine, {.captioner = "emoji-captioner"});
    FrameOrder order = files_order();
    order.draw = false;
    // Four frames, each of another scene, in groups of three leave one alone.
    const std::string source = "synth:160x120@0.2?seed=7";
    const std::vector<FrameResult> alone = run(source, order, 4);
    const std::vector<FrameResult> together = run(source, order, 4, 3);
    ASSERT_EQ(together.size(), 4u);
    std::set<std::string> texts;
    for (size_t i = 0; i < 4; ++i) {
        ASSERT_TRUE(together[i].caption);
        EXPECT_EQ(together[i].caption->text, alone[i].caption->text);
        EXPECT_EQ(together[i].caption->ids, alone[i].caption->ids);
        texts.insert(together[i].caption->text);
        EXPECT_EQ(together[i].ms.back().first, "captioner");
        EXPECT_GT(together[i].ms.back().second, 0);
    }
    EXPECT_GT(texts.size(), 1u);
}

// After an Error of a consumer, a source or a model, the same path continues with all of its slots.
TEST_F(FramePathTest, after_any_failure_all_frames_are_back_in_their_ring) {
    models = ModelsInUse::open(engine, {.detector = "emoji-detector"});
    FrameOrder order = files_order();
    for (const uint32_t at_once : {1u, 2u}) {
        FramePath path(engine, groups_of(at_once));
        path.use(models.borrowed());
        auto run_until = [&](uint64_t failing, const FrameOrder& ordered) {
            Reader reader(open_source("synth:64x48@2?seed=7"), path.ring(), {.end = 9});
            uint64_t count = 0;
            pump(
                path, ordered, [&] { return reader.next(); },
                [&](const Done& done) {
                    EXPECT_EQ(done.result.info.index, count);
                    if (++count == failing) throw Error("the disk is full");
                });
            return count;
        };
        expect_says(error_of([&] { run_until(1, order); }), "the disk is full");
        EXPECT_FALSE(path.empty()) << "the others wait, without their source";
        FrameOrder undecided = order;
        undecided.decide = [](FrameOrder&, const FrameResult& known) {
            if (known.info.index == 4) throw Error("nobody knows");
        };
        expect_says(error_of([&] { run_until(0, undecided); }), "nobody knows");
        EXPECT_EQ(run_until(0, order), 9u);
        EXPECT_TRUE(path.empty());
    }
}

TEST_F(FramePathTest, a_frame_that_cannot_be_recorded_goes_back_and_the_next_ones_come_through) {
    models = ModelsInUse::open(engine, {.detector = "emoji-detector"});
    FramePath path(engine, groups_of(1));
    path.use(models.borrowed());
    FrameOrder order = files_order();
    FrameOrder impossible = order;
    impossible.attention.mode = AttentionMode::mean;
    impossible.looker.token = Looker::Token::query;
    impossible.looker.query = UINT32_MAX;  // which no model has
    Reader reader(open_source("synth:64x48@2?seed=7"), path.ring(), {.end = 20});
    for (uint64_t i = 0; i < 10; ++i) {
        EXPECT_NE(error_of([&] { path.begin(*reader.next(), impossible); }), "");
        EXPECT_TRUE(path.empty());
        path.begin(*reader.next(), order);
        EXPECT_EQ(path.finish().result.info.index, 2 * i + 1);
    }
    EXPECT_FALSE(reader.next());
}

TEST_F(FramePathTest, the_box_that_stands_out_is_that_of_the_query_whatever_its_rank) {
    open_golden({.detector = "rtdetr-nano"});
    FramePath path(engine, groups_of(1));
    path.use(models.borrowed());
    FrameOrder order = files_order();
    order.overlay.filter.threshold = 0;
    Reader reader(open_source("synth:320x240@2?seed=7"), path.ring(), {.end = 1});
    path.begin(*reader.next(), order);
    Done first = path.finish();
    const std::vector<Detection> found = *first.result.detections;
    const auto is_white = [&](const std::vector<uint8_t>& picture, int x, int y) {
        const uint8_t* const at = picture.data() + size_t{3} * (320 * y + x);
        return at[0] == 255 && at[1] == 255 && at[2] == 255;
    };
    const std::vector<uint8_t> without = pictures_bytes(first.picture);
    TakenFrame frame = std::move(first.frame);
    int tried = 0;
    for (size_t rank = 1; rank < found.size() && tried < 3; ++rank) {
        const glm::ivec2 all(320, 240);
        const glm::ivec2 min = glm::clamp(glm::ivec2(glm::round(found[rank].box.min)), {}, all);
        const glm::ivec2 max = glm::clamp(glm::ivec2(glm::round(found[rank].box.max)), {}, all);
        if (max.x - min.x < 80 || max.y - min.y < 30) continue;  // its label would cover it
        ++tried;
        order.overlay.selected_query = found[rank].query;
        path.repeat(std::move(frame), order);
        Done done = path.finish();
        const std::vector<uint8_t> picture = pictures_bytes(done.picture);
        frame = std::move(done.frame);
        int along_sides = 0, elsewhere = 0;
        for (int y = 0; y < 240; ++y)
            for (int x = 0; x < 320; ++x) {
                if (!is_white(picture, x, y) || is_white(without, x, y)) continue;
                const bool inside = x >= min.x && x < max.x && y >= min.y && y < max.y;
                const int from_edge =
                    std::min({x - min.x, y - min.y, max.x - 1 - x, max.y - 1 - y});
                ++(inside && from_edge < 4 ? along_sides : elsewhere);
            }
        // Labels may lie over a part of it.
        EXPECT_GT(along_sides, max.x - min.x + max.y - min.y) << rank;
        EXPECT_EQ(elsewhere, 0) << rank;
    }
    EXPECT_EQ(tried, 3);
}

TEST_F(FramePathTest, a_query_that_looks_at_points_has_them_drawn) {
    open_golden({.detector = "rtdetr-nano"});
    FramePath path(engine, groups_of(1));
    path.use(models.borrowed());
    FrameOrder order = files_order();
    order.overlay.boxes = false;
    order.attention = {.mode = AttentionMode::mean, .blend = 0};  // points without heat
    order.looker.token = Looker::Token::query;
    order.looker.query = 2;
    Reader reader(open_source("synth:320x240@2?seed=7"), path.ring(), {.end = 2});
    auto points = [&] {  // pixels of the first level's colour
        path.begin(*reader.next(), order);
        const Done done = path.finish();
        EXPECT_EQ(done.attention->levels.size(),
                  order.attention.mode == AttentionMode::grid ? 0u : 3u);
        const glm::u8vec4 colour = channels_of(level_colour(0));
        size_t count = 0;
        for (size_t i = 0; i < size_t(320) * 240; ++i) {
            const uint8_t* const bgr = done.picture.pixels + 3 * i;
            count += bgr[0] == colour.b && bgr[1] == colour.g && bgr[2] == colour.r;
        }
        return count;
    };
    EXPECT_GT(points(), 0u);
    order.attention.mode = AttentionMode::grid;  // many maps side by side have no points
    EXPECT_EQ(points(), 0u);
}

TEST_F(FramePathTest, points_of_a_query_come_to_the_host_with_its_map) {
    open_golden({.detector = "rtdetr-nano"});
    FramePath path(engine, groups_of(1));
    path.use(models.borrowed());
    FrameOrder order = files_order();
    MapOrder query{.attention = {.mode = AttentionMode::mean}, .looker = {}};
    query.looker.token = Looker::Token::query;
    query.looker.query = 2;
    MapOrder patch = query;
    patch.looker.token = Looker::Token::patch;
    patch.looker.of_detector = true;
    order.maps = {query, patch};
    Reader reader(open_source("synth:320x240@2?seed=7"), path.ring(), {.end = 1});
    path.begin(*reader.next(), order);
    const Done done = path.finish();
    ASSERT_EQ(done.maps.size(), 2u);
    const MapOnHost& seen = done.maps[0];
    EXPECT_EQ(seen.levels.size(), 3u);
    float shares = 0;
    for (const SampledPoint& point : seen.points) {
        shares += point.share;
        EXPECT_LT(point.level, seen.levels.size());
    }
    EXPECT_NEAR(shares, 1, 1e-3);
    EXPECT_TRUE(done.maps[1].points.empty()) << "a patch looks at everything";
}

TEST(Freshness, fades_with_age_and_ends_with_the_picture) {
    using namespace std::chrono_literals;
    FrameInfo now;
    now.source = "cat.jpg";
    now.captured = std::chrono::steady_clock::now();
    EXPECT_EQ(freshness("cat.jpg", now.captured - 900ms, now), 1);
    const float later = freshness("cat.jpg", now.captured - 3s, now);
    EXPECT_GT(later, 0.3f);
    EXPECT_LT(later, 0.7f);
    EXPECT_EQ(freshness("cat.jpg", now.captured - 1min, now), 0);
    EXPECT_EQ(freshness("dog.jpg", now.captured, now), 0) << "of the picture before";
}

}  // namespace
}  // namespace saccade
