#include "gpu/recorder/profile.h"

#include "gpu/core/check.h"
#include "gpu/core/device.h"

namespace saccade {

namespace {
constexpr uint32_t most_timestamps = 1024;
}

Profile::Profile(Device& device, std::string_view name) : device_(device) {
    if (device.limits().timestamp_ns == 0 || !device.executes()) return;
    VkQueryPoolCreateInfo info{.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = most_timestamps;
    check(vkCreateQueryPool(device.handle(), &info, nullptr, &pool_), "creating GPU timers");
    device.name(pool_, VK_OBJECT_TYPE_QUERY_POOL, name);
    vkResetQueryPool(device.handle(), pool_, 0, most_timestamps);
}

Profile::~Profile() { vkDestroyQueryPool(device_.handle(), pool_, nullptr); }

void Profile::forget() {
    entries_.clear();
    open_.clear();
    used_ = 0;
}

// On the host: vkCmdResetQueryPool would delay the device in every submission.
void Profile::start_anew() {
    if (used_ > 0) vkResetQueryPool(device_.handle(), pool_, 0, used_);
}

bool Profile::enter(VkCommandBuffer commands, std::string_view name, int depth) {
    if (!pool_ || used_ + 2 > most_timestamps) return false;
    entries_.push_back({std::string(name), depth, used_, used_ + 1});
    open_.push_back(entries_.size() - 1);
    used_ += 2;
    vkCmdWriteTimestamp2(commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, pool_,
                         entries_.back().begin);
    return true;
}

void Profile::leave(VkCommandBuffer commands) {
    vkCmdWriteTimestamp2(commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, pool_,
                         entries_[open_.back()].end);
    open_.pop_back();
}

std::vector<ScopeTime> Profile::read() const {
    if (entries_.empty()) return {};
    std::vector<uint64_t> ticks(used_);
    const VkResult result =
        vkGetQueryPoolResults(device_.handle(), pool_, 0, used_, ticks.size() * sizeof(uint64_t),
                              ticks.data(), sizeof(uint64_t), VK_QUERY_RESULT_64_BIT);
    if (result == VK_NOT_READY) return {};
    check(result, "reading GPU timers");
    std::vector<ScopeTime> times;
    const Limits& limits = device_.limits();
    for (const Entry& entry : entries_) {
        // The mask makes this right where the counter has wrapped around.
        const uint64_t passed = (ticks[entry.end] - ticks[entry.begin]) & limits.timestamp_mask;
        times.push_back({entry.name, entry.depth, double(passed) * limits.timestamp_ns * 1e-6});
    }
    return times;
}

}  // namespace saccade
