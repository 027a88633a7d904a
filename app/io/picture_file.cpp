#include "app/io/picture_file.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <opencv2/imgcodecs.hpp>
#include <sstream>

#include "app/io/file_names.h"
#include "gpu/core/error.h"
#include "gpu/core/files.h"

namespace saccade {

namespace {

// Captures stderr while it lives, for all threads: libpng and libjpeg print their messages there,
// and OpenCV gives no access to their handlers.
class CapturedStderr {
public:
    CapturedStderr()
        : text_(::memfd_create("stderr", MFD_CLOEXEC)),
          before_(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)) {
        std::fflush(stderr);
        if (text_ >= 0 && before_ >= 0) ::dup2(text_, STDERR_FILENO);
    }
    CapturedStderr(const CapturedStderr&) = delete;
    CapturedStderr& operator=(const CapturedStderr&) = delete;
    ~CapturedStderr() {
        restore();
        if (text_ >= 0) ::close(text_);
    }

    // Ends the capture and returns the captured text.
    std::string text() {
        restore();
        std::string all;
        char piece[4096];
        for (ssize_t count; (count = ::pread(text_, piece, sizeof piece, off_t(all.size()))) > 0;)
            all.append(piece, size_t(count));
        return all;
    }

private:
    void restore() {
        if (before_ < 0) return;
        std::fflush(stderr);
        ::dup2(before_, STDERR_FILENO);
        ::close(before_);
        before_ = -1;
    }

    int text_, before_;
};

}  // namespace

PictureFile::PictureFile(const std::filesystem::path& path) : path_(path) {
    const std::string name = "'" + path.string() + "'";
    std::error_code error;
    if (!std::filesystem::exists(path, error))
        throw Error("there is no picture '" + without_secrets(path.string()) + "': check its name");
    if (!std::filesystem::is_regular_file(path, error))
        throw Error(name + " is not a picture file: name a PNG or JPEG file");
    if (::access(path.c_str(), R_OK) != 0)
        throw Error(name + " cannot be read: check its permissions");

    CapturedStderr captured;
    try {
        pixels_ = cv::imread(path.string(), cv::IMREAD_COLOR);
    } catch (const cv::Exception&) {  // imread only throws for the size
        throw Error(name + " is too large to be read: make it smaller");
    }
    std::istringstream said(captured.text());
    for (std::string line; std::getline(said, line);) {
        // The decoder fills the missing part of a JPEG with grey.
        if (line.starts_with("Premature end of JPEG"))
            throw Error(name + " is cut short: its end is missing; get the file again");
        if (line.starts_with("Corrupt JPEG data"))
            spdlog::warn("{} is damaged and may look wrong: {}", name, line);
        else
            spdlog::info("{}: {}", name, line);
    }
    if (!pixels_.empty()) return;
    if (is_video_name(path))
        throw Error(name +
                    " is a video, not a picture: use 'saccade batch' for all of its frames, or "
                    "'saccade inspect --frame N' for one");
    throw Error(name +
                " cannot be read as a picture: it is damaged, or of an unknown format; name " +
                "a PNG or JPEG file");
}

PictureView PictureFile::view() const {
    return {pixels_.data, static_cast<uint32_t>(pixels_.cols), static_cast<uint32_t>(pixels_.rows),
            static_cast<uint32_t>(pixels_.step), true};
}

void write_picture(const std::filesystem::path& path, const cv::Mat& picture, Sync sync) {
    const std::string name = "'" + path.string() + "'";
    std::vector<uchar> bytes;
    bool encoded = false;
    try {
        encoded = cv::imencode(path.extension().string(), picture, bytes);
    } catch (const cv::Exception&) {  // unknown format
    }
    if (!encoded)
        throw Error(name +
                    " cannot be written: name it .png or .jpg; the picture may also be too large "
                    "for that format");

    NewFile file(path);
    file.write(std::as_bytes(std::span(bytes)));
    file.finish(sync);
}

}  // namespace saccade
