#include "models/captioning/greedy.h"

#include <algorithm>
#include <cmath>

#include "gpu/chains/chain.h"
#include "gpu/core/device.h"
#include "gpu/ops/words.h"

namespace saccade {

namespace {

// As many as can be kept from picture to picture. A step reads at least one.
uint32_t fixed_among(std::span<const uint32_t> given, const TextDecoder& decoder) {
    return std::min(decoder.fixed_words(), count(given) - 1);
}

}  // namespace

Greedy::Greedy(Device& device, Arena& scratch, const CaptionModel& model, const Tensor& memory,
               const Generation& generation, std::span<const uint32_t> given)
    : device_(device),
      generation_(generation),
      given_(given.begin(), given.end()),
      rules_(device, generation, count(given)),
      past_(make_past(device, model.decoder(), memory.batch, generation.max_length)),
      logits_(device, "logits", memory.batch, 1, model.decoder().form().vocabulary, Type::f32),
      ids_(device, "ids", memory.batch, generation.max_length, 1, Type::u32),
      about_(device, "about each id", memory.batch, 3 * generation.max_length, 1, Type::f32,
             Memory::readback),
      fixed_(fixed_among(given, model.decoder())),
      given_ids_(device, "given ids", 1, count(given), 1, Type::u32, Memory::upload),
      fixed_row_(device, "fixed ids", memory.batch, 1, std::max(fixed_, 1u), Type::u32,
                 Memory::upload),
      given_row_(device, "given ids", memory.batch, 1, count(given) - fixed_, Type::u32,
                 Memory::upload),
      state_{memory, past_.tensor} {
    for (uint32_t i = 0; i < given.size(); ++i) {
        given_ids_.at<uint32_t>(0, i) = given[i];
        for (uint32_t picture = 0; picture < memory.batch; ++picture)
            (i < fixed_ ? (&fixed_row_.at<uint32_t>(picture, 0))[i]
                        : (&given_row_.at<uint32_t>(picture, 0))[i - fixed_]) = given[i];
    }
    for (const OwnTensor* ids : {&given_ids_, &fixed_row_, &given_row_}) ids->memory.flush();
    if (fixed_ > 0) read_fixed(scratch, model.decoder());
    for (uint32_t said = count(given); said < generation.max_length; ++said)
        record_step(scratch, model.decoder(), said);
}

Greedy::~Greedy() {
    if (submitted_ > 0) wait_unless_lost(device_, last_);
}

// The step that chooses id number `said` of every sentence. The first reads all that was given,
// each other one id.
void Greedy::record_step(Arena& scratch, const TextDecoder& decoder, uint32_t said) {
    steps_.push_back(std::make_unique<Commands>(device_, scratch, "caption step"));
    Commands& c = *steps_.back();
    c.begin();
    auto record = [&] {
        auto scope = c.scope("caption");
        if (said == given_.size()) {
            for (uint32_t picture = 0; picture < ids_.tensor.batch; ++picture)
                c.copy_bytes(given_ids_.tensor, ids_.tensor.at_batch(picture).slice_rows(0, said));
            decoder.read(c, logits_.tensor, given_row_.tensor, state_, fixed_);
        } else {
            decoder.read(c, logits_.tensor, ids_.tensor.slice_rows(said - 1, 1), state_, said - 1);
        }
        rules_.record(c, logits_.tensor, ids_.tensor.slice_rows(0, said), {});
        pick(c, ids_.tensor.slice_rows(said, 1), about_.tensor.slice_rows(3 * said, 3),
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

// What the decoder keeps of the words before the picture stays where it is, whatever comes after.
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

// As far as it has been read back, and to the end of the sentence.
DecodedIds Greedy::read(uint32_t picture) const {
    DecodedIds result{given_, std::vector<float>(given_.size()), 0};
    for (uint32_t i = count(given_); i < given_.size() + submitted_; ++i) {
        result.ids.push_back(static_cast<uint32_t>(about_.at<float>(picture, 3 * i + 2)));
        result.logs.push_back(about_.at<float>(picture, 3 * i));
        result.score += double(result.logs.back());
        if (generation_.ends(result.ids.back())) break;
    }
    const size_t written = result.ids.size() - given_.size();
    if (written > 0) result.score /= std::pow(double(written), generation_.length_penalty);
    return result;
}

double Greedy::ms() const {
    double total = 0;
    for (size_t i = 0; i < submitted_; ++i) total += total_ms(steps_[i]->times());
    return total;
}

}  // namespace saccade
