#include <algorithm>
#include <cmath>
#include <set>

#include "app/draw/colour.h"
#include "app/draw/point_marks.h"
#include "app/inspect/attention_source.h"
#include "app/lecture/parts.h"
#include "app/page/page.h"
#include "app/pipeline/still_pictures.h"

namespace saccade {

namespace {

constexpr size_t most_found = 10, most_empty = 4;  // queries that are shown
constexpr uint32_t most_encoder_tokens = 1100;     // whose attention to each other is embedded

class DetectorPart {
public:
    DetectorPart(const LectureInput& in, Detector& detector, const DetectionFilter& filter,
                 PageTensors& tensors)
        : in_(in), detector_(detector), filter_(filter), tensors_(tensors) {}

    LectureData collect() {
        in_.progress("the detector");
        const DetectionModel& model = detector_.model();
        // The queries of an open-vocabulary model are patches.
        if (!decodes() && detector_.phrases()) return nullptr;
        taps_.encoder = Tap::on_first(model.encoder_layers(), true);
        taps_.decoder = Tap::on_first(model.decoder_layers());
        taps_.parts = Parts(true);
        StillPictures pictures(in_.engine, "lecture", [&](Commands& c, const Image& image) {
            detector_.prepare({image.width(), image.height()});
            detector_.record(c, image, taps_);
        });
        pictures.run(in_.picture);
        if (!taps_.parts.has("layer_boxes_0")) return nullptr;
        data_ = {{"layers", layers()},
                 {"detection_tokens", !decodes()},
                 {"queries", model.queries()},
                 {"encoder_layers", model.encoder_layers()},
                 {"input", {detector_.input().plan().width, detector_.input().plan().height}},
                 {"threshold", filter_.threshold},
                 {"no_object", taps_.parts.has("layer_logits_0")}};
        add_queries();
        add_gazes();
        add_encoder();
        add_map();
        return data_;
    }

private:
    // False where the queries are tokens of the encoder.
    bool decodes() const { return detector_.model().decoder_layers() > 0; }
    // The layers in which the queries look.
    uint32_t layers() const {
        const DetectionModel& model = detector_.model();
        return decodes() ? model.decoder_layers() : model.encoder_layers();
    }

    // The boxes of all queries after each layer, (layers, queries, 4), as fractions of the picture:
    // centre, width, height.
    void add_queries() {
        const DetectionModel& model = detector_.model();
        std::vector<float> boxes;
        for (uint32_t i = 0; i < layers(); ++i) {
            const auto& part = taps_.parts["layer_boxes_" + std::to_string(i)];
            const std::vector<float> one = read_back(in_.engine, "lecture", part.x);
            boxes.insert(boxes.end(), one.begin(), one.end());
            if (data_["no_object"]) add_scores(i);
        }
        tensors_.add("boxes", {layers(), model.queries(), 4}, boxes);

        // The best class of each query, the surest query first.
        DetectionFilter all;
        all.threshold = -1;
        std::set<uint32_t> seen;
        LectureData shown = LectureData::array();
        size_t found = 0, empty = 0;
        for (const Detection& d : detector_.findings().detections(all)) {
            if (!seen.insert(d.query).second) continue;
            const bool is_found = d.score > filter_.least_score(d.id);
            if (is_found ? ++found > most_found : ++empty > most_empty) continue;
            queries_.push_back(d.query);
            shown.push_back({{"query", d.query},
                             {"label", detector_.labels()[d.id]},
                             {"score", d.score},
                             {"found", is_found},
                             {"colour", css_colour(class_colour(d.id))}});
        }
        data_["shown"] = shown;
        data_["found"] = found;
    }

    // What each query would be after a layer, where the heads are shared: the likeliest class and
    // "no object", which is the last.
    void add_scores(uint32_t layer) {
        const auto& part = taps_.parts["layer_logits_" + std::to_string(layer)];
        const std::vector<float> logits = read_back(in_.engine, "lecture", part.x);
        const size_t columns = part.x.columns, labels = detector_.labels().size();
        LectureData answers = LectureData::array();
        for (size_t at = 0; at < logits.size(); at += columns) {
            const auto row = logits.begin() + std::ptrdiff_t(at);
            const float largest = *std::max_element(row, row + std::ptrdiff_t(columns));
            double sum = 0;
            for (size_t i = 0; i < columns; ++i)
                sum += std::exp(double(row[std::ptrdiff_t(i)] - largest));
            const auto best = std::max_element(row, row + std::ptrdiff_t(labels));
            answers.push_back({best - row, std::exp(double(*best - largest)) / sum,
                               std::exp(double(row[std::ptrdiff_t(columns - 1)] - largest)) / sum});
        }
        data_["answers"].push_back(answers);
        data_["labels"] = detector_.labels();
    }

