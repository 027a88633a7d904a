#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/inspect/figure.h"
#include "app/inspect/study.h"
#include "app/pipeline/looker.h"

namespace saccade {

// "layer 5, average of all heads"
std::string text_of(const Look& look);

// Of a classifier: what its class token looks at in every layer (down) and head (across), and what
// reaches it through all of them.
Sheet class_token_sheet(const Study& study, const EncoderView& encoder);
Sheet rollout_sheet(const Study& study, const EncoderView& encoder);
// What each detection looked at in a layer and head, with its box.
Sheet detection_sheet(const Study& study, const Look& look);
// What each word of the caption looked at, as figure 3 of Show, Attend and Tell (Xu et al. 2015)
// has it.
Sheet word_sheet(const Study& study, const Look& look);
// How much each patch is like each phrase.
Sheet phrase_sheet(const Study& study, const PhraseView& view);
// What a model knows of each patch: how much each is like the ones at some points, and all as
// colours.
Sheet similarity_sheet(const Study& study, const FeatureView& view,
                       const std::vector<glm::vec2>& points);
Sheet colours_sheet(const Study& study, const FeatureView& view);
struct WordMap {
    std::string text;
    double p = 0;
    std::vector<float> cells;
};
Sheet word_sheet(const PictureView& picture, const std::string& caption,
                 const std::string& subtitle, const std::vector<WordMap>& words,
                 const MapGeometry& geometry);
// What points of the picture, in its pixels, look at: a row each, over all layers of an encoder.
Sheet point_sheet(const Study& study, const EncoderView& encoder,
                  const std::vector<glm::vec2>& points, std::optional<uint32_t> head);

}  // namespace saccade
