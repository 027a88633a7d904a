#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "gpu/swapchain.h"

namespace saccade {

// Which of a layer's attention maps are shown: those of all heads together by their mean or their
// greatest, one head's, or all side by side. Rollout follows attention through all layers.
enum class AttentionMode { off, rollout, mean, max, head, grid };
inline constexpr AttentionMode attention_modes[] = {AttentionMode::off,  AttentionMode::rollout,
                                                    AttentionMode::mean, AttentionMode::max,
                                                    AttentionMode::head, AttentionMode::grid};
std::string_view name_of(AttentionMode mode);

// What is chosen beyond the layers or heads that a model has is its last one.
inline constexpr uint32_t last_layer = 1u << 20;

struct AttentionState {
    AttentionMode mode = AttentionMode::off;
    uint32_t layer = last_layer, head = 0;
    float blend = 0.6f;        // of the heat map over the picture
    float mass = 1.0f;         // shows only the patches that hold this part of the attention
    bool fixed_scale = false;  // one colour means the same in every map
    bool operator==(const AttentionState&) const = default;
};

// A place in the picture, in its pixels.
struct PicturePoint {
    float x, y;
    bool operator==(const PicturePoint&) const = default;
};

// What a person wants: keys, mouse and panels change it, the loop reads it and makes it so.
struct LiveState {
    bool frozen = false;  // the picture stands still; attention can still be explored
    bool boxes = true, caption = true, classes = true;
    bool truth = false;  // what is really there, where the source knows
    AttentionState attention;
    uint32_t layers = 1, heads = 1;  // of the model that is looked into: what can be chosen from

    std::optional<PicturePoint> pointer;  // the mouse, while it is over the picture
    std::optional<uint32_t> word;         // of the caption, the one under the mouse
    std::optional<uint32_t> query;        // of the detector, the one whose box was clicked

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
