#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/draw/font.h"
#include "app/draw/marks.h"
#include "app/draw/text_layout.h"
#include "app/draw/tile_grid.h"
#include "app/frame/source.h"
#include "gpu/ops/draw.h"
#include "gpu/ops/rows.h"
#include "gpu/transfer/mapped_words.h"
#include "models/detector.h"
#include "shaders/draw/params.h"

namespace saccade {

// The range of values that a map's colours span: from 0 to its largest cell, from its smallest to
// its largest, or fixed for all maps.
enum class HeatScale : uint32_t {
    fixed = params::heat_scale_fixed,
    max = params::heat_scale_max,
    min_max = params::heat_scale_min_max,
};

// Settings that may change from frame to frame.
struct OverlaySettings {
    bool boxes = true;
    bool masks = true;                                      // of objects, if the model makes masks
    DetectionFilter filter;                                 // of boxes and masks
    std::optional<uint32_t> selected_query = std::nullopt;  // its box is highlighted

    bool classes = true;
    uint32_t most_classes = 5;
    bool only_sure = false;  // leaves out classes below the model's threshold

    bool caption = true;
    // Findings of an earlier frame are faded: 1 is this frame's, 0 is long ago.
    float boxes_freshness = 1, caption_freshness = 1;

    bool heat = true;
    float opacity = 0.8f;  // of the largest cell
    float mass = 1;        // draws only the fewest cells that hold this share of the attention
    HeatScale scale = HeatScale::max;
    float lowest = 0, highest = 1;  // of a fixed scale

    // Parts of the image (0 .. 1 in both directions) that a window covers with its own texts: no
    // label is drawn there.
    std::array<Rectangle, 2> covered = {};
};

// The names of what models find.
struct OverlayLabels {
    std::vector<std::string> detector = {}, classifier = {};
};

// The tensors to draw, on the device. Empty ones are skipped.
struct OverlayInput {
    Tensor found = {};  // Findings::found()
    Masks masks = {};   // of the objects, for models that make them
    Top classes = {};   // Ranking::on_device()
    // (n, grid height, grid width) f32, and how they lie over the frame. Several maps (heads of a
    // layer) are drawn as tiles, each over a small copy of the frame, with its name in the corner.
    Tensor maps = {};
    MapGeometry geometry = {};
    std::vector<std::string> map_names = {};
    bool coloured = false;  // the maps are red, green and blue of one
    bool points = true;     // marks may have dots and patches, which lie below boxes and texts
};

// A word of a caption. Its opacity shows its probability; below a tenth it is underlined by dots.
struct ShownWord {
    std::string text;
    float p = 1;
    bool operator==(const ShownWord&) const = default;
};

// The legend of the maps over a frame, in its upper left corner: what they show, and the colours.
struct MapLegend {
    std::vector<std::string> lines;
    bool scale = true;  // false: the map's colours are no scale of values
    bool operator==(const MapLegend&) const = default;
};

// A text at an edge, in a corner or in the middle of the frame: 0 is left or top, 0.5 the middle, 1
// right or bottom.
struct Note {
    std::string text;
    glm::vec2 align{};
    bool operator==(const Note&) const = default;
};

// The size of the frames, and of the images that are drawn on: the frames themselves, or copies of
// them at the size at which a window shows them. The size of text follows the image.
struct OverlaySize {
    OverlaySize(Size of_both) : frame(of_both), image(of_both) {}
    OverlaySize(Size of_frame, Size of_image) : frame(of_frame), image(of_image) {}

    Size frame, image;
};

// Draws onto images of one size, in place and on the device, without reading anything back: maps of
// attention, boxes with labels and scores, likely classes and of how many, captions, notes. All
// coordinates are pixels of the frame. A new size or a new model needs a new overlay; all else can
// change between two runs of a recording.
class Overlay {
public:
    // `lanes` frames may be in flight at a time, each with its own recording.
    Overlay(Device& device, const OverlaySize& size, const OverlayLabels& labels,
            uint32_t lanes = 1);

    OverlaySettings settings;
    // The lit word, usually the newest, is highlighted.
    void set_caption(const std::vector<ShownWord>& words, std::optional<size_t> lit = std::nullopt);
    // Notes at the bottom lie above the caption.
    void set_notes(std::vector<Note> notes);
    void set_legend(std::optional<MapLegend> legend);
    void set_marks(Marks marks);
    // The ground truth, if the source knows it: white boxes with labels in the corner that labels
    // of detections leave free, and the true caption above the model's.
    void set_truth(std::optional<Truth> truth);
    // How this many maps lie side by side.
    TileGrid tiles(uint32_t maps) const {
        return {size_.image, maps, style_.frame_width, size_.frame};
    }
    // Where the words of the caption lie; a word that is not drawn has no area.
    const std::vector<Rectangle>& caption_places();

