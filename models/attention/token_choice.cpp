#include "models/attention/token_choice.h"

#include <string>
#include <vector>

#include "gpu/core/error.h"
#include "gpu/ops/rows.h"

namespace saccade {

Tensor TokenChoice::of(Commands& c, const Tensor& z, uint32_t batch) {
    if (z.rows <= left_out_)
        throw Error(std::to_string(left_out_) + " of " + std::to_string(z.rows) +
                    " tokens cannot be left out: none would stay");
    if (!stay_ || stay_.batch != batch || tokens_ != z.rows) {
        tokens_ = z.rows;
        const uint32_t stay = tokens_ - left_out_;
        const uint64_t bytes = tensor_bytes(batch, 1, stay, Type::u32);
        if (memory_.bytes() < bytes)
            memory_ = Buffer(c.device(), "tokens that stay", bytes, Memory::mapped);
        stay_ = make_tensor(memory_.handle(), 0, batch, 1, stay, Type::u32);
        std::vector<uint32_t> last(left_out_);
        for (uint32_t i = 0; i < left_out_; ++i) last[i] = stay + i;
        for (uint32_t picture = 0; picture < batch; ++picture) leave_out(picture, last);
        flush();
    }
    Tensor all = z;
    if (z.batch == 1 && batch > 1) {
        all.batch = batch;
        all.batch_stride = 0;
    }
    return gather_rows(c, all, stay_, z.type);
}

void TokenChoice::leave_out(uint32_t picture, std::span<const uint32_t> tokens) {
    std::vector<bool> out(tokens_);
    uint32_t left = 0;
    for (const uint32_t token : tokens)
        if (token < tokens_ && !out[token]) {
            out[token] = true;
            ++left;
        }
    if (left != left_out_ || tokens.size() != left_out_ || picture >= stay_.batch)
        throw Error(std::to_string(tokens.size()) + " tokens cannot be left out where " +
                    std::to_string(left_out_) + " are");
    auto* next =
        reinterpret_cast<uint32_t*>(memory_.mapped().data()) + size_t(picture) * stay_.batch_stride;
    for (uint32_t token = 0; token < tokens_; ++token)
        if (!out[token]) *next++ = token;
}

}  // namespace saccade
