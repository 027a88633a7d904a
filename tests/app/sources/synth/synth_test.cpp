#include "app/sources/synth/synth.h"

#include <opencv2/imgproc.hpp>

#include "app/io/digest.h"
#include "app/sources/open_source.h"
#include "app/sources/reader.h"
#include "tests/app/sources/frames.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

Shot frame_of(const std::string& text, uint64_t index) {
    Synth source(text);
    source.seek(index);
    return *next_shot(source);
}

// The pixels in which two frames differ by more than `least`.
cv::Mat difference(const cv::Mat& a, const cv::Mat& b, double least) {
    cv::Mat differs;
    cv::absdiff(a, b, differs);
    cv::transform(differs, differs, cv::Matx13f(1, 1, 1));
    return differs > least;
}

TEST(SyntheticCamera, its_text_says_size_rate_seed_and_objects) {
    const SynthOptions all = parse_synth("synth:1280x720@30000/1001?seed=7&objects=4&frames=90");
    EXPECT_EQ(all.size, (Size{1280, 720}));
    EXPECT_EQ(all.rate, 30000.0 / 1001);
    EXPECT_EQ(all.seed, 7u);
    EXPECT_EQ(all.objects, 4u);
    EXPECT_EQ(all.frames, 90u);
    const SynthOptions none = parse_synth("synth:", {.size = Size{320, 240}, .rate = 12.5});
    EXPECT_EQ(none.size, (Size{320, 240}));
    EXPECT_EQ(none.rate, 12.5);
    EXPECT_FALSE(none.objects);
    EXPECT_FALSE(none.frames);
    EXPECT_EQ(parse_synth("synth:@10").rate, 10);
    EXPECT_EQ(parse_synth("synth:?seed=3").seed, 3u);
    EXPECT_FALSE(all.hard);
    EXPECT_TRUE(parse_synth("synth:@10?hard&seed=3").hard);
    EXPECT_EQ(parse_synth("synth:@10?hard&seed=3").seed, 3u);
    EXPECT_EQ(kind_of_source("synth:"), SourceKind::synth);
}

TEST(SyntheticCamera, a_text_that_says_something_else_is_refused) {
    for (const char* text :
         {"synth:640", "synth:640x", "synth:0x0", "synth:9999x9999", "synth:-64x48", "synth:64x48@",
          "synth:64x48@0", "synth:64x48@1/0", "synth:64x48@x", "synth:?seed=", "synth:?seed=-1",
          "synth:?objects=7", "synth:?sed=1", "synth:?frames=many", "synth:?seed", "synth:?hard=1"})
        expect_says(error_of([&] { open_source(text); }), text);
}

TEST(SyntheticCamera, a_frame_is_the_same_whenever_it_is_asked_for) {
    const std::string text = "synth:160x120@30?seed=11";
    Synth source(text), other(text);
    for (uint64_t index : {0u, 1u, 2u, 500u, 119u, 120u, 1u}) {
        source.seek(index);
        const std::optional<Shot> shot = next_shot(source);
        ASSERT_TRUE(shot);
        EXPECT_EQ(shot->info.index, index);
        EXPECT_EQ(shot->info.time, double(index) / 30);
        EXPECT_TRUE(equal(shot->pixels, frame_of(text, index).pixels)) << index;
    }
    EXPECT_FALSE(equal(frame_of(text, 0).pixels, frame_of(text, 1).pixels));
    EXPECT_FALSE(equal(frame_of(text, 0).pixels, frame_of("synth:160x120@30?seed=12", 0).pixels));
}

TEST(SyntheticCamera, frames_are_the_same_on_every_machine) {
    // Two frames of each backdrop.
    std::string pixels;
    Synth source("synth:160x120@30?seed=5");
    for (uint64_t scene = 0; scene < backdrop_count; ++scene)
        for (uint64_t frame : {7u, 90u}) {
            source.seek(120 * scene + frame);
            const std::optional<Shot> shot = next_shot(source);
            pixels.append(reinterpret_cast<const char*>(shot->pixels.data),
                          shot->pixels.total() * 3);
        }
    Digest digest = Digest::sha256();
    digest.update(pixels);
    EXPECT_EQ(hex(digest.finish()),
              "869de49c90c6e616720c5d4646e79f326454e41970f9c929272da3bb706e887d");
}

