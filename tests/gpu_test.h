#pragma once

#include <gtest/gtest.h>

#include <random>
#include <span>
#include <vector>

#include "gpu/core/device.h"
#include "gpu/core/error.h"
#include "gpu/recorder/commands.h"

namespace saccade {

// The device that tests run on, opened once with the validation layers. A message of the layers
// fails the running test; a message when the device is closed fails the program.
Device& test_device();

// For tests that make recorders of their own.
void use_kernels_of_this_round(Commands& commands);

// Tensors in memory that the CPU can read, and a recorder.
class GpuTest : public ::testing::Test {
protected:
    GpuTest();
    ~GpuTest() override;

    // A tensor in memory that both sides see, with `values` row after row (padding is zero), or
    // full of NaN where there are none: a kernel must write every element, padding included.
    Tensor tensor(uint32_t batch, uint32_t rows, uint32_t columns, Type type,
                  std::span<const float> values);
    Tensor poisoned(uint32_t batch, uint32_t rows, uint32_t columns, Type type);
    Tensor ids(std::span<const uint32_t> values);
    // Uniform in [-1, 1), rounded to the type, so that a reference sees what the kernel sees.
    std::vector<float> random(size_t count, Type type = Type::f32);
    Tensor random_tensor(uint32_t batch, uint32_t rows, uint32_t columns, Type type) {
        return tensor(batch, rows, columns, type, random(size_t(batch) * rows * columns, type));
    }

    // A weight as products on cooperative matrices read it, or none where the device has none.
    Tensor fragments(const Tensor& weight);

    // Records `work`, runs it, and reads its result back. The scratch memory is full of NaN before,
    // and the padding of the result must be zero after.
    template <typename Work>
    std::vector<float> run(Work work) {
        begin();
        const Tensor result = work(commands);
        const Tensor host = poisoned(result.batch, result.rows, result.columns, result.type);
        commands.copy_bytes(result, host);
        finish();
        expect_zero_padding(host);
        return values(host);
    }
    void begin();
    void finish();

    std::vector<float> values(const Tensor& host) const;
    std::vector<uint32_t> words(const Tensor& host) const;
    void expect_zero_padding(const Tensor& host) const;

    Device& device;
    Arena arena;
    Commands commands;

private:
    std::span<std::byte> bytes_of_tensor(const Tensor& host) const;
    std::vector<Buffer> buffers_;
    std::mt19937 random_{7};
};

// max |got - want| / max |want|, the measure of the parity kit; a NaN anywhere is infinitely wrong.
double relative_error(std::span<const float> got, std::span<const float> want);

// The tolerance for rounding the result to its storage type and summing in another order.
inline double tolerance(Type out) { return out == Type::f16 ? 1e-3 : 1e-5; }

}  // namespace saccade
