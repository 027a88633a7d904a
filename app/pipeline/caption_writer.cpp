#include "app/pipeline/caption_writer.h"

#include <utility>

namespace saccade {

void CaptionWriter::use(Captioner* captioner) {
    if (captioner == captioner_) return;
    *this = {};
    captioner_ = captioner;
}

void CaptionWriter::stop() noexcept {
    try {
        if (asked_) captioner_->result();
    } catch (const std::exception&) {
        // The device is lost, which whoever stops this has been told.
    }
    Captioner* captioner = captioner_;
    *this = {};
    captioner_ = captioner;
}

Ticket CaptionWriter::begin(Commands& encode, const FrameInfo& frame) {
    if (!can_begin()) stop();
    const Ticket encoded = encode.submit();
    captioner_->start();
    frame_ = frame;
    ms_ = 0;
    writing_ = true;
    return encoded;
}

bool CaptionWriter::ask(uint32_t words) {
    if (!writing_ || asked_) return false;
    asked_ = true;
    captioner_->advance(words);
    return true;
}

double CaptionWriter::read() {
    asked_ = false;
    caption_ = captioner_->result();
    writing_ = !captioner_->finished();
    const double before = std::exchange(ms_, captioner_->steps_ms());
    return ms_ - before;
}

}  // namespace saccade
