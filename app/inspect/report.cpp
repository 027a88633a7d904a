#include "app/inspect/report.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "app/draw/colour.h"
#include "app/draw/heat_map.h"
#include "app/draw/point_marks.h"
#include "app/inspect/page_maps.h"
#include "app/inspect/sheets.h"
#include "app/page/base64.h"
#include "app/page/page.h"
#include "app/page/page_picture.h"
#include "gpu/core/error.h"
#include "gpu/core/files.h"

namespace saccade {

namespace {

using Object = nlohmann::ordered_json;

constexpr uint64_t page_bytes = 10'000'000;
constexpr int picture_side = 1600;  // pixels; larger pictures are scaled down

std::string script_element(const std::string& id, const std::string& content) {
    return "<script id=\"" + id + "\" type=\"application/octet-stream\">" + content + "</script>\n";
}

std::vector<uint32_t> first_numbers(uint32_t count) {
    std::vector<uint32_t> numbers(count);
    for (uint32_t i = 0; i < count; ++i) numbers[i] = i;
    return numbers;
}

// "0, 3 and 5"
std::string listed(const std::vector<uint32_t>& numbers) {
    std::string text;
    for (size_t i = 0; i < numbers.size(); ++i)
        text += (i == 0                    ? ""
                 : i + 1 == numbers.size() ? " and "
                                           : ", ") +
                std::to_string(numbers[i]);
    return text;
}

// Six digits say all that single precision knows of a probability.
Object rounded(double value) { return std::round(value * 1e6) / 1e6; }
template <typename Values>
Object rounded_all(const Values& values) {
    Object all = Object::array();
    for (const auto value : values) all.push_back(rounded(double(value)));
    return all;
}

Object json_of(const Curves& curves) {
    return {{"deletion", rounded_all(curves.deletion)},
            {"insertion", rounded_all(curves.insertion)}};
}

// What one target needs, for causes.js.
Object json_of(const Explanation& e) {
    const MapGeometry& g = e.geometry;
    Object one = {{"kind", e.target.kind},
                  {"label", e.target.label},
                  {"score", rounded(e.target.score)},
                  {"unit", e.unit},
                  {"noise", e.noise},
                  {"knock_outs", e.knock_outs},
                  {"grid", {{"height", g.grid.y}, {"width", g.grid.x}}},
                  {"geometry",
                   {{"left", g.corner.x},
                    {"top", g.corner.y},
                    {"cell_width", g.cell.x},
                    {"cell_height", g.cell.y}}},
                  {"maps", Object::array()},
                  {"heads", Object::array()},
                  {"methods", Object::array()},
                  {"random", Object::array()}};
    one["maps"].push_back({{"name", "cause"}, {"cells", rounded_all(e.cause)}});
    for (const RankedMap& map : e.others)
        one["maps"].push_back({{"name", map.name}, {"cells", rounded_all(map.cells)}});
    for (const std::vector<float>& layer : e.heads) one["heads"].push_back(rounded_all(layer));
    for (const Meter::Method& method : e.meter.methods) {
        Object curves = json_of(method.curves);
        curves["name"] = method.name;
        curves["words"] = e.meter.in_words(method);
        one["methods"].push_back(std::move(curves));
    }
    for (const Curves& curves : e.meter.random) one["random"].push_back(json_of(curves));
    return one;
}

// Collects the page's data and maps, and fills in the template.
class Page {
public:
    Page(const Study& study, const ReportOptions& options) : study_(study), options_(options) {}

