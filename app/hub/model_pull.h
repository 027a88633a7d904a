#pragma once

#include <filesystem>

#include "app/hub/hub_cache.h"
#include "app/hub/hub_client.h"
#include "app/hub/transfer_progress.h"

namespace saccade {

// Downloads the files that a model needs from the Hub into the cache: config, preprocessor,
// tokenizer and weights. Weights are safetensors if the model has them, on main or in the
// catalogue's revision; a pickle is converted, and its safetensors are written beside it. Cached
// files are not downloaded again, and partial ones are continued. Returns the snapshot's folder.
std::filesystem::path pull_model(const HubModel& model, const HubCache& cache,
                                 const HubSettings& settings, TransferProgress& progress);

}  // namespace saccade
