#pragma once

#include <cmath>

#include "gpu/ops/attention.h"
#include "gpu/ops/grid_attention.h"
#include "tests/gpu_test.h"

namespace saccade {

// Attention between the queries of one map and the keys of another, in plain loops.
class RelativeTest : public GpuTest {
protected:
    struct Case {
        Size queries, keys;
        uint32_t first, heads, size;
    };
    static std::vector<Case> cases() {
        return {{{4, 4}, {4, 4}, 0, 1, 8}, {{6, 5}, {3, 2}, 1, 2, 24}, {{3, 3}, {7, 6}, 0, 3, 40}};
    }
    struct Input {
        Tensor q, k, v;
        std::vector<float> q_values, k_values, v_values, down, across;
        Heads heads;
        RelativePlaces places;
        uint32_t size = 0;
        double value(const std::vector<float>& of, const Tensor& t, uint32_t batch, uint32_t row,
                     uint32_t head, size_t d) const {
            return double(of[(size_t(batch) * t.rows + row) * t.columns + head * size + d]);
        }
    };
    Input input(const Case& c, uint32_t batch, Type type) {
        Input in;
        in.size = c.size;
        in.heads = {c.heads, 0.3f};
        in.places = {
            .queries = c.queries, .keys = c.keys, .first = c.first, .down = {}, .across = {}};
        auto make = [&](std::vector<float>& values, Size map) {
            const uint32_t rows = c.first + area(map), columns = c.heads * c.size;
            values = random(size_t(batch) * rows * columns, type);
            return tensor(batch, rows, columns, type, values);
        };
        in.q = make(in.q_values, c.queries);
        in.k = make(in.k_values, c.keys);
        in.v = make(in.v_values, c.keys);
        in.down = random(size_t(c.queries.y) * c.keys.y * c.size);
        in.across = random(size_t(c.queries.x) * c.keys.x * c.size);
        in.places.down = tensor(1, c.queries.y * c.keys.y, c.size, Type::f32, in.down);
        in.places.across = tensor(1, c.queries.x * c.keys.x, c.size, Type::f32, in.across);
        return in;
    }

    // q . table, for a row of the keys (down) or a column of them.
    static double place_score(const Input& in, uint32_t batch, uint32_t head, uint32_t query,
                              bool down, uint32_t place) {
        const Size q = in.places.queries, k = in.places.keys;
        const uint32_t row = down ? query / q.x * k.y + place : query % q.x * k.x + place;
        double sum = 0;
        for (size_t d = 0; d < in.size; ++d)
            sum += in.value(in.q_values, in.q, batch, in.places.first + query, head, d) *
                   double((down ? in.down : in.across)[row * in.size + d]);
        return sum;
    }

    static std::vector<double> weights_of(const Input& in, uint32_t batch, uint32_t head,
                                          uint32_t query) {
        const uint32_t first = in.places.first;
        std::vector<double> scores;
        double total = 0, largest = -1e300;
        for (uint32_t key = 0; key < in.k.rows; ++key) {
            double score = 0;
            for (size_t d = 0; d < in.size; ++d)
                score += double(in.heads.scale) *
                         in.value(in.q_values, in.q, batch, query, head, d) *
                         in.value(in.k_values, in.k, batch, key, head, d);
            if (query >= first && key >= first) {
                const uint32_t cell = key - first, width = in.places.keys.x;
                score += place_score(in, batch, head, query - first, true, cell / width) +
                         place_score(in, batch, head, query - first, false, cell % width);
            }
            scores.push_back(score);
            largest = std::max(largest, score);
        }
        for (double& score : scores) total += score = std::exp(score - largest);
        for (double& score : scores) score /= total;
        return scores;
    }
};

}  // namespace saccade
