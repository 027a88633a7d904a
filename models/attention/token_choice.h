#pragma once

#include <cstdint>
#include <span>

#include "gpu/core/buffer.h"
#include "gpu/recorder/commands.h"

namespace saccade {

// Leaves tokens out of a sequence while a model runs: as many of each picture of a batch, other
// ones from one submission of a recording to the next. A tap takes it to the layers.
class TokenChoice {
public:
    // How many are left out of each picture.
    explicit TokenChoice(uint32_t left_out) : left_out_(left_out) {}
    uint32_t left_out() const { return left_out_; }

    // Called by models: the rows of z (batch, tokens, columns) that stay. A z of one batch, such as
    // a table of positions, is the same for all pictures.
    Tensor of(Commands& c, const Tensor& z, uint32_t batch);
    Tensor of(Commands& c, const Tensor& z) { return of(c, z, z.batch); }

    // After the recording; none of it may be running. `tokens`: as many as are left out, each once.
    void leave_out(uint32_t picture, std::span<const uint32_t> tokens);
    void flush() const { memory_.flush(); }

private:
    uint32_t left_out_, tokens_ = 0;
    Buffer memory_;
    Tensor stay_;  // (batch, 1, tokens - left_out) u32
};

}  // namespace saccade
