#include "models/captioning/greedy.h"

#include <algorithm>
#include <cmath>

#include "gpu/chains/chain.h"
#include "gpu/core/device.h"
#include "gpu/ops/words.h"

namespace saccade {

namespace {

// The ids whose KV cache is kept from picture to picture. A step reads at least one id.
uint32_t fixed_among(std::span<const uint32_t> prompt, const TextDecoder& decoder) {
    return std::min(decoder.fixed_words(), count(prompt) - 1);
}

}  // namespace

Greedy::Greedy(Device& device, Arena& scratch, const CaptionModel& model, const Tensor& memory,
               const Generation& generation, std::span<const uint32_t> prompt,
               KnockOuts* knock_outs)
    : device_(device),
      generation_(generation),
      prompt_(prompt.begin(), prompt.end()),
      processor_(device, generation, count(prompt)),
      past_(make_past(device, model.decoder(), memory.batch, generation.max_length)),
      logits_(device, "logits", memory.batch, 1, model.decoder().form().vocabulary, Type::f32),
      ids_(device, "ids", memory.batch, generation.max_length, 1, Type::u32),
      about_(device, "about each id", memory.batch, 3 * generation.max_length, 1, Type::f32,
             Memory::readback),
      fixed_(fixed_among(prompt, model.decoder())),
      prompt_ids_(device, "prompt ids", 1, count(prompt), 1, Type::u32, Memory::upload),
      fixed_row_(device, "fixed ids", memory.batch, 1, std::max(fixed_, 1u), Type::u32,
                 Memory::upload),
      prompt_row_(device, "prompt ids", memory.batch, 1, count(prompt) - fixed_, Type::u32,
                  Memory::upload),
      state_{memory, past_.tensor, knock_outs} {
    for (uint32_t i = 0; i < prompt.size(); ++i) {
        prompt_ids_.at<uint32_t>(0, i) = prompt[i];
        for (uint32_t picture = 0; picture < memory.batch; ++picture)
            (i < fixed_ ? (&fixed_row_.at<uint32_t>(picture, 0))[i]
                        : (&prompt_row_.at<uint32_t>(picture, 0))[i - fixed_]) = prompt[i];
    }
    for (const OwnTensor* ids : {&prompt_ids_, &fixed_row_, &prompt_row_}) ids->memory.flush();
    if (fixed_ > 0) read_fixed(scratch, model.decoder());
    for (uint32_t length = count(prompt); length < generation.max_length; ++length)
        record_step(scratch, model.decoder(), length);
}

Greedy::~Greedy() {
    if (submitted_ > 0) wait_unless_lost(device_, last_);
}

// The step that chooses id number `length` of every sentence. The first step reads the prompt, each
// other step one id.
void Greedy::record_step(Arena& scratch, const TextDecoder& decoder, uint32_t length) {
    steps_.push_back(std::make_unique<Commands>(device_, scratch, "caption step"));
    Commands& c = *steps_.back();
    c.begin();
    auto record = [&] {
        auto scope = c.scope("caption");
        if (length == prompt_.size()) {
            for (uint32_t picture = 0; picture < ids_.tensor.batch; ++picture)
                c.copy_bytes(prompt_ids_.tensor,
                             ids_.tensor.at_batch(picture).slice_rows(0, length));
            decoder.read(c, logits_.tensor, prompt_row_.tensor, state_, fixed_);
        } else {
            decoder.read(c, logits_.tensor, ids_.tensor.slice_rows(length - 1, 1), state_,
                         length - 1);
        }
        processor_.record(c, logits_.tensor, ids_.tensor.slice_rows(0, length), {});
        pick(c, ids_.tensor.slice_rows(length, 1), about_.tensor.slice_rows(3 * length, 3),
             logits_.tensor);
    };
    if (decoder.chains()) {
        const Chain chain(c);
        record();
    } else {
        record();
    }
    c.end();
}

// Fills the KV cache for the words before the picture, which stays valid for every picture.
void Greedy::read_fixed(Arena& scratch, const TextDecoder& decoder) {
    Commands c(device_, scratch, "fixed words");
    c.begin();
    {
        auto scope = c.scope("caption");
        decoder.read(c, logits_.tensor, fixed_row_.tensor, state_, 0);
    }
    c.end();
    c.run();
}

void Greedy::start(const std::vector<bool>& filled) {
    filled_ = filled;
    submitted_ = 0;
    ended_ = false;
}

void Greedy::advance(uint32_t words) {
    if (finished()) return;
    const size_t more = std::min<size_t>(words, steps_.size() - submitted_);
    if (more > 0) last_ = submit_in_order(std::span(steps_).subspan(submitted_, more));
    submitted_ += more;
}

bool Greedy::finished() {
    if (submitted_ > 0 && !ended_ && device_.reached(last_)) {
        about_.memory.invalidate();
        ended_ = true;
        for (uint32_t picture = 0; picture < filled_.size() && ended_; ++picture)
            ended_ = !filled_[picture] || generation_.ends(read(picture).ids.back());
    }
    return ended_ || submitted_ == steps_.size();
}

std::vector<DecodedIds> Greedy::results() {
    if (submitted_ > 0) device_.wait(last_, "caption");
    for (size_t i = 0; i < submitted_; ++i) steps_[i]->check_finished();
    about_.memory.invalidate();
    std::vector<DecodedIds> all(filled_.size());
    for (uint32_t picture = 0; picture < all.size(); ++picture)
        if (filled_[picture]) all[picture] = read(picture);
    return all;
}

// The ids that have been read back, up to the end of the sentence.
DecodedIds Greedy::read(uint32_t picture) const {
    DecodedIds result{prompt_, std::vector<float>(prompt_.size()), 0};
    for (uint32_t i = count(prompt_); i < prompt_.size() + submitted_; ++i) {
        result.ids.push_back(static_cast<uint32_t>(about_.at<float>(picture, 3 * i + 2)));
        result.log_probs.push_back(about_.at<float>(picture, 3 * i));
        result.score += double(result.log_probs.back());
        if (generation_.ends(result.ids.back())) break;
    }
    const size_t written = result.ids.size() - prompt_.size();
    if (written > 0) result.score /= std::pow(double(written), generation_.length_penalty);
    return result;
}

double Greedy::ms() const {
    double total = 0;
    for (size_t i = 0; i < submitted_; ++i) total += total_ms(steps_[i]->times());
    return total;
}

}  // namespace saccade