// All bytes of some frames from all over a source.
std::string bytes_of_frames(const std::string& text, unsigned painters) {
    std::string bytes;
    Synth source(text, {}, painters);
    for (uint64_t index = 0; index < 1200; index += 131) {
        source.seek(index);
        const std::optional<Shot> shot = next_shot(source);
        bytes.append(reinterpret_cast<const char*>(shot->pixels.data), shot->pixels.total() * 3);
    }
    return bytes;
}

TEST(SyntheticCamera, a_frame_is_the_same_however_many_threads_paint_it) {
    struct Case {
        const char *text, *sha256;  // as the first version painted it, on one thread
    };
    for (const Case& c :
         {Case{"synth:161x119?seed=2&objects=6",
               "0ffa9abbb6cbf9c4054feee98f09c485885381e683e63eee1ecf960759e994ce"},
          Case{"synth:320x240?seed=3",
               "20d2e4d5475f7ff1934f2b32faf4e2ceaa2fc1be7e5c145bc4071903c0eaa988"},
          Case{"synth:17x301?seed=4",
               "d6bb436acc71f977d6e065d8d931779c67e7f8f34a7bc4ce1fcc016d551527be"},
          Case{"synth:1100x33?seed=6",
               "15518204efb1d73c93ec7187799893fdc7ced695520c0b1cdf174e7dd047ff50"}}) {
        const std::string alone = bytes_of_frames(c.text, 1);
        Digest digest = Digest::sha256();
        digest.update(alone);
        EXPECT_EQ(hex(digest.finish()), c.sha256) << c.text;
        EXPECT_TRUE(bytes_of_frames(c.text, 5) == alone) << c.text;
    }
}

TEST(SyntheticCamera, boxes_lie_where_the_objects_are) {
    for (uint64_t index : {10u, 130u, 260u, 400u, 640u}) {
        const std::string text = "synth:320x240@30?seed=21&objects=";
        const Shot with = frame_of(text + "3", index), without = frame_of(text + "0", index);
        ASSERT_TRUE(with.info.truth);
        const std::vector<TrueObject>& objects = with.info.truth->objects;
        EXPECT_TRUE(without.info.truth->objects.empty());
        ASSERT_FALSE(objects.empty());

        const cv::Mat any = difference(with.pixels, without.pixels, 0);
        const cv::Mat strong = difference(with.pixels, without.pixels, 24);
        cv::Mat elsewhere = any.clone();
        for (const TrueObject& object : objects) {
            EXPECT_STREQ(object.label.c_str(), emoji_name(object.id));
            const cv::Rect box(cv::Point(int(object.box.min.x), int(object.box.min.y)),
                               cv::Point(int(object.box.max.x), int(object.box.max.y)));
            ASSERT_EQ(box & cv::Rect(0, 0, 320, 240), box);
            EXPECT_GT(cv::countNonZero(strong(box)), box.area() / 4);
            // All four sides are touched.
            const int w = std::max(4, box.width / 10), h = std::max(4, box.height / 10);
            EXPECT_TRUE(cv::countNonZero(strong(box & cv::Rect(box.x, box.y, w, box.height))));
            EXPECT_TRUE(cv::countNonZero(strong(box & cv::Rect(box.x, box.y, box.width, h))));
            EXPECT_TRUE(
                cv::countNonZero(strong(box & cv::Rect(box.br().x - w, box.y, w, box.height))));
            EXPECT_TRUE(
                cv::countNonZero(strong(box & cv::Rect(box.x, box.br().y - h, box.width, h))));
            // Cards and shadows reach farther, but not far.
            cv::Rect around(box.x - box.height, box.y - box.width, box.width + 2 * box.height,
                            box.height + 2 * box.width);
            elsewhere(around & cv::Rect(0, 0, 320, 240)) = 0;
        }
        if (objects.size() == 3) {
            EXPECT_EQ(cv::countNonZero(elsewhere), 0) << index;
        }
    }
}

