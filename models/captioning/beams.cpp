#include "models/captioning/beams.h"

#include <algorithm>

namespace saccade {

namespace {

// Fewer if the vocabulary is smaller.
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
      searches_(memory.batch, BeamSearch(generation, given)),
      all_(memory.batch * generation.beams),
      past_{make_past(device, decoder_, all_, generation.max_length),
            make_past(device, decoder_, all_, generation.max_length)},
      logits_(device, "logits", all_, 1, decoder_.form().vocabulary, Type::f32),
      ids_(device, "ids of beams", all_, generation.max_length, 1, Type::u32, Memory::upload),
      row_(device, "ids", memory.batch, 1, generation.max_length, Type::u32, Memory::upload),
      parents_(device, "parents of beams", 1, 1, all_, Type::u32, Memory::upload),
      best_(device, "best of beams", all_, 1, 1, Type::u32),
      about_(device, "about the best", all_, 3, 1, Type::f32, Memory::readback),
      values_(device, "values of candidates", all_, 1, candidates(searches_[0], decoder_),
              Type::f32, Memory::readback),
      words_(device, "candidates", all_, 1, candidates(searches_[0], decoder_), Type::u32,
             Memory::readback),
      said_(make_past(device, decoder_, memory.batch, generation.max_length)),
      state_{memory, said_.tensor},
      again_(device, scratch, "caption again") {
    for (uint32_t said = count(given); said < generation.max_length; ++said)
        record_step(scratch, decoder_, said);
}

// The step after `said` ids. The first reads all that was given, as one beam of each picture.
void Beams::record_step(Arena& scratch, const TextDecoder& decoder, uint32_t said) {
    const size_t index = steps_.size();
    steps_.push_back(std::make_unique<Commands>(again_.device(), scratch, "caption step of beams"));
    Commands& c = *steps_.back();
    const bool first = index == 0;
    auto beams = [&](const OwnTensor& t) {
        return first ? t.tensor.every_batch(generation_.beams) : t.tensor;
    };
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

void Beams::start(const std::vector<bool>& filled) {
    filled_ = filled;
    searches_.assign(filled.size(), BeamSearch(generation_, given_));
    taken_ = 0;
    ms_ = 0;
}

bool Beams::finished() {
    for (uint32_t i = 0; i < filled_.size(); ++i)
        if (running(i)) return false;
    return true;
}

void Beams::advance(uint32_t words) {
    for (; words > 0 && !finished(); --words) step();
}

// What the device is to read of a picture's beams.
void Beams::write_running(uint32_t picture) {
    const auto& running = searches_[picture].running();
    const uint32_t first = picture * generation_.beams;
    for (uint32_t beam = 0; beam < running.size(); ++beam) {
        for (uint32_t i = 0; i < running[beam].ids.size(); ++i)
            ids_.at<uint32_t>(first + beam, i) = running[beam].ids[i];
        (&parents_.at<uint32_t>(0, 0))[first + beam] = first + running[beam].parent;
    }
    std::ranges::copy(running[0].ids, &row_.at<uint32_t>(picture, 0));
}

// What the device has proposed for them.
void Beams::take_candidates(uint32_t picture) {
    const uint32_t first = picture * generation_.beams;
    std::vector<BeamSearch::Candidate> next;
    for (uint32_t beam = 0; beam < searches_[picture].running().size(); ++beam) {
        const float* values = &values_.at<float>(first + beam, 0);
        const uint32_t* words = &words_.at<uint32_t>(first + beam, 0);
        const double sum = about_.at<float>(first + beam, 1);  // log of the sum of exponentials
        for (uint32_t i = 0; i < words_.tensor.columns; ++i)
            if (words[i] < decoder_.form().vocabulary)
                next.push_back({beam, words[i], double(values[i]) - sum});
    }
    searches_[picture].advance(next);
}

// A picture whose search has finished keeps its place: what the device reads there is old, and what
// it proposes is not looked at.
void Beams::step() {
    for (uint32_t i = 0; i < searches_.size(); ++i)
        if (running(i)) write_running(i);
    for (const OwnTensor* t : {&ids_, &parents_, &row_}) t->memory.flush();
    steps_[taken_]->run();
    ms_ += total_ms(steps_[taken_]->times());
    ++taken_;

    for (const OwnTensor* t : {&about_, &values_, &words_}) t->memory.invalidate();
    for (uint32_t i = 0; i < searches_.size(); ++i)
        if (running(i)) take_candidates(i);
}

std::vector<DecodedIds> Beams::results() {
    read_again();
    std::vector<DecodedIds> all(searches_.size());
    for (size_t i = 0; i < all.size(); ++i) {
        const BeamSearch::Sentence& best = searches_[i].best();
        if (filled_[i]) all[i] = {best.ids, {best.logs.begin(), best.logs.end()}, best.score};
    }
    return all;
}

// A sentence that ended early has been overwritten by those that went on. All pictures' sentences
// are read together, as far as the longest goes: no word sees what follows it.
void Beams::read_again() {
    size_t longest = 0;
    for (uint32_t i = 0; i < searches_.size(); ++i) {
        const std::vector<uint32_t>& ids = searches_[i].best().ids;
        std::ranges::copy(ids, &row_.at<uint32_t>(i, 0));
        longest = std::max(longest, ids.size());
    }
    if (longest <= 1) return;
    row_.memory.flush();
    again_.begin();
    decoder_.read(again_, logits_.tensor.every_batch(generation_.beams),
                  row_.tensor.slice_columns(0, static_cast<uint32_t>(longest) - 1), state_, 0);
    again_.end();
    again_.run();
}

}  // namespace saccade
