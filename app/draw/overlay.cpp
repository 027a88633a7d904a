#include "app/draw/overlay.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <optional>
#include <ranges>
#include <utility>

#include "app/draw/colour.h"
#include "app/draw/labels.h"
#include "gpu/ops/elementwise.h"

namespace saccade {

namespace {

constexpr uint32_t most_tile_plates = 256, most_tile_glyphs = 4096;

constexpr uint32_t found_columns = 7;  // box, score, class and query: see box_plates

constexpr uint32_t backdrop = rgba(18, 18, 22);

// Text grows with the frame, but more slowly: large frames are usually shown larger. The area
// counts and not the height, because a wide frame is shown as wide as the screen.
uint32_t pixels_for(Size frame, double at_640_by_480) {
    const double side = std::sqrt(double(frame.x) * frame.y / (640 * 480));
    return static_cast<uint32_t>(std::lround(std::max(at_640_by_480 * std::pow(side, 0.8), 11.0)));
}

TextLayout lay_out_labels(Font& font, const std::vector<std::string>& labels, uint32_t pixels) {
    TextLayout layout(font);
    for (uint32_t id = 0; id < labels.size(); ++id)
        layout.add_line(labels[id], pixels, class_colour(id));
    for (uint32_t percent = 0; percent <= 100; ++percent)
        layout.add_line(std::to_string(percent) + "%", pixels, 0);
    return layout;
}

// A text that has changed is laid out again.
template <typename Text, typename Settings>
void change(Text& text, Text now, std::optional<Settings>& laid_out_for) {
    if (text == now) return;
    text = std::move(now);
    laid_out_for.reset();
}

// Where the cells of a map lie on an image that shows frames at another scale.
HeatPlace heat_place(const MapGeometry& geometry, glm::vec2 scale) {
    const glm::vec2 corner = geometry.corner * scale, cell = geometry.cell * scale;
    return {corner.x, corner.y, cell.x, cell.y};
}

template <typename Struct>
MappedWords on_device(Device& device, const char* name, std::span<const Struct> values) {
    MappedWords memory(device, name, words_of<Struct>(static_cast<uint32_t>(values.size())));
    memory.write(0, values);
    memory.flush();
    return memory;
}

}  // namespace

Overlay::LabelTable::LabelTable(Device& device, Font& font, const std::vector<std::string>& labels,
                                uint32_t pixels)
    : LabelTable(device, lay_out_labels(font, labels, pixels), labels.size()) {}

Overlay::LabelTable::LabelTable(Device& device, const TextLayout& layout, size_t labels)
    : classes(static_cast<uint32_t>(labels)),
      fresh(layout.runs().begin(), layout.runs().end()),
      runs(on_device(device, "label runs", std::span(layout.runs()))),
      glyphs(on_device(device, "label glyphs", std::span(layout.glyphs()))) {}

void Overlay::LabelTable::fade(float to) {
    if (std::exchange(freshness, to) == to) return;
    for (uint32_t id = 0; id < classes; ++id) {
        params::Run run = fresh[id];
        run.colour = faded(run.colour, to);
        runs.write(id * words_of<params::Run>(1), run);
    }
    runs.flush();
}

Overlay::TextMemory::TextMemory(Device& device, uint32_t plate_count, uint32_t glyph_count)
    : plates(device, "plates", plate_list_words(plate_count)),
      runs(device, "runs", words_of<params::Run>(plate_count)),
      glyphs(device, "glyphs", words_of<params::Glyph>(glyph_count)) {}

void Overlay::TextMemory::write(const TextLayout& layout) {
    plates.write(0, static_cast<uint32_t>(layout.plates().size()));
    plates.write(params::plate_list_header, std::span(layout.plates()));
    runs.write(0, std::span(layout.runs()));
    glyphs.write(0, std::span(layout.glyphs()));
    for (const MappedWords* memory : {&plates, &runs, &glyphs}) memory->flush();
}

Overlay::LaneMemory::LaneMemory(Device& device, uint32_t detector_classes)
    : boxes(device, "box settings", words_of<params::BoxSettings>(1) + detector_classes),
      masks(device, "mask settings", words_of<params::BoxSettings>(1) + detector_classes),
      classes(device, "class settings", words_of<params::ClassSettings>(1)),
      heat(device, "heat settings", words_of<params::HeatSettings>(1)),
      texts(device, most_plates, most_glyphs),
      beside_tiles(device, most_tile_plates, most_tile_glyphs),
      points(device, "points", plate_list_words(most_plates)) {}

Overlay::Overlay(Device& device, const OverlaySize& size, const OverlayLabels& labels,
                 uint32_t lanes)
    : device_(device),
      size_(size),
      scale_(glm::vec2(size.image) / glm::vec2(size.frame)),
      label_pixels_(pixels_for(size.image, 14)),
      text_pixels_(pixels_for(size.image, 19)),
      // Room for some hundred letters of each size.
      atlas_side_(text_pixels_ <= 30 ? 1024 : 2048),
      atlas_(device, "glyph atlas", atlas_side_ * atlas_side_ / 4),
      font_(find_dejavu(), {atlas_.bytes(), atlas_side_}),
      style_{.line = font_.height(label_pixels_).line,
             .margin = std::max(label_pixels_ / 4, 2u),
             .frame_width = std::max(2u, (std::min(size.image.x, size.image.y) + 120) / 240),
             .plate = 216},
      detector_(device, font_, labels.detector, label_pixels_),
      classifier_(device, font_, labels.classifier, label_pixels_),
      heat_colours_(on_device(device, "heat colours", std::span<const uint32_t>(heat_colours()))),
      box_scale_(device, "box scale", found_columns),
      points_(font_),
      texts_(font_) {
    const float scale[found_columns] = {scale_.x, scale_.y, scale_.x, scale_.y, 1, 1, 1};
    box_scale_.write(0, std::span<const float>(scale));
    box_scale_.flush();
    atlas_.flush();
    for (uint32_t i = 0; i < lanes; ++i) lanes_.emplace_back(device, detector_.classes);
}

void Overlay::set_caption(const std::vector<ShownWord>& words, std::optional<size_t> lit) {
    change(caption_, words, laid_out_for_);
    change(lit_, lit, laid_out_for_);
}

void Overlay::set_notes(std::vector<Note> notes) {
    change(notes_, std::move(notes), laid_out_for_);
}

void Overlay::set_legend(std::optional<MapLegend> legend) {
    change(legend_, std::move(legend), laid_out_for_);
}

void Overlay::set_marks(Marks marks) { change(marks_, std::move(marks), laid_out_for_); }

void Overlay::set_truth(std::optional<Truth> truth) {
    change(truth_, std::move(truth), laid_out_for_);
}

const std::vector<Rectangle>& Overlay::caption_places() {
    lay_out_texts();
    return caption_places_;
}

Rectangle Overlay::on_image(const Rectangle& of_frame) const {
    return {of_frame.min * scale_, of_frame.max * scale_};
}

void Overlay::record(Commands& c, const Image& image, const OverlayInput& input, uint32_t lane) {
    if (image.width() != size_.image.x || image.height() != size_.image.y)
        throw Error("an overlay for images of another size");
    auto scope = c.scope("draw");
    LaneMemory& mapped = lanes_.at(lane);
    mapped.ranks = 0;
    if (input.maps) record_heat(c, image, input, mapped);
    if (input.points) draw_plates(c, image, mapped.points.tensor(), texts(mapped.texts));
    if (input.masks.logits)
        draw_masks(c, image, input.masks, input.found, mapped.masks.tensor(),
                   detector_.runs.tensor(), detector_.classes);
    if (input.found) record_boxes(c, image, input, mapped);
    if (input.classes.values) record_classes(c, image, input.classes, mapped);
    draw_plates(c, image, mapped.texts.plates.tensor(), texts(mapped.texts));
}

void Overlay::record_boxes(Commands& c, const Image& image, const OverlayInput& input,
                           const LaneMemory& lane) {
    Tensor found = input.found;
    if (size_.image != size_.frame) {
        const Tensor scale =
            make_tensor(box_scale_.tensor().buffer, 0, 1, 1, found_columns, Type::f32);
        found = multiply(c, found, scale, Type::f32);
    }
    const Tensor plates = box_plates(c, found, lane.boxes.tensor(), detector_.runs.tensor(),
                                     detector_.classes, size_.image, style_);
    draw_plates(c, image, plates, texts(detector_));
}

ClassPanel Overlay::class_panel() const {
    const auto right = static_cast<float>(size_.image.x);
    const auto edge = static_cast<float>(text_pixels_ / 2);
    // Long names need some room on a small frame.
    const float width = std::floor(std::max(0.36f * right, 10.0f * float(label_pixels_)));
    return {.left = std::max(right - width - edge, 0.0f),
            .top = edge,
            .width = width,
            .paper = text_plate,
            .ink = text_ink,
            .style = style_};
}

void Overlay::record_classes(Commands& c, const Image& image, const Top& classes,
                             LaneMemory& lane) {
    lane.ranks = classes.values.columns;
    const Tensor plates = class_plates(c, classes, lane.classes.tensor(), classifier_.runs.tensor(),
                                       classifier_.classes, class_panel());
    draw_plates(c, image, plates, texts(classifier_));
}

void Overlay::record_heat(Commands& c, const Image& image, const OverlayInput& input,
                          LaneMemory& lane) {
    lane.tiles = 0;
    const HeatPlace place = heat_place(input.geometry, scale_);
    if (input.coloured)
        draw_colours(c, image, input.maps, lane.heat.tensor(), place);
    else if (input.maps.batch == 1)
        draw_heat(c, image, image, input.maps, {lane.heat.tensor(), heat_colours_.tensor()}, place);
    else
        record_tiles(c, image, input, lane);
}

// Several maps are tiles over small copies of the image.
void Overlay::record_tiles(Commands& c, const Image& image, const OverlayInput& input,
                           LaneMemory& lane) {
    const TileGrid grid = tiles(input.maps.batch);
    Image& thumbnail = thumbnails_[grid.tiles().across];
    const Size size = grid.tile_size();
    if (!thumbnail) thumbnail = Image(device_, "thumbnail", size.x, size.y);
    letterbox(c, thumbnail, image, {0, 0, size.x, size.y});
    draw_heat(c, image, thumbnail, input.maps, {lane.heat.tensor(), heat_colours_.tensor()},
              heat_place(input.geometry, glm::vec2(size) / glm::vec2(size_.frame)), grid.tiles());

    TextLayout beside(font_);
    for (const Rectangle& rest : grid.around()) beside.add_plate(rest, backdrop);
    for (uint32_t i = 0; i < grid.count() && i < input.map_names.size(); ++i)
        beside.add_block(words_of(input.map_names[i]),
                         {.area = grid.tile(i),
                          .pixels = std::max(label_pixels_ * 3 / 4, 10u),
                          .fill = text_plate,
                          .ink = text_ink});
    beside.cut(most_tile_plates, most_tile_glyphs);
    atlas_.flush();
    lane.beside_tiles.write(beside);
    lane.tiles = static_cast<uint32_t>(beside.plates().size());
    draw_plates(c, image, lane.beside_tiles.plates.tensor(), texts(lane.beside_tiles));
}

void Overlay::update(uint32_t lane) {
    LaneMemory& mapped = lanes_.at(lane);
    class_lines_ = settings.classes ? std::min(mapped.ranks, settings.most_classes) : 0;
    lay_out_texts();
    detector_.fade(settings.boxes_freshness);
    write_settings(mapped);
    mapped.texts.write(texts_);
    mapped.points.write(0, static_cast<uint32_t>(points_.plates().size()));
    mapped.points.write(params::plate_list_header, std::span(points_.plates()));
    mapped.points.flush();
}

void Overlay::write_filter(MappedWords& to, bool shown) const {
    const DetectionFilter& filter = settings.filter;
    params::BoxSettings boxes{};
    boxes.threshold = filter.threshold;
    boxes.most = shown ? static_cast<uint32_t>(std::min<size_t>(filter.most, UINT32_MAX)) : 0;
    boxes.selected = settings.selected_query.value_or(params::no_query);
    boxes.same = same_thing;
    boxes.taken = static_cast<uint32_t>(std::min<size_t>(taken_.size(), params::most_taken));
    for (uint32_t i = 0; i < boxes.taken; ++i)
        boxes.areas[i] = {taken_[i].min.x, taken_[i].min.y, taken_[i].max.x, taken_[i].max.y};
    to.write(0, boxes);
    for (uint32_t id = 0; id < detector_.classes; ++id) {
        const bool wanted = filter.classes.empty() || filter.classes.contains(id);
        to.write(words_of<params::BoxSettings>(1) + id, wanted ? 1u : 0u);
    }
}

void Overlay::write_settings(LaneMemory& lane) const {
    write_filter(lane.boxes, settings.boxes);
    write_filter(lane.masks, settings.masks);
    lane.classes.write(0, params::ClassSettings{settings.classes ? settings.most_classes : 0});
    lane.heat.write(0, params::HeatSettings{.opacity = settings.heat ? settings.opacity : 0,
                                            .mass = settings.mass,
                                            .lowest = settings.lowest,
                                            .highest = settings.highest,
                                            .scale = static_cast<uint32_t>(settings.scale)});
    lane.beside_tiles.plates.write(0, settings.heat ? lane.tiles : 0);
    for (const MappedWords* memory :
         {&lane.boxes, &lane.masks, &lane.classes, &lane.heat, &lane.beside_tiles.plates})
        memory->flush();
}

}  // namespace saccade
