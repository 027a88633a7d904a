#pragma once

#include "gpu/ops.h"

// The operations that draw onto a frame, in place, from what lies in device memory. What is drawn
// are plates (see shaders/params.h): some kernels lay them out from what a model found, the CPU
// lays out others in mapped memory, and one kernel draws them all. Like those of gpu/ops.h, each
// operation is one name: a function, a Params struct, a shader and a test.

namespace saccade {

// Texts that have been laid out, and the glyphs they are made of.
struct Texts {
    Tensor runs;    // params::Run
    Tensor glyphs;  // params::Glyph
    Tensor atlas;   // side x side bytes of coverage
    uint32_t atlas_side = 0;
};

// Memory for structs of words, as kernels see it.
template <typename Struct>
constexpr uint32_t words_of(uint32_t count) {
    return count * static_cast<uint32_t>(sizeof(Struct) / sizeof(uint32_t));
}
// A list of so many plates.
constexpr uint32_t plate_list_words(uint32_t plates) {
    return params::plate_list_header + words_of<params::Plate>(plates);
}

// Each plate over those before it.
void draw_plates(Commands& c, const Image& image, const Tensor& plates, const Texts& texts);

// A frame, a label and a score for each detection that the settings let through, as a list of
// plates. found is (1, queries, 6) as detections_into makes it, in pixels of the frame. `runs` are
// the labels of the classes and then "0%" to "100%"; `settings` is a params::BoxSettings and a word
// for each class.
Tensor box_plates(Commands& c, const Tensor& found, const Tensor& settings, const Tensor& runs,
                  uint32_t classes, Extent frame, const params::LabelStyle& style);

}  // namespace saccade
