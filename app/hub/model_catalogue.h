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

// What bundled models have learned from.
struct DataSet {
    std::string name;   // "COCO"
    std::string terms;  // "CC BY 4.0"
};

// A model that is known to work: bundled, or a checkpoint of the Hugging Face Hub, with the figures
// that its authors have published.
struct CatalogueModel {
    struct Figure {
        std::string metric;  // "top-1", "AP"
        double value = 0;    // 0 to 1; of CIDEr, 0 to 10

        std::string text() const;  // "AP 0.248"
    };

    std::string name;  // "facebook/detr-resnet-50"; a bundled one has no slash
    Task task = Task::classify;
    std::optional<uint32_t> megabytes;       // of its weights
    std::string licence;                     // of its weights
    std::vector<const DataSet*> trained_on;  // a bundled model
    std::vector<Figure> accuracy;            // the most important one first
    std::string measured_on;
    // The revision that has safetensors, if main does not.
    std::optional<std::string> revision;
    std::optional<PublishedAnswers> published;

    bool bundled() const { return name.find('/') == name.npos; }
};

// app/hub/catalogue.json, which is embedded in the program. Cards and pages repeat what it says.
const std::vector<CatalogueModel>& catalogue();
const std::vector<DataSet>& data_sets();

// "AP 0.248, AP50 0.382"
std::string figures_of(const CatalogueModel& model);

// Finds a model by its full name, or by the part after the slash; nullptr if there is none.
const CatalogueModel* find_in_catalogue(std::string_view name);

}  // namespace saccade
