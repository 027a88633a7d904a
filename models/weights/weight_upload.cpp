#include "models/weights/weight_upload.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <glm/gtc/packing.hpp>
#include <limits>

#include "gpu/core/device.h"
#include "gpu/core/error.h"
#include "models/files/half.h"
#include "models/files/json.h"

namespace saccade {

namespace {

constexpr uint64_t stage_bytes = 8ull << 20;
constexpr uint64_t most_steps = 32768;  // a dispatch has at most 65535 workgroups along an axis

Stored stored_as(const StoredTensor& tensor) {
    switch (tensor.type) {
        case StoredType::f16:
            return Stored::f16;
        case StoredType::bf16:
            return Stored::bf16;
        default:
            return Stored::f32;  // WeightSource lets no other type through
    }
}

// The part of `to` that the layout `y` covers. Binding only this part allows tensors larger than
// the largest binding, and pieces do not wait for each other.
Tensor window_of(const Tensor& to, Layout& y) {
    uint64_t end = y.offset + 1;
    for (int i = 0; i < 4; ++i) end += uint64_t(y.size[i] - 1) * y.stride[i];
    const uint64_t element = bytes_of(to.type);
    const uint64_t begin = y.offset * element / weight_alignment * weight_alignment;
    Tensor window = to;
    window.base += begin;
    window.bytes = std::min(align_up(end * element, weight_alignment), to.bytes) - begin;
    window.offset = 0;
    window.rows = 1;
    window.columns = window.row_stride = window.batch_stride =
        static_cast<uint32_t>(window.bytes / element);
    y.offset -= static_cast<uint32_t>(begin / element);
    return window;
}

// The largest magnitude, as the bits of a float without its sign. Compared as integers these are in
// the order of the magnitudes; infinity and NaN come last.
template <typename Bits>
Bits largest_bits(std::span<const std::byte> elements) {
    constexpr auto unsigned_bits = static_cast<Bits>(std::numeric_limits<Bits>::max() >> 1);
    Bits largest = 0;
    for (size_t i = 0; i < elements.size() / sizeof(Bits); ++i) {
        Bits bits;
        std::memcpy(&bits, elements.data() + i * sizeof bits, sizeof bits);
        largest = std::max(largest, static_cast<Bits>(bits & unsigned_bits));
    }
    return largest;
}

float largest_magnitude(std::span<const std::byte> elements, StoredType type) {
    switch (type) {
        case StoredType::f16:
            return glm::unpackHalf1x16(largest_bits<uint16_t>(elements));
        case StoredType::bf16:
            return float_from_bfloat(largest_bits<uint16_t>(elements));
        default:
            return std::bit_cast<float>(largest_bits<uint32_t>(elements));
    }
}

// Copies elements and returns their largest magnitude; it is infinite or NaN if an element is. Each
// piece is scanned while it is in the processor's cache, which costs next to nothing.
float copy_and_scan(std::byte* to, std::span<const std::byte> from, StoredType type) {
    constexpr size_t piece_bytes = 32 << 10;
    float largest = 0;
    for (; !from.empty(); from = from.subspan(std::min(piece_bytes, from.size()))) {
        const auto piece = from.first(std::min(piece_bytes, from.size()));
        std::memcpy(to, piece.data(), piece.size());
        to += piece.size();
        const float found = largest_magnitude(piece, type);
        if (!std::isfinite(found)) return found;
        largest = std::max(largest, found);
    }
    return largest;
}

// Throws an Error if a tensor whose largest magnitude this is cannot be stored as `type`.
void require_representable(const WeightSource& source, const std::string& name, float largest,
                           Type type) {
    constexpr float half_overflows = 65520;  // from here on a value rounds to infinity
    if (!std::isfinite(largest))
        throw Error(source.where(name) + ": tensor " + in_quotes(name) +
                    " has a value that is not a finite number; the file is damaged or its "
                    "training failed: fetch it again, or another model");
    if (type == Type::f16 && largest >= half_overflows)
        throw Error(source.where(name) + ": tensor " + in_quotes(name) +
                    " has a value too large for half precision; use --precision fp32");
}

}  // namespace

void require_finite(const WeightSource& source, const std::string& name,
                    std::span<const float> values) {
    require_representable(source, name, largest_magnitude(std::as_bytes(values), StoredType::f32),
                          Type::f32);
}

struct WeightUpload::Stage {
    Stage(Device& device, Arena& scratch, uint64_t bytes)
        : buffer(device, "weight staging", bytes, Memory::upload),
          commands(device, scratch, "loading weights", 0) {}

