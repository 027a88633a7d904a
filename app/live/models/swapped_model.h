#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <utility>

#include "gpu/core/check.h"
#include "gpu/core/error.h"
#include "models/files/checkpoint.h"

namespace saccade {

// The place of a model in a loop that does not stop: the old one stays in use while the next one is
// loaded on a thread of its own.
template <typename Model>
class SwappedModel {
public:
    // Opens a model by its name, on any thread, and reports progress.
    using Open = std::function<std::unique_ptr<Model>(const std::string& name, LoadProgress)>;
    explicit SwappedModel(Open open) : open_(std::move(open)) {}

    // Sets the wanted model; "none" for none. Loading begins when the name changes. A name that
    // changes meanwhile is loaded next.
    void want(const std::string& name) {
        if (name == wanted_) return;
        wanted_ = name;
        error_.clear();
        begin();
    }
    // Whether the next one is loaded. swap() may be called when the old one is idle.
    bool ready() const {
        return next_.valid() &&
               next_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    }
    // True if the model is another one now. The old one stays if the next could not be opened.
    // Throws only if the device is lost.
    bool swap() {
        if (!next_.valid()) return false;
        bool changed = false;
        try {
            std::unique_ptr<Model> made = next_.get();
            if (loading_ == wanted_) {
                before_ = std::move(model_);
                name_before_ = name_;
                on_trial_ = true;
                model_ = std::move(made);
                name_ = loading_;
                changed = true;
            }
        } catch (const DeviceLost&) {
            loading_.clear();
            throw;
        } catch (const std::exception& error) {
            if (loading_ == wanted_) error_ = error.what();
        }
        loading_.clear();
        if (error_.empty()) begin();
        return changed;
    }

    // Keeps the new one, which works, and frees the one before.
    void settle() {
        before_.reset();
        on_trial_ = false;
    }
    // Goes back to the one before, because the new one does not work. False if there was no swap
    // since the last settle(). May be called when the new one is idle.
    bool undo(const std::string& why) {
        if (!on_trial_) return false;
        model_ = std::move(before_);
        name_ = name_before_;
        on_trial_ = false;
        error_ = why;
        return true;
    }

    Model* model() const { return model_.get(); }
    const std::string& name() const { return name_; }        // of the one in use
    const std::string& loading() const { return loading_; }  // of the next one
    float progress() const { return progress_; }             // of loading it, 0 to 1
    const std::string& error() const { return error_; }      // why there is no next one

private:
    void begin() {
        if (next_.valid() || wanted_ == name_) return;
        loading_ = wanted_;
        progress_ = 0;
        next_ = std::async(std::launch::async, [this, name = wanted_] {
            return name == "none" ? nullptr : open_(name, [this](float part) { progress_ = part; });
        });
    }

    Open open_;
    std::unique_ptr<Model> model_, before_;
    std::string name_ = "none", name_before_, wanted_ = "none", loading_, error_;
    bool on_trial_ = false;  // model_ has not worked yet
    std::atomic<float> progress_ = 0;
    // The last member: its destructor waits for the thread, which uses the others.
    std::future<std::unique_ptr<Model>> next_;
};

}  // namespace saccade
