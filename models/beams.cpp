#include "models/beams.h"

#include <algorithm>

namespace saccade {

namespace {

uint32_t count(std::span<const uint32_t> ids) { return static_cast<uint32_t>(ids.size()); }

// Fewer where the model has not so many words.
uint32_t candidates(const BeamSearch& search, const TextDecoder& decoder) {
    return std::min(search.candidates(), decoder.form().vocabulary);
}

}  // namespace

Beams::Beams(Device& device, Arena& scratch, const CaptionModel& model, const Tensor& memory,
             const Generation& generation, std::span<const uint32_t> given)
    : decoder_(model.decoder()),
      generation_(generation),
      given_(given.begin(), given.end()),
      rules_(device, generation, count(given)),
      search_(generation, given),
      past_{make_past(device, decoder_, generation.beams, generation.max_length),
            make_past(device, decoder_, generation.beams, generation.max_length)},
      logits_(device, "logits", generation.beams, 1, decoder_.form().vocabulary, Type::f32),
      ids_(device, "ids of beams", generation.beams, generation.max_length, 1, Type::u32,
           Memory::upload),
      row_(device, "ids", 1, 1, generation.max_length, Type::u32, Memory::upload),
      parents_(device, "parents of beams", 1, 1, generation.beams, Type::u32, Memory::upload),
      best_(device, "best of beams", generation.beams, 1, 1, Type::u32),
      about_(device, "about the best", generation.beams, 3, 1, Type::f32, Memory::readback),
      values_(device, "values of candidates", generation.beams, 1, candidates(search_, decoder_),
              Type::f32, Memory::readback),
      words_(device, "candidates", generation.beams, 1, candidates(search_, decoder_), Type::u32,
             Memory::readback),
      state_{memory, past_[0].tensor.at_batch(0)},
      again_(device, scratch, "caption again") {
    for (uint32_t said = count(given); said < generation.max_length; ++said)
        record_step(scratch, decoder_, said);
}

// The step after `said` ids. The first reads all that was given, as one beam.
void Beams::record_step(Arena& scratch, const TextDecoder& decoder, uint32_t said) {
    const size_t index = steps_.size();
    steps_.push_back(std::make_unique<Commands>(again_.device(), scratch, "caption step of beams"));
    Commands& c = *steps_.back();
    const bool first = index == 0;
    auto beams = [&](const OwnTensor& t) { return first ? t.tensor.at_batch(0) : t.tensor; };
    const Tensor past = beams(past_[index % 2]), logits = beams(logits_), about = beams(about_);
    c.begin();
    {
        auto scope = c.scope("caption");
        if (first) {
            decoder.read(c, logits, row_.tensor.slice_columns(0, said), {state_.memory, past}, 0);
        } else {
            gather(c, past.slice_rows(0, said - 1),
                   past_[(index - 1) % 2].tensor.slice_rows(0, said - 1), parents_.tensor);
            decoder.read(c, logits, ids_.tensor.slice_rows(said - 1, 1), {state_.memory, past},
                         said - 1);
        }
        pick(c, beams(best_), about, logits);
        rules_.record(c, logits, beams(ids_).slice_rows(0, said), about.slice_rows(1, 1));
        topk_into(c, {beams(values_), beams(words_)}, logits);
    }
    c.end();
}

void Beams::start() {
    search_ = BeamSearch(generation_, given_);
    taken_ = 0;
    ms_ = 0;
}

void Beams::advance(uint32_t words) {
    for (; words > 0 && !search_.finished(); --words) step();
}

void Beams::step() {
    const auto& running = search_.running();
    for (uint32_t beam = 0; beam < running.size(); ++beam) {
        for (uint32_t i = 0; i < running[beam].ids.size(); ++i)
            ids_.at<uint32_t>(beam, i) = running[beam].ids[i];
        (&parents_.at<uint32_t>(0, 0))[beam] = running[beam].parent;
    }
    std::ranges::copy(running[0].ids, &row_.at<uint32_t>(0, 0));
    for (const OwnTensor* t : {&ids_, &parents_, &row_}) t->memory.flush();
    steps_[taken_]->run();
    ms_ += total_ms(steps_[taken_]->times());
    ++taken_;

    for (const OwnTensor* t : {&about_, &values_, &words_}) t->memory.invalidate();
    std::vector<BeamSearch::Candidate> next;
    for (uint32_t beam = 0; beam < running.size(); ++beam) {
        const float* values = &values_.at<float>(beam, 0);
        const uint32_t* words = &words_.at<uint32_t>(beam, 0);
        const double sum = about_.at<float>(beam, 1);  // logarithm of the sum of exponentials
        for (uint32_t i = 0; i < words_.tensor.columns; ++i)
            if (words[i] < decoder_.form().vocabulary)
                next.push_back({beam, words[i], double(values[i]) - sum});
    }
    search_.advance(next);
}

DecodedIds Beams::result() {
    const BeamSearch::Sentence& best = search_.best();
    if (best.ids.size() > 1) read_again(best.ids);
    return {best.ids, {best.logs.begin(), best.logs.end()}, best.score};
}

// A sentence that ended early has been overwritten by those that went on.
void Beams::read_again(const std::vector<uint32_t>& ids) {
    std::ranges::copy(ids, &row_.at<uint32_t>(0, 0));
    row_.memory.flush();
    again_.begin();
    decoder_.read(again_, logits_.tensor.at_batch(0), row_.tensor.slice_columns(0, count(ids) - 1),
                  state_, 0);
    again_.end();
    again_.run();
}

}  // namespace saccade
