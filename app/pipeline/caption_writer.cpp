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
        if (asked_) captioner_->results();
    } catch (const std::exception&) {
        // The device is lost, and the caller was told.
    }
    Captioner* captioner = captioner_;
    *this = {};
    captioner_ = captioner;
}

Ticket CaptionWriter::begin(Commands& encode, PictureGroup& pictures, const FrameInfo& frame) {
    if (!can_begin()) stop();
    const Ticket encoded = encode.submit();
    captioner_->start(pictures);
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

const Caption& CaptionWriter::caption() const {
    static const Caption none;
    return captions_.empty() ? none : captions_.front();
}

double CaptionWriter::read() {
    asked_ = false;
    captions_ = captioner_->results();
    writing_ = !captioner_->finished();
    const double before = std::exchange(ms_, captioner_->steps_ms());
    return ms_ - before;
}

}  // namespace saccade
