#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/font.h"
#include "app/text_layout.h"
#include "gpu/draw.h"
#include "gpu/mapped_words.h"
#include "models/detector.h"

namespace saccade {

// What is drawn and how; may change from frame to frame.
struct OverlaySettings {
    bool boxes = true;
    DetectionFilter filter;                                 // of boxes
    std::optional<uint32_t> selected_query = std::nullopt;  // its box stands out
    bool caption = true;
};

// The names of what models find.
struct OverlayLabels {
    std::vector<std::string> detector;
};

// Where the things to draw lie on the device; what is empty is not drawn.
struct OverlayInput {
    Tensor found;  // Detector::found()
};

// A text in a corner of the frame, or in between: 0 is left or top, 0.5 the middle, 1 right or
// bottom.
struct Note {
    std::string text;
    float x = 0, y = 0;
};

// Draws onto frames of one size, in place and on the device, without reading anything back: boxes
// with labels and scores, captions, notes. Another size of frame or another model needs another
// overlay; all else can change between two runs of what was recorded.
class Overlay {
public:
    // `slots` frames may be on their way at a time, each with a recording of its own.
    Overlay(Device& device, ImageSize frame, const OverlayLabels& labels, uint32_t slots = 1);

    OverlaySettings settings;
    // The lit word, usually the newest, stands out.
    void set_caption(const std::vector<std::string>& words,
                     std::optional<size_t> lit = std::nullopt);
    void set_notes(std::vector<Note> notes);
    // Which word of the caption lies under a pixel of the frame.
    std::optional<size_t> caption_word_at(float x, float y) const;

    void record(Commands& c, const Image& frame, const OverlayInput& input, uint32_t slot = 0);
    // Before each run of a slot's recording, once its last run has finished: hands it the settings
    // and texts of now.
    void update(uint32_t slot = 0);

private:
    // What a recording reads and the CPU writes.
    struct Slot {
        MappedWords box_settings, plates, runs, glyphs;
    };
    void write_box_settings(Slot& slot) const;
    void write_texts(Slot& slot) const;
    void lay_out_texts();
    Texts texts(const MappedWords& runs, const MappedWords& glyphs) const;

    ImageSize frame_;
    uint32_t label_pixels_, text_pixels_;
    MappedWords atlas_;
    Font font_;
    params::LabelStyle style_;
    uint32_t classes_;
    TextLayout labels_;  // of the detector's classes, then "0%" to "100%"
    MappedWords label_runs_, label_glyphs_;
    std::vector<Slot> slots_;

    std::vector<TextLayout::Word> caption_;
    std::vector<Rectangle> caption_places_;
    std::vector<Note> notes_;
    TextLayout texts_;  // caption and notes
};

}  // namespace saccade
