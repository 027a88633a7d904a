#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>

#include "app/lecture/parts.h"
#include "gpu/ops/attention.h"
#include "gpu/ops/elementwise.h"
#include "gpu/ops/products.h"

namespace saccade {

namespace {

using Clock = std::chrono::steady_clock;

// The median time of a recording, in milliseconds: as often as fits into a moment, at most nine
// times.
double median_ms(Commands& c) {
    constexpr double moment = 0.3;  // seconds
    c.run();                        // the first run may compile
    std::vector<double> all;
    double passed = 0;
    while (all.empty() || (all.size() < 9 && passed < moment)) {
        const auto start = Clock::now();
        c.run();
        const std::chrono::duration<double> took = Clock::now() - start;
        passed += took.count();
        all.push_back(1000 * took.count());
    }
    std::ranges::nth_element(all, all.begin() + std::ptrdiff_t(all.size() / 2));
    return all[all.size() / 2];
}

// Tensors of small numbers: the time of an operation does not depend on them.
class Numbers {
public:
    explicit Numbers(Engine& engine) : engine_(engine) {}

    Tensor make(uint32_t rows, uint32_t columns) {
        const Type type = engine_.precision();
        const Buffer from(engine_.device(), "numbers", tensor_bytes(1, rows, columns, Type::f32),
                          Memory::upload);
        const std::span<std::byte> bytes = from.mapped();
        auto* const values = reinterpret_cast<float*>(bytes.data());
        for (size_t i = 0; i < bytes.size() / sizeof(float); ++i)
            values[i] = 0.01f * static_cast<float>(int(i % 7) - 3);
        from.flush();
        memory_.emplace_back(engine_.device(), "numbers", tensor_bytes(1, rows, columns, type),
                             Memory::device);
        const Tensor to = make_tensor(memory_.back().handle(), 0, 1, rows, columns, type);
        Commands c(engine_.device(), engine_.scratch(), "numbers");
        c.begin();
        {
            auto scope = c.scope("numbers");
            copy(c, to, make_tensor(from.handle(), 0, 1, rows, columns, Type::f32));
        }
        c.end();
        c.run();
        return to;
    }

private:
    Engine& engine_;
    std::vector<Buffer> memory_;
};

template <typename Record>
double time_of(Engine& engine, const Record& record) {
    Commands c(engine.device(), engine.scratch(), "cost");
    c.begin();
    {
        auto scope = c.scope("cost");
        record(c);
    }
    c.end();
    return median_ms(c);
}

// The times of one block over `tokens` tokens: of its heads' attention, and of its products.
LectureData block_cost(Engine& engine, const BlockForm& form, uint32_t tokens) {
    const uint32_t dim = form.dim, head = dim / form.heads, width = padded(head) * form.heads;
    Numbers numbers(engine);
    const Tensor x = numbers.make(tokens, dim), qkv = numbers.make(tokens, 3 * width),
                 inner = numbers.make(tokens, form.inner), seen = numbers.make(tokens, width);
    const Linear to_qkv{numbers.make(3 * width, dim), {}}, out{numbers.make(dim, width), {}},
        fc1{numbers.make(form.inner, dim), {}}, fc2{numbers.make(dim, form.inner), {}};
    const Heads heads{form.heads, 1.0f / std::sqrt(static_cast<float>(head))};
    const double attention_ms = time_of(engine, [&](Commands& c) {
        attention(c, qkv.slice_columns(0, width), qkv.slice_columns(width, width),
                  qkv.slice_columns(2 * width, width), heads);
    });
    const double products_ms = time_of(engine, [&](Commands& c) {
        linear(c, x, to_qkv);
        linear(c, seen, out);
        linear(c, x, fc1);
        linear(c, inner, fc2);
    });
    const double n = tokens, d = dim;
    return {{"tokens", tokens},
            {"attention_ms", attention_ms},
            {"products_ms", products_ms},
            {"attention_flop", 4 * n * n * d},
            {"products_flop", 2 * n * d * (4 * d + 2 * form.inner)}};
}

}  // namespace

LectureData cost_part(const LectureInput& in, const std::optional<BlockForm>& form) {
    constexpr uint32_t sides[] = {128, 192, 256, 384, 512, 640};  // pixels
    constexpr double enough_ms = 1000;
    if (!form) return nullptr;
    in.progress("the cost of attention");
    LectureData rows = LectureData::array();
    for (const uint32_t side : sides) {
        const uint32_t across = side / form->patch;
        if (across == 0) continue;
        LectureData row = block_cost(in.engine, *form, across * across + 1);
        row["side"] = side;
        const double ms =
            std::max(row["attention_ms"].get<double>(), row["products_ms"].get<double>());
        rows.push_back(std::move(row));
        if (ms > enough_ms) break;
    }
    return {{"dim", form->dim},
            {"heads", form->heads},
            {"inner", form->inner},
            {"patch", form->patch},
            {"rows", rows}};
}

}  // namespace saccade
