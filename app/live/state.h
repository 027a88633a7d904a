#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/pipeline/looker.h"
#include "gpu/core/geometry.h"
#include "gpu/core/swapchain.h"

namespace saccade {

// What somebody points at who watches from elsewhere and draws maps of attention himself, and which
// maps he wants.
struct RemoteLook {
    uint32_t viewer = 0;
    AttentionState attention;
    std::optional<glm::vec2> pointer = std::nullopt;
    std::optional<uint32_t> word = std::nullopt, query = std::nullopt;
    bool operator==(const RemoteLook&) const = default;
};

// What a person wants: keys, mouse and panels change it, the loop reads it and makes it so.
struct LiveState {
    bool frozen = false;  // the picture stands still; attention can still be explored
    bool boxes = true, caption = true, classes = true;
    bool truth = false;  // what is really there, where the source knows
    AttentionState attention;
    uint32_t layers = 1, heads = 1;  // of the model that is looked into: what can be chosen from

    std::optional<glm::vec2> pointer;  // the mouse, in pixels of the picture, while it is over it
    std::optional<uint32_t> word;      // of the caption, the one under the mouse
    std::optional<uint32_t> query;     // of the detector, the one whose box was clicked

    bool planes = false;  // of every frame, on the host: somebody watches from elsewhere
    std::vector<RemoteLook> looks;

    float threshold = 0.5f;
    uint32_t most = 100;         // boxes
    std::set<std::string> only;  // names of classes; empty: all

    std::string source;
    // As find_model knows them, or "none"; left empty, the bundled ones for what the source shows.
    std::string detector, classifier, captioner;
    uint32_t detector_stride = 1, classifier_stride = 1;  // they look at every n-th frame
    PresentMode present_mode = PresentMode::fifo;

    bool panels = true, help = false, full_screen = false;
    bool recording = false;
    uint32_t screenshots = 0;  // asked for and not taken yet
    bool quit = false;
};

// Steps that stay within what the model has.
void step_layer(LiveState& state, int by);
void choose_head(LiveState& state, uint32_t head);
void next_attention_mode(LiveState& state);

}  // namespace saccade
