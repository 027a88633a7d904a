#include "app/draw/track_marks.h"

#include <algorithm>
#include <cmath>

#include "app/draw/colour.h"

namespace saccade {

namespace {

constexpr uint32_t nobody = rgba(176, 176, 184);
constexpr uint32_t region_ink = rgba(255, 255, 255);
constexpr size_t most_dots = 400;         // of trails
constexpr size_t most_region_dots = 300;  // of all lines and zones together

std::string percent(float score) { return std::to_string(std::lround(100 * score)) + "%"; }

// The newest dots are the most opaque.
void add_trail(std::vector<Marks::Dot>& dots, const Trail& trail, size_t most) {
    if (trail.points.empty()) return;
    const double now = trail.points.back().time;
    const size_t step = trail.points.size() / std::max<size_t>(most, 1) + 1;
    for (size_t i = trail.points.size() % step; i < trail.points.size(); i += step) {
        const double age = (now - trail.points[i].time) / Trail::seconds;
        dots.push_back({trail.points[i].place,
                        with_alpha(track_colour(trail.number), 0.9 * (1 - std::min(age, 0.9))), 2});
    }
}

// "door: in 3, out 1", "yard: 2 inside"
std::string text_of(const RegionCounts& counts) {
    uint32_t in = 0, out = 0, inside = 0;
    for (const RegionCounts::OfClass& of : counts.classes) {
        in += of.in;
        out += of.out;
        inside += of.inside;
    }
    if (counts.zone) return counts.name + ": " + std::to_string(inside) + " inside";
    return counts.name + ": in " + std::to_string(in) + ", out " + std::to_string(out);
}

void add_dots(std::vector<Marks::Dot>& dots, glm::vec2 from, glm::vec2 to, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const float part = static_cast<float>(i) / static_cast<float>(count);
        dots.push_back({from + (to - from) * part, with_alpha(region_ink, 0.8), 1});
    }
}

void add_regions(Marks& marks, const RegionCounter& counter) {
    const std::vector<Region>& regions = counter.regions();
    size_t edges = 0;
    for (const Region& region : regions) edges += region.zone ? region.corners.size() : 1;
    const size_t each = std::clamp<size_t>(most_region_dots / std::max<size_t>(edges, 1), 2, 40);
    for (size_t i = 0; i < regions.size(); ++i) {
        const std::vector<glm::vec2>& corners = regions[i].corners;
        const size_t last = regions[i].zone ? corners.size() : 1;
        for (size_t j = 0; j < last; ++j)
            add_dots(marks.dots, corners[j], corners[(j + 1) % corners.size()], each);
        marks.texts.push_back({text_of(counter.counts()[i]), corners[0], region_ink});
    }
}

}  // namespace

uint32_t track_colour(uint32_t number) { return number > 0 ? class_colour(number) : nobody; }

Marks marks_of(const std::vector<Detection>& found, const std::vector<std::string>& labels,
               std::optional<uint32_t> selected_query) {
    Marks marks;
    for (size_t i = found.size(); i-- > 0;)  // the best on top
        marks.boxes.push_back({found[i].box, class_colour(found[i].id),
                               labels.at(found[i].id) + " " + percent(found[i].score),
                               found[i].query == selected_query});
    return marks;
}

Marks marks_of(const FrameResult& tracked, const FrameTracker& tracker,
               const std::vector<std::string>& labels, std::optional<uint32_t> selected_query) {
    Marks marks;
    if (tracker.counter()) add_regions(marks, *tracker.counter());
    if (!tracked.detections) return marks;
    const std::vector<Trail>& trails = tracker.trails();
    for (const Trail& trail : trails)
        add_trail(marks.dots, trail, most_dots / std::max<size_t>(trails.size(), 1));
    for (size_t i = tracked.detections->size(); i-- > 0;) {  // the best on top
        const Detection& d = (*tracked.detections)[i];
        const uint32_t number = i < tracked.tracks.size() ? tracked.tracks[i] : 0;
        marks.boxes.push_back({d.box, track_colour(number),
                               (number > 0 ? std::to_string(number) + " " : "") + labels[d.id] +
                                   " " + percent(d.score),
                               d.query == selected_query});
    }
    return marks;
}

}  // namespace saccade
