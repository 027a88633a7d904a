#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/frame/source_name.h"
#include "gpu/transfer/pixel_layout.h"
#include "models/picture/preprocessor.h"

// Sources of frames: cameras, streams, video files, pictures, the synthetic camera. A source is
// read by one thread, that of Capture (live) or of Reader (batch).

namespace saccade {

// The layout of most sources: BGR, three bytes per pixel.
inline PixelLayout packed(Size size) { return {.width = size.x, .height = size.y}; }

// Memory for one frame, which belongs to the consumer and which the source fills.
struct Slot {
    std::byte* bytes = nullptr;
    PixelLayout layout;
};
// Asks the consumer for memory for a frame of this layout, which may change between frames. Called
// twice for a frame whose first layout proves wrong.
using GiveSlot = std::function<Slot(const PixelLayout&)>;

// The ground truth of a frame, if the source knows it.
struct TrueObject {
    uint32_t id = 0;  // of its class
    std::string label;
    Rectangle box;        // in pixels, inside the frame
    uint64_t object = 0;  // its identity, the same in every frame that shows it; 0: unknown
    bool operator==(const TrueObject&) const = default;
};
struct Truth {
    std::vector<TrueObject> objects;
    std::string caption;
    bool operator==(const Truth&) const = default;
};

struct FrameInfo {
    SourceName source;   // of a folder of pictures, the picture's file
    uint64_t index = 0;  // from 0; a picture that could not be read leaves a gap
    // Of a source that is played live: another number after a cut, a seek, or for another picture.
    uint64_t scene = 0;
    // Seconds since the first frame: by the file's timestamps, or by the machine's clock if live.
    double time = 0;
    std::chrono::steady_clock::time_point captured;  // when its pixels were complete
    double decode_ms = 0;                            // measured by Reader
    Size size;
    std::optional<Truth> truth;
};

struct SourceTraits {
    SourceName name;    // as the user gave it
    bool live = false;  // a camera or a stream, which may disconnect and come back
    double rate = 0;    // frames per second by the container, such as 30000/1001; 0: unknown
    std::optional<uint64_t> frames;  // by the container's frame count
    std::optional<Size> size;        // of all frames; nothing if they differ
    bool rotated = false;            // by 90 or 270 degrees, from how the pictures are stored
};

class Source {
public:
    virtual ~Source() = default;

    virtual const SourceTraits& traits() const = 0;
    // Writes the next frame into the slot that `give` returns for its layout. Nothing at the end.
    // An Error names the source and the frame that could not be read.
    virtual std::optional<FrameInfo> next(const GiveSlot& give) = 0;
    // Makes `index` the next frame, exactly, however long that takes. Beyond the end, next()
    // returns nothing. A live source cannot seek back.
    virtual void seek(uint64_t index) = 0;
};

// The user's choices, for sources that have them.
struct SourceOptions {
    // For cameras, and for synth: if its text has none; the rate also for pictures.
    std::optional<Size> size = std::nullopt;
    double rate = 0;
    std::string pixel_format = {};  // the FourCC of a camera's format, "MJPG"
    // After these timeouts a camera or stream counts as lost. Stopping a thread may take as long.
    std::chrono::milliseconds open_timeout{5000}, read_timeout{3000};
};

// Whether this is the synthetic camera.
inline bool is_synth(const SourceName& name) { return name.unmasked().starts_with("synth:"); }

}  // namespace saccade
