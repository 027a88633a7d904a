#include "models/weights/weight_loader.h"

#include <array>
#include <cmath>
#include <cstring>
#include <glm/gtc/packing.hpp>
#include <map>

#include "models/files/half.h"
#include "models/files/synthetic.h"
#include "tests/gpu_test.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

using Floats = std::vector<float>;

// Tensors in host memory, at odd addresses as in a file. Checks that the loader releases every byte
// once, from the front of a tensor to its end.
class HostWeights : public WeightSource {
public:
    // countable: whether elements() is known.
    explicit HostWeights(bool countable = false) : countable_(countable) {}

    // Stores the values as `type` and returns them rounded.
    Floats add(const std::string& name, std::vector<uint64_t> shape, StoredType type,
               Floats values) {
        Entry entry{type, std::move(shape), std::vector<std::byte>(1), 0};
        for (float& value : values) {
            std::array<std::byte, 4> bytes;
            if (type == StoredType::f32) {
                std::memcpy(bytes.data(), &value, 4);
            } else {
                const bool half = type == StoredType::f16;
                const uint16_t bits = half ? half_from_float(value) : bfloat_from_float(value);
                std::memcpy(bytes.data(), &bits, 2);
                value = half ? glm::unpackHalf1x16(bits) : float_from_bfloat(bits);
            }
            entry.bytes.insert(entry.bytes.end(), bytes.begin(),
                               bytes.begin() + std::ptrdiff_t(size_of(type)));
        }
        elements_ += values.size();
        entries_.emplace(name, std::move(entry));
        return values;
    }

    std::optional<StoredTensor> find(std::string_view name, std::span<const uint64_t>) override {
        const auto found = entries_.find(name);
        if (found == entries_.end()) return std::nullopt;
        Entry& entry = found->second;
        entry.asked = true;
        return StoredTensor{found->first, entry.type, entry.shape,
                            std::span(entry.bytes).subspan(1)};
    }
    void release(std::span<const std::byte> bytes) override {
        for (auto& [name, entry] : entries_) {
            if (bytes.data() != entry.bytes.data() + 1 + entry.released) continue;
            entry.released += bytes.size();
            ++pieces;
            return;
        }
        ADD_FAILURE() << "these bytes were not next";
    }
    std::string where(std::string_view) const override { return "host weights"; }
    uint64_t elements() const override { return countable_ ? elements_ : 0; }
    std::vector<std::string> unused() const override {
        std::vector<std::string> names;
        for (const auto& [name, entry] : entries_)
            if (!entry.asked) names.push_back(name);
        return names;
    }
    void expect_all_released() const {
        for (const auto& [name, entry] : entries_) {
            if (!entry.asked) continue;
            EXPECT_EQ(entry.released + 1, entry.bytes.size()) << name;
        }
    }

    size_t pieces = 0;

private:
    struct Entry {
        StoredType type;
        std::vector<uint64_t> shape;
        std::vector<std::byte> bytes;  // the first makes the rest unaligned
        size_t released;
        bool asked = false;
    };
    bool countable_;
    uint64_t elements_ = 0;
    std::map<std::string, Entry, std::less<>> entries_;
};

constexpr StoredType all_stored[] = {StoredType::f32, StoredType::f16, StoredType::bf16};

class Weights : public GpuTest {
protected:
    // Adds name.weight and name.bias with random values.
    struct Stored {
        Floats weight, bias;
    };
    Stored add(const std::string& name, const LinearForm& form, StoredType type = StoredType::f32) {
        std::vector<uint64_t> shape = form.stored;
        if (shape.empty()) shape = {form.out, form.in};
        if (form.transposed) std::swap(shape[0], shape[1]);
        return {source.add(name + ".weight", shape, type, random(size_t(form.out) * form.in)),
                source.add(name + ".bias", {form.out}, type, random(form.out))};
    }

