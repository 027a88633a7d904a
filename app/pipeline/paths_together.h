#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/pipeline/frame_path.h"
#include "gpu/recorder/recent.h"

namespace saccade {

// The paths of several sources, one for each, that share one set of models. Frames of several paths
// can begin together: the models see them at once. One thread uses all of them.
class PathsTogether {
public:
    explicit PathsTogether(Engine& engine) : engine_(engine) {}

    struct Beginning {
        FramePath* path;
        TakenFrame frame;
        FrameOrder order;
    };
    // At most one frame of each path, which must have room for it. Frames of one size are seen at
    // once. A frame of which a map or a caption is wanted is seen by itself, since those are of one
    // frame at a time. Returns when the models are done with all.
    Ticket begin(std::vector<Beginning> all);

    // Sends the newest pictures of all sources as one picture of this size, each as the tile that
    // its order has made it. Waits for no frame.
    [[nodiscard]] SentPicture send_tiles(PictureRing& window, Size all);

    // ---- for the paths

    void add(FramePath& path) { paths_.push_back(&path); }
    void remove(FramePath& path) { std::erase(paths_, &path); }
    // Prepares the models of this path for frames of this size. They keep what they prepared for
    // the last few sizes, and so do recordings. What was recorded for a size that they forget, by
    // whichever path, comes to its end first and is recorded again.
    void make_ready(FramePath& path, Size size);
    // Tiles may be written over or freed afterwards.
    void wait_for_tiles() { engine_.device().wait(tiles_sent_, "a picture of all sources"); }
    // Whatever was recorded for several paths is recorded again.
    void record_anew();
    void count_recording() { ++recordings_; }

    // How often the models were recorded, for one path or for several.
    uint64_t recordings() const { return recordings_; }

private:
    using Lanes = std::vector<FrameLane*>;

    Ticket begin_at_once(std::vector<Beginning> all);
    void plan(LaneGroup& group, const std::vector<FramePath*>& paths, const Lanes& lanes);
    // A group that is not in use; if possible one that was recorded for these pictures.
    LaneGroup& group_for(const std::vector<const Image*>& images);

    Engine& engine_;
    std::vector<FramePath*> paths_;
    std::vector<std::unique_ptr<LaneGroup>> groups_;  // the one that was used last is the last
    struct Nothing {};
    Recent<Size, Nothing> sizes_;  // that the models are prepared for
    uint64_t recordings_ = 0;
    Ticket tiles_sent_;
};

}  // namespace saccade
