#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/pipeline/looker.h"
#include "app/track/regions.h"
#include "gpu/core/geometry.h"
#include "gpu/present/swapchain.h"

namespace saccade {

// Whose patches are asked when somebody points at the picture.
enum class AskedModel { detector, classifier };
std::string_view name_of(AskedModel model);

// What models are told, for those that take words: --find, --labels and --ask.
struct TypedWords {
    std::string find, labels;  // phrases, separated by commas
    std::string question;      // empty: what the captioner asks by itself, if it answers at all
    std::vector<std::string> like = {};  // pictures of what to find: --like
    bool operator==(const TypedWords&) const = default;
};

// A part of the picture that somebody has drawn a box around, to find more like it.
struct DrawnExample {
    uint32_t number = 0;  // counted from 1; its name is "like 1"
    Rectangle box;        // pixels of the frame
    bool operator==(const DrawnExample&) const = default;
};
std::string name_of(const DrawnExample& example);

// A phrase of a model, by its number.
struct PhraseLook {
    AskedModel of = AskedModel::detector;
    uint32_t number = 0;
    bool operator==(const PhraseLook&) const = default;
};

// What somebody points at who watches from elsewhere and draws maps of attention himself, and which
// maps he wants.
struct RemoteLook {
    uint32_t viewer = 0;
    AttentionState attention;
    AskedModel asked = AskedModel::detector;
    std::optional<glm::vec2> pointer = std::nullopt;
    std::optional<uint32_t> word = std::nullopt, query = std::nullopt;
    uint32_t track = 0;  // of the query's detection: whichever query sees it next is asked
    std::optional<PhraseLook> phrase = std::nullopt;
    bool operator==(const RemoteLook&) const = default;
};

// What is seen beside the picture, under the same pointer.
struct SecondView {
    enum class Kind { off, bare, maps } kind = Kind::off;  // bare: as it came; maps: other ones
    AttentionState attention{.mode = AttentionMode::mean};
    AskedModel asked = AskedModel::classifier;
    bool below = false;  // the first, not to the right of it: there is more room
    bool operator==(const SecondView&) const = default;
};

// Of the model that is looked into: what can be chosen from.
struct MapChoices {
    uint32_t layers = 1, heads = 1;
};

// What a person wants: keys, mouse and panels change it, the loop reads it and makes it so.
struct LiveState {
    // The picture stands still, and a file's source with it; attention can still be explored.
    bool frozen = false;
    bool boxes = true, caption = true, classes = true;
    bool classes_beside = false;  // they are told beside the picture, not drawn onto it
    bool truth = false;           // what is really there, where the source knows
    bool track = false;           // things have numbers, the same in every frame
    Regions regions;              // lines and zones of the source, which count tracks
    bool drawing = false;         // the mouse draws some
    AttentionState attention{.mode = AttentionMode::mean};
    bool overview = false;  // maps are shown while nobody points at anything, too
    AskedModel asked = AskedModel::detector;
    MapChoices choices, second_choices;
    SecondView second;
    bool over_second = false;  // the mouse is: what keys choose of maps is for that view

    Size room;  // for pictures in the window, in pixels of the screen; none without a window

    std::optional<glm::vec2> pointer;  // the mouse, in pixels of the picture, while it is over it
    std::optional<uint32_t> word;      // of the caption, the one under the mouse
    std::optional<uint32_t> query;     // of the detector, the one whose box was clicked
    std::optional<glm::vec2> held;     // the patch that was clicked, in pixels of the picture
    bool word_held = false;            // the word was clicked
    std::optional<PhraseLook> phrase;  // how much each patch is like it, is what is shown
    bool phrase_held = false;          // it was clicked
    bool knows_holding = false;        // somebody has held something once

    bool planes = false;    // of every frame, on the host: somebody watches from elsewhere
    bool outlines = false;  // of masks, on the host: somebody wants to know them
    std::vector<RemoteLook> looks;

    std::optional<float> threshold;  // of boxes; none: what the detector's folder says
    // Of phrases that have one of their own. Others have the one that their model's card names.
    std::map<std::string, float> least_scores;
    uint32_t most = 100;         // boxes
    std::set<std::string> only;  // names of classes; empty: all

    std::string source;
    uint64_t opened = 0;               // how often one was chosen: the same one is opened anew
    std::vector<std::string> sources;  // that were dropped together; empty: just the one
    double speed = 1;                  // of a file's own pace
    bool loop = true;                  // a file begins again at its end
    struct Seek {
        uint64_t number = 0;  // how many there have been
        uint64_t frame = 0;   // of the file, which the last one asked for
        bool operator==(const Seek&) const = default;
    } seek;
    uint64_t shown_frame = 0;  // of the file, as far as the person has seen
    // As find_model knows them, or "none"; left empty, the bundled ones for what the source shows.
    std::string detector, classifier, captioner;
    TypedWords words;                    // what is typed takes effect with the next frame
    std::vector<DrawnExample> examples;  // of the frame that was shown when they were drawn
    uint32_t last_example = 0;           // the number of the last
    std::optional<glm::vec2> drag_from;  // where the box began that is being drawn,
    std::optional<Rectangle> dragged;    // and how far it has come
    uint32_t detector_stride = 1, classifier_stride = 1;  // they look at every n-th frame
    PresentMode present_mode = PresentMode::fifo;

    uint64_t swaps = 0;  // of models, as far as the person has seen

    bool panels = true, help = false, full_screen = false;
    bool recording = false;
    std::string feed;          // where annotated frames are sent as well, see Feed; empty: nowhere
    uint32_t screenshots = 0;  // of frames, that have been asked for
    uint32_t view_screenshots = 0;  // of what is seen of them, with the legend
    bool view_recording = false;
    uint32_t saved_maps = 0;  // as .npy files
    uint32_t pages = 0;       // of inspect, of the frame that is shown
    bool quit = false;
};

// The maps that keys are for: those of the view under the mouse.
struct ChosenMaps {
    AttentionState& attention;
    AskedModel& asked;
    MapChoices choices;
};
ChosenMaps maps_under_mouse(LiveState& state);
// No second view, the picture as it came, other maps.
void next_second_view(LiveState& state);
void choose_second_view(LiveState& state, SecondView::Kind kind);
const char* title_of(SecondView::Kind kind);

// Steps that stay within what the model has.
void step_layer(LiveState& state, int by);
void choose_head(LiveState& state, uint32_t head);
// More like what lies in a box of the frame is looked for; one by its name is not any more.
void add_example(LiveState& state, const Rectangle& box);
void drop_example(LiveState& state, const std::string& name);
// What was clicked is let go.
void release_held(LiveState& state);
bool holds(const LiveState& state);
void next_attention_mode(LiveState& state);
// Another source, or the same one anew. Those that were dropped together stay at hand if it is one
// of them.
void choose_source(LiveState& state, std::string source);
void choose_sources(LiveState& state, std::vector<std::string> sources);
// To the one before or behind it of those that were dropped together, round and round.
void step_source(LiveState& state, int by);
void seek_to(LiveState& state, uint64_t frame);
// From the frame that is shown to one near it, where the file stops.
void step_frame(LiveState& state, uint64_t shown, int by);
// What people call a kind of maps: "one head".
const char* title_of(AttentionMode mode);

}  // namespace saccade
