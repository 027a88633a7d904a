#pragma once

#include <filesystem>
#include <vector>

#include "app/inspect/study.h"

namespace saccade {

// Writes all attention of a study in full precision into a folder: maps.safetensors, the same
// tensors each as a .npy, and maps.json, which says what is what. Of self-attention only `layers`,
// all where that is empty.
void write_raw_maps(const Study& study, const std::vector<uint32_t>& layers,
                    const std::filesystem::path& folder);

}  // namespace saccade
