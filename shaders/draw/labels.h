// The rule by which labels of boxes are placed, compiled both as C++ and as GLSL: box_plates.comp
// follows it on the device, place_labels (app/draw) on the host. Labels are placed one after the
// other, the strongest first. A label lies at the first of these places that fits into the image
// and covers nothing that is taken: above its box, inside at its top, below, inside at its bottom.
// A label without such a place is not drawn. Of boxes that almost coincide only the strongest is
// drawn at all.
#ifndef SACCADE_DRAW_LABELS
#define SACCADE_DRAW_LABELS
#include "shaders/draw/params.h"

#ifdef __cplusplus
#include <glm/common.hpp>
#include <glm/vec2.hpp>
#endif

SACCADE_PARAMS_BEGIN

#ifdef __cplusplus
using glm::clamp, glm::max, glm::min, glm::vec2;
#endif

SACCADE_CONSTANT label_places = 4;

SACCADE_FUNCTION bool covers(Area a, Area b) {
    return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

// Intersection over union.
SACCADE_FUNCTION float overlap_of(Area a, Area b) {
    const float width = max(min(a.right, b.right) - max(a.left, b.left), 0.0f);
    const float height = max(min(a.bottom, b.bottom) - max(a.top, b.top), 0.0f);
    const float both = width * height;
    if (!(both > 0.0f)) return 0.0f;
    return both / ((a.right - a.left) * (a.bottom - a.top) +
                   (b.right - b.left) * (b.bottom - b.top) - both);
}

// A box lies inside of the image here.
SACCADE_FUNCTION Area label_at(uint place, Area box, vec2 size, vec2 image) {
    Area label;
    label.top = place == 0   ? box.top - size.y
                : place == 1 ? box.top
                : place == 2 ? box.bottom
                             : box.bottom - size.y;
    label.bottom = label.top + size.y;
    label.left = clamp(box.left, 0.0f, max(image.x - size.x, 0.0f));
    label.right = label.left + size.x;
    return label;
}

// A bit for each place that is not in the image.
SACCADE_FUNCTION uint places_outside(Area box, vec2 size, vec2 image) {
    uint outside = 0;
    for (uint place = 0; place < label_places; ++place) {
        const Area label = label_at(place, box, size, image);
        if (label.top < 0.0f || label.bottom > image.y) outside |= 1u << place;
    }
    return outside;
}

// A bit for each place that would cover a part of `taken`.
SACCADE_FUNCTION uint places_covering(Area taken, Area box, vec2 size, vec2 image) {
    uint covering = 0;
    for (uint place = 0; place < label_places; ++place)
        if (covers(label_at(place, box, size, image), taken)) covering |= 1u << place;
    return covering;
}

// label_places: none is free.
SACCADE_FUNCTION uint first_free(uint blocked) {
    for (uint place = 0; place < label_places; ++place)
        if ((blocked >> place & 1u) == 0) return place;
    return label_places;
}

SACCADE_PARAMS_END

#endif
