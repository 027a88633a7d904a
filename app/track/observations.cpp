#include "app/track/observations.h"

#include <cmath>
#include <cstring>
#include <type_traits>

#include "gpu/core/error.h"

namespace saccade {

namespace {

struct Header {
    uint64_t frame;
    double time;
    uint32_t width, height;
    uint32_t things, look_size;
};
static_assert(sizeof(Header) == 32);
static_assert(sizeof(Observation) == 24);

template <typename T>
void add(std::string& bytes, const T* values, size_t count) {
    bytes.append(reinterpret_cast<const char*>(values), count * sizeof(T));
}

template <typename T>
void take(std::string_view& bytes, T* values, size_t count) {
    if (bytes.size() / sizeof(T) < count)
        throw Error("what was observed in a frame is damaged: run it again with --resume");
    // Plain numbers, though glm's vectors do not say so.
    static_assert(std::is_standard_layout_v<T>);
    if (count > 0) std::memcpy(static_cast<void*>(values), bytes.data(), count * sizeof(T));
    bytes.remove_prefix(count * sizeof(T));
}

// The direction of a vector, in bytes.
void look_of(std::span<const float> state, std::span<int8_t> look) {
    float most = 0;
    for (const float x : state) most = std::max(most, std::abs(x));
    const float scale = most > 0 && std::isfinite(most) ? 127 / most : 0;
    for (size_t i = 0; i < state.size(); ++i)
        look[i] = static_cast<int8_t>(scale > 0 ? std::lround(state[i] * scale) : 0);
}

}  // namespace

void observe(Observations& to, const FrameResult& result, std::span<const float> states,
             size_t columns) {
    to.frame = result.info.index;
    to.time = result.info.time;
    to.size = result.info.size;
    to.things.clear();
    to.looks.clear();
    to.look_size = states.empty() ? 0 : static_cast<uint32_t>(columns);
    if (!result.detections) return;
    for (const Detection& d : *result.detections) to.things.push_back({d.box, d.score, d.id});
    to.looks.resize(to.things.size() * to.look_size);
    if (to.look_size == 0) return;
    for (size_t i = 0; i < to.things.size(); ++i) {
        const size_t row = (*result.detections)[i].query * columns;
        if (row + columns > states.size()) throw Error("a detection of a query that is not there");
        look_of(states.subspan(row, columns), std::span(to.looks).subspan(i * columns, columns));
    }
}

void append(std::string& bytes, const Observations& o) {
    const Header header{
        o.frame, o.time, o.size.x, o.size.y, static_cast<uint32_t>(o.things.size()), o.look_size};
    add(bytes, &header, 1);
    add(bytes, o.things.data(), o.things.size());
    add(bytes, o.looks.data(), o.looks.size());
}

Observations take_first(std::string_view& bytes) {
    Header header;
    take(bytes, &header, 1);
    Observations o{.frame = header.frame,
                   .time = header.time,
                   .size = {header.width, header.height},
                   .things = {},
                   .look_size = header.look_size,
                   .looks = {}};
    // Before memory is taken for what is not there.
    const uint64_t each = sizeof(Observation) + uint64_t{header.look_size};
    if (bytes.size() / each < header.things)
        throw Error("what was observed in a frame is damaged: run it again with --resume");
    o.things.resize(header.things);
    o.looks.resize(size_t{header.things} * header.look_size);
    take(bytes, o.things.data(), o.things.size());
    take(bytes, o.looks.data(), o.looks.size());
    return o;
}

}  // namespace saccade
