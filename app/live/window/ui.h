#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "app/live/window/window.h"
#include "gpu/transfer/triangle_list.h"

struct ImGuiContext;

namespace saccade {

// Dear ImGui on our engine: it takes the window's input and makes triangles, which a kernel draws.
class Ui {
public:
    // `layout` is what layout() was in an earlier run.
    Ui(Device& device, Window& window, const std::string& layout);
    ~Ui();
    Ui(const Ui&) = delete;
    Ui& operator=(const Ui&) = delete;

    const Atlas& atlas() const { return *atlas_; }

    // ImGui's functions may be called between the two. The frame sees these events.
    void begin(std::span<const WindowEvent> events = {});
    // What was drawn, triangle by triangle, in pixels.
    using Corner = TriangleList::Corner;
    using AddTriangle =
        std::function<void(const Corner&, const Corner&, const Corner&, const TriangleList::Clip&)>;
    void end(const AddTriangle& add);

    // The mouse is over a panel, or a text is being typed: neither is meant for the picture.
    bool has_mouse() const;
    bool has_keyboard() const;

    std::string layout() const;

private:
    explicit Ui(ImGuiContext* context) : context_(context) {}

    ImGuiContext* context_;
    void feed(const WindowEvent& event);
    void feed_mouse(const WindowEvent& event);
    glm::vec2 in_units(glm::vec2 pixels) const;

    GLFWwindow* window_ = nullptr;  // once ImGui's backend knows it
    glm::vec2 mouse_;               // in the desktop's units; far away while it is elsewhere
    bool buttons_[3] = {};
    std::unique_ptr<Atlas> atlas_;
};

}  // namespace saccade
