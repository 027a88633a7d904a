#pragma once

#include "app/frame/source.h"
#include "models/captioner.h"

namespace saccade {

// Writes the captions of one group of frames at a time: to their ends at once, or a few words with
// each frame that passes, so that frames do not wait for captions.
class CaptionWriter {
public:
    // Null: no captions are written. Another captioner starts again.
    void use(Captioner* captioner);
    // Gives up what is being written. Waits for the words that are on their way.
    void stop() noexcept;

    bool can_begin() const { return captioner_ && !writing_ && !asked_; }
    // Of the pictures that `encode` has recorded into `pictures`; `frame` is the first of them.
    // Returns when the device is done with the frames.
    Ticket begin(Commands& encode, PictureGroup& pictures, const FrameInfo& frame);
    // For more words. False if some are on their way, or there is nothing to write.
    bool ask(uint32_t words);
    // Waits for the words that were asked for. Returns what they took on the device.
    double read();

    // One for each place of the group, as far as they have been read.
    const std::vector<Caption>& captions() const { return captions_; }
    // The first of them, or an empty one.
    const Caption& caption() const;
    const FrameInfo& frame() const { return frame_; }  // that it is of
    bool writing() const { return writing_; }          // not all have come to their ends

private:
    Captioner* captioner_ = nullptr;
    std::vector<Caption> captions_;
    FrameInfo frame_;
    bool writing_ = false, asked_ = false;
    double ms_ = 0;  // of all words so far
};

}  // namespace saccade
