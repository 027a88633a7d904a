#include <algorithm>
#include <cmath>

#include "app/lecture/parts.h"
#include "app/lecture/reruns.h"
#include "models/contrast/contrast_model.h"

namespace saccade {

namespace {

constexpr uint32_t most_maps = 8;  // phrases whose maps are in the page

// Rows of length 1.
std::vector<float> unit(std::vector<float> rows, size_t columns) {
    for (size_t at = 0; at + columns <= rows.size(); at += columns) {
        double sum = 0;
        for (size_t i = 0; i < columns; ++i) sum += double(rows[at + i]) * double(rows[at + i]);
        for (size_t i = 0; i < columns; ++i)
            rows[at + i] =
                static_cast<float>(double(rows[at + i]) / std::max(std::sqrt(sum), 1e-12));
    }
    return rows;
}

}  // namespace

LectureData phrases_part(const LectureInput& in, const Classifier& classifier, const Tap& tap,
                         const std::vector<float>& patches, PageTensors& tensors) {
    const auto* const model = dynamic_cast<const ContrastModel*>(&classifier.model());
    if (!model || model->labels().empty()) return nullptr;
    const Phrases& phrases = *classifier.phrases();
    const auto count = static_cast<uint32_t>(model->labels().size());
    const uint32_t dim = phrases.vectors().columns;
    tensors.add("phrases", {count, dim},
                unit(read_back(in.engine, "lecture", phrases.vectors().slice_rows(0, count)), dim));
    Tap nothing;
    tensors.add("picture", {dim},
                unit(Reruns(in.engine, classifier, patches)
                         .run({}, [&](Commands& c,
                                      const Tensor& x) { return model->embed(c, x, nothing); }),
                     dim));
    const uint32_t maps = std::min(count, most_maps);
    std::vector<float> all;
    for (uint32_t i = 0; i < maps; ++i) {
        const std::vector<float> map = read_back(in.engine, "lecture", [&](Commands& c) {
            return classifier.look_from_phrase(c, tap, i);
        });
        all.insert(all.end(), map.begin(), map.end());
    }
    tensors.add("phrase_maps", {maps, all.size() / maps}, all);
    LectureData prompts = LectureData::array();
    for (const std::string& label : model->labels()) prompts.push_back(phrases.prompt(label));
    return {{"prompts", prompts},
            {"scale", phrases.measure().scale},
            {"bias", phrases.measure().bias},
            {"maps", maps}};
}

}  // namespace saccade
