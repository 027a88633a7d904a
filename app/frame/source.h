#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/transfer/pixel_layout.h"
#include "models/picture/preprocessor.h"

// Where frames come from: cameras, streams, video files, pictures, the synthetic camera. A source
// is read by one thread; Capture (live) and Reader (batch) are the threads that do.

namespace saccade {

// The layout of most sources: BGR, three bytes a pixel.
inline PixelLayout packed(Size size) { return {.width = size.x, .height = size.y}; }

// Memory for one frame, which the consumer gives and the source fills as the layout says.
struct Slot {
    std::byte* bytes = nullptr;
    PixelLayout layout;
};
// Asks the consumer for memory for a frame of this layout, which may differ from the last one's;
// for one frame twice, if the first layout proves wrong.
using GiveSlot = std::function<Slot(const PixelLayout&)>;

// What is really to be seen in a frame, where the source knows.
struct TrueObject {
    uint32_t id = 0;  // of its class
    std::string label;
    Rectangle box;  // pixels of the frame, and never beyond it
    uint64_t object = 0;  // its number, the same in every frame that shows it; 0: unknown
    bool operator==(const TrueObject&) const = default;
};
struct Truth {
    std::vector<TrueObject> objects;
    std::string caption;
    bool operator==(const Truth&) const = default;
};

struct FrameInfo {
    std::string source;  // the source's name; of a folder of pictures, the picture's file
    uint64_t index = 0;  // from 0; a picture that could not be read leaves a gap
    // Seconds since the first frame: by the file's clock, or by ours where the source is live.
    double time = 0;
    std::chrono::steady_clock::time_point captured;  // when its pixels were there
    double decode_ms = 0;  // what it took to have them, by the Reader's account
    Size size;
    std::optional<Truth> truth;
};

struct SourceTraits {
    std::string name;   // as the user gave it
    bool live = false;  // a camera or a stream, which may go and come back
    double rate = 0;    // frames a second as the container says, 30000 / 1001 too; 0: unknown
    std::optional<uint64_t> frames;  // how many there are, by the container's account
    std::optional<Size> size;   // of all frames; nothing where they differ
    bool lies = false;               // stored lying on its side, and turned upright for us
};

class Source {
public:
    virtual ~Source() = default;

    virtual const SourceTraits& traits() const = 0;
    // Writes the next frame into the slot that `give` returns for its layout. Nothing at the end.
    // An Error names the source and the frame that could not be had.
    virtual std::optional<FrameInfo> next(const GiveSlot& give) = 0;
    // Makes `index` the next frame, exactly, whatever that costs. Beyond the end, next() gives
    // nothing. A live source has no way back.
    virtual void seek(uint64_t index) = 0;
};

// What a person may ask of sources that leave a choice.
struct SourceOptions {
    // Of a camera, and of synth: where its text has none; the rate also of pictures.
    std::optional<Size> size = std::nullopt;
    double rate = 0;
    std::string pixel_format = {};  // of a camera: its four letters, "MJPG"
    // How long a camera or stream may keep us waiting before it counts as lost. A thread that is to
    // stop may have to wait that long.
    std::chrono::milliseconds open_timeout{5000}, read_timeout{3000};
};

// Whether the text means the synthetic camera.
inline bool is_synth(const std::string& text) { return text.starts_with("synth:"); }

}  // namespace saccade
