#pragma once

#include <filesystem>
#include <memory>

#include "app/video/video_clock.h"
#include "gpu/core/files.h"
#include "gpu/transfer/frame.h"
#include "gpu/transfer/planes.h"
#include "models/picture/preprocessor.h"

struct AVFrame;

namespace saccade {

// A video file in the container that its name's ending says (.mp4, .nut): H.264 where this machine
// can write it, else MPEG-4. It appears under its name when it is finished; until then, and where
// it never is, under that name there is what was there.
//
// The same pictures make the same file, to the byte. Frames are stored in the order in which they
// are shown.
class VideoWriter {
public:
    VideoWriter(std::filesystem::path path, Size size, const VideoClock& clock);
    ~VideoWriter();  // without finish() there is no file
    VideoWriter(const VideoWriter&) = delete;
    VideoWriter& operator=(const VideoWriter&) = delete;

    // Planes as the device makes them, shown from a tick of the clock on, which must be later than
    // the one before. A picture of another size is made as large as fits. The colours should be
    // those of chroma_for(), which the encoder takes as they are.
    void write(const PlanarView& picture, int64_t ticks);
    // BGR of the video's size, which is converted first.
    void write(const PictureView& picture, int64_t ticks);
    // One frame after the other, at the clock's rate.
    void write(const PlanarView& picture) { write(picture, next_ticks_); }
    void write(const PictureView& picture) { write(picture, next_ticks_); }
    void finish();

    uint64_t frames() const { return frames_; }
    const std::filesystem::path& path() const { return file_.path(); }

private:
    struct Encoder;

    AVFrame& writable_frame();
    void show_from(int64_t ticks);
    void encode(const AVFrame* frame);
    void check(int code) const;

    FileBeside file_;
    Size size_;
    VideoClock clock_;
    std::unique_ptr<Encoder> encoder_;
    uint64_t frames_ = 0;
    int64_t next_ticks_ = 0;
};

}  // namespace saccade
