#include <algorithm>

#include "tests/models/caption_fixture.h"

namespace saccade {
namespace {

// Several pictures with different captions.
class CaptionGroups : public CaptionTest, public ::testing::WithParamInterface<const char*> {
protected:
    CaptionGroups() {
        PpmPicture turned = picture, negative = picture;
        std::ranges::reverse(turned.rgb);
        for (uint8_t& level : negative.rgb) level = uint8_t(255 - level);
        for (const PpmPicture& p : {picture, turned, negative}) {
            frames.push_back(std::make_unique<Frame>(device, p.width, p.height, false));
            frames.back()->write(view(p));
            begin();
            frames.back()->record(commands);
            finish();
            images.push_back(&frames.back()->image());
        }
    }

    void encode(Captioner& captioner, const std::vector<const Image*>& which, PictureGroup& into) {
        captioner.prepare({frame.width(), frame.height()});
        Tap nobody;
        begin();
        captioner.record(commands, which, nobody, into);
        finish();
    }
    std::vector<Caption> captions(Captioner& captioner, const std::vector<const Image*>& which,
                                  uint32_t words = UINT32_MAX) {
        group = captioner.make_group();
        encode(captioner, which, group);
        captioner.start(group);
        std::vector<Caption> all;
        do {
            captioner.advance(words);
            all = captioner.results();
        } while (!captioner.finished());
        return all;
    }
    Floats map(Captioner& captioner, size_t word, uint32_t place) {
        return run(
            [&](Commands& c) { return captioner.look_from_word(c, {.layer = 0}, word, 1, place); });
    }

    // A group with an empty place has the same captions and attention as each picture alone.
    void expect_as_alone(Captioner& captioner) {
        std::vector<Caption> alone;
        std::vector<Floats> maps;
        captioner.take_together(1);
        for (const Image* image : images) {
            alone.push_back(captions(captioner, {image}).front());
            maps.push_back(map(captioner, alone.back().ids.size() - 1, 0));
        }
        EXPECT_NE(alone[0].log_probs, alone[1].log_probs);
        EXPECT_NE(alone[0].log_probs, alone[2].log_probs);

        captioner.take_together(4);
        const std::vector<Caption> all =
            captions(captioner, {images[0], nullptr, images[1], images[2]});
        ASSERT_EQ(all.size(), 4u);
        EXPECT_TRUE(all[1].ids.empty());
        EXPECT_TRUE(all[1].words.empty());
        const uint32_t places[] = {0, 2, 3};
        for (size_t i = 0; i < images.size(); ++i) {
            const Caption& found = all[places[i]];
            EXPECT_EQ(found.ids, alone[i].ids) << "picture " << i;
            EXPECT_LT(relative_error(found.log_probs, alone[i].log_probs), 1e-5) << "picture " << i;
            EXPECT_NEAR(found.score, alone[i].score, 1e-5) << "picture " << i;
            EXPECT_LT(relative_error(map(captioner, found.ids.size() - 1, places[i]), maps[i]),
                      1e-4)
                << "picture " << i;
        }
    }