    std::string write() {
        const PagePicture picture = page_picture(study_.picture(), picture_side);
        std::map<std::string, std::string> parts = {
            {"title", escaped("Attention in " + study_.name())},
            {"style", text_asset("page.css") + text_asset("report.css")},
            {"script", text_asset("page.js") + text_asset("labels.js") + text_asset("captions.js") +
                           text_asset("causes.js") + text_asset("report.js")},
            {"picture", picture.url}};
        add_shared_parts(parts, "default-src 'none'; img-src data:; style-src '" +
                                    hash_of(parts["style"]) + "'; script-src '" +
                                    hash_of(parts["script"]) +
                                    "'; base-uri 'none'; form-action 'none'");
        uint64_t taken = 100'000;  // a margin for the data below
        for (const auto& [name, text] : parts) taken += text.size();
        if (has(study_.detection_view())) taken += point_bytes(*study_.detection_view()) / 3 * 4;
        const std::vector<PageDemand> demands = demands_of_all();
        const std::vector<PageForm> forms =
            thinned(demands, (page_bytes - std::min(page_bytes, taken)) / 4 * 3);

        size_t next = 0;
        for (const EncoderView& encoder : study_.encoders()) {
            add_encoder(encoder, demands[next], forms[next]);
            ++next;
        }
        for (const FeatureView& features : study_.feature_views()) {
            add_features(features, forms[next]);
            ++next;
        }
        if (has(study_.detection_view())) {
            add_gazes("detections", "detector", *study_.detection_view(), forms[next],
                      options_.detections);
            ++next;
        }
        if (has(study_.word_view()))
            add_gazes("words", "captioner", *study_.word_view(), forms[next], options_.words);
        else if (!study_.word_maps().empty())
            add_word_maps();
        const auto colours = heat_colours();
        maps_ += script_element("heat-colours", base64_of(colours));
        parts["maps"] = maps_;
        parts["data"] = for_script(data(picture.size));
        return filled(text_asset("report.html"), parts);
    }

private:
    static bool has(const std::optional<GazeView>& view) { return view && !view->all.empty(); }

    // In the order in which the banks are added. Rollouts are too small to count.
    std::vector<PageDemand> demands_of_all() const {
        std::vector<PageDemand> demands;
        for (const EncoderView& encoder : study_.encoders()) {
            const AttentionSource& attention = encoder.attention;
            demands.push_back({.layers = options_.layers.empty() ? first_numbers(attention.layers())
                                                                 : options_.layers,
                               .heads = attention.heads(),
                               .others = encoder.class_token ? 1u : 0u,
                               .patches = attention.geometry().grid,
                               .cells = attention.cells()});
        }
        for (const FeatureView& features : study_.feature_views())
            demands.push_back(
                {.layers = {0}, .patches = features.geometry.grid, .cells = features.cells()});
        for (const auto* view : {&study_.detection_view(), &study_.word_view()})
            if (has(*view))
                demands.push_back({.layers = first_numbers((*view)->attention.layers()),
                                   .heads = (*view)->attention.heads(),
                                   .others = static_cast<uint32_t>((*view)->all.size()),
                                   .cells = (*view)->attention.cells()});
        return demands;
    }

    void add_bank(Object about, const MapGeometry& g, const std::vector<uint32_t>& layers,
                  const PageMaps& maps, const Look& first) {
        about["layers"] = layers;
        about["rows"] = maps.rows;
        about["grid"] = {{"height", g.grid.y}, {"width", g.grid.x}};
        about["geometry"] = {{"left", g.corner.x},
                             {"top", g.corner.y},
                             {"cell_width", g.cell.x},
                             {"cell_height", g.cell.y}};
        const auto found = std::ranges::find(layers, first.layer);
        about["start_layer"] =
            found != layers.end() ? found - layers.begin() : std::ptrdiff_t(layers.size()) - 1;
        about["start_head"] = first.head ? Object(*first.head) : Object(nullptr);
        const std::string number = std::to_string(banks_.size());
        maps_ += script_element("levels-" + number, base64_of(maps.levels));
        maps_ += script_element("scales-" + number, base64_of(maps.scales));
        banks_.push_back(std::move(about));
    }

