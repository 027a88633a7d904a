#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "app/frame/source.h"
#include "app/video/av.h"

namespace saccade {

// The pictures of a file or a network stream, by FFmpeg's libraries.
class Decoder {
public:
    // How long opening and reading may take. A stream is read for the present: no picture is held
    // back so that several can be decoded at the same time.
    struct Patience {
        std::chrono::milliseconds open, read;
    };
    // Nothing if it cannot be opened, or has no pictures that can be decoded.
    static std::unique_ptr<Decoder> of_file(const std::string& path);
    static std::unique_ptr<Decoder> of_stream(const std::string& url, const Patience& patience);

    Size size() const;  // upright
    double rate() const;     // pictures a second; 0: unknown
    std::optional<uint64_t> pictures() const;
    // How often pictures are turned clockwise by a right angle to stand upright.
    uint32_t quarter_turns() const { return quarter_turns_; }

    // Decodes the next picture; false after the last one. What cannot be decoded is left out.
    bool next();
    // When the picture is to be shown, in seconds since the stream's start; nothing: unknown.
    std::optional<double> time() const;
    // When the last picture is to be shown, by what has been read, decoded or not, and by what the
    // container announces.
    double last_time() const;
    // Whether reading has taken longer than it may.
    bool timed_out() const;

    // Writes the picture into the slot that `give` returns for its layout: as it has been decoded
    // if the device knows that layout, else as BGR. Returns its upright size.
    Size write(const GiveSlot& give);

private:
    using Clock = std::chrono::steady_clock;

    Decoder() = default;
    static std::unique_ptr<Decoder> open(const std::string& where, const Patience* patience);
    bool open_codec(bool live);
    void send_packet();
    void be_patient(std::chrono::milliseconds time) { deadline_ = Clock::now() + time; }
    Size write_packed(const GiveSlot& give);

    Av<AVFormatContext> file_;
    Av<AVCodecContext> codec_;
    Av<AVPacket> packet_{av_packet_alloc()};
    Av<AVFrame> picture_{av_frame_alloc()}, packed_;
    Av<SwsContext> to_packed_;
    AVStream* stream_ = nullptr;
    uint32_t quarter_turns_ = 0;
    double announced_ = 0, read_ = 0;  // see last_time()
    std::optional<std::chrono::milliseconds> read_patience_;
    std::optional<Clock::time_point> deadline_;
};

}  // namespace saccade
