#include "app/explain/frame_explainer.h"

#include <cmath>
#include <cstdio>

namespace saccade {

namespace {

// As many digits as the areas of explain --json.
double six_digits(double value) { return std::round(value * 1e6) / 1e6; }

FrameMeter meter_of(const Explanation& e) {
    FrameMeter meter{.kind = e.target.kind,
                     .label = e.target.label,
                     .score = six_digits(e.target.score),
                     .knock_outs = e.knock_outs};
    for (const Meter::Method& method : e.meter.methods)
        meter.methods.push_back({method.name,
                                 {six_digits(method.curves.deletion_area()),
                                  six_digits(method.curves.insertion_area())}});
    const Meter::Spread out = e.meter.random_deletion(), in = e.meter.random_insertion();
    meter.random = {six_digits(out.mean), six_digits(in.mean)};
    meter.random_deviation = {six_digits(out.deviation), six_digits(in.deviation)};
    return meter;
}

SignedMap map_of(const Explanation& e) {
    char score[48];
    std::snprintf(score, sizeof score, "\" %.0f %%, %u knock-outs", 100 * e.target.score,
                  e.knock_outs);
    const std::string task = e.target.kind == "detection" ? "detector" : "classifier";
    return {e.geometry, e.cause, {task + ", cause", "\"" + e.target.label + score}};
}

}  // namespace

FrameExplainer::FrameExplainer(Engine& engine, const Models& models, const DetectionFilter& filter,
                               std::optional<Size> size, Wanted wanted)
    : explainer_(engine, models,
                 {.filter = filter, .size = size, .heads = false, .meter = wanted.meter}),
      wanted_(wanted) {}

void FrameExplainer::explain(FrameOrder& order, FrameResult& known, const MaskedPicture& picture) {
    const std::optional<Explanation> e = explainer_.explain_strongest(picture);
    order.effects.reset();
    if (!e) return;
    if (wanted_.meter) known.meter = meter_of(*e);
    if (!wanted_.map) return;
    order.effects = map_of(*e);
    if (e->target.kind == "detection" && known.detections && !known.detections->empty())
        order.overlay.selected_query = known.detections->front().query;
}

}  // namespace saccade
