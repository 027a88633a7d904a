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

    // Records the drawing after the detector, in the same commands. No earlier recording may still
    // be running.
    void record(Commands& c, const Image& image, const Findings& findings);
    // From the next run on, draws these detections instead of those above the threshold.
    void mark(const std::vector<Detection>& found);
    // The annotated picture, after a run. It refers to memory that the next run overwrites.
    cv::Mat picture() const;

private:
    Device& device_;
    std::vector<std::string> labels_;
    DetectionFilter filter_;
    std::unique_ptr<Overlay> overlay_;
    std::unique_ptr<Readback> readback_;
};

}  // namespace saccade
