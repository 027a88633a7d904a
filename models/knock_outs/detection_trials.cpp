#include "models/knock_outs/detection_trials.h"

#include <algorithm>
#include <cmath>

#include "gpu/core/error.h"

namespace saccade {

namespace {

// Of boxes as centre x, centre y, width, height.
double overlap_of(std::span<const float> a, std::span<const float> b) {
    double both = 1;
    for (size_t axis = 0; axis < 2; ++axis) {
        const double low = std::max(double(a[axis]) - double(a[axis + 2]) / 2,
                                    double(b[axis]) - double(b[axis + 2]) / 2);
        const double high = std::min(double(a[axis]) + double(a[axis + 2]) / 2,
                                     double(b[axis]) + double(b[axis + 2]) / 2);
        both *= std::max(0.0, high - low);
    }
    const double all = double(a[2]) * double(a[3]) + double(b[2]) * double(b[3]) - both;
    return all > 0 ? both / all : 0;
}

// Models with a column more than classes give a softmax over classes and "no object", the others a
// sigmoid for each class.
double score_of(std::span<const float> logits, uint32_t id, bool softmax) {
    if (!softmax) return 1 / (1 + std::exp(-double(logits[id])));
    const double most = double(*std::ranges::max_element(logits));
    double sum = 0;
    for (const float logit : logits) sum += std::exp(double(logit) - most);
    return std::exp(double(logits[id]) - most) / sum;
}

}  // namespace

DetectionTrials::DetectionTrials(Device& device, Arena& scratch, const Detector& detector,
                                 const Detection& target, const MaskedPicture& picture,
                                 const TrialOptions& options)
    : Trials(device, scratch, detector.input(), detector.input_type(), detector.layout(), picture,
             options),
      detector_(detector),
      target_(target) {
    require_tokens(options.instead, {.left_out = detector.model().leaves_tokens_out(),
                                     .hidden = detector.model().hides_tokens()});
    if (target.query >= detector.model().queries())
        throw Error("there is no query " + std::to_string(target.query) + "; the detector has " +
                    std::to_string(detector.model().queries()));
    whole();  // finds the target's box
}

void DetectionTrials::aim_at(const Detection& target) {
    target_ = target;
    box_.clear();
    whole();
}

void DetectionTrials::record(Commands& c, const Tensor& patches, const Parts& parts) {
    taps_.encoder.knock_out(parts.encoder);
    taps_.decoder.knock_out(parts.decoder);
    taps_.encoder.leave_out(parts.left_out);
    taps_.decoder.leave_out(parts.hidden);
    const DetectionOutput out = detector_.forward(c, patches, taps_);
    queries_ = out.logits.rows;
    columns_ = out.logits.columns;
    logits_.record(c, out.logits);
    boxes_.record(c, out.boxes);
}

std::vector<Reading> DetectionTrials::read(uint32_t count) {
    const std::vector<float> logits = logits_.floats(), boxes = boxes_.floats();
    const bool softmax = columns_ > detector_.labels().size();
    const auto box = [&](size_t query) { return std::span(boxes).subspan(query * 4, 4); };
    if (box_.empty()) {
        const std::span<const float> first = box(target_.query);
        box_.assign(first.begin(), first.end());
    }
    std::vector<Reading> result;
    for (size_t i = 0; i < count; ++i) {
        double best = 0;
        for (size_t query = i * queries_; query < (i + 1) * queries_; ++query)
            if (const double overlap = overlap_of(box(query), box_); overlap > best)
                best = std::max(
                    best, overlap * score_of(std::span(logits).subspan(query * columns_, columns_),
                                             target_.id, softmax));
        result.push_back({best, best});
    }
    return result;
}

}  // namespace saccade
