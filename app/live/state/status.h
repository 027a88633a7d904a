#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/cause/cause_seen.h"
#include "app/frame/frame_result.h"
#include "app/frame/score.h"
#include "app/live/state/pointer.h"
#include "gpu/core/device.h"
#include "gpu/present/swapchain.h"

namespace saccade {

// A model that can be chosen.
struct KnownModel {
    std::string name;
    bool here = true;                   // on this machine; else it can be pulled from the Hub
    std::optional<uint32_t> megabytes;  // of its weights
};

// The place of a model in the loop.
struct ModelStatus {
    std::string name;               // of the model that runs; empty: none
    std::string loading;            // the name of the next one
    float progress = 0;             // of loading it, 0 to 1
    std::string error;              // why it was not loaded
    std::vector<KnownModel> known;  // to choose from
    bool takes_words = false;       // phrases to look for, or a question
    // The sentence that the model reads for each phrase, in their order; of a captioner, its
    // question.
    std::vector<std::string> prompts;
    std::string words_error;  // why it did not take the text
};

// The position in a file.
struct PlayerStatus {
    bool live = true;                // a camera or a stream, which cannot be sought
    bool still = false;              // a single picture
    bool at_end = false;             // of a file that does not begin again
    std::optional<uint64_t> frames;  // as the file states
    double rate = 0;                 // frames a second
    uint64_t frame = 0;              // that is shown
    double time = 0;                 // of it
    SourceName name;                 // of it: in a folder, the picture's file
    uint64_t scene = 0;              // that it belongs to, see FrameInfo
};

struct TrackStatus {
    uint32_t seen = 0, lost = 0;               // tracks that are seen now, or waited for
    uint32_t numbers = 0, found_again = 0;     // so far
    std::vector<uint32_t> lost_numbers = {};   // of tracks that are waited for
    std::vector<uint32_t> found_numbers = {};  // of tracks that were found again just now
    uint32_t followed = 0;                     // the track that was clicked; 0: none
    enum class Followed { seen, lost, gone } state = Followed::gone;  // and where it is
    double idf1 = 1, mota = 1;  // where the source knows the true identities
    uint64_t switches = 0;
    std::vector<RegionCounts> counts = {};  // of lines and zones
};

// The layers and heads to choose maps from.
struct MapChoices {
    uint32_t layers = 1, heads = 1;
};

// The last values of a measurement, oldest first.
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

// One for each stage of a frame, in the order of their first measurement.
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

// What the loop tells back.
struct Status {
    std::string device, source_state;
    std::string name;  // of the source, if it is one of several
    SourceName source;
    bool source_missing = false;  // a camera that cannot be opened; it is tried again
    ModelStatus detector, classifier, captioner;
    PlayerStatus player;
    // Goes up with every change of models or prompts: queries and words before it mean nothing now.
    uint64_t models_version = 0;
    MapChoices choices, second_choices;  // of the first and the second view
    // How captions are decoded while the picture moves and while it stands still, where that
    // differs from the model's files; else empty.
    std::string caption_note;
    std::vector<std::string> labels;  // of the detector's classes
    float sure_above = 0.5f;          // the detector's own threshold
    size_t examples = 0;              // the last ones of `labels` are examples, not phrases
    std::vector<PresentMode> present_modes{PresentMode::fifo};

    double frames_per_second = 0;
    uint64_t frames = 0, dropped = 0;
    double latency_ms = 0;  // from capture to screen
    double gpu_idle = 0;    // part of the time, over the last frames
    MemoryUse memory;
    StageTimes stages;
    std::array<std::optional<CauseSeen>, 2> causes;  // of the first and the second view
    std::optional<TrackStatus> tracks;               // while tracks are wanted
    std::optional<Score> score;                      // where the source has ground truth
    std::string shader_error;                        // of a shader that is being written
    std::string notice;                              // "saved saccade-1.png", or what went wrong
    // What has been worked on for longer than a person would wait without asking; else empty.
    std::string working;
    bool stands = false;                    // the picture stands still: rates and ages mean nothing
    bool complete = false;                  // all models have seen the picture
    MapModel richest = MapModel::detector;  // whose patches look through more layers
    bool feed_failed = false;               // frames can no longer be sent to other programs
    bool feed_file_ended = false;           // because a file could not go on: the disk is full
    double recorded_seconds = 0;
    bool recording_failed = false;  // the recording has ended by an error, although it is wanted
    std::string bare_file;          // the frame as it came, for the page that was asked for last
    bool bare_for_lecture = false;  // that page is one of `lecture`
};

// For the terminal, at the end of a run.
std::string summary_of(const Status& status, double seconds);
// The same of several sources, one line for each.
std::string summary_of(std::span<const Status* const> sources, double seconds);

}  // namespace saccade
