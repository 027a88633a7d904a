#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/frame/source.h"
#include "models/captioner.h"
#include "models/classifier.h"
#include "models/detector.h"

namespace saccade {

// What the models made of one frame; what no model was asked for is absent.
struct FrameResult {
    FrameInfo info;
    std::optional<std::vector<Detection>> detections;
    std::optional<std::vector<ClassScore>> classes;
    std::optional<Caption> caption;
    std::vector<std::pair<std::string, double>> ms;  // of each stage
};

// The names that ids stand for.
struct ResultLabels {
    std::vector<std::string> detector = {}, classifier = {};
};

// Its line of FRAMES.jsonl, without the line's end. `caption --json` also writes the score that the
// beams were compared by.
enum class CaptionScore { left_out, written };
std::string line_of(const FrameResult& result, const ResultLabels& labels,
                    CaptionScore score = CaptionScore::left_out);

}  // namespace saccade
