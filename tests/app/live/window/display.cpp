#include "tests/app/live/window/display.h"

#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <X11/extensions/XTest.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

namespace saccade {

namespace {

::Display* x11(void* display) { return static_cast<::Display*>(display); }

}  // namespace

TestDisplay::TestDisplay(uint32_t width, uint32_t height) {
    int pipe[2];
    if (::pipe(pipe) != 0) throw std::runtime_error("no pipe");
    const std::string out = std::to_string(pipe[1]);
    const std::string screen = std::to_string(width) + "x" + std::to_string(height) + "x24";
    std::vector<std::string> words{"Xvfb", "-displayfd", out,         "-screen",
                                   "0",    screen,       "-nolisten", "tcp",
                                   "-dpi", "96",         "-terminate"};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t files;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_addclose(&files, pipe[0]);
    ::posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    const int failed =
        ::posix_spawnp(&process_, "Xvfb", &files, nullptr, arguments.data(), ::environ);
    ::posix_spawn_file_actions_destroy(&files);
    ::close(pipe[1]);
    std::string number;
    char c;
    while (!failed && ::read(pipe[0], &c, 1) == 1 && c != '\n') number += c;
    ::close(pipe[0]);
    if (failed || number.empty()) throw std::runtime_error("Xvfb did not start: install xvfb");
    name_ = ":" + number;
    display_ = ::XOpenDisplay(name_.c_str());
    if (!display_) throw std::runtime_error("Xvfb does not answer on " + name_);
}

TestDisplay::~TestDisplay() {
    if (display_) ::XCloseDisplay(x11(display_));
    ::kill(process_, SIGTERM);
    ::waitpid(process_, nullptr, 0);
}

Screenshot TestDisplay::screenshot() const {
    ::Display* display = x11(display_);
    const ::Window root = DefaultRootWindow(display);
    XWindowAttributes attributes;
    ::XGetWindowAttributes(display, root, &attributes);
    Screenshot shot{uint32_t(attributes.width), uint32_t(attributes.height), {}};
    XImage* image = ::XGetImage(display, root, 0, 0, shot.width, shot.height, AllPlanes, ZPixmap);
    if (!image) throw std::runtime_error("no screenshot of " + name_);
    for (uint32_t y = 0; y < shot.height; ++y)
        for (uint32_t x = 0; x < shot.width; ++x)
            shot.pixels.push_back(uint32_t(XGetPixel(image, int(x), int(y))) & 0xffffff);
    XDestroyImage(image);
    return shot;
}

unsigned TestDisplay::key_code(const std::string& key) const {
    const KeyCode code = ::XKeysymToKeycode(x11(display_), ::XStringToKeysym(key.c_str()));
    if (code == 0) throw std::runtime_error("no key is called " + key);
    return code;
}

void TestDisplay::press(const std::string& key) const {
    const unsigned code = key_code(key);
    ::XTestFakeKeyEvent(x11(display_), code, True, CurrentTime);
    ::XTestFakeKeyEvent(x11(display_), code, False, CurrentTime);
    ::XSync(x11(display_), False);
}

void TestDisplay::hold(const std::string& key, int repeats) const {
    // Auto-repeat sends many key-down events before one key-up.
    const unsigned code = key_code(key);
    for (int i = 0; i <= repeats; ++i) ::XTestFakeKeyEvent(x11(display_), code, True, CurrentTime);
    ::XTestFakeKeyEvent(x11(display_), code, False, CurrentTime);
    ::XSync(x11(display_), False);
}

void TestDisplay::move_mouse(int x, int y) const {
    ::XTestFakeMotionEvent(x11(display_), 0, x, y, CurrentTime);
    ::XSync(x11(display_), False);
}

void TestDisplay::click(int x, int y) const {
    ::XTestFakeMotionEvent(x11(display_), 0, x, y, CurrentTime);
    ::XTestFakeButtonEvent(x11(display_), 1, True, CurrentTime);
    ::XTestFakeButtonEvent(x11(display_), 1, False, CurrentTime);
    ::XSync(x11(display_), False);
}

unsigned long TestDisplay::window(const std::string& title) const {
    ::Window root, parent, *children = nullptr;
    unsigned count = 0;
    ::XQueryTree(x11(display_), DefaultRootWindow(x11(display_)), &root, &parent, &children,
                 &count);
    unsigned long found = 0;
    for (unsigned i = 0; i < count; ++i) {
        char* name = nullptr;
        if (::XFetchName(x11(display_), children[i], &name) && name) {
            if (title == name) found = children[i];
            ::XFree(name);
        }
    }
    ::XFree(children);
    if (!found) throw std::runtime_error("no window is called " + title);
    return found;
}

void TestDisplay::set_dpi(int dpi) const {
    const std::string resource = "Xft.dpi:\t" + std::to_string(dpi) + "\n";
    ::XChangeProperty(x11(display_), DefaultRootWindow(x11(display_)), XA_RESOURCE_MANAGER,
                      XA_STRING, 8, PropModeReplace,
                      reinterpret_cast<const unsigned char*>(resource.data()),
                      static_cast<int>(resource.size()));
    ::XSync(x11(display_), False);
}

void TestDisplay::resize_window(const std::string& title, uint32_t width, uint32_t height) const {
    ::XResizeWindow(x11(display_), window(title), width, height);
    ::XSync(x11(display_), False);
}

void TestDisplay::move_window(const std::string& title, int x, int y) const {
    ::XMoveWindow(x11(display_), window(title), x, y);
    ::XSync(x11(display_), False);
}

void TestDisplay::minimise_window(const std::string& title, bool minimised) const {
    const ::Window target = window(title);
    const Atom state = ::XInternAtom(x11(display_), "WM_STATE", False);
    const long data[2] = {minimised ? IconicState : NormalState, None};
    ::XChangeProperty(x11(display_), target, state, state, 32, PropModeReplace,
                      reinterpret_cast<const unsigned char*>(data), 2);
    if (minimised)
        ::XUnmapWindow(x11(display_), target);
    else
        ::XMapWindow(x11(display_), target);
    ::XSync(x11(display_), False);
}

void TestDisplay::close_window(const std::string& title) const {
    XEvent event{};
    event.xclient.type = ClientMessage;
    event.xclient.window = window(title);
    event.xclient.message_type = ::XInternAtom(x11(display_), "WM_PROTOCOLS", False);
    event.xclient.format = 32;
    event.xclient.data.l[0] =
        static_cast<long>(::XInternAtom(x11(display_), "WM_DELETE_WINDOW", False));
    ::XSendEvent(x11(display_), event.xclient.window, False, NoEventMask, &event);
    ::XSync(x11(display_), False);
}

}  // namespace saccade