    // The expected weight of a linear layer, row by row, in plain loops.
    static Floats expected(const Floats& stored, const LinearForm& form) {
        const uint32_t in_head = form.in_head ? form.in_head : form.in;
        const uint32_t wide = form.in_head ? padded(in_head) : in_head;
        const uint32_t columns = form.in / in_head * wide;
        Floats result(size_t(expected_rows(form)) * columns);
        for (uint32_t o = 0; o < form.out; ++o)
            for (uint32_t i = 0; i < form.in; ++i) {
                const size_t from =
                    form.transposed ? size_t(i) * form.out + o : size_t(o) * form.in + i;
                const uint32_t column = i / in_head * wide + i % in_head;
                result[size_t(place(o, form)) * columns + column] = form.scale * stored[from];
            }
        return result;
    }
    static Floats expected_bias(const Floats& stored, const LinearForm& form) {
        Floats result(expected_rows(form));
        for (uint32_t o = 0; o < form.out; ++o) result[place(o, form)] = form.scale * stored[o];
        return result;
    }
    static uint32_t expected_rows(const LinearForm& form) {
        return form.out_head ? form.out / form.out_head * padded(form.out_head) : form.out;
    }
    // The row of the result for row o of the file.
    static uint32_t place(uint32_t o, const LinearForm& form) {
        if (!form.out_head) return o;
        return o / form.out_head * padded(form.out_head) + o % form.out_head;
    }

    void expect_equal(const Tensor& got, const Floats& want, const char* what = "") {
        const Floats values = run([&](Commands&) { return got; });
        if (got.type == Type::f16) {
            EXPECT_LT(relative_error(values, want), tolerance(Type::f16)) << what;
        } else {
            EXPECT_TRUE(values == want) << what << ", error " << relative_error(values, want);
        }
    }
    // Loads one layer and compares all of it.
    void check(const LinearForm& form, Type type, StoredType stored = StoredType::f32) {
        SCOPED_TRACE(std::string(name_of(type)) + " from " + std::string(name_of(stored)));
        source = HostWeights();
        const Stored want = add("layer", form, stored);
        WeightLoader loader(device, source, type, "test");
        LinearForm readable = form;
        readable.rows = Rows::few;  // otherwise some devices keep fragments only
        const Linear layer = loader.linear("layer", readable);
        const std::vector<Buffer> memory = loader.finish();
        EXPECT_EQ(layer.weight.type, type);
        expect_equal(layer.weight, expected(want.weight, form), "weight");
        ASSERT_TRUE(bool(layer.bias));
        EXPECT_EQ(layer.bias.type, Type::f32);
        expect_equal(layer.bias, expected_bias(want.bias, form), "bias");
        source.expect_all_released();
    }

    HostWeights source;
};

TEST_F(Weights, every_stored_type_becomes_either_of_ours) {
    for (const StoredType stored : all_stored)
        for (const Type type : {Type::f32, Type::f16}) {
            check({.out = 13, .in = 10}, type, stored);
            check({.out = 1, .in = 1}, type, stored);
            check({.out = 64, .in = 333}, type, stored);
        }
}

TEST_F(Weights, heads_in_rows_are_padded_with_zero_rows) {
    for (const Type type : {Type::f32, Type::f16}) {
        check({.out = 60, .in = 60, .out_head = 20}, type);
        check({.out = 60, .in = 50, .out_head = 20, .scale = 0.25f}, type, StoredType::bf16);
        check({.out = 64, .in = 40, .out_head = 16}, type, StoredType::f16);
        check({.out = 3, .in = 5, .out_head = 1}, type);
    }
}

TEST_F(Weights, heads_in_columns_are_padded_with_zero_columns) {
    for (const Type type : {Type::f32, Type::f16}) {
        check({.out = 60, .in = 60, .in_head = 20}, type);
        check({.out = 7, .in = 60, .in_head = 20, .scale = 0.25f}, type, StoredType::bf16);
        check({.out = 1, .in = 64, .in_head = 16}, type, StoredType::f16);
        check({.out = 5, .in = 3, .in_head = 1}, type);
    }
}

TEST_F(Weights, transposed_layers_are_turned) {
    for (const Type type : {Type::f32, Type::f16})
        for (const StoredType stored : all_stored) {
            check({.out = 13, .in = 10, .transposed = true}, type, stored);
            check({.out = 30, .in = 30, .out_head = 10, .transposed = true}, type, stored);
            check({.out = 30, .in = 30, .in_head = 10, .transposed = true}, type, stored);
            check({.out = 7, .in = 12, .in_head = 12, .transposed = true}, type, stored);
        }
}

