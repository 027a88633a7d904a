#pragma once

#include <string>

#include "app/commands/options.h"

namespace saccade {

struct VerifyOptions {
    CommonOptions common;
    std::string model;
    std::string image;  // COCO's 000000039769, to compare with what is published; empty: not
};

// `saccade models verify`: that a model is whole, its numbers are numbers, and it answers as it
// should. Prints what was checked; the first thing that is wrong is an Error.
void verify_model(const VerifyOptions& options);

// The same, with answers to the image that are published elsewhere than in the catalogue.
void verify_model(const VerifyOptions& options, const PublishedAnswers& published);

}  // namespace saccade
