#include "app/live/window/ui.h"

#include <backends/imgui_impl_glfw.h>
#include <imgui.h>

#include <algorithm>

#include "app/draw/font.h"

namespace saccade {

namespace {

constexpr float font_pixels = 15;

// Latin with accents, Greek, Cyrillic and the signs that labels and file names may hold.
constexpr ImWchar glyphs[] = {0x0020, 0x024f, 0x0370, 0x03ff, 0x0400, 0x04ff,
                              0x2010, 0x2027, 0x2190, 0x2193, 0};

}  // namespace

Ui::Ui(Device& device, Window& window, const std::string& layout)
    : Ui(ImGui::CreateContext()) {  // delegating: if what follows throws, the destructor runs
    const std::string font = find_dejavu();
    ImGui::SetCurrentContext(context_);
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;  // the layout goes where the rest of the settings goes
    io.BackendRendererName = "saccade";
    io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
    if (!layout.empty()) ImGui::LoadIniSettingsFromMemory(layout.data(), layout.size());

    ImGui::StyleColorsDark();
    ImGuiStyle& style = ImGui::GetStyle();
    style.WindowRounding = 0;  // round corners make a window of many long triangles
    style.Colors[ImGuiCol_WindowBg].w = 0.85f;

    // ImGui counts in the desktop's units, fonts are drawn in pixels.
    listening_ = ImGui_ImplGlfw_InitForOther(window.handle(), true);
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
    if (listening_) ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext(context_);
}

void Ui::begin() {
    ImGui_ImplGlfw_NewFrame();
    ImGui::NewFrame();
}

Triangles Ui::end(TriangleList& list, Size screen) {
    ImGui::Render();
    const ImDrawData& drawn = *ImGui::GetDrawData();
    const ImVec2 origin = drawn.DisplayPos, dots = drawn.FramebufferScale;
    list.begin(screen);
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
                list.add(corner(at), corner(at + 1), corner(at + 2), clip);
        }
    }
    return list.finish();
}

bool Ui::has_mouse() const { return ImGui::GetIO().WantCaptureMouse; }
bool Ui::has_keyboard() const { return ImGui::GetIO().WantTextInput; }
std::string Ui::layout() const { return ImGui::SaveIniSettingsToMemory(); }

}  // namespace saccade