    void open() {
        if (recording) return;
        commands.wait(last);  // the device still unpacks the buffer's earlier contents
        commands.begin();
        used = 0;
        recording = true;
    }
    void submit() {
        if (!recording) return;
        commands.end();
        buffer.flush();
        last = commands.submit();
        recording = false;
    }

    Buffer buffer;
    Commands commands;
    uint64_t used = 0;
    bool recording = false;
    Ticket last;
};

WeightUpload::WeightUpload(Device& device, WeightSource& source, const std::string& name)
    : device_(device), source_(source), scratch_(device, name + " loading") {}

WeightUpload::~WeightUpload() {
    // After a load that failed half-way the device may still be reading these buffers.
    for (auto& stage : stages_) {
        try {
            if (stage) stage->commands.wait(stage->last);
        } catch (const Error&) {  // a lost device reads nothing any more
        }
    }
}

void WeightUpload::copy(const Tensor& to, const Layout& y, const StoredTensor& from,
                        const Layout& x, float scale, bool release) {
    // The source's slowest dimension is the one with the longest stride.
    int slow = 3;
    for (int i = 0; i < 4; ++i)
        if (x.size[i] > 1 && (x.size[slow] == 1 || x.stride[i] > x.stride[slow])) slow = i;
    const uint64_t element = size_of(from.type);
    const uint64_t step_bytes = std::max<uint64_t>(x.stride[slow], 1) * element;
    uint32_t steps = static_cast<uint32_t>(
        std::clamp<uint64_t>(std::min(stage_bytes / step_bytes, most_steps), 1, x.size[slow]));
    if (slow == 3 && steps < x.size[3]) steps = std::max(8u, steps / 8 * 8);  // whole fours of y

    for (uint32_t first = 0; first < x.size[slow]; first += steps) {
        const uint32_t count = std::min(steps, x.size[slow] - first);
        const bool last = first + count == x.size[slow];
        const std::span<const std::byte> bytes =
            from.bytes.subspan(first * step_bytes, last ? std::dynamic_extent : count * step_bytes);
        Stage& stage = stage_for(bytes.size());
        const float largest =
            copy_and_scan(stage.buffer.mapped().data() + stage.used, bytes, from.type);
        // Tables that the loader computes have no name and may be infinite on purpose.
        if (!from.name.empty())
            require_representable(source_, from.name, largest * std::abs(scale), to.type);

        Layout piece_y = y, piece_x = x;
        piece_y.offset += to.offset + first * y.stride[slow];
        piece_y.size[slow] =
            last ? y.size[slow] - first : count;  // the last piece includes the padding
        piece_x.offset = static_cast<uint32_t>(stage.used / element);
        piece_x.size[slow] = count;
        const Tensor staged =
            make_tensor(stage.buffer.handle(), 0, 1, 1,
                        static_cast<uint32_t>(stage.buffer.bytes() / 4), Type::u32);
        const Tensor window = window_of(to, piece_y);
        copy_strided(stage.commands, window, piece_y, staged, stored_as(from), piece_x, scale);
        stage.used += align_up(bytes.size(), 16);
        if (release) source_.release(bytes);
    }
}

WeightUpload::Stage& WeightUpload::stage_for(uint64_t bytes) {
    auto fits = [&](const Stage& stage) {
        return !stage.recording || stage.used + bytes <= stage.buffer.bytes();
    };
    if (stages_[current_] && !fits(*stages_[current_])) {
        stages_[current_]->submit();
        current_ ^= 1;
    }
    std::unique_ptr<Stage>& stage = stages_[current_];
    if (!stage || stage->buffer.bytes() < bytes) {
        if (stage) stage->commands.wait(stage->last);
        stage =
            std::make_unique<Stage>(device_, scratch_, std::max(stage_bytes, align_up(bytes, 256)));
    }
    stage->open();
    return *stage;
}

Commands& WeightUpload::commands() { return stage_for(0).commands; }

void WeightUpload::finish() {
    for (auto& stage : stages_) {
        if (!stage) continue;
        stage->submit();
        stage->commands.wait(stage->last);
        stage.reset();
    }
}

}  // namespace saccade
