#pragma once

#include "app/batch/plan/plan.h"

namespace saccade {

// Opens all sources of a plan, several at a time, to find their lengths and sizes, and names their
// outputs. A source that cannot be opened gets an error instead.
void examine(BatchPlan& plan, bool quiet);

// An Error if a source that is opened for its frames is no longer as it was planned.
void check_unchanged(const BatchPlan& plan, const PlannedSource& planned,
                     const SourceTraits& traits);

}  // namespace saccade
