#include "app/cause/head_switches.h"

#include <algorithm>

namespace saccade {

namespace {

bool has(const HeadsOff& off, HeadOff::Of model) {
    return std::ranges::any_of(off, [&](const HeadOff& one) { return one.of == model; });
}

void switch_off(KnockOuts& part, uint32_t pictures, uint32_t layer, uint32_t head) {
    const std::map<uint32_t, uint32_t> heads = part.heads();
    const auto found = heads.find(layer);
    if (found == heads.end() || head >= found->second) return;
    for (uint32_t i = 0; i < pictures; ++i) part.switch_off(i, layer, head);
}

}  // namespace

std::vector<HeadAt> heads_of_text_decoder(const HeadsOff& off, uint32_t encoder_layers) {
    std::vector<HeadAt> heads;
    for (const HeadOff& one : off)
        if (one.of == HeadOff::Of::captioner && one.layer >= encoder_layers)
            heads.push_back({one.layer - encoder_layers, one.head});
    return heads;
}

void HeadSwitches::attach(DetectionTaps& taps) {
    const bool any = has(off_, HeadOff::Of::detector);
    taps.encoder.knock_out(any ? &encoder_ : nullptr);
    taps.decoder.knock_out(any ? &decoder_ : nullptr);
}

void HeadSwitches::attach(Tap& tap, HeadOff::Of model) {
    KnockOuts& part = model == HeadOff::Of::classifier ? classifier_ : captioner_;
    tap.knock_out(has(off_, model) ? &part : nullptr);
}

void HeadSwitches::apply(uint32_t pictures) {
    for (KnockOuts* part : {&encoder_, &decoder_, &classifier_, &captioner_}) part->switch_all_on();
    const auto layers = static_cast<uint32_t>(encoder_.heads().size());
    for (const HeadOff& one : off_) {
        if (one.of == HeadOff::Of::classifier)
            switch_off(classifier_, pictures, one.layer, one.head);
        else if (one.of == HeadOff::Of::captioner)
            switch_off(captioner_, pictures, one.layer, one.head);
        else if (one.layer < layers)
            switch_off(encoder_, pictures, one.layer, one.head);
        else
            switch_off(decoder_, pictures, one.layer - layers, one.head);
    }
}

}  // namespace saccade
