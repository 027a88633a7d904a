#pragma once

#include "app/frame/live_stamp.h"
#include "app/sources/decoder.h"

namespace saccade {

// A network stream. It is live: frames can be skipped but not read again, and their times are by
// the machine's clock. A stream that fails is opened again by open_source().
class NetworkStream : public Source {
public:
    NetworkStream(const SourceName& url, const SourceOptions& options);

    const SourceTraits& traits() const override { return traits_; }
    // Nothing if the server has ended the stream.
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
