#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "app/inspect/study.h"

namespace saccade {

struct ReportOptions {
    std::vector<uint32_t> layers;         // of self-attention; empty: all
    std::optional<uint32_t> layer, head;  // of it, shown first; left out: the last, the average
    Look detections, words;               // shown first of theirs
};

// One page that needs nothing else: the picture, what the models made of it, and maps of attention
// to be explored with a pointer, by keys or by ear. At most 10 MB: what does not fit is left out,
// and the page says so.
void write_report(const Study& study, const ReportOptions& options,
                  const std::filesystem::path& path);

}  // namespace saccade