class SyntheticTruth : public ::testing::Test {
protected:
    // A view of one emoji, by default a dog, in a frame of 200 x 100.
    static PlacedEmoji at(double x, double y, double half, uint32_t id = 0) {
        PlacedEmoji placed;
        placed.id = id;
        placed.half = half;
        placed.to_frame[0][0] = placed.to_frame[1][1] = half;
        placed.to_frame[2] = {x, y, 1};
        placed.to_cell = inverse_of(placed.to_frame);
        return placed;
    }
    Truth truth(std::vector<PlacedEmoji> objects) const {
        SynthView view;
        view.objects = std::move(objects);
        return truth_of(view, sprites, {200, 100});
    }
    const std::vector<EmojiSprite> sprites = load_emoji_sprites();
};

TEST_F(SyntheticTruth, boxes_are_as_tight_as_the_drawing) {
    const Truth whole = truth({at(60, 50, 32)});
    ASSERT_EQ(whole.objects.size(), 1u);
    EXPECT_EQ(whole.objects[0].box.min.x, 30);  // 120 of 128 pixels wide
    EXPECT_EQ(whole.objects[0].box.max.x, 90);
    EXPECT_GT(whole.objects[0].box.min.y, 19);
    EXPECT_LT(whole.objects[0].box.max.y, 81);
    EXPECT_EQ(whole.caption, "a dog");
}

TEST_F(SyntheticTruth, boxes_end_with_the_frame_and_what_is_mostly_outside_is_left_out) {
    const Truth cut = truth({at(10, 50, 32)});
    ASSERT_EQ(cut.objects.size(), 1u);
    EXPECT_EQ(cut.objects[0].box.min.x, 0);
    EXPECT_EQ(cut.objects[0].box.max.x, 40);
    EXPECT_TRUE(truth({at(-10, 50, 32)}).objects.empty());
    EXPECT_EQ(truth({at(-10, 50, 32)}).caption, "nothing");
}

TEST_F(SyntheticTruth, what_is_mostly_hidden_is_left_out) {
    const uint32_t ball = 42;  // as round as a dog's head
    const Truth hidden = truth({at(60, 50, 20), at(62, 50, 32, ball)});
    ASSERT_EQ(hidden.objects.size(), 1u);
    EXPECT_EQ(hidden.objects[0].label, "soccer ball");
    EXPECT_EQ(truth({at(60, 50, 20), at(100, 50, 32, ball)}).objects.size(), 2u);
    // Behind the dog, it occludes nothing of it.
    EXPECT_EQ(truth({at(62, 50, 32, ball), at(60, 50, 20)}).objects.size(), 2u);
    // A card occludes as well.
    PlacedEmoji card = at(100, 50, 32, ball);
    card.card = 1.6;
    EXPECT_EQ(truth({at(60, 50, 20), card}).objects.size(), 1u);
}

// Where each object of some frames is, by its number.
std::map<uint64_t, std::vector<TrueObject>> objects_of(const std::string& text, uint64_t first,
                                                       uint64_t end) {
    std::map<uint64_t, std::vector<TrueObject>> objects;
    Synth source(text);
    source.seek(first);
    while (first++ < end) {
        const std::optional<Shot> shot = next_shot(source);
        for (const TrueObject& object : shot->info.truth->objects)
            objects[object.object].push_back(object);
    }
    return objects;
}

TEST(SyntheticCamera, an_object_keeps_its_number_as_long_as_its_scene_lasts) {
    const std::string text = "synth:160x120@10?seed=5&objects=4";
    const auto first = objects_of(text, 0, 40), second = objects_of(text, 40, 80);
    ASSERT_FALSE(first.empty());
    for (const auto& [number, places] : first) {
        EXPECT_GT(number, 0u);
        EXPECT_FALSE(second.contains(number)) << "another scene shows other objects";
        for (size_t i = 1; i < places.size(); ++i) {
            EXPECT_EQ(places[i].id, places[0].id);
            const glm::vec2 way = places[i].box.middle() - places[i - 1].box.middle();
            EXPECT_LT(glm::length(way), 30) << "it moves, and does not jump";
        }
    }
    // A frame that is rendered alone has the same object numbers.
    const Shot alone = frame_of(text, 55);
    for (const TrueObject& object : alone.info.truth->objects)
        EXPECT_TRUE(second.contains(object.object));
}

