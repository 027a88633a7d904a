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

// The published outputs of transformers for a model on picture 000000039769 of COCO val2017.
struct PublishedAnswers {
    struct Found {
        std::string label;
        double score = 0;
        std::vector<double> box;  // left, top, right, bottom in pixels; empty: not published
    };
    std::vector<std::vector<double>> logits;  // the first columns of the first rows
    std::vector<std::vector<double>> boxes;   // likewise: (cx, cy, w, h), relative to the picture
    std::vector<Found> detections;
    std::string caption;  // empty: not published
};

// A model that is known to work: bundled, or a checkpoint of the Hugging Face Hub, with the figures
// that its authors have published.
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
    // The revision that has safetensors, if main does not.
    std::optional<std::string> revision;
    std::optional<PublishedAnswers> published;

    bool bundled() const { return name.find('/') == name.npos; }
};

// app/hub/catalogue.json, which is embedded in the program.
const std::vector<CatalogueModel>& catalogue();

// Finds a model by its full name, or by the part after the slash; nullptr if there is none.
const CatalogueModel* find_in_catalogue(std::string_view name);

}  // namespace saccade
