#include "app/lab/ppm.h"

#include <gtest/gtest.h>

#include <fstream>

#include "gpu/core/error.h"

namespace saccade {
namespace {

class Ppm : public testing::Test {
protected:
    Ppm() {
        const auto* test = testing::UnitTest::GetInstance()->current_test_info();
        folder_ = std::filesystem::path(testing::TempDir()) /
                  (std::string("saccade_ppm_") + test->name());
        std::filesystem::remove_all(folder_);
        std::filesystem::create_directories(folder_);
        file_ = folder_ / "picture.ppm";
    }
    ~Ppm() override { std::filesystem::remove_all(folder_); }

    PpmPicture read(const std::string& bytes) {
        std::ofstream(file_, std::ios::binary) << bytes;
        return read_ppm(file_);
    }

    // Refused, in one line that names the file and holds `naming`.
    void expect_refused(const std::string& bytes, const std::string& naming) {
        try {
            read(bytes);
            ADD_FAILURE() << "accepted";
        } catch (const Error& error) {
            const std::string what = error.what();
            EXPECT_NE(what.find("picture.ppm"), std::string::npos) << what;
            EXPECT_NE(what.find(naming), std::string::npos) << what;
            EXPECT_EQ(what.find('\n'), std::string::npos) << what;
        }
    }

    std::filesystem::path folder_, file_;
};

TEST_F(Ppm, what_is_written_is_read_back) {
    const PpmPicture picture{
        2, 3, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 32, 35, 255, 254, 253, 252}};
    write_ppm(file_, picture);
    const PpmPicture back = read_ppm(file_);
    EXPECT_EQ(back.width, 2u);
    EXPECT_EQ(back.height, 3u);
    EXPECT_EQ(back.rgb, picture.rgb);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1)
        << "nothing is left beside it";
}

TEST_F(Ppm, headers_may_hold_comments_and_any_blanks) {
    const PpmPicture picture =
        read("P6 # made by hand\n#\n2\t# wide\r\n 1\n# levels\n255\n\n#abcd");
    EXPECT_EQ(picture.width, 2u);
    EXPECT_EQ(picture.height, 1u);
    EXPECT_EQ(picture.rgb, (std::vector<uint8_t>{'\n', '#', 'a', 'b', 'c', 'd'}));
}

TEST_F(Ppm, bytes_after_the_picture_are_passed_over) {
    EXPECT_EQ(read("P6 1 1 255 abcP6 1 1 255 def").rgb, (std::vector<uint8_t>{'a', 'b', 'c'}));
}

TEST_F(Ppm, a_picture_longer_than_a_piece_is_whole) {
    PpmPicture picture{1500, 1000, {}};
    picture.rgb.resize(4500000);
    for (size_t i = 0; i < picture.rgb.size(); ++i)
        picture.rgb[i] = static_cast<uint8_t>(i * 31 >> 3);
    write_ppm(file_, picture);
    EXPECT_EQ(read_ppm(file_).rgb, picture.rgb);
}

TEST_F(Ppm, other_formats_are_refused) {
    expect_refused("", "P6");
    expect_refused("P", "P6");
    expect_refused("P5 1 1 255 a", "P6");
    expect_refused("P3 1 1 255 1 2 3", "P6");
    expect_refused("\x89PNG\r\n\x1a\n", "P6");
}

TEST_F(Ppm, broken_headers_are_refused) {
    expect_refused("P6", "width");
    expect_refused("P6 #", "width");
    expect_refused("P6 # a comment without an end", "width");
    expect_refused("P6 x 1 255 abc", "width");
    expect_refused("P6 -1 1 255 abc", "width");
    expect_refused("P6 1.5 1 255 abc", "width");
    expect_refused("P6 1", "width");
    expect_refused("P6 1 ", "height");
    expect_refused("P6 1 1 ", "largest level");
    expect_refused("P6 1 1 255", "largest level");
    expect_refused("P6 1 1 255abc", "largest level");
}

TEST_F(Ppm, absurd_sizes_are_refused_without_memory_for_them) {
    expect_refused("P6 0 1 255 ", "no pixels");
    expect_refused("P6 1 0 255 ", "no pixels");
    expect_refused("P6 32769 1 255 ", "32769");
    expect_refused("P6 4294967297 1 255 ", "the most");
    expect_refused("P6 99999999999999999999999999 1 255 ", "the most");
    expect_refused("P6 32768 32768 255 abc", "ends after 3");
}

TEST_F(Ppm, other_depths_are_refused) {
    expect_refused("P6 1 1 65535 abcdef", "65535");
    expect_refused("P6 1 1 1 abc", "8 bits");
    expect_refused("P6 1 1 0 abc", "8 bits");
}

TEST_F(Ppm, truncated_pictures_are_refused) {
    expect_refused("P6 2 2 255 ", "ends after 0 of the 12");
    expect_refused("P6 2 2 255 abcdefghijk", "ends after 11 of the 12");
}

TEST_F(Ppm, what_is_no_file_is_refused) {
    EXPECT_THROW(read_ppm(folder_ / "absent.ppm"), Error);
    EXPECT_THROW(read_ppm(folder_), Error);
}

TEST_F(Ppm, nothing_is_written_where_it_cannot_be) {
    const PpmPicture picture{1, 1, {1, 2, 3}};
    EXPECT_THROW(write_ppm(folder_ / "absent" / "picture.ppm", picture), Error);
    EXPECT_THROW(write_ppm(folder_, picture), Error);
    EXPECT_THROW(write_ppm(file_, PpmPicture{2, 1, {1, 2, 3}}), Error);
    EXPECT_THROW(write_ppm(file_, PpmPicture{}), Error);
    EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

}  // namespace
}  // namespace saccade
