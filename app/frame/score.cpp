#include "app/frame/score.h"

#include <algorithm>
#include <glm/common.hpp>

namespace saccade {

float iou(const Rectangle& a, const Rectangle& b) {
    const Rectangle shared{glm::max(a.min, b.min), glm::min(a.max, b.max)};
    if (!(shared.size().x > 0 && shared.size().y > 0)) return 0;
    return shared.area() / (a.area() + b.area() - shared.area());
}

namespace {

double part(uint64_t of, uint64_t rest) {
    return of + rest == 0 ? 1 : static_cast<double>(of) / static_cast<double>(of + rest);
}

}  // namespace

double Tally::precision() const { return part(right, wrong); }
double Tally::recall() const { return part(right, missed); }

Tally& Tally::operator+=(const Tally& other) {
    right += other.right;
    wrong += other.wrong;
    missed += other.missed;
    return *this;
}

Tally compare(std::span<const Detection> found, const std::vector<std::string>& labels,
              const Truth& truth) {
    std::vector<const Detection*> best_first;
    for (const Detection& detection : found) best_first.push_back(&detection);
    std::ranges::stable_sort(best_first, std::ranges::greater(), &Detection::score);

    std::vector<bool> taken(truth.objects.size(), false);
    Tally tally;
    for (const Detection* detection : best_first) {
        float most = 0.5f;
        size_t match = truth.objects.size();
        for (size_t i = 0; i < truth.objects.size(); ++i) {
            const TrueObject& object = truth.objects[i];
            // By name, because models number their classes differently.
            if (taken[i] || detection->id >= labels.size() || labels[detection->id] != object.label)
                continue;
            if (const float part = iou(detection->box, object.box); part >= most) {
                most = part;
                match = i;
            }
        }
        if (match == truth.objects.size()) {
            ++tally.wrong;
        } else {
            taken[match] = true;
            ++tally.right;
        }
    }
    tally.missed = truth.objects.size() - tally.right;
    return tally;
}

void Score::add(std::span<const Detection> found, const std::vector<std::string>& labels,
                const Truth& truth) {
    objects_ += compare(found, labels, truth);
}

void Score::add_caption(const std::string& caption, const Truth& truth) {
    ++captions_;
    if (caption == truth.caption) ++right_captions_;
}

}  // namespace saccade
