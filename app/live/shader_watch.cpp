#include "app/live/shader_watch.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <utility>

#include "gpu/core/error.h"
#include "gpu/core/pipelines.h"
#include "shaders/embedded.h"

namespace saccade {

namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

// When a shader was last saved.
fs::file_time_type last_change(const fs::path& folder) {
    auto last = fs::file_time_type::min();
    std::error_code ignored;
    for (const auto& entry : fs::recursive_directory_iterator(folder, ignored))
        last = std::max(last, entry.last_write_time(ignored));
    return last;
}

std::vector<uint32_t> read_words(const fs::path& file) {
    std::error_code missing;
    const uintmax_t bytes = fs::file_size(file, missing);
    if (missing) return {};
    std::vector<uint32_t> words(bytes / sizeof(uint32_t));
    std::ifstream in(file, std::ios::binary);
    in.read(reinterpret_cast<char*>(words.data()),
            static_cast<std::streamsize>(words.size() * sizeof(uint32_t)));
    return in ? words : std::vector<uint32_t>();
}

}  // namespace

std::optional<ShaderBuild> ShaderBuild::own() {
#ifdef SACCADE_HOT_RELOAD_SOURCE
    return ShaderBuild{fs::path(SACCADE_HOT_RELOAD_SOURCE) / "shaders",
                       "cmake --build '" SACCADE_HOT_RELOAD_BUILD "' --target spirv",
                       fs::path(SACCADE_HOT_RELOAD_BUILD) / "shaders"};
#else
    return std::nullopt;
#endif
}

ShaderWatch::ShaderWatch(Device& device, ShaderBuild build)
    : device_(device), build_(std::move(build)) {
    for (const EmbeddedShader& shader : embedded_shaders())
        known_.emplace(shader.name, std::vector(shader.code.begin(), shader.code.end()));
    thread_ = std::jthread([this](std::stop_token stop) { run(stop); });
}

void ShaderWatch::run(std::stop_token stop) {
    fs::file_time_type seen = last_change(build_.sources);
    while (!stop.stop_requested()) {
        std::this_thread::sleep_for(200ms);
        const fs::file_time_type now = last_change(build_.sources);
        if (now == seen) continue;
        seen = now;
        build();
    }
}

void ShaderWatch::build() {
    const std::string command = build_.command + " 2>&1 </dev/null";
    std::string complaint, first_line;
    std::FILE* out = ::popen(command.c_str(), "r");
    char line[1024];
    while (out && std::fgets(line, sizeof line, out)) {
        if (first_line.empty()) first_line = line;
        if (complaint.empty() && std::string_view(line).find("ERROR: ") != std::string_view::npos)
            complaint = line;
    }
    const bool failed = !out || ::pclose(out) != 0;
    std::map<std::string, std::vector<uint32_t>> changed;
    if (!failed)
        for (auto& [name, code] : known_) {
            std::vector<uint32_t> now = read_words(build_.spirv / (name + ".spv"));
            if (now.empty() || now == code) continue;
            changed.emplace(name, now);
            code = std::move(now);
        }
    const std::scoped_lock lock(mutex_);
    news_ = true;
    built_error_ = !failed             ? ""
                   : complaint.empty() ? "the shaders could not be built: " + first_line
                                       : complaint;
    for (auto& [name, code] : changed) changed_[name] = std::move(code);
}

bool ShaderWatch::poll() {
    std::map<std::string, std::vector<uint32_t>> changed;
    {
        const std::scoped_lock lock(mutex_);
        if (!std::exchange(news_, false)) return false;
        error_ = built_error_;
        std::swap(changed, changed_);
    }
    bool replaced = false;
    for (auto& [name, code] : changed) {
        try {
            device_.pipelines().replace(name, std::move(code));
            replaced = true;
        } catch (const Error& error) {
            error_ = error.what();
        }
    }
    return replaced;
}

}  // namespace saccade
