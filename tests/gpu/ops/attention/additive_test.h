#pragma once

#include <cmath>

#include "gpu/ops/attention.h"
#include "tests/gpu_test.h"

namespace saccade {

// Additive attention in plain loops.
class AdditiveTest : public GpuTest {
protected:
    struct Case {
        uint32_t batch, queries, keys, columns, channels;
    };
    static std::vector<Case> cases() {
        return {{1, 1, 1, 1, 1}, {2, 3, 49, 20, 13}, {3, 1, 256, 128, 192}};
    }
    struct Input {
        Case form;
        std::vector<float> q_values, k_values, v_values, w_values, gate_values;
        Tensor q, k, v, gate;
        Additive how;
    };
    Input input(const Case& c, Type type) {
        Input in;
        in.form = c;
        auto make = [&](std::vector<float>& values, uint32_t batch, uint32_t rows, uint32_t columns,
                        Type as) {
            values = random(size_t(batch) * rows * columns, as);
            return tensor(batch, rows, columns, as, values);
        };
        in.q = make(in.q_values, c.batch, c.queries, c.columns, Type::f32);
        in.k = make(in.k_values, c.batch, c.keys, c.columns, type);
        in.v = make(in.v_values, c.batch, c.keys, c.channels, type);
        in.gate = make(in.gate_values, c.batch, c.queries, 1, Type::f32);
        in.how.weight = make(in.w_values, 1, 1, c.columns, Type::f32);
        return in;
    }

    static std::vector<double> weights_of(const Input& in, uint32_t batch, uint32_t query) {
        const Case& c = in.form;
        std::vector<double> weights;
        double total = 0;
        for (uint32_t key = 0; key < c.keys; ++key) {
            double score = 0;
            for (uint32_t i = 0; i < c.columns; ++i) {
                const size_t from = (size_t(batch) * c.queries + query) * c.columns + i;
                const size_t to = (size_t(batch) * c.keys + key) * c.columns + i;
                score += double(in.w_values[i]) *
                         std::tanh(double(in.k_values[to]) + double(in.q_values[from]));
            }
            weights.push_back(std::exp(score));
            total += weights.back();
        }
        for (double& weight : weights) weight /= total;
        return weights;
    }
};

}  // namespace saccade
