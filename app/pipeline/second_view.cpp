#include "app/pipeline/frame_path.h"

// The second view of a frame, which is seen beside it.

namespace saccade {

bool FramePath::plan_second(FrameLane& lane, LaneDrawing& drawing) {
    using Second = LaneDrawing::Second;
    const std::optional<SecondOrder>& order = lane.order.second;
    if (!order) {
        lane.second.reset();
        return false;
    }
    if (!lane.second) lane.second = std::make_unique<LaneSecond>(engine_);
    drawing.second = order->bare                ? Second::bare
                     : order->shows_attention() ? Second::with_maps
                                                : Second::drawn;
    return drawing.second == Second::with_maps &&
           lane.second->attention.prepare(models_, order->looker, order->attention);
}

void FramePath::copy_second(Commands& c, FrameLane& lane, const LaneDrawing& drawing) {
    if (drawing.second == LaneDrawing::Second::none) return;
    auto scope = c.scope("second view");
    LaneSecond& second = *lane.second;
    const uint32_t width = size_.x, height = size_.y;
    if (!second.pixels)
        second.pixels = std::make_unique<Readback>(engine_.device(), width, height, true);
    if (drawing.second == LaneDrawing::Second::bare)
        return second.pixels->record(c, lane.memory->image());
    if (!second.image) second.image = Image(engine_.device(), "second view", width, height);
    letterbox(c, second.image, lane.memory->image(), {0, 0, width, height});
}

void FramePath::record_second(Commands& c, FrameLane& lane, const LaneDrawing& drawing) {
    using Second = LaneDrawing::Second;
    if (drawing.second == Second::none || drawing.second == Second::bare) return;
    auto scope = c.scope("second view");
    LaneSecond& second = *lane.second;
    const bool maps = drawing.second == Second::with_maps;
    made(second_overlay_)
        .record(c, second.image,
                drawn_from(drawing, maps ? &second.attention : nullptr, lane.order.second->looker),
                lane.index);
    second.pixels->record(c, second.image);
}

void FramePath::read_second(FrameLane& lane, Done& done) const {
    const SecondOrder& order = *lane.order.second;
    const LaneSecond& second = *lane.second;
    SecondPicture& seen = done.second.emplace();
    seen.bare = order.bare;
    seen.picture = second.pixels->picture();
    if (!lane.second_heat) return;
    if (second.attention.tiled())
        seen.tiles = second_overlay_->tiles(second.attention.maps().batch);
    seen.attention = second.attention.seen(models_, order.looker, order.attention);
}

}  // namespace saccade
