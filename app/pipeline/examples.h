#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gpu/engine.h"
#include "models/detector.h"

namespace saccade {

// --like: a picture of something to look for, "mug.png", or a part of one by its left and upper
// edge, width and height in pixels, "desk.png@40,60,120,90".
struct ExamplePicture {
    std::string file;
    std::optional<Rectangle> box = std::nullopt;
};
// An Error if what follows the @ is no part of a picture.
ExamplePicture parse_example(const std::string& text);

// The example as the detector sees it. Runs the detector, whose recordings have to be made again.
std::vector<Example> examples_of(Engine& engine, Detector& detector,
                                 const std::vector<std::string>& like);

// Sets the thresholds of a detector that looks for words and examples, unless `own` has one for the
// phrase. Scores of words are small and those of examples large, so each kind has its own. Boxes
// that were found by an example overlap, so only the best one in each place is kept.
void set_thresholds(DetectionFilter& filter, const Detector& detector,
                    const std::map<std::string, float>& own);

}  // namespace saccade
