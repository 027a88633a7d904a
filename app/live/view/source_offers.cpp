#include "app/live/view/source_offers.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "app/hub/model_finder.h"
#include "app/sources/pictures.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;

// "video0" has the number 0.
std::optional<unsigned> camera_number(const std::string& name) {
    constexpr std::string_view stem = "video";
    if (!name.starts_with(stem) || name.size() == stem.size() || name.size() > stem.size() + 3)
        return {};
    unsigned number = 0;
    for (char c : name.substr(stem.size())) {
        if (c < '0' || c > '9') return {};
        number = number * 10 + static_cast<unsigned>(c - '0');
    }
    return number;
}

}  // namespace

SourceName source_meant(std::string typed) {
    const auto first = typed.find_first_not_of(" \t"), last = typed.find_last_not_of(" \t");
    typed = first == typed.npos ? "" : typed.substr(first, last - first + 1);
    if (typed.size() > 1 && (typed[0] == '"' || typed[0] == '\'') && typed.back() == typed[0])
        typed = typed.substr(1, typed.size() - 2);
    constexpr std::string_view file_url = "file://";
    if (typed.starts_with(file_url)) typed.erase(0, file_url.size());
    const char* home = std::getenv("HOME");
    if (home && (typed == "~" || typed.starts_with("~/"))) typed.replace(0, 1, home);
    return typed;
}

SourceOffers::SourceOffers(std::vector<SourceName> recent, fs::path devices)
    : recent_(std::move(recent)), devices_(std::move(devices)) {
    if (recent_.size() > most_recent) recent_.resize(most_recent);
}

const std::vector<SourceOffers::Offer>& SourceOffers::offers() {
    const auto now = std::chrono::steady_clock::now();
    if (offers_.empty() || now - looked_ > std::chrono::seconds(2)) {
        looked_ = now;
        look_around();
    }
    return offers_;
}

void SourceOffers::add_recent(const SourceName& opened) {
    if (opened.empty() || std::exchange(last_opened_, opened) == opened) return;
    const std::string& name = opened.unmasked();
    std::error_code error;
    const bool camera = name.find_first_not_of("0123456789") == name.npos;
    const SourceName source = !camera && fs::exists(name, error)
                                  ? SourceName(fs::absolute(name, error).lexically_normal())
                                  : opened;
    std::erase(recent_, source);
    recent_.insert(recent_.begin(), source);
    if (recent_.size() > most_recent) recent_.resize(most_recent);
    offers_.clear();
}

void SourceOffers::look_around() {
    offers_.clear();
    std::vector<unsigned> cameras;
    std::error_code error;
    for (fs::directory_iterator entry(devices_, error), end; !error && entry != end;
         entry.increment(error))
        if (const auto number = camera_number(entry->path().filename().string()))
            cameras.push_back(*number);
    std::ranges::sort(cameras);
    for (unsigned number : cameras)
        offers_.push_back({std::to_string(number), "camera " + std::to_string(number)});
    if (const auto sample = sample_picture()) offers_.push_back({*sample, "a sample picture"});
    offers_.push_back({"synth:", "synth: the synthetic camera"});
    if (const char* display = std::getenv("DISPLAY"); display && *display)
        offers_.push_back({"screen:", "screen: what this display shows"});
    auto offered = [&](const SourceName& source) {
        return std::ranges::find(offers_, source, &Offer::source) != offers_.end();
    };
    for (const SourceName& source : recent_)
        if (!offered(source)) offers_.push_back({source, title_of_source(source)});
}

}  // namespace saccade
