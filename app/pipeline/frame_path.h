#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "app/frame/empty_frames.h"
#include "app/pipeline/caption_writer.h"
#include "app/pipeline/frame_lane.h"
#include "app/pipeline/frame_order.h"

namespace saccade {

class PathsTogether;

struct FramePathOptions {
    uint32_t at_once = 1;         // frames that the models see together
    size_t groups_in_flight = 2;  // groups of that many frames that may be on their way
    size_t groups = 5;            // with those that wait, are decoded, or are being read
    std::optional<Size> within = std::nullopt;  // that the detector's input is to fit into
};
// For files, where every frame counts: as many as keep this device busy.
FramePathOptions path_for_files(const DeviceInfo& device, const Models& models,
                                const FrameOrder& order);
// For a screen, where the newest frame counts: two on their way, one on screen, one that waits, one
// that is filled.
inline FramePathOptions path_for_screen() { return {}; }

// The path of a frame: a source writes it into a mapped slot of the ring; the device unpacks it,
// runs the models on it, draws what they found, and sends it to a window or back to the host.
// Several frames are on their way at a time, so that the device has work while the host reads
// results.
//
// Each slot has recordings of its own. They are recorded again when the size of frames or of the
// window, a model, or the layer whose attention is shown changes. Everything else that may change
// from frame to frame lies in mapped memory.
//
// If anything throws, the frame in question is back in its ring, and the others can be finished or
// dropped.
class FramePath {
public:
    // `together`: with the paths of other sources, which share the models. It must outlive this.
    FramePath(Engine& engine, const FramePathOptions& options, PathsTogether* together = nullptr);
    ~FramePath();

    // Runs these models from now on. They must outlive this, or be replaced first. Drops all frames
    // on their way.
    void use(const Models& models);
    // Sends pictures to a window from now on, of frames whose orders say so. It must outlive this.
    void show_in(PictureRing& window) { pictures_ = &window; }
    // Switches these heads off, and all others on, from the next frame on. Nothing may be on its
    // way.
    void switch_off(const HeadsOff& heads);
    bool heads_are_off() const { return groups_.front()->heads.any(); }
    // Records everything again, because a shader has changed. Nothing may be on its way.
    void record_anew();
    const Models& models() const { return models_; }
    ResultLabels labels() const;

    // Where sources put frames.
    FrameRing& ring() { return ring_; }

    size_t in_flight() const { return on_their_way_.size() + gathered_.size(); }
    bool empty() const { return in_flight() == 0; }
    // Whether a frame can begin now. Otherwise a frame that is on its way has to be finished first:
    // there are enough of them, or they have another size.
    bool has_room_for(const TakenFrame& frame) const;
    void begin(TakenFrame frame, FrameOrder order) { begin(std::move(frame), order, false); }
    // Draws a frame again that was shown before: a frozen frame, for another order.
    void repeat(TakenFrame frame, FrameOrder order) { begin(std::move(frame), order, true); }
    // The frame that began first, if the device is done with it.
    std::optional<Done> poll();
    // Waits for it.
    Done finish();
    // Gives all frames back. Waits for the device.
    void drop() noexcept;

    // The part of a frame that lies in a box, as an example of what to find. The frame was shown
    // before, and nothing may be on its way. The frame has to be repeated afterwards, because the
    // annotations on it are gone.
    Example example_in(Detector& detector, const TakenFrame& frame, const Rectangle& box,
                       const std::string& label);

    // A frame that was shown before, as its source gave it, without annotations.
    MaskedPicture picture_of(const TakenFrame& frame) const {
        return picture_of(*lanes_.at(frame.slot()));
    }

    const CaptionWriter& captions() const { return captions_; }

private:
    // What is drawn for a window, at the size at which it shows frames. All lanes draw onto the
    // same images, one after the other, and a copy goes to the window.
    struct WindowDrawing {
        WindowOrder size;
        Image first, second;
        std::optional<Overlay> first_overlay, second_overlay;
        bool drawn = false;
    };
    // The picture of the last frame, if it is a tile of a picture of this size.
    std::optional<PictureRing::Part> tile_of(Size all) const;

    friend class PathsTogether;

