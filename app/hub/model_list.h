#pragma once

#include <string>

#include "app/hub/model_finder.h"

namespace saccade {

// `saccade models list`: bundled models, supported models in the Hub's cache, and the catalogue, as
// a table or as JSON.
std::string list_models(const ModelPlaces& places, bool json);

}  // namespace saccade
