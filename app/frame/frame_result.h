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

// What a line or a zone has counted until now, by class.
struct RegionCounts {
    struct OfClass {
        uint32_t id = 0;                        // as a detection has it
        uint32_t in = 0, out = 0, inside = 0;  // of tracks; those inside are there now
    };
    std::string name;
    bool zone = false;  // else a line, which has no inside
    std::vector<OfClass> classes;
};

// A track goes into a line's or zone's count.
struct RegionEvent {
    size_t region = 0;  // which of all
    bool in = false;    // else out
    uint32_t track = 0, label = 0;
    double time = 0;
    uint64_t frame = 0;
    double seconds = 0;  // of a track that leaves a zone: how long it was inside
};

// What the models made of one frame; what no model was asked for is absent.
struct FrameResult {
    FrameInfo info;
    std::optional<std::vector<Detection>> detections;
    // Of each detection the number of its track, 0 if it has none; empty where nobody tracks.
    std::vector<uint32_t> tracks = {};
    std::vector<RegionCounts> counts = {};  // of lines and zones, where there are any
    std::vector<RegionEvent> events = {};   // that these counts have grown by in this very frame
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
