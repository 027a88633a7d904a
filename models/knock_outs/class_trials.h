#pragma once

#include "gpu/transfer/download.h"
#include "models/classifier.h"
#include "models/knock_outs/trials.h"

namespace saccade {

// The target is a class of a classifier, or a phrase of a zero-shot one: its logit and probability.
class ClassTrials : public Trials {
public:
    // The classifier must be prepared for the picture's size, and outlive this.
    ClassTrials(Device& device, Arena& scratch, const Classifier& classifier, uint32_t id,
                const MaskedPicture& picture, const TrialOptions& options = {});

    // Another class is the target from now on.
    void aim_at(uint32_t id) { id_ = id; }
    std::string unit() const override { return "logit"; }

private:
    void record(Commands& c, const Tensor& patches, const Parts& parts) override;
    std::vector<Reading> read(uint32_t count) override;

    const Classifier& classifier_;
    uint32_t id_;
    Tap tap_;
    Download logits_, probabilities_;
};

}  // namespace saccade
