#pragma once

#include "app/frame/source.h"
#include "app/sources/synth/paint.h"

namespace saccade {

// The options in synth:WIDTHxHEIGHT@RATE?seed=N&objects=N&frames=N&hard; all are optional.
struct SynthOptions {
    Size size{640, 480};
    double rate = 30;
    uint64_t seed = 1;
    std::optional<uint32_t> objects;  // in every scene, at most six; none: it varies
    std::optional<uint64_t> frames;   // none: it never ends
    bool hard = false;                // twice as many objects, half of which cross the picture
};
SynthOptions parse_synth(const std::string& text, const SourceOptions& defaults = {});

// The synthetic camera: emoji that move in front of changing backdrops, with ground truth. Frame n
// of a seed is the same picture on every machine.
class Synth : public Source {
public:
    // `painters`: the number of threads that paint a frame; 0: one per core.
    explicit Synth(const std::string& text, const SourceOptions& defaults = {},
                   unsigned painters = 0);

    const SourceTraits& traits() const override { return traits_; }
    std::optional<FrameInfo> next(const GiveSlot& give) override;
    void seek(uint64_t index) override { next_ = index; }

private:
    const SynthScene& enter(uint64_t number);
    void paint(const SynthView& view, uint64_t frame, const Slot& slot);

    SynthOptions options_;
    SourceTraits traits_;
    std::vector<EmojiSprite> sprites_;
    BackdropPhotos photos_;
    uint64_t next_ = 0;

    // The current scene.
    uint64_t number_ = 0;
    std::optional<SynthScene> scene_;
    Texture backdrop_, canvas_;
    std::vector<EmojiPainter> objects_;
    Sensor sensor_;
    Painters painters_;
};

}  // namespace saccade
