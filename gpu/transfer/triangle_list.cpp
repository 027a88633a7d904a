#include "gpu/transfer/triangle_list.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "gpu/core/error.h"
#include "gpu/recorder/upload.h"
#include "shaders/draw/params.h"

namespace saccade {

namespace {

using Corner = TriangleList::Corner;

// All of a buffer as words. It is no tensor with padded rows, only bytes that a kernel indexes.
Tensor words_of(const Buffer& buffer) {
    Tensor t{buffer.handle(), 0, buffer.bytes(), Type::u32};
    t.batch = t.rows = 1;
    t.columns = t.row_stride = t.batch_stride = static_cast<uint32_t>(buffer.bytes() / 4);
    return t;
}

// Flags of the edge from one corner to the next. The triangle lies on its right (y points down), so
// two triangles that share an edge have it in opposite directions. The flags make both compute the
// same edge function, and give pixels on the edge to one of them.
uint32_t edge_flags(uint32_t edge, const Corner& from, const Corner& to) {
    const bool turned = std::pair(to.x, to.y) < std::pair(from.x, from.y);
    const bool top_or_left = to.y < from.y || (to.y == from.y && to.x > from.x);
    return (turned ? params::triangle_turned_edge << edge : 0) |
           (top_or_left ? params::triangle_owns_edge << edge : 0);
}

// Whether a tile lies wholly beyond one of a triangle's edges; long thin ones touch few of the
// tiles around them.
bool misses(const uint32_t* shape, uint32_t tile_x, uint32_t tile_y) {
    auto at = [&](uint32_t word) { return double(std::bit_cast<float>(shape[word])); };
    constexpr double side = params::triangle_tile;
    const double left = side * tile_x, top = side * tile_y;
    for (uint32_t i = 0; i < 3; ++i) {
        const uint32_t from = 2 * i, to = 2 * ((i + 1) % 3);
        const double x = at(from), y = at(from + 1), along_x = at(to) - x, along_y = at(to + 1) - y;
        // The corner of the tile that lies farthest inside.
        const double far_x = along_y > 0 ? left : left + side;
        const double far_y = along_x > 0 ? top + side : top;
        if (along_x * (far_y - y) - along_y * (far_x - x) < 0) return true;
    }
    return false;
}

}  // namespace

Atlas::Atlas(Device& device, std::span<const uint8_t> coverage, Size size)
    : coverage_(coverage.begin(), coverage.end()), size_(size) {
    if (coverage.size() != area(size)) throw Error("an atlas of another size than its bytes");
    buffer_ = Buffer(device, "atlas", (coverage.size() + 31) / 32 * 32, Memory::device);
    upload(device, words_of(buffer_), [&](std::span<std::byte> staged) {
        std::memcpy(staged.data(), coverage.data(), coverage.size());
    });
}

Tensor Atlas::tensor() const { return words_of(buffer_); }

TriangleList::TriangleList(Device& device, const Atlas& atlas) : device_(device), atlas_(atlas) {}

void TriangleList::begin(Size screen) {
    screen_ = screen;
    across_ = (screen.x + params::triangle_tile - 1) / params::triangle_tile;
    down_ = (screen.y + params::triangle_tile - 1) / params::triangle_tile;
    shapes_.clear();
    spans_.clear();
}

void TriangleList::add(const Corner& a, const Corner& b, const Corner& c, const Clip& clip) {
    const double area = (double(b.x) - double(a.x)) * (double(c.y) - double(a.y)) -
                        (double(b.y) - double(a.y)) * (double(c.x) - double(a.x));
    if (area < 0) return add(a, c, b, clip);
    if (!(area > 0) || !std::isfinite(area)) return;
    if (((a.colour | b.colour | c.colour) >> 24) == 0) return;  // invisible

    // Pixels whose middles may lie inside: clipped, and on the screen.
    const auto [left, right] = std::minmax({a.x, b.x, c.x});
    const auto [top, bottom] = std::minmax({a.y, b.y, c.y});
    auto within = [](float at, uint32_t most) {
        return static_cast<uint32_t>(std::clamp(at, 0.0f, float(most)));
    };
    const uint32_t clip_left = within(clip.left, screen_.x);
    const uint32_t clip_top = within(clip.top, screen_.y);
    const uint32_t clip_right = within(clip.right, screen_.x);
    const uint32_t clip_bottom = within(clip.bottom, screen_.y);
    const uint32_t x0 = std::max(clip_left, within(left - 0.5f, screen_.x));
    const uint32_t y0 = std::max(clip_top, within(top - 0.5f, screen_.y));
    const uint32_t x1 = std::min(clip_right, within(right + 1.5f, screen_.x));
    const uint32_t y1 = std::min(clip_bottom, within(bottom + 1.5f, screen_.y));
    if (x0 >= x1 || y0 >= y1) return;
    constexpr uint32_t tile = params::triangle_tile;
    spans_.push_back({uint16_t(x0 / tile), uint16_t(y0 / tile), uint16_t((x1 - 1) / tile),
                      uint16_t((y1 - 1) / tile)});

    uint32_t shape[params::triangle_words] = {};
    auto put = [&](uint32_t at, float value) { shape[at] = std::bit_cast<uint32_t>(value); };
    const Corner* corners[3] = {&a, &b, &c};
    const Size atlas = atlas_.size();
    for (uint32_t i = 0; i < 3; ++i) {
        put(2 * i, corners[i]->x);
        put(2 * i + 1, corners[i]->y);
        shape[params::triangle_flags] |=
            edge_flags(i, *corners[(i + 1) % 3], *corners[(i + 2) % 3]);
        put(params::triangle_texels + 2 * i, corners[i]->u * float(atlas.x));
        put(params::triangle_texels + 2 * i + 1, corners[i]->v * float(atlas.y));
        shape[params::triangle_colours + i] = corners[i]->colour;
    }
    put(params::triangle_area, float(1.0 / area));
    shape[params::triangle_clip] = clip_left | clip_top << 16;
    shape[params::triangle_clip + 1] = clip_right | clip_bottom << 16;
    // Most of a user interface is plain: all corners at one texel that is wholly covered.
    const bool one_texel = a.u == b.u && b.u == c.u && a.v == b.v && b.v == c.v;
    if (!one_texel ||
        atlas_.at(std::min(within(a.u * float(atlas.x), atlas.x), atlas.x - 1),
                  std::min(within(a.v * float(atlas.y), atlas.y), atlas.y - 1)) != 255)
        shape[params::triangle_flags] |= params::triangle_textured;
    shapes_.insert(shapes_.end(), std::begin(shape), std::end(shape));
}

Triangles TriangleList::finish() {
    // A tile's list begins where the one before ends: count, sum up, fill in the order given.
    tiles_.assign(size_t(across_) * down_ * 2, 0);
    auto for_tiles = [&](uint32_t triangle, auto&& what) {
        const Span& span = spans_[triangle];
        const uint32_t* shape = &shapes_[size_t(triangle) * params::triangle_words];
        for (uint32_t y = span.top; y <= span.bottom; ++y)
            for (uint32_t x = span.left; x <= span.right; ++x)
                if (!misses(shape, x, y)) what(&tiles_[2 * (size_t(y) * across_ + x)]);
    };
    const auto triangles = static_cast<uint32_t>(spans_.size());
    for (uint32_t i = 0; i < triangles; ++i) for_tiles(i, [](uint32_t* tile) { ++tile[1]; });
    uint32_t total = 0;
    for (size_t i = 0; i < tiles_.size(); i += 2) {
        tiles_[i] = total;
        total += std::exchange(tiles_[i + 1], 0);
    }
    list_.resize(total);
    for (uint32_t i = 0; i < triangles; ++i)
        for_tiles(i, [&](uint32_t* tile) { list_[tile[0] + tile[1]++] = i; });

    write(tiles_buffer_, "tiles", tiles_);
    write(list_buffer_, "triangles of tiles", list_);
    write(shapes_buffer_, "triangles", shapes_);
    return {words_of(tiles_buffer_), words_of(list_buffer_), words_of(shapes_buffer_),
            atlas_.tensor(), atlas_.size()};
}

void TriangleList::write(Buffer& buffer, const char* name, std::span<const uint32_t> words) {
    if (!buffer || buffer.bytes() < words.size_bytes())
        buffer =
            Buffer(device_, name, std::max<uint64_t>(2 * words.size_bytes(), 4096), Memory::mapped);
    if (!words.empty()) std::memcpy(buffer.mapped().data(), words.data(), words.size_bytes());
    buffer.flush();
}

}  // namespace saccade
