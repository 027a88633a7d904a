#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

namespace saccade {

// COCO's result format, from a FRAMES.jsonl: image_id, category_id, bbox [x, y, width, height] and
// score of every detection. image_id is the number in the file's name if all names are numbers, as
// COCO's are; else it is the line of FRAMES.jsonl, counted from 0.
void write_coco(const std::filesystem::path& lines, const std::filesystem::path& to);

// A field of a CSV file, quoted if it has a comma, a quote or a newline. A text that a spreadsheet
// would run as a formula gets an apostrophe in front.
std::string csv_field(std::string text);

// A row for every detection, class and caption; `tracks` adds a column.
void write_csv(const std::filesystem::path& lines, const std::filesystem::path& to,
               bool tracks = false);

// The tracks of each source in MOTChallenge's format, one file per source: frame and track (both
// from 1), left, top, width, height, score, and -1, -1, -1 for the unused world coordinates.
// `names` maps a line's "source" to its index.
void write_mot(const std::filesystem::path& lines, const std::map<std::string, size_t>& names,
               const std::function<std::filesystem::path(size_t source)>& file_of);

}  // namespace saccade
