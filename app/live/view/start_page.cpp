#include "app/live/view/view.h"
#include "app/live/view/widgets.h"
#include "app/sources/pictures.h"

namespace saccade {

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
        ImGui::PushID(offer.source.c_str());
        if (ImGui::Button(offer.name.c_str())) choose_source(in.session, offer.source);
        tip(offer.source.c_str());
        ImGui::PopID();
    }
    end_part();
}

}  // namespace saccade
