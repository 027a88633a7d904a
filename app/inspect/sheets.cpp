#include "app/inspect/sheets.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <opencv2/imgproc.hpp>

#include "app/draw/colour.h"
#include "app/draw/heat_map.h"
#include "app/draw/point_marks.h"

namespace saccade {

namespace {

constexpr const char* largest = "largest";
constexpr const char* own_scale =
    "Share of the attention on each patch. Each map has its own scale, from 0 to its largest "
    "value, which is below it.";

std::string scale_text(const EncoderView& encoder) {
    if (!encoder.outliers) return own_scale;
    return std::string(own_scale) +
           " A few patches are outliers: values are clipped at four times the 98th percentile.";
}

std::string percent(double p) {
    char text[32];
    std::snprintf(text, sizeof text, 100 * p < 9.95 ? "%.1f %%" : "%.0f %%", 100 * p);
    return text;
}

std::string whole_percent(double p) {
    char text[32];
    std::snprintf(text, sizeof text, "%.0f %%", 100 * p);
    return text;
}

std::string heads_text(std::optional<uint32_t> head) {
    return head ? "head " + std::to_string(*head) : "mean of all heads";
}

float largest_of(const std::vector<float>& cells) { return *std::ranges::max_element(cells); }

// The picture at the size of a sheet's tiles, and maps over it.
class TilePicture {
public:
    // Scaled to this width, or less if it would be much higher than wide.
    TilePicture(const PictureView& picture, int width) {
        const cv::Mat whole = as_bgr(picture);
        const double scale = std::min(double(width) / whole.cols, 1.25 * width / whole.rows);
        auto scaled = [&](int side) {
            return std::max(1, static_cast<int>(std::lround(side * scale)));
        };
        cv::resize(whole, pixels_, {scaled(whole.cols), scaled(whole.rows)}, 0, 0,
                   scale < 1 ? cv::INTER_AREA : cv::INTER_CUBIC);
        x_ = double(pixels_.cols) / whole.cols;
        y_ = double(pixels_.rows) / whole.rows;
    }

    cv::Mat plain() const { return pixels_.clone(); }
    cv::Mat with(const std::vector<float>& cells, const MapGeometry& geometry) const {
        return with_heat(view_of(pixels_), cells, scaled(geometry));
    }
    cv::Mat alone(const std::vector<float>& cells, const MapGeometry& geometry) const {
        return heat_alone(pixels_.size(), cells, scaled(geometry));
    }

    cv::Mat coloured(const std::vector<float>& colours, const MapGeometry& geometry,
                     double opacity) const {
        return with_colours(view_of(pixels_), colours, scaled(geometry), opacity);
    }

    void draw_box(cv::Mat& tile, const Detection& d) const {
        const cv::Rect edges(pixel(d.box.min), pixel(d.box.max));
        cv::rectangle(tile, edges, cv::Scalar::all(0), 4, cv::LINE_AA);
        cv::rectangle(tile, edges, scalar(class_colour(d.id)), 2, cv::LINE_AA);
    }
    // The sampling points of a query, sized by their weights.
    void draw_samples(cv::Mat& tile, std::vector<SampledPoint> points) const {
        for (const Marks::Dot& dot : dots_of(std::move(points)))
            cv::circle(tile, pixel(dot.place), cvRound(1.2f * dot.size), scalar(dot.colour), -1,
                       cv::LINE_AA);
    }
    // The attention window of a patch.
    void draw_window(cv::Mat& tile, const Rectangle& window) const {
        const cv::Rect edges(pixel(window.min), pixel(window.max));
        cv::rectangle(tile, edges, cv::Scalar::all(0), 4, cv::LINE_AA);
        cv::rectangle(tile, edges, cv::Scalar(80, 205, 255), 2, cv::LINE_AA);
    }
    void draw_point(cv::Mat& tile, glm::vec2 point) const {
        const cv::Point centre = pixel(point);
        const int radius = std::max(5, tile.cols / 40);
        cv::circle(tile, centre, radius, cv::Scalar::all(0), 4, cv::LINE_AA);
        cv::circle(tile, centre, radius, cv::Scalar::all(255), 2, cv::LINE_AA);
    }

private:
    static cv::Scalar scalar(uint32_t colour) {
        return {double(colour >> 16 & 0xffu), double(colour >> 8 & 0xffu), double(colour & 0xffu)};
    }
    cv::Point pixel(glm::vec2 point) const {
        return {cvRound(double(point.x) * x_), cvRound(double(point.y) * y_)};
    }
    MapGeometry scaled(MapGeometry geometry) const {
        geometry.corner *= glm::vec2(x_, y_);
        geometry.cell *= glm::vec2(x_, y_);
        return geometry;
    }

