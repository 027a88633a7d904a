#pragma once

#include <cmath>

#include "gpu/ops/attention.h"
#include "gpu/ops/grid_attention.h"
#include "tests/gpu_test.h"

namespace saccade {

// Window attention in plain loops.
class WindowsTest : public GpuTest {
protected:
    struct Case {
        Size map;
        uint32_t window, shift, heads, head;
        bool cosine;
    };
    static std::vector<Case> cases() {
        return {{{4, 4}, 4, 0, 2, 8, false},  {{8, 12}, 4, 2, 2, 16, false},
                {{10, 7}, 4, 2, 3, 8, false}, {{5, 5}, 4, 2, 2, 24, true},
                {{7, 14}, 7, 3, 2, 40, true}, {{13, 9}, 9, 4, 2, 16, false}};
    }
    struct Input {
        Tensor q, k, v;
        std::vector<float> q_values, k_values, v_values, bias_values, scale_values;
        Heads heads;
        Windows windows;
        double value(const std::vector<float>& of, uint32_t batch, uint32_t row,
                     size_t column) const {
            return double(of[(size_t(batch) * q.rows + row) * q.columns + column]);
        }
    };
    Input input(const Case& c, uint32_t batch, Type type) {
        Input in;
        in.heads = {c.heads, 0.4f};
        in.windows = {.map = c.map, .window = c.window, .shift = c.shift, .bias = {}, .mask = -100};
        const uint32_t rows = area(c.map) + (in.windows.padded() ? 1 : 0);
        const uint32_t columns = c.heads * c.head, places = (2 * c.window - 1) * (2 * c.window - 1);
        auto make = [&](std::vector<float>& values) {
            values = random(size_t(batch) * rows * columns, type);
            return tensor(batch, rows, columns, type, values);
        };
        in.q = make(in.q_values);
        in.k = make(in.k_values);
        in.v = make(in.v_values);
        in.bias_values = random(size_t(c.heads) * places);
        in.windows.bias = tensor(1, c.heads, places, Type::f32, in.bias_values);
        if (c.cosine) {
            for (uint32_t i = 0; i < c.heads; ++i) in.scale_values.push_back(3.0f + float(i));
            in.windows.scales = tensor(1, 1, c.heads, Type::f32, in.scale_values);
        }
        return in;
    }

    // The row of a window's cell: of the map, or the one of all padding.
    static uint32_t row_of(const Windows& w, uint32_t window, uint32_t cell) {
        const Size all = w.count() * w.window;
        const uint32_t x = (window % w.count().x * w.window + cell % w.window + w.shift) % all.x;
        const uint32_t y = (window / w.count().x * w.window + cell / w.window + w.shift) % all.y;
        return x < w.map.x && y < w.map.y ? y * w.map.x + x : area(w.map);
    }

    // Whether only the shift has brought two cells of a window together: one of them was wrapped
    // around an edge of the padded map.
    static bool apart(const Windows& w, uint32_t window, uint32_t a, uint32_t b) {
        auto came_around = [&](uint32_t at, uint32_t in, uint32_t count) {
            return in * w.window + at + w.shift >= count * w.window;
        };
        const Size count = w.count(), in(window % count.x, window / count.x);
        return came_around(a % w.window, in.x, count.x) !=
                   came_around(b % w.window, in.x, count.x) ||
               came_around(a / w.window, in.y, count.y) != came_around(b / w.window, in.y, count.y);
    }

    // The attention of a cell of the map to each cell of its window.
    static std::vector<double> weights_of(const Input& in, uint32_t batch, uint32_t cell,
                                          uint32_t head) {
        const Windows& w = in.windows;
        const auto [window, from] = w.place_of(cell);
        const uint32_t size = in.q.columns / in.heads.count, wide = 2 * w.window - 1;
        std::vector<double> scores;
        double total = 0;
        for (uint32_t key = 0; key < w.window * w.window; ++key) {
            double dot = 0, qq = 0, kk = 0;
            for (size_t d = 0; d < size; ++d) {
                const double q = in.value(in.q_values, batch, cell, head * size + d);
                const double k =
                    in.value(in.k_values, batch, row_of(w, window, key), head * size + d);
                dot += q * k, qq += q * q, kk += k * k;
            }
            double score = w.scales ? double(in.scale_values[head]) * dot / std::sqrt(qq * kk)
                                    : double(in.heads.scale) * dot;
            const uint32_t down = from / w.window + w.window - 1 - key / w.window;
            const uint32_t right = from % w.window + w.window - 1 - key % w.window;
            score += double(in.bias_values[(size_t(head) * wide + down) * wide + right]);
            if (apart(w, window, from, key)) score += double(w.mask);
            scores.push_back(std::exp(score));
            total += scores.back();
        }
        for (double& score : scores) score /= total;
        return scores;
    }
};

}  // namespace saccade
