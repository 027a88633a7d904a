#include "gpu/ops/words.h"

#include "gpu/ops/common.h"
#include "shaders/words/params.h"

namespace saccade {

void choose_beams(Commands& c, const BeamStep& step) {
    constexpr const char* op = "choose_beams";
    const auto& [values, words] = step.candidates;
    const uint32_t all = values.batch, k = values.columns;
    const uint32_t running = step.first ? 1 : step.beams;
    require(c.device().features().float64, op, c.device().info().name + " has no fp64");
    require(step.beams > 0 && all % step.beams == 0 && running * k <= most_beam_candidates &&
                step.beams <= most_beam_candidates,
            op, std::to_string(step.beams) + " beams of " + values.shape());
    require(values.rows == 1 && values.type == Type::f32 && words.batch == all && words.rows == 1 &&
                words.columns == k && words.type == Type::u32,
            op, values.shape() + ", " + words.shape());
    require(step.less.batch == all && step.less.rows == 1 && step.less.columns == 1 &&
                step.less.type == Type::f32,
            op, "less " + step.less.shape() + " for " + values.shape());
    for (const Tensor* ids : {&step.before, &step.after})
        require(ids->batch == all && ids->columns == 1 && ids->type == Type::u32 &&
                    ids->rows >= step.said + (ids == &step.after ? 1 : 0),
                op, "ids " + ids->shape() + " for " + values.shape());
    require(step.parents.all_rows() == 1 && step.parents.columns == all &&
                step.parents.type == Type::u32 && step.parents.offset == 0 &&
                step.sums.all_rows() == 1 && step.sums.columns == 2 * all &&
                step.sums.type == Type::u32 && step.sums.offset == 0,
            op, step.parents.shape() + ", " + step.sums.shape() + " for " + values.shape());
    require(!step.stops || (step.stops.type == Type::u32 && step.stops.all_rows() == 1 &&
                            step.stops.offset == 0),
            op, "stops " + step.stops.shape());
    const params::ChooseBeamsParams p{
        .values = view(values),
        .words = view(words),
        .less = view(step.less),
        .before = view(step.before),
        .after = view(step.after),
        .beams = step.beams,
        .running = running,
        .candidates = k,
        .ranked = step.ranked,
        .said = step.said,
        .first = step.first ? 1u : 0u,
        .vocabulary = step.vocabulary,
        .stops = step.stops ? step.stops.columns : 0,
    };
    const uint32_t threads = row_threads(c);
    c.dispatch(
        Kernel(op, {threads}), {all / step.beams * threads},
        {read(values), read(words), read(step.less), read(step.stops ? step.stops : step.before),
         read(step.before), write(step.after), write(step.parents), read_write(step.sums)},
        p);
}

}  // namespace saccade
