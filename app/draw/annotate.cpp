#include "app/draw/annotate.h"

#include "app/draw/track_marks.h"

namespace saccade {

Annotator::Annotator(Device& device, std::vector<std::string> labels, DetectionFilter filter)
    : device_(device), labels_(std::move(labels)), filter_(std::move(filter)) {}

void Annotator::record(Commands& c, const Image& image, const Findings& findings) {
    overlay_ = std::make_unique<Overlay>(device_, Size{image.width(), image.height()},
                                         OverlayLabels{.detector = labels_});
    overlay_->settings.filter = filter_;
    overlay_->update();
    overlay_->record(c, image,
                     {.found = findings.found(),
                      .masks = {findings.masks(), findings.masked(), findings.mask_size()}});
    readback_ = std::make_unique<Readback>(device_, image.width(), image.height(), true);
    readback_->record(c, image);
}

void Annotator::mark(const std::vector<Detection>& found) {
    overlay_->settings.boxes = false;
    overlay_->set_marks(marks_of(found, labels_, std::nullopt));
    overlay_->update();
}

cv::Mat Annotator::picture() const {
    const PictureView view = readback_->picture();
    return {static_cast<int>(view.height), static_cast<int>(view.width), CV_8UC3,
            const_cast<uint8_t*>(view.pixels), view.row_bytes};
}

}  // namespace saccade
