#include "app/video/virtual_camera.h"

#include <gtest/gtest.h>
#include <linux/videodev2.h>

#include <cerrno>
#include <functional>

#include "gpu/core/error.h"

namespace saccade {
namespace {

// Answers as v4l2loopback does.
class Loopback : public VideoDevice {
public:
    int open(const char*) override { return opens ? ++files : (errno = why, -1); }
    void close(int) override { --files; }
    int control(int, unsigned long request, void* argument) override {
        if (request == VIDIOC_QUERYCAP) {
            auto& about = *static_cast<v4l2_capability*>(argument);
            about.capabilities = capabilities | V4L2_CAP_DEVICE_CAPS;
            about.device_caps = capabilities;
            return video ? 0 : (errno = ENOTTY, -1);
        }
        if (request != VIDIOC_S_FMT) return errno = EINVAL, -1;
        auto& format = *static_cast<v4l2_format*>(argument);
        EXPECT_EQ(format.type, uint32_t{V4L2_BUF_TYPE_VIDEO_OUTPUT});
        if (change) change(format.fmt.pix);
        agreed = format.fmt.pix;
        return 0;
    }
    ssize_t write(int, const void* bytes, size_t count) override {
        if (!takes) return errno = EIO, -1;
        const auto* first = static_cast<const uint8_t*>(bytes);
        picture.assign(first, first + count);
        return static_cast<ssize_t>(count);
    }

    bool opens = true, video = true, takes = true;
    int why = ENOENT, files = 0;
    uint32_t capabilities = V4L2_CAP_VIDEO_OUTPUT | V4L2_CAP_READWRITE;
    std::function<void(v4l2_pix_format&)> change;
    v4l2_pix_format agreed{};
    std::vector<uint8_t> picture;
};

struct Red {
    Red(uint32_t width, uint32_t height) : bytes(size_t{width} * height * 3) {
        for (size_t i = 0; i < bytes.size(); i += 3) bytes[i + 2] = 255;
        view = {bytes.data(), width, height, 3 * width, true};
    }
    std::vector<uint8_t> bytes;
    PictureView view;
};

// Of red in YUV, as television has it.
constexpr int red_y = 81, red_u = 90, red_v = 240;

void expect_near(uint8_t value, int wanted) { EXPECT_NEAR(int(value), wanted, 2); }

TEST(VirtualCamera, agrees_on_planes_of_yuv_and_writes_whole_pictures) {
    Loopback device;
    {
        VirtualCamera camera("/dev/video9", {64, 48}, device);
        EXPECT_EQ(device.agreed.width, 64u);
        EXPECT_EQ(device.agreed.height, 48u);
        EXPECT_EQ(device.agreed.pixelformat, uint32_t{V4L2_PIX_FMT_YUV420});
        EXPECT_EQ(device.agreed.sizeimage, 64u * 48 * 3 / 2);
        EXPECT_TRUE(camera.write(Red(64, 48).view, 0));
    }
    EXPECT_EQ(device.files, 0) << "it is closed";
    ASSERT_EQ(device.picture.size(), size_t{64} * 48 * 3 / 2);
    expect_near(device.picture[10 * 64 + 10], red_y);
    expect_near(device.picture[64 * 48 + 5 * 32 + 5], red_u);
    expect_near(device.picture[64 * 48 + 32 * 24 + 5 * 32 + 5], red_v);
}

TEST(VirtualCamera, does_what_the_device_has_made_of_the_wish) {
    // A program already reads the device: size and pixel format stay, and rows are padded.
    Loopback device;
    device.change = [](v4l2_pix_format& format) {
        format.width = 80;
        format.height = 40;
        format.pixelformat = V4L2_PIX_FMT_YUYV;
        format.bytesperline = 192;
        format.sizeimage = 192 * 40;
    };
    VirtualCamera camera("/dev/video9", {64, 48}, device);
    camera.write(Red(40, 40).view, 0);
    ASSERT_EQ(device.picture.size(), size_t{192} * 40);
    const uint8_t* row = &device.picture[20 * 192];
    expect_near(row[2 * 40], red_y);  // Y U Y V from there on
    expect_near(row[2 * 40 + 1], red_u);
    expect_near(row[2 * 40 + 3], red_v);
    expect_near(row[2 * 5], 16);  // black beside a picture of another aspect ratio
    expect_near(row[2 * 75], 16);
}

TEST(VirtualCamera, another_size_of_pictures_is_fitted_in) {
    Loopback device;
    VirtualCamera camera("/dev/video9", {64, 48}, device);
    camera.write(Red(64, 48).view, 0);
    camera.write(Red(200, 50).view, 0);
    ASSERT_EQ(device.picture.size(), size_t{64} * 48 * 3 / 2);
    expect_near(device.picture[24 * 64 + 32], red_y);
    expect_near(device.picture[4 * 64 + 32], 16);
}

std::string refusal(Loopback& device) {
    try {
        const VirtualCamera camera("/dev/video9", {64, 48}, device);
    } catch (const Error& error) {
        EXPECT_EQ(device.files, 0) << "it is closed";
        return error.what();
    }
    return "";
}

TEST(VirtualCamera, what_takes_no_pictures_is_told_with_what_to_do) {
    auto expect = [](Loopback&& device, const char* words) {
        const std::string line = refusal(device);
        EXPECT_NE(line.find("/dev/video9"), line.npos) << line;
        EXPECT_NE(line.find(words), line.npos) << line;
        EXPECT_EQ(line.find('\n'), line.npos) << line;
    };
    Loopback missing, forbidden, file, webcam, odd, strange;
    missing.opens = forbidden.opens = false;
    expect(std::move(missing), "modprobe v4l2loopback");
    forbidden.why = EACCES;
    expect(std::move(forbidden), "'video'");
    file.video = false;
    expect(std::move(file), "is no video device");
    webcam.capabilities = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_READWRITE;
    expect(std::move(webcam), "is a camera");
    odd.change = [](v4l2_pix_format& format) { format.width = 63; };
    expect(std::move(odd), "63x48");
    strange.change = [](v4l2_pix_format& format) { format.pixelformat = V4L2_PIX_FMT_MJPEG; };
    expect(std::move(strange), "MJPG");
}

TEST(VirtualCamera, one_that_is_unplugged_is_told) {
    Loopback device;
    VirtualCamera camera("/dev/video9", {64, 48}, device);
    device.takes = false;
    EXPECT_THROW(camera.write(Red(64, 48).view, 0), Error);
}

}  // namespace
}  // namespace saccade
