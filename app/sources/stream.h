#pragma once

#include "app/frame/live_stamp.h"
#include "app/sources/decoder.h"

namespace saccade {

// A network stream. What it gives is the present: frames can be left out, not had again, and its
// time is ours. If it fails, open_source() makes a new one.
class Stream : public Source {
public:
    Stream(const std::string& url, const SourceOptions& options);

    const SourceTraits& traits() const override { return traits_; }
    // Nothing if the other side has ended the stream.
    std::optional<FrameInfo> next(const GiveSlot& give) override;
    void seek(uint64_t index) override;

private:
    SourceTraits traits_;
    std::string what_;  // "the stream 'rtsp://...'"
    std::unique_ptr<Decoder> decoder_;
    LiveStamp stamp_;
    bool stalled_ = false;
};

}  // namespace saccade