    // What the shown queries look at in each layer: sampling points, or a map over the cells.
    void add_gazes() {
        const Tap& tap = decodes() ? taps_.decoder : taps_.encoder;
        const uint32_t first = decodes() ? 0 : detector_.layout().first_query;
        const AttentionSource source(in_.engine, tap.in_order(),
                                     detector_.query_layout().first_cell,
                                     detector_.query_geometry());
        data_["place"] = place_of(source.geometry());
        data_["heads"] = source.heads();
        std::vector<float> values;
        const bool points = !source.levels().empty();
        for (uint32_t layer = 0; layer < source.layers(); ++layer)
            for (const uint32_t query : queries_) {
                if (points) {
                    for (const SampledPoint& p : source.points(layer, query, std::nullopt))
                        values.insert(values.end(),
                                      {p.place.x, p.place.y, p.share * float(source.heads()),
                                       float(p.level)});
                    continue;
                }
                const std::vector<float> map =
                    of_head(source.cells_of(source.average(layer, first + query, 1)),
                            source.heads(), std::nullopt);
                values.insert(values.end(), map.begin(), map.end());
            }
        const uint64_t gazes = uint64_t(source.layers()) * queries_.size();
        if (gazes == 0) return;
        if (points) {
            tensors_.add("points", {source.layers(), queries_.size(), values.size() / gazes / 4, 4},
                         values);
            for (uint32_t i = 0; i < source.levels().size(); ++i)
                data_["levels"].push_back({{"size", {source.levels()[i].x, source.levels()[i].y}},
                                           {"colour", css_colour(level_colour(i))}});
        } else {
            tensors_.add("gazes", {source.layers(), queries_.size(), source.cells()}, values);
        }
    }

    // The encoder's last layer: the mean of its heads, from every cell to every cell.
    void add_encoder() {
        const Tap& tap = taps_.encoder;
        if (tap.layers().empty()) return;
        const AttentionSource source(in_.engine, tap.in_order(), detector_.layout().first_cell,
                                     detector_.geometry());
        const uint32_t tokens = source.tokens();
        if (tokens > most_encoder_tokens || source.keys() != tokens || tokens != source.cells())
            return;
        const uint32_t last = source.layers() - 1;
        tensors_.add("encoder", {tokens, tokens},
                     of_head(source.rows(last, 0, tokens), source.heads(), std::nullopt));
        data_["encoder"] = {{"layer", last}, {"place", place_of(source.geometry())}};
    }

    // The backbone's map: the root mean square of its channels, cell by cell.
    void add_map() {
        Tensor map;
        Size size{};
        const auto& states = taps_.encoder.hidden_states();
        const Size grid = detector_.layout().grid;
        if (states.contains(0) && states.at(0).rows == area(grid)) {
            map = states.at(0);
            size = grid;
        }
        for (uint32_t i = 0; taps_.parts.has("backbone_" + std::to_string(i)); ++i) {
            map = taps_.parts["backbone_" + std::to_string(i)].x;
            size = taps_.parts["backbone_" + std::to_string(i)].size;
        }
        if (!map || area(size) == 0) return;
        const std::vector<float> all = read_back(in_.engine, "lecture", map);
        std::vector<float> cells;
        for (size_t at = 0; at < all.size(); at += map.columns) {
            double sum = 0;
            for (size_t i = 0; i < map.columns; ++i)
                sum += double(all[at + i]) * double(all[at + i]);
            cells.push_back(float(std::sqrt(sum / map.columns)));
        }
        tensors_.add("map", {size.y, size.x}, cells);
        data_["map"] = {{"grid", {size.x, size.y}}, {"channels", map.columns}};
    }

    const LectureInput& in_;
    Detector& detector_;
    const DetectionFilter& filter_;
    PageTensors& tensors_;
    DetectionTaps taps_;
    std::vector<uint32_t> queries_;
    LectureData data_;
};

}  // namespace

LectureData detector_part(const LectureInput& in, Detector& detector, const DetectionFilter& filter,
                          PageTensors& tensors) {
    return DetectorPart(in, detector, filter, tensors).collect();
}

}  // namespace saccade