    // Records the drawing onto an image. No earlier recording of this lane may still be running.
    void record(Commands& c, const Image& image, const OverlayInput& input, uint32_t lane = 0);
    // Writes the current settings and texts to the memory that a lane's recording reads. Call it
    // before each run, after the last one has finished. Texts are laid out only if they changed.
    void update(uint32_t lane = 0);
    // How often texts were laid out.
    uint64_t layouts() const { return layouts_; }

private:
    // A model's labels and the texts "0%" to "100%", laid out once.
    struct LabelTable {
        LabelTable(Device& device, Font& font, const std::vector<std::string>& labels,
                   uint32_t pixels);
        LabelTable(Device& device, const TextLayout& layout, size_t labels);
        // Makes the colours of boxes and labels greyer and more transparent.
        void fade(float freshness);
        uint32_t classes;
        std::vector<params::Run> fresh;  // in full colour
        float freshness = 1;
        MappedWords runs, glyphs;
    };
    static constexpr uint32_t most_plates = 1024, most_glyphs = 8192;  // of texts and marks
    // Texts that change from frame to frame.
    struct TextMemory {
        TextMemory(Device& device, uint32_t most_plates, uint32_t most_glyphs);
        void write(const TextLayout& layout);
        MappedWords plates, runs, glyphs;
    };
    // Memory that a recording reads and the host writes.
    struct LaneMemory {
        LaneMemory(Device& device, uint32_t classes);
        MappedWords boxes, masks, classes, heat;  // settings
        TextMemory texts, beside_tiles;
        MappedWords points;  // dots and patches
        uint32_t tiles = 0;  // how many plates lie beside the tiles
        uint32_t ranks = 0;  // how many classes the classifier ranks
    };
    // What the layout depends on besides the texts themselves.
    struct TextSettings {
        float freshness = 1;
        bool caption = true, heat = true;
        HeatScale scale = HeatScale::max;
        uint32_t classes = 0;  // lines of the panel of classes
        std::array<Rectangle, 2> covered;
        bool operator==(const TextSettings&) const = default;
    };

    void record_boxes(Commands& c, const Image& image, const OverlayInput& input,
                      const LaneMemory& lane);
    void record_classes(Commands& c, const Image& image, const Top& classes, LaneMemory& lane);
    void record_heat(Commands& c, const Image& image, const OverlayInput& input, LaneMemory& lane);
    void record_tiles(Commands& c, const Image& image, const OverlayInput& input, LaneMemory& lane);
    void write_settings(LaneMemory& lane) const;
    void write_filter(MappedWords& to, bool shown) const;
    Rectangle on_image(const Rectangle& of_frame) const;
    ClassPanel class_panel() const;
    TextSettings text_settings() const;
    TextLayout::Block label_block() const;
    // Reserves a place before the labels of boxes are placed; marks do not.
    void claim(const Rectangle& place) { taken_.push_back(place); }
    void lay_out_texts();
    void lay_out_points();
    void lay_out_class_count(const ClassPanel& panel);
    void lay_out_caption(TextLayout::Block& block);
    void lay_out_notes(TextLayout::Block& block);
    void lay_out_legend();
    void lay_out_truth(TextLayout::Block block);
    void lay_out_marks();
    void lay_out_boxes();
    // The texts of a LabelTable or a TextMemory.
    template <typename Owner>
    Texts texts(const Owner& owner) const {
        return {owner.runs.tensor(), owner.glyphs.tensor(), atlas_.tensor(), atlas_side_};
    }

    Device& device_;
    OverlaySize size_;
    glm::vec2 scale_;  // pixels of the image to one of the frame
    uint32_t label_pixels_, text_pixels_;
    uint32_t atlas_side_;
    MappedWords atlas_;
    Font font_;
    params::LabelStyle style_;
    LabelTable detector_, classifier_;
    MappedWords heat_colours_;
    MappedWords box_scale_;                 // from a box of the findings to pixels of the image
    std::map<uint32_t, Image> thumbnails_;  // small frames, by how many fit side by side
    std::vector<LaneMemory> lanes_;

    std::vector<ShownWord> caption_;
    std::optional<size_t> lit_;
    std::vector<Rectangle> caption_places_;
    std::vector<Note> notes_;
    std::optional<MapLegend> legend_;
    Marks marks_;
    std::optional<Truth> truth_;
    uint32_t class_lines_ = 0;                  // of the lane that was updated last
    TextLayout points_;                         // of marks, below boxes and texts
    TextLayout texts_;                          // caption, notes, legend, marks and truth
    std::optional<TextSettings> laid_out_for_;  // the settings of that layout; empty: lay out again
    std::vector<Rectangle> taken_;              // by texts: no label of a box may lie there
    uint64_t layouts_ = 0;
};

}  // namespace saccade