TEST_F(Weights, a_convolution_is_a_layer_on_patches) {
    check({.out = 6, .in = 3 * 5 * 7, .stored = {6, 3, 5, 7}}, Type::f32);
    check({.out = 6, .in = 3 * 5 * 7, .scale = 2.0f, .stored = {6, 3, 5, 7}}, Type::f16);
}

TEST_F(Weights, stacked_layers_lie_one_after_the_other) {
    const std::array<std::string, 3> names = {"query", "key", "value"};
    for (const LinearForm& form :
         {LinearForm{.out = 60, .in = 60, .out_head = 20}, LinearForm{.out = 12, .in = 20},
          LinearForm{.out = 4, .in = 9}}) {
        source = HostWeights();
        Floats weight, bias;
        for (const std::string& name : names) {
            const Stored stored = add(name, form);
            const Floats rows = expected(stored.weight, form);
            const Floats more = expected_bias(stored.bias, form);
            weight.insert(weight.end(), rows.begin(), rows.end());
            bias.insert(bias.end(), more.begin(), more.end());
        }
        WeightLoader loader(device, source, Type::f32, "test");
        const Linear layer = loader.stacked(names, form);
        const std::vector<Buffer> memory = loader.finish();
        EXPECT_EQ(layer.weight.rows, 3 * expected_rows(form));
        expect_equal(layer.weight, weight, "weights");
        expect_equal(layer.bias, bias, "biases");
    }
}

// Where there are cooperative matrices, these are three different orders in memory.
TEST_F(Weights, products_do_not_depend_on_which_copies_are_kept) {
    const LinearForm form{.out = 72, .in = 200};
    const Stored stored = add("layer", form, StoredType::f16);
    WeightLoader loader(device, source, Type::f16, "test");
    std::vector<Linear> layers;
    for (const Rows rows : {Rows::few, Rows::many, Rows::any}) {
        LinearForm same = form;
        same.rows = rows;
        const std::string name = "layer" + std::to_string(layers.size());
        source.add(name + ".weight", {form.out, form.in}, StoredType::f16, stored.weight);
        source.add(name + ".bias", {form.out}, StoredType::f16, stored.bias);
        layers.push_back(loader.linear(name, same));
    }
    const std::vector<Buffer> memory = loader.finish();
    for (const uint32_t rows : {1u, 3u, 9u, 16u, 130u}) {
        const Tensor x = random_tensor(1, rows, form.in, Type::f16);
        // A view that begins on a multiple of four, not of eight.
        const Tensor odd = random_tensor(1, rows, form.in + 8, Type::f16).slice_columns(4, form.in);
        for (const Tensor& from : {x, odd}) {
            const Floats want = run([&](Commands& c) { return linear(c, from, layers[0]); });
            for (const Linear& layer : layers)
                EXPECT_LT(
                    relative_error(run([&](Commands& c) { return linear(c, from, layer); }), want),
                    tolerance(Type::f16))
                    << rows << " rows";
        }
    }
}

TEST_F(Weights, the_memory_of_a_large_layer_is_that_of_one_copy) {
    const LinearForm form{.out = 1024, .in = 1024, .bias = false};
    for (const Rows rows : {Rows::few, Rows::many}) {
        source = HostWeights(true);
        add("layer", form);
        WeightLoader loader(device, source, Type::f16, "test");
        LinearForm used = form;
        used.rows = rows;
        const Linear layer = loader.linear("layer", used);
        const std::vector<Buffer> memory = loader.finish();
        ASSERT_EQ(memory.size(), 1u);
        EXPECT_LT(memory[0].bytes(), 1024u * 1024 * 2 * 11 / 10);
        EXPECT_TRUE(bool(layer.weight)) << "its shape is known in any case";
    }
}

// LN(x) of one row, in plain loops.
std::vector<double> normed(std::span<const float> x, const Floats& gain, const Floats& shift,
                           double eps) {
    const auto count = double(x.size());
    double mean = 0, squares = 0;
    for (float v : x) mean += double(v) / count;
    for (float v : x) squares += (double(v) - mean) * (double(v) - mean);
    const double scale = 1 / std::sqrt(squares / count + eps);
    std::vector<double> y(x.size());
    for (size_t i = 0; i < x.size(); ++i)
        y[i] = (double(x[i]) - mean) * scale * double(gain[i]) + double(shift[i]);
    return y;
}