    void add_encoder(const EncoderView& encoder, const PageDemand& demand, const PageForm& form) {
        const AttentionSource& attention = encoder.attention;
        Look first{options_.layer.value_or(attention.layers() - 1), options_.head};
        if (first.head && *first.head >= attention.heads()) first.head.reset();
        Object about = {{"kind", "patches"},
                        {"task", encoder.task},
                        {"model", encoder.model},
                        {"heads", attention.heads()},
                        {"first_layer", encoder.first_layer},
                        {"layers_of_model", encoder.model_layers},
                        {"class_token", encoder.class_token},
                        {"stride", form.stride}};
        if (std::ranges::any_of(
                form.layers, [&](uint32_t layer) { return attention.windows(layer).has_value(); }))
            for (uint32_t layer : form.layers) {
                const std::optional<Windows>& windows = attention.windows(layer);
                about["windows"].push_back(
                    windows ? Object{{"size", windows->window}, {"shift", windows->shift}}
                            : Object(nullptr));
            }
        add_bank(std::move(about), attention.geometry(), form.layers, page_maps(encoder, form),
                 first);
        note(encoder, demand, form);
        if (encoder.outliers)
            notes_.push_back(
                "A few patches of the " + encoder.task +
                " are outliers with far more attention than others: values are clipped "
                "at four times the 98th percentile.");
        if (encoder.rollout.empty()) return;
        PageMaps rollout{.rows = 1, .cells = attention.cells()};
        rollout.add(encoder.drawn(attention.cells_of(encoder.rollout)));
        add_bank(
            {{"kind", "rollout"}, {"task", encoder.task}, {"model", encoder.model}, {"heads", 1}},
            attention.geometry(), {0}, rollout, {});
    }

    void add_features(const FeatureView& view, const PageForm& form) {
        Object about = {{"kind", "similarity"}, {"task", view.task},    {"model", view.model},
                        {"heads", 1},           {"class_token", false}, {"stride", form.stride}};
        add_bank(about, view.geometry, {0}, page_maps(view, form), {});
        about["kind"] = "colours";
        add_bank(about, view.geometry, {0}, page_colours(view), {});
        if (form.stride == 1) return;
        left_out_ = true;
        notes_.push_back("Similarity of the " + view.task +
                         "'s features: from one patch of every " + std::to_string(form.stride) +
                         " \u00d7 " + std::to_string(form.stride) +
                         ". The rest would make this page larger than 10 MB.");
    }

    static uint64_t point_bytes(const GazeView& view) {
        uint64_t points = 0;
        for (uint32_t count : view.attention.points_on_levels()) points += count;
        return points * view.attention.heads() * view.attention.layers() * view.all.size() * 3 *
               sizeof(float);
    }

    // The detections' sampling points: (layers, rows, heads, points, 3) f32 of x, y and weight.
    void add_points(const GazeView& view, const PageForm& form, Object& about) {
        const AttentionSource& attention = view.attention;
        if (attention.levels().empty()) return;
        std::vector<float> all;
        for (uint32_t layer : form.layers)
            for (const Gaze& one : view.all)
                for (const SampledPoint& point : attention.points(layer, one.first, std::nullopt))
                    all.insert(all.end(), {point.place.x, point.place.y,
                                           point.share * static_cast<float>(attention.heads())});
        for (uint32_t i = 0; i < attention.levels().size(); ++i)
            about["levels_of_points"].push_back({{"width", attention.levels()[i].x},
                                                 {"height", attention.levels()[i].y},
                                                 {"points", attention.points_on_levels()[i]},
                                                 {"colour", css_colour(level_colour(i))}});
        maps_ += script_element("points-" + std::to_string(banks_.size()), base64_of(all));
    }

    void add_gazes(const char* kind, const char* task, const GazeView& view, const PageForm& form,
                   const Look& first) {
        Object about = {{"kind", kind},
                        {"task", task},
                        {"model", view.model},
                        {"heads", view.attention.heads()},
                        {"layers_of_model", view.attention.layers()}};
        add_points(view, form, about);
        add_bank(std::move(about), view.attention.geometry(), form.layers, page_maps(view, form),
                 first);
        if (form.layers.size() < view.attention.layers()) {
            left_out_ = true;
            notes_.push_back("Maps of " + std::string(kind) + ": layers " + listed(form.layers) +
                             " of " + std::to_string(view.attention.layers()) + ".");
        }
    }

    // Words without cross-attention of their own have one map each, of one layer and head.
    void add_word_maps() {
        PageMaps maps{.rows = static_cast<uint32_t>(study_.word_maps().size()),
                      .cells = area(study_.word_geometry().grid)};
        for (const std::vector<float>& map : study_.word_maps()) maps.add(map);
        add_bank({{"kind", "words"},
                  {"task", "captioner"},
                  {"model", ""},
                  {"heads", 1},
                  {"look", text_of(options_.words)}},
                 study_.word_geometry(), {options_.words.layer}, maps, options_.words);
    }

