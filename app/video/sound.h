#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/video/av.h"

namespace saccade {

// The sound of a video file, packet by packet and as it is stored there, for another file that
// shows its pictures.
class Sound {
public:
    // From a time on, in seconds since the file's first picture.
    Sound(const std::filesystem::path& source, double from);

    // Adds a stream for each that the container can hold, before its header is written.
    void add_streams(AVFormatContext& to);
    // Why there is less sound than there should be; empty where all is well.
    const std::string& complaint() const { return complaint_; }
    // How much wider than high the source's pixels are, as they are stored.
    AVRational pixel_aspect() const { return pixel_aspect_; }

    // The next packet, in the time of the stream that it goes to; null at the end.
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
    double begin_ = 0;  // of what is wanted, by the file's own clock
    double time_ = 0;
    bool at_end_ = true;
    std::string complaint_;
    AVRational pixel_aspect_{0, 1};
};

}  // namespace saccade