TEST_F(Weights, a_layer_after_a_norm_is_the_same_with_the_norm_folded_into_it) {
    constexpr uint32_t rows = 9, in = 64;
    constexpr float eps = 1e-5f;
    const std::array<std::string, 2> names = {"query", "key"};
    const LinearForm form{.out = 60, .in = in, .out_head = 20, .biased = {true, false}};
    const Floats gain = source.add("norm.weight", {in}, StoredType::f32, random(in));
    const Floats shift = source.add("norm.bias", {in}, StoredType::f32, random(in));
    Floats weight, bias;
    for (const std::string& name : names) {
        const Stored stored = add(name, form, StoredType::f16);
        const Floats rows_of = expected(stored.weight, form);
        const Floats biases =
            name == "query" ? expected_bias(stored.bias, form) : Floats(expected_rows(form));
        weight.insert(weight.end(), rows_of.begin(), rows_of.end());
        bias.insert(bias.end(), biases.begin(), biases.end());
    }
    Floats ones(size_t(in) * in);
    for (size_t i = 0; i < in; ++i) ones[i * in + i] = 1;
    source.add("add.weight", {in, in}, StoredType::f32, ones);
    source.add("add.bias", {in}, StoredType::f32, Floats(in, 0.5f));
    WeightLoader loader(device, source, Type::f16, "test");
    const NormLinear after = loader.norm_linear("norm", eps, names, form);
    const Linear added = loader.linear("add", {.out = in, .in = in});
    const std::vector<Buffer> memory = loader.finish();
    source.expect_all_released();
    EXPECT_EQ(after.folded, folds_norms(device, in, Type::f16));

    const Floats z = random(size_t(rows) * in), x = random(size_t(rows) * in, Type::f16);
    const Tensor tz = tensor(1, rows, in, Type::f32, z), tx = tensor(1, rows, in, Type::f16, x);
    Floats sums(z.size()), want;
    for (size_t i = 0; i < z.size(); ++i) sums[i] = z[i] + x[i] + 0.5f;
    for (size_t row = 0; row < rows; ++row) {
        const auto y = normed(std::span(sums).subspan(row * in, in), gain, shift, double(eps));
        for (size_t o = 0; o < bias.size(); ++o) {
            double sum = double(bias[o]);
            for (size_t i = 0; i < in; ++i) sum += y[i] * double(weight[o * in + i]);
            want.push_back(static_cast<float>(sum));
        }
    }
    // With the statistics of the product before it, and from the sums only.
    for (const bool noted : {true, false}) {
        const Floats got = run([&](Commands& c) {
            const Tensor sum = c.scratch(1, rows, in, Type::f32);
            copy(c, sum, tz);
            ResidualStream stream(c, sum, Type::f16);
            stream.add(c, tx, added);
            if (!noted) stream.changed();
            return stream.norm_linear(c, after);
        });
        EXPECT_LT(relative_error(got, want), tolerance(Type::f16)) << noted;
    }
}

// The same fold as on some devices above, tested on any device.
TEST(FoldNorm, leaves_a_product_that_needs_the_deviation_alone) {
    const Floats gain = {2, 0.5f, -1}, shift = {0.25f, -3, 1}, x = {5, -2, 11};
    const Floats weight = {1, 2, 3, -4, 0.5f, 7}, bias = {10, -20};
    Floats folded = weight, moved = bias;
    fold_norm(folded, moved, gain, shift);
    const std::vector<double> y = normed(x, gain, shift, 0.0);
    const double deviation = std::sqrt(
        ((5 - 14 / 3.0) * (5 - 14 / 3.0) + 400 / 9.0 + (11 - 14 / 3.0) * (11 - 14 / 3.0)) / 3);
    for (size_t o = 0; o < 2; ++o) {
        double want = double(bias[o]), got = 0, row = 0;
        for (size_t i = 0; i < 3; ++i) {
            want += y[i] * double(weight[3 * o + i]);
            got += double(x[i]) * double(folded[3 * o + i]);
            row += double(folded[3 * o + i]);
        }
        EXPECT_NEAR(got / deviation + double(moved[o]), want, 1e-5);
        EXPECT_NEAR(row, 0, 1e-6);
    }
}

