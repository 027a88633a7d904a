#pragma once

#include <string>

#include "app/explain/explainer.h"

namespace saccade {

// One JSON object in one line, without the line's end: see README.md.
std::string json_of(const std::string& image, const Explanation& explanation);
// The same in a few lines for people.
std::string text_of(const std::string& image, const Explanation& explanation);

}  // namespace saccade