    cv::Mat pixels_;
    double x_ = 1, y_ = 1;  // pixels of the tile per pixel of the picture
};

// The share of a map inside a box, by the cells' centres.
double share_within(const std::vector<float>& cells, const MapGeometry& geometry,
                    const Detection& d) {
    double within = 0, all = 0;
    for (uint32_t i = 0; i < cells.size(); ++i) {
        const uint32_t row = i / geometry.grid.x, column = i % geometry.grid.x;
        const glm::vec2 middle = geometry.corner + (glm::vec2(column, row) + 0.5f) * geometry.cell;
        all += double(cells[i]);
        if (d.box.contains(middle)) within += double(cells[i]);
    }
    return all > 0 ? within / all : 0;
}

std::string classes_text(const Study& study) {
    std::string text;
    for (const Study::Class& c : study.classes())
        if (text.empty() || c.p >= 0.005)
            text += (text.empty() ? "" : ", ") + c.label + " " + whole_percent(c.p);
    return text;
}

size_t tiles_across(size_t count, size_t most) {
    const size_t rows = (count + most - 1) / most;
    return (count + rows - 1) / rows;
}

}  // namespace

std::string text_of(const Look& look) {
    return "layer " + std::to_string(look.layer) + ", " + heads_text(look.head);
}

Sheet class_token_sheet(const Study& study, const EncoderView& encoder) {
    const AttentionSource& attention = encoder.attention;
    const TilePicture picture(study.picture(), 160);
    Sheet sheet{.title = "Attention of the class token",
                .subtitle = study.name() + ", " + encoder.model + ": " + classes_text(study)};
    sheet.across = attention.heads() + 2;
    for (uint32_t i = 0; i < attention.heads(); ++i)
        sheet.columns.push_back("head " + std::to_string(i));
    sheet.columns.insert(sheet.columns.end(), {"mean", "over picture"});
    for (uint32_t layer = 0; layer < attention.layers(); ++layer) {
        sheet.rows.push_back("layer " + std::to_string(encoder.first_layer + layer));
        const std::vector<float> heads = attention.cells_of(attention.rows(layer, 0, 1));
        const std::vector<float> average = of_head(heads, attention.heads(), std::nullopt);
        for (uint32_t head = 0; head <= attention.heads(); ++head) {
            const std::vector<float> cells = encoder.drawn(
                head < attention.heads() ? of_head(heads, attention.heads(), head) : average);
            sheet.tiles.push_back({.picture = picture.alone(cells, attention.geometry()),
                                   .note = percent(double(largest_of(cells)))});
        }
        sheet.tiles.push_back({picture.with(encoder.drawn(average), attention.geometry())});
    }
    sheet.legend = Sheet::Legend::alone;
    sheet.high = largest;
    sheet.legend_text = scale_text(encoder);
    return sheet;
}

Sheet rollout_sheet(const Study& study, const EncoderView& encoder) {
    const AttentionSource& attention = encoder.attention;
    const TilePicture picture(study.picture(), 480);
    const std::vector<float> cells = encoder.drawn(attention.cells_of(encoder.rollout));
    Sheet sheet{.title = "Attention rollout to the class token",
                .subtitle = study.name() + ", " + encoder.model + ": " + classes_text(study)};
    sheet.across = 3;
    sheet.tiles = {{.picture = picture.plain(), .heading = "picture"},
                   {.picture = picture.with(cells, attention.geometry()),
                    .heading = "rollout over the picture"},
                   {.picture = picture.alone(cells, attention.geometry()),
                    .heading = "rollout, patch by patch"}};
    sheet.legend = Sheet::Legend::alone;
    sheet.high = percent(double(largest_of(cells)));
    sheet.legend_text =
        "How much of each patch reaches the class token: the mean of the heads, mixed half and "
        "half "
        "with the residual connection, is multiplied through all " +
        std::to_string(attention.layers()) + " layers (attention rollout).";
    return sheet;
}

Sheet detection_sheet(const Study& study, const Look& look) {
    const GazeView& view = *study.detection_view();
    const TilePicture picture(study.picture(), 400);
    Sheet sheet{.title = "Attention of each detection",
                .subtitle = study.name() + ", " + view.model + ": " + text_of(look)};
    cv::Mat all = picture.plain();
    for (const Detection& d : study.detections()) picture.draw_box(all, d);
    sheet.tiles.push_back({.picture = all,
                           .heading = "all " + std::to_string(view.all.size()),
                           .note = "the picture with their boxes"});
    for (size_t i = 0; i < view.all.size(); ++i) {
        const MapGeometry& geometry = view.attention.geometry();
        const std::vector<float> cells =
            of_head(view.cells(i, look.layer), view.attention.heads(), look.head);
        const Detection& d = study.detections()[i];
        Sheet::Tile tile{.picture = picture.with(cells, geometry),
                         .heading = view.all[i].label + " " + whole_percent(view.all[i].p),
                         .note = "largest " + percent(double(largest_of(cells))) + ", " +
                                 whole_percent(share_within(cells, geometry, d)) +
                                 " of the map inside the box"};
        if (!view.attention.levels().empty())
            picture.draw_samples(tile.picture,
                                 view.attention.points(look.layer, view.all[i].first, look.head));
        picture.draw_box(tile.picture, d);
        sheet.tiles.push_back(std::move(tile));
    }
    sheet.across = tiles_across(sheet.tiles.size(), 5);
    sheet.legend = Sheet::Legend::over_pictures;
    sheet.high = largest;
    sheet.legend_text = own_scale;
    if (!view.attention.levels().empty())
        sheet.legend_text += " Dots are its sampling points, sized by their weights, on " +
                             levels_text(view.attention.levels()) + ".";
    return sheet;
}

Sheet word_sheet(const PictureView& picture, const std::string& caption,
                 const std::string& subtitle, const std::vector<WordMap>& words,
                 const MapGeometry& geometry) {
    const TilePicture tile(picture, 360);
    Sheet sheet{.title = caption.empty() ? "A caption in ids" : "\u201c" + caption + "\u201d",
                .subtitle = subtitle};
    for (const WordMap& word : words)
        sheet.tiles.push_back({.picture = tile.with(word.cells, geometry),
                               .heading = word.text,
                               .note = "probability " + whole_percent(word.p) + ", largest " +
                                       percent(double(largest_of(word.cells)))});
    sheet.across = tiles_across(sheet.tiles.size(), 5);
    sheet.legend = Sheet::Legend::over_pictures;
    sheet.high = largest;
    sheet.legend_text = own_scale;
    return sheet;
}

Sheet phrase_sheet(const Study& study, const PhraseView& view) {
    const TilePicture tile(study.picture(), 360);
    Sheet sheet{.title = "Similarity of each patch to each phrase",
                .subtitle = study.name() + ", " + view.task + " " + view.model};
    for (size_t i = 0; i < view.maps.size(); ++i)
        sheet.tiles.push_back({.picture = tile.with(view.maps[i], view.geometry),
                               .heading = view.phrases[i],
                               .note = "largest " + percent(double(largest_of(view.maps[i])))});
    sheet.across = tiles_across(sheet.tiles.size(), 5);
    sheet.legend = Sheet::Legend::over_pictures;
    sheet.high = largest;
    sheet.legend_text =
        "The score of each patch alone. Each map has its own scale, from 0 to its largest value, "
        "which is below it.";
    return sheet;
}

Sheet similarity_sheet(const Study& study, const FeatureView& view,
                       const std::vector<glm::vec2>& points) {
    const TilePicture picture(study.picture(), 360);
    Sheet sheet{.title = "Similarity of each patch to the patch at a point",
                .subtitle = study.name() + ", " + view.task + " " + view.model};
    for (glm::vec2 point : points) {
        std::vector<float> cells = view.similarity_to(point);
        const float least = *std::ranges::min_element(cells);
        Sheet::Tile tile{.picture = {},
                         .heading = "(" + std::to_string(std::lround(point.x)) + ", " +
                                    std::to_string(std::lround(point.y)) + ")",
                         .note = "smallest " + percent(double(least))};
        for (float& cell : cells) cell -= least;
        tile.picture = picture.with(cells, view.geometry);
        picture.draw_point(tile.picture, point);
        sheet.tiles.push_back(std::move(tile));
    }
    sheet.across = tiles_across(sheet.tiles.size(), 5);
    sheet.legend = Sheet::Legend::over_pictures;
    sheet.low = "smallest";
    sheet.high = "100 %";
    sheet.legend_text =
        "Cosine similarity of the model's last features. Each map has its own scale, from its "
        "smallest value, which is below it, to 100 %, the patch with itself.";
    return sheet;
}

Sheet colours_sheet(const Study& study, const FeatureView& view) {
    const TilePicture picture(study.picture(), 480);
    return {.title = "Main components of the features",
            .subtitle = study.name() + ", " + view.task + " " + view.model +
                        ": the first three principal components as red, green and blue, clipped at "
                        "2 % and 98 %",
            .across = 3,
            .tiles = {{.picture = picture.plain(), .heading = "picture"},
                      {.picture = picture.coloured(view.colours, view.geometry, 0.6),
                       .heading = "colours over the picture"},
                      {.picture = picture.coloured(view.colours, view.geometry, 1),
                       .heading = "colours alone"}}};
}

Sheet word_sheet(const Study& study, const Look& look) {
    std::vector<WordMap> words;
    if (!study.word_view()) {
        const std::vector<CaptionWord>& said = study.caption()->words;
        for (size_t i = 0; i < said.size(); ++i)
            words.push_back({said[i].text, said[i].p, study.word_maps()[i]});
        return word_sheet(study.picture(), study.caption()->text,
                          study.name() + ": attention of each word, " + text_of(look), words,
                          study.word_geometry());
    }
    const GazeView& view = *study.word_view();
    for (size_t i = 0; i < view.all.size(); ++i)
        words.push_back({view.all[i].label, view.all[i].p,
                         of_head(view.cells(i, look.layer), view.attention.heads(), look.head)});
    return word_sheet(
        study.picture(), study.caption()->text,
        study.name() + ", " + view.model + ": attention of each word, " + text_of(look), words,
        view.attention.geometry());
}

Sheet point_sheet(const Study& study, const EncoderView& encoder,
                  const std::vector<glm::vec2>& points, std::optional<uint32_t> head) {
    const AttentionSource& attention = encoder.attention;
    const TilePicture picture(study.picture(), 240);
    Sheet sheet{.title = "Attention of the patches at the points",
                .subtitle = study.name() + ", encoder of " + encoder.model +
                            ": self-attention of the patch at each point, " + heads_text(head)};
    sheet.across = attention.layers();
    for (uint32_t layer = 0; layer < attention.layers(); ++layer)
        sheet.columns.push_back("layer " + std::to_string(encoder.first_layer + layer));
    for (glm::vec2 point : points) {
        sheet.rows.push_back("(" + std::to_string(std::lround(point.x)) + ", " +
                             std::to_string(std::lround(point.y)) + ")");
        const auto [row, column] = attention.geometry().cell_at(point);
        const uint32_t token = attention.first_cell() + row * attention.geometry().grid.x + column;
        for (uint32_t layer = 0; layer < attention.layers(); ++layer) {
            const std::vector<float> cells = encoder.drawn(of_head(
                attention.cells_of(attention.rows(layer, token, 1)), attention.heads(), head));
            Sheet::Tile tile{.picture = picture.with(cells, attention.geometry()),
                             .note = "largest " + percent(double(largest_of(cells)))};
            if (const auto window = attention.window_at(layer, point))
                picture.draw_window(tile.picture, *window);
            picture.draw_point(tile.picture, point);
            sheet.tiles.push_back(std::move(tile));
        }
    }
    sheet.legend = Sheet::Legend::over_pictures;
    sheet.high = largest;
    sheet.legend_text = scale_text(encoder);
    return sheet;
}

}  // namespace saccade
