#pragma once

#include <opencv2/core.hpp>
#include <string>

#include "app/explain/explainer.h"
#include "app/inspect/lettering.h"

namespace saccade {

// The picture with a signed map over it, cell by cell: warm where the target needs the picture,
// blue where the picture holds the target back, as strong as the largest effect.
cv::Mat with_effects(const PictureView& picture, const std::vector<float>& cells,
                     const MapGeometry& geometry);
// A table of signed effects, a row for each layer.
cv::Mat head_table(const std::vector<std::vector<float>>& heads, cv::Size size,
                   Lettering& lettering);
// Deletion (falling) and insertion (rising) of each method, with the random orders' spread in grey.
cv::Mat curves_chart(const Meter& meter, bool deletion, cv::Size size, Lettering& lettering);

// All of it on one page: the picture, what the target needs, what the model attends to, the heads,
// and the meter, with what they say in words.
cv::Mat explanation_sheet(const std::string& name, const PictureView& picture,
                          const Explanation& explanation, Lettering& lettering);

}  // namespace saccade
