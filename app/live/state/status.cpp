#include "app/live/state/status.h"

#include <cstdio>

namespace saccade {

namespace {

// "door: 2 dog in, 1 cat out"
std::string counted_by(const RegionCounts& region, const std::vector<std::string>& labels) {
    std::string line;
    auto add = [&](uint32_t count, uint32_t id, const char* how) {
        if (count == 0) return;
        const std::string label = id < labels.size() ? labels[id] : std::to_string(id);
        line += (line.empty() ? "" : ", ") + std::to_string(count) + " " + label + how;
    };
    for (const RegionCounts::OfClass& of : region.classes) {
        add(of.in, of.id, " in");
        add(of.out, of.id, " out");
        if (region.zone) add(of.inside, of.id, " inside");
    }
    return region.name + ": " + (line.empty() ? "nothing yet" : line);
}

}  // namespace

std::string summary_of(const Status& status, double seconds) {
    char text[200];
    std::snprintf(text, sizeof text,
                  "%llu frames in %.1f s, %.1f frames/s, %llu dropped, %.0f ms from capture to "
                  "screen, GPU idle %.0f %%\n",
                  static_cast<unsigned long long>(status.frames), seconds,
                  seconds > 0 ? double(status.frames) / seconds : 0,
                  static_cast<unsigned long long>(status.dropped), status.latency_ms,
                  100 * status.gpu_idle);
    std::string lines = text;
    if (status.score && status.score->objects().count() > 0) {
        const Tally& objects = status.score->objects();
        std::snprintf(text, sizeof text, "precision %.3f, recall %.3f against the scene's truth\n",
                      objects.precision(), objects.recall());
        lines += text;
    }
    if (status.tracks) {
        const TrackStatus& tracks = *status.tracks;
        std::snprintf(text, sizeof text, "%u tracks, %u found again", tracks.numbers,
                      tracks.found_again);
        lines += text;
        std::snprintf(text, sizeof text, ": IDF1 %.3f, MOTA %.3f, %llu identity switches",
                      tracks.idf1, tracks.mota, static_cast<unsigned long long>(tracks.switches));
        lines += (status.score ? text : "") + std::string("\n");
        for (const RegionCounts& region : tracks.counts)
            lines += counted_by(region, status.labels) + "\n";
    }
    if (status.score && status.score->captions() > 0)
        lines += std::to_string(status.score->right_captions()) + " of " +
                 std::to_string(status.score->captions()) + " captions right to the word\n";
    for (const StageTimes::Stage& stage : status.stages.stages) {
        std::snprintf(text, sizeof text, "  %-12s %8.2f ms\n", stage.name.c_str(),
                      double(stage.ms.mean()));
        lines += text;
    }
    return lines;
}

std::string summary_of(std::span<const Status* const> sources, double seconds) {
    if (sources.size() == 1) return summary_of(*sources.front(), seconds);
    std::string lines;
    uint64_t frames = 0, dropped = 0;
    char text[200];
    for (const Status* const source : sources) {
        frames += source->frames;
        dropped += source->dropped;
        std::snprintf(text, sizeof text, ": %llu frames, %.1f frames/s, %llu dropped, %.0f ms old",
                      static_cast<unsigned long long>(source->frames),
                      seconds > 0 ? double(source->frames) / seconds : 0,
                      static_cast<unsigned long long>(source->dropped), source->latency_ms);
        lines += source->name + text;
        if (source->tracks) lines += ", " + std::to_string(source->tracks->numbers) + " tracks";
        lines += (source->source_state.empty() ? "" : "; " + source->source_state) + "\n";
        if (!source->tracks) continue;
        for (const RegionCounts& region : source->tracks->counts)
            lines += "  " + counted_by(region, source->labels) + "\n";
    }
    std::snprintf(
        text, sizeof text, "%zu sources: %llu frames in %.1f s, %.1f frames/s, %llu dropped\n",
        sources.size(), static_cast<unsigned long long>(frames), seconds,
        seconds > 0 ? double(frames) / seconds : 0, static_cast<unsigned long long>(dropped));
    return lines + text;
}

}  // namespace saccade
