#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/video/av.h"

namespace saccade {

// Copies the audio streams of a video file, packet by packet and without decoding, into another
// file.
class Sound {
public:
    // `from`: where to start, in seconds since the file's first picture.
    Sound(const std::filesystem::path& source, double from);

    // Adds a stream for each audio stream that the muxer supports, before its header is written.
    void add_streams(AVFormatContext& to);
    // Why audio is missing; empty if none is.
    const std::string& complaint() const { return complaint_; }
    // The sample aspect ratio of the source's pictures as they are stored.
    AVRational pixel_aspect() const { return pixel_aspect_; }

    // The next packet, in the time base of its output stream; null at the end.
    AVPacket* packet() const { return at_end_ ? nullptr : packet_.get(); }
    // Its time in seconds since `from`.
    double time() const { return time_; }
    void next();

private:
    struct Stream {
        int from;
        AVStream* to;
    };

    Av<AVFormatContext> file_;
    Av<AVPacket> packet_{av_packet_alloc()};
    std::vector<Stream> streams_;
    double begin_ = 0;  // `from` in the file's timestamps
    double time_ = 0;
    bool at_end_ = true;
    std::string complaint_;
    AVRational pixel_aspect_{0, 1};
};

}  // namespace saccade
