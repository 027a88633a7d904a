#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "app/attention_view.h"
#include "app/frame_result.h"
#include "app/models_in_use.h"
#include "app/overlay.h"
#include "app/sources/frame_ring.h"
#include "gpu/readback.h"

namespace saccade {

struct FramePipelineOptions {
    DetectionFilter filter;
    std::optional<ImageSize> within = std::nullopt;  // of the detector's input
    uint32_t classes = 5;                            // how many likely ones are told
    AttentionChoice attention;
    bool truth = false;  // what is really there is drawn, too, where the source knows
    bool draw = true;    // frames come back with what was found drawn onto them
    // So many frames go through detector and classifier together; one where attention is looked at.
    uint32_t at_once = 1;
};

// How many frames a device does well to take at once: a GPU has more to do than one small picture
// gives it, as far as its memory goes; software Vulkan has not.
uint32_t frames_at_once(const DeviceInfo& device);

// How every frame of a source travels: written by the source into a mapped slot, looked at by the
// models, drawn on and read back, all on the device. Two frames, or two groups of frames, are on
// their way at a time, so that the device has work while the host reads what it has done, and
// others are being decoded and encoded meanwhile.
class FramePipeline {
public:
    FramePipeline(Engine& engine, ModelsInUse& models, FramePipelineOptions options);
    ~FramePipeline();  // waits for the device

    // How many slots a Reader needs for it: for two groups on their way, one that gathers, and one
    // that is decoded; for single frames two more, in the hands of who reads the results.
    size_t slots() const { return lanes_.size(); }
    // Memory for the frames of a Reader.
    MakeSlot make_slot();

    // Whether a frame can begin now, or one that is on its way has to be finished first: because
    // there are enough, or because it has another size.
    bool has_room_for(const TakenFrame& frame) const;
    void begin(TakenFrame frame);

    bool empty() const { return on_their_way_.empty(); }
    struct Finished {
        FrameResult result;
        PictureView picture;  // BGR, with what was found drawn onto it; empty without `draw`
        TakenFrame frame;     // the picture may be written over when this is gone
    };
    // Waits for the frame that began first.
    Finished finish();

    ResultLabels labels() const;

private:
    // What one frame on its way needs; there is one for each slot.
    struct Lane {
        Lane(Engine& engine, size_t index);
        size_t index;
        std::unique_ptr<Frame> frame;
        std::unique_ptr<Readback> readback;
        Commands caption, draw;
        bool recorded = false;
        Findings findings;
        Ranking ranking;
        std::optional<TakenFrame> taken;
        std::optional<Caption> said;
        double words_ms = 0;
        std::optional<AttentionView> view;
        Ticket drawn;
    };
    // Lanes next to each other whose frames the models look at together.
    struct Group {
        Group(Engine& engine, std::vector<Lane*> members);
        std::vector<Lane*> lanes;
        Commands look;
        std::vector<const Image*> images;  // that were recorded, null where there was no frame
        DetectionTaps detection_taps;
        Tap classifier_tap;
        size_t frames = 0;  // that looked at together
        Ticket looked;
    };

    void prepare(ImageSize size);
    void look();
    void record(Group& group, std::vector<const Image*> images);
    void record(Lane& lane);
    Group& group_of(const Lane& lane) { return *groups_[lane.index / options_.at_once]; }
    void begin_caption(Lane& lane);
    void finish_caption();
    void draw(Lane& lane);

    Engine& engine_;
    ModelsInUse& models_;
    FramePipelineOptions options_;
    ImageSize size_;
    std::optional<Overlay> overlay_;
    std::vector<std::unique_ptr<Lane>> lanes_;
    std::vector<std::unique_ptr<Group>> groups_;
    std::deque<Lane*> on_their_way_;
    std::vector<Lane*> gathered_;  // the last of them, which nobody has looked at yet
    Lane* being_captioned_ = nullptr;
};

}  // namespace saccade
