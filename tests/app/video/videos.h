#pragma once

#include <nlohmann/json.hpp>
#include <opencv2/videoio.hpp>
#include <string>
#include <vector>

#include "tests/app/sources/clips.h"

// The contents of a video file, by ffprobe.

namespace saccade {

inline nlohmann::json probe(const std::filesystem::path& path) {
    const std::string program = std::filesystem::path(ffmpeg_program()).parent_path() / "ffprobe";
    const Outcome outcome = run_program(
        program, {"-v", "error", "-count_frames", "-show_streams", "-show_format", "-show_entries",
                  "packet=stream_index,pts_time", "-of", "json", path.string()});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out);
}

inline nlohmann::json stream_of(const nlohmann::json& probed, const std::string& kind) {
    for (const nlohmann::json& stream : probed["streams"])
        if (stream["codec_type"] == kind) return stream;
    return {};
}

// When each frame is shown, in seconds.
inline std::vector<double> frame_times(const nlohmann::json& probed) {
    std::vector<double> times;
    const int video = stream_of(probed, "video")["index"];
    for (const nlohmann::json& packet : probed["packets"])
        if (packet["stream_index"] == video)
            times.push_back(std::stod(packet["pts_time"].get<std::string>()));
    std::ranges::sort(times);
    return times;
}

}  // namespace saccade
