#include "models/captioning/beam_search.h"

#include <algorithm>
#include <cmath>

namespace saccade {

BeamSearch::BeamSearch(const Generation& generation, std::span<const uint32_t> prompt)
    : generation_(generation),
      prompt_(prompt.size()),
      // Enough for all beams to continue even if every best candidate is an end token.
      candidates_(std::max(2u, 1 + static_cast<uint32_t>(generation.stops.size())) *
                  generation.beams) {
    running_.push_back(
        {{prompt.begin(), prompt.end()}, std::vector<double>(prompt.size()), 0, 0, 0});
    finished_ = prompt_ >= generation.max_length;
}

void BeamSearch::advance(std::span<const Candidate> next) {
    if (finished_) return;
    std::vector<Candidate> ranked(next.begin(), next.end());
    auto total = [&](const Candidate& c) { return running_[c.beam].sum + c.log_p; };
    std::ranges::stable_sort(ranked, std::greater(), total);
    if (ranked.size() > candidates_) ranked.resize(candidates_);

    std::vector<Sentence> longer;
    bool all_end = true;
    for (size_t rank = 0; rank < ranked.size(); ++rank) {
        const Candidate& c = ranked[rank];
        Sentence s = running_[c.beam];
        s.ids.push_back(c.id);
        s.log_probs.push_back(c.log_p);
        s.sum += c.log_p;
        s.parent = c.beam;
        const bool ends = generation_.ends(c.id) || s.ids.size() >= generation_.max_length;
        all_end = all_end && ends;
        if (!ends && longer.size() < generation_.beams)
            longer.push_back(std::move(s));
        else if (ends && rank < generation_.beams)  // candidates of lower rank may not end yet
            keep(s);
    }
    const size_t length = running_.front().ids.size() + 1;  // now
    if (longer.empty()) {
        finished_ = true;
        return;
    }
    running_ = std::move(longer);

    const bool full = done_.size() == generation_.beams;
    using enum Generation::EarlyStopping;
    if (full && generation_.early_stopping == yes) finished_ = true;
    // Stops if the best running sentence can no longer beat the worst finished one.
    const bool to_the_end = generation_.early_stopping == never && generation_.length_penalty > 0;
    const size_t written = (to_the_end ? generation_.max_length : length) - prompt_;
    const double hope =
        running_.front().sum / std::pow(double(written), generation_.length_penalty);
    if (all_end || (full && hope <= done_.back().score)) finished_ = true;
}

void BeamSearch::keep(const Sentence& sentence) {
    Sentence s = sentence;
    s.score = s.sum / std::pow(double(s.ids.size() - prompt_), generation_.length_penalty);
    const auto at = std::ranges::upper_bound(done_, s.score, std::greater(), &Sentence::score);
    done_.insert(at, std::move(s));
    if (done_.size() > generation_.beams) done_.pop_back();
}

}  // namespace saccade
