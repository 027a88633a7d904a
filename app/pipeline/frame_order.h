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

// In which forms a finished frame comes to the host: as BGR for pictures, as planes of YUV for
// video encoders.
struct ReadBack {
    bool pixels = false, planes = false;
    bool operator==(const ReadBack&) const = default;
};

// The picture of a frame that a window shows, drawn at the size at which the window shows it. A
// second view of the frame lies beside the first or below it.
struct WindowOrder {
    Size view;           // of each view
    Size all;            // of the picture
    Size second_corner;  // of the second view in it
    // One of several sources' pictures, which the window shows together: see PathsTogether.
    bool tile = false;
    Size corner = {};  // of the tile in the picture
    bool operator==(const WindowOrder&) const = default;
};

// A map of attention that comes to the host instead of onto the frame, for a page that draws it
// itself.
struct MapOrder {
    AttentionState attention;
    Looker looker;
    uint32_t whose = 0;  // told back with the map
    uint32_t track = 0;  // whose query is the looker, if its number is known in the frame; 0: none
    uint64_t version = 0;  // told back, too
    bool due = true;       // else only what the map needs is kept, for frames that come later
    bool computed() const {
        return due && looker.token != Looker::Token::none && attention.mode != AttentionMode::cause;
    }
    bool operator==(const MapOrder&) const = default;
};
struct MapOnHost {
    Looker looker;
    uint32_t whose = 0;
    uint64_t version = 0;
    double ms = 0;  // that it took the device, and the host to record it
    uint32_t layer = 0, layers = 0,
             heads = 0;  // which layer it is of; what there is to choose from
    // Not attention, but features; a few cells are far beyond the scale: see AttentionSeen.
    bool similarity = false, coloured = false, limited = false;
    MapGeometry geometry;
    uint32_t count = 0;        // one, or one for each head; of colours red, green and blue
    std::vector<float> cells;  // (count, grid height, grid width)
    std::optional<Rectangle> window = std::nullopt;  // all that a patch can see, if not everything
    // Of a query that looks at points: these, and the maps that they lie on.
    std::vector<SampledPoint> points = {};
    std::vector<Size> levels = {};
    std::optional<CauseSeen> cause = {};  // not attention, but what an answer needs
};

// The same frame once more in a window, for comparison: as it came, or with other maps.
struct SecondOrder {
    bool bare = false;  // as it came
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
    // Findings of this very frame. Without them, those of an earlier frame are drawn, if there are
    // any that belong to these models.
    bool detect = true, classify = true;
    // Without it, no model looks at the frame: it is shown at once, and has to be repeated for
    // them. Nothing that they have found is drawn; no map may be wanted.
    bool models = true;

    struct CaptionOrder {
        bool begin = true;    // a caption of this frame, unless another one is being written
        bool to_end = false;  // all of it belongs to this frame; else a few words go with each
        uint32_t words = 8;   // that are asked for before it is seen whether the caption has ended
        std::optional<size_t> lit = std::nullopt;  // the word that stands out
    } caption;

    // Says which detections are the same things as before; null: there are no tracks. It sees every
    // frame that the detector sees, in their order, and must outlive those on their way.
    FrameTracker* tracker = nullptr;

    bool draw = true;  // without it, nothing is drawn, read back or shown
    OverlaySettings overlay;
    bool truth = false;  // what is really there is drawn, too, if the source knows
    ReadBack read_back;  // of the frame with its annotations, at its own size
    std::optional<WindowOrder> window = std::nullopt;  // if the path has a window to show it in

    AttentionState attention;
    Looker looker;
    bool colours_anew = false;          // they have nothing to do with those of the frame before
    std::vector<MapOrder> maps;         // besides; only of frames that are drawn
    std::optional<SecondOrder> second;  // only of frames that a window shows
    // If the looker depends on what the models find: called once that is known, before the frame is
    // drawn. It may change the looker's place, but not its kind, and the overlay's settings. With
    // Token::none nothing is drawn of the map.
    std::function<void(FrameOrder&, const FrameResult&)> decide;

    // Whether annotations are drawn onto the frame itself. A window has a drawing of its own.
    bool draws_on_frame() const { return read_back.pixels || read_back.planes || !window; }
    bool maps_attention() const {
        return draw &&
               std::ranges::any_of(maps, [](const MapOrder& map) { return map.computed(); });
    }
    bool compares_attention() const {
        return draw && window && second && second->shows_attention();
    }
    // What the answer that is looked at needs; drawn where the attention's mode is `cause`.
    std::optional<SignedMap> effects = std::nullopt;
    // Finds that out of this very frame, once the models have seen it. It may run the models again,
    // and add to what is known.
    std::function<void(FrameOrder&, FrameResult&, const MaskedPicture&)> explain = {};

    bool shows_attention() const {
        return draw && is_kept(attention.mode) && looker.token != Looker::Token::none;
    }
};

// A frame at the end of its path.
struct Done {
    explicit Done(TakenFrame taken) : frame(std::move(taken)) { result.info = frame.info(); }

    FrameResult result;             // what is known of the frame, and what each stage took
    SentPicture window;             // for the window, if one was ordered
    PictureView picture;            // on the host, if it was to be read back
    PlanarView planes;              // the same for encoders
    std::vector<MapOnHost> maps;    // that were due
    std::vector<Rectangle> words;   // where the words of the caption lie, as they were drawn
    std::optional<TileGrid> tiles;  // how the heads of a layer lie side by side, if they do
    std::optional<AttentionSeen> attention;  // whose maps were drawn
    std::optional<SecondSeen> second;        // if it was ordered
    bool repeated = false;                   // the frame was shown before
    bool awaits_models = false;              // none has looked at it
    bool first_look = false;                 // they have looked at it for the first time
    bool detected = false;                   // the detector has seen this very frame
    bool caption_ended = false;              // with this frame
    FrameInfo captioned;                     // the frame that the caption describes
    Observations observed;                   // what the tracker was told, if there is one
    // Picture and planes may be written over when this is gone.
    TakenFrame frame;
};

}  // namespace saccade
