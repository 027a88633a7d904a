#include "tests/gpu/ops/image_test.h"

#include "gpu/ops/pictures.h"

namespace saccade {
namespace {

class PackTest : public ImageTest {};

TEST_F(PackTest, gives_back_what_was_unpacked_in_both_orders_and_odd_sizes) {
    for (Size size : {Size{1, 1}, Size{7, 5}, Size{198, 3}, Size{2, 9}, Size{64, 48}}) {
        const Picture picture = texture(size.x, size.y);
        EXPECT_EQ(drawn(picture, [](Commands&, const Image&) {}).distance(picture), 0)
            << size.x << "x" << size.y;
        const Readback bgr(device, size.x, size.y, true);
        drawn(picture, [&](Commands& c, const Image& image) { bgr.record(c, image); });
        EXPECT_TRUE(bgr.picture().bgr);
        EXPECT_EQ(picture_of(bgr).distance(picture), 0) << size.x << "x" << size.y;
    }
}

TEST_F(PackTest, keeps_all_256_levels_of_each_channel) {
    Picture levels(256, 1);
    for (int i = 0; i < 256; ++i) levels.at(uint32_t(i), 0) = {i, 255 - i, (i + 85) % 256};
    EXPECT_EQ(drawn(levels, [](Commands&, const Image&) {}).distance(levels), 0);
}

TEST_F(PackTest, writes_some_rows_and_nothing_beside_them) {
    const Picture picture = texture(5, 9);
    const Tensor bytes = poisoned(1, 1, 3 * 4, Type::u32);  // rows of 15 bytes and a zero
    drawn(picture, [&](Commands& c, const Image& image) {
        pack(c, {.bytes = bytes, .row_bytes = 16, .first_row = 4, .rows = 3}, image);
    });
    const std::vector<uint32_t> got = words(bytes);
    for (uint32_t y = 0; y < 3; ++y)
        for (uint32_t byte = 0; byte < 16; ++byte) {
            const int want = byte < 15 ? picture.at(byte / 3, 4 + y)[byte % 3] : 0;
            EXPECT_EQ(int(got[y * 4 + byte / 4] >> (8 * (byte % 4)) & 255), want)
                << y << " " << byte;
        }
}

TEST_F(PackTest, refuses_what_does_not_fit) {
    const Image image(device, "frame", 10, 4);
    const Tensor bytes = poisoned(1, 1, 32, Type::u32);
    begin();
    pack(commands, {.bytes = bytes, .row_bytes = 32, .rows = 4}, image);
    EXPECT_THROW(pack(commands, {.bytes = bytes, .row_bytes = 30, .rows = 4}, image), Error)
        << "rows that are not words";
    EXPECT_THROW(pack(commands, {.bytes = bytes, .row_bytes = 28, .rows = 4}, image), Error)
        << "rows that overlap";
    EXPECT_THROW(pack(commands, {.bytes = bytes, .row_bytes = 36, .rows = 4}, image), Error);
    EXPECT_THROW(
        pack(commands, {.bytes = bytes, .row_bytes = 32, .first_row = 1, .rows = 4}, image), Error);
    EXPECT_THROW(Readback(device, 11, 4, false).record(commands, image), Error);
    finish();
}

}  // namespace
}  // namespace saccade