    std::vector<std::unique_ptr<Frame>> frames;
    std::vector<const Image*> images;
    PictureGroup group;
};

TEST_P(CaptionGroups, each_picture_gets_the_caption_that_it_has_alone) {
    Captioner captioner = make(Golden(GetParam()), Type::f32);
    for (uint32_t beams : {1u, 3u}) {
        SCOPED_TRACE(beams);
        CaptionOptions options = as_long_as(8);
        options.beams = beams;
        captioner.use(options);
        expect_as_alone(captioner);
    }
}

TEST_P(CaptionGroups, given_words_are_read_of_all_pictures_at_once) {
    const Golden golden(GetParam());
    Ids given = golden.ids();
    given.resize(4);
    Captioner captioner = make(golden, Type::f32);
    Generation generation = captioner.generation();
    generation.max_length = 8;
    auto decode = [&](const std::vector<const Image*>& which, uint32_t beams) {
        captioner.take_together(static_cast<uint32_t>(which.size()));
        captions(captioner, which);
        generation.beams = beams;
        auto decoding =
            Decoding::make(device, arena, captioner.model(), captioner.memory(), generation, given);
        decoding->start(std::vector<bool>(which.size(), true));
        decoding->advance(UINT32_MAX);
        return decoding->results();
    };
    for (uint32_t beams : {1u, 2u}) {
        const std::vector<DecodedIds> all = decode(images, beams);
        for (size_t i = 0; i < images.size(); ++i) {
            const DecodedIds alone = decode({images[i]}, beams).front();
            EXPECT_EQ(all[i].ids, alone.ids) << beams << " beams, picture " << i;
            EXPECT_LT(relative_error(all[i].log_probs, alone.log_probs), 1e-5);
        }
    }
}

TEST_P(CaptionGroups, a_caption_is_the_same_to_the_bit_wherever_its_picture_lies) {
    Captioner captioner = make(Golden(GetParam()), Type::f16);
    captioner.use(as_long_as(6));
    captioner.take_together(3);
    const std::vector<Caption> all = captions(captioner, images);
    const std::vector<Caption> turned = captions(captioner, {images[2], images[0], images[1]});
    const std::vector<Caption> one = captions(captioner, {nullptr, images[2]});
    for (size_t i = 0; i < images.size(); ++i) {
        EXPECT_EQ(turned[(i + 1) % 3].ids, all[i].ids);
        EXPECT_EQ(turned[(i + 1) % 3].log_probs, all[i].log_probs);
    }
    EXPECT_EQ(one[1].log_probs, all[2].log_probs);
}

INSTANTIATE_TEST_SUITE_P(All, CaptionGroups,
                         ::testing::Values("vit-gpt2-nano", "vit-gpt2-odd", "blip-nano", "blip-odd",
                                           "show-attend-tell-nano"));

class CaptionGroup : public CaptionGroups {
protected:
    Golden golden{"vit-gpt2-nano"};
};

TEST_F(CaptionGroup, ends_for_each_picture_where_its_own_caption_ends) {
    Captioner longer = make(golden, Type::f32);
    longer.use(as_long_as(10));
    longer.take_together(3);
    const std::vector<Caption> all = captions(longer, images);
    golden.generation["eos_token_id"] = all[0].ids[3];
    for (uint32_t beams : {1u, 2u}) {
        Captioner captioner = make(golden, Type::f32);
        CaptionOptions options = as_long_as(10);
        options.beams = beams;
        captioner.use(options);
        expect_as_alone(captioner);
        const std::vector<Caption> found = captions(captioner, {images[0], images[1], images[2]});
        if (beams == 1) {
            EXPECT_EQ(found[0].ids.size(), 4u);
            EXPECT_NE(found[0].ids.size(), std::max(found[1].ids.size(), found[2].ids.size()));
        }
        EXPECT_TRUE(captioner.finished());
    }
}

TEST_F(CaptionGroup, words_in_one_go_are_those_of_word_by_word) {
    Captioner captioner = make(golden, Type::f32);
    for (uint32_t beams : {1u, 3u}) {
        CaptionOptions options = as_long_as(10);
        options.beams = beams;
        captioner.use(options);
        captioner.take_together(3);
        const std::vector<Caption> all = captions(captioner, images);
        for (uint32_t words : {1u, 4u}) {
            const std::vector<Caption> slowly = captions(captioner, images, words);
            for (size_t i = 0; i < images.size(); ++i) {
                EXPECT_EQ(slowly[i].ids, all[i].ids) << beams << " beams, picture " << i;
                EXPECT_EQ(slowly[i].log_probs, all[i].log_probs)
                    << beams << " beams, picture " << i;
            }
        }
    }
}

TEST_F(CaptionGroup, is_decoded_while_the_next_one_is_encoded) {
    Captioner captioner = make(golden, Type::f32);
    captioner.use(as_long_as(8));
    captioner.take_together(2);
    const std::vector<Caption> first = captions(captioner, {images[0], images[1]});
    const std::vector<Caption> second = captions(captioner, {images[2], images[0]});
    EXPECT_NE(first[0].log_probs, second[0].log_probs);

    PictureGroup a = captioner.make_group(), b = captioner.make_group();
    encode(captioner, {images[0], images[1]}, a);
    captioner.start(a);
    captioner.advance(2);
    encode(captioner, {images[2], images[0]}, b);
    captioner.advance(UINT32_MAX);
    std::vector<Caption> found = captioner.results();
    const Floats looked = map(captioner, 7, 1);
    for (size_t i = 0; i < 2; ++i) EXPECT_EQ(found[i].log_probs, first[i].log_probs) << i;
    captioner.start(b);
    captioner.advance(UINT32_MAX);
    found = captioner.results();
    for (size_t i = 0; i < 2; ++i) EXPECT_EQ(found[i].log_probs, second[i].log_probs) << i;
    EXPECT_NE(map(captioner, 7, 1), looked);
}

TEST_F(CaptionGroup, prompts_and_picture_counts_that_cannot_be_are_refused_and_change_nothing) {
    Captioner captioner = make(golden, Type::f32);
    captioner.use(as_long_as(6));
    captioner.take_together(2);
    const std::vector<Caption> before = captions(captioner, {images[0], images[1]});
    expect_says(error_of([&] { captioner.take_together(0); }), "1 to");
    expect_says(error_of([&] { captioner.take_together(captioner.most_together() + 1); }), "1 to");
    expect_says(error_of([&] { captioner.use(as_long_as(1)); }), "no room");
    expect_says(error_of([&] { captions(captioner, images); }), "2 pictures together");
    const std::vector<Caption> after = captions(captioner, {images[0], images[1]});
    for (size_t i = 0; i < 2; ++i) EXPECT_EQ(after[i].log_probs, before[i].log_probs);
    PictureGroup two = captioner.make_group();
    captioner.take_together(3);
    expect_says(error_of([&] { captioner.start(two); }), "take_together");
}

}  // namespace
}  // namespace saccade
