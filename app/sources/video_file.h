#pragma once

#include <filesystem>

#include "app/frame/source.h"
#include "app/io/file_names.h"
#include "app/sources/decoder.h"

namespace saccade {

// A video file, frame by frame, rotated upright. Frames are counted by decoding, because
// containers' indices and frame counts are not exact; so seeking decodes from the start, or from
// the current frame.
class VideoFile : public Source {
public:
    explicit VideoFile(const std::filesystem::path& path);
    // The traits alone, without the threads and the memory that decoding takes.
    static SourceTraits traits_of(const std::filesystem::path& path);

    const SourceTraits& traits() const override { return traits_; }
    std::optional<FrameInfo> next(const GiveSlot& give) override;
    void seek(uint64_t index) override;

private:
    VideoFile(const std::filesystem::path& path, int threads);
    void open();
    bool decode_next();
    double next_time() const;
    double usual_step() const;  // seconds between two frames, by the container's frame rate
    void check_end();

    const std::filesystem::path path_;
    SourceTraits traits_;
    int threads_;
    std::unique_ptr<Decoder> decoder_;
    uint64_t next_ = 0;
    double time_ = 0;  // of the frame before next_
    double step_ = 0;  // between the last two frames
    bool checked_ = false;
};

}  // namespace saccade
