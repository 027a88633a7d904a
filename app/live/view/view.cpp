#include "app/live/view/view.h"

#include <algorithm>
#include <cstdio>

#include "app/live/state/controls.h"
#include "app/live/view/wall_view.h"
#include "app/live/view/widgets.h"
#include "app/sources/pictures.h"

namespace saccade {

ViewLayout layout_for(const Session& session) {
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    const PlayerStatus& player = session.status.player;
    return lay_out(
        {.window = {size.x, size.y},
         .em = em(),
         .panel = session.wishes.window.panels,
         .player = !player.live && !player.still && !session.wishes.wall.side_by_side()});
}

ImVec2 on_screen(const ViewInput& in, glm::vec2 pixel) {
    const glm::vec2 part = pixel / glm::vec2(in.view.scene.picture);
    const glm::vec2 at = in.first.picture.min + part * in.first.picture.size();
    return {at.x, at.y};
}

std::pair<ViewInput::Place, std::optional<ViewInput::Place>> places_of(const LiveScene& scene,
                                                                       const Rectangle& room,
                                                                       glm::vec2 dots) {
    const Placement& place = scene.place;
    const glm::vec2 corner(place.left, place.top), size(place.width, place.height);
    const Rectangle all(corner / dots, (corner + size) / dots);
    if (!scene.second) return {{all, room}, std::nullopt};
    const TwoViews views = two_views(scene.picture, scene.second->below);
    auto at = [&](Size pixel) {
        return all.min + glm::vec2(pixel) / glm::vec2(views.all) * all.size();
    };
    const Rectangle first(all.min, at(scene.picture)), second(at(views.corner), all.max);
    // The room ends between them.
    const glm::vec2 middle = (first.max + second.min) * 0.5f;
    if (scene.second->below)
        return {{first, {room.min, {room.max.x, middle.y}}},
                ViewInput::Place{second, {{room.min.x, middle.y}, room.max}}};
    return {{first, {room.min, {middle.x, room.max.y}}},
            ViewInput::Place{second, {{middle.x, room.min.y}, room.max}}};
}

void draw_view(ViewInput& in, const ViewLayout& layout) {
    if (layout.panel.area() > 0) draw_side_panel(in, layout.panel);
    if (layout.player.area() > 0) draw_player(in, layout.player);
    draw_status(in, layout.status);
    if (!in.view.tiles.empty())
        draw_wall(in);
    else if (area(in.view.scene.picture) == 0)
        draw_start_page(in, layout.picture);
    else
        draw_legends(in);
    const bool invites = in.tour && area(in.view.scene.picture) > 0;
    in.session.wishes.look.invitation = invites ? draw_invitation(in) : Rectangle();
    if (in.view.tiles.empty()) {
        draw_example_box(in);
        draw_regions(in);
    }
    if (in.session.wishes.window.help) draw_keys(in.session.wishes);
}

// In place of the picture: the reason why there is none, and sources to open.
void draw_start_page(ViewInput& in, const Rectangle& place) {
    begin_part("##start", place);
    const Status& status = in.session.status;
    if (!status.source_state.empty())
        warning(status.source_state);
    else
        quiet("waiting for " +
              (status.source.empty() ? "a source" : title_of_source(status.source)));
    ImGui::Spacing();
    ImGui::TextWrapped("Drop a file or a folder here, or open");
    for (const SourceOffers::Offer& offer : in.offers.offers()) {
        ImGui::PushID(&offer);
        if (ImGui::Button(offer.name.c_str())) choose_source(in.session, offer.source);
        tip(offer.source.text().c_str());
        ImGui::PopID();
    }
    end_part();
}

// What the mouse does on the picture.
std::string hint_of(const ViewInput& in) {
    const Session& session = in.session;
    const std::optional<AttentionSeen>& seen = in.view.attention;
    // A picture that stands still is explored, by those who know how, too.
    const bool hints = session.wishes.frozen || !session.wishes.window.knows_holding;
    if (!in.view.tiles.empty()) return "";
    if (holds(session.pointer)) return "held; click again or press Esc to let go";
    if (!hints || area(in.view.scene.picture) == 0) return "";
    if (!seen && session.wishes.look.attention.mode == AttentionMode::cause)
        return session.status.stands
                   ? "point at an object or a word: what does it need?"
                   : "what does it need? Freeze (Space) for a map that gets finer";
    if (!session.pointer.target.point || !seen || seen->coloured)
        return session.wishes.frozen ? "point at the picture: where does a patch look? H: keys"
                                     : "";
    if (seen->mode == AttentionMode::cause)
        return "warm: what is needed; blue: what holds it back; click to hold, freeze to refine";
    if (seen->similarity)
        return "how much each patch is like the one under the mouse; click to hold it, A for maps";
    if (session.pointer.target.word)
        return "where the word under the mouse looks; click to hold it, A for other maps";
    return std::string("where the ") + (seen->looker.of_detector ? "detector" : "classifier") +
           "'s patch under the mouse looks; click to hold it, A for other maps";
}

void draw_keys(Wishes& wishes) {
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({size.x / 2, size.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
    ImGui::SetNextWindowSizeConstraints({0, 0}, {size.x, size.y});
    ImGui::SetNextWindowBgAlpha(1);  // the text below it would disturb
    if (ImGui::Begin("Keys", &wishes.window.help,
                     ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings |
                         ImGuiWindowFlags_NoCollapse) &&
        ImGui::BeginTable("keys", 3)) {
        auto row = [](const char* key, const char* label, const char* line) {
            for (const char* cell : {key, label, line}) {
                ImGui::TableNextColumn();
                ImGui::TextUnformatted(cell);
            }
        };
        for (const Control& control : controls())
            if (control.key) row(control.keys, control.label, control.line);
        row("mouse", "attention", "where does the patch under it look?");
        row("click", "hold", "keeps the object, the word or the patch that looks");
        ImGui::EndTable();
    }
    ImGui::End();
}

// One line at the lower edge, with or without the panel.
void draw_status(const ViewInput& in, const Rectangle& place) {
    const Session& session = in.session;
    const Status& status = in.session.status;
    begin_part("##status", place,
               ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoNav);
    bool first = true;
    auto say = [&](const std::string& part, bool important = false) {
        if (part.empty()) return;
        if (!first) ImGui::SameLine(0, 1.5f * em());
        first = false;
        if (important)
            ImGui::TextColored({1.0f, 0.6f, 0.3f, 1.0f}, "%s", part.c_str());
        else
            text(part);
    };
    if (!in.view.tiles.empty()) say("a click or Enter brings a source to the front");
    if (session.wishes.wall.front) say("Esc: all sources");
    if (session.wishes.frozen) say(status.player.live ? "frozen" : "paused", true);
    if (session.wishes.recording) {
        char seconds[48];
        std::snprintf(seconds, sizeof seconds, "recording %.0f s", status.recorded_seconds);
        say(seconds, true);
    }
    if (session.wishes.view_recording) say("recording the view", true);
    if (const HeadsOff& off = session.wishes.look.heads_off; !off.empty())
        say("heads off: " + in_words(off) + "; X puts them back", true);
    // Without a picture, the start page shows it.
    if (area(in.view.scene.picture) > 0) say(status.source_state, true);
    say(status.notice);
    if (!status.working.empty()) say(status.working + " ...");
    if (in.pull.busy() && !session.wishes.window.panels) {
        char share[16];
        std::snprintf(share, sizeof share, " %.0f %%", 100 * double(in.pull.share()));
        say("pulling " + in.pull.name() + share);
    }
    if (!session.wishes.window.panels) say(in.view.likely);
    say(hint_of(in));
    if (first) say("H: keys");
    end_part();
}

}  // namespace saccade
