#include "models/contrast/example.h"

#include <algorithm>
#include <glm/common.hpp>
#include <limits>
#include <numeric>

#include "gpu/core/error.h"

namespace saccade {

namespace {

double area_between(glm::dvec2 from, glm::dvec2 to) {
    const glm::dvec2 size = glm::max(to - from, glm::dvec2(0));
    return size.x * size.y;
}

// Intersection over union (IoU), and generalized IoU (Rezatofighi et al. 2019).
struct Overlap {
    double iou = 0, generalized = 0;
};
Overlap overlap_of(const Rectangle& a, std::span<const float, 4> box) {
    const glm::dvec2 centre(box[0], box[1]), half(0.5 * box[2], 0.5 * box[3]);
    const glm::dvec2 from = centre - half, to = centre + half, a_min(a.min), a_max(a.max);
    const double both = area_between(glm::max(a_min, from), glm::min(a_max, to));
    const double either = area_between(a_min, a_max) + area_between(from, to) - both;
    const double around = area_between(glm::min(a_min, from), glm::max(a_max, to));
    const double iou = both / either;
    return {iou, iou - (around - either) / around};
}

}  // namespace

size_t best_example(std::span<const float> vectors, size_t dim, std::span<const float> boxes,
                    const Rectangle& wanted) {
    const size_t count = boxes.size() / 4;
    if (count == 0 || vectors.size() != count * dim) throw Error("the example's picture is empty");
    std::vector<double> fit(count), generalized(count);
    for (size_t i = 0; i < count; ++i) {
        const Overlap overlap = overlap_of(wanted, boxes.subspan(4 * i).first<4>());
        fit[i] = overlap.iou;
        generalized[i] = overlap.generalized;
    }
    if (std::ranges::all_of(fit, [](double one) { return one == 0; })) fit = generalized;

    std::vector<double> mean(dim);
    for (size_t i = 0; i < vectors.size(); ++i) mean[i % dim] += double(vectors[i]) / double(count);
    const double least = 0.8 * *std::ranges::max_element(fit);
    size_t best = 0;
    double least_alike = std::numeric_limits<double>::max();
    for (size_t i = 0; i < count; ++i) {
        if (fit[i] < least) continue;
        const std::span<const float> vector = vectors.subspan(i * dim, dim);
        const double alike = std::inner_product(vector.begin(), vector.end(), mean.begin(), 0.0);
        if (alike >= least_alike) continue;
        least_alike = alike;
        best = i;
    }
    // No box is close: take the best of the others.
    if (least_alike == std::numeric_limits<double>::max())
        best = size_t(std::ranges::max_element(fit) - fit.begin());
    return best;
}

}  // namespace saccade
