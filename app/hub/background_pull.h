#pragma once

#include <array>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "app/hub/hub_client.h"

namespace saccade {

// Downloads one model at a time, in a thread of its own.
class BackgroundPull {
public:
    explicit BackgroundPull(HubSettings settings = HubSettings::from_environment());

    // Does nothing while another download is running. poll() calls `then` when the model is here.
    void start(const std::string& name, std::function<void()> then);
    // Call it regularly, on the thread that called start().
    void poll();

    // Tells which models are chosen now. When a person chooses another model, the error of a failed
    // download goes.
    using Chosen = std::array<std::string_view, 3>;
    void follow(const Chosen& models);

    bool busy() const { return job_ != nullptr; }
    const std::string& name() const { return name_; }    // of the running download
    float share() const;                                 // of its bytes that are here, 0 to 1
    const std::string& error() const { return error_; }  // of the last download; empty: none
    bool has(const std::string& name) const { return here_.contains(name); }  // pulled by this

private:
    // Shared with the thread, which outlives this object: the partial download is kept, and the
    // next pull continues it.
    struct Job;

    const HubSettings settings_;
    std::string name_, error_;
    std::set<std::string> here_;
    std::array<std::string, std::tuple_size_v<Chosen>> chosen_;
    std::function<void()> then_;
    std::shared_ptr<Job> job_;
};

}  // namespace saccade