    void note(const EncoderView& encoder, const PageDemand& demand, const PageForm& form) {
        const AttentionSource& attention = encoder.attention;
        const bool all_layers = form.layers.size() == attention.layers();
        std::string text = "Self-attention of the " + encoder.task + " " + encoder.model + ": ";
        text += all_layers ? "all " + std::to_string(attention.layers()) + " layers"
                           : (form.layers.size() > 1 ? "layers " : "layer ") + listed(form.layers) +
                                 " of " + std::to_string(attention.layers());
        text += ", all " + std::to_string(attention.heads()) + " heads";
        if (form.stride > 1)
            text += ", from one patch of every " + std::to_string(form.stride) + " \u00d7 " +
                    std::to_string(form.stride);
        if (form.layers.size() < demand.layers.size() || form.stride > 1) {
            left_out_ = true;
            text += ". The rest would make this page larger than 10 MB";
        }
        notes_.push_back(text + ".");
    }

    // "classifier vit-base · detector detr", each model once.
    std::string models_text() const {
        std::vector<std::string> names;
        auto add = [&](const std::string& task, const std::string& model) {
            const std::string name = task.substr(0, task.find('-')) + " " + model;
            if (std::ranges::find(names, name) == names.end()) names.push_back(name);
        };
        for (const EncoderView& encoder : study_.encoders()) add(encoder.task, encoder.model);
        if (study_.detection_view()) add("detector", study_.detection_view()->model);
        if (study_.word_view()) add("captioner", study_.word_view()->model);
        std::string text;
        for (const std::string& name : names) text += (text.empty() ? "" : " \u00b7 ") + name;
        return text;
    }

    Object data(cv::Size shown) const {
        Object notes = notes_;
        if (const uint32_t layers = study_.layers_between_maps())
            notes.push_back("Not shown: " + std::to_string(layers) +
                            " layers of the classifier whose queries and keys have grids of "
                            "different sizes. The live window shows them.");
        notes.push_back(
            "Maps have eight bits per patch, from 0 to the largest value of each map. Attention to "
            "tokens that are no patches is not shown.");
        const std::string models = models_text();
        Object object = {{"name", study_.name()},
                         {"models", models},
                         {"width", study_.picture().width},
                         {"height", study_.picture().height},
                         {"shown_width", shown.width},
                         {"shown_height", shown.height},
                         {"classes", Object::array()},
                         {"detections", Object::array()},
                         {"caption", {{"text", ""}, {"words", Object::array()}}},
                         {"banks", banks_},
                         {"notes", notes},
                         {"left_out", left_out_}};
        object["known_classes"] = study_.known_classes();
        object["sure_above"] = study_.sure_above();
        object["causes"] = Object::array();
        for (const Explanation& e : options_.causes) object["causes"].push_back(json_of(e));
        for (const Study::Class& c : study_.classes())
            object["classes"].push_back({{"label", c.label}, {"score", c.p}});
        for (size_t i = 0; i < study_.detections().size(); ++i) {
            const Detection& d = study_.detections()[i];
            object["detections"].push_back(
                {{"label", study_.detection_view()->all[i].label},
                 {"score", d.score},
                 {"box", {d.box.min.x, d.box.min.y, d.box.max.x, d.box.max.y}},
                 {"colour", css_colour(class_colour(d.id))}});
        }
        if (study_.caption()) {
            object["caption"]["text"] = study_.caption()->text;
            for (const CaptionWord& word : study_.caption()->words)
                object["caption"]["words"].push_back({{"text", word.text}, {"p", word.p}});
        }
        return object;
    }

    const Study& study_;
    const ReportOptions& options_;
    Object banks_ = Object::array();
    std::string maps_;
    std::vector<std::string> notes_;
    bool left_out_ = false;
};

}  // namespace

void write_report(const Study& study, const ReportOptions& options,
                  const std::filesystem::path& path) {
    const std::string page = Page(study, options).write();
    NewFile file(path);
    file.write(page);
    file.finish();
}

}  // namespace saccade
