#include "app/annotate.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "gpu/error.h"

namespace saccade {

namespace {

// Hues a golden ratio apart: neighbours in the list of classes look least alike.
cv::Scalar colour_of(uint32_t id) {
    const double hue = std::fmod(id * 0.6180339887, 1.0) * 6;
    auto channel = [&](double centre) {
        const double distance = std::min(std::abs(hue - centre), 6 - std::abs(hue - centre));
        return 255 * std::clamp(2 - distance, 0.0, 1.0);
    };
    return {channel(4), channel(2), channel(0)};  // blue, green, red
}

bool is_bright(const cv::Scalar& bgr) {
    return 0.114 * bgr[0] + 0.587 * bgr[1] + 0.299 * bgr[2] > 140;
}

// A box may reach far beyond the picture; OpenCV takes 16 bits or so.
int pixel(float place, int side) {
    return static_cast<int>(
        std::lround(std::clamp(place, -16.0f, static_cast<float>(side) + 16.0f)));
}

void draw(cv::Mat& picture, const Detection& found, const std::string& label) {
    for (float edge : {found.left, found.top, found.right, found.bottom})
        if (!std::isfinite(edge)) return;
    const int thickness = std::max(1, std::min(picture.cols, picture.rows) / 300);
    const double scale = 0.45 * std::max(1.0, std::min(picture.cols, picture.rows) / 500.0);
    const int font_thickness = std::max(1, thickness / 2);
    const cv::Scalar colour = colour_of(found.id);
    const cv::Point corner(pixel(found.left, picture.cols), pixel(found.top, picture.rows));
    cv::rectangle(picture, corner,
                  {pixel(found.right, picture.cols), pixel(found.bottom, picture.rows)}, colour,
                  thickness, cv::LINE_AA);

    char percent[16];
    std::snprintf(percent, sizeof percent, " %.0f%%", 100.0 * double(found.score));
    const std::string text = label + percent;
    int below = 0;
    const cv::Size size =
        cv::getTextSize(text, cv::FONT_HERSHEY_SIMPLEX, scale, font_thickness, &below);
    const int pad = thickness + 1, height = size.height + below + 2 * pad;
    // Above the box where there is room, always inside of the picture as far as it fits.
    const int left = std::clamp(corner.x, 0, std::max(0, picture.cols - size.width - 2 * pad));
    const int top = std::clamp(corner.y >= height ? corner.y - height : corner.y, 0,
                               std::max(0, picture.rows - height));
    cv::rectangle(picture, cv::Rect(left, top, size.width + 2 * pad, height), colour, cv::FILLED);
    cv::putText(picture, text, {left + pad, top + pad + size.height}, cv::FONT_HERSHEY_SIMPLEX,
                scale, is_bright(colour) ? cv::Scalar(0, 0, 0) : cv::Scalar(255, 255, 255),
                font_thickness, cv::LINE_AA);
}

}  // namespace

cv::Mat annotated(const PictureView& picture, const std::vector<Detection>& detections,
                  const std::vector<std::string>& labels) {
    const cv::Mat view(static_cast<int>(picture.height), static_cast<int>(picture.width), CV_8UC3,
                       const_cast<uint8_t*>(picture.pixels), picture.row_bytes);
    cv::Mat result;
    if (picture.bgr)
        result = view.clone();
    else
        cv::cvtColor(view, result, cv::COLOR_RGB2BGR);
    // The best last, over all others.
    for (auto found = detections.rbegin(); found != detections.rend(); ++found)
        draw(result, *found, labels[found->id]);
    return result;
}

void write_picture(const std::filesystem::path& path, const cv::Mat& picture) {
    const std::string name = "'" + path.string() + "'";
    std::vector<uchar> bytes;
    bool encoded = false;
    try {
        encoded = cv::imencode(path.extension().string(), picture, bytes);
    } catch (const cv::Exception&) {  // no such format
    }
    if (!encoded)
        throw Error(name +
                    " cannot be written: name it .png or .jpg, in a size that such files have");

    std::filesystem::path beside = path;
    beside += "." + std::to_string(::getpid()) + ".part";
    std::ofstream file(beside, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), std::streamsize(bytes.size()));
    file.close();
    std::error_code error;
    if (file) std::filesystem::rename(beside, path, error);
    if (!file || error) {
        std::error_code ignored;
        std::filesystem::remove(beside, ignored);
        throw Error(name + " cannot be written: check that the folder is there and has room");
    }
}

}  // namespace saccade
