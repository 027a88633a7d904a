#pragma once

#include "app/frame/source.h"
#include "models/captioner.h"

namespace saccade {

// Writes one caption at a time: all of it for one frame, or a few words with each frame that
// passes, so that nobody waits for it.
class CaptionWriter {
public:
    // Null: there is nobody to write. Another captioner begins anew.
    void use(Captioner* captioner);
    // Gives up what is being written. Waits for the words that are on their way.
    void stop() noexcept;

    bool can_begin() const { return captioner_ && !writing_ && !asked_; }
    // Of the picture that `encode` has recorded. Returns when the device is done with the picture.
    Ticket begin(Commands& encode, const FrameInfo& frame);
    // For more words. False if some are on their way, or there is nothing to write.
    bool ask(uint32_t words);
    // Waits for the words that were asked for. Returns what they took on the device.
    double read();

    // As far as it has been read.
    const Caption& caption() const { return caption_; }
    const FrameInfo& frame() const { return frame_; }  // that it is of
    bool writing() const { return writing_; }          // it has not come to its end

private:
    Captioner* captioner_ = nullptr;
    Caption caption_;
    FrameInfo frame_;
    bool writing_ = false, asked_ = false;
    double ms_ = 0;  // of all words of this caption
};

}  // namespace saccade
