#pragma once

#include <string>

#include "app/hub/model_finder.h"

namespace saccade {

// `saccade models list`: models that come with Saccade, those of the Hub that are on this machine
// and can be run, and those of the catalogue, as a table or as JSON.
std::string list_models(const ModelPlaces& places, bool json);

}  // namespace saccade
