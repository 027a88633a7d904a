#include <algorithm>
#include <cmath>
#include <glm/common.hpp>

#include "app/draw/colour.h"
#include "app/draw/labels.h"
#include "app/draw/overlay.h"

// Where texts lie: the caption at the bottom, notes and the true caption above it, the legend at
// the upper left, the likely classes at the upper right, counts of lines and zones where these
// begin. Labels of boxes come last, where these leave room: see README.md.

namespace saccade {

namespace {

constexpr uint32_t lit_ink = rgba(255, 205, 80), true_ink = rgba(255, 255, 255);
constexpr uint32_t label_ink = rgba(20, 20, 20);
constexpr float unsure_below = 0.1f;  // the probability of a word

// The opacity shows the probability, but the word stays legible.
uint32_t ink_of(const ShownWord& word) {
    return with_alpha(text_ink, 0.4 + 0.6 * std::clamp(double(word.p), 0.0, 1.0));
}

// Dots at the lower edge of a word.
void add_dots_below(TextLayout& texts, const Rectangle& word, uint32_t pixels, uint32_t colour) {
    const float size = std::max(std::round(static_cast<float>(pixels) / 12), 1.0f);
    const float top = word.max.y - 2 * size;
    for (float x = word.min.x; x + size <= word.max.x; x += 2 * size)
        texts.add_plate({x, top, x + size, top + size}, colour);
}

}  // namespace

Overlay::TextSettings Overlay::text_settings() const {
    return {.freshness = settings.caption_freshness,
            .caption = settings.caption,
            .heat = settings.heat,
            .scale = settings.scale,
            .classes = class_lines_,
            .covered = settings.covered};
}

TextLayout::Block Overlay::label_block() const {
    return {.area = {}, .pixels = label_pixels_, .fill = text_plate, .ink = text_ink};
}

void Overlay::lay_out_texts() {
    const TextSettings now = text_settings();
    if (laid_out_for_ == now) return;
    laid_out_for_ = now;
    ++layouts_;
    texts_.clear();
    taken_.clear();
    const glm::vec2 image(size_.image);
    const auto edge = static_cast<float>(text_pixels_ / 2);
    for (const Rectangle& part : now.covered)
        if (part.area() > 0) claim({part.min * image, part.max * image});
    if (now.classes > 0) {
        const ClassPanel panel = class_panel();
        claim({panel.left, panel.top, panel.left + panel.width,
               panel.top + panel.height(now.classes)});
        lay_out_class_count(panel);
    }
    TextLayout::Block block{.area = {glm::vec2(edge), image - edge}};
    lay_out_caption(block);
    lay_out_notes(block);
    if (legend_ && now.heat) lay_out_legend();
    const size_t above = texts_.plates().size();
    lay_out_points();
    if (truth_) lay_out_truth(block);
    lay_out_marks();
    texts_.cut(most_plates, most_glyphs);
    texts_.raise(above);
    atlas_.flush();
}

// What is looked at lies below boxes and texts, whoever draws these.
void Overlay::lay_out_points() {
    points_.clear();
    for (const Marks::Patch& patch : marks_.patches) {
        const Rectangle place = on_image(patch.place);
        points_.add_plate({glm::round(place.min), glm::round(place.max)}, patch.colour);
    }
    const auto width = static_cast<float>(style_.frame_width);
    for (const Marks::Dot& dot : marks_.dots) {
        const glm::vec2 place = dot.place * scale_, half(dot.size * width / 2);
        points_.add_plate({place - half, place + half}, dot.colour);
    }
    points_.cut(most_plates, most_glyphs);
}

// Likely among how many: below their bars.
void Overlay::lay_out_class_count(const ClassPanel& panel) {
    const std::vector<TextLayout::Word> words =
        words_of("of " + std::to_string(classifier_.classes) + " classes");
    const glm::vec2 size = texts_.line_size(words, label_pixels_);
    const glm::vec2 corner(panel.left + panel.width, panel.top + panel.height(class_lines_));
    TextLayout::Block block = label_block();
    block.area = {corner.x - size.x, corner.y, corner.x, corner.y + size.y};
    texts_.add_block(words, block);
    claim(block.area);
}

// Blocks that are stacked from the bottom leave less room for the next.
void Overlay::lay_out_caption(TextLayout::Block& block) {
    caption_places_.assign(caption_.size(), {});
    if (!settings.caption || caption_.empty()) return;
    const float freshness = settings.caption_freshness;
    std::vector<TextLayout::Word> words;
    for (size_t i = 0; i < caption_.size(); ++i) {
        const uint32_t own = i == lit_ ? lit_ink : ink_of(caption_[i]);
        words.push_back({caption_[i].text, freshness < 1 ? faded(own, freshness) : own});
    }
    block.align = {0.5f, 1};
    block.pixels = text_pixels_;
    block.fill = faded(text_plate, freshness);
    block.ink = faded(text_ink, freshness);
    // A long caption stays in the lower part of the frame.
    block.most_lines = std::max(2u, size_.image.y / 3 / font_.height(text_pixels_).line);
    caption_places_ = texts_.add_block(words, block);
    const params::Plate& plate = texts_.plates().back();
    const Rectangle all{plate.left, plate.top, plate.right, plate.bottom};
    claim(all);
    block.area.max.y = all.min.y - static_cast<float>(text_pixels_ / 4);
    for (size_t i = 0; i < words.size(); ++i) {
        Rectangle& place = caption_places_[i];
        if (caption_[i].p < unsure_below && place.area() > 0)
            add_dots_below(texts_, place, text_pixels_, words[i].ink);
        place = {place.min / scale_, place.max / scale_};
    }
}

void Overlay::lay_out_notes(TextLayout::Block& block) {
    TextLayout::Block label = label_block();
    for (const Note& note : notes_) {
        if (note.text.empty()) continue;
        label.area = block.area;
        label.align = note.align;
        texts_.add_block(words_of(note.text), label);
        const params::Plate& plate = texts_.plates().back();
        claim({plate.left, plate.top, plate.right, plate.bottom});
        if (note.align.y == 1) block.area.max.y = plate.top - static_cast<float>(text_pixels_ / 4);
    }
}

// A few lines, and the scale of colours.
void Overlay::lay_out_legend() {
    static const std::array<uint32_t, 256> colours = heat_colours();
    constexpr size_t steps = 32;
    const auto edge = static_cast<float>(text_pixels_ / 2);
    const auto line = static_cast<float>(font_.height(label_pixels_).line);
    const auto margin = static_cast<float>(label_pixels_ / 2);
    const float right = class_lines_ > 0 ? class_panel().left : float(size_.image.x);
    TextLayout::Block block = label_block();
    block.area = {edge, edge, std::max(right - edge, edge + 1), float(size_.image.y) / 2};
    std::vector<TextLayout::Word> words;
    for (const std::string& one : legend_->lines) {
        std::vector<TextLayout::Word> more = words_of(one);
        if (!more.empty() && !words.empty()) more.front().new_line = true;
        words.insert(words.end(), more.begin(), more.end());
    }
    const char* const first = settings.scale == HeatScale::min_max ? "least" : "0";
    const char* const last = settings.scale == HeatScale::fixed ? "1" : "most";
    if (legend_->scale) words.push_back({first, 0, true});
    const std::vector<Rectangle> places = texts_.add_block(words, block);
    if (places.empty()) return;
    const params::Plate plate = texts_.plates().back();
    claim({plate.left, plate.top, plate.right, plate.bottom});
    if (!legend_->scale) return;
    // The last line: the lowest value, the colours, the highest value.
    const float width = texts_.line_size(words_of(last), label_pixels_).x - 2 * margin;
    const Rectangle at{places.back().max.x + margin, places.back().min.y,
                       plate.right - width - 2 * margin, places.back().max.y};
    if (at.size().x < line) return;
    auto edge_of = [&](size_t step) {
        return std::round(at.min.x + at.size().x * static_cast<float>(step) / steps);
    };
    const float top = std::round(at.min.y + 0.25f * line),
                bottom = std::round(at.max.y - 0.15f * line);
    for (size_t i = 0; i < steps; ++i)
        texts_.add_plate({edge_of(i), top, edge_of(i + 1), bottom},
                         with_alpha(colours[i * 255 / (steps - 1)], 1));
    block.area = {at.max.x, at.min.y - std::floor(margin / 2), plate.right, plate.bottom};
    block.fill = 0;
    block.align = {1, 0};
    texts_.add_block(words_of(last), block);
}

// Labels of the ground truth lie in the lower right corners, where labels of boxes rarely do.
void Overlay::lay_out_truth(TextLayout::Block block) {
    TextLayout::Block label = label_block();
    label.ink = true_ink;
    label.area = block.area;
    label.align = {0.5f, 1};
    texts_.add_block(words_of("truth: " + truth_->caption), label);
    const params::Plate plate = texts_.plates().back();
    claim({plate.left, plate.top, plate.right, plate.bottom});
    label.align = {};
    for (const TrueObject& o : truth_->objects) {
        const Rectangle box = on_image(o.box);
        texts_.add_frame(box, true_ink, static_cast<float>(style_.frame_width) / 2);
        const std::vector<TextLayout::Word> words = words_of(o.label);
        const glm::vec2 size = texts_.line_size(words, label_pixels_);
        label.area = place_near(box.max - size, size, size_.image, taken_);
        claim(label.area);
        texts_.add_block(words, label);
    }
}

void Overlay::lay_out_marks() {
    TextLayout::Block block{.area = {}, .pixels = label_pixels_, .ink = label_ink};
    std::vector<Rectangle> places;
    for (const Marks::Text& text : marks_.texts) {
        const glm::vec2 size = texts_.line_size(words_of(text.text), label_pixels_);
        places.push_back(place_near(text.place * scale_, size, size_.image, taken_));
        claim(places.back());
    }
    lay_out_boxes();
    for (size_t i = 0; i < places.size(); ++i) {
        block.area = places[i];
        block.fill = with_alpha(marks_.texts[i].colour, style_.plate / 255.0);
        texts_.add_block(words_of(marks_.texts[i].text), block);
    }
}

// The boxes of marks, as box_plates lays out those that the device knows.
void Overlay::lay_out_boxes() {
    const auto width = static_cast<float>(style_.frame_width);
    std::vector<Marks::Box> strongest_first(marks_.boxes.rbegin(), marks_.boxes.rend());
    std::ranges::stable_partition(strongest_first, &Marks::Box::selected);
    std::vector<LabelledBox> boxes;
    for (const Marks::Box& box : strongest_first)
        boxes.push_back({on_image(box.place), texts_.line_size(words_of(box.text), label_pixels_)});
    const std::vector<PlacedLabel> labels = place_labels(boxes, size_.image, taken_);
    for (size_t i = boxes.size(); i-- > 0;)
        if (!labels[i].merged)
            texts_.add_frame(boxes[i].box,
                             strongest_first[i].selected ? true_ink : strongest_first[i].colour,
                             strongest_first[i].selected ? 2 * width : width);
    TextLayout::Block block{.area = {}, .pixels = label_pixels_, .ink = label_ink};
    for (size_t i = boxes.size(); i-- > 0;) {
        if (!labels[i].place) continue;
        block.area = *labels[i].place;
        block.fill = with_alpha(strongest_first[i].colour, style_.plate / 255.0);
        texts_.add_block(words_of(strongest_first[i].text), block);
    }
}

}  // namespace saccade
