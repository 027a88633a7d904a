#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "app/draw/overlay.h"
#include "app/library/saccade.h"
#include "gpu/engine.h"
#include "gpu/lent/lent_images.h"
#include "gpu/recorder/commands.h"

namespace saccade {

// A run on an image of the program that has lent its device, see saccade_vulkan.h.
struct DeviceJob {
    struct Picture {
        LentImage image;
        bool bgr = false;  // the order of its bytes
    };
    Size size{0};
    Picture picture;
    std::optional<Picture> drawn = std::nullopt;  // where the picture goes with what was found
    std::optional<saccade_look> look = std::nullopt;
    std::vector<SemaphorePoint> wait = {}, signal = {};
};

// What a run leaves on the device, until the model's next one; empty where a model makes none.
struct LeftOnDevice {
    Tensor found = {}, attention = {};  // see Findings::found
    Masks masks = {};
    Top classes = {};
    MapGeometry geometry = {};
};

// The recordings of such runs: of pictures of one size and kind, and of one look.
class DeviceRun {
public:
    using Record = std::function<LeftOnDevice(Commands& c, const Image& picture)>;

    DeviceRun(Engine& engine, const DeviceJob& job, const OverlayLabels& labels,
              const Record& record);
    ~DeviceRun() { wait_quietly(); }
    DeviceRun(const DeviceRun&) = delete;
    DeviceRun& operator=(const DeviceRun&) = delete;

    bool is_for(const DeviceJob& job) const;
    // The last submission must have finished. `settings` are of what is drawn.
    void submit(const DeviceJob& job, const OverlaySettings& settings);
    // Until the last submission has finished.
    void wait();
    const LeftOnDevice& left() const { return left_; }

private:
    void wait_quietly() noexcept;

    Engine& engine_;
    const Size size_;
    const bool bgr_;
    const std::optional<bool> drawn_bgr_;  // nothing: nothing is drawn
    const std::optional<saccade_look> look_;
    Image picture_, drawn_;
    std::unique_ptr<Overlay> overlay_;
    Buffer attention_;
    LeftOnDevice left_;
    LentImages images_;
    Commands commands_;
    std::optional<Ticket> pending_;
};

}  // namespace saccade
