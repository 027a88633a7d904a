#include "app/pipeline/frame_pump.h"

namespace saccade {

void pump(FramePath& path, const FrameOrder& order,
          const std::function<std::optional<TakenFrame>()>& next,
          const std::function<void(Done)>& use) {
    path.drop();
    while (std::optional<TakenFrame> frame = next()) {
        while (!path.has_room_for(*frame)) use(path.finish());
        path.begin(std::move(*frame), order);
    }
    while (!path.empty()) use(path.finish());
}

}  // namespace saccade
