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
    uint32_t detections, embedding_size;
};
static_assert(sizeof(Header) == 32);
static_assert(sizeof(Observation) == 24);

[[noreturn]] void refuse_bytes() {
    throw Error("the tracker's observations of a frame are damaged: run it again with --resume");
}

template <typename T>
void add(std::string& bytes, const T* values, size_t count) {
    bytes.append(reinterpret_cast<const char*>(values), count * sizeof(T));
}

template <typename T>
void take(std::string_view& bytes, T* values, size_t count) {
    if (bytes.size() / sizeof(T) < count) refuse_bytes();
    // The cast to void* tells the compiler that glm's vectors may be copied as bytes.
    static_assert(std::is_standard_layout_v<T>);
    if (count > 0) std::memcpy(static_cast<void*>(values), bytes.data(), count * sizeof(T));
    bytes.remove_prefix(count * sizeof(T));
}

// Scales a vector so that its largest component is 127.
void quantize(std::span<const float> state, std::span<int8_t> embedding) {
    float most = 0;
    for (const float x : state) most = std::max(most, std::abs(x));
    const float scale = most > 0 ? 127 / most : 0;  // 0 for infinity
    for (size_t i = 0; i < state.size(); ++i)
        embedding[i] = static_cast<int8_t>(scale > 0 ? std::lround(state[i] * scale) : 0);
}

}  // namespace

void observe(Observations& to, const FrameResult& result, std::span<const float> states,
             size_t columns) {
    to.frame = result.info.index;
    to.time = result.info.time;
    to.size = result.info.size;
    to.detections.clear();
    to.embeddings.clear();
    to.embedding_size = states.empty() ? 0 : static_cast<uint32_t>(columns);
    if (!result.detections) return;
    for (const Detection& d : *result.detections) to.detections.push_back({d.box, d.score, d.id});
    to.embeddings.resize(to.detections.size() * to.embedding_size);
    if (to.embedding_size == 0) return;
    for (size_t i = 0; i < to.detections.size(); ++i) {
        const size_t row = (*result.detections)[i].query * columns;
        if (row + columns > states.size()) throw Error("a detection has a query without a state");
        quantize(states.subspan(row, columns),
                 std::span(to.embeddings).subspan(i * columns, columns));
    }
}

void append(std::string& bytes, const Observations& o) {
    const Header header{
        o.frame,         o.time, o.size.x, o.size.y, static_cast<uint32_t>(o.detections.size()),
        o.embedding_size};
    add(bytes, &header, 1);
    add(bytes, o.detections.data(), o.detections.size());
    add(bytes, o.embeddings.data(), o.embeddings.size());
}

Observations take_first(std::string_view& bytes) {
    Header header;
    take(bytes, &header, 1);
    Observations o{.frame = header.frame,
                   .time = header.time,
                   .size = {header.width, header.height},
                   .detections = {},
                   .embedding_size = header.embedding_size,
                   .embeddings = {}};
    // Checked before memory is allocated for a damaged header.
    const uint64_t each = sizeof(Observation) + uint64_t{header.embedding_size};
    if (bytes.size() / each < header.detections) refuse_bytes();
    o.detections.resize(header.detections);
    o.embeddings.resize(size_t{header.detections} * header.embedding_size);
    take(bytes, o.detections.data(), o.detections.size());
    take(bytes, o.embeddings.data(), o.embeddings.size());
    return o;
}

}  // namespace saccade
