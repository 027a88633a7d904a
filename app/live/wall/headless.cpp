#include "app/live/wall/headless.h"

#include <spdlog/spdlog.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

#include "app/io/interrupts.h"
#include "app/io/print.h"
#include "app/live/state/settings.h"
#include "app/pipeline/device_loss.h"
#include "app/track/region_store.h"

namespace saccade {

namespace {

using Clock = std::chrono::steady_clock;

// What lasts longer than a device.
class HeadlessRun {
public:
    explicit HeadlessRun(const HeadlessOptions& options)
        : options_(options), places_(options.sources.size()) {
        for (const NamedSource& source : options.sources) {
            Wishes& wishes = parts_.emplace_back(WallPart{options.wishes}).wishes;
            wishes.name = source.name;
            wishes.source = source.source;
            if (!source.regions.all.empty()) wishes.regions = source.regions;
            if (parts_.size() > 1) wishes.feed.clear();  // that of the first
            if (!options.follows_drawn_regions) continue;
            KeptRegions kept{RegionStore(drawn_regions_folder())};
            const std::string trouble = kept.follow(wishes.source, wishes.regions);
            if (!trouble.empty()) spdlog::error("{}", trouble);
        }
    }

    // Until the loops end, or the device is lost.
    int run_on(Engine& engine) {
        Wall wall(engine, options_.capture, std::filesystem::current_path(), places_);
        wall.end_after(options_.frames);
        try {
            for (size_t i = 0; i < wall.size(); ++i)
                wall[i].on_shown([this, &loop = wall[i], i] {
                    loop.was_shown();
                    if (watched()) options_.audiences[i]->show(loop, parts_[i].wishes, true);
                });
            wall[0].wait_for_models(parts_[0].wishes, options_.audience_prompts);
            if (!start_) start_ = Clock::now();
            while (!ends(wall)) step(wall);
            wall[0].end_feed();
        } catch (const DeviceLost&) {
            places_ = wall.places();
            throw;
        }
        return finish(wall);
    }

private:
    bool watched() const { return !options_.audiences.empty(); }

    void step(Wall& wall) {
        for (size_t i = 0; watched() && i < wall.size(); ++i)
            options_.audiences[i]->add_wishes(parts_[i].wishes, parts_[i].events);
        const bool new_picture = wall.step(parts_);
        for (size_t i = 0; watched() && i < wall.size(); ++i)
            options_.audiences[i]->show(wall[i], parts_[i].wishes, false);
        if (!new_picture) wall.rest();
    }

    bool ends(const Wall& wall) const {
        return Interrupts::came() || wall.over() || fails(wall) ||
               (options_.frames > 0 && wall.frames() >= options_.frames);
    }

    // A window or a page shows a missing camera and waits for it; a terminal does not, if that is
    // all there is. A file that could not go on is only reported.
    bool fails(const Wall& wall) const {
        const Status& first = wall[0].status();
        const bool missing = wall.size() == 1 && first.frames == 0 && first.source_missing;
        return !watched() && (missing || (first.feed_failed && !first.feed_file_ended));
    }

    int finish(const Wall& wall) const {
        if (fails(wall)) return 1;  // the reason is in the log
        const std::vector<const Status*> statuses = wall.statuses();
        print(summary_of(statuses, std::chrono::duration<double>(Clock::now() - *start_).count()));
        bool good = !statuses.front()->feed_failed;
        for (size_t i = 0; i < wall.size(); ++i) {
            // A source that never gave a picture is no success.
            const bool pictures = statuses[i]->frames > 0 || Interrupts::came();
            good = good && wall[i].frames_fit() && pictures;
        }
        return good ? 0 : 1;
    }

    const HeadlessOptions& options_;
    std::vector<WallPart> parts_;  // there is no mouse
    std::vector<LivePlace> places_;
    std::optional<Clock::time_point> start_;  // when the models were loaded for the first time
};

}  // namespace

int run_headless(const HeadlessOptions& options) {
    HeadlessRun run(options);
    auto engine = std::make_unique<Engine>(options.engine);
    spdlog::info("running on {}", engine->device().info().name);
    DeviceLosses losses;
    for (;;) try {
            return run.run_on(*engine);
        } catch (const DeviceLost& lost) {
            losses.tell(lost);
            engine.reset();
            engine = open_again(options.engine);
        }
}

}  // namespace saccade
