#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace saccade {

// What a model answers.
enum class Task { classify, detect, caption };
std::string_view name_of(Task task);    // "classify"
std::string_view option_of(Task task);  // "--classifier"

// A checkpoint of the Hugging Face Hub that is known to work, and what its authors say of it. A
// figure that nobody has published is absent.
struct CatalogueModel {
    struct Accuracy {
        std::string metric;  // "top-1", "AP"
        double value = 0;
        std::string data;
    };

    std::string name;  // "facebook/detr-resnet-50"
    Task task = Task::classify;
    std::optional<uint32_t> megabytes;  // of its weights
    std::string licence;
    std::optional<Accuracy> accuracy;
    // Where its weights are as safetensors, when they are not so on main.
    std::optional<std::string> revision;
};

// models/catalogue.json, which is part of the program.
const std::vector<CatalogueModel>& catalogue();

// By its name, or by what follows the slash in it; nullptr where there is none.
const CatalogueModel* find_in_catalogue(std::string_view name);

}  // namespace saccade