TEST_F(Weights, a_bias_that_is_not_wanted_is_not_read) {
    const LinearForm form{.out = 5, .in = 6, .bias = false};
    const Stored want = add("layer", form);
    WeightLoader loader(device, source, Type::f32, "test");
    const Linear layer = loader.linear("layer", form);
    const std::vector<Buffer> memory = loader.finish();
    EXPECT_FALSE(bool(layer.bias));
    expect_equal(layer.weight, want.weight);
    EXPECT_EQ(source.unused(), std::vector<std::string>{"layer.bias"});
}

TEST_F(Weights, norms_and_other_tensors_keep_their_values) {
    const Floats weight = source.add("norm.weight", {37}, StoredType::bf16, random(37));
    const Floats bias = source.add("norm.bias", {37}, StoredType::f16, random(37));
    const Floats positions = source.add("positions", {1, 5, 11}, StoredType::f32, random(55));
    WeightLoader loader(device, source, Type::f16, "test");
    const Norm norm = loader.norm("norm", 37, 0.5f);
    const Tensor exact = loader.tensor("positions", {1, 5, 11}, 5, 11, Type::f32);
    expect_says(error_of([&] {
                    loader.tensor("positions", {1, 5, 11}, 5, 12, Type::f32);
                }),
                "'positions' cannot be viewed as 5 x 12");
    const std::vector<Buffer> memory = loader.finish();
    EXPECT_EQ(norm.eps, 0.5f);
    expect_equal(norm.weight, weight);
    expect_equal(norm.bias, bias);
    expect_equal(exact, positions);
}

TEST_F(Weights, a_row_can_be_added_to_one_that_is_there) {
    Floats want = source.add("positions", {1, 5, 11}, StoredType::f32, random(55));
    const Floats token = source.add("token", {1, 1, 11}, StoredType::f32, random(11));
    for (size_t i = 0; i < 11; ++i) want[22 + i] += token[i];
    WeightLoader loader(device, source, Type::f16, "test");
    const Tensor positions = loader.tensor("positions", {1, 5, 11}, 5, 11, Type::f32);
    loader.add_to(positions.slice_rows(2, 1), "token", {1, 1, 11});
    const std::vector<Buffer> memory = loader.finish();
    expect_equal(positions, want);
}

// Tensors larger than a staging buffer (8 MiB) are uploaded in pieces.
TEST_F(Weights, large_layers_arrive_whole) {
    const LinearForm forms[] = {
        {.out = 3000, .in = 1000},
        {.out = 3000, .in = 1000, .transposed = true},
        {.out = 3000, .in = 1000, .out_head = 20},
        {.out = 3000, .in = 1000, .out_head = 20, .transposed = true},
        {.out = 3000, .in = 1000, .in_head = 20},
        {.out = 3000, .in = 1000, .in_head = 20, .transposed = true},
        {.out = 40000, .in = 3},  // more rows than a dispatch takes
        {.out = 40000, .in = 24, .in_head = 12},
        {.out = 200, .in = 30000, .out_head = 100},  // a head is larger than a staging buffer
    };
    for (const LinearForm& form : forms) {
        SCOPED_TRACE(std::to_string(form.out) + " x " + std::to_string(form.in));
        check(form, Type::f32);
        EXPECT_GT(source.pieces, 2u) << "more than the weight and the bias";
    }
    check(forms[0], Type::f16, StoredType::f32);
    check(forms[1], Type::f16, StoredType::f32);
}

TEST_F(Weights, one_long_row_arrives_whole) {
    const Floats want = source.add("row", {3'000'001}, StoredType::f32, random(3'000'001));
    WeightLoader loader(device, source, Type::f32, "test");
    const Tensor row = loader.tensor("row", {3'000'001}, 1, 3'000'001, Type::f32);
    const std::vector<Buffer> memory = loader.finish();
    EXPECT_GT(source.pieces, 1u);
    expect_equal(row, want);
}

