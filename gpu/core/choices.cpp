#include "gpu/core/choices.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include "gpu/core/files.h"

namespace saccade {

namespace {

constexpr double clearly_faster = 0.97;  // than the first candidate, by this factor
constexpr size_t most_questions = 4096;
constexpr const char* first_line = "saccade's choices, version 1, on ";

}  // namespace

Choices::Choices(Options options) : options_(std::move(options)) {
    if (options_.measure) load();
}

Choices::~Choices() { save(); }

size_t Choices::choose(const std::string& question, std::span<const std::string> candidates,
                       const std::function<double(size_t)>& microseconds) {
    if (!options_.measure || candidates.size() < 2) return 0;
    const std::scoped_lock lock(mutex_);
    if (const auto found = chosen_.find(question); found != chosen_.end()) {
        const auto at = std::ranges::find(candidates, found->second);
        if (at != candidates.end()) return static_cast<size_t>(at - candidates.begin());
    }
    if (!time_is_left() || chosen_.size() >= most_questions) return 0;
    if (const auto tell = std::exchange(options_.on_measuring, nullptr)) tell();
    const Clock::time_point begin = Clock::now();
    const Clock::duration spent_before = spent_;
    const double first = microseconds(0);
    size_t best = 0;
    double least = first * clearly_faster;
    for (size_t i = 1; i < candidates.size(); ++i) {
        spent_ = spent_before + (Clock::now() - begin);
        if (!time_is_left()) return 0;  // an incomplete comparison is not used
        const double time = microseconds(i);
        if (time >= least) continue;
        best = i;
        least = time;
    }
    spent_ = spent_before + (Clock::now() - begin);
    chosen_[question] = candidates[best];
    unsaved_ = true;
    return best;
}

void Choices::load() {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(options_.file, ignored)) return;
    std::ifstream file(options_.file);
    std::string line;
    if (!std::getline(file, line) || line != first_line + options_.device) return;
    while (chosen_.size() < most_questions && std::getline(file, line)) {
        const size_t tab = line.find('\t');
        if (tab != std::string::npos) chosen_[line.substr(0, tab)] = line.substr(tab + 1);
    }
}

void Choices::save() try {
    const std::scoped_lock lock(mutex_);
    if (options_.file.empty() || !std::exchange(unsaved_, false)) return;
    const std::filesystem::path path(options_.file);
    if (path.has_parent_path()) make_folder(path.parent_path());
    NewFile file(path);
    file.write(first_line + options_.device + "\n");
    for (const auto& [question, candidate] : chosen_)
        file.write(question + "\t" + candidate + "\n");
    file.finish();
} catch (const std::exception&) {
    // Answers that cannot be saved are measured again by the next run.
}

}  // namespace saccade
