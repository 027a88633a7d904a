#pragma once

#include <filesystem>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "gpu/frame.h"
#include "models/detector.h"

namespace saccade {

// A copy of the picture with a box around each detection, its label and score above. A class has
// the same colour in every picture.
cv::Mat annotated(const PictureView& picture, const std::vector<Detection>& detections,
                  const std::vector<std::string>& labels);

// Writes a picture in the format that the name's ending says. It appears under that name only when
// it is whole.
void write_picture(const std::filesystem::path& path, const cv::Mat& picture);

}  // namespace saccade
