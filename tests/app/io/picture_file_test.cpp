#include "app/io/picture_file.h"

#include "tests/app/pictures.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

class PictureFiles : public ::testing::Test {
protected:
    cv::Mat read(const std::string& name) const {
        const PictureFile file(temp / name);
        const PictureView view = file.view();
        EXPECT_TRUE(view.bgr);
        cv::Mat pixels(int(view.height), int(view.width), CV_8UC3);
        for (int y = 0; y < pixels.rows; ++y)
            std::copy_n(view.pixels + size_t(y) * view.row_bytes, 3 * view.width, pixels.ptr(y));
        return pixels;
    }
    static bool equal(const cv::Mat& a, const cv::Mat& b) {
        return a.size() == b.size() && a.type() == b.type() && cv::norm(a, b, cv::NORM_INF) == 0;
    }

    TempFolder temp;
    const cv::Mat colour =
        cv::imread(golden_folder() / "images" / "chelsea.png")(cv::Rect(100, 50, 37, 21)).clone();
};

TEST_F(PictureFiles, lossless_formats_keep_every_pixel) {
    for (const char* extension : {".png", ".bmp", ".ppm"}) {
        const std::string name = std::string("picture") + extension;
        temp.write(name, encoded(extension, colour));
        EXPECT_TRUE(equal(read(name), colour)) << extension;
    }
}

TEST_F(PictureFiles, the_content_counts_and_not_the_name) {
    temp.write("picture.jpg", encoded(".png", colour));
    EXPECT_TRUE(equal(read("picture.jpg"), colour));
}

TEST_F(PictureFiles, grey_becomes_three_equal_channels) {
    cv::Mat grey;
    cv::extractChannel(colour, grey, 0);
    temp.write("grey.png", encoded(".png", grey));
    cv::Mat want;
    cv::merge(std::vector<cv::Mat>{grey, grey, grey}, want);
    EXPECT_TRUE(equal(read("grey.png"), want));
}

TEST_F(PictureFiles, transparency_is_left_out) {
    std::vector<cv::Mat> channels;
    cv::split(colour, channels);
    channels.push_back(cv::Mat(colour.size(), CV_8UC1, cv::Scalar(0)));  // wholly transparent
    cv::Mat alpha;
    cv::merge(channels, alpha);
    temp.write("alpha.png", encoded(".png", alpha));
    EXPECT_TRUE(equal(read("alpha.png"), colour));
}

TEST_F(PictureFiles, sixteen_bits_become_eight) {
    cv::Mat deep;
    colour.convertTo(deep, CV_16UC3, 257);
    temp.write("deep.png", encoded(".png", deep));
    EXPECT_TRUE(equal(read("deep.png"), colour));
}

TEST_F(PictureFiles, pictures_are_turned_upright) {
    const std::string jpeg = encoded(".jpg", colour);
    temp.write("1.jpg", jpeg);
    const cv::Mat lying = read("1.jpg");
    cv::Mat turned, half;
    cv::rotate(lying, turned, cv::ROTATE_90_CLOCKWISE);
    cv::rotate(lying, half, cv::ROTATE_180);
    temp.write("3.jpg", with_orientation(jpeg, 3));
    temp.write("6.jpg", with_orientation(jpeg, 6));
    EXPECT_TRUE(equal(read("3.jpg"), half));
    EXPECT_TRUE(equal(read("6.jpg"), turned));
}

TEST_F(PictureFiles, stderr_is_as_it_was_after_a_decoder_has_spoken) {
    temp.write("profile.png", with_bad_profile(encoded(".png", colour)));
    temp.write("short.png", encoded(".png", colour).substr(0, 300));
    ::testing::internal::CaptureStderr();
    EXPECT_TRUE(equal(read("profile.png"), colour));
    error_of([&] { read("short.png"); });
    std::fputs("still here\n", stderr);
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "still here\n");
}

TEST_F(PictureFiles, what_cannot_be_read_is_named) {
    const std::string png = encoded(".png", colour), jpeg = encoded(".jpg", colour);
    temp.write("text.png", "hello");
    temp.write("empty.jpg", "");
    temp.write("short.png", png.substr(0, png.size() - 100));
    temp.write("short.jpg", jpeg.substr(0, jpeg.size() - 100));
    for (const char* name : {"text.png", "empty.jpg", "short.png", "short.jpg", "nosuch.png"})
        expect_says(error_of([&] { read(name); }), "'" + (temp / name).string() + "'");
    expect_says(error_of([&] { read("short.jpg"); }), "cut short");
    expect_says(error_of([&] { read("."); }), "is not a picture file");
    temp.write("clip.MP4", "hello");
    expect_says(error_of([&] { read("clip.MP4"); }), "use 'saccade batch'");
}

TEST_F(PictureFiles, a_header_that_claims_too_much_is_refused) {
    // 60000 x 60000 pixels in the header, and hardly any data.
    const std::string header =
        "IHDR" + big_endian(60000, 4) + big_endian(60000, 4) + std::string("\x08\x02\0\0\0", 5);
    temp.write("bomb.png", "\x89PNG\r\n\x1a\n" + big_endian(13, 4) + header +
                               big_endian(crc32(header), 4) + encoded(".png", colour).substr(33));
    expect_says(error_of([&] { read("bomb.png"); }), "too large");
}

}  // namespace
}  // namespace saccade
