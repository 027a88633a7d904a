#pragma once

#include <string>
#include <string_view>

#include "models/files/json.h"
#include "models/picture/preprocessor.h"

// The folders that DEIMv2's authors publish: weights under the names of their own code, and a
// config.json with the arguments of its classes, one object each. There is no
// preprocessor_config.json.

namespace saccade {

// The object that only their config.json has.
inline constexpr std::string_view authors_decoder = "DEIMTransformer";

// The same model as transformers' config.json would describe it.
Json deimv2_config_of_authors(const Json& config, const std::string& where);

// The pictures that their code takes: of eval_spatial_size, resized by Pillow.
Preprocessor deimv2_preprocessor_of_authors(const Json& config, const std::string& where);

}  // namespace saccade
