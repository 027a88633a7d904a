#include "app/overlay.h"

#include <algorithm>
#include <cmath>

#include "app/colour.h"

namespace saccade {

namespace {

constexpr uint32_t atlas_side = 2048;
constexpr uint32_t most_glyphs = 8192, most_plates = 256;  // of texts that change

constexpr uint32_t paper = rgba(16, 16, 20, 168), ink = rgba(240, 240, 240);
constexpr uint32_t lit_ink = rgba(255, 205, 80);

// Text grows with the frame, but less: a large frame is also looked at from nearer.
uint32_t pixels_for(ImageSize frame, double at_480) {
    const double side = std::min(frame.width, frame.height);
    return static_cast<uint32_t>(std::lround(std::max(at_480 * std::pow(side / 480, 0.8), 10.0)));
}

TextLayout lay_out_labels(Font& font, const std::vector<std::string>& labels, uint32_t pixels) {
    TextLayout layout(font);
    for (uint32_t id = 0; id < labels.size(); ++id)
        layout.add_line(labels[id], pixels, class_colour(id));
    for (uint32_t percent = 0; percent <= 100; ++percent)
        layout.add_line(std::to_string(percent) + "%", pixels, 0);
    return layout;
}

template <typename Struct>
MappedWords on_device(Device& device, const char* name, const std::vector<Struct>& values) {
    MappedWords memory(device, name, words_of<Struct>(static_cast<uint32_t>(values.size())));
    memory.write(0, std::span(values));
    memory.flush();
    return memory;
}

}  // namespace

Overlay::Overlay(Device& device, ImageSize frame, const OverlayLabels& labels, uint32_t slots)
    : frame_(frame),
      label_pixels_(pixels_for(frame, 14)),
      text_pixels_(pixels_for(frame, 19)),
      atlas_(device, "glyph atlas", atlas_side * atlas_side / 4),
      font_(find_dejavu(), {atlas_.bytes(), atlas_side}),
      style_{.line = font_.height(label_pixels_).line,
             .margin = std::max(label_pixels_ / 4, 2u),
             .frame_width = std::max(2u, (std::min(frame.width, frame.height) + 150) / 300),
             .plate = 216},
      classes_(static_cast<uint32_t>(labels.detector.size())),
      labels_(lay_out_labels(font_, labels.detector, label_pixels_)),
      label_runs_(on_device(device, "label runs", labels_.runs())),
      label_glyphs_(on_device(device, "label glyphs", labels_.glyphs())),
      texts_(font_) {
    atlas_.flush();
    for (uint32_t i = 0; i < slots; ++i)
        slots_.push_back(
            {MappedWords(device, "box settings", words_of<params::BoxSettings>(1) + classes_),
             MappedWords(device, "plates", plate_list_words(most_plates)),
             MappedWords(device, "runs", words_of<params::Run>(most_plates)),
             MappedWords(device, "glyphs", words_of<params::Glyph>(most_glyphs))});
}

void Overlay::set_caption(const std::vector<std::string>& words, std::optional<size_t> lit) {
    caption_.clear();
    for (size_t i = 0; i < words.size(); ++i)
        caption_.push_back({words[i], i == lit ? lit_ink : 0});
    lay_out_texts();
}

void Overlay::set_notes(std::vector<Note> notes) {
    notes_ = std::move(notes);
    lay_out_texts();
}

void Overlay::lay_out_texts() {
    texts_.clear();
    const auto width = static_cast<float>(frame_.width), height = static_cast<float>(frame_.height);
    const auto edge = static_cast<float>(text_pixels_ / 2);
    TextLayout::Block block{.area = {edge, edge, width - edge, height - edge},
                            .x = 0.5f,
                            .y = 1,
                            .pixels = text_pixels_,
                            .fill = paper,
                            .ink = ink};
    // A caption that grows and grows keeps to the lower part of the frame.
    block.most_lines = std::max(2u, frame_.height / 3 / font_.height(text_pixels_).line);
    caption_places_ = texts_.add_block(caption_, block);
    block.most_lines = UINT32_MAX;
    block.pixels = label_pixels_;
    for (const Note& note : notes_) {
        block.x = note.x;
        block.y = note.y;
        texts_.add_block(words_of(note.text), block);
    }
    texts_.cut(most_plates, most_glyphs);
    atlas_.flush();
}

std::optional<size_t> Overlay::caption_word_at(float x, float y) const {
    for (size_t i = 0; i < caption_places_.size(); ++i)
        if (caption_places_[i].contains(x, y)) return i;
    return std::nullopt;
}

Texts Overlay::texts(const MappedWords& runs, const MappedWords& glyphs) const {
    return {runs.tensor(), glyphs.tensor(), atlas_.tensor(), atlas_side};
}

void Overlay::record(Commands& c, const Image& frame, const OverlayInput& input, uint32_t slot) {
    auto scope = c.scope("draw");
    const Slot& mapped = slots_.at(slot);
    if (input.found) {
        const Tensor plates =
            box_plates(c, input.found, mapped.box_settings.tensor(), label_runs_.tensor(), classes_,
                       {frame.height(), frame.width()}, style_);
        draw_plates(c, frame, plates, texts(label_runs_, label_glyphs_));
    }
    draw_plates(c, frame, mapped.plates.tensor(), texts(mapped.runs, mapped.glyphs));
}

void Overlay::update(uint32_t slot) {
    Slot& mapped = slots_.at(slot);
    write_box_settings(mapped);
    write_texts(mapped);
}

void Overlay::write_box_settings(Slot& slot) const {
    const DetectionFilter& filter = settings.filter;
    const params::BoxSettings boxes{
        .threshold = filter.threshold,
        .most =
            settings.boxes ? static_cast<uint32_t>(std::min<size_t>(filter.most, UINT32_MAX)) : 0,
        .selected = settings.selected_query.value_or(params::no_query)};
    slot.box_settings.write(0, boxes);
    for (uint32_t id = 0; id < classes_; ++id)
        slot.box_settings.write(
            words_of<params::BoxSettings>(1) + id,
            uint32_t{filter.classes.empty() || filter.classes.contains(id) ? 1u : 0u});
    slot.box_settings.flush();
}

void Overlay::write_texts(Slot& slot) const {
    std::span plates(texts_.plates());
    if (!settings.caption && !caption_.empty()) plates = plates.subspan(1);  // it comes first
    slot.plates.write(0, static_cast<uint32_t>(plates.size()));
    slot.plates.write(params::plate_list_header, plates);
    slot.runs.write(0, std::span(texts_.runs()));
    slot.glyphs.write(0, std::span(texts_.glyphs()));
    for (const MappedWords* memory : {&slot.plates, &slot.runs, &slot.glyphs}) memory->flush();
}

}  // namespace saccade