TEST(SyntheticCamera, a_hard_scene_has_twice_the_objects_and_they_cross) {
    const std::string text = "synth:160x120@10?seed=5&objects=4";
    EXPECT_LE(objects_of(text, 0, 40).size(), 4u);
    const auto hard = objects_of(text + "&hard", 0, 40);
    EXPECT_EQ(hard.size(), 8u);
    size_t to_left = 0, to_right = 0;
    for (const auto& [number, places] : hard) {
        const float way = places.back().box.middle().x - places.front().box.middle().x;
        to_left += way < -40;
        to_right += way > 40;
    }
    EXPECT_GE(to_left, 1u);
    EXPECT_GE(to_right, 1u);
    EXPECT_GE(to_left + to_right, 3u);
    EXPECT_FALSE(equal(frame_of(text, 7).pixels, frame_of(text + "&hard", 7).pixels));
}

TEST(SyntheticCamera, captions_follow_the_captioners_grammar) {
    auto caption = [](std::vector<TrueObject> objects) {
        return emoji_caption(objects, {256, 192});
    };
    auto at = [](uint32_t id, float x, float y) {
        return TrueObject{id, emoji_name(id), {x - 5, y - 5, x + 5, y + 5}};
    };
    const uint32_t dog = 0, cat = 1, fish = 8, bee = 10, owl = 13, cactus = 49;
    EXPECT_EQ(caption({}), "nothing");
    EXPECT_EQ(caption({at(owl, 50, 50)}), "an owl");
    EXPECT_EQ(caption({at(cat, 90, 50), at(dog, 10, 60)}), "a dog to the left of a cat");
    EXPECT_EQ(caption({at(cat, 30, 150), at(dog, 60, 20)}), "a dog above a cat");
    EXPECT_EQ(caption({at(cat, 30, 20), at(dog, 60, 150)}), "a cat above a dog");
    EXPECT_EQ(caption({at(cat, 30, 20), at(cat, 60, 150)}), "two cats");
    EXPECT_EQ(caption({at(bee, 200, 9), at(dog, 10, 9), at(owl, 99, 9), at(dog, 120, 9)}),
              "two dogs, an owl and a bee");
    EXPECT_EQ(caption({at(fish, 1, 1), at(fish, 2, 1), at(fish, 3, 1), at(cactus, 4, 1),
                       at(cactus, 5, 1)}),
              "three fish and two cacti");
}

TEST(SyntheticCamera, any_size_and_rate_will_do) {
    for (const char* text :
         {"synth:16x16", "synth:17x301@1000", "synth:640x24@0.5", "synth:99x77?objects=6"}) {
        Synth source(text);
        for (uint64_t index : {0u, 1000u, 100000u}) {
            source.seek(index);
            const std::optional<Shot> shot = next_shot(source);
            ASSERT_TRUE(shot) << text;
            const Size size = shot->info.size;
            EXPECT_EQ(size, *source.traits().size);
            for (const TrueObject& object : shot->info.truth->objects) {
                EXPECT_GE(object.box.min.x, 0);
                EXPECT_GE(object.box.min.y, 0);
                EXPECT_LE(object.box.max.x, float(size.x));
                EXPECT_LE(object.box.max.y, float(size.y));
            }
        }
    }
}

TEST(SyntheticCamera, a_number_of_frames_is_an_end) {
    PlainRing memory;
    Reader reader(open_source("synth:32x24?frames=12"), memory.ring, {.first = 3, .stride = 2});
    EXPECT_EQ(reader.traits().frames, 12u);
    std::vector<uint64_t> indices;
    while (std::optional<TakenFrame> frame = reader.next()) indices.push_back(frame->info().index);
    EXPECT_EQ(indices, (std::vector<uint64_t>{3, 5, 7, 9, 11}));
}

TEST(SyntheticCamera, its_waves_are_near_the_sine) {
    for (double turns = -3; turns < 3; turns += 0.01)
        EXPECT_NEAR(wave(turns), std::sin(2 * 3.14159265358979 * turns), 0.0013) << turns;
}

}  // namespace
}  // namespace saccade
