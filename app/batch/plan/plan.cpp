#include "app/batch/plan/plan.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "app/io/text.h"
#include "gpu/core/error.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;

uint64_t divided_up(uint64_t a, uint64_t b) { return a / b + (a % b != 0); }

}  // namespace

uint64_t FrameRange::count(uint64_t frames) const {
    const uint64_t past = std::min(end, frames);
    return past > first ? divided_up(past - first, stride) : 0;
}

uint64_t FrameRange::index(uint64_t n) const {
    return n > (UINT64_MAX - first) / stride ? end : std::min(end, first + n * stride);
}

uint64_t BatchPlan::pieces_of(const PlannedSource& source) const {
    return source.frames ? std::max<uint64_t>(1, divided_up(*source.frames, piece)) : 1;
}

uint64_t BatchPlan::first_of(uint64_t number) const {
    return number > UINT64_MAX / piece ? range.end : range.index(number * piece);
}

std::optional<Regions> BatchPlan::regions() const {
    if (!settings.contains("zones")) return std::nullopt;
    return regions_from(settings["zones"], "run.json");
}

void add_line_names(LineNames& names, const BatchPlan& plan, size_t source) {
    auto add = [&](const SourceName& name) {
        const std::string text = name.text();
        // URLs may differ in what is left out, but none of them has lines.
        if (!names.emplace(text_of_name(text), source).second && text == name.unmasked())
            throw Error("'" + text + "' is named twice: once is enough");
    };
    const BatchSource& of = plan.sources[source].source;
    if (of.pictures.empty()) add(of.name);
    for (const fs::path& picture : of.pictures) add(picture);
}

LineNames line_names(const BatchPlan& plan) {
    LineNames names;
    for (size_t i = 0; i < plan.sources.size(); ++i) add_line_names(names, plan, i);
    return names;
}

BatchPlan make_plan(const std::vector<std::string>& words, const FrameRange& range,
                    const SourceOptions& options) {
    BatchPlan plan;
    plan.range = range;
    plan.source_options = options;
    for (BatchSource& source : find_sources(words)) {
        plan.sources.emplace_back();
        plan.sources.back().source = std::move(source);
    }
    line_names(plan);
    return plan;
}

}  // namespace saccade
