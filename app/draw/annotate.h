#pragma once

#include <filesystem>
#include <memory>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "app/draw/overlay.h"
#include "gpu/transfer/readback.h"

namespace saccade {

// Draws a detector's findings onto its pictures, and reads the pictures back.
class Annotator {
public:
    Annotator(Device& device, std::vector<std::string> labels, DetectionFilter filter);

    // After the detector, in the same recording. Nothing that was recorded before may still run.
    void record(Commands& c, const Image& image, const Findings& findings);
    // Draws these from the next run on, instead of what the device chooses by one threshold.
    void mark(const std::vector<Detection>& found);
    // After that has run; it shows memory that the next run writes again.
    cv::Mat picture() const;

private:
    Device& device_;
    std::vector<std::string> labels_;
    DetectionFilter filter_;
    std::unique_ptr<Overlay> overlay_;
    std::unique_ptr<Readback> readback_;
};

}  // namespace saccade
