#pragma once

#include <string>

#include "app/commands/options.h"

namespace saccade {

struct VerifyOptions {
    CommonOptions common;
    std::string model;
    Implementation as = Implementation::by_weights;
    std::string image;  // COCO's 000000039769, to compare with published outputs; empty: none
};

// `saccade models verify`: checks that a model is complete, that its weights and outputs are
// finite, and that it computes the published outputs. Prints each check; the first failure is an
// Error. It also prints what the model sees in a bundled picture, and warns if that looks as if the
// weights did not belong to the code that computes the model.
void verify_model(const VerifyOptions& options);

// The same with published outputs that are not in the catalogue.
void verify_model(const VerifyOptions& options, const PublishedAnswers& published);

}  // namespace saccade
