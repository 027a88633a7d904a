#include "models/knock_outs/class_trials.h"

#include "gpu/core/error.h"
#include "gpu/ops/elementwise.h"

namespace saccade {

ClassTrials::ClassTrials(Device& device, Arena& scratch, const Classifier& classifier, uint32_t id,
                         const MaskedPicture& picture, const TrialOptions& options)
    : Trials(device, scratch, classifier.input(), classifier.model().input_type(),
             classifier.model().layout(0), picture, options),
      classifier_(classifier),
      id_(id) {
    require_tokens(options.instead, {.left_out = classifier.model().leaves_tokens_out()});
    if (id >= classifier.labels().size())
        throw Error("there is no class " + std::to_string(id) + "; the classifier has " +
                    std::to_string(classifier.labels().size()));
}

void ClassTrials::record(Commands& c, const Tensor& patches, const Parts& parts) {
    tap_.knock_out(parts.encoder);
    tap_.leave_out(parts.left_out);
    const Tensor logits = classifier_.logits(c, patches, tap_);
    logits_.record(c, logits);
    probabilities_.record(c, classifier_.has_independent_classes()
                                 ? multiply(c, logits, {}, Type::f32, Activation::sigmoid)
                                 : classifier_.model().probabilities(c, logits));
}

std::vector<Reading> ClassTrials::read(uint32_t count) {
    const std::vector<float> logits = logits_.floats(), probabilities = probabilities_.floats();
    const size_t classes = classifier_.labels().size();
    std::vector<Reading> result;
    for (size_t i = 0; i < count; ++i)
        result.push_back(
            {double(logits[i * classes + id_]), double(probabilities[i * classes + id_])});
    return result;
}

}  // namespace saccade
