#pragma once

#include <cstdint>
#include <vector>

#include "app/cause/head_off.h"
#include "models/attention/tap.h"
#include "models/detector.h"

namespace saccade {

// The heads of a captioner's decoder among these, with layers as in DecoderState.
std::vector<HeadAt> heads_of_text_decoder(const HeadsOff& off, uint32_t encoder_layers);

// Switches heads off in recordings of the models. Models of which none is off have the same
// commands as ever.
class HeadSwitches {
public:
    // For the next recordings. Nothing that was recorded before may be running.
    void want(const HeadsOff& off) { off_ = off; }
    bool any() const { return !off_.empty(); }

    // Before a model is recorded with these taps; they must not outlive this.
    void attach(DetectionTaps& taps);
    void attach(Tap& tap, HeadOff::Of model);
    // Switches the heads off, after all models have been recorded; `pictures`: how many pictures
    // are in a batch. Heads that a model does not have are ignored.
    void apply(uint32_t pictures);

private:
    HeadsOff off_;
    KnockOuts encoder_, decoder_, classifier_, captioner_;
};

}  // namespace saccade
