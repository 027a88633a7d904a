#include "app/live/view/exporter.h"

#include "app/inspect/npy.h"
#include "gpu/core/error.h"

namespace saccade {

using namespace std::chrono_literals;

void Exporter::notify(const std::string& notice) {
    if (notice.empty()) return;
    notice_ = notice;
    notice_time_ = Clock::now();
}

const std::string& Exporter::notice() {
    if (const std::optional<std::string> news = recorder_.news()) notify(*news);
    if (const std::optional<std::string> news = page_.news()) notify(*news);
    if (page_.busy()) notify("making the page of this frame ...");
    if (Clock::now() - notice_time_ > 6s) notice_.clear();
    return notice_;
}

void Exporter::follow(Session& session, const LiveView& view) {
    bool& recording = session.wishes.view_recording;
    if (recorder_.recording() && recorder_.failed()) recording = false;
    if (recording && !recorder_.recording()) recorder_.start();
    if (!recording && recorder_.recording()) recorder_.stop(seconds());
    screenshots_due_ += session.events.take<SaveView>().size();
    if (!session.events.take<SaveMaps>().empty()) save_shown_maps(view);
    const std::string& bare = session.status.bare_file;
    if (!bare.empty() && bare != bare_file_) start_page(session);
}

void Exporter::take(const PictureView& view) {
    for (; screenshots_due_ > 0; --screenshots_due_) recorder_.screenshot(view);
    recorder_.frame(view, seconds());
}

void Exporter::save_shown_maps(const LiveView& view) {
    if (view.attention) save_maps(*view.attention);
    if (view.second_attention) save_maps(*view.second_attention);
    if (!view.attention && !view.second_attention)
        notify("no map is shown: point at the picture first");
}

void Exporter::save_maps(const AttentionSeen& maps) try {
    const Size grid = maps.geometry.grid;
    const uint64_t shape[] = {maps.cells.size() / area(grid), grid.y, grid.x};
    const std::filesystem::path file = recorder_.new_file(".npy");
    write_npy(file, shape, maps.cells);
    notify("saved " + file.filename().string());
} catch (const Error& error) {
    notify(error.what());
}

void Exporter::start_page(const Session& session) {
    const Status& status = session.status;
    bare_file_ = status.bare_file;
    page_.start(bare_file_, models_for_page(status, session.wishes), status.bare_for_lecture);
}

}  // namespace saccade
