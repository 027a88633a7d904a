#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/cause/head_switches.h"
#include "app/pipeline/attention_view.h"
#include "app/pipeline/frame_order.h"
#include "app/pipeline/point_view.h"
#include "gpu/transfer/download.h"
#include "gpu/transfer/readback.h"

namespace saccade {

struct LaneGroup;

struct FrameLane;
// What a drawing depends on: if any of it differs, the drawing is recorded again.
struct LaneDrawing {
    const FrameLane *detected = nullptr, *classified = nullptr;  // whose findings it shows
    bool maps = false;
    bool points = false;  // dots or cells may lie over the frame, too
    bool on_frame = true;
    ReadBack read_back;
    std::optional<WindowOrder> window;
    enum class Second { none, bare, drawn, with_maps } second = Second::none;
    bool operator==(const LaneDrawing&) const = default;
};

// A map of attention on its way to the host.
struct LaneMap {
    explicit LaneMap(Engine& engine) : view(engine), points(engine) {}

    AttentionView view;
    Download download;
    PointView points;
    std::vector<SampledPoint> sampled;  // by a query, if it looks at points
    double record_ms = 0;
};

// The second view of a frame.
struct LaneSecond {
    explicit LaneSecond(Engine& engine) : attention(engine), points(engine) {}

    AttentionView attention;
    PointView points;
    std::optional<TileGrid> tiles;  // this time
};

// The resources of one frame on its way. There is one lane for each slot of the ring.
struct FrameLane {
    FrameLane(Engine& engine, uint32_t number);

    const uint32_t index;
    LaneGroup* group = nullptr;  // whose run of the models the frame is in
    LaneGroup* home = nullptr;   // the group of its own path

    // The slot's memory. The thread that fills the ring makes it, while no other uses the slot.
    std::unique_ptr<Frame> memory;
    bool fresh = false;  // nothing has been recorded for it

    std::vector<std::unique_ptr<Commands>> drawn;  // first the map of attention, then the drawing
    Commands& attention_commands() { return *drawn[0]; }
    Commands& draw_commands() { return *drawn[1]; }
    std::optional<LaneDrawing> drawing;
    AttentionView attention;
    PointView points;
    std::vector<std::unique_ptr<LaneMap>> maps;  // as many as were ordered at a time
    std::unique_ptr<LaneSecond> second;          // while it is ordered
    Findings findings;
    Ranking ranking;
    std::unique_ptr<Readback> pixels;
    std::unique_ptr<PlanarReadback> planes;

    // This time.
    std::optional<TakenFrame> taken;
    FrameOrder order;
    bool repeated = false;
    bool awaits_models = false;  // none has looked at the frame yet
    bool first_look = false;     // they do so for the first time
    // Findings of this frame, or of an earlier one of the same scene.
    bool has_detections = false, has_classes = false;
    bool own_detections = false, own_classes = false;  // the findings are of this very frame
    bool heat = false, second_heat = false;            // the map of attention is shown
    bool concluded = false;                            // drawn: nothing is left to do but wait
    bool words_asked = false;                          // of the caption, together with this frame
    std::optional<Caption> caption;
    std::optional<FrameMeter> meter;
    std::optional<FrameResult> tracked;  // what the tracker made of this frame
    Observations observed;               // and what it was told
    double words_ms = 0;
    std::vector<Rectangle> words;
    std::optional<TileGrid> tiles;
    SentPicture sent;
    Ticket ticket;  // when the device is done with it, as far as has been submitted

    // Lets go of the frame. The device must be done with it.
    void release();
};

// Lanes whose frames the models see together: those next to each other of a path, or, for
// PathsTogether, those of several paths.
struct LaneGroup {
    LaneGroup(Engine& engine, std::vector<FrameLane*> members);

    std::vector<FrameLane*> lanes;
    std::vector<std::unique_ptr<Commands>> models;  // upload, detector, classifier
    enum Part { upload, detect, classify };
    Commands encode;        // for the captioner
    PictureGroup pictures;  // as that sees them
    KeptLayers kept;
    DetectionTaps detection_taps;
    Tap classification_tap;
    HeadSwitches heads;                // that are off while the models run
    std::vector<const Image*> images;  // that were recorded, null if there was no frame; or empty

    // This time.
    size_t frames = 0;
    bool detected = false, classified = false;
    bool has_detections = false, has_classes = false;  // what was recorded has run
    bool caption_begun = false;                        // of these frames
    std::vector<Caption> captions;                     // that have been written to their ends
    double words_ms = 0;                               // that those took
    Ticket seen;  // when the models are done, as far as has been submitted

    // Keeps these layers from the next recording on. No map of the old ones may be on its way.
    void keep(const KeptLayers& layers);
    void record(const Models& with, std::vector<const Image*> frame_images);
    void forget_recording() {
        images.clear();
        has_detections = has_classes = false;
    }
    // So many frames begin.
    void begin(size_t count);
    // What was submitted counts as run: later submissions come after it.
    void have_run() {
        has_detections = has_detections || detected;
        has_classes = has_classes || classified;
    }
    // Submits the parts that these frames need, in one submission where possible.
    void submit();
};

}  // namespace saccade
