#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/batch/plan/inputs.h"
#include "app/track/regions.h"

namespace saccade {

// The frames of a source that are processed: every `stride`th index from `first` on, before `end`.
struct FrameRange {
    uint64_t first = 0, end = UINT64_MAX, stride = 1;

    // How many frames of a source with `frames` frames are in the range.
    uint64_t count(uint64_t frames) const;
    // The index of the range's frame n, or `end` if there are fewer.
    uint64_t index(uint64_t n) const;
    // The inverse of index().
    uint64_t number(uint64_t frame_index) const { return (frame_index - first) / stride; }
};

// A source and what its container says about it, which decides where it is cut into pieces.
struct PlannedSource {
    BatchSource source;
    std::string name;                // of its outputs
    std::optional<uint64_t> frames;  // in the range, by the container's frame count
    Size size;                       // of the video that is written
    double rate = 0;                 // frames per second
    bool has_sound = false;          // it may have an audio stream
    bool rotated = false;            // by 90 or 270 degrees, from how its pictures are stored
    std::string error;               // why it cannot be opened; empty if it can
};

// Everything that a run has to do, the same for all of its shards. Each source is cut into pieces
// of `piece` frames. A piece is either done or not: a killed run resumes with the first piece that
// is not done, and shards consist of pieces. Encoded videos depend on where the pieces are cut, so
// the cuts depend neither on resuming nor on sharding.
struct BatchPlan {
    FrameRange range;
    uint64_t piece = 60;  // frames
    std::vector<PlannedSource> sources;
    bool video = true, frames = false, coco = false, csv = false;
    bool track = false, mot = false;  // track objects; also write tracks in MOTChallenge's format
    bool heat = false;                // write the mean attention map of each source
    SourceOptions source_options;
    nlohmann::ordered_json settings;  // models and all other options that affect the results

    // How many pieces a source has, by the container's frame count; the last may be shorter.
    uint64_t pieces_of(const PlannedSource& source) const;
    uint64_t piece_of(uint64_t frame_index) const { return range.number(frame_index) / piece; }
    // The index of a piece's first frame.
    uint64_t first_of(uint64_t number) const;
    // A track number that is drawn depends on all frames before it, so such a run is sharded by
    // whole sources. A run that draws nothing is cut anywhere, and `merge` assigns the tracks.
    bool tracks_while_drawing() const { return track && (video || frames || heat); }
    // The lines and zones of --zones, for all sources; none without the option.
    std::optional<Regions> regions() const;
};

// Maps the "source" of a line of FRAMES.jsonl to its index in the plan's sources.
using LineNames = std::map<std::string, size_t>;
// Adds the names in the lines of a source. An Error if one of them is there.
void add_line_names(LineNames& names, const BatchPlan& plan, size_t source);
LineNames line_names(const BatchPlan& plan);  // of all sources

// A plan for the sources of a command line, none of which is opened yet. An Error if a file is
// named twice.
BatchPlan make_plan(const std::vector<std::string>& words, const FrameRange& range,
                    const SourceOptions& options);

}  // namespace saccade
