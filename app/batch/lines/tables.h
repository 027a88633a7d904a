#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

namespace saccade {

// COCO's file of results, from a FRAMES.jsonl: image_id, category_id, bbox [x, y, width, height]
// and score of every detection. A picture's id is its number where all files are named by numbers,
// as COCO's are; else it is its line of FRAMES.jsonl, counted from 0.
void write_coco(const std::filesystem::path& lines, const std::filesystem::path& to);

// A field of a table: quoted where a comma, a quote or a line's end would be misread. What a
// spreadsheet would take for a formula, and compute, gets an apostrophe in front.
std::string csv_field(std::string text);

// A row for every detection, class and caption; with a column of tracks where there are any.
void write_csv(const std::filesystem::path& lines, const std::filesystem::path& to,
               bool tracks = false);

// The tracks of each source in a file of its own, as MOTChallenge has them: frame and track from 1
// on, left, top, width, height, score, and three numbers that say nothing. `names` says which source
// a line's "source" belongs to.
void write_mot(const std::filesystem::path& lines, const std::map<std::string, size_t>& names,
               const std::function<std::filesystem::path(size_t source)>& file_of);

}  // namespace saccade
