#pragma once

#include <filesystem>

#include "app/lab/engine.h"
#include "gpu/frame.h"

namespace saccade {

// Runs a model on one picture and writes what the parity kit compares with transformers.
void dump(Engine& engine, const std::filesystem::path& model, const PictureView& picture,
          const std::filesystem::path& out);

}  // namespace saccade
