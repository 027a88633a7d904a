#include "app/library/runner.h"

#include <algorithm>

#include "app/library/upload.h"
#include "gpu/core/error.h"
#include "gpu/transfer/download.h"

namespace saccade {

void Runner::tell(const std::vector<std::string>&) {
    throw Error("this model takes no phrases: its classes are fixed");
}

void Runner::ask(const std::string&) { throw Error("this model answers no questions"); }

uint32_t Runner::layer_of(int32_t wanted, uint32_t layers, const char* what) {
    if (layers == 0) throw Error(std::string("the model has no layers of ") + what);
    if (wanted < 0) return layers - 1;
    if (static_cast<uint32_t>(wanted) < layers) return static_cast<uint32_t>(wanted);
    throw Error("there is no layer " + std::to_string(wanted) + ": the model has " +
                std::to_string(layers) + " layers of " + what + ", counted from 0");
}

std::vector<Found> Runner::run(std::span<const saccade_picture> pictures,
                               const saccade_run_options& options) {
    leave_device_run();
    if (use(options)) record_anew();
    std::vector<Found> found(pictures.size());
    for (size_t begin = 0; begin < pictures.size();) {
        const PixelLayout layout = layout_of(pictures[begin]);
        size_t end = begin + 1;
        while (end < pictures.size() && end - begin < most_together() &&
               layout_of(pictures[end]) == layout)
            ++end;
        run_together(pictures.subspan(begin, end - begin),
                     std::span(found).subspan(begin, end - begin));
        begin = end;
    }
    return found;
}

void Runner::run_together(std::span<const saccade_picture> pictures, std::span<Found> found) {
    const PixelLayout layout = layout_of(pictures.front());
    ++runs_;
    if (!recorded_ || frames_.size() != pictures.size() || frames_.front()->layout() != layout) {
        recorded_ = false;
        frames_.clear();
        for (size_t i = 0; i < pictures.size(); ++i)
            frames_.push_back(std::make_unique<Frame>(engine_.device(), layout));
        std::vector<const Image*> images;
        commands_.begin();
        {
            auto scope = commands_.scope("upload");
            for (const auto& frame : frames_) {
                frame->record(commands_);
                images.push_back(&frame->image());
            }
        }
        record(commands_, images);
        commands_.end();
        recorded_ = true;
    }
    for (size_t i = 0; i < pictures.size(); ++i) {
        write(pictures[i], *frames_[i]);
        found[i].size = {frames_[i]->width(), frames_[i]->height()};
        found[i].run = runs_;
        found[i].place = i;
    }
    commands_.run();
    collect(found);
}

const Image& Runner::image_of(const Found& found) const {
    if (found.run != runs_ || found.place >= frames_.size())
        throw Error(
            "the model has run on other pictures since: ask for attention and features before the "
            "next run");
    return frames_[found.place]->image();
}

void Runner::settle() {
    if (device_run_) device_run_->wait();
}

// Its recording reads what others are about to replace: findings, taps.
void Runner::leave_device_run() {
    settle();
    device_run_.reset();
}

const LeftOnDevice& Runner::submit(const DeviceJob& job, const saccade_run_options& options) {
    settle();
    if (use(options)) record_anew();
    ++runs_;
    if (!device_run_ || !device_run_->is_for(job)) {
        record_anew();
        frames_.clear();
        device_run_ = std::make_unique<DeviceRun>(
            engine_, job, overlay_labels(), [&](Commands& c, const Image& image) {
                return record_left(c, image, job.look ? &*job.look : nullptr);
            });
    }
    device_size_ = job.size;
    device_run_->submit(job, overlay_settings());
    return device_run_->left();
}

Found Runner::collect() {
    if (!device_run_) throw Error("the model has not run on an image of the device: submit one");
    device_run_->wait();
    Found found{.size = device_size_, .run = runs_};
    collect({&found, 1});
    return found;
}

FoundMap Runner::attention(const Found& found, const saccade_look& wanted) {
    const Image& image = image_of(found);
    leave_device_run();
    Commands c(engine_.device(), engine_.scratch(), "attention");
    Download download;
    MapGeometry geometry;
    c.begin();
    {
        auto scope = c.scope("attention");
        download.record(c, look(c, image, wanted, found, geometry));
    }
    c.end();
    c.run();
    return {geometry.grid.y, geometry.grid.x, geometry, download.floats()};
}

FoundMap Runner::features(const Found& found, int32_t layer) {
    const Image& image = image_of(found);
    leave_device_run();
    Commands c(engine_.device(), engine_.scratch(), "features");
    c.begin();
    const Tap& tap = keep_hidden(c, image);
    const auto& states = tap.hidden_states();
    if (states.empty()) throw Error("this model's encoder offers no hidden states");
    const auto state =
        layer < 0 ? std::prev(states.end()) : states.find(static_cast<uint32_t>(layer));
    if (state == states.end())
        throw Error("there are no hidden states after layer " + std::to_string(layer) +
                    "; the last are after " + std::to_string(std::prev(states.end())->first));
    Download download;
    {
        auto scope = c.scope("features");
        download.record(c, state->second);
    }
    c.end();
    c.run();
    return {state->second.rows, state->second.columns, std::nullopt, download.floats()};
}

}  // namespace saccade
