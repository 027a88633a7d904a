#include "app/lecture/parts.h"
#include "app/lecture/selection.h"
#include "app/pipeline/still_pictures.h"

namespace saccade {

namespace {

// What the page needs of a layer to compute attention in its windows: the weights are
// softmax(scale q k^T + bias), or softmax(scales[head] cos(q, k) + bias), among the cells of a
// window.
LectureData layer_of(const LectureInput& in, const Classifier& classifier, const Tap::Kept& kept,
                     uint32_t layer, PageTensors& tensors) {
    const Windows& windows = *kept.windows;
    add_qkv(in.engine, kept, layer, tensors);
    const std::string number = std::to_string(layer);
    tensors.add("bias." + number, {windows.bias.rows, windows.bias.columns},
                read_back(in.engine, "lecture", windows.bias));
    LectureData scales;  // null: the same for all heads
    if (windows.scales) {
        const std::vector<float> all = read_back(in.engine, "lecture", windows.scales);
        scales = std::vector<float>(all.begin(), all.begin() + kept.heads.count);
    }
    return {{"layer", layer},
            {"window", windows.window},
            {"shift", windows.shift},
            {"mask", windows.mask},
            {"heads", kept.heads.count},
            {"head_size", head_size_of(kept)},
            {"scale", kept.heads.scale},
            {"scales", scales},
            {"place", place_of(classifier.geometry(layer))}};
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

LectureData windows_part(const LectureInput& in, Classifier& classifier, PageTensors& tensors) {
    const ClassificationModel& model = classifier.model();
    if (model.rolls_out() || model.pools_last()) return nullptr;
    in.progress("the classifier's windows");
    Tap tap = Tap::on_first(model.layers());
    tap.keep_values();
    StillPictures pictures(in.engine, "lecture", [&](Commands& c, const Image& image) {
        classifier.prepare({image.width(), image.height()});
        classifier.record(c, image, tap);
    });
    pictures.run(in.picture);
    if (tap.layers().empty() || !tap.layer(0).windows) return nullptr;
    LectureData layers = LectureData::array();
    for (const uint32_t layer : layers_that_fit(tap, model.layers()))
        layers.push_back(layer_of(in, classifier, tap.layer(layer), layer, tensors));
    LectureData data = {{"layers", layers},
                        {"all_layers", model.layers()},
                        {"stages", model.layers_of_stages()},
                        {"cosine", !layers[0]["scales"].is_null()},
                        {"labels", classifier.labels()},
                        {"independent", classifier.has_independent_classes()},
                        {"sure_above", classifier.sure_above()}};
    if (!classifier.labels().empty())
        tensors.add("logits", {classifier.labels().size()}, classifier.ranking().logits());
    return data;
}

}  // namespace saccade
