#include "app/lecture/reruns.h"

#include <algorithm>

#include "gpu/ops/elementwise.h"
#include "gpu/transfer/download.h"
#include "models/attention/knock_outs.h"

namespace saccade {

Reruns::Reruns(Engine& engine, const Classifier& classifier, const std::vector<float>& patches)
    : engine_(engine), classifier_(classifier), patches_(patches) {}

std::vector<float> Reruns::run(const std::vector<uint32_t>& order,
                               const std::function<Tensor(Commands&, const Tensor&)>& record) {
    const uint32_t rows = classifier_.input().patches();
    const auto columns = static_cast<uint32_t>(patches_.size() / rows);
    const uint64_t bytes = tensor_bytes(1, rows, columns, Type::f32);
    const Buffer memory(engine_.device(), "patches", bytes, Memory::upload);
    const Tensor shuffled = make_tensor(memory.handle(), 0, 1, rows, columns, Type::f32);
    std::ranges::fill(memory.mapped(), std::byte{});
    auto* const to = reinterpret_cast<float*>(memory.mapped().data());
    for (uint32_t i = 0; i < rows; ++i)
        std::copy_n(
            patches_.begin() + std::ptrdiff_t(size_t(order.empty() ? i : order[i]) * columns),
            columns, to + size_t(i) * shuffled.row_stride);
    memory.flush();

    Commands c(engine_.device(), engine_.scratch(), "another order");
    Download result;
    c.begin();
    {
        auto scope = c.scope("another order");
        const Tensor input = c.scratch(1, rows, columns, classifier_.model().input_type());
        copy(c, input, shuffled);
        result.record(c, record(c, input));
    }
    c.end();
    c.run();
    return result.floats();
}

std::vector<float> Reruns::with_order(const std::vector<uint32_t>& order, bool positions) {
    KnockOuts no_positions;
    no_positions.skip_positions();
    Tap tap;
    if (!positions) tap.knock_out(&no_positions);
    return run(order, [&](Commands& c, const Tensor& x) { return classifier_.logits(c, x, tap); });
}

std::vector<float> Reruns::without_heads(const Tensor& stream, uint32_t layer) {
    const uint32_t heads = classifier_.model().heads(layer), batch = heads + 1;
    KnockOuts off;
    Tap tap;
    tap.knock_out(&off);
    Commands c(engine_.device(), engine_.scratch(), "without heads");
    Download download;
    bool possible = false;
    c.begin();
    {
        auto scope = c.scope("without heads");
        const Tensor z = c.scratch(batch, stream.rows, stream.columns, Type::f32);
        copy(c, z, stream);
        const Tensor logits = classifier_.model().logits_from(c, z, layer, tap);
        possible = bool(logits);
        if (possible) download.record(c, logits);
    }
    c.end();
    if (!possible) return {};
    off.switch_all_on();
    for (uint32_t head = 0; head < heads; ++head) {
        off.switch_off(head, layer, head);
        off.switch_off(heads, layer, head);
    }
    c.run();
    return download.floats();
}

}  // namespace saccade
