#include "app/sources/camera.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <opencv2/core/utils/logger.hpp>

#include "app/frame/slots.h"
#include "gpu/core/error.h"

namespace saccade {

namespace {

bool is_number(const std::string& text) {
    return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Silences OpenCV's own messages, unless its environment variables ask for them.
void quieten() {
    static std::once_flag once;
    std::call_once(once, [] {
        ::setenv("OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT", "3",
                 0);  // seconds until a camera without frames times out
        if (!std::getenv("OPENCV_LOG_LEVEL"))
            cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
    });
}

}  // namespace

Camera::Camera(const std::string& text, const SourceOptions& options) {
    traits_.name = text;
    traits_.live = true;
    const std::string device = is_number(text) ? "/dev/video" + text : text;
    what_ = is_number(text) ? "camera " + text : "the camera '" + text + "'";
    std::error_code error;
    if (!std::filesystem::exists(device, error))
        throw Error("there is no " +
                    (is_number(text) ? what_ + " (" + device + ")" : "camera '" + text + "'") +
                    "; plug one in, or name another source, like synth:");
    if (::access(device.c_str(), R_OK | W_OK) != 0)
        throw Error(what_ +
                    " cannot be opened: permission denied; add yourself to the group that owns " +
                    device);
    open(device, options);
    traits_.size = announced_size();
    const double rate = capture_.get(cv::CAP_PROP_FPS);
    traits_.rate = std::isfinite(rate) && rate > 0 && rate <= 1000 ? rate : 0;
}

void Camera::open(const std::string& device, const SourceOptions& options) {
    quieten();
    bool opened = false;
    try {
        opened = capture_.open(device, cv::CAP_V4L2);
    } catch (const cv::Exception&) {
    }
    if (!opened)
        throw Error(what_ + " cannot be opened: it is in use by another program, or is no camera");

    const std::string& format = options.pixel_format;
    if (!format.empty() && format.size() != 4)
        throw Error("'" + format +
                    "' is no pixel format: name its four letters, such as MJPG or YUYV");
    if (!format.empty())
        capture_.set(cv::CAP_PROP_FOURCC,
                     cv::VideoWriter::fourcc(format[0], format[1], format[2], format[3]));
    if (options.size) {
        capture_.set(cv::CAP_PROP_FRAME_WIDTH, options.size->x);
        capture_.set(cv::CAP_PROP_FRAME_HEIGHT, options.size->y);
    }
    if (options.rate > 0) capture_.set(cv::CAP_PROP_FPS, options.rate);
}

Size Camera::announced_size() const {
    const double width = capture_.get(cv::CAP_PROP_FRAME_WIDTH);
    const double height = capture_.get(cv::CAP_PROP_FRAME_HEIGHT);
    if (!(width >= 1 && height >= 1 && width <= 65536 && height <= 65536)) return {1, 1};
    return {static_cast<uint32_t>(width), static_cast<uint32_t>(height)};
}

bool Camera::grab() try { return capture_.grab(); } catch (const cv::Exception&) {
    return false;
}

// Writes the grabbed frame into the consumer's slot. Returns its size; empty if it cannot be
// decoded.
Size Camera::retrieve(const GiveSlot& give) try {
    const Size announced = announced_size();
    const Slot slot = give(packed(announced));
    cv::Mat picture = mat_of(slot);
    if (!capture_.retrieve(picture) || picture.type() != CV_8UC3) return {};
    if (picture.data == reinterpret_cast<const uchar*>(slot.bytes)) return announced;
    return fill(give, picture);  // its size differs from the announced one
} catch (const cv::Exception&) {
    return {};
}

std::optional<FrameInfo> Camera::next(const GiveSlot& give) {
    if (!grab()) throw Error(what_ + " no longer gives frames");
    FrameInfo info = stamp_.next(traits_.name);
    info.size = retrieve(give);
    if (info.size == Size{})
        throw Error("frame " + std::to_string(info.index) + " of " + what_ + " cannot be decoded");
    return info;
}

void Camera::seek(uint64_t index) {
    if (index < stamp_.index())
        throw Error(what_ + " is live: it cannot go back to earlier frames");
    while (stamp_.index() < index && grab()) stamp_.leave_out();
}

}  // namespace saccade
