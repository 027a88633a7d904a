#pragma once

#include <fstream>
#include <iterator>
#include <sstream>

#include "tests/app/pictures.h"
#include "tests/app/program.h"

// Video files and network cameras, made by ffmpeg.

namespace saccade {

inline std::string ffmpeg_program() {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path ? path : "/usr/bin");
    for (std::string folder; std::getline(folders, folder, ':');)
        if (::access((folder + "/ffmpeg").c_str(), X_OK) == 0) return folder + "/ffmpeg";
    throw std::runtime_error("there is no ffmpeg: install it");
}

inline void run_ffmpeg(const Words& words) {
    Words all{"-nostdin", "-v", "error", "-y"};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome outcome = run_program(ffmpeg_program(), all);
    if (outcome.code != 0) throw std::runtime_error("ffmpeg failed: " + outcome.err);
}

// A clip whose frames all differ, with B-frames and few key frames.
inline std::string make_clip(const TempFolder& temp, const std::string& name, int frames,
                             const std::string& rate = "25", const Words& more = {}) {
    const std::string path = temp / name;
    Words words{"-f",        "lavfi",
                "-i",        "testsrc2=size=96x64:rate=" + rate,
                "-frames:v", std::to_string(frames)};
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {"-c:v", "libx264", "-bf", "2", "-g", "12", "-pix_fmt", "yuv420p",
                               "-movflags", "+faststart", path});
    run_ffmpeg(words);
    return path;
}

inline std::string file_content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// The same clip with a tone.
inline std::string with_sound(const TempFolder& temp, const std::string& clip,
                              const std::string& name, const std::string& codec = "aac") {
    const std::string path = temp / name;
    run_ffmpeg({"-i", clip, "-f", "lavfi", "-i", "sine=frequency=440", "-c:v", "copy", "-c:a",
                codec, "-shortest", path});
    return path;
}

// An mp4 whose track matrix turns the picture clockwise by a right angle.
inline std::string turned(const std::string& clip, const TempFolder& temp,
                          const std::string& name) {
    std::string content = file_content(clip);
    const size_t matrix = content.find("tkhd") + 4 + 40;
    EXPECT_EQ(content.substr(matrix, 4), big_endian(0x10000, 4));
    const uint32_t turn[] = {0, 0x10000, 0, 0xffff0000, 0, 0, 0, 0, 0x40000000};
    for (size_t i = 0; i < 9; ++i) content.replace(matrix + 4 * i, 4, big_endian(turn[i], 4));
    return temp.write(name, content).string();
}

}  // namespace saccade
