#include "app/live/view/keeper.h"

#include "app/inspect/npy.h"
#include "gpu/core/error.h"

namespace saccade {

using namespace std::chrono_literals;

void Keeper::say(const std::string& what) {
    if (what.empty()) return;
    notice_ = what;
    said_ = Clock::now();
}

const std::string& Keeper::notice() {
    if (const std::optional<std::string> news = recorder_.news()) say(*news);
    if (const std::optional<std::string> news = page_.news()) say(*news);
    if (page_.busy()) say("making the page of this frame ...");
    if (Clock::now() - said_ > 6s) notice_.clear();
    return notice_;
}

void Keeper::follow(LiveState& state, const LiveView& view) {
    if (recorder_.recording() && recorder_.failed()) state.view_recording = false;
    if (state.view_recording && !recorder_.recording()) recorder_.start();
    if (!state.view_recording && recorder_.recording()) recorder_.stop(seconds());
    if (maps_ != state.saved_maps) {
        maps_ = state.saved_maps;
        if (view.attention) save_maps(*view.attention);
        if (view.second_attention) save_maps(*view.second_attention);
        if (!view.attention && !view.second_attention)
            say("no map is shown: point at the picture first");
    }
    if (view.report.bare_file != bare_file_) {
        bare_file_ = view.report.bare_file;
        // Words go to models that take them, and such a model is of no use without.
        auto name = [](const ModelReport& model) {
            return model.takes_words && model.prompts.empty() ? std::string() : model.name;
        };
        auto words = [](const ModelReport& model, const std::string& typed) {
            return model.takes_words ? typed : std::string();
        };
        const LiveReport& report = view.report;
        page_.start(bare_file_, {.detector = name(report.detector),
                                 .classifier = name(report.classifier),
                                 .captioner = name(report.captioner),
                                 .find = words(report.detector, state.words.find),
                                 .labels = words(report.classifier, state.words.labels),
                                 .question = words(report.captioner, state.words.question)});
    }
}

bool Keeper::wants_view(const LiveState& state) const {
    return screenshots_ != state.view_screenshots || recorder_.recording();
}

void Keeper::take(const LiveState& state, const PictureView& view) {
    for (; screenshots_ < state.view_screenshots; ++screenshots_) recorder_.screenshot(view);
    recorder_.frame(view, seconds());
}

void Keeper::save_maps(const AttentionSeen& seen) try {
    const Size grid = seen.geometry.grid;
    const uint64_t shape[] = {seen.cells.size() / area(grid), grid.y, grid.x};
    const std::filesystem::path file = recorder_.new_file(".npy");
    write_npy(file, shape, seen.cells);
    say("saved " + file.filename().string());
} catch (const Error& error) {
    say(error.what());
}

}  // namespace saccade
