#pragma once

#include <filesystem>

#include "app/hub/hub_cache.h"
#include "app/hub/hub_client.h"
#include "app/hub/transfer_progress.h"

namespace saccade {

// Downloads what a model needs to run, and no more, from the Hub into the cache: config,
// preprocessor, tokenizer and weights. Weights come as safetensors where the model has them, on
// main or where the catalogue knows them to be; a pickle is converted beside itself. What is here
// already is not fetched again, and what was broken off goes on. Returns the snapshot's folder.
std::filesystem::path pull_model(const HubModel& model, const HubCache& cache,
                                 const HubSettings& settings, TransferProgress& progress);

}  // namespace saccade