    Slot make_slot(size_t slot, const PixelLayout& layout);
    void prepare(Size size);
    void prepare_models(Size size);
    // Frames of other paths, of another size, may have been last.
    void prepare_again();
    void prepare_window(const WindowOrder& window);
    void begin(TakenFrame frame, FrameOrder& order, bool repeated);
    // The lane of a frame that begins.
    FrameLane& take(TakenFrame frame, FrameOrder& order, bool repeated);
    // Submits the frames that have gathered, for the models to see them together.
    void submit_gathered();
    // Another scene begins: nothing is drawn of what was found in the last one.
    void forget_scene();
    // Whether the host has to know the models' results before the frame can be drawn.
    bool needs_answers(const FrameLane& lane) const;
    // Whether the host draws the boxes: the device knows neither tracks nor a threshold for each
    // class.
    bool marks_boxes(const FrameOrder& order) const;
    Marks marks_for(const FrameLane& lane) const;
    // The taps of the models' run whose findings the frame shows.
    const DetectionTaps& taps_of(const FrameLane& lane) const;
    // Whether a query looks at points, which the host draws or hands on.
    bool shows_points(const FrameLane& lane) const;
    std::vector<SampledPoint> points_for(const FrameLane& lane, PointView& view,
                                         const Looker& looker,
                                         const AttentionState& attention) const;
    std::vector<Note> notes_for(const FrameOrder& order) const;
    // Of the map over a frame that leaves for a video, a picture or another program.
    std::optional<MapLegend> legend_for(const FrameLane& lane) const;
    // The layers that the models have to keep for the maps that are ordered.
    KeptLayers kept_for_maps(const FrameOrder& order);
    // Decides which models run, and records what is not recorded yet.
    void plan(LaneGroup& group, const std::vector<FrameLane*>& lanes);
    void plan_lane(FrameLane& lane);
    // The models of its group will have seen it.
    void was_submitted(FrameLane& lane);
    // Draws what is on its way, and waits for it.
    void come_to_rest();
    void plan_drawing(FrameLane& lane);
    bool plan_second(FrameLane& lane, LaneDrawing& drawing);
    void record_drawing(FrameLane& lane, const LaneDrawing& drawing);
    void record_second(Commands& c, FrameLane& lane, const LaneDrawing& drawing);
    void record_readback(Commands& c, FrameLane& lane, const ReadBack& how);
    OverlayInput drawn_from(const LaneDrawing& drawing, const AttentionView* maps,
                            const Looker& looker) const;
    Overlay& made(std::optional<Overlay>& overlay, Size image);
    // Draws a frame and writes its caption, once the models' results are there or not needed.
    void conclude(FrameLane& lane);
    void conclude_before(const LaneGroup& group);
    void track(FrameLane& lane);
    // What the models have found in the frame itself.
    FrameResult known_of(const FrameLane& lane) const;
    MaskedPicture picture_of(const FrameLane& lane) const;
    void begin_captions(LaneGroup& group);
    void write_to_end(LaneGroup& group, uint32_t words_at_once);
    void record_attention(FrameLane& lane);
    // Findings of an earlier frame are drawn faded.
    void set_freshness(const FrameLane& lane, OverlaySettings& settings) const;
    // How many of the classes that the classifier gave this frame it is sure of.
    uint32_t sure_classes(const FrameLane& lane) const;
    void draw(FrameLane& lane);
    void draw_first(FrameLane& lane);
    void draw_second(FrameLane& lane);
    void send(FrameLane& lane);
    void set_texts(FrameLane& lane, Overlay& overlay, const OverlaySettings& settings, bool truth,
                   const Marks& below);
    Done read(FrameLane& lane);
    void look_for_any(const FrameLane& lane);
    void read_second(const FrameLane& lane, Done& done) const;
    void read_words(FrameLane& lane, Done& done);
    void read_maps(FrameLane& lane, Done& done) const;
    using StageMs = std::vector<std::pair<std::string, double>>;
    void add_times(const FrameLane& lane, StageMs& ms) const;
    void drop(FrameLane& lane) noexcept;

    Engine& engine_;
    const FramePathOptions options_;
    PathsTogether* const together_;
    FrameRing ring_;  // before the lanes, whose frames go back there
    Models models_;
    Size size_;
    KeptLayers kept_;                                          // for maps that come to the host
    PatchColours detection_colours_, classification_colours_;  // carried from frame to frame
    std::optional<Overlay> overlay_;  // made when the first frame of a size is drawn
    PictureRing* pictures_ = nullptr;
    std::optional<WindowDrawing> window_;
    CaptionWriter captions_;
    std::vector<std::unique_ptr<FrameLane>> lanes_;
    std::vector<std::unique_ptr<LaneGroup>> groups_;
    std::vector<FrameLane*> gathered_;     // that wait for the rest of their group
    std::deque<FrameLane*> on_their_way_;  // that have been submitted
    const FrameLane *detected_ = nullptr, *classified_ = nullptr;  // that hold the last findings
    SourceName detected_in_;                                       // the last findings' picture,
    std::chrono::steady_clock::time_point detected_at_;            // and when it was there
    std::vector<Detection> detections_;                            // the last ones
    std::vector<ClassScore> classes_;
    std::optional<FrameResult> tracked_;  // the last one
    uint64_t scene_ = 0;                  // of the last frame
    EmptyFrames empty_;
};

// Brings every frame that `next` gives along the path, in order, and hands it to `use` at its end.
// Frames that an earlier run left on the path, because something failed, are dropped first.
void pump(FramePath& path, const FrameOrder& order,
          const std::function<std::optional<TakenFrame>()>& next,
          const std::function<void(Done)>& use);

// How fresh the findings of an earlier frame are: 1 for a second, then fading for some more. Those
// of another picture of a folder have 0.
float freshness(const SourceName& source, std::chrono::steady_clock::time_point seen,
                const FrameInfo& now);

}  // namespace saccade
