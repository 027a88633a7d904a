#include "app/sources/open_cv.h"

#include <cmath>
#include <cstdlib>
#include <mutex>
#include <opencv2/core/utils/logger.hpp>

#include "app/sources/slots.h"
#include "gpu/error.h"

namespace saccade {

namespace {

// People read our lines alone, unless they ask OpenCV for its own by its environment variables.
void quieten() {
    static std::once_flag once;
    std::call_once(once, [] {
        ::setenv("OPENCV_FFMPEG_LOGLEVEL", "-8", 0);
        ::setenv("OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT", "3",
                 0);  // seconds that a camera may be still
        if (!std::getenv("OPENCV_LOG_LEVEL"))
            cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
    });
}

}  // namespace

bool open_video(cv::VideoCapture& capture, const std::string& where, int backend,
                const SourceOptions& options) {
    quieten();
    std::vector<int> parameters;
    if (backend == cv::CAP_FFMPEG)
        parameters = {
            cv::CAP_PROP_OPEN_TIMEOUT_MSEC, static_cast<int>(options.open_timeout.count()),
            cv::CAP_PROP_READ_TIMEOUT_MSEC, static_cast<int>(options.read_timeout.count())};
    try {
        if (!capture.open(where, backend, parameters)) return false;
        // Some versions of OpenCV turn pictures the wrong way.
        if (backend == cv::CAP_FFMPEG) capture.set(cv::CAP_PROP_ORIENTATION_AUTO, 0);
        return true;
    } catch (const cv::Exception&) {
        return false;
    }
}

bool grab(cv::VideoCapture& capture) {
    try {
        return capture.grab();
    } catch (const cv::Exception&) {
        return false;
    }
}

ImageSize retrieve(cv::VideoCapture& capture, const GiveSlot& give, int quarter_turns) try {
    if (quarter_turns == 0) {
        const Slot slot = give(size_of(capture));
        cv::Mat picture = mat_of(slot);
        if (!capture.retrieve(picture) || picture.type() != CV_8UC3) return {};
        if (picture.data == reinterpret_cast<const uchar*>(slot.pixels)) return slot.size;
        return fill(give, picture);  // of another size than was announced
    }
    cv::Mat lying, upright;
    if (!capture.retrieve(lying) || lying.type() != CV_8UC3) return {};
    constexpr int codes[] = {cv::ROTATE_90_CLOCKWISE, cv::ROTATE_180,
                             cv::ROTATE_90_COUNTERCLOCKWISE};
    cv::rotate(lying, upright, codes[quarter_turns - 1]);
    return fill(give, upright);
} catch (const cv::Exception&) {
    return {};
}

ImageSize size_of(const cv::VideoCapture& capture) {
    const double width = capture.get(cv::CAP_PROP_FRAME_WIDTH);
    const double height = capture.get(cv::CAP_PROP_FRAME_HEIGHT);
    if (!(width >= 1 && height >= 1 && width <= 65536 && height <= 65536)) return {1, 1};
    return {static_cast<uint32_t>(width), static_cast<uint32_t>(height)};
}

double rate_of(const cv::VideoCapture& capture) {
    const double rate = capture.get(cv::CAP_PROP_FPS);
    return std::isfinite(rate) && rate > 0 && rate <= 1000 ? rate : 0;
}

}  // namespace saccade
