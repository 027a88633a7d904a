#include "app/sources/synth/scene.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <glm/vec3.hpp>
#include <limits>

namespace saccade {

namespace {

constexpr uint32_t most_objects = 6;

int parts_of_256(double value) { return static_cast<int>(std::lround(value * 256)); }

// Each seed has its own order of backdrops.
Backdrop backdrop_of(uint64_t seed, uint64_t number) {
    std::array<uint32_t, backdrop_count> order;
    for (uint32_t i = 0; i < backdrop_count; ++i) order[i] = i;
    Random random(seed, 0xbac4d409);
    for (uint32_t i = backdrop_count - 1; i > 0; --i)
        std::swap(order[i], order[random.below(i + 1)]);
    return static_cast<Backdrop>(order[number % backdrop_count]);
}

uint32_t card_colour_of(Random& random) {
    if (random.chance(0.75)) {  // paper
        const auto white = static_cast<uint32_t>(random.uniform(205, 250));
        return white << 16 | white << 8 | (white - 6);
    }
    const auto black = static_cast<uint32_t>(random.uniform(12, 36));  // a screen
    return black << 16 | black << 8 | black;
}

}  // namespace

SynthScene::SynthScene(uint64_t seed, uint64_t number, Size frame, std::optional<uint32_t> objects,
                       bool hard)
    : frame_(frame),
      unit_(std::sqrt(0.75 * frame.x * frame.y)),
      half_x_(frame.x / 2.0 / unit_),
      half_y_(frame.y / 2.0 / unit_),
      first_object_(number * most_objects * (hard ? 2 : 1) + 1),
      backdrop_(backdrop_of(seed, number)) {
    Random random(seed, number);
    backdrop_seed_ = random.next();
    shadow_ = {random.uniform(-0.12, 0.12), random.uniform(0.06, 0.18)};

    auto swing = [&](double value, double most, double slowest, double fastest) {
        return Swing{value, random.uniform(0.5, 1) * most, random.uniform(slowest, fastest),
                     random.uniform()};
    };
    // A slow sway and a faster jitter.
    shake_x_ = swing(0, 0.018, 0.15, 0.4);
    shake_y_ = swing(0, 0.014, 0.15, 0.4);
    tremble_x_ = swing(0, 0.0025, 1.5, 3);
    tremble_y_ = swing(0, 0.0025, 1.5, 3);
    roll_ = swing(0, 0.004, 0.1, 0.3);  // turns
    zoom_ = swing(1.01, 0.015, 0.08, 0.2);
    brightness_ = swing(random.uniform(0.86, 1.06), 0.07, 0.1, 0.5);
    slope_x_ = swing(random.uniform(-0.12, 0.12), 0.06, 0.05, 0.2);
    slope_y_ = swing(random.uniform(-0.12, 0.06), 0.04, 0.05, 0.2);
    for (double& channel : white_) channel = random.uniform(0.95, 1.05);
    noise_ = parts_of_256(random.uniform(0.1, 0.45));

    // Last, so that the number of objects does not change the rest of the scene.
    const uint32_t some = 2 + random.below(4);
    const uint32_t count = std::min(objects.value_or(some), most_objects);
    arrange(random, hard ? 2 * count : count);
    if (hard)
        let_cross();
    else
        let_pass(random);
}

SynthScene::Object SynthScene::make_object(Random& random, uint32_t count) {
    const double largest = std::min(0.5, 0.75 / std::sqrt(double(count)) + 0.05);
    Object object{};
    object.id = random.below(emoji_count);
    object.size = {random.uniform(0.22, largest), 0, random.uniform(0.1, 0.3), random.uniform()};
    object.size.swing = object.size.value * random.uniform(0.02, 0.09);
    object.x = {0, random.uniform(0.02, 0.1), random.uniform(0.08, 0.25), random.uniform()};
    object.y = {0, random.uniform(0.02, 0.08), random.uniform(0.08, 0.25), random.uniform()};
    object.angle = {random.uniform(-0.03, 0.03), random.uniform(0.01, 0.035),
                    random.uniform(0.1, 0.35), random.uniform()};
    object.tilt_x = {random.uniform(-0.06, 0.06), 0.08, random.uniform(0.1, 0.3), random.uniform()};
    object.tilt_y = {random.uniform(-0.06, 0.06), 0.08, random.uniform(0.1, 0.3), random.uniform()};
    object.stretch = random.uniform(0.93, 1.07);
    object.shear = random.uniform(-0.06, 0.06);
    object.shade = parts_of_256(random.uniform(0.2, 0.45));
    const double bright = random.uniform(0.92, 1.06);
    for (int& channel : object.tint) channel = parts_of_256(bright * random.uniform(0.97, 1.03));
    return object;
}

// Tries some random arrangements, and keeps the one whose objects overlap least.
void SynthScene::arrange(Random& random, uint32_t count) {
    const bool cards = random.chance(0.3);
    for (uint32_t i = 0; i < count; ++i) {
        Object object = make_object(random, count);
        if (i > 0 && random.chance(0.25)) object.id = objects_.front().id;
        if (cards && random.chance(0.7)) {
            object.card = random.uniform(1.08, 1.3);
            object.card_colour = card_colour_of(random);
        }
        objects_.push_back(object);
    }
    auto width = [](const Object& object) {
        return object.size.value * std::max(object.card, 1.0);
    };
    double least = std::numeric_limits<double>::max();
    std::vector<glm::dvec2> best(count), places(count);
    for (int attempt = 0; attempt < 24; ++attempt) {
        double crowded = 0;
        for (uint32_t i = 0; i < count; ++i) {
            const double reach = objects_[i].size.value / 2 + 0.02;
            places[i] = {random.uniform(-1, 1) * std::max(half_x_ - reach, 0.0),
                         random.uniform(-1, 1) * std::max(half_y_ - reach, 0.0)};
            for (uint32_t j = 0; j < i; ++j) {
                const double room = (width(objects_[i]) + width(objects_[j])) / 2;
                crowded += std::max(0.0, 1 - glm::distance(places[i], places[j]) / (1.15 * room));
            }
        }
        if (crowded >= least) continue;
        least = crowded;
        best = places;
    }
    for (uint32_t i = 0; i < count; ++i) {
        objects_[i].x.value = best[i].x;
        objects_[i].y.value = best[i].y;
    }
}

// One object may cross the picture from side to side, in front of or behind the others.
void SynthScene::let_pass(Random& random) {
    const auto count = static_cast<uint32_t>(objects_.size());
    if (count < 2 || !random.chance(0.4)) return;
    Object& passing = objects_[random.below(count)];
    const double way = half_x_ + passing.size.value / 2;
    const double side = random.chance(0.5) ? 1 : -1;
    passing.x.value = side * way;
    passing.drift = -side * 2 * way / duration;
}

// Every second object crosses from one side to the other, in front of some and behind others;
// neighbours move in opposite directions.
void SynthScene::let_cross() {
    double side = 1;
    for (size_t i = 0; i < objects_.size(); i += 2, side = -side) {
        Object& crossing = objects_[i];
        const double way = std::max(half_x_ - crossing.size.value / 2, 0.0);
        crossing.x.value = side * way;
        crossing.drift = -side * 2 * way / duration;
    }
}

SynthView SynthScene::at(double t) const {
    // The camera's transform, from units to pixels.
    const double zoom = zoom_.at(t) * unit_, roll = roll_.at(t);
    const double cosine = zoom * wave(roll + 0.25), sine = zoom * wave(roll);
    const double shake_x = (shake_x_.at(t) + tremble_x_.at(t)) * unit_;
    const double shake_y = (shake_y_.at(t) + tremble_y_.at(t)) * unit_;
    const glm::dmat3 camera(glm::dvec3(cosine, sine, 0), glm::dvec3(-sine, cosine, 0),
                            glm::dvec3(frame_.x / 2.0 + shake_x, frame_.y / 2.0 + shake_y, 1));
    SynthView view;
    const double shorter = std::min(half_x_, half_y_) + margin;
    glm::dmat3 shrink(1 / shorter);
    shrink[2][2] = 1;
    view.to_backdrop = shrink * inverse_of(camera);

    for (const Object& object : objects_) {
        const double half = object.size.at(t) / 2, angle = object.angle.at(t);
        const double x = object.x.at(t) + object.drift * t, y = object.y.at(t);
        const double c = half * wave(angle + 0.25), s = half * wave(angle);
        const double g = object.tilt_x.at(t), h = object.tilt_y.at(t);
        const double c00 = c * object.stretch, c01 = -s + object.shear * c;
        const double c10 = s * object.stretch, c11 = c + object.shear * s;
        const glm::dmat3 place(glm::dvec3(c00 + x * g, c10 + y * g, g),
                               glm::dvec3(c01 + x * h, c11 + y * h, h), glm::dvec3(x, y, 1));
        PlacedEmoji placed;
        placed.id = object.id;
        placed.object = first_object_ + view.objects.size();
        placed.to_frame = camera * place;
        placed.to_cell = inverse_of(placed.to_frame);
        placed.half = half * zoom;
        placed.card = object.card;
        placed.card_colour = object.card_colour;
        placed.shadow = shadow_;
        placed.shade = object.shade;
        placed.tint = object.tint;
        view.objects.push_back(placed);
    }
    const double brightness = brightness_.at(t);
    for (size_t i = 0; i < 3; ++i) view.light.tint[i] = parts_of_256(brightness * white_[i]);
    view.light.slope_x = parts_of_256(slope_x_.at(t));
    view.light.slope_y = parts_of_256(slope_y_.at(t));
    view.light.vignette = parts_of_256(0.1);
    view.light.noise = noise_;
    return view;
}

namespace {

// The alpha of a sprite's coarsest level at a point of its cell.
uint32_t alpha_at(const EmojiSprite& sprite, glm::dvec2 p) {
    constexpr int level = 2, side = EmojiSprite::side_of(level);
    if (!(p.x >= -1 && p.x < 1 && p.y >= -1 && p.y < 1)) return 0;
    const auto x = static_cast<size_t>((p.x + 1) * side / 2);
    const auto y = static_cast<size_t>((p.y + 1) * side / 2);
    return sprite.pixels[level][(y + 1) * (side + 2) + x + 1] >> 24;
}

bool covers(const PlacedEmoji& front, const EmojiSprite& sprite, glm::dvec2 pixel) {
    const glm::dvec2 p = project(front.to_cell, pixel);
    if (front.card > 0 && std::max(std::abs(p.x), std::abs(p.y)) < front.card) return true;
    return alpha_at(sprite, p) > 127;
}

// The part of an object within the frame that is not occluded by others, 0 .. 1.
double visible_part(const SynthView& view, size_t index, const std::vector<EmojiSprite>& sprites,
                    Size frame) {
    constexpr int steps = 24;
    const PlacedEmoji& object = view.objects[index];
    uint32_t all = 0, visible = 0;
    for (int i = 0; i < steps * steps; ++i) {
        const glm::dvec2 cell{(i % steps + 0.5) * 2 / steps - 1, (i / steps + 0.5) * 2 / steps - 1};
        const uint32_t alpha = alpha_at(sprites[object.id], cell);
        if (alpha == 0) continue;
        const glm::dvec2 pixel = project(object.to_frame, cell);
        if (!(pixel.x >= 0 && pixel.x < frame.x && pixel.y >= 0 && pixel.y < frame.y)) continue;
        all += alpha;
        const bool hidden = std::any_of(
            view.objects.begin() + static_cast<std::ptrdiff_t>(index) + 1, view.objects.end(),
            [&](const PlacedEmoji& front) { return covers(front, sprites[front.id], pixel); });
        if (!hidden) visible += alpha;
    }
    return all == 0 ? 0 : double(visible) / all;
}

}  // namespace

Truth truth_of(const SynthView& view, const std::vector<EmojiSprite>& sprites, Size frame) {
    Truth truth;
    for (size_t i = 0; i < view.objects.size(); ++i) {
        const PlacedEmoji& object = view.objects[i];
        glm::dvec2 low{1e9}, high{-1e9};
        for (const glm::dvec2& corner : sprites[object.id].outline) {
            const glm::dvec2 p = project(object.to_frame, corner);
            low = glm::min(low, p);
            high = glm::max(high, p);
        }
        const double whole = (high.x - low.x) * (high.y - low.y);
        const glm::dvec2 none(0), all(frame.x, frame.y);
        low = glm::clamp(low, none, all);
        high = glm::clamp(high, none, all);
        const double inside = (high.x - low.x) * (high.y - low.y);
        if (inside <= 0.5 * whole || visible_part(view, i, sprites, frame) <= 0.35) continue;
        truth.objects.push_back({object.id,
                                 emoji_name(object.id),
                                 {float(low.x), float(low.y), float(high.x), float(high.y)},
                                 object.object});
    }
    truth.caption = emoji_caption(truth.objects, frame);
    return truth;
}

}  // namespace saccade
