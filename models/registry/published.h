#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "models/files/json.h"

namespace saccade {

// A model folder of the Hub without its weights.
struct PublishedModel {
    const char* name;
    Json config, processor;     // config.json, preprocessor_config.json
    bool only_by_name = false;  // too large for a plain `bench`
};

// The sizes of each family that are worth timing.
std::vector<PublishedModel> published_vits();
std::vector<PublishedModel> published_dinos();
std::vector<PublishedModel> published_swins();
std::vector<PublishedModel> published_detrs();
std::vector<PublishedModel> published_yolos();
std::vector<PublishedModel> published_owls();
std::vector<PublishedModel> published_rt_detrs();
std::vector<PublishedModel> published_d_fines();
std::vector<PublishedModel> published_deimv2s();
std::vector<PublishedModel> published_rf_detrs();
std::vector<PublishedModel> published_vit_gpt2s();
std::vector<PublishedModel> published_blips();
std::vector<PublishedModel> published_smolvlms();

}  // namespace saccade
