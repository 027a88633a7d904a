#include <vulkan/vulkan.h>  // before GLFW, which then offers surfaces

#include "app/live/window/window.h"

#include <GLFW/glfw3.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "gpu/core/check.h"

namespace saccade {

namespace {

std::string last_error() {
    const char* text = nullptr;
    glfwGetError(&text);
    return text ? text : "for no reason given";
}

Window& window_of(GLFWwindow* window) {
    return *static_cast<Window*>(glfwGetWindowUserPointer(window));
}

// The ones that window.h has names for; 0 for others.
char32_t key_named(int code) {
    switch (code) {
        case GLFW_KEY_ESCAPE:
            return escape_key;
        case GLFW_KEY_ENTER:
        case GLFW_KEY_KP_ENTER:
            return enter_key;
        case GLFW_KEY_BACKSPACE:
        case GLFW_KEY_DELETE:
            return delete_key;
        case GLFW_KEY_LEFT:
            return left_key;
        case GLFW_KEY_RIGHT:
            return right_key;
        case GLFW_KEY_HOME:
            return home_key;
        case GLFW_KEY_END:
            return end_key;
        case GLFW_KEY_PAGE_UP:
            return page_up_key;
        case GLFW_KEY_PAGE_DOWN:
            return page_down_key;
        default:
            return 0;
    }
}

// The display that most of the window lies on.
GLFWmonitor* monitor_of(GLFWwindow* window) {
    int x, y, width, height, count = 0;
    glfwGetWindowPos(window, &x, &y);
    glfwGetWindowSize(window, &width, &height);
    GLFWmonitor** monitors = glfwGetMonitors(&count);
    GLFWmonitor* best = glfwGetPrimaryMonitor();
    int most = 0;
    for (int i = 0; i < count; ++i) {
        int left, top;
        glfwGetMonitorPos(monitors[i], &left, &top);
        const GLFWvidmode* mode = glfwGetVideoMode(monitors[i]);
        if (!mode) continue;
        const int across = std::min(x + width, left + mode->width) - std::max(x, left);
        const int down = std::min(y + height, top + mode->height) - std::max(y, top);
        if (across > 0 && down > 0 && across * down > most) {
            most = across * down;
            best = monitors[i];
        }
    }
    return best;
}

}  // namespace

Window::Library::Library() {
    if (!glfwInit()) throw NoDisplay("no window can be opened: " + last_error());
}
Window::Library::~Library() { glfwTerminate(); }

Window::Window(const Options& options) {
    if (!glfwVulkanSupported())
        throw Error("windows need a Vulkan loader that knows this desktop: " + last_error());
    glfwWindowHint(GLFW_CLIENT_API, GLFW_NO_API);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    window_ = glfwCreateWindow(static_cast<int>(options.width), static_cast<int>(options.height),
                               options.title.c_str(), nullptr, nullptr);
    if (!window_) throw NoDisplay("no window can be opened: " + last_error());
    glfwSetWindowSizeLimits(window_, 160, 120, GLFW_DONT_CARE, GLFW_DONT_CARE);
    listen();
    set_full_screen(options.full_screen);
}

Window::~Window() { glfwDestroyWindow(window_); }

std::vector<std::string> Window::instance_extensions() const {
    uint32_t count = 0;
    const char** names = glfwGetRequiredInstanceExtensions(&count);
    if (!names) throw Error("this Vulkan loader cannot draw into windows: " + last_error());
    return {names, names + count};
}

VkSurfaceKHR Window::surface(VkInstance instance) const {
    VkSurfaceKHR surface = nullptr;
    check(glfwCreateWindowSurface(instance, window_, nullptr, &surface),
          "preparing the window (" + last_error() + ")");
    return surface;
}

glm::vec2 Window::in_pixels(double x, double y) const {
    // GLFW counts in the desktop's units, of which some displays have several pixels each.
    int width = 0, height = 0;
    glfwGetWindowSize(window_, &width, &height);
    const Size pixels = size();
    return {static_cast<float>(x * (width > 0 ? double(pixels.x) / width : 1)),
            static_cast<float>(y * (height > 0 ? double(pixels.y) / height : 1))};
}

void Window::listen() {
    glfwSetWindowUserPointer(window_, this);
    // A key is reported first as a place on the keyboard, with whether it is held down, then as
    // what it types.
    glfwSetKeyCallback(window_, [](GLFWwindow* w, int key, int scancode, int action, int mods) {
        Window& self = window_of(w);
        self.repeating_ = action == GLFW_REPEAT;
        if (const char32_t named = key_named(key); named && action != GLFW_RELEASE) {
            WindowEvent event{WindowEvent::Kind::key, named};
            event.repeated = self.repeating_;
            self.events_.push_back(event);
        }
        if (action == GLFW_REPEAT) return;
        WindowEvent event{WindowEvent::Kind::board};
        event.board = {key, scancode, mods, action == GLFW_PRESS};
        self.events_.push_back(event);
    });
    glfwSetCharCallback(window_, [](GLFWwindow* w, unsigned int code) {
        WindowEvent event{WindowEvent::Kind::key, char32_t(code)};
        event.repeated = window_of(w).repeating_;
        window_of(w).events_.push_back(event);
    });
    glfwSetScrollCallback(window_, [](GLFWwindow* w, double right, double up) {
        WindowEvent event{WindowEvent::Kind::wheel};
        event.place = {right, up};
        window_of(w).events_.push_back(event);
    });
    glfwSetDropCallback(window_, [](GLFWwindow* w, int count, const char** paths) {
        WindowEvent event{WindowEvent::Kind::drop};
        event.paths.assign(paths, paths + count);
        window_of(w).events_.push_back(std::move(event));
    });
    glfwSetCursorPosCallback(window_, [](GLFWwindow* w, double x, double y) {
        WindowEvent event{WindowEvent::Kind::move};
        event.place = window_of(w).in_pixels(x, y);
        window_of(w).events_.push_back(event);
    });
    glfwSetCursorEnterCallback(window_, [](GLFWwindow* w, int entered) {
        if (!entered) window_of(w).events_.push_back({WindowEvent::Kind::leave});
    });
    glfwSetMouseButtonCallback(window_, [](GLFWwindow* w, int button, int action, int) {
        WindowEvent event{action == GLFW_PRESS ? WindowEvent::Kind::press
                                               : WindowEvent::Kind::release};
        double x = 0, y = 0;
        glfwGetCursorPos(w, &x, &y);
        event.place = window_of(w).in_pixels(x, y);
        event.button = button;
        window_of(w).events_.push_back(event);
    });
}

std::vector<WindowEvent> Window::events() {
    glfwPollEvents();
    return std::exchange(events_, {});
}

std::vector<WindowEvent> Window::wait_events(double seconds) {
    if (seconds > 0)
        glfwWaitEventsTimeout(seconds);
    else
        glfwPollEvents();
    return std::exchange(events_, {});
}

bool Window::closing() const { return glfwWindowShouldClose(window_); }

Size Window::size() const {
    if (glfwGetWindowAttrib(window_, GLFW_ICONIFIED)) return {};
    int width = 0, height = 0;
    glfwGetFramebufferSize(window_, &width, &height);
    return {static_cast<uint32_t>(width), static_cast<uint32_t>(height)};
}

Size Window::size_to_open() const {
    // GLFW opens windows as large as the display's dots ask for.
    const Size pixels = size();
    auto unscaled = [&](uint32_t side) {
        return static_cast<uint32_t>(std::lround(static_cast<float>(side) / scale()));
    };
    return {unscaled(pixels.x), unscaled(pixels.y)};
}

float Window::scale() const {
    float x = 1, y = 1;
    glfwGetWindowContentScale(window_, &x, &y);
    return std::max(x, 1.0f);
}

void Window::wake() { glfwPostEmptyEvent(); }

void Window::set_full_screen(bool full) {
    if (full == full_screen_) return;
    if (full) {
        GLFWmonitor* monitor = monitor_of(window_);
        const GLFWvidmode* mode = monitor ? glfwGetVideoMode(monitor) : nullptr;
        if (!mode) return;
        glfwGetWindowPos(window_, &place_before_.x, &place_before_.y);
        glfwGetWindowSize(window_, &size_before_.x, &size_before_.y);
        glfwSetWindowMonitor(window_, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
    } else {
        glfwSetWindowMonitor(window_, nullptr, place_before_.x, place_before_.y, size_before_.x,
                             size_before_.y, GLFW_DONT_CARE);
    }
    full_screen_ = full;
}

}  // namespace saccade
