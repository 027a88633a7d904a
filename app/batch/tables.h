#pragma once

#include <filesystem>

namespace saccade {

// COCO's file of results, from a FRAMES.jsonl: image_id, category_id, bbox [x, y, width, height]
// and score of every detection. A picture's id is its number where all files are named by numbers,
// as COCO's are; else it is its line of FRAMES.jsonl, counted from 0.
void write_coco(const std::filesystem::path& lines, const std::filesystem::path& to);

// A row for every detection, class and caption.
void write_csv(const std::filesystem::path& lines, const std::filesystem::path& to);

}  // namespace saccade
