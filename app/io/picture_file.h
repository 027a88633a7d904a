#pragma once

#include <filesystem>
#include <opencv2/core.hpp>

#include "gpu/core/files.h"
#include "gpu/transfer/frame.h"

namespace saccade {

// A picture from a file, as 8-bit BGR: grey, palette, RGBA and 16-bit pictures are converted, and
// rotated by their EXIF orientation.
class PictureFile {
public:
    explicit PictureFile(const std::filesystem::path& path);

    PictureView view() const;
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
    cv::Mat pixels_;
};

// Writes a picture in the format of the name's extension. The file appears under its name only when
// it is complete.
void write_picture(const std::filesystem::path& path, const cv::Mat& picture, Sync sync = Sync::no);

}  // namespace saccade
