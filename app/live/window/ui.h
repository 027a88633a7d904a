#pragma once

#include <memory>
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

    // ImGui's functions may be called between the two.
    void begin();
    Triangles end(TriangleList& list, Size screen);

    // The mouse is over a panel, or a text is being typed: neither is meant for the picture.
    bool has_mouse() const;
    bool has_keyboard() const;

    std::string layout() const;

private:
    explicit Ui(ImGuiContext* context) : context_(context) {}

    ImGuiContext* context_;
    bool listening_ = false;  // to the window
    std::unique_ptr<Atlas> atlas_;
};

}  // namespace saccade
