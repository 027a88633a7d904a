#include "app/draw/font.h"

#include <gtest/gtest.h>

#include <set>

#include "app/draw/text_layout.h"
#include "gpu/core/error.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

class FontTest : public ::testing::Test {
protected:
    static constexpr uint32_t side = 256;

    // Coverage of a glyph, added up.
    uint64_t weight(const params::Glyph& glyph) const {
        uint64_t sum = 0;
        for (uint32_t y = 0; y < glyph.size >> 16; ++y)
            for (uint32_t x = 0; x < (glyph.size & 0xffff); ++x)
                sum += uint64_t(
                    atlas[((glyph.source >> 16) + y) * side + (glyph.source & 0xffff) + x]);
        return sum;
    }

    std::vector<std::byte> atlas = std::vector<std::byte>(side * side);
    Font font{find_dejavu(), {atlas, side}};
};

TEST_F(FontTest, letters_lie_side_by_side_on_their_line) {
    const Font::Line line = font.lay_out("Hxg", 20);
    ASSERT_EQ(line.glyphs.size(), 3u);
    const Font::Height height = font.height(20);
    int before = -1;
    for (const params::Glyph& glyph : line.glyphs) {
        const int x = int16_t(glyph.place & 0xffff), y = int16_t(glyph.place >> 16);
        EXPECT_GT(x, before);
        before = x + int(glyph.size & 0xffff) - 2;
        EXPECT_GE(y, 0);
        EXPECT_LE(uint32_t(y) + (glyph.size >> 16), height.line);
        EXPECT_GT(weight(glyph), 1000u);
    }
    auto bottom = [&](size_t i) {
        return (line.glyphs[i].place >> 16) + (line.glyphs[i].size >> 16);
    };
    EXPECT_EQ(bottom(0), height.ascent) << "H stands on the baseline";
    EXPECT_GT(bottom(2), height.ascent) << "g reaches below it";
    EXPECT_GT(line.width, 25u);
    EXPECT_LT(line.width, 45u);
}

TEST_F(FontTest, the_atlas_holds_each_letter_once_and_no_two_in_one_place) {
    const Font::Line line = font.lay_out("abcabc ABC", 16);
    ASSERT_EQ(line.glyphs.size(), 9u) << "a space has no glyph";
    EXPECT_EQ(line.glyphs[0].source, line.glyphs[3].source);
    std::vector<int> owners(side * side, -1);
    for (int i : {0, 1, 2, 6, 7, 8}) {
        const params::Glyph& glyph = line.glyphs[size_t(i)];
        for (uint32_t y = 0; y < glyph.size >> 16; ++y)
            for (uint32_t x = 0; x < (glyph.size & 0xffff); ++x) {
                int& owner =
                    owners[((glyph.source >> 16) + y) * side + (glyph.source & 0xffff) + x];
                EXPECT_EQ(owner, -1);
                owner = i;
            }
    }
}

TEST_F(FontTest, draws_what_the_font_has_of_unicode_and_a_box_for_the_rest) {
    const Font::Line line = font.lay_out("é漢Ж\U0001F9FFλ\xff", 16);
    ASSERT_EQ(line.glyphs.size(), 6u);
    const uint32_t box = line.glyphs[1].source;
    EXPECT_EQ(line.glyphs[3].source, box) << "neither Chinese nor emoji";
    for (size_t i : {0u, 2u, 4u, 5u}) {
        EXPECT_NE(line.glyphs[i].source, box) << i;
        EXPECT_GT(weight(line.glyphs[i]), 500u) << i;
    }
    EXPECT_EQ(line.glyphs[5].source, font.lay_out("\ufffd", 16).glyphs[0].source)
        << "what is not UTF-8 shows as such";
}

TEST_F(FontTest, control_characters_take_no_room) {
    EXPECT_EQ(font.lay_out("a\n\t\x01z", 16).width, font.lay_out("az", 16).width);
    EXPECT_EQ(font.lay_out("", 16).width, 0u);
}

TEST_F(FontTest, pairs_are_kerned) {
    EXPECT_LT(font.lay_out("AV", 40).width,
              font.lay_out("A", 40).width + font.lay_out("V", 40).width);
}

TEST_F(FontTest, a_full_atlas_gives_boxes_and_writes_nowhere_else) {
    std::vector<std::byte> memory(40 * 40 + 100, std::byte{7});
    Font small(find_dejavu(), {std::span(memory).first(40 * 40), 40});
    const Font::Line line =
        small.lay_out("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", 12);
    EXPECT_EQ(line.glyphs.size(), 52u);
    EXPECT_EQ(line.glyphs[50].source, line.glyphs[51].source);
    for (size_t i = 40 * 40; i < memory.size(); ++i) EXPECT_EQ(memory[i], std::byte{7});
}

TEST_F(FontTest, a_file_that_is_no_font_is_named) {
    const TempFolder temp;
    temp.write("font.ttf", "not a font");
    try {
        Font broken(temp / "font.ttf", {atlas, side});
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("font.ttf"), std::string::npos) << error.what();
    }
}

TEST_F(FontTest, words_are_wrapped_to_the_width_and_keep_their_breaks) {
    TextLayout layout(font);
    const auto words = words_of("one two  three\nfour five");
    ASSERT_EQ(words.size(), 5u);
    EXPECT_TRUE(words[3].new_line);
    EXPECT_FALSE(words[4].new_line);
    TextLayout::Block block{.area = {0, 0, 1000, 100}, .pixels = 16};
    auto where = layout.add_block(words, block);
    EXPECT_EQ(where[2].min.y, where[0].min.y);
    EXPECT_GT(where[3].min.y, where[0].min.y);
    EXPECT_GT(where[1].min.x, where[0].max.x);

    block.area.max.x = 110;  // two words
    where = layout.add_block(words, block);
    std::set<float> lines;
    for (const Rectangle& word : where) {
        lines.insert(word.min.y);
        EXPECT_LE(word.max.x, 110);
    }
    EXPECT_EQ(lines.size(), 3u);

    block.most_lines = 1;  // the last
    where = layout.add_block(words, block);
    EXPECT_EQ(where[0].max.x, 0);
    EXPECT_GT(where[4].max.x, 0);
    EXPECT_EQ(where[3].max.x > 0, where[3].min.y == where[4].min.y);
}

TEST_F(FontTest, a_block_lies_where_it_was_asked_to) {
    TextLayout layout(font);
    TextLayout::Block block{.area = {10, 20, 300, 200}, .align = {1, 1}, .pixels = 16};
    layout.add_block(words_of("corner"), block);
    EXPECT_EQ(layout.plates()[0].right, 300);
    EXPECT_EQ(layout.plates()[0].bottom, 200);
    block.align = {0, 0};
    layout.add_block(words_of("corner"), block);
    EXPECT_EQ(layout.plates()[1].left, 10);
    EXPECT_EQ(layout.plates()[1].top, 20);
    block.align.x = 0.5f;
    layout.add_block(words_of("corner"), block);
    EXPECT_NEAR(layout.plates()[2].left - 10, 300 - layout.plates()[2].right, 1.01);
}

}  // namespace
}  // namespace saccade
