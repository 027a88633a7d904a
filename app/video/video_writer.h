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

// Encodes a video file, in the container of its name's extension (.mp4, .nut): H.264 if this
// machine can encode it, else MPEG-4. The file appears under its name when it is finished, and
// replaces an earlier one only then.
//
// The same pictures make the same file, byte for byte. There are no B-frames: frames are stored in
// presentation order.
class VideoWriter {
public:
    VideoWriter(std::filesystem::path path, Size size, const VideoClock& clock);
    ~VideoWriter();  // without finish(), no file is written
    VideoWriter(const VideoWriter&) = delete;
    VideoWriter& operator=(const VideoWriter&) = delete;

    // Adds the YUV planes that the device makes, with `ticks` as pts, which must increase. A
    // picture of another size is scaled to fit. Planes with the subsampling of chroma_for() are not
    // converted.
    void write(const PlanarView& picture, int64_t ticks);
    // Adds a BGR picture of the video's size, and converts it.
    void write(const PictureView& picture, int64_t ticks);
    // The same at the clock's frame rate.
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
