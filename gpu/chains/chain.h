#pragma once

#include "gpu/recorder/commands.h"

namespace saccade {

// While a Chain lives, operations on one row, or on a row of each of a few batches, become links of
// one dispatch, where the device has chains and chain.comp has a link for the operation. A decoder
// takes a hundred such operations for a token, and each is shorter than the time between two
// dispatches. Anything else that is recorded ends the dispatch; another number of rows does, too.
class Chain {
public:
    explicit Chain(Commands& commands);
    ~Chain();
    Chain(const Chain&) = delete;
    Chain& operator=(const Chain&) = delete;

private:
    Commands& commands_;
};

}  // namespace saccade
