#include "gpu/present/picture_ring.h"

#include <atomic>
#include <thread>

#include "gpu/present/shared_image.h"
#include "tests/gpu/ops/image_test.h"

namespace saccade {
namespace {

// The device of all tests draws. A second device on the same GPU shows, as a window's does.
class PictureRingTest : public ImageTest {
protected:
    PictureRingTest()
        : showing(device.instance(), device.instance().choose(std::to_string(device.info().index)),
                  {}),
          showing_scratch(showing, "test scratch"),
          reading(showing, showing_scratch, "test"),
          ring(PictureRing::between(device, showing)) {}

    // An image of the drawing device, whose drawing has been submitted.
    const Image& drawn_image(const Picture& picture) {
        Drawn& drawn = *drawn_.emplace_back(std::make_unique<Drawn>(device, arena, picture));
        std::vector<uint8_t> bytes;
        for (const Pixel& pixel : picture.pixels)
            for (int channel : pixel) bytes.push_back(static_cast<uint8_t>(channel));
        drawn.frame.write({bytes.data(), picture.width, picture.height, 3 * picture.width, false});
        drawn.commands.begin();
        drawn.frame.record(drawn.commands);
        drawn.commands.end();
        drawn.commands.submit();
        return drawn.frame.image();
    }
    SentPicture send(const Picture& picture) {
        const PictureRing::Part part{&drawn_image(picture), {}};
        SentPicture sent = ring->send({picture.width, picture.height}, {&part, 1});
        device.wait(sent.ticket(), "a picture");
        return sent;
    }
    // The picture that was taken, as the showing device reads it.
    Picture seen() {
        const PictureRing::Shown shown = ring->shown();
        if (shown.host) return of_host(*shown.host);
        const Readback readback(showing, shown.image->width(), shown.image->height(), false);
        reading.begin();
        readback.record(reading, *shown.image);
        reading.end();
        reading.run();
        return picture_of(readback);
    }
    static Picture of_host(const PictureView& view) {
        Picture result(view.width, view.height);
        for (uint32_t y = 0; y < view.height; ++y)
            for (uint32_t x = 0; x < view.width; ++x)
                for (size_t c = 0; c < 3; ++c)
                    result.at(x, y)[view.bgr ? 2 - c : c] =
                        view.pixels[size_t(y) * view.row_bytes + 3 * x + c];
        return result;
    }
    static Picture of_colour(uint32_t number, Size size) {
        return {size.x, size.y, {int(number % 256), int(number * 7 % 256), int(number * 31 % 256)}};
    }
    bool shares() const { return can_share_images(device, showing); }

    struct Drawn {
        Drawn(Device& device, Arena& arena, const Picture& picture)
            : frame(device, picture.width, picture.height, false),
              commands(device, arena, "drawing") {}
        Frame frame;
        Commands commands;
    };
    Device showing;
    Arena showing_scratch;
    Commands reading;
    std::vector<std::unique_ptr<Drawn>> drawn_;
    std::unique_ptr<PictureRing> ring;
};

TEST_F(PictureRingTest, pictures_arrive_bit_by_bit_and_on_a_gpu_without_the_host) {
    EXPECT_FALSE(device.is_cpu() && shares()) << "software Vulkan shares no semaphores";
    uint64_t bytes = 0;
    // Round the ring more than once, in two sizes.
    for (uint32_t i = 0; i < 3 * PictureRing::pictures; ++i) {
        Picture picture = texture(i % 5 == 4 ? 61 : 90, 40);
        picture.at(i, i) = {255, 0, int(i)};
        send(picture).publish();
        ASSERT_TRUE(ring->take());
        EXPECT_FALSE(ring->take()) << "once";
        EXPECT_EQ(ring->shown().image != nullptr, shares());
        EXPECT_EQ(seen().distance(picture), 0) << i;
        EXPECT_EQ(seen().distance(picture), 0) << "as often as the window draws it";
        bytes += uint64_t{3} * picture.width * picture.height;
    }
    EXPECT_EQ(ring->host_bytes(), shares() ? 0 : bytes);
}

TEST_F(PictureRingTest, parts_of_a_picture_lie_at_their_corners_and_black_is_between_them) {
    const Picture left = texture(30, 20), right(25, 16, {9, 80, 200});
    for (const Size& corner : {Size(34, 2), Size(40, 0)}) {
        const Size size(70, 20);
        const PictureRing::Part parts[] = {{&drawn_image(left), {}}, {&drawn_image(right), corner}};
        const SentPicture sent = ring->send(size, parts);
        device.wait(sent.ticket(), "two parts");
        sent.publish();
        ASSERT_TRUE(ring->take());
        Picture want(size.x, size.y);
        for (uint32_t y = 0; y < left.height; ++y)
            for (uint32_t x = 0; x < left.width; ++x) want.at(x, y) = left.at(x, y);
        for (uint32_t y = 0; y < right.height; ++y)
            for (uint32_t x = 0; x < right.width; ++x)
                want.at(corner.x + x, corner.y + y) = right.at(x, y);
        EXPECT_EQ(seen().distance(want), 0);
    }
}

TEST_F(PictureRingTest, the_newest_picture_wins_and_what_is_not_published_is_not_shown) {
    const Size size(8, 8);
    EXPECT_FALSE(ring->take());
    EXPECT_FALSE(ring->shown().image || ring->shown().host);
    for (uint32_t i = 1; i <= 20; ++i) send(of_colour(i, size)).publish();
    send(of_colour(21, size)).reset();
    ASSERT_TRUE(ring->take());
    EXPECT_EQ(seen().distance(of_colour(20, size)), 0);
    EXPECT_FALSE(ring->take());
    // One is shown, the others may all be in flight; one more is too many.
    std::vector<SentPicture> held;
    for (uint32_t i = 1; i < PictureRing::pictures; ++i) held.push_back(send(of_colour(i, size)));
    EXPECT_THROW((void)send(of_colour(9, size)), Error);
    held.back().publish();
    held.push_back(send(of_colour(30, size)));  // it replaces the one before
    held.front().publish();
    held.clear();
    ASSERT_TRUE(ring->take());
    EXPECT_EQ(seen().distance(of_colour(1, size)), 0) << "the last that was published";
}

TEST_F(PictureRingTest, no_picture_changes_while_it_is_shown) {
    const Size size(64, 48);
    constexpr uint32_t count = 120;
    std::atomic<bool> ended = false;
    std::jthread draws([&] {
        for (uint32_t i = 1; i <= count; ++i) {
            send(of_colour(i, size)).publish();
            drawn_.clear();
        }
        ended = true;
    });
    uint32_t last = 0, pictures = 0;
    for (bool all = false; !all;) {
        all = ended;
        if (!ring->take()) continue;
        const Picture got = seen();
        const auto number = static_cast<uint32_t>(got.at(0, 0)[0]);
        EXPECT_EQ(got.distance(of_colour(number, size)), 0) << "of two pictures at once";
        EXPECT_GT(number, last);
        last = number;
        ++pictures;
    }
    EXPECT_EQ(last, count) << "the last one is shown at last";
    EXPECT_GT(pictures, 0u);
}

}  // namespace
}  // namespace saccade
