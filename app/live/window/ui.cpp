#include "app/live/window/ui.h"

#include <vulkan/vulkan.h>  // before GLFW, which then offers surfaces

#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <imgui.h>

#include <algorithm>
#include <cfloat>
#include <glm/common.hpp>

#include "app/draw/font.h"

namespace saccade {

namespace {

constexpr float font_pixels = 15;
constexpr float nowhere = -FLT_MAX;  // what ImGui calls a mouse that is not over the window

// Keys with names of ours have codes that type nothing.
bool types_text(char32_t key) { return key >= 0x20 && (key < 0xf700 || key > 0xf8ff); }

// Latin with accents, Greek, Cyrillic and the signs that labels and file names may hold.
constexpr ImWchar glyphs[] = {0x0020, 0x024f, 0x0370, 0x03ff, 0x0400, 0x04ff,
                              0x2010, 0x2027, 0x2190, 0x2193, 0};

}  // namespace

Ui::Ui(Device& device, Window& window, const std::string& layout)
    : Ui(ImGui::CreateContext()) {  // delegating: if what follows throws, the destructor runs
    const std::string font = find_dejavu();
    ImGui::SetCurrentContext(context_);
    mouse_ = glm::vec2(nowhere);
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;  // the layout goes where the rest of the settings goes
    io.BackendRendererName = "saccade";
    io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
    if (!layout.empty()) ImGui::LoadIniSettingsFromMemory(layout.data(), layout.size());

    ImGui::StyleColorsDark();
    ImGuiStyle& style = ImGui::GetStyle();
    style.WindowRounding = 0;  // round corners make a window of many long triangles
    style.Colors[ImGuiCol_WindowBg].w = 0.85f;
    style.Colors[ImGuiCol_PopupBg].w = 1;  // lists and tips lie over other text

    // ImGui counts in the desktop's units, fonts are drawn in pixels.
    if (!ImGui_ImplGlfw_InitForOther(window.handle(), false))
        throw Error("Dear ImGui cannot use this window");
    window_ = window.handle();
    ImGui_ImplGlfw_NewFrame();
    const float dots = std::max(io.DisplayFramebufferScale.x, 1.0f);  // pixels to a unit
    style.ScaleAllSizes(window.scale() / dots);
    io.FontGlobalScale = 1 / dots;
    const float size = font_pixels * window.scale();
    io.Fonts->AddFontFromFileTTF(font.c_str(), size, nullptr, glyphs);
    unsigned char* coverage = nullptr;
    int width = 0, height = 0;
    io.Fonts->GetTexDataAsAlpha8(&coverage, &width, &height);
    const Size atlas{static_cast<uint32_t>(width), static_cast<uint32_t>(height)};
    atlas_ = std::make_unique<Atlas>(device, std::span(coverage, area(atlas)), atlas);
}

Ui::~Ui() {
    if (window_) ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext(context_);
}

void Ui::begin(std::span<const WindowEvent> events) {
    ImGui_ImplGlfw_NewFrame();
    for (const WindowEvent& event : events) feed(event);
#if IMGUI_VERSION_NUM < 18700
    // The backend has asked where the mouse is now; the frame sees it where the events were.
    ImGuiIO& io = ImGui::GetIO();
    io.MousePos = {mouse_.x, mouse_.y};
    std::ranges::copy(buttons_, io.MouseDown);
#endif
    ImGui::NewFrame();
}

glm::vec2 Ui::in_units(glm::vec2 pixels) const {
    const ImVec2 dots = ImGui::GetIO().DisplayFramebufferScale;
    return pixels / glm::max(glm::vec2(dots.x, dots.y), glm::vec2(0.01f));
}

void Ui::feed(const WindowEvent& event) {
    switch (event.kind) {
        case WindowEvent::Kind::key:
            if (types_text(event.key)) ImGui::GetIO().AddInputCharacter(event.key);
            return;
        case WindowEvent::Kind::board:
            return ImGui_ImplGlfw_KeyCallback(window_, event.board.code, event.board.scancode,
                                              event.board.down ? GLFW_PRESS : GLFW_RELEASE,
                                              event.board.mods);
        case WindowEvent::Kind::drop:
            return;
        default:
            return feed_mouse(event);
    }
}

void Ui::feed_mouse(const WindowEvent& event) {
    using Kind = WindowEvent::Kind;
    ImGuiIO& io = ImGui::GetIO();
    const bool clicks = event.kind == Kind::press || event.kind == Kind::release;
    const bool button = clicks && event.button >= 0 && event.button < 3;
    if (event.kind == Kind::leave) mouse_ = glm::vec2(nowhere);
    if (event.kind == Kind::move || clicks) mouse_ = in_units(event.place);
#if IMGUI_VERSION_NUM < 18700
    if (button) buttons_[event.button] = event.kind == Kind::press;
    if (event.kind == Kind::wheel) {
        io.MouseWheelH += event.place.x;
        io.MouseWheel += event.place.y;
    }
#else
    if (event.kind == Kind::wheel) return io.AddMouseWheelEvent(event.place.x, event.place.y);
    io.AddMousePosEvent(mouse_.x, mouse_.y);
    if (button) io.AddMouseButtonEvent(event.button, event.kind == Kind::press);
#endif
}

void Ui::end(const AddTriangle& add) {
    ImGui::Render();
    const ImDrawData& drawn = *ImGui::GetDrawData();
    const ImVec2 origin = drawn.DisplayPos, dots = drawn.FramebufferScale;
    for (int i = 0; i < drawn.CmdListsCount; ++i) {
        const ImDrawList& part = *drawn.CmdLists[i];
        for (const ImDrawCmd& command : part.CmdBuffer) {
            if (command.UserCallback) continue;  // we give it none
            const TriangleList::Clip clip{
                (command.ClipRect.x - origin.x) * dots.x, (command.ClipRect.y - origin.y) * dots.y,
                (command.ClipRect.z - origin.x) * dots.x, (command.ClipRect.w - origin.y) * dots.y};
            auto corner = [&](unsigned int index) {
                const ImDrawVert& v = part.VtxBuffer[static_cast<int>(
                    command.VtxOffset + part.IdxBuffer[static_cast<int>(index)])];
                return TriangleList::Corner{(v.pos.x - origin.x) * dots.x,
                                            (v.pos.y - origin.y) * dots.y, v.uv.x, v.uv.y, v.col};
            };
            for (unsigned int at = command.IdxOffset; at < command.IdxOffset + command.ElemCount;
                 at += 3)
                add(corner(at), corner(at + 1), corner(at + 2), clip);
        }
    }
}

bool Ui::has_mouse() const { return ImGui::GetIO().WantCaptureMouse; }
bool Ui::has_keyboard() const {
    return ImGui::GetIO().WantTextInput ||
           ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
}
std::string Ui::layout() const { return ImGui::SaveIniSettingsToMemory(); }

}  // namespace saccade
