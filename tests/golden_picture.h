#pragma once

#include <string>

#include "app/lab/ppm.h"

namespace saccade {

// The file of tests/golden/images/NAME.png.
std::string golden_picture_file(const std::string& name);
// Its pixels.
PpmPicture read_golden_picture(const std::string& name);

}  // namespace saccade
