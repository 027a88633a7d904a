#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "app/frame/source_name.h"

namespace saccade {

// The source for a text as file managers and shells write it: "file:///a.mp4", "~/a.mp4", or in
// quotes.
SourceName source_meant(std::string typed);

// Sources to open on this machine: its cameras, recent sources, a picture that comes with Saccade,
// the synthetic camera.
class SourceOffers {
public:
    struct Offer {
        SourceName source;
        std::string name;  // for people
    };

    // `recent`: sources of earlier runs, the last first. `devices`: the folder of cameras.
    explicit SourceOffers(std::vector<SourceName> recent = {},
                          std::filesystem::path devices = "/dev");

    // Looks for cameras again after a while.
    const std::vector<Offer>& offers();
    // Files are kept by their absolute path: the next run may be in another folder.
    void add_recent(const SourceName& opened);
    const std::vector<SourceName>& recent() const { return recent_; }

    static constexpr size_t most_recent = 8;

private:
    void look_around();

    std::vector<SourceName> recent_;
    SourceName last_opened_;
    const std::filesystem::path devices_;
    std::vector<Offer> offers_;
    std::chrono::steady_clock::time_point looked_{};
};

}  // namespace saccade