TEST_F(Weights, staging_buffers_take_turns_without_mixing_tensors) {
    constexpr int count = 12;
    constexpr uint32_t side = 1000;
    std::vector<Floats> want;
    for (int i = 0; i < count; ++i)
        want.push_back(source.add("t" + std::to_string(i), {side, side}, StoredType::f32,
                                  random(side * side)));
    // Added to twice, each time by another submission than the one that wrote it.
    Floats sum = source.add("sum", {side}, StoredType::f32, random(side));
    for (const char* name : {"one", "another"})
        source.add(name, {side}, StoredType::f32, Floats(side, 1.0f));
    WeightLoader loader(device, source, Type::f32, "test");
    const Tensor total = loader.tensor("sum", {side}, 1, side, Type::f32);
    std::vector<Tensor> got;
    for (int i = 0; i < count; ++i) {
        got.push_back(loader.tensor("t" + std::to_string(i), {side, side}, side, side, Type::f32));
        if (i == 5) loader.add_to(total, "one", {side});
        if (i == 11) loader.add_to(total, "another", {side});
    }
    const std::vector<Buffer> memory = loader.finish();
    for (int i = 0; i < count; ++i) expect_equal(got[size_t(i)], want[size_t(i)]);
    for (float& value : sum) value = (value + 1.0f) + 1.0f;
    expect_equal(total, sum);
    source.expect_all_released();
}

TEST_F(Weights, a_model_of_known_size_lies_in_one_block) {
    const Manifest manifest = read_manifest(golden_folder() / "vit-nano" / "weights.json");
    for (const Type type : {Type::f32, Type::f16}) {
        SyntheticWeights weights(manifest);
        uint64_t needed = 0;
        const uint64_t before = device.memory().device_bytes;
        std::vector<Buffer> memory;
        {
            WeightLoader loader(device, weights, type, "test");
            for (const auto& [name, shape, values] : manifest.tensors) {
                const auto columns = static_cast<uint32_t>(shape.back());
                const auto rows = static_cast<uint32_t>(StoredTensor{{}, {}, shape, {}}.elements() /
                                                        shape.back());
                loader.tensor(name, shape, rows, columns, shape.size() > 1 ? type : Type::f32);
                needed += uint64_t(rows) * columns * bytes_of(type);
            }
            memory = loader.finish();
        }
        ASSERT_EQ(memory.size(), 1u);
        EXPECT_GE(memory[0].bytes(), needed);
        EXPECT_LT(memory[0].bytes(), needed + needed / 16 + (128 << 10));
        // Staging memory is gone; small buffers share allocations of up to 8 MiB.
        EXPECT_LE(device.memory().device_bytes, before + memory[0].bytes() + (8 << 20));
    }
}

TEST_F(Weights, large_models_take_what_they_need_and_no_more) {
    source = HostWeights(true);
    std::vector<Floats> want;
    for (int i = 0; i < 5; ++i)
        want.push_back(source.add("t" + std::to_string(i), {1000, 1000}, StoredType::f16,
                                  random(1'000'000, Type::f16)));
    const uint64_t before = device.memory().device_bytes;
    std::vector<Tensor> got;
    std::vector<Buffer> memory;
    {
        WeightLoader loader(device, source, Type::f16, "test");
        for (int i = 0; i < 5; ++i)
            got.push_back(
                loader.tensor("t" + std::to_string(i), {1000, 1000}, 1000, 1000, Type::f16));
        memory = loader.finish();
    }
    ASSERT_EQ(memory.size(), 1u);
    const uint64_t held = device.memory().device_bytes - before;
    EXPECT_GE(held, 10'000'000u);
    EXPECT_LT(held, 10'500'000u);
    for (size_t i = 0; i < 5; ++i) expect_equal(got[i], want[i]);
    const uint64_t all = device.memory().device_bytes;
    memory.clear();
    EXPECT_EQ(all - device.memory().device_bytes, held);
}

