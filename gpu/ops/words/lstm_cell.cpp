#include "gpu/ops/words.h"

#include "gpu/ops/common.h"
#include "shaders/words/params.h"

namespace saccade {

void lstm_cell(Commands& c, const LstmState& to, const Tensor& gates, const Tensor& before) {
    constexpr const char* op = "lstm_cell";
    const uint32_t columns = before.columns;
    auto same = [&](const Tensor& t) {
        return t.batch == before.batch && t.rows == before.rows && t.columns == columns;
    };
    require(same(to.c) && same(to.h) && same(to.y) && before.type == Type::f32 &&
                to.c.type == Type::f32 && to.h.type == Type::f32 && to.y.type != Type::u32,
            op,
            before.shape() + " into " + to.c.shape() + ", " + to.h.shape() + ", " + to.y.shape());
    require(gates.type == Type::f32 && gates.batch == before.batch && gates.rows == before.rows &&
                gates.columns == 4 * padded(columns),
            op, "gates " + gates.shape() + " for " + before.shape());
    for (const Tensor* t : {&gates, &before, &to.c, &to.h, &to.y}) require_wide(*t, op);
    const params::LstmCellParams p{view(gates), view(before), view(to.c),     view(to.h),
                                   view(to.y),  columns,      padded(columns)};
    c.dispatch(Kernel(op, Type::f32, to.y.type, {pixel_threads(c)}),
               {padded(columns) / 4, before.rows, before.batch},
               {read(gates), read(before), write(to.c), write(to.h), write(to.y)}, p);
}

}  // namespace saccade
