#include "app/batch/plan/examine.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <filesystem>
#include <mutex>
#include <thread>
#include <utility>

#include "app/io/interrupts.h"
#include "app/io/picture_file.h"
#include "app/io/progress.h"
#include "gpu/core/error.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;

// "'a.jpg', 'b.jpg' and 7 others"
std::string some_of(const std::vector<fs::path>& files) {
    constexpr size_t most = 4;
    std::string names;
    for (size_t i = 0; i < files.size() && i < most; ++i)
        names += (i ? ", '" : "'") + files[i].string() + "'";
    if (files.size() > most) names += " and " + std::to_string(files.size() - most) + " others";
    return names;
}

// The size of the first picture that can be read.
Size size_of(const std::vector<fs::path>& pictures, const FrameRange& range) {
    for (uint64_t i = range.first; i < pictures.size() && i < range.end; i += range.stride) try {
            const PictureFile file(pictures[i]);
            return {file.view().width, file.view().height};
        } catch (const Error&) {
            // The run reports it.
        }
    throw Error(some_of(pictures) +
                ": none of the chosen pictures can be read; see --from and --to, or name other "
                "files");
}

// What the traits say about a source, but for the size of a folder's pictures. An Error if no frame
// of it is chosen, or if it never ends.
void describe(PlannedSource& planned, const SourceTraits& traits, const FrameRange& range) {
    planned.rate = traits.rate;
    if (traits.frames) planned.frames = range.count(*traits.frames);
    if (planned.frames == 0)
        throw Error("'" + planned.source.name.text() + "' has " + std::to_string(*traits.frames) +
                    " frames, none of which is chosen; see --from and --to");
    if (!traits.frames && range.end == UINT64_MAX && is_synth(planned.source.name))
        throw Error("'" + planned.source.name.text() +
                    "' never ends: choose how many frames to process with --limit N");
    if (!traits.frames && range.end != UINT64_MAX) planned.frames = range.count(UINT64_MAX);
    if (traits.size) planned.size = *traits.size;
    std::error_code error;
    if (planned.source.pictures.empty() &&
        fs::is_regular_file(planned.source.name.unmasked(), error)) {
        planned.has_sound = true;
        planned.rotated = traits.rotated;
    }
}

void examine(PlannedSource& planned, const BatchPlan& plan) try {
    const SourceTraits traits = planned.source.traits(plan.source_options);
    describe(planned, traits, plan.range);
    if (!traits.size) planned.size = size_of(planned.source.pictures, plan.range);
} catch (const Error& error) {
    planned.error = error.what();
}

// Sources that cannot be opened get their names last: they write nothing.
void name_outputs(BatchPlan& plan) {
    std::vector<PlannedSource*> order;
    for (PlannedSource& planned : plan.sources) order.push_back(&planned);
    std::stable_partition(order.begin(), order.end(),
                          [](const PlannedSource* one) { return one->error.empty(); });
    std::vector<BatchSource> sources;
    for (const PlannedSource* planned : order) sources.push_back(planned->source);
    const std::vector<std::string> names = output_names(sources);
    for (size_t i = 0; i < order.size(); ++i) order[i]->name = names[i];
}

}  // namespace

// Most of the time goes into waiting for a disk or a network, so there are more threads than cores.
void examine(BatchPlan& plan, bool quiet) {
    Progress progress("planning", plan.sources.size(), quiet, "sources/s");
    progress.show_early();
    std::atomic<size_t> next = 0, done = 0;
    std::mutex mutex;
    std::exception_ptr error;  // guarded by the mutex
    auto work = [&](bool shows) {
        try {
            for (size_t i = 0; (i = next++) < plan.sources.size() && !Interrupts::came();) {
                examine(plan.sources[i], plan);
                ++done;
                if (shows) progress.step_to(done);
            }
        } catch (...) {
            const std::scoped_lock lock(mutex);
            error = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> threads;
        constexpr size_t most_threads = 16;
        for (size_t i = 1; i < std::min(most_threads, plan.sources.size()); ++i)
            threads.emplace_back(work, false);
        work(true);
    }
    progress.end();
    if (error) std::rethrow_exception(error);
    if (Interrupts::came()) throw TemporaryError("interrupted; run it again");
    name_outputs(plan);
}

void check_unchanged(const BatchPlan& plan, const PlannedSource& planned,
                     const SourceTraits& traits) {
    PlannedSource now = planned;
    describe(now, traits, plan.range);
    if (now.frames != planned.frames || now.size != planned.size || now.rate != planned.rate ||
        now.rotated != planned.rotated)
        throw Error("'" + planned.source.name.text() +
                    "' has changed since the run was planned: put the old file back, or start over "
                    "in an empty folder");
}

}  // namespace saccade
