#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "app/hub/hub_client.h"

namespace saccade {

// Downloads one model at a time, while whoever asked for it goes on.
class BackgroundPull {
public:
    explicit BackgroundPull(HubSettings settings = HubSettings::from_environment());

    // Nothing happens while another one is under way. `then` is called by poll() when it is here.
    void start(const std::string& name, std::function<void()> then);
    // As often as one likes, on the thread that has started it.
    void poll();

    bool busy() const { return job_ != nullptr; }
    const std::string& name() const { return name_; }    // of the one under way
    float share() const;                                 // of its bytes that are here, 0 to 1
    const std::string& error() const { return error_; }  // why the last one did not come
    bool has(const std::string& name) const { return here_.contains(name); }  // pulled by this

private:
    // Shared with the thread, which goes on when this is gone: what has come stays, and the next
    // time goes on from there.
    struct Job;

    const HubSettings settings_;
    std::string name_, error_;
    std::set<std::string> here_;
    std::function<void()> then_;
    std::shared_ptr<Job> job_;
};

}  // namespace saccade
