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
// What a recorded drawing depends on: if any of it changes, the drawing is recorded again.
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
    std::optional<TileGrid> tiles;  // of the current frame
};

// The resources of one frame in flight. There is one lane for each slot of the ring.
struct FrameLane {
    FrameLane(Engine& engine, uint32_t number);

    const uint32_t index;
    LaneGroup* group = nullptr;  // the frames that the models see in the same run
    LaneGroup* home = nullptr;   // the group among the lanes of its own path

    // The slot's memory. The thread that fills the ring makes it, while no other uses the slot.
    std::unique_ptr<Frame> memory;
    bool fresh = false;  // the memory is new: nothing has been recorded for it

    std::vector<std::unique_ptr<Commands>> drawn;  // first the map of attention, then the drawing
    Commands& attention_commands() { return *drawn[0]; }
    Commands& draw_commands() { return *drawn[1]; }
    std::optional<LaneDrawing> drawing;
    AttentionView attention;
    PointView points;
    std::vector<std::unique_ptr<LaneMap>> maps;  // the most that one frame was asked for
    std::unique_ptr<LaneSecond> second;          // null while one view is shown
    Findings findings;
    Ranking ranking;
    std::unique_ptr<Readback> pixels;
    std::unique_ptr<PlanarReadback> planes;

    // ---- of the current frame
    std::optional<TakenFrame> taken;
    FrameOrder order;
    bool repeated = false;
    bool awaits_models = false;  // it is shown before any model has seen it
    bool first_look = false;     // the models see it for the first time
    // There are findings to draw: of this frame, or of an earlier one of the same scene.
    bool has_detections = false, has_classes = false;
    bool own_detections = false, own_classes = false;  // the findings are of this very frame
    bool heat = false, second_heat = false;            // the map of attention is shown
    bool concluded = false;                            // its drawing has been submitted
    bool words_asked = false;                          // words were submitted together with it
    std::optional<Caption> caption;
    std::optional<FrameMeter> meter;
    std::optional<FrameResult> tracked;  // the frame's detections with their tracks
    Observations observed;               // the detections that the tracker was given
    double words_ms = 0;
    std::vector<Rectangle> words;
    std::optional<TileGrid> tiles;
    SentPicture sent;
    Ticket ticket;  // the last submission for this frame

    // Returns the frame to its ring. The device must be done with it.
    void release();
};

// Lanes whose frames the models see in one run: consecutive frames of one path, or, for
// PathsTogether, the newest frames of several paths.
struct LaneGroup {
    LaneGroup(Engine& engine, std::vector<FrameLane*> members);

    std::vector<FrameLane*> lanes;
    std::vector<std::unique_ptr<Commands>> models;  // upload, detector, classifier
    enum Part { upload, detect, classify };
    Commands encode;        // the captioner's encoder
    PictureGroup pictures;  // the frames as the captioner takes them
    KeptLayers kept;
    DetectionTaps detection_taps;
    Tap classification_tap;
    HeadSwitches heads;                // the heads that are switched off
    std::vector<const Image*> images;  // of the recording; null for a place without a frame

    // ---- of the current frames
    size_t frames = 0;
    bool detected = false, classified = false;         // the model runs on these frames
    bool has_detections = false, has_classes = false;  // the recording has run at least once
    bool caption_begun = false;                        // a caption of these frames was begun
    std::vector<Caption> captions;                     // those that have ended
    double words_ms = 0;                               // the time on the device that they took
    Ticket seen;                                       // the models' submission

    // Keeps the attention of these layers from the next recording on. No map of layers that were
    // kept before may still be computed.
    void keep(const KeptLayers& layers);
    void record(const Models& with, std::vector<const Image*> frame_images);
    void forget_recording() {
        images.clear();
        has_detections = has_classes = false;
    }
    void begin(size_t count);  // this many frames
    // Counts what was submitted as run: the queue runs submissions in order.
    void have_run() {
        has_detections = has_detections || detected;
        has_classes = has_classes || classified;
    }
    // Submits the parts that these frames need, in one submission where possible.
    void submit();
};

}  // namespace saccade
