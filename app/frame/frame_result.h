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

// The counts of a line or zone so far, by class.
struct RegionCounts {
    struct OfClass {
        uint32_t id = 0;                       // of the class, as in a detection
        uint32_t in = 0, out = 0, inside = 0;  // tracks; `inside` counts those there now
    };
    std::string name;
    bool zone = false;  // else a line, for which `inside` is unused
    std::vector<OfClass> classes;
};

// A track that changes a line's or zone's counts.
struct RegionEvent {
    size_t region = 0;  // index
    bool in = false;    // else out
    uint32_t track = 0, label = 0;
    double time = 0;
    uint64_t frame = 0;
    double seconds = 0;  // how long a track that leaves a zone was inside
};

// What maps of a frame are worth: the areas under the curves of its target's score while cells of
// the picture go and come, in the order of each map and in random orders.
struct FrameMeter {
    struct Areas {
        double deletion = 0, insertion = 0;
    };
    struct Method {
        std::string name;  // "cause"
        Areas areas;
    };
    std::string kind, label;  // of the target
    double score = 0;
    std::vector<Method> methods = {};
    Areas random = {}, random_deviation = {};
    uint32_t knock_outs = 0;  // that the map of causes is made of
};

// The results of all models for one frame; those of models that did not run are absent.
struct FrameResult {
    FrameInfo info;
    std::optional<std::vector<Detection>> detections;
    // The track number of each detection, 0 if it has none; empty without a tracker.
    std::vector<uint32_t> tracks = {};
    std::vector<RegionCounts> counts = {};  // of lines and zones
    std::vector<RegionEvent> events = {};   // of this frame
    std::optional<std::vector<ClassScore>> classes;
    std::optional<Caption> caption;
    std::optional<FrameMeter> meter = {};
    std::vector<std::pair<std::string, double>> ms;  // of each stage
};

// The names of class ids.
struct ResultLabels {
    std::vector<std::string> detector = {}, classifier = {};
};

// The line of FRAMES.jsonl for a result, without newline. `caption --json` also writes the score by
// which beam search ranks captions.
enum class CaptionScore { left_out, written };
std::string line_of(const FrameResult& result, const ResultLabels& labels,
                    CaptionScore score = CaptionScore::left_out);

}  // namespace saccade
