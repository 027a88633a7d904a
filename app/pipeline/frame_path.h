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
    uint32_t at_once = 1;         // frames in one group: the models see them in one run
    size_t groups_in_flight = 2;  // groups that the device may work on at a time
    size_t groups = 5;            // all groups: in flight, waiting, being decoded, being read
    std::optional<Size> within = std::nullopt;  // the largest input of the detector
};
// For files, where every frame counts: as many frames as keep this device busy.
FramePathOptions path_for_files(const DeviceInfo& device, const Models& models,
                                const FrameOrder& order);
// For a screen, where the newest frame counts: two frames in flight, one on the screen, one that
// waits, and one that the source writes.
inline FramePathOptions path_for_screen() { return {}; }

// The path of a frame: a source writes it into a mapped slot of the ring; the device unpacks it,
// runs the models on it, draws what they found, and sends it to a window or back to the host.
// Several frames are in flight at a time, so that the device works while the host reads results.
//
// Each slot has its own command buffers. They are recorded again when the size of the frames or of
// the window, a model, or the layer whose attention is shown changes. Everything that changes from
// frame to frame lies in mapped memory.
//
// If a call throws, its frame is back in the ring, and the others can be finished or dropped.
class FramePath {
public:
    // `together`: set if several sources share the models. It must outlive this.
    FramePath(Engine& engine, const FramePathOptions& options, PathsTogether* together = nullptr);
    ~FramePath();

    // Runs these models from now on. They must live until they are replaced or this ends. Drops all
    // frames in flight.
    void use(const Models& models);
    // From now on, frames whose order says so are sent to this window. It must outlive this.
    void show_in(PictureRing& window) { pictures_ = &window; }
    // Switches these heads off and all others on, from the next frame on. No frame may be in
    // flight.
    void switch_off(const HeadsOff& heads);
    bool heads_are_off() const { return groups_.front()->heads.any(); }
    // Records everything again, because a shader has changed. No frame may be in flight.
    void record_anew();
    const Models& models() const { return models_; }
    const ResultLabels& labels() const { return *labels_; }

    // Where sources put frames.
    FrameRing& ring() { return ring_; }

    size_t in_flight() const { return on_their_way_.size() + gathered_.size(); }
    bool empty() const { return in_flight() == 0; }
    // Whether a frame can begin now. If not, a frame in flight has to be finished first: there are
    // as many as may be, or they have another size.
    bool has_room_for(const TakenFrame& frame) const;
    void begin(TakenFrame frame, FrameOrder order) { begin(std::move(frame), order, false); }
    // Draws a frame that was shown before once more, for another order: the frame is frozen, say.
    void repeat(TakenFrame frame, FrameOrder order) { begin(std::move(frame), order, true); }
    // The frame that began first, if the device is done with it.
    std::optional<Done> poll();
    // Waits for it.
    Done finish();
    // Gives all frames back. Waits for the device.
    void drop() noexcept;

    // Makes the part of a frame in a box an example of what to find. The frame must have been shown
    // before, and no frame may be in flight. Repeat it afterwards: its annotations are gone.
    Example example_in(Detector& detector, const TakenFrame& frame, const Rectangle& box,
                       const std::string& label);

    // A frame that was shown before, as its source gave it, without annotations.
    MaskedPicture picture_of(const TakenFrame& frame) const {
        return picture_of(*lanes_.at(frame.slot()));
    }

    const CaptionWriter& captions() const { return captions_; }

private:
    // The drawing for a window, at the size at which it shows frames. All lanes draw onto the same
    // images, one after the other, and a copy goes to the window.
    struct WindowDrawing {
        WindowOrder size;
        Image first, second;
        std::optional<Overlay> first_overlay, second_overlay;
        bool drawn = false;
    };
    // The last frame's picture, if it was drawn as a tile of a window of this size.
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
    // Forgets the findings of the last scene, because another one begins.
    void forget_scene();
    // Whether the host has to know the models' results before the frame can be drawn.
    bool needs_answers(const FrameLane& lane) const;
    // Whether the host draws the boxes: the device knows neither tracks nor a threshold for each
    // class.
    bool marks_boxes(const FrameOrder& order) const;
    Marks marks_for(const FrameLane& lane) const;
    // The taps of the models' run whose findings the frame shows.
    const DetectionTaps& taps_of(const FrameLane& lane) const;
    // Whether a query with deformable attention looks, whose points the host draws or hands on.
    bool shows_points(const FrameLane& lane) const;
    std::vector<SampledPoint> points_for(const FrameLane& lane, PointView& view,
                                         const Looker& looker,
                                         const AttentionState& attention) const;
    std::vector<Note> notes_for(const FrameOrder& order) const;
    // The legend of the map, for frames that leave for a video, a picture or another program.
    std::optional<MapLegend> legend_for(const FrameLane& lane) const;
    // The layers that the models have to keep for the maps that are ordered.
    KeptLayers kept_for_maps(const FrameOrder& order);
    // Decides which models run, and records what is not recorded yet.
    void plan(LaneGroup& group, const std::vector<FrameLane*>& lanes);
    void plan_lane(FrameLane& lane);
    // Notes that the models' run on its group was submitted.
    void was_submitted(FrameLane& lane);
    // Draws all frames in flight, and waits for them.
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
    // What the models have found in this very frame.
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
    std::shared_ptr<const ResultLabels> labels_ = std::make_shared<ResultLabels>();
    HeadsOff heads_off_;
    Size size_;
    KeptLayers kept_;                                          // for maps that come to the host
    PatchColours detection_colours_, classification_colours_;  // axes continue frame by frame
    std::optional<Overlay> overlay_;  // made when the first frame of a size is drawn
    PictureRing* pictures_ = nullptr;
    std::optional<WindowDrawing> window_;
    CaptionWriter captions_;
    std::vector<std::unique_ptr<FrameLane>> lanes_;
    std::vector<std::unique_ptr<LaneGroup>> groups_;
    std::vector<FrameLane*> gathered_;     // wait for the rest of their group
    std::deque<FrameLane*> on_their_way_;  // have been submitted
    const FrameLane *detected_ = nullptr, *classified_ = nullptr;  // hold the last findings
    SourceName detected_in_;                             // the picture of the last findings
    std::chrono::steady_clock::time_point detected_at_;  // when it was captured
    std::vector<Detection> detections_;                  // the last ones
    std::vector<ClassScore> classes_;                    // the last ones
    std::optional<FrameResult> tracked_;                 // the last one
    uint64_t scene_ = 0;                                 // of the last frame
    EmptyFrames empty_;
};

// Brings every frame that `next` gives along the path, in order, and hands it to `use` at its end.
// Frames that an earlier run left on the path, because something failed, are dropped first.
void pump(FramePath& path, const FrameOrder& order,
          const std::function<std::optional<TakenFrame>()>& next,
          const std::function<void(Done)>& use);

// How fresh the findings of an earlier frame are: 1 for a second, then falling to 0. Findings of
// another picture of a folder have 0 at once.
float freshness(const SourceName& source, std::chrono::steady_clock::time_point seen,
                const FrameInfo& now);

}  // namespace saccade
