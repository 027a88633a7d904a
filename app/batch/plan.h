#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/batch/inputs.h"
#include "app/track/regions.h"

namespace saccade {

// Which frames of a source are wanted, by their index: every Nth from the first on.
struct FrameRange {
    uint64_t first = 0, end = UINT64_MAX, stride = 1;

    // How many of a source's frames are wanted.
    uint64_t count(uint64_t frames) const;
    // The index of wanted frame number n, or the end where there are fewer.
    uint64_t index(uint64_t n) const;
    // The number of a wanted frame among them.
    uint64_t number(uint64_t frame_index) const { return (frame_index - first) / stride; }
};

// A source and what its container says of it, which decides how its work is cut.
struct PlannedSource {
    BatchSource source;
    std::string name;                // of its outputs
    std::optional<uint64_t> frames;  // wanted ones, by the container's account
    Size size;                       // of the video that is written
    double rate = 0;                 // of the source
    bool has_sound = false;          // or may have
    bool turned = false;             // its pictures are stored lying on their side
    std::string trouble;             // why it cannot be opened
};

// All that a run is to do, the same on each of the machines that share it. Each source is cut into
// pieces of `piece` wanted frames each. A piece is what is done or not done: a run that is killed
// goes on with the first piece that is not, and machines share pieces. What comes out depends on
// where the pieces are cut, so that is the same however often a run is killed, and however it is
// shared.
struct BatchPlan {
    FrameRange range;
    uint64_t piece = 60;  // frames
    std::vector<PlannedSource> sources;
    bool video = true, frames = false, coco = false, csv = false;
    bool track = false, mot = false;  // numbers for things; also as MOTChallenge's text
    bool heat = false;                // the mean of all maps of attention, as a picture
    SourceOptions source_options;     // not in run.json: the sources' rates are
    nlohmann::ordered_json settings;  // models and all else that decides what is found and drawn

    // How many pieces a source has, by the container's account; the last one has what is left.
    uint64_t pieces_of(const PlannedSource& source) const;
    uint64_t piece_of(uint64_t frame_index) const { return range.number(frame_index) / piece; }
    // The index of a piece's first frame.
    uint64_t first_of(uint64_t number) const;
    // Numbers that are drawn depend on all frames before. Such a run is shared by files alone; one
    // that draws nothing is cut anywhere, and gets its numbers when its parts are joined.
    bool tracks_while_drawing() const { return track && (video || frames || heat); }
    // Lines and zones of all sources; none where nobody wants them counted.
    std::optional<Regions> regions() const;
    // Which source a line of FRAMES.jsonl is about, by its "source".
    std::map<std::string, size_t> line_names() const;
};

// Looks at all sources. An Error where the same file is in two of them.
BatchPlan make_plan(const std::vector<std::string>& words, const FrameRange& range,
                    const SourceOptions& options);

nlohmann::ordered_json json_of(const BatchPlan& plan);
BatchPlan plan_from(const nlohmann::ordered_json& json);

// Part i of n of a run.
struct Shard {
    uint32_t index = 0, count = 1;
};
// "2/8", as --shard takes it, counted from 0; an Error otherwise.
Shard parse_shard(const std::string& text);

// The pieces of one source that belong to a shard.
struct Share {
    size_t source = 0;
    uint64_t first_piece = 0;
    uint64_t end_piece = UINT64_MAX;  // to the source's end, wherever that is
};
// All pieces of all sources in a row, cut into equal parts; see tracks_while_drawing().
std::vector<Share> share_of(const BatchPlan& plan, const Shard& shard);

}  // namespace saccade
