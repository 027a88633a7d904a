#include "app/live/headless.h"

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
        : options_(options), wishes_(options.wishes) {
        if (options.audience) return;
        KeptRegions kept{RegionStore(drawn_regions_folder())};
        const std::string trouble = kept.follow(wishes_.source, wishes_.regions);
        if (!trouble.empty()) spdlog::error("{}", trouble);
    }

    // Until the loop ends, or the device is lost.
    int run_on(Engine& engine) {
        LiveLoop loop(engine, options_.capture, std::filesystem::current_path(), place_);
        loop.end_after(options_.frames);
        try {
            loop.wait_for_models(wishes_, options_.audience_prompts);
            if (!start_) start_ = Clock::now();
            while (!ends(loop)) step(loop);
            loop.end_feed();
        } catch (const DeviceLost&) {
            place_ = loop.place();
            throw;
        }
        return finish(loop);
    }

private:
    void step(LiveLoop& loop) {
        Audience* const audience = options_.audience;
        if (audience) audience->add_wishes(wishes_, events_);
        const bool new_picture = loop.step(wishes_, pointer_, events_);
        if (new_picture) loop.was_shown();
        if (audience) audience->show(loop, wishes_, new_picture);
        if (!new_picture) loop.rest();
    }

    bool ends(const LiveLoop& loop) const {
        return Interrupts::came() || loop.over() || fails(loop.status()) ||
               (options_.frames > 0 && loop.status().frames >= options_.frames);
    }

    // A window or a page shows a missing camera and waits for it; a terminal does not.
    bool fails(const Status& status) const {
        return !options_.audience &&
               ((status.frames == 0 && status.source_missing) || status.feed_failed);
    }

    int finish(const LiveLoop& loop) const {
        const Status& status = loop.status();
        if (fails(status)) return 1;  // the reason is in the log
        print(summary_of(status, std::chrono::duration<double>(Clock::now() - *start_).count()));
        // A source that never gave a picture is no success.
        const bool pictures = status.frames > 0 || Interrupts::came();
        return loop.frames_fit() && !status.feed_failed && pictures ? 0 : 1;
    }

    const HeadlessOptions& options_;
    Wishes wishes_;
    const Pointer pointer_;  // there is no mouse
    Events events_;
    LivePlace place_;
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