TEST_F(Weights, a_model_of_unknown_size_takes_block_after_block) {
    // Blocks of 16 MiB: four tensors fit into the first, the next is larger than any block.
    std::vector<Floats> want;
    const uint32_t rows[] = {1000, 1000, 1000, 1000, 5000, 1000, 7};
    for (size_t i = 0; i < std::size(rows); ++i)
        want.push_back(source.add("t" + std::to_string(i), {rows[i], 1000}, StoredType::f32,
                                  random(size_t(rows[i]) * 1000)));
    WeightLoader loader(device, source, Type::f32, "test");
    std::vector<Tensor> got;
    for (size_t i = 0; i < std::size(rows); ++i)
        got.push_back(
            loader.tensor("t" + std::to_string(i), {rows[i], 1000}, rows[i], 1000, Type::f32));
    const std::vector<Buffer> memory = loader.finish();
    EXPECT_EQ(memory.size(), 3u);
    for (size_t i = 0; i < std::size(rows); ++i) expect_equal(got[i], want[i]);
}

TEST_F(Weights, padding_that_outgrows_the_first_block_goes_into_another) {
    // Heads of one row are padded to eight times the size that the source reports.
    source = HostWeights(true);
    const LinearForm form{.out = 500, .in = 300, .out_head = 1};
    const Stored first = add("first", form), second = add("second", form);
    WeightLoader loader(device, source, Type::f32, "test");
    const Linear a = loader.linear("first", form), b = loader.linear("second", form);
    const std::vector<Buffer> memory = loader.finish();
    expect_equal(a.weight, expected(first.weight, form));
    expect_equal(b.weight, expected(second.weight, form));
    expect_equal(b.bias, expected_bias(second.bias, form));
}

TEST_F(Weights, what_is_no_finite_number_is_refused_with_its_tensor_and_file) {
    constexpr uint32_t columns = 20'003;  // more than one piece, and an odd rest
    const float nan = std::nanf(""), infinite = INFINITY;
    for (const StoredType stored : all_stored)
        for (const float bad : {nan, infinite, -infinite})
            for (const uint32_t place : {0u, 9'000u, columns - 1}) {
                source = HostWeights();
                Floats values(columns, -0.5f);  // negative: the sign bit must not count
                values[place] = bad;
                source.add("t", {columns}, stored, values);
                WeightLoader loader(device, source, Type::f32, "test");
                const std::string error =
                    error_of([&] { loader.tensor("t", {columns}, 1, columns, Type::f32); });
                expect_says(error, "host weights: tensor 't' has a value that is not a finite");
                expect_says(error_of([&] { loader.floats("t", {columns}); }), "not a finite");
            }
    source = HostWeights();
    source.add("large", {2}, StoredType::f32, {1.0f, -65520.0f});
    source.add("fits", {2}, StoredType::bf16, {-1.0f, 65280.0f});
    source.add("huge", {2}, StoredType::bf16, {-1.0f, 131072.0f});
    WeightLoader loader(device, source, Type::f16, "test");
    expect_says(error_of([&] { loader.tensor("large", {2}, 1, 2, Type::f16); }),
                "too large for half precision; use --precision fp32");
    expect_says(error_of([&] { loader.tensor("huge", {2}, 1, 2, Type::f16); }),
                "too large for half precision; use --precision fp32");
    EXPECT_NO_THROW(loader.tensor("large", {2}, 1, 2, Type::f32));
    EXPECT_NO_THROW(loader.tensor("fits", {2}, 1, 2, Type::f16));
    loader.finish();
}

TEST_F(Weights, a_load_that_is_given_up_leaves_nothing_behind) {
    for (const int loaded : {0, 1, 3, 7}) {  // nothing, a stage in use, two, submissions running
        source = HostWeights();
        for (int i = 0; i < loaded; ++i)
            source.add("t" + std::to_string(i), {1500, 1000}, StoredType::f32, random(1'500'000));
        const uint64_t before = device.memory().device_bytes;
        const std::string error = error_of([&] {
            WeightLoader loader(device, source, Type::f32, "test");
            for (int i = 0; i <= loaded; ++i)
                loader.tensor("t" + std::to_string(i), {1500, 1000}, 1500, 1000, Type::f32);
            loader.finish();
        });
        expect_says(error, "'t" + std::to_string(loaded) + "'");
        expect_says(error, "host weights");
        EXPECT_EQ(device.memory().device_bytes, before) << loaded;
    }
}

}  // namespace
}  // namespace saccade
