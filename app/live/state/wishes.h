#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/cause/head_off.h"
#include "app/frame/source_name.h"
#include "app/live/state/pointer.h"
#include "app/pipeline/looker.h"
#include "app/track/regions.h"
#include "gpu/core/geometry.h"
#include "gpu/present/swapchain.h"
#include "models/files/implementation.h"

namespace saccade {

// Text for models that take some: --find, --labels, --ask and --like.
struct PromptText {
    std::string find, labels;            // phrases, separated by commas
    std::string question;                // empty: the captioner's own, if it answers questions
    std::vector<std::string> like = {};  // pictures of things to find
    bool operator==(const PromptText&) const = default;
};

// A box that was drawn in the picture to find more like its content.
struct ExampleBox {
    uint32_t number = 0;  // counted from 1; its name is "like 1"
    Rectangle box;        // pixels of the frame
    bool operator==(const ExampleBox&) const = default;
};
std::string name_of(const ExampleBox& example);

// The maps that one viewer in a browser wants of every frame. The browser draws them.
struct RemoteLook {
    uint32_t viewer = 0;
    AttentionState attention;
    MapModel model = MapModel::detector;
    Target target = {};
    uint32_t track =
        0;  // of the target's query: the query that has this track next takes its place
    uint64_t version = 0;  // told back with its map
    bool due = true;       // its map is computed with the next frame; else its layers are only kept
    bool operator==(const RemoteLook&) const = default;
};

// The picture once more beside itself, under the same pointer.
struct SecondView {
    enum class Kind { off, bare, maps } kind = Kind::off;  // bare: as it came; maps: other ones
    AttentionState attention{.mode = AttentionMode::mean};
    MapModel model = MapModel::classifier;
    bool below = false;  // the first one, not to its right: there is more room
    bool operator==(const SecondView&) const = default;
};

// The place of a source in a picture of several.
struct WindowTile {
    Size corner, size;
    Size all;  // of the picture
    bool operator==(const WindowTile&) const = default;
};

// What a person wants. Keys, mouse and panels change it, the loop makes it so, settings keep parts
// of it. An Event asks for something once; a Pointer follows the mouse.
struct Wishes {
    // Which detections are shown.
    struct Filter {
        std::optional<float> threshold;             // none: the one in the model's folder
        std::map<std::string, float> least_scores;  // of phrases with a threshold of their own
        uint32_t most = 100;
        std::set<std::string> only;  // names of classes; empty: all
        bool operator==(const Filter&) const = default;
    };
    // What is drawn: where a value in here changes, a picture that stands still is drawn again.
    struct Look {
        bool boxes = true, caption = true, classes = true;
        bool classes_beside = false;  // the window lists them beside the picture
        bool truth = false;           // ground truth, where the source has it
        bool track = false;           // detections have numbers that stay
        bool overview = false;        // maps without a pointer, too
        AttentionState attention{.mode = AttentionMode::mean};
        MapModel model = MapModel::detector;
        SecondView second;
        bool meter = false;  // what the maps are worth is measured
        HeadsOff heads_off;  // of the models that run
        Filter filter;
        // The legends of both views, which texts on the picture leave free: of each view, 0 .. 1.
        std::array<Rectangle, 2> legends{};
        Rectangle invitation{};  // of the tour, in the first view, likewise
        Size room{};  // for pictures in the window, in pixels of the screen; none without a window
        float name_bar = 0;  // height of a tile's line with its source's name, in the same pixels
        std::optional<WindowTile> tile = std::nullopt;  // the source shares the room with others
        bool operator==(const Look&) const = default;
    } look;
    // What viewers in browsers need of every frame. It is drawn again for them, too.
    struct Remote {
        bool planes = false;    // of YUV, on the host
        bool outlines = false;  // of masks, on the host
        std::vector<RemoteLook> looks;
        bool operator==(const Remote&) const = default;
    } remote;
    // The window around the picture.
    struct Window {
        bool panels = true, help = false, full_screen = false;
        bool drawing = false;        // the mouse draws lines and zones
        bool grid = false;           // the borders of patches are drawn over their maps
        bool knows_holding = false;  // a click has held something once: the hint is not needed
        PresentMode present_mode = PresentMode::fifo;
        bool operator==(const Window&) const = default;
    } window;

    // Several sources: all of them side by side, or one of them as if it were the only one.
    struct Wall {
        size_t count = 1;
        std::optional<size_t> front = std::nullopt;
        size_t chosen = 0;  // of those side by side
        bool side_by_side() const { return count > 1 && !front; }
        // The one that panels tell about, and keys are for.
        size_t subject() const { return front.value_or(chosen < count ? chosen : 0); }
        bool operator==(const Wall&) const = default;
    } wall;

    // The picture stands still, and a file pauses; attention can still be explored.
    bool frozen = false;
    std::string name;  // of the source, if it is one of several
    SourceName source;
    std::vector<SourceName> sources;  // that were dropped together; empty: just the one
    double speed = 1;                 // of a file's own pace
    bool loop = true;                 // a file begins again at its end

    // As find_model knows them, or "none"; empty: the bundled ones for the kind of source.
    std::string detector, classifier, captioner;
    Implementation as = Implementation::by_weights;       // whose code computes them
    uint32_t detector_stride = 1, classifier_stride = 1;  // they run on every n-th frame
    PromptText prompts;
    std::vector<ExampleBox> examples;  // in the frame that was shown when they were drawn
    uint32_t last_example = 0;         // the number of the last
    // Of knock-outs at a time, while the loop has nothing else to do.
    double cause_budget_ms = 30;
    Regions regions;  // lines and zones of the source, which count tracks

    bool recording = false, view_recording = false;
    std::string feed;  // where annotated frames are sent, see Feed; empty: nowhere

    bool operator==(const Wishes&) const = default;
};

const char* title_of(SecondView::Kind kind);
// The name of a kind of maps in the panel: "one head".
const char* title_of(AttentionMode mode);

}  // namespace saccade
