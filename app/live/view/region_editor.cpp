#include "app/live/view/region_editor.h"

#include <algorithm>
#include <glm/geometric.hpp>
#include <string>
#include <utility>

namespace saccade {

namespace {

using namespace std::chrono_literals;

constexpr auto double_click = 400ms;
constexpr float near_by = 8;  // pixels of the window: a click this near to a point is on it

float window_pixels(const LiveScene& scene) {  // to one of the picture
    return static_cast<float>(scene.place.width) /
           static_cast<float>(std::max(size_of(scene).x, 1u));
}

// "line 2": the first free name.
std::string new_name(const Regions& regions, bool zone) {
    for (size_t number = 1;; ++number) {
        const std::string name = (zone ? "zone " : "line ") + std::to_string(number);
        if (std::ranges::find(regions.all, name, &Region::name) == regions.all.end()) return name;
    }
}

}  // namespace

Regions fitted(Regions regions, Size picture) {
    if (regions.size && *regions.size != picture) {
        const glm::vec2 scale = glm::vec2(picture) / glm::vec2(*regions.size);
        for (Region& region : regions.all)
            for (glm::vec2& corner : region.corners) corner *= scale;
    }
    regions.size = picture;
    return regions;
}

bool RegionEditor::take(const WindowEvent& event, const LiveScene& scene, Session& session,
                        Clock::time_point now) {
    if (area(scene.picture) == 0) return false;
    // The second view is the same picture.
    const std::optional<ScenePoint> point = point_in_picture(scene, event.place);
    const std::optional<glm::vec2> place = point ? std::optional(point->pixel) : std::nullopt;
    switch (event.kind) {
        case WindowEvent::Kind::move:
            mouse_ = place;
            session.pointer.target.point.reset();
            return true;
        case WindowEvent::Kind::press:
            if (!place || event.button != 0) return false;
            press(*place, scene, session.wishes, now);
            return true;
        case WindowEvent::Kind::release:
            mouse_ = place;
            if (!dragged_) return false;
            session.wishes.regions = shown(session.wishes, scene.picture);
            dragged_.reset();
            return true;
        case WindowEvent::Kind::key:
            if (event.key == enter_key)
                finish(scene.picture, session.wishes);
            else if (event.key == delete_key)
                take_back(session.wishes);
            else if (event.key == escape_key && !sketch_.empty())
                sketch_.clear();
            else if (event.key == escape_key)
                session.wishes.window.drawing = false;
            else
                return false;
            return true;
        default:
            return false;
    }
}

void RegionEditor::leave() {
    sketch_.clear();
    dragged_.reset();
    chosen_.reset();
    mouse_.reset();
}

Regions RegionEditor::shown(const Wishes& wishes, Size picture) const {
    Regions regions = fitted(wishes.regions, picture);
    if (dragged_ && mouse_ && dragged_->region < regions.all.size())
        regions.all[dragged_->region].corners[dragged_->corner] = *mouse_;
    return regions;
}

void RegionEditor::press(glm::vec2 place, const LiveScene& scene, Wishes& wishes,
                         Clock::time_point now) {
    mouse_ = place;
    const float reach = near_by / window_pixels(scene);
    if (!sketch_.empty()) {
        const bool twice = pressed_ && now - *pressed_ < double_click &&
                           glm::distance(place, sketch_.back()) < reach;
        const bool closes = sketch_.size() > 2 && glm::distance(place, sketch_.front()) < reach;
        if (twice || closes) return finish(scene.picture, wishes);
    } else if (const auto corner = corner_at(place, scene, wishes.regions)) {
        dragged_ = corner;
        chosen_ = corner->region;
        return;
    }
    sketch_.push_back(place);
    pressed_ = now;
}

void RegionEditor::finish(Size picture, Wishes& wishes) {
    if (sketch_.size() < 2) return;
    Regions regions = fitted(wishes.regions, picture);
    const bool zone = sketch_.size() > 2;
    regions.all.push_back(
        {.name = new_name(regions, zone), .zone = zone, .corners = std::exchange(sketch_, {})});
    // Lines first, as in files.
    std::ranges::stable_partition(regions.all, [](const Region& region) { return !region.zone; });
    wishes.regions = std::move(regions);
    chosen_.reset();
}

void RegionEditor::take_back(Wishes& wishes) {
    if (!sketch_.empty()) return sketch_.pop_back();
    if (!chosen_ || *chosen_ >= wishes.regions.all.size()) return;
    wishes.regions.all.erase(wishes.regions.all.begin() + static_cast<std::ptrdiff_t>(*chosen_));
    chosen_.reset();
}

std::optional<RegionEditor::Corner> RegionEditor::corner_at(glm::vec2 place, const LiveScene& scene,
                                                            const Regions& regions) const {
    const Regions there = fitted(regions, scene.picture);
    const float reach = near_by / window_pixels(scene);
    for (size_t i = 0; i < there.all.size(); ++i)
        for (size_t j = 0; j < there.all[i].corners.size(); ++j)
            if (glm::distance(there.all[i].corners[j], place) < reach) return Corner{i, j};
    return std::nullopt;
}

}  // namespace saccade
