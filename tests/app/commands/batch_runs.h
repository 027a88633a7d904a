#pragma once

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/app/video/videos.h"
#include "tests/places.h"

namespace saccade {

// Runs of `saccade batch` with a small detector that finds something everywhere.
class BatchRuns : public ::testing::Test {
protected:
    BatchRuns() : detector(model_folder(temp, "yolos-nano")) {}

    Words words(const Words& sources, const std::string& out, const Words& more = {}) {
        Words all{"batch"};
        all.insert(all.end(), sources.begin(), sources.end());
        all.insert(all.end(),
                   {"-o", temp / out, "--detector", detector, "--classifier", "none", "--captioner",
                    "none", "--threshold", "0", "--max-detections", "3", "--quiet"});
        all.insert(all.end(), more.begin(), more.end());
        return on_test_device(all);
    }
    Outcome run(const Words& sources, const std::string& out, const Words& more = {}) {
        return saccade_program(words(sources, out, more));
    }

    // All outputs of a run, by name, without "ms", which differs from run to run.
    std::map<std::string, std::string> outputs(const std::string& out) {
        std::map<std::string, std::string> files;
        for (auto entry = std::filesystem::recursive_directory_iterator(temp / out);
             entry != end(entry); ++entry) {
            const std::string name = std::filesystem::relative(entry->path(), temp / out).string();
            if (name == ".saccade" || name.starts_with("shard-"))
                entry.disable_recursion_pending();
            else if (entry->is_regular_file())
                files[name] = file_content(entry->path());
        }
        std::string lines;
        for (const nlohmann::json& line : lines_in(out)) {
            nlohmann::json copy = line;
            copy.erase("ms");
            lines += copy.dump() + "\n";
        }
        files["FRAMES.jsonl"] = lines;
        return files;
    }
    std::vector<nlohmann::json> lines_in(const std::string& out) {
        std::vector<nlohmann::json> lines;
        for (const std::string& line : lines_of(file_content(temp / out / "FRAMES.jsonl")))
            lines.push_back(nlohmann::json::parse(line));
        return lines;
    }
    void expect_same(const std::string& a, const std::string& b) {
        const auto left = outputs(a), right = outputs(b);
        for (const auto& [name, content] : left) {
            ASSERT_TRUE(right.contains(name)) << name;
            EXPECT_TRUE(right.at(name) == content) << name << " differs";
        }
        EXPECT_EQ(left.size(), right.size());
    }

    // Waits until a run has written so many lines.
    void wait_for_lines(const std::string& out, size_t lines) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (std::chrono::steady_clock::now() < end) {
            const std::string so_far = file_content(temp / out / "FRAMES.jsonl");
            if (size_t(std::ranges::count(so_far, '\n')) >= lines) break;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }

    TempFolder temp;
    std::string detector;
};

}  // namespace saccade
