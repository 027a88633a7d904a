#include "tests/gpu_test.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <glm/gtc/packing.hpp>
#include <limits>
#include <memory>

#include "gpu/ops/products.h"

namespace saccade {

namespace {

int messages = 0;

void on_message(std::string_view text) {
    ++messages;
    ADD_FAILURE() << "validation: " << text;
}

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

// Cooperative matrices of a software device are used, too, which programs find too slow.
DeviceInfo with_matrices(DeviceInfo info) {
    info.features.cooperative_matrix = !info.features.matrix_shapes.empty();
    return info;
}

int rounds = 0;  // the second goes through the plain kernels: see main.cpp

// SACCADE_DEVICE chooses another device; SACCADE_NO_VALIDATION=1 is for machines where the layers
// cannot be had; with SACCADE_NO_FOURS=1 sums of products leave as on GPUs whose threads do not
// hold them in fours.
struct TestDevice {
    Instance instance{{.validation = environment("SACCADE_NO_VALIDATION").empty(),
                       .on_message = on_message,
                       .extensions = {}}};
    // The second round's weights are those of a device without cooperative matrices: others keep
    // some of them in fragments alone. Where the driver does not say how many workgroups run at
    // once, chains have one.
    const DeviceInfo info = with_matrices(instance.choose(environment("SACCADE_DEVICE")));
    Device device{instance,
                  info,
                  {.cooperative_matrix = rounds < 2,
                   .sums_in_fours = environment("SACCADE_NO_FOURS").empty(),
                   .chain_workgroups = info.limits.cores ? 0u : 1u,
                   .extensions = {},
                   .pipeline_cache = {}}};
};
std::unique_ptr<TestDevice> opened;

// Closes the device after the last test, so that leaks are still reported.
class CloseDevice : public ::testing::Environment {
    void SetUp() override { ++rounds; }
    void TearDown() override {
        opened.reset();
        EXPECT_EQ(messages, 0) << "the validation layers had something to say";
    }
};
const auto* close_device = ::testing::AddGlobalTestEnvironment(new CloseDevice);

}  // namespace

Device& test_device() {
    if (!opened) {
        opened = std::make_unique<TestDevice>();
        const DeviceInfo& info = opened->device.info();
        std::printf("device: %s (%s)\n", info.name.c_str(), info.driver.c_str());
    }
    return opened->device;
}

GpuTest::GpuTest()
    : device(test_device()), arena(device, "test scratch"), commands(device, arena, "test") {
    use_kernels_of_this_round(commands);
}

void use_kernels_of_this_round(Commands& commands) { commands.use_plain_kernels(rounds > 1); }

GpuTest::~GpuTest() = default;

std::span<std::byte> GpuTest::bytes_of_tensor(const Tensor& host) const {
    for (const Buffer& buffer : buffers_)
        if (buffer.handle() == host.buffer) return buffer.mapped().subspan(host.base, host.bytes);
    throw Error("not a tensor of this test");
}

Tensor GpuTest::poisoned(uint32_t batch, uint32_t rows, uint32_t columns, Type type) {
    buffers_.emplace_back(device, "test tensor", tensor_bytes(batch, rows, columns, type),
                          Memory::readback);
    std::ranges::fill(buffers_.back().mapped(), std::byte{0xff});  // a NaN in f32 and in f16
    buffers_.back().flush();
    return make_tensor(buffers_.back().handle(), 0, batch, rows, columns, type);
}

Tensor GpuTest::tensor(uint32_t batch, uint32_t rows, uint32_t columns, Type type,
                       std::span<const float> source) {
    const Tensor t = poisoned(batch, rows, columns, type);
    std::span<std::byte> bytes = bytes_of_tensor(t);
    std::ranges::fill(bytes, std::byte{0});
    for (uint32_t r = 0; r < batch * rows; ++r)
        for (uint32_t j = 0; j < columns; ++j) {
            const float value = source[size_t(r) * columns + j];
            const size_t at = size_t(r) * t.row_stride + j;
            if (type == Type::f16) {
                const uint16_t half = glm::packHalf1x16(value);
                std::memcpy(&bytes[at * 2], &half, 2);
            } else {
                std::memcpy(&bytes[at * 4], &value, 4);
            }
        }
    buffers_.back().flush();
    return t;
}

Tensor GpuTest::ids(std::span<const uint32_t> source) {
    const Tensor t = poisoned(1, 1, static_cast<uint32_t>(source.size()), Type::u32);
    std::memcpy(bytes_of_tensor(t).data(), source.data(), source.size_bytes());
    buffers_.back().flush();
    return t;
}

std::vector<float> GpuTest::random(size_t count, Type type) {
    std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
    std::vector<float> result(count);
    for (float& value : result) {
        value = uniform(random_);
        if (type == Type::f16) value = glm::unpackHalf1x16(glm::packHalf1x16(value));
    }
    return result;
}

void GpuTest::begin() {
    commands.begin();
    const Arena::Mark mark = arena.mark();
    const Tensor scratch = commands.scratch(1, 1, 1u << 18, Type::f32);  // what tests use of it
    commands.copy_bytes(poisoned(1, 1, 1u << 18, Type::f32), scratch);
    arena.release(mark);
}

Tensor GpuTest::fragments(const Tensor& weight) {
    const FragmentsSize size = fragments_size(device, weight);
    if (!size) return {};
    // Memory past the last fragment must not matter: it is NaN.
    const Tensor to = poisoned(1, size.rows, size.columns, Type::f16);
    begin();
    fragments_into(commands, to, weight);
    finish();
    return to;
}

void GpuTest::finish() {
    commands.end();
    commands.run();
    arena.release({});
    for (const Buffer& buffer : buffers_) buffer.invalidate();
}

std::vector<float> GpuTest::values(const Tensor& host) const {
    const std::span<const std::byte> bytes = bytes_of_tensor(host);
    std::vector<float> result;
    for (uint32_t r = 0; r < host.batch * host.rows; ++r)
        for (uint32_t j = 0; j < host.columns; ++j) {
            const size_t at = size_t(r) * host.row_stride + j;
            float value;
            if (host.type == Type::f16) {
                uint16_t half;
                std::memcpy(&half, &bytes[at * 2], 2);
                value = glm::unpackHalf1x16(half);
            } else {
                std::memcpy(&value, &bytes[at * 4], 4);
            }
            result.push_back(value);
        }
    return result;
}

std::vector<uint32_t> GpuTest::words(const Tensor& host) const {
    const std::span<const std::byte> bytes = bytes_of_tensor(host);
    std::vector<uint32_t> result;
    for (uint32_t r = 0; r < host.batch * host.rows; ++r)
        for (uint32_t j = 0; j < host.columns; ++j) {
            uint32_t word;
            std::memcpy(&word, &bytes[(size_t(r) * host.row_stride + j) * 4], 4);
            result.push_back(word);
        }
    return result;
}

void GpuTest::expect_zero_padding(const Tensor& host) const {
    const std::span<const std::byte> bytes = bytes_of_tensor(host);
    const size_t size = bytes_of(host.type);
    for (uint32_t r = 0; r < host.batch * host.rows; ++r)
        for (size_t at = host.columns * size; at < host.row_stride * size; ++at)
            ASSERT_EQ(bytes[r * host.row_stride * size + at], std::byte{0})
                << "padding of row " << r << " of " << host.shape();
}

double relative_error(std::span<const float> got, std::span<const float> want) {
    if (got.size() != want.size()) return std::numeric_limits<double>::infinity();
    double worst = 0, largest = 1e-30;
    for (size_t i = 0; i < got.size(); ++i) {
        if (!std::isfinite(got[i])) return std::numeric_limits<double>::infinity();
        worst = std::max(worst, std::abs(double(got[i]) - double(want[i])));
        largest = std::max(largest, std::abs(double(want[i])));
    }
    return worst / largest;
}

}  // namespace saccade
