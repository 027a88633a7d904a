#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/frame/frame_result.h"
#include "app/frame/score.h"
#include "app/live/state.h"
#include "gpu/core/device.h"

namespace saccade {

// One that can be chosen.
struct KnownModel {
    std::string name;
    bool here = true;                   // on this machine; else it can be pulled from the Hub
    std::optional<uint32_t> megabytes;  // of its weights
};

// A model as the panels show it.
struct ModelReport {
    std::string name;               // what runs; empty: none
    std::string loading;            // what will take its place
    float progress = 0;             // of loading, 0 to 1
    std::string error;              // why it did not
    std::vector<KnownModel> known;  // to choose from
    bool takes_words = false;       // phrases to look for, or a question
    std::vector<std::string>
        prompts;              // what it reads for each phrase, in their order; its question
    std::string words_error;  // why it did not take what was typed
};

// Where a file is.
struct PlayerReport {
    bool live = true;                // a camera or a stream: there is no other place to go to
    bool still = false;              // a single picture
    bool at_end = false;             // of a file that does not begin again
    std::optional<uint64_t> frames;  // by the file's account
    double rate = 0;                 // frames a second
    uint64_t frame = 0;              // that is shown
    double time = 0;                 // of it
    std::string name;                // of it: of a folder, the picture's file
};

// How tracking goes.
struct TrackReport {
    uint32_t seen = 0, lost = 0;               // tracks that are seen now, or waited for
    uint32_t numbers = 0, found_again = 0;     // so far
    std::vector<uint32_t> lost_numbers = {};   // who is waited for
    std::vector<uint32_t> found_numbers = {};  // who was found again just now
    uint32_t followed = 0;                     // who was clicked; 0: nobody
    enum class Followed { seen, lost, gone } state = Followed::gone;  // and where that one is
    double idf1 = 1, mota = 1;  // where the source knows who is who
    uint64_t switches = 0;
    std::vector<RegionCounts> counts = {};  // of lines and zones
};

// The last values of something that is measured again and again, oldest first.
class Rolling {
public:
    static constexpr size_t most = 120;

    void add(float value) {
        values_[(first_ + count_) % most] = value;
        if (count_ < most)
            ++count_;
        else
            first_ = (first_ + 1) % most;
    }
    size_t count() const { return count_; }
    float operator[](size_t i) const { return values_[(first_ + i) % most]; }
    float last() const { return count_ ? (*this)[count_ - 1] : 0; }
    float mean() const {
        float sum = 0;
        for (size_t i = 0; i < count_; ++i) sum += (*this)[i];
        return count_ ? sum / float(count_) : 0;
    }

private:
    std::array<float, most> values_{};
    size_t first_ = 0, count_ = 0;
};

// One for each stage of a frame, in the order in which they were first heard of.
struct StageTimes {
    struct Stage {
        std::string name;
        Rolling ms;
    };
    std::vector<Stage> stages;

    void add(std::string_view name, double ms) {
        for (Stage& stage : stages)
            if (stage.name == name) return stage.ms.add(float(ms));
        stages.push_back({std::string(name), {}});
        stages.back().ms.add(float(ms));
    }
};

// What the loop tells about itself.
struct LiveReport {
    std::string device, source, source_state;
    bool source_missing = false;  // a camera that cannot be opened; it is tried again
    ModelReport detector, classifier, captioner;
    PlayerReport player;
    uint64_t swaps = 0;  // how often a model was replaced: queries and words are others
    MapChoices choices, second_choices;  // of maps
    // How captions are written while the picture moves and while it stands still, where that
    // differs from what the model's files ask for; empty where it does not.
    std::string caption_note;
    std::vector<std::string> labels;  // of the detector's classes
    float sure_above = 0.5f;          // the score of boxes from which on it is to be believed
    size_t examples = 0;              // of these, the last ones, which were shown and not named
    std::vector<PresentMode> present_modes{PresentMode::fifo};

    double frames_per_second = 0;
    uint64_t frames = 0, dropped = 0;
    double latency_ms = 0;  // from capture to screen
    double gpu_idle = 0;    // part of the time, over the last frames
    MemoryUse memory;
    StageTimes stages;
    std::optional<TrackReport> tracks;  // if somebody wants tracks
    std::optional<Score> score;         // where the source knows what is there
    std::string shader_error;           // of a shader that is being written
    std::string notice;                 // "saved saccade-1.png", or what went wrong
    bool feed_failed = false;           // what was sent to other programs has ended by an error
    double recorded_seconds = 0;
    uint64_t failed_recordings = 0;  // which have ended by that
    std::string bare_file;           // the frame as it came, for the page that was asked for last
};

}  // namespace saccade
