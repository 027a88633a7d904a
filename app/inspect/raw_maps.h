#pragma once

#include <filesystem>
#include <vector>

#include "app/inspect/study.h"

namespace saccade {

// Writes all attention of a study in full precision into a folder: maps.safetensors, each tensor
// again as .npy, and maps.json, which describes them. Self-attention is written of `layers` only,
// or of all layers if that is empty.
void write_raw_maps(const Study& study, const std::vector<uint32_t>& layers,
                    const std::filesystem::path& folder);

}  // namespace saccade
