#include "app/inspect/raw_maps.h"

#include <functional>
#include <nlohmann/json.hpp>

#include "app/inspect/npy.h"
#include "gpu/core/files.h"
#include "models/files/safetensors.h"

namespace saccade {

namespace {

using Object = nlohmann::ordered_json;

// A tensor whose values are computed on demand, because all together may not fit into memory.
struct RawMap {
    std::string name;
    std::vector<uint64_t> shape;
    std::function<std::vector<float>()> values;
};

void add_place(Object& to, const MapGeometry& g) {
    to["grid"] = {{"height", g.grid.y}, {"width", g.grid.x}};
    to["cell"] = {
        {"left", g.corner.x}, {"top", g.corner.y}, {"width", g.cell.x}, {"height", g.cell.y}};
}

Object json_of(const AttentionSource& attention) {
    Object object = {{"layers", attention.layers()},
                     {"heads", attention.heads()},
                     {"tokens", attention.tokens()},
                     {"keys", attention.keys()},
                     {"first_cell", attention.first_cell()}};
    add_place(object, attention.geometry());
    return object;
}

// (gazes, layers, heads, keys)
RawMap raw_map(const std::string& name, const GazeView& view) {
    const AttentionSource& attention = view.attention;
    return {name,
            {view.all.size(), attention.layers(), attention.heads(), attention.keys()},
            [&view, &attention] {
                std::vector<float> all;
                for (const Gaze& one : view.all)
                    for (uint32_t layer = 0; layer < attention.layers(); ++layer) {
                        const auto map = attention.average(layer, one.first, one.count);
                        all.insert(all.end(), map.begin(), map.end());
                    }
                return all;
            }};
}

std::vector<RawMap> raw_maps(const Study& study, const std::vector<uint32_t>& layers) {
    std::vector<RawMap> maps;
    for (const EncoderView& encoder : study.encoders()) {
        const AttentionSource& attention = encoder.attention;
        std::vector<uint32_t> wanted = layers;
        if (wanted.empty())
            for (uint32_t i = 0; i < attention.layers(); ++i) wanted.push_back(i);
        for (uint32_t layer : wanted)
            maps.push_back(
                {encoder.task + ".self_attention." + std::to_string(layer),
                 {attention.heads(), attention.tokens(), attention.keys()},
                 [&attention, layer] { return attention.rows(layer, 0, attention.tokens()); }});
        if (!encoder.rollout.empty())
            maps.push_back({encoder.task + ".rollout", {attention.keys()}, [&encoder] {
                                return encoder.rollout;
                            }});
    }
    for (const FeatureView& view : study.feature_views()) {
        const Size grid = view.geometry.grid;
        maps.push_back({view.task + ".similarity", {view.cells(), view.cells()}, [&view] {
                            return view.similarity;
                        }});
        maps.push_back(
            {view.task + ".colours", {3, grid.y, grid.x}, [&view] { return view.colours; }});
    }
    if (study.detection_view() && !study.detection_view()->all.empty())
        maps.push_back(raw_map("detector.detections", *study.detection_view()));
    if (study.word_view() && !study.word_view()->all.empty())
        maps.push_back(raw_map("captioner.words", *study.word_view()));
    return maps;
}

void write_description(const Study& study, const std::filesystem::path& path) {
    Object object = {{"picture", study.name()},
                     {"width", study.picture().width},
                     {"height", study.picture().height},
                     {"self_attention", Object::object()}};
    for (const EncoderView& encoder : study.encoders()) {
        Object& one = object["self_attention"][encoder.task] = json_of(encoder.attention);
        one["model"] = encoder.model;
    }
    for (const FeatureView& view : study.feature_views()) {
        Object& one = object["features"][view.task] = {{"model", view.model}};
        add_place(one, view.geometry);
    }
    if (const auto& view = study.detection_view()) {
        object["detections"] = json_of(view->attention);
        Object& all = object["detections"]["found"] = Object::array();
        for (size_t i = 0; i < view->all.size(); ++i) {
            const Detection& d = study.detections()[i];
            all.push_back({{"label", view->all[i].label},
                           {"score", view->all[i].p},
                           {"box", {d.box.min.x, d.box.min.y, d.box.max.x, d.box.max.y}},
                           {"query", d.query}});
        }
    }
    if (const auto& view = study.word_view()) {
        object["words"] = json_of(view->attention);
        object["words"]["caption"] = study.caption()->text;
        object["words"]["ids"] = study.caption()->ids;
        Object& all = object["words"]["said"] = Object::array();
        for (const CaptionWord& word : study.caption()->words)
            all.push_back({{"text", word.text},
                           {"p", word.p},
                           {"first_id", word.first},
                           {"count", word.count}});
    }
    const std::string text = object.dump(2, ' ', false, Object::error_handler_t::replace) + "\n";
    NewFile file(path);
    file.write(text);
    file.finish();
}

}  // namespace

void write_raw_maps(const Study& study, const std::vector<uint32_t>& layers,
                    const std::filesystem::path& folder) {
    const std::vector<RawMap> maps = raw_maps(study, layers);
    std::vector<StoredTensor> tensors;
    for (const RawMap& map : maps) tensors.push_back({map.name, StoredType::f32, map.shape, {}});
    size_t next = 0;
    std::vector<float> values;
    write_safetensors(folder / "maps.safetensors", tensors, [&](const StoredTensor&) {
        const RawMap& map = maps[next++];
        values = map.values();
        write_npy(folder / (map.name + ".npy"), map.shape, values);
        return std::as_bytes(std::span(values));
    });
    write_description(study, folder / "maps.json");
}

}  // namespace saccade
