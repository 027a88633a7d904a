#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/lecture/page_tensors.h"
#include "app/pipeline/models_in_use.h"
#include "gpu/engine.h"
#include "gpu/transfer/frame.h"
#include "gpu/transfer/read_back.h"

// What the lecture says of one picture, model by model: the page's data, and its tensors.

namespace saccade {

using LectureData = nlohmann::ordered_json;

struct LectureInput {
    Engine& engine;
    const PictureView& picture;
    std::function<void(const std::string& what)> progress;  // called before each long step
};

// Sections 1 to 6: the classifier's embeddings, queries, keys, values and residual stream, what it
// would answer after each layer, and what it answers without positions and heads. Null for a model
// without global self-attention.
LectureData classifier_part(const LectureInput& in, Classifier& classifier, PageTensors& tensors);

// Of a zero-shot model: the vectors of its phrases and of the picture, and maps of the first
// phrases. `tap` kept the hidden states. Null for others.
LectureData phrases_part(const LectureInput& in, const Classifier& classifier, const Tap& tap,
                         const std::vector<float>& patches, PageTensors& tensors);

// Section 3 of a classifier whose tokens are cells of maps: within windows (Swin), between pooled
// maps (MViT), or on the map of convolutions. Queries, keys, values, and what is added for places.
// Null for others.
LectureData cells_part(const LectureInput& in, Classifier& classifier, PageTensors& tensors);

// Section 7: the boxes of the queries after each layer of the decoder, and what they look at. Null
// for a model without a decoder that offers them.
LectureData detector_part(const LectureInput& in, Detector& detector, const DetectionFilter& filter,
                          PageTensors& tensors);

// Section 8: a caption word by word. `prefix` begins the tensors' names. Null for a model that
// answers questions.
LectureData caption_part(const LectureInput& in, Captioner& captioner, const std::string& prefix,
                         PageTensors& tensors);

// Section 9: the time that attention and the products of a block of this form take, for pictures of
// several sizes. Null without a form.
struct BlockForm {
    uint32_t dim = 0, heads = 0, inner = 0, patch = 0;
};
LectureData cost_part(const LectureInput& in, const std::optional<BlockForm>& form);

// {"grid": [columns, rows], "left", "top", "cell": [width, height]}: a map's place in the picture.
LectureData place_of(const MapGeometry& geometry);

}  // namespace saccade
