#include "app/lecture/parts.h"
#include "app/lecture/selection.h"
#include "app/pipeline/still_pictures.h"

namespace saccade {

namespace {

// softmax(scale q k^T + bias), or softmax(scales[head] cos(q, k) + bias), among the cells of a
// window.
LectureData windows_of(const LectureInput& in, const Tap::Kept& kept, const std::string& layer,
                       PageTensors& tensors) {
    const Windows& windows = *kept.windows;
    tensors.add("bias." + layer, {windows.bias.rows, windows.bias.columns},
                read_back(in.engine, "lecture", windows.bias));
    LectureData scales;  // null: the same for all heads
    if (windows.scales) {
        const std::vector<float> all = read_back(in.engine, "lecture", windows.scales);
        scales = std::vector<float>(all.begin(), all.begin() + kept.heads.count);
    }
    return {{"window", windows.window},
            {"shift", windows.shift},
            {"mask", windows.mask},
            {"scales", scales}};
}

// softmax(scale q k^T + q . down + q . across), from a map of queries to a map of keys.
LectureData places_of(const LectureInput& in, const Tap::Kept& kept, const std::string& layer,
                      PageTensors& tensors) {
    const RelativePlaces& places = *kept.places;
    const uint32_t size = head_size_of(kept);
    for (const auto& [name, table] :
         {std::pair("down.", &places.down), {"across.", &places.across}})
        tensors.add(name + layer, {table->rows, size},
                    packed(read_back(in.engine, "lecture", *table), size));
    return {{"first", places.first}};
}

// What the page needs of a layer to compute its attention, which is softmax(scale q k^T) between
// all cells if nothing else is said.
LectureData layer_of(const LectureInput& in, const Classifier& classifier, const Tap::Kept& kept,
                     uint32_t layer, PageTensors& tensors) {
    add_qkv(in.engine, kept, layer, tensors);
    LectureData data = {{"layer", layer},
                        {"heads", kept.heads.count},
                        {"head_size", head_size_of(kept)},
                        {"scale", kept.heads.scale},
                        {"place", place_of(classifier.geometry(layer))},
                        {"queries", place_of(classifier.query_geometry(layer))}};
    const std::string number = std::to_string(layer);
    if (kept.windows) data.update(windows_of(in, kept, number, tensors));
    if (kept.places) data.update(places_of(in, kept, number, tensors));
    return data;
}

// The layers that fit into the page, evenly spaced among all.
std::vector<uint32_t> layers_that_fit(const Tap& tap, uint32_t all) {
    for (uint32_t count = all; count > 1; --count) {
        const std::vector<uint32_t> layers = evenly(all, count);
        uint64_t bytes = 0;
        for (const uint32_t layer : layers) {
            const Tap::Kept& kept = tap.layer(layer);
            bytes +=
                3 * page_bytes_of(uint64_t(kept.q.rows) * kept.heads.count * head_size_of(kept));
        }
        if (bytes <= qkv_bytes) return layers;
    }
    return {all - 1};
}

}  // namespace

LectureData cells_part(const LectureInput& in, Classifier& classifier, PageTensors& tensors) {
    const ClassificationModel& model = classifier.model();
    if (model.rolls_out() || model.pools_last()) return nullptr;
    in.progress("the classifier");
    Tap tap = Tap::on_first(model.layers());
    tap.keep_values();
    StillPictures pictures(in.engine, "lecture", [&](Commands& c, const Image& image) {
        classifier.prepare({image.width(), image.height()});
        classifier.record(c, image, tap);
    });
    pictures.run(in.picture);
    LectureData layers = LectureData::array();
    for (const uint32_t layer : layers_that_fit(tap, model.layers()))
        layers.push_back(layer_of(in, classifier, tap.layer(layer), layer, tensors));
    const Tap::Kept& first = tap.layer(0);
    LectureData data = {{"form", first.windows  ? "windows"
                                 : first.places ? "pooled"
                                                : "map"},
                        {"layers", layers},
                        {"all_layers", model.layers()},
                        {"stages", model.layers_of_stages()},
                        {"cosine", first.windows && first.windows->scales},
                        {"labels", classifier.labels()},
                        {"independent", classifier.has_independent_classes()},
                        {"sure_above", classifier.sure_above()}};
    if (!classifier.labels().empty())
        tensors.add("logits", {classifier.labels().size()}, classifier.ranking().logits());
    return data;
}

}  // namespace saccade
