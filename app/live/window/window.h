#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/core/error.h"
#include "gpu/core/geometry.h"
#include "gpu/core/handles.h"

struct GLFWwindow;

namespace saccade {

// There is nowhere to open a window.
class NoDisplay : public Error {
public:
    using Error::Error;
};

// Keys that type nothing, in Unicode's private area but for Escape and Enter. Backspace is Delete.
inline constexpr char32_t escape_key = 0x1b, enter_key = 0x0d, left_key = 0xf702,
                          right_key = 0xf703, delete_key = 0xf728, home_key = 0xf729,
                          end_key = 0xf72b, page_up_key = 0xf72c, page_down_key = 0xf72d;

// What a person did. Places are in pixels of the window's surface.
struct WindowEvent {
    enum class Kind {
        key,    // something was typed, or one of the keys above was pressed
        board,  // a key of the keyboard went down or up, whatever it types
        move,
        leave,
        press,
        release,
        wheel,
        drop,  // files were dropped onto the window
    } kind;
    char32_t key = 0;       // of key: what was typed
    glm::vec2 place{};      // of move, press and release; of wheel: how far, right and up
    int button = 0;         // 0 left, 1 right, 2 middle
    bool repeated = false;  // of key: it is being held down
    struct BoardKey {
        int code = 0, scancode = 0, mods = 0;  // as GLFW counts them
        bool down = false;
    } board = {};
    std::vector<std::string> paths = {};  // of drop
};

// A window of the desktop, without anything in it.
class Window {
public:
    struct Options {
        std::string title;
        uint32_t width = 1280, height = 800;
        bool full_screen = false;
    };
    // Throws NoDisplay where there is no desktop to open it on.
    explicit Window(const Options& options);
    ~Window();
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    // What Vulkan's instance needs before surface() can be called.
    std::vector<std::string> instance_extensions() const;
    VkSurfaceKHR surface(VkInstance instance) const;

    // What has happened since the last call.
    std::vector<WindowEvent> events();
    // The same, after something has happened or the time is over: for a window that shows nothing.
    std::vector<WindowEvent> wait_events(double seconds);
    bool closing() const;

    Size size() const;          // of the surface in pixels; zero while minimised
    Size size_to_open() const;  // what Options need for a window of this size
    float scale() const;        // how large text should be: 2 on a display with twice the dots

    // Ends wait_events(); from any thread.
    static void wake();

    bool full_screen() const { return full_screen_; }
    void set_full_screen(bool full);

    GLFWwindow* handle() const { return window_; }

private:
    // GLFW itself, for as long as the window is there.
    struct Library {
        Library();
        ~Library();
    } library_;

    void listen();
    glm::vec2 in_pixels(double x, double y) const;

    GLFWwindow* window_ = nullptr;
    bool full_screen_ = false, repeating_ = false;
    glm::ivec2 place_before_, size_before_;  // full screen
    std::vector<WindowEvent> events_;
};

}  // namespace saccade
