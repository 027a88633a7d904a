#pragma once

#include <functional>
#include <optional>

#include "app/pipeline/frame_path.h"

namespace saccade {

// Brings every frame that `next` gives along the path, in order, and hands it to `use` at its end.
// Frames that an earlier run left on the path, because something failed, are dropped first.
void pump(FramePath& path, const FrameOrder& order,
          const std::function<std::optional<TakenFrame>()>& next,
          const std::function<void(Done)>& use);

}  // namespace saccade
