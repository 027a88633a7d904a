#pragma once

#include <memory>

#include "app/frame/source.h"
#include "app/sources/screen/screen_clock.h"

namespace saccade {

// Whether the text names a screen.
inline bool is_desktop(const std::string& text) { return text.starts_with("screen:"); }

// Captures an X11 display, live: "screen:" is all of it, "screen:800x600+100+50" a part.
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
    // The part that a text names; nothing for the whole screen. An Error if the text is malformed.
    static std::optional<Part> part_of(const std::string& text);

private:
    struct Connection;

    std::optional<Part> part_;
    std::unique_ptr<Connection> connection_;
    ScreenClock clock_;
};

// Clips a part to a screen of this size.
Desktop::Part within(Desktop::Part part, Size screen);

}  // namespace saccade
