#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace saccade {

// What somebody means who types a file as file managers and shells write it: "file:///a.mp4",
// "~/a.mp4", or in quotes.
std::string source_meant(std::string typed);

// What can be opened on this machine: cameras that are there, what was opened before, a picture
// that comes with Saccade, the synthetic camera.
class SourceOffers {
public:
    struct Offer {
        std::string source;  // as live takes it
        std::string name;    // as people call it
    };

    // `recent`: what was opened before, the last first. `devices` is where cameras are.
    explicit SourceOffers(std::vector<std::string> recent = {},
                          std::filesystem::path devices = "/dev");

    // Looks around again if the last time was a while ago.
    const std::vector<Offer>& offers();
    // This one has been opened. Files are kept by their whole path: the next run may be elsewhere.
    void add_recent(const std::string& opened);
    const std::vector<std::string>& recent() const { return recent_; }

    static constexpr size_t most_recent = 8;

private:
    void look_around();

    std::vector<std::string> recent_;
    std::string last_opened_;
    const std::filesystem::path devices_;
    std::vector<Offer> offers_;
    std::chrono::steady_clock::time_point looked_{};
};

}  // namespace saccade
