#include "app/picture_file.h"

#include <opencv2/imgcodecs.hpp>

#include "gpu/error.h"

namespace saccade {

PictureFile::PictureFile(const std::filesystem::path& path) : path_(path) {
    std::error_code error;
    if (!std::filesystem::exists(path, error))
        throw Error("there is no picture '" + path.string() + "'");
    if (!std::filesystem::is_regular_file(path, error))
        throw Error("'" + path.string() + "' is not a picture file");
    try {
        pixels_ = cv::imread(path.string(), cv::IMREAD_COLOR);
    } catch (const cv::Exception& e) {
        throw Error("'" + path.string() + "' cannot be read: " + e.err);
    }
    if (pixels_.empty())
        throw Error("'" + path.string() +
                    "' is no picture that can be read: it is damaged, or of an unknown format");
}

PictureView PictureFile::view() const {
    return {pixels_.data, static_cast<uint32_t>(pixels_.cols), static_cast<uint32_t>(pixels_.rows),
            static_cast<uint32_t>(pixels_.step), true};
}

}  // namespace saccade
