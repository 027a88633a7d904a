#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "app/frame/source.h"
#include "app/video/av.h"

namespace saccade {

// Decodes the pictures of a file or a network stream with FFmpeg's libraries.
class Decoder {
public:
    struct Timeouts {
        std::chrono::milliseconds open, read;
    };
    // Null if it cannot be opened, or has no video stream that can be decoded. A stream is decoded
    // with low delay: without frame threads, which hold pictures back. `threads`: 0 for one per
    // core.
    static std::unique_ptr<Decoder> of_file(const std::string& path, int threads = 0);
    static std::unique_ptr<Decoder> of_stream(const std::string& url, const Timeouts& timeouts);

    Size size() const;    // after rotation
    double rate() const;  // frames per second; 0: unknown
    std::optional<uint64_t> pictures() const;
    // The rotation by the display matrix, in clockwise quarter turns.
    uint32_t quarter_turns() const { return quarter_turns_; }

    // Decodes the next picture; false after the last one. Undecodable packets are skipped.
    bool next();
    // The picture's pts in seconds since the stream's start; nothing if unknown.
    std::optional<double> time() const;
    // The pts of the last picture, by all packets read so far and by the container's duration.
    double last_time() const;
    // Whether reading has timed out.
    bool timed_out() const;

    // Writes the picture into the slot that `give` returns for its layout: as decoded if the device
    // supports the pixel format, else as BGR. Returns its size after rotation.
    Size write(const GiveSlot& give);

private:
    using Clock = std::chrono::steady_clock;

    Decoder() = default;
    static std::unique_ptr<Decoder> open(const std::string& where, const Timeouts* timeouts,
                                         int threads);
    bool open_codec(bool live, int threads);
    void send_packet();
    void set_timeout(std::chrono::milliseconds time) { deadline_ = Clock::now() + time; }
    Size write_packed(const GiveSlot& give);

    Av<AVFormatContext> file_;
    Av<AVCodecContext> codec_;
    Av<AVPacket> packet_{av_packet_alloc()};
    Av<AVFrame> picture_{av_frame_alloc()}, packed_;
    Av<SwsContext> to_packed_;
    AVStream* stream_ = nullptr;
    uint32_t quarter_turns_ = 0;
    double announced_ = 0, read_ = 0;  // see last_time()
    std::optional<std::chrono::milliseconds> read_timeout_;
    std::optional<Clock::time_point> deadline_;
};

}  // namespace saccade
