#include "app/annotate.h"

#include <fstream>
#include <opencv2/imgcodecs.hpp>

#include "app/file_beside.h"
#include "gpu/error.h"

namespace saccade {

Annotator::Annotator(Device& device, std::vector<std::string> labels, DetectionFilter filter)
    : device_(device), labels_(std::move(labels)), filter_(std::move(filter)) {}

void Annotator::record(Commands& c, const Image& image, const Tensor& found) {
    overlay_ = std::make_unique<Overlay>(device_, ImageSize{image.width(), image.height()},
                                         OverlayLabels{.detector = labels_});
    overlay_->settings.filter = filter_;
    overlay_->update();
    overlay_->record(c, image, {.found = found});
    readback_ = std::make_unique<Readback>(device_, image.width(), image.height(), true);
    readback_->record(c, image);
}

cv::Mat Annotator::picture() const {
    const PictureView view = readback_->picture();
    return {static_cast<int>(view.height), static_cast<int>(view.width), CV_8UC3,
            const_cast<uint8_t*>(view.pixels), view.row_bytes};
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

    FileBeside file(path);
    std::ofstream stream(file.beside(), std::ios::binary);
    stream.write(reinterpret_cast<const char*>(bytes.data()), std::streamsize(bytes.size()));
    stream.close();
    if (!stream)
        throw Error(name + " cannot be written: check that the folder is there and has room");
    file.finish();
}

}  // namespace saccade
