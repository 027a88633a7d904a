#pragma once

#include "app/frame/source.h"
#include "models/captioner.h"

namespace saccade {

// Writes the captions of one group of frames at a time: whole captions at once, or a few words with
// each following frame, so that frames do not wait for captions.
class CaptionWriter {
public:
    // Null: no captions are written. A change of captioner drops what is being written.
    void use(Captioner* captioner);
    // Drops what is being written. Waits for the words that were submitted.
    void stop() noexcept;

    bool can_begin() const { return captioner_ && !writing_ && !asked_; }
    // Begins the captions of the pictures that `encode` writes into `pictures`; `frame` is the
    // first of them. The ticket tells when the device is done with the frames.
    Ticket begin(Commands& encode, PictureGroup& pictures, const FrameInfo& frame);
    // Submits more words. False if the last ones have not been read, or all captions have ended.
    bool ask(uint32_t words);
    // Waits for the words that were submitted. Returns the milliseconds they took on the device.
    double read();

    // One caption for each frame of the group, with the words read so far.
    const std::vector<Caption>& captions() const { return captions_; }
    // The first of them, or an empty one.
    const Caption& caption() const;
    const FrameInfo& frame() const { return frame_; }  // the frame it describes
    bool writing() const { return writing_; }          // some captions have not ended

private:
    Captioner* captioner_ = nullptr;
    std::vector<Caption> captions_;
    FrameInfo frame_;
    bool writing_ = false, asked_ = false;
    double ms_ = 0;  // of all words so far
};

}  // namespace saccade
