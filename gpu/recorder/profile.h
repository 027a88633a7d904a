#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/core/handles.h"

namespace saccade {

class Device;

struct ScopeTime {
    std::string name;
    int depth = 0;
    double ms = 0;
};
inline double total_ms(const std::vector<ScopeTime>& times) {
    double total = 0;
    for (const ScopeTime& time : times) total += time.ms;
    return total;
}

// GPU timestamps around named scopes.
class Profile {
public:
    explicit Profile(Device& device, std::string_view name);
    ~Profile();
    Profile(const Profile&) = delete;
    Profile& operator=(const Profile&) = delete;

    // Drops all scopes: the recording starts again.
    void forget();
    // Resets the queries. Called before each submission.
    void start_anew();
    // False where the queries are used up or the queue has no timestamps: then there is no leave().
    bool enter(VkCommandBuffer commands, std::string_view name, int depth);
    void leave(VkCommandBuffer commands);
    std::vector<ScopeTime> read() const;

private:
    struct Entry {
        std::string name;
        int depth;
        uint32_t begin, end;
    };
    Device& device_;
    VkQueryPool pool_ = nullptr;
    uint32_t used_ = 0;
    std::vector<Entry> entries_;
    std::vector<size_t> open_;
};

}  // namespace saccade
