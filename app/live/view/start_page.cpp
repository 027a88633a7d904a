#include "app/live/view/view.h"
#include "app/live/view/widgets.h"
#include "app/sources/pictures.h"

namespace saccade {

// Instead of a picture: why there is none, and what could be opened.
void draw_start_page(ViewInput& in, const Rectangle& place) {
    begin_part("##start", place);
    const LiveReport& report = in.view.report;
    if (!report.source_state.empty())
        warning(report.source_state);
    else
        quiet("waiting for " +
              (report.source.empty() ? "a source" : title_of_source(report.source)));
    ImGui::Spacing();
    ImGui::TextWrapped("Drop a file or a folder here, or open");
    for (const SourceOffers::Offer& offer : in.offers.offers()) {
        ImGui::PushID(offer.source.c_str());
        if (ImGui::Button(offer.name.c_str())) choose_source(in.state, offer.source);
        tip(offer.source.c_str());
        ImGui::PopID();
    }
    end_part();
}

}  // namespace saccade
