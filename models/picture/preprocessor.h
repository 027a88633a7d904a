#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "gpu/core/geometry.h"
#include "models/picture/resample.h"

namespace saccade {

// Everything a frame of one size needs to become pixel_values, ready for the device. For each of
// the three channels: horizontal pass, vertical pass (see Taps), then value = level * scale +
// shift. Pixels that a centre crop adds around a small picture are level 0 and get shift, as
// transformers pads before it normalises.
struct PreprocessPlan {
    uint32_t source_width = 0, source_height = 0;  // with what was added to make a square
    uint32_t width = 0, height = 0;  // of pixel_values (3, height, width)
    Taps horizontal;                 // source_width -> width
    Taps vertical;                   // source_height -> height
    std::array<float, 3> scale{};    // rescale and normalise, folded in double first
    std::array<float, 3> shift{};

    // The way back: x of pixel_values lies at (x + crop_left) * source_width / resized_width of the
    // frame. Without a centre crop the frame fills pixel_values and both offsets are 0.
    uint32_t resized_width = 0, resized_height = 0;
    int32_t crop_left = 0, crop_top = 0;
};

// The image processor of a Hugging Face folder: how a picture becomes pixel_values. ViT, DeiT,
// DETR, YOLOS, BLIP, CLIP (GIT's too), SigLIP and OWL-ViT of transformers v4 and v5, and the feature extractors
// before them. Sizes, crops and rounding follow v5's default, the torchvision backend, bit for bit.
struct Preprocessor {
    enum class Resize {
        none,
        fixed,  // squash to size
        edges,  // keep the aspect: the short side to shortest_edge unless the long one would pass
                // longest_edge
        box,    // keep the aspect: the largest that fits into size
        tiles,    // the long side to longest_edge, then tiles and the whole picture: see `tile`
        patches,  // keep the aspect, nearly: as many whole patches as there may be
    };

    std::string type;  // transformers' class without its suffixes: "ViT", "Detr"
    Resize resize = Resize::none;
    Size size;                   // fixed, box
    uint32_t shortest_edge = 0;  // edges
    uint32_t longest_edge = 0;   // edges; 0: no limit
    uint32_t multiple = 1;       // edges: both sides are floored to this (YOLOS: 16)
    uint32_t tile = 0;           // tiles: side of each; the picture is made to fill them
    bool splits = false;         // false: only the whole picture, as one tile
    uint32_t patch = 0;          // patches: pixels of a side,
    uint32_t most_patches = 0;   // and how many there may be
    Filter filter = Filter::bilinear;
    Rounding rounding = Rounding::torchvision;
    bool exact = false;           // resizes before it rounds to 8 bits: DINOv3, RF-DETR
    std::optional<Size> crop;     // centre crop after the resize
    // OWLv2: in floats, black added at the right and below to make a square (if `square`), a blur
    // where that shrinks, then size. Boxes and maps are those of the square.
    bool blurs = false, square = false;
    double rescale_factor = 1.0;  // 1 where the file says not to rescale
    std::array<double, 3> mean{0.0, 0.0, 0.0};
    std::array<double, 3> std_dev{1.0, 1.0, 1.0};  // 0 and 1 where it says not to normalise

    // Reads the folder as transformers v5 does: "image_processor" of processor_config.json where
    // there is one, else preprocessor_config.json. Files too old to name their class are of the
    // class `otherwise`, which the model's family knows.
    static Preprocessor read(const std::filesystem::path& folder, std::string_view otherwise = {});

    // The same from a parsed file. `where` names it in errors.
    static Preprocessor parse(const nlohmann::json& file, const std::string& where,
                              std::string_view otherwise = {});

    // The size of pixel_values where it does not depend on the frame.
    std::optional<Size> fixed_size() const;

    // What frames of one size are resized to, before the crop. `within` (the --size option)
    // replaces the file's size rule for models that take frames of any size: the frame keeps its
    // aspect and becomes the largest that fits into that box, floored to the multiple as ever.
    // Models of one input size refuse it.
    //
    // No side ever comes out empty: a frame so long that transformers would resize its short side
    // to 0 (and fail) gets 1 pixel there, or one multiple.
    Size resized(Size source, std::optional<Size> within = std::nullopt) const;

    // Of tiles: what the frame is resized to at first, then to fill tiles, and into how many it is
    // cut; (0, 0): none, only the whole picture is seen.
    struct Tiling {
        Size first, filled, tiles;
    };
    Tiling tiling(Size source) const;

    // All that a frame of that size needs; of tiles, what turns the filled picture into the whole one.
    PreprocessPlan plan(uint32_t source_width, uint32_t source_height,
                        std::optional<Size> within = std::nullopt) const;
};

}  // namespace saccade
