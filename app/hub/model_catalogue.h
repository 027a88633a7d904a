#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/registry/registry.h"

namespace saccade {

std::string_view name_of(Task task);    // "classify"
std::string_view option_of(Task task);  // "--classifier"

// What transformers makes of the picture 000000039769 of COCO val2017 with a model, as far as that
// is published.
struct PublishedAnswers {
    struct Found {
        std::string label;
        double score = 0;
        std::vector<double> box;  // left, top, right, bottom in pixels; empty: not published
    };
    std::vector<std::vector<double>> logits;  // the first columns of the first rows
    std::vector<std::vector<double>> boxes;   // likewise: centre, size, in parts of the picture
    std::vector<Found> detections;
    std::string caption;  // empty: not published
};

// A model that is known to work: bundled, or a checkpoint of the Hugging Face Hub, and what its
// authors say of it. A figure that nobody has published is absent.
struct CatalogueModel {
    struct Accuracy {
        std::string metric;  // "top-1", "AP"
        double value = 0;
        std::string data;
    };

    std::string name;  // "facebook/detr-resnet-50"; a bundled one has no slash
    Task task = Task::classify;
    std::optional<uint32_t> megabytes;  // of its weights
    std::string licence;
    std::optional<Accuracy> accuracy;
    // Where its weights are as safetensors, when they are not so on main.
    std::optional<std::string> revision;
    std::optional<PublishedAnswers> published;

    bool bundled() const { return name.find('/') == name.npos; }
};

// app/hub/catalogue.json, which is part of the program.
const std::vector<CatalogueModel>& catalogue();

// By its name, or by what follows the slash in it; nullptr where there is none.
const CatalogueModel* find_in_catalogue(std::string_view name);

}  // namespace saccade
