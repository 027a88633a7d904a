#include "models/captioning/beams.h"

#include <algorithm>
#include <utility>

#include "gpu/chains/chain.h"
#include "gpu/core/device.h"
#include "gpu/ops/rows.h"
#include "gpu/ops/words.h"

namespace saccade {

namespace {

// Per beam, at most the whole vocabulary.
uint32_t candidates_of(const BeamSearch& search, const TextDecoder& decoder) {
    return std::min(search.candidates(), decoder.form().vocabulary);
}

// Without chains a step takes longer than the host's choice, and steps that are submitted ahead
// would go on to the maximum length after a sentence has ended.
bool device_chooses(const Device& device, uint32_t beams, uint32_t candidates) {
    return device.features().chains && device.features().float64 &&
           beams * candidates <= most_beam_candidates;
}

}  // namespace

Beams::Beams(Device& device, Arena& scratch, const CaptionModel& model, const Tensor& memory,
             const Generation& generation, std::span<const uint32_t> prompt, KnockOuts* knock_outs)
    : device_(device),
      decoder_(model.decoder()),
      generation_(generation),
      prompt_(prompt.begin(), prompt.end()),
      processor_(device, generation, count(prompt)),
      searches_(memory.batch, BeamSearch(generation, prompt)),
      candidates_(candidates_of(searches_[0], decoder_)),
      chosen_on_device_(device_chooses(device, generation.beams, candidates_)),
      all_(memory.batch * generation.beams),
      past_{make_past(device, decoder_, all_, generation.max_length),
            make_past(device, decoder_, all_, generation.max_length)},
      ids_{make_chosen("ids of beams", all_, generation.max_length, 1),
           make_chosen("ids of beams", all_, generation.max_length, 1)},
      logits_(device, "logits", all_, 1, decoder_.form().vocabulary, Type::f32),
      prompt_ids_(device, "prompt ids", 1, count(prompt), 1, Type::u32, Memory::upload),
      prompt_row_(device, "prompt ids", memory.batch, 1, count(prompt), Type::u32, Memory::upload),
      parents_(make_chosen("parents of beams", 1, 1, all_)),
      sums_(device, "sums of beams", 1, 1, 2 * all_, Type::u32),
      stops_(device, "stops", 1, 1, std::max(count(generation.stops), 1u), Type::u32,
             Memory::upload),
      best_(device, "best of beams", all_, 1, 1, Type::u32),
      about_(device, "about the best", all_, 3 * steps(), 1, Type::f32, Memory::readback),
      values_(device, "values of candidates", all_, steps(), candidates_, Type::f32,
              Memory::readback),
      words_(device, "candidates", all_, steps(), candidates_, Type::u32, Memory::readback),
      row_(device, "ids", memory.batch, 1, generation.max_length, Type::u32, Memory::upload),
      chosen_past_(make_past(device, decoder_, memory.batch, generation.max_length)),
      state_{memory, chosen_past_.tensor, knock_outs},
      rebuild_(device, scratch, "caption again") {
    for (uint32_t i = 0; i < prompt.size(); ++i) {
        prompt_ids_.at<uint32_t>(0, i) = prompt[i];
        for (uint32_t picture = 0; picture < memory.batch; ++picture)
            (&prompt_row_.at<uint32_t>(picture, 0))[i] = prompt[i];
    }
    std::ranges::copy(generation.stops, &stops_.at<uint32_t>(0, 0));
    for (const OwnTensor* t : {&prompt_ids_, &prompt_row_, &stops_}) t->memory.flush();
    for (uint32_t length = count(prompt); length < generation.max_length; ++length)
        record_step(scratch, length);
}

Beams::~Beams() {
    if (submitted_ > 0) wait_unless_lost(device_, last_);
}

// A tensor that choose_beams writes on the device, or the host in mapped memory.
OwnTensor Beams::make_chosen(const char* name, uint32_t batch, uint32_t rows,
                             uint32_t columns) const {
    const Memory where = chosen_on_device_ ? Memory::device : Memory::upload;
    return {device_, name, batch, rows, columns, Type::u32, where};
}

// The step after `length` ids. The first step reads the prompt, as one beam of each picture.
void Beams::record_step(Arena& scratch, uint32_t length) {
    const auto index = static_cast<uint32_t>(steps_.size());
    steps_.push_back(std::make_unique<Commands>(device_, scratch, "caption step of beams"));
    Commands& c = *steps_.back();
    const bool first = index == 0;
    auto beams = [&](const Tensor& t) { return first ? t.every_batch(generation_.beams) : t; };
    const Tensor past = beams(past_[index % 2].tensor), logits = beams(logits_.tensor);
    const Tensor ids = beams(ids_[index % 2].tensor);
    const Tensor about = about_.tensor.slice_rows(3 * index, 3);
    const Top best{values_.tensor.slice_rows(index, 1), words_.tensor.slice_rows(index, 1)};
    c.begin();
    auto record = [&] {
        auto scope = c.scope("caption");
        if (first) {
            for (uint32_t picture = 0; picture < ids.batch; ++picture)
                c.copy_bytes(prompt_ids_.tensor, ids.at_batch(picture).slice_rows(0, length));
            decoder_.read(c, logits, prompt_row_.tensor, {state_.memory, past, state_.knock_outs},
                          0);
        } else {
            // The prompt's KV cache is the same for all beams: after two steps both buffers have
            // it.
            const uint32_t from = index > 2 ? count(prompt_) : 0, rows = length - 1 - from;
            gather(c, past.slice_rows(from, rows),
                   past_[(index - 1) % 2].tensor.slice_rows(from, rows), parents_.tensor);
            decoder_.read(c, logits, ids.slice_rows(length - 1, 1),
                          {state_.memory, past, state_.knock_outs}, length - 1);
        }
        pick(c, beams(best_.tensor), beams(about), logits);
        processor_.record(c, logits, ids.slice_rows(0, length), beams(about).slice_rows(1, 1));
        topk_into(c, {beams(best.values), beams(best.columns)}, logits);
        if (chosen_on_device_ && length + 1 < generation_.max_length)
            choose_beams(c, {.candidates = best,
                             .less = about.slice_rows(1, 1),
                             .stops = generation_.stops.empty() ? Tensor{} : stops_.tensor,
                             .before = ids_[index % 2].tensor,
                             .after = ids_[(index + 1) % 2].tensor,
                             .parents = parents_.tensor,
                             .sums = sums_.tensor,
                             .beams = generation_.beams,
                             .ranked = searches_[0].candidates(),
                             .said = length,
                             .vocabulary = decoder_.form().vocabulary,
                             .first = first});
    };
    if (decoder_.chains()) {
        const Chain chain(c);
        record();
    } else {
        record();
    }
    c.end();
}

void Beams::start(const std::vector<bool>& filled) {
    filled_ = filled;
    searches_.assign(filled.size(), BeamSearch(generation_, prompt_));
    submitted_ = taken_ = 0;
}

bool Beams::all_ended() const {
    for (uint32_t i = 0; i < filled_.size(); ++i)
        if (running(i)) return false;
    return true;
}

bool Beams::finished() {
    if (taken_ < submitted_ && device_.reached(last_)) take_steps();
    return all_ended() || submitted_ == steps_.size();
}

void Beams::advance(uint32_t words) {
    while (words > 0 && !finished()) {
        const size_t more =
            chosen_on_device_ ? std::min<size_t>(words, steps_.size() - submitted_) : 1;
        if (!chosen_on_device_ && submitted_ > 0) write_running();
        last_ = submit_in_order(std::span(steps_).subspan(submitted_, more));
        submitted_ += more;
        words -= static_cast<uint32_t>(more);
        if (!chosen_on_device_) take_steps();
    }
}

// Uploads the host's choice for the next step.
void Beams::write_running() {
    const OwnTensor& ids = ids_[submitted_ % 2];
    for (uint32_t picture = 0; picture < searches_.size(); ++picture) {
        if (!running(picture)) continue;
        const auto& running = searches_[picture].running();
        const uint32_t first = picture * generation_.beams;
        for (uint32_t beam = 0; beam < running.size(); ++beam) {
            for (uint32_t i = 0; i < running[beam].ids.size(); ++i)
                ids.at<uint32_t>(first + beam, i) = running[beam].ids[i];
            (&parents_.at<uint32_t>(0, 0))[first + beam] = first + running[beam].parent;
        }
    }
    ids.memory.flush();
    parents_.memory.flush();
}

// Passes the candidates of one step for a picture's beams to its search.
void Beams::take_candidates(uint32_t picture, uint32_t step) {
    const uint32_t first = picture * generation_.beams;
    std::vector<BeamSearch::Candidate> next;
    for (uint32_t beam = 0; beam < searches_[picture].running().size(); ++beam) {
        const float* values = &values_.at<float>(first + beam, step);
        const uint32_t* words = &words_.at<uint32_t>(first + beam, step);
        const double sum = about_.at<float>(first + beam, 3 * step + 1);  // log-sum-exp
        for (uint32_t i = 0; i < candidates_; ++i)
            if (words[i] < decoder_.form().vocabulary)
                next.push_back({beam, words[i], double(values[i]) - sum});
    }
    searches_[picture].advance(next);
}

// Waits for the submitted steps and replays their candidates. A picture whose search has finished
// keeps its place in the group; its candidates are ignored.
void Beams::take_steps() {
    if (taken_ == submitted_) return;
    device_.wait(last_, "caption");
    for (size_t i = taken_; i < submitted_; ++i) steps_[i]->check_finished();
    for (const OwnTensor* t : {&about_, &values_, &words_}) t->memory.invalidate();
    for (; taken_ < submitted_; ++taken_)
        for (uint32_t i = 0; i < searches_.size(); ++i)
            if (running(i)) take_candidates(i, static_cast<uint32_t>(taken_));
}

std::vector<DecodedIds> Beams::results() {
    take_steps();
    if (state_wanted_) rebuild_state();
    std::vector<DecodedIds> all(searches_.size());
    for (size_t i = 0; i < all.size(); ++i) {
        const BeamSearch::Sentence& best = searches_[i].best();
        if (filled_[i])
            all[i] = {best.ids, {best.log_probs.begin(), best.log_probs.end()}, best.score};
    }
    return all;
}

double Beams::ms() const {
    double total = 0;
    for (size_t i = 0; i < submitted_; ++i) total += total_ms(steps_[i]->times());
    return total;
}

const DecoderState& Beams::state() {
    if (!std::exchange(state_wanted_, true) && taken_ > 0) rebuild_state();
    return state_;
}

// The KV cache of a sentence that ended early has been overwritten by those that went on. This
// reads the chosen sentences of all pictures again, to the length of the longest: attention is
// causal, so the padding does not matter.
void Beams::rebuild_state() {
    size_t longest = 0;
    for (uint32_t i = 0; i < searches_.size(); ++i) {
        const std::vector<uint32_t>& ids = searches_[i].best().ids;
        std::ranges::copy(ids, &row_.at<uint32_t>(i, 0));
        longest = std::max(longest, ids.size());
    }
    if (longest <= 1) return;
    row_.memory.flush();
    rebuild_.begin();
    decoder_.read(rebuild_, logits_.tensor.every_batch(generation_.beams),
                  row_.tensor.slice_columns(0, static_cast<uint32_t>(longest) - 1), state_, 0);
    rebuild_.end();
    rebuild_.run();
}

}  // namespace saccade
