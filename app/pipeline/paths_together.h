#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/pipeline/frame_path.h"
#include "gpu/recorder/recent.h"

namespace saccade {

// The frame paths of several sources, which share one set of models. The models see frames of
// several paths in one run. One thread uses all of them.
class PathsTogether {
public:
    explicit PathsTogether(Engine& engine) : engine_(engine) {}

    struct Beginning {
        FramePath* path;
        TakenFrame frame;
        FrameOrder order;
    };
    // Begins at most one frame of each path, which must have room for it. The models see frames of
    // one size in one run; a frame whose order has a map or a caption runs by itself, because those
    // are made of one frame at a time. The ticket tells when the models are done with all.
    Ticket begin(std::vector<Beginning> all);

    // Sends one picture of this size with the newest picture of each source as its tile; the orders
    // say where the tiles lie. Does not wait for any frame.
    [[nodiscard]] SentPicture send_tiles(PictureRing& window, Size all);

    // ---- for the paths

    void add(FramePath& path) { paths_.push_back(&path); }
    void remove(FramePath& path) { std::erase(paths_, &path); }
    // Prepares this path's models for frames of this size. Models and recordings keep what they
    // prepared for the last few sizes. Before a size is forgotten, this waits for all that was
    // submitted for it, by any path; that is recorded again later.
    void make_ready(FramePath& path, Size size);
    // Waits for the last send_tiles(): afterwards tiles may be overwritten or freed.
    void wait_for_tiles() { engine_.device().wait(tiles_sent_, "a picture of all sources"); }
    // Drops what was recorded for several paths, so that it is recorded again.
    void record_anew();
    void count_recording() { ++recordings_; }

    // How often the models were recorded, for one path or for several.
    uint64_t recordings() const { return recordings_; }

private:
    using Lanes = std::vector<FrameLane*>;

    Ticket begin_at_once(std::vector<Beginning> all);
    void plan(LaneGroup& group, const std::vector<FramePath*>& paths, const Lanes& lanes);
    // A group that is not in use; if possible, one that was recorded for these images.
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
