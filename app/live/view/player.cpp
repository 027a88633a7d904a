#include <algorithm>
#include <cstdio>

#include "app/live/view/view.h"
#include "app/live/view/widgets.h"

namespace saccade {

namespace {

std::string clock_text(double seconds) {
    char out[32];
    const int whole = static_cast<int>(std::max(seconds, 0.0));
    std::snprintf(out, sizeof out, "%d:%02d.%d", whole / 60, whole % 60,
                  static_cast<int>((seconds - whole) * 10) % 10);
    return out;
}

bool button(const char* label, const char* what, float width = 0) {
    const bool pressed = ImGui::Button(label, {width, 0});
    tip(what);
    ImGui::SameLine();
    return pressed;
}

void choose_pace(Session& session) {
    constexpr float speeds[] = {0.1f, 0.25f, 0.5f, 1, 2, 4};
    char now[16];
    std::snprintf(now, sizeof now, "%gx", session.wishes.speed);
    ImGui::SetNextItemWidth(4.5f * em());
    if (begin_choice("##speed", now)) {
        for (float speed : speeds) {
            char name[16];
            std::snprintf(name, sizeof name, "%gx", double(speed));
            if (ImGui::Selectable(name, session.wishes.speed == double(speed)))
                session.wishes.speed = speed;
        }
        ImGui::EndCombo();
    }
    tip("speed: how fast the file is played");
    ImGui::SameLine();
    draw_switches(session.wishes, PanelPart::player);
    ImGui::SameLine();
}

}  // namespace

void draw_player(ViewInput& in, const Rectangle& place) {
    Session& session = in.session;
    const PlayerStatus& player = in.session.status.player;
    begin_part("##player", place, ImGuiWindowFlags_NoScrollbar);
    if (button("|<", "the first frame (Home)")) session.events.add(Seek{0});
    if (button("<", "the frame or picture before (Left)")) step_frame(session, -1);
    // As wide either way, so that the others do not move under the mouse.
    const float width = ImGui::CalcTextSize("pause").x + 2 * ImGui::GetStyle().FramePadding.x;
    if (button(session.wishes.frozen ? "play" : "pause", "pause and go on (Space)", width))
        session.wishes.frozen = !session.wishes.frozen;
    if (button(">", "the next frame or picture (Right)")) step_frame(session, +1);
    choose_pace(session);
    std::string where =
        clock_text(player.time) + "  frame " + std::to_string(player.frame) +
        (player.frames.value_or(0) > 0 ? " of 0-" + std::to_string(*player.frames - 1) : "");
    if (ImGui::CalcTextSize(where.c_str()).x > ImGui::GetContentRegionAvail().x)
        where = std::to_string(player.frame);
    if (player.frames && *player.frames > 1) {
        const int last = static_cast<int>(std::min<uint64_t>(*player.frames - 1, 1u << 30));
        int frame = static_cast<int>(std::min<uint64_t>(player.frame, uint64_t(last)));
        ImGui::SetNextItemWidth(-1);
        if (ImGui::SliderInt("##place", &frame, 0, last, where.c_str()) && frame >= 0)
            session.events.add(Seek{static_cast<uint64_t>(std::min(frame, last))});
        tip("the frame that is shown, counted from 0: drag to go elsewhere");
    } else {
        text(where);
    }
    end_part();
}

}  // namespace saccade
