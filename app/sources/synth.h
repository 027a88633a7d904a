#pragma once

#include "app/sources/source.h"
#include "app/sources/synth_paint.h"

namespace saccade {

// What synth:WIDTHxHEIGHT@RATE?seed=N&objects=N&frames=N says; all of it may be left out.
struct SynthOptions {
    ImageSize size{640, 480};
    double rate = 30;
    uint64_t seed = 1;
    std::optional<uint32_t> objects;  // in every scene, at most six; else it varies
    std::optional<uint64_t> frames;   // where it ends; else never
};
SynthOptions parse_synth(const std::string& text, const SourceOptions& defaults = {});

// The synthetic camera: emoji that move before one backdrop after another, with their truth. Frame
// n of a seed is the same picture whenever and wherever it is asked for.
class Synth : public Source {
public:
    explicit Synth(const std::string& text, const SourceOptions& defaults = {});

    const SourceTraits& traits() const override { return traits_; }
    std::optional<FrameInfo> next(const GiveSlot& give) override;
    void seek(uint64_t index) override { next_ = index; }

private:
    const SynthScene& enter(uint64_t number);

    SynthOptions options_;
    SourceTraits traits_;
    std::vector<EmojiSprite> sprites_;
    BackdropPhotos photos_;
    uint64_t next_ = 0;

    // The scene that is being played.
    uint64_t number_ = 0;
    std::optional<SynthScene> scene_;
    Texture backdrop_, canvas_;
    Sensor sensor_;
};

}  // namespace saccade
