#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "app/cause/cause_seen.h"
#include "app/draw/overlay.h"
#include "app/draw/signed_map.h"
#include "app/frame/frame_result.h"
#include "app/frame/frame_ring.h"
#include "app/pipeline/looker.h"
#include "app/track/frame_tracker.h"
#include "gpu/present/picture_ring.h"
#include "gpu/transfer/planes.h"
#include "models/attention/sampled_points.h"
#include "models/knock_outs/masked_input.h"

namespace saccade {

// The forms in which a finished frame comes to the host: BGR for pictures, YUV planes for video
// encoders.
struct ReadBack {
    bool pixels = false, planes = false;
    bool operator==(const ReadBack&) const = default;
};

// The picture of a frame that a window shows, drawn at the size at which the window shows it. A
// second view of the frame lies beside the first or below it.
struct WindowOrder {
    Size view;           // of each view
    Size all;            // of the picture
    Size second_corner;  // where the second view begins in the picture
    // The window shows several sources at once, and this is one of their tiles: see PathsTogether.
    bool tile = false;
    Size corner = {};  // where the tile begins in the picture
    bool operator==(const WindowOrder&) const = default;
};

// A map of attention that comes to the host instead of onto the frame, for a page that draws it
// itself.
struct MapOrder {
    AttentionState attention;
    Looker looker;
    uint32_t whose = 0;  // the viewer; returned with the map
    uint32_t track = 0;  // the looker is the query of the detection with this track number; 0: none
    uint64_t version = 0;  // of the viewer's wish; returned with the map
    bool due = true;  // false: no map of this frame, but layers are kept for maps of later frames
    bool computed() const {
        return due && looker.token != Looker::Token::none && attention.mode != AttentionMode::cause;
    }
    bool operator==(const MapOrder&) const = default;
};
struct MapOnHost {
    Looker looker;
    uint32_t whose = 0;
    uint64_t version = 0;
    double ms = 0;       // time to record it on the host and to compute it on the device
    uint32_t layer = 0;  // the one it shows
    uint32_t layers = 0, heads = 0;  // how many there are to choose from
    // The map shows features instead of attention; a few cells exceed the scale: see AttentionSeen.
    bool similarity = false, coloured = false, limited = false;
    MapGeometry geometry;
    uint32_t count = 0;        // one, or one for each head; of colours red, green and blue
    std::vector<float> cells;  // (count, grid height, grid width)
    std::optional<Rectangle> window = std::nullopt;  // what the patch attends to, if not everything
    // For a query with deformable attention: its points, and the maps that they lie on.
    std::vector<SampledPoint> points = {};
    std::vector<Size> levels = {};
    std::optional<CauseSeen> cause = {};  // set if the map shows what an answer needs
};

// A second view of the frame in a window, for comparison: the bare frame, or one with other maps.
struct SecondOrder {
    bool bare = false;  // without annotations
    OverlaySettings overlay;
    bool truth = false;
    AttentionState attention;
    Looker looker;
    std::optional<SignedMap> effects = {};  // as in FrameOrder

    bool shows_attention() const {
        return !bare && is_kept(attention.mode) && looker.token != Looker::Token::none;
    }
};
struct SecondSeen {
    bool bare = false;
    bool below = false;  // it lies below the first view, not beside it
    std::optional<TileGrid> tiles;
    std::optional<AttentionSeen> attention;
};

// What is wanted of one frame.
struct FrameOrder {
    // Whether the model runs on this very frame. If not, its findings of an earlier frame are
    // drawn.
    bool detect = true, classify = true;
    // False: no model runs, and the frame is shown at once without findings or maps. It has to be
    // repeated with models later.
    bool models = true;

    struct CaptionOrder {
        bool begin = true;    // begins a caption of this frame, unless one is being written
        bool to_end = false;  // waits for the whole caption; else a few words are written a frame
        uint32_t words = 8;   // how many are submitted before the host checks for the end
        std::optional<size_t> lit = std::nullopt;  // the highlighted word
    } caption;

    // Joins detections of successive frames to tracks; null: no tracks. It is given every frame
    // that the detector sees, in order, and must outlive those in flight.
    FrameTracker* tracker = nullptr;

    bool draw = true;  // without it, nothing is drawn, read back or shown
    OverlaySettings overlay;
    bool truth = false;  // also draws the ground truth, which synthetic sources know
    ReadBack read_back;  // of the annotated frame, at its own size
    std::optional<WindowOrder> window = std::nullopt;  // set if a window shows the frame

    AttentionState attention;
    Looker looker;
    bool colours_anew = false;   // AttentionMode::colours: does not continue the last frame's axes
    std::vector<MapOrder> maps;  // maps for the host, beside the one drawn over the frame
    std::optional<SecondOrder> second;  // only for frames that a window shows
    // Set if the looker depends on what the models find: it is called when that is known, before
    // the frame is drawn. It may change the overlay's settings and which detection, word or patch
    // looks, but not the kind of looker. With Token::none, no map is drawn.
    std::function<void(FrameOrder&, const FrameResult&)> decide;

    // Whether annotations are drawn onto the frame itself. A window's are drawn at its own size.
    bool draws_on_frame() const { return read_back.pixels || read_back.planes || !window; }
    bool maps_attention() const {
        return draw &&
               std::ranges::any_of(maps, [](const MapOrder& map) { return map.computed(); });
    }
    bool compares_attention() const {
        return draw && window && second && second->shows_attention();
    }
    // How much the answer needs each cell; drawn if the attention's mode is `cause`.
    std::optional<SignedMap> effects = std::nullopt;
    // Computes `effects` for this very frame, after the models have run. It may run the models
    // again, and add to the frame's result.
    std::function<void(FrameOrder&, FrameResult&, const MaskedPicture&)> explain = {};

    bool shows_attention() const {
        return draw && is_kept(attention.mode) && looker.token != Looker::Token::none;
    }
};

// A frame at the end of its path.
struct Done {
    explicit Done(TakenFrame taken) : frame(std::move(taken)) { result.info = frame.info(); }

    FrameResult result;                          // the models' findings, and the time of each stage
    std::shared_ptr<const ResultLabels> labels;  // of the models that found this
    SentPicture window;                          // for the window, if one was ordered
    PictureView picture;                         // on the host, if its pixels were ordered
    PlanarView planes;                           // on the host, if its planes were ordered
    std::vector<MapOnHost> maps;                 // those that were due
    std::vector<Rectangle> words;                // where the caption's words were drawn
    std::optional<TileGrid> tiles;           // set if the heads of a layer were drawn side by side
    std::optional<AttentionSeen> attention;  // the maps that were drawn
    std::optional<SecondSeen> second;        // the second view, if one was ordered
    bool repeated = false;                   // the frame was shown before
    bool awaits_models = false;              // no model has seen it yet
    bool first_look = false;                 // the models have seen it for the first time
    bool detected = false;                   // the detector has run on this very frame
    bool caption_ended = false;              // its caption ended with this frame
    FrameInfo captioned;                     // the frame that the caption describes
    Observations observed;                   // the detections that the tracker was given
    // Keeps the frame's slot: picture and planes are valid as long as this lives.
    TakenFrame frame;
};

}  // namespace saccade
