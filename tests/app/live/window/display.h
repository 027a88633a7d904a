#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace saccade {

// The pixels of a display.
struct Screenshot {
    uint32_t width = 0, height = 0;
    std::vector<uint32_t> pixels;  // 0xrrggbb

    uint32_t at(uint32_t x, uint32_t y) const { return pixels[size_t(y) * width + x]; }
};

// An X server (Xvfb) with simulated keyboard and mouse. It ends with this object, or with the test.
class TestDisplay {
public:
    TestDisplay(uint32_t width, uint32_t height);
    ~TestDisplay();
    TestDisplay(const TestDisplay&) = delete;
    TestDisplay& operator=(const TestDisplay&) = delete;

    const std::string& name() const { return name_; }  // ":99", as DISPLAY has it

    Screenshot screenshot() const;
    void press(const std::string& key) const;  // by X's name: "a", "space", "bracketleft"
    void hold(const std::string& key, int repeats) const;
    void move_mouse(int x, int y) const;
    void click(int x, int y) const;

    // Sets the desktop's dots per inch; 96 is usual.
    void set_dpi(int dpi) const;

    // Acts as a window manager on the window of this title.
    void resize_window(const std::string& title, uint32_t width, uint32_t height) const;
    void move_window(const std::string& title, int x, int y) const;
    void minimise_window(const std::string& title, bool minimised) const;
    void close_window(const std::string& title) const;

private:
    unsigned long window(const std::string& title) const;
    unsigned key_code(const std::string& key) const;

    int process_ = 0;
    void* display_ = nullptr;
    std::string name_;
};

}  // namespace saccade
