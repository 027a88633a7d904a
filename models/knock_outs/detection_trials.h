#pragma once

#include "gpu/transfer/download.h"
#include "models/detector.h"
#include "models/knock_outs/trials.h"

namespace saccade {

// The target is a detection, as in D-RISE (Petsiuk et al. 2021): of all queries, the one that is
// most alike counts, by the overlap (IoU) of its box times the score of its class. Of the whole
// picture that is the detection's own score.
class DetectionTrials : public Trials {
public:
    // The detector must be prepared for the picture's size, and outlive this.
    DetectionTrials(Device& device, Arena& scratch, const Detector& detector,
                    const Detection& target, const MaskedPicture& picture,
                    const TrialOptions& options = {});

    // Another detection, of the picture that is shown, is the target from now on.
    void aim_at(const Detection& target);
    std::string unit() const override { return "score times overlap"; }

private:
    void record(Commands& c, const Tensor& patches, const Parts& parts) override;
    std::vector<Reading> read(uint32_t count) override;

    const Detector& detector_;
    Detection target_;
    DetectionTaps taps_;
    uint32_t queries_ = 0, columns_ = 0;
    std::vector<float> box_;  // of the target in the whole picture: empty before the first run
    Download logits_, boxes_;
};

}  // namespace saccade
