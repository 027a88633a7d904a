#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "app/pipeline/caption_writer.h"
#include "app/pipeline/frame_lane.h"
#include "app/pipeline/frame_order.h"

namespace saccade {

struct FramePathOptions {
    uint32_t at_once = 1;         // frames that the models see together
    size_t groups_in_flight = 2;  // groups of that many frames that may be on their way
    size_t groups = 5;            // with those that wait, are decoded, or are being read
    std::optional<Size> within = std::nullopt;  // that the detector's input is to fit into
    bool to_screen = false;                     // others read finished frames on the device
};
// For files, where every frame counts: as many as keep this device busy.
FramePathOptions path_for_files(const DeviceInfo& device, const Models& models,
                                const FrameOrder& order);
// For a screen, where the newest frame counts: two on their way, one on screen, one that waits, one
// that is filled.
FramePathOptions path_for_screen();

// How a frame travels: written by a source into a mapped slot of the ring, unpacked, seen by the
// models, drawn on and read back, all on the device. Several are on their way, so that the device
// has work while the host reads what it has done.
//
// Each slot has recordings of its own. They are made anew when the size of frames, a model, or the
// layer that is looked into changes; all else lies in mapped memory.
//
// If anything throws, the frame in question is back in its ring, and the others can be finished or
// dropped.
class FramePath {
public:
    FramePath(Engine& engine, const FramePathOptions& options);
    ~FramePath() { drop(); }

    // Sees with these models from now on. They must outlive this, or be changed first. Drops what
    // is on its way.
    void use(const Models& models);
    // What was recorded is recorded anew: a shader has changed. Nothing may be on its way.
    void record_anew();
    const Models& models() const { return models_; }
    ResultLabels labels() const;

    // Where sources put frames.
    FrameRing& ring() { return ring_; }

    size_t in_flight() const { return on_their_way_.size() + gathered_.size(); }
    bool empty() const { return in_flight() == 0; }
    // Whether a frame can begin now, or one that is on its way has to be finished first: because
    // there are enough, or because it has another size.
    bool has_room_for(const TakenFrame& frame) const;
    void begin(TakenFrame frame, FrameOrder order) { begin(std::move(frame), order, false); }
    // One that has been here before: the frozen frame, as it is wanted now.
    void repeat(TakenFrame frame, FrameOrder order) { begin(std::move(frame), order, true); }
    // The frame that began first, if the device is done with it.
    std::optional<Done> poll();
    // Waits for it.
    Done finish();
    // Gives all frames back. Waits for the device.
    void drop() noexcept;

    // What lies in a box of a frame that has been here before, to find more like it. Nothing may be on
    // its way; the frame is to be repeated, because what was drawn onto it is gone.
    Example example_in(Detector& detector, const TakenFrame& frame, const Rectangle& box,
                       const std::string& label);

    const CaptionWriter& captions() const { return captions_; }

private:
    Slot make_slot(size_t slot, const PixelLayout& layout);
    void prepare(Size size);
    void begin(TakenFrame frame, FrameOrder& order, bool repeated);
    // What has gathered goes to the device together.
    void submit_gathered();
    // Whether the host has to know what the models found before the frame can be drawn.
    bool needs_answers(const FrameLane& lane) const;
    // Whether the host draws the boxes: the device knows neither tracks nor a threshold for each
    // class.
    bool marks_boxes(const FrameOrder& order) const;
    Marks marks_for(const FrameLane& lane) const;
    // What was kept of the models' run whose findings the frame shows.
    const DetectionTaps& taps_of(const FrameLane& lane) const;
    // Whether a query looks at points, which the host draws or hands on.
    bool shows_points(const FrameLane& lane) const;
    std::vector<SampledPoint> points_for(const FrameLane& lane, PointView& view,
                                         const Looker& looker,
                                         const AttentionState& attention) const;
    std::vector<Note> notes_for(const FrameOrder& order) const;
    // What the models have to keep for the maps that are asked for.
    KeptLayers kept_for_maps(const FrameOrder& order);
    // Decides what the models have to do, and records what is not recorded yet.
    void plan(LaneGroup& group, const std::vector<FrameLane*>& lanes);
    void plan_drawing(FrameLane& lane);
    void record_drawing(FrameLane& lane, const LaneDrawing& drawing);
    OverlayInput drawn_from(const LaneDrawing& drawing, const AttentionView* maps,
                            const Looker& looker) const;
    Overlay& made(std::optional<Overlay>& overlay);
    // The second view: what it needs, before anything is drawn; and then.
    bool plan_second(FrameLane& lane, LaneDrawing& drawing);
    void copy_second(Commands& c, FrameLane& lane, const LaneDrawing& drawing);
    void record_second(Commands& c, FrameLane& lane, const LaneDrawing& drawing);
    void read_second(FrameLane& lane, Done& done) const;
    // What is left when the models are done, or when nobody has to wait for them: words and
    // drawing.
    void conclude(FrameLane& lane);
    void conclude_before(const LaneGroup& group);
    void track(FrameLane& lane);
    void begin_captions(LaneGroup& group);
    void write_to_end(LaneGroup& group, uint32_t words_at_once);
    void record_attention(FrameLane& lane);
    // Of what is drawn, what is of an earlier frame looks old.
    void set_freshness(const FrameLane& lane, OverlaySettings& settings) const;
    // Of the classes that the classifier gave this frame, those that it is sure of.
    uint32_t sure_classes(const FrameLane& lane) const;
    void draw(FrameLane& lane);
    void set_texts(FrameLane& lane, Overlay& overlay, const OverlaySettings& settings, bool truth,
                   std::vector<Marks::Dot> dots);
    Done read(FrameLane& lane);
    void read_words(FrameLane& lane, Done& done);
    void read_maps(FrameLane& lane, Done& done) const;
    using StageMs = std::vector<std::pair<std::string, double>>;
    void add_times(const FrameLane& lane, StageMs& ms) const;
    void drop(FrameLane& lane) noexcept;

    Engine& engine_;
    const FramePathOptions options_;
    FrameRing ring_;  // before the lanes, whose frames go back there
    Models models_;
    Size size_;
    KeptLayers kept_;                 // for maps that come to the host
    PatchColours detection_colours_, classification_colours_;  // carried from frame to frame
    std::optional<Overlay> overlay_;  // made when the first frame of a size is drawn
    std::optional<Overlay> second_overlay_;
    CaptionWriter captions_;
    std::vector<std::unique_ptr<FrameLane>> lanes_;
    std::vector<std::unique_ptr<LaneGroup>> groups_;
    std::vector<FrameLane*> gathered_;     // that wait for the rest of their group
    std::deque<FrameLane*> on_their_way_;  // that have been submitted
    const FrameLane *detected_ = nullptr, *classified_ = nullptr;  // who holds the last findings
    std::string detected_in_;                                      // the last findings' picture,
    std::chrono::steady_clock::time_point detected_at_;            // and when it was there
    std::vector<Detection> detections_;                  // the last ones
    std::vector<ClassScore> classes_;
    std::optional<FrameResult> tracked_;  // the last one
};

// What was seen in another frame, how fresh it is now: 1 for a second, then fading for some more.
// Of another picture of a folder, it is 0.
float freshness(const std::string& source, std::chrono::steady_clock::time_point seen,
                const FrameInfo& now);

}  // namespace saccade
