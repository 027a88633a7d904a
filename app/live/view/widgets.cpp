#include "app/live/view/widgets.h"

#include <cstdio>

namespace saccade {

void tip(const char* what) {
    if (!ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(24 * em());
    ImGui::TextUnformatted(what);
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

void warning(const std::string& line) {
    ImGui::PushStyleColor(ImGuiCol_Text, {1.0f, 0.6f, 0.3f, 1.0f});
    ImGui::TextWrapped("%s", line.c_str());
    ImGui::PopStyleColor();
}

void quiet(const std::string& line) {
    ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyle().Colors[ImGuiCol_TextDisabled]);
    ImGui::TextWrapped("%s", line.c_str());
    ImGui::PopStyleColor();
}

void progress(const std::string& what, float share) {
    ImGui::TextWrapped("%s, %.0f %%", what.c_str(), 100 * double(share));
    ImGui::ProgressBar(share, {-1, 0.5f * em()}, "");
}

bool wish(const char* label, std::string& value) {
    char typed[512];
    std::snprintf(typed, sizeof typed, "%s", value.c_str());
    if (!ImGui::InputText(label, typed, sizeof typed, ImGuiInputTextFlags_EnterReturnsTrue))
        return false;
    value = typed;
    return true;
}

bool begin_choice(const char* label, const std::string& shown) {
    if (!ImGui::BeginCombo(label, shown.c_str(), ImGuiComboFlags_HeightLarge)) return false;
#if IMGUI_VERSION_NUM < 18700
    const int escape = ImGui::GetKeyIndex(ImGuiKey_Escape);
#else
    const ImGuiKey escape = ImGuiKey_Escape;
#endif
    if (ImGui::IsKeyPressed(escape)) ImGui::CloseCurrentPopup();
    return true;
}

bool begin_part(const char* name, const Rectangle& place, ImGuiWindowFlags more) {
    ImGui::SetNextWindowPos({place.min.x, place.min.y});
    ImGui::SetNextWindowSize({place.max.x - place.min.x, place.max.y - place.min.y});
    return ImGui::Begin(name, nullptr,
                        ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                            ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse |
                            ImGuiWindowFlags_NoSavedSettings |
                            ImGuiWindowFlags_NoBringToFrontOnFocus | more);
}

}  // namespace saccade
