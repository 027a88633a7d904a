#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "app/live_attention.h"
#include "app/overlay.h"
#include "app/sources/frame_ring.h"
#include "gpu/readback.h"

namespace saccade {

// Frames on their way to the screen: unpacked, looked at by the models, drawn on, all on the
// device. Two are on their way at a time, one on a slow device; what is finished is shown. Detector
// and classifier see every frame, or every n-th, and what they found stays on screen meanwhile; the
// captioner takes one when it is done with the last, and writes a few words a frame, so that nobody
// waits for it.
//
// Each ring slot of a Capture has recordings of its own. They are made anew when the size of
// frames, a model, or the layer that is looked into changes; all else lies in mapped memory.
class LiveFrames {
public:
    // Two on their way, one on screen, one that waits, one that the capture thread fills.
    static constexpr size_t slots = 5;

    explicit LiveFrames(Engine& engine);
    ~LiveFrames();

    // Memory for the frames of a Capture.
    MakeSlot make_slot();

    // Looks with these models from now on. They must outlive this, or be changed first. Waits for
    // what is on its way.
    void use(const LiveModels& models);
    // What was recorded is recorded anew: a shader has changed.
    void record_anew();

    // A second frame keeps the device busy while the host sees to the first. Where a frame takes
    // the device long, that is nothing to gain, and the second would be twice as old when it is
    // shown.
    static constexpr double slow_ms = 250;
    static size_t most_on_their_way(double frame_ms) { return frame_ms > slow_ms ? 1 : 2; }
    bool has_room() const;
    bool idle() const { return on_their_way_.empty(); }
    void begin(TakenFrame frame, const LiveState& state);
    // The frame on screen once more, as the state wants it now: for a picture that stands still.
    // Nothing where one is on its way.
    void again(const LiveState& state);
    // True where one more frame has been finished: the one to show from now on.
    bool update();
    // Waits for the device and gives all frames back, before the Capture goes that they came from.
    // Nothing is shown then.
    void clear();

    // The frame to show, with what was found drawn onto it.
    struct Shown {
        const Image* image = nullptr;
        bool again = false;     // it was there before, and only drawn once more
        bool detected = false;  // the detector has seen this very frame
        FrameInfo info;
        std::vector<Detection> detections;  // those that are drawn
        std::vector<ClassScore> classes;
        std::vector<ScopeTime> times;  // of this frame's stages
        bool caption_ended = false;    // with this frame
        // Its pixels, BGR, where the state asked for a file when it began; until update() is true
        // again.
        PictureView picture;
    };
    const std::optional<Shown>& shown() const { return shown_; }

    const Caption& caption() const { return caption_; }
    const FrameInfo& captioned() const { return captioned_; }  // the frame that it is of
    bool writing() const { return writing_; }                  // the caption is not at its end
    std::optional<size_t> word_at(float x, float y) const;
    // How the heads of a layer lie side by side, where they do.
    std::optional<TileGrid> tiles() const;
    // What can be chosen from in what is looked into, by what a person points at.
    LookedInto choices(const LiveState& state) const;

private:
    // A ring slot's memory. The capture thread makes it, while nobody else uses the slot.
    struct Memory {
        std::unique_ptr<Frame> frame;
        bool fresh = false;  // nothing has been recorded for it
    };
    struct Lane;
    // What a drawing was recorded for.
    struct Drawing {
        const Lane *detected = nullptr, *classified = nullptr;  // whose findings it shows
        bool maps = false, read_back = false;
        bool operator==(const Drawing&) const = default;
    };
    // What the frame in a ring slot needs.
    struct Lane {
        Lane(Engine& engine, uint32_t index, const LiveModels& models);

        const uint32_t index;
        Commands upload, detect, classify, encode, draw;
        bool recorded = false;
        std::optional<Drawing> drawing;
        LiveAttention attention;
        LiveAttention::Kept kept;
        DetectionTaps detection_taps;
        Tap classifier_tap;
        Findings findings;
        Ranking ranking;
        std::unique_ptr<Readback> readback;

        std::optional<TakenFrame> taken;
        bool again = false, detected = false, classified = false;  // this time
        DetectionFilter filter;
        bool words_asked = false;    // of the caption, together with this frame
        bool caption_begun = false;  // it is of this frame
        Ticket ticket;
    };

    // When a model looks.
    struct Rate {
        Lane* last = nullptr;  // who holds what it found last
        uint32_t frames = 0;   // that came since then
    };
    // Whether it looks at this one: when its turn has come, and anew where something else of it is
    // kept, or was recorded, than is wanted now. A picture that stands still is looked at itself.
    bool is_due(Rate& rate, const LiveAttention::Kept& kept, uint32_t stride, bool new_frame) const;

    const Image& image_of(const Lane& lane) const { return memory_[lane.index].frame->image(); }
    void prepare(ImageSize size);
    void record(Lane& lane);
    void record_drawing(Lane& lane, const Drawing& drawing);
    void submit(Lane& lane, const LiveState& state, bool new_frame);
    void ask_for_words(Lane& lane, bool new_caption);
    void update_overlay(const Lane& lane, const LiveState& state, bool heat);
    void finish(Lane& lane);
    void finish_words(const Lane& lane, Shown& shown);
    void wait();
    DetectionFilter filter_of(const LiveState& state) const;

    Engine& engine_;
    LiveModels models_;
    ImageSize size_;
    std::optional<Overlay> overlay_;
    std::vector<Memory> memory_;
    std::vector<std::unique_ptr<Lane>> lanes_;
    std::deque<Lane*> on_their_way_;
    Rate detector_, classifier_;
    std::vector<Detection> detections_;  // the last ones
    std::vector<ClassScore> classes_;
    Lane* on_screen_ = nullptr;
    std::optional<Shown> shown_;
    Caption caption_;
    FrameInfo captioned_;
    double written_ms_ = 0;  // GPU time of the words that are there
    bool writing_ = false, words_on_their_way_ = false;
};

}  // namespace saccade
