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

// How a frame of one size becomes pixel_values, ready for the device. For each of the three
// channels: horizontal pass, vertical pass (see Taps), then value = level * scale + shift. Pixels
// that a centre crop adds around a small picture have level 0 before normalisation, as in
// transformers.
struct PreprocessPlan {
    uint32_t source_width = 0, source_height = 0;  // including padding to a square
    uint32_t width = 0, height = 0;                // of pixel_values (3, height, width)
    Taps horizontal;                               // source_width -> width
    Taps vertical;                                 // source_height -> height
    std::array<float, 3> scale{};                  // rescaling and normalisation, folded in double
    std::array<float, 3> shift{};

    // The inverse: x of pixel_values is at (x + crop_left) * source_width / resized_width of the
    // frame. Without a centre crop the frame fills pixel_values and both offsets are 0.
    uint32_t resized_width = 0, resized_height = 0;
    int32_t crop_left = 0, crop_top = 0;
};

// The image processor of a Hugging Face folder: those of ViT, DeiT, DETR, YOLOS, BLIP, CLIP (also
// for GIT), SigLIP and OWL-ViT of transformers v4 and v5, and the older feature extractors. Sizes,
// crops and rounding follow v5's default, the torchvision backend, to the bit.
struct Preprocessor {
    enum class Resize {
        none,
        fixed,    // to `size`, ignoring the aspect ratio
        edges,    // keeps the aspect ratio: to shortest_edge, but at most longest_edge
        box,      // keeps the aspect ratio: the largest that fits into `size`
        tiles,    // long side to longest_edge, then tiles and the whole picture: see `tile`
        patches,  // nearly keeps the aspect ratio: whole patches, at most most_patches
    };

    std::string type;  // transformers' class without its suffixes: "ViT", "Detr"
    Resize resize = Resize::none;
    Size size;                   // fixed, box
    uint32_t shortest_edge = 0;  // edges
    uint32_t longest_edge = 0;   // edges; 0: no limit
    uint32_t multiple = 1;       // edges: both sides are floored to this (YOLOS: 16)
    uint32_t tile = 0;           // tiles: side of a tile; the picture is resized to fill them
    bool splits = false;         // tiles: false: only the whole picture, as one tile
    uint32_t patch = 0;          // patches: side of a patch
    uint32_t most_patches = 0;   // patches
    Filter filter = Filter::bilinear;
    Rounding rounding = Rounding::torchvision;
    bool exact = false;        // resizes in floats, without rounding to 8 bits: DINOv3, RF-DETR
    std::optional<Size> crop;  // centre crop after the resize
    bool crop_to_even =
        false;  // offsets of half a pixel are rounded to even (torchvision), not down
    // OWLv2, in floats: pads with black at the right and below to a square (if `square`), blurs
    // before shrinking, resizes to `size`. Boxes and maps are relative to the square.
    bool blurs = false, square = false;
    float padding = 0;            // the level of what is padded to a square
    bool antialias = true;        // false: linear interpolation in floats, as TensorFlow's
    double rescale_factor = 1.0;  // 1 without do_rescale
    std::array<double, 3> mean{0.0, 0.0, 0.0};
    std::array<double, 3> std_dev{1.0, 1.0, 1.0};  // mean 0 and deviation 1 without do_normalize

    // Reads the folder as transformers v5 does: "image_processor" of processor_config.json if there
    // is one, else preprocessor_config.json. Older files do not name their class; it is then
    // `otherwise`, which depends on the model's family.
    static Preprocessor read(const std::filesystem::path& folder, std::string_view otherwise = {});

    // The same from a parsed file. `where` names it in errors.
    static Preprocessor parse(const nlohmann::json& file, const std::string& where,
                              std::string_view otherwise = {});

    // The size of pixel_values if it does not depend on the frame.
    std::optional<Size> fixed_size() const;

    // The size that a frame is resized to, before the crop. `within` (the --size option) replaces
    // the file's size rule for models that take frames of any size: the largest size that fits into
    // that box with the frame's aspect ratio, floored to the multiple. It is an Error for models of
    // one size.
    //
    // No side is ever 0: where transformers would resize the short side of a long frame to 0 and
    // fail, it becomes 1 pixel, or one multiple.
    Size resized(Size source, std::optional<Size> within = std::nullopt) const;

    // For tiles: the frame's first size, its size when it fills the tiles, and the number of tiles;
    // (0, 0): only the whole picture.
    struct Tiling {
        Size first, filled, tiles;
    };
    Tiling tiling(Size source) const;

    // The plan for a frame of this size; for tiles, that of the whole picture from the filled one.
    PreprocessPlan plan(uint32_t source_width, uint32_t source_height,
                        std::optional<Size> within = std::nullopt) const;
};

}  // namespace saccade
