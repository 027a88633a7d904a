#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "app/explain/explainer.h"
#include "app/inspect/study.h"

namespace saccade {

struct ReportOptions {
    std::vector<uint32_t> layers;  // of self-attention to embed; empty: all
    std::optional<uint32_t> layer,
        head;                // of self-attention, shown first; none: the last layer, the mean
    Look detections, words;  // layer and head shown first
    std::vector<Explanation> causes = {};  // what targets need, if that was found out
};

// Writes a self-contained HTML page: the picture, the models' results and attention maps to explore
// with a pointer, keys or a screen reader. The page has at most 10 MB; it says which maps are left
// out.
void write_report(const Study& study, const ReportOptions& options,
                  const std::filesystem::path& path);

}  // namespace saccade
