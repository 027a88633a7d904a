#include "app/video/virtual_camera.h"

#include <fcntl.h>
#include <linux/videodev2.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "gpu/core/error.h"

namespace saccade {

namespace {

class SystemDevice : public VideoDevice {
public:
    int open(const char* path) override { return ::open(path, O_RDWR | O_CLOEXEC); }
    int control(int file, unsigned long request, void* argument) override {
        int result;
        do result = ::ioctl(file, request, argument);
        while (result < 0 && errno == EINTR);
        return result;
    }
    ssize_t write(int file, const void* bytes, size_t count) override {
        return ::write(file, bytes, count);
    }
    void close(int file) override { ::close(file); }
};

constexpr const char* how_to =
    "load v4l2loopback ('sudo modprobe v4l2loopback exclusive_caps=1') and name the device that it "
    "makes";

std::string four_letters(uint32_t code) {
    std::string name;
    for (int i = 0; i < 4; ++i) {
        const char c = static_cast<char>(code >> (8 * i) & 0x7f);
        name += c >= ' ' && c < 0x7f ? c : '?';
    }
    return name;
}

}  // namespace

VideoDevice& VideoDevice::of_system() {
    static SystemDevice device;
    return device;
}

VirtualCamera::VirtualCamera(const std::string& path, Size size, VideoDevice& device)
    : path_(path),
      device_(device),
      file_{device, device.open(path.c_str())},
      format_(agree(size)),
      frame_(format_.size, format_.pixels) {
    bytes_.resize(format_.bytes);
}

VirtualCamera::~VirtualCamera() = default;

void VirtualCamera::require_output() {
    if (file_.number < 0) {
        const int why = errno;
        throw Error("'" + path_ + "' cannot be opened (" + std::strerror(why) + "): " +
                    (why == EACCES  ? "its group, usually 'video', may write to it"
                     : why == EBUSY ? "another program is writing to it"
                                    : how_to));
    }
    v4l2_capability about{};
    if (device_.control(file_.number, VIDIOC_QUERYCAP, &about) != 0)
        throw Error("'" + path_ + "' is no video device: " + how_to);
    const uint32_t can =
        about.capabilities & V4L2_CAP_DEVICE_CAPS ? about.device_caps : about.capabilities;
    if (!(can & V4L2_CAP_VIDEO_OUTPUT))
        throw Error("'" + path_ + "' is a camera, which cannot be written to: " + how_to);
    if (!(can & V4L2_CAP_READWRITE))
        throw Error("'" + path_ + "' does not support write(): " + how_to);
}

VirtualCamera::Format VirtualCamera::agree(Size size) {
    require_output();
    v4l2_format format{};
    format.type = V4L2_BUF_TYPE_VIDEO_OUTPUT;
    v4l2_pix_format& pixels = format.fmt.pix;
    pixels.width = size.x;
    pixels.height = size.y;
    pixels.pixelformat = V4L2_PIX_FMT_YUV420;
    pixels.field = V4L2_FIELD_NONE;
    pixels.bytesperline = size.x;
    pixels.sizeimage = size.x * size.y * 3 / 2;
    pixels.colorspace = V4L2_COLORSPACE_SMPTE170M;
    if (device_.control(file_.number, VIDIOC_S_FMT, &format) != 0)
        throw Error("'" + path_ + "' takes no pictures of " + std::to_string(size.x) + "x" +
                    std::to_string(size.y) + ": " + std::strerror(errno));
    // The device may have changed the requested format.
    const bool planar = pixels.pixelformat == V4L2_PIX_FMT_YUV420;
    if (!planar && pixels.pixelformat != V4L2_PIX_FMT_YUYV)
        throw Error("'" + path_ + "' wants pixels as '" + four_letters(pixels.pixelformat) +
                    "', but Saccade writes YU12 and YUYV: end the program that reads it first");
    const Size agreed = even_size({pixels.width, pixels.height});
    if (area(agreed) == 0 || agreed != Size(pixels.width, pixels.height))
        throw Error("'" + path_ + "' wants pictures of " + std::to_string(pixels.width) + "x" +
                    std::to_string(pixels.height) + ", whose sides are not even");
    const size_t least = planar ? agreed.x : size_t{2} * agreed.x;
    const size_t row = std::max<size_t>(pixels.bytesperline, least);
    const size_t bytes = row * agreed.y * (planar ? 3 : 2) / 2;
    return {agreed, planar ? AV_PIX_FMT_YUV420P : AV_PIX_FMT_YUYV422, row,
            std::max<size_t>(bytes, pixels.sizeimage)};
}

bool VirtualCamera::write(const PictureView& bgr, double) {
    const AVFrame& frame = frame_.fill(bgr);
    const bool planar = format_.pixels == AV_PIX_FMT_YUV420P;
    uint8_t* to = bytes_.data();
    for (int plane = 0; plane < (planar ? 3 : 1); ++plane) {
        const size_t half = plane ? 2 : 1;
        const size_t used = planar ? format_.size.x / half : size_t{2} * format_.size.x;
        for (uint32_t y = 0; y < format_.size.y / half; ++y, to += format_.row_bytes / half)
            std::memcpy(to, frame.data[plane] + int(y) * frame.linesize[plane], used);
    }
    const ssize_t written = device_.write(file_.number, bytes_.data(), bytes_.size());
    if (written < 0 && errno != EAGAIN && errno != EINTR)
        throw Error("'" + path_ + "' takes no more pictures: " + std::strerror(errno));
    return true;
}

}  // namespace saccade
