#pragma once

#include <memory>

#include "app/frame/source.h"
#include "app/sources/screen/screen_clock.h"

namespace saccade {

// Whether the text means what a screen shows.
inline bool is_desktop(const std::string& text) { return text.starts_with("screen:"); }

// What an X11 display shows: "screen:", all of it, or "screen:800x600+100+50", a part. What it
// gives is the present.
class Desktop : public Source {
public:
    Desktop(const std::string& text, const SourceOptions& options);
    ~Desktop() override;

    const SourceTraits& traits() const override { return clock_.traits(); }
    std::optional<FrameInfo> next(const GiveSlot& give) override;
    void seek(uint64_t index) override { clock_.seek(index); }

    struct Part {
        Size size{};
        glm::uvec2 corner{};
    };
    // The part that a text means, nothing for all; an Error for what is none.
    static std::optional<Part> part_of(const std::string& text);

private:
    struct Connection;

    std::optional<Part> part_;
    std::unique_ptr<Connection> connection_;
    ScreenClock clock_;
};

// A part as far as a screen of this size goes.
Desktop::Part within(Desktop::Part part, Size screen);

}  // namespace saccade
