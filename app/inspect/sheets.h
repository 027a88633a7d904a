#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/inspect/figure.h"
#include "app/inspect/study.h"
#include "app/pipeline/looker.h"

namespace saccade {

// "layer 5, mean of all heads"
std::string text_of(const Look& look);

// The attention of a classifier's class token in every layer (down) and head (across), and its
// attention rollout.
Sheet class_token_sheet(const Study& study, const EncoderView& encoder);
Sheet rollout_sheet(const Study& study, const EncoderView& encoder);
// The attention of each detection in a layer and head, with its box.
Sheet detection_sheet(const Study& study, const Look& look);
// The attention of each word of the caption, as in figure 3 of Show, Attend and Tell (Xu et al.
// 2015).
Sheet word_sheet(const Study& study, const Look& look);
// The similarity of each patch to each phrase.
Sheet phrase_sheet(const Study& study, const PhraseView& view);
// A model's patch features: their similarity to the patches at some points, and their main
// components as colours.
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
// The self-attention of the patches at some pixels of the picture: a row each, over all layers of
// an encoder.
Sheet point_sheet(const Study& study, const EncoderView& encoder,
                  const std::vector<glm::vec2>& points, std::optional<uint32_t> head);

}  // namespace saccade
