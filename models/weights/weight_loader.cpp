#include "models/weights/weight_loader.h"

#include <algorithm>
#include <cmath>

#include "gpu/core/device.h"
#include "gpu/core/error.h"

namespace saccade {

namespace {

constexpr uint64_t block_bytes = 16ull << 20;   // where the source does not know its size
constexpr uint64_t largest_block = 1ull << 30;  // drivers prefer allocations of moderate size

uint32_t padded_heads(uint32_t size, uint32_t head) {
    return head ? size / head * padded(head) : size;
}

}  // namespace

WeightLoader::WeightLoader(Device& device, WeightSource& source, Type type, std::string name)
    : device_(device),
      source_(source),
      type_(type),
      name_(std::move(name)),
      upload_(device, source, name_) {}

Tensor WeightLoader::allocate(uint32_t rows, uint32_t columns, Type type) {
    const uint64_t bytes = align_up(tensor_bytes(1, rows, columns, type), weight_alignment);
    size_t block = 0;
    while (block < blocks_.size() && used_[block] + bytes > blocks_[block].bytes()) ++block;
    if (block == blocks_.size()) {
        // The first block holds the whole model if its size is known: one allocation, no waste.
        // Row padding, biases kept in fp32 and fragments need a little more than the elements.
        uint64_t wanted = block_bytes;
        if (const uint64_t elements = source_.elements()) {
            wanted = elements * bytes_of(type_) + elements / 64 + (64 << 10);
            if (type_ == Type::f16 && held_fragments(device_).eights > 0) wanted += wanted / 40;
            if (!blocks_.empty()) wanted = std::clamp(wanted / 16, uint64_t{1} << 20, block_bytes);
        }
        wanted = std::min({wanted, largest_block, device_.limits().allocation_bytes,
                           device_.limits().buffer_bytes});
        blocks_.emplace_back(device_, name_ + " weights " + std::to_string(blocks_.size()),
                             std::max(wanted, bytes), Memory::device);
        used_.push_back(0);
    }
    const Tensor tensor =
        make_tensor(blocks_[block].handle(), used_[block], 1, rows, columns, type);
    used_[block] += bytes;
    return tensor;
}

Linear WeightLoader::linear(const std::string& name, const LinearForm& form) {
    return stacked({&name, 1}, form);
}

Linear WeightLoader::stacked(std::span<const std::string> names, const LinearForm& each) {
    const auto count = static_cast<uint32_t>(names.size());
    const uint32_t out = padded_heads(each.out, each.out_head);
    Linear result;
    const Pending to = pending(count * out, padded_heads(each.in, each.in_head), each.rows);
    for (uint32_t i = 0; i < count; ++i) put_matrix(to.weight, i * out, names[i], each);
    if (each.bias) {
        result.bias = allocate(1, count * out, Type::f32);
        if (count > 1 && out % 4 != 0)
            put_biases(result.bias, names, each);
        else
            for (uint32_t i = 0; i < count; ++i)
                if (each.biased.empty() || each.biased[i])
                    put_bias(result.bias, i * out, names[i], each);
                else
                    put_zeros(result.bias, i * out, out);
    }
    keep(result, to);
    return result;
}

Linear WeightLoader::joined(std::span<const Part> parts) {
    auto rows_of = [](const LinearForm& form) { return padded_heads(form.out, form.out_head); };
    uint32_t rows = 0;
    for (const Part& part : parts) rows += rows_of(part.form);
    const LinearForm& first = parts.front().form;
    Linear result;
    const Pending to = pending(rows, padded_heads(first.in, first.in_head), first.rows);
    if (first.bias) result.bias = allocate(1, rows, Type::f32);
    uint32_t at = 0;
    for (const Part& part : parts) {
        put_matrix(to.weight, at, part.name, part.form);
        if (first.bias) put_bias(result.bias, at, part.name, part.form);
        at += rows_of(part.form);
    }
    keep(result, to);
    return result;
}

WeightLoader::Pending WeightLoader::pending(uint32_t rows, uint32_t columns, Rows used) {
    const Tensor shape = make_tensor(nullptr, 0, 1, rows, columns, type_);
    WeightCopies kept;
    if (type_ == Type::f16)
        kept = weight_copies(device_.info(), held_fragments(device_), shape, used);
    if (kept.by_rows) return {allocate(rows, columns, type_), kept};
    if (transient_.empty() || transient_.back().bytes() < shape.bytes)
        transient_.emplace_back(device_, name_ + " pending", shape.bytes, Memory::device);
    return {make_tensor(transient_.back().handle(), 0, 1, rows, columns, type_), kept};
}

template <typename Layer>
void WeightLoader::keep(Layer& layer, const Pending& pending) {
    layer.weight = pending.weight;
    if (pending.kept.fragments) layer.fragments = fragments(pending.weight);
    if (pending.kept.by_rows) return;
    // The rows were transient: the tensor keeps its shape, but has no bytes of its own to read.
    layer.weight.buffer = layer.fragments.buffer;
    layer.weight.base = layer.fragments.base;
    layer.weight.bytes = 0;
}

Tensor WeightLoader::fragments(const Tensor& weight) {
    const FragmentsSize size = fragments_size(device_, weight);
    const Tensor to = allocate(size.rows, size.columns, Type::f16);
    fragments_into(upload_.commands(), to, weight);
    return to;
}

Norm WeightLoader::norm(const std::string& name, uint32_t columns, float eps) {
    return {tensor(name + ".weight", {columns}, 1, columns, Type::f32),
            tensor(name + ".bias", {columns}, 1, columns, Type::f32), eps};
}

NormLinear WeightLoader::norm_linear(const std::string& norm, float eps,
                                     std::span<const std::string> names, const LinearForm& each) {
    const auto count = static_cast<uint32_t>(names.size());
    const uint32_t in = each.in, out = padded_heads(each.out, each.out_head);
    const Tensor shape = make_tensor(nullptr, 0, 1, count * out, in, type_);
    if (out % 4 != 0 || !folds_norms(device_, in, type_) ||
        !weight_copies(device_.info(), held_fragments(device_), shape, each.rows).fragments)
        return {this->norm(norm, in, eps), stacked(names, each)};

    const std::vector<float> gain = floats(norm + ".weight", {in});
    const std::vector<float> shift = floats(norm + ".bias", {in});
    NormLinear result{.norm = {table(std::vector<float>(in, 1.0f), 1, in),
                               table(std::vector<float>(in, 0.0f), 1, in), eps},
                      .linear = {},
                      .folded = true};
    const Pending to = pending(count * out, in, each.rows);
    result.linear.bias = allocate(1, count * out, Type::f32);
    for (uint32_t i = 0; i < count; ++i) {
        const std::string weight_name = names[i] + each.join + "weight";
        std::vector<float> weight = floats(weight_name, {each.out, in}), bias(each.out);
        if (each.bias && (each.biased.empty() || each.biased[i]))
            bias = floats(names[i] + each.join + "bias", {each.out});
        fold_norm(weight, bias, gain, shift);
        auto own = [&](const std::vector<float>& values) {
            return StoredTensor{weight_name, StoredType::f32, {}, std::as_bytes(std::span(values))};
        };
        put_matrix(to.weight, i * out, own(weight), false, each);
        put_bias(result.linear.bias, i * out, own(bias), false, each);
    }
    keep(result.linear, to);
    return result;
}

Tensor WeightLoader::tensor(const std::string& name, const std::vector<uint64_t>& shape,
                            uint32_t rows, uint32_t columns, Type type) {
    const StoredTensor from = source_.required(name, shape);
    if (from.elements() != uint64_t(rows) * columns)
        throw Error("tensor '" + name + "' cannot be viewed as " + std::to_string(rows) + " x " +
                    std::to_string(columns));
    const Tensor to = allocate(rows, columns, type);
    upload_.copy(to, {{1, 1, rows, to.row_stride}, {0, 0, to.row_stride, 1}, 0}, from,
                 {{1, 1, rows, columns}, {0, 0, columns, 1}, 0});
    return to;
}

HostConvolution WeightLoader::folded(const std::string& name, const std::string& norm,
                                     const ConvolutionForm& form) {
    const uint32_t out = form.out, area = form.kernel * form.kernel;
    const size_t each = size_t(form.in) * area;  // weights of one output channel
    HostConvolution host{floats(name + ".weight", {out, form.in, form.kernel, form.kernel}),
                         floats(norm + ".bias", {out})};
    const std::vector<float> gain = floats(norm + ".weight", {out});
    const std::vector<float> mean = floats(norm + ".running_mean", {out});
    const std::vector<float> variance = floats(norm + ".running_var", {out});
    for (size_t i = 0; i < out; ++i) {
        const double scale = double(gain[i]) / std::sqrt(double(variance[i]) + form.norm_eps);
        host.bias[i] = static_cast<float>(double(host.bias[i]) - double(mean[i]) * scale);
        for (size_t j = i * each; j < (i + 1) * each; ++j)
            host.weight[j] = static_cast<float>(double(host.weight[j]) * scale);
    }
    return host;
}

Conv2d WeightLoader::biased_convolution(const std::string& name, const ConvolutionForm& form) {
    HostConvolution host;
    host.weight = floats(name + ".weight", {form.out, form.in, form.kernel, form.kernel});
    host.bias = floats(name + ".bias", {form.out});
    return convolution(name, host, form);
}

Conv2d WeightLoader::convolution(const std::string& name, const HostConvolution& host,
                                 const ConvolutionForm& form) {
    const uint32_t out = form.out, in = form.in, area = form.kernel * form.kernel;
    // Ours: (out, kernel, kernel, in), channels innermost and padded.
    const Pending to = pending(out, area * padded(in), Rows::many);
    Conv2d result{.weight = {},
                  .bias = allocate(1, out, Type::f32),
                  .in = in,
                  .kernel = {form.kernel, form.kernel},
                  .stride = form.stride,
                  .padding = form.padding,
                  .dilation = form.dilation};
    const StoredTensor weights{name, StoredType::f32, {}, std::as_bytes(std::span(host.weight))};
    upload_.copy(to.weight,
                 {{1, out, area, padded(in)}, {0, to.weight.row_stride, padded(in), 1}, 0}, weights,
                 {{1, out, area, in}, {0, in * area, 1, area}, 0}, 1.0f, false);
    put_rows(result.bias, host.bias, out, out, 1);
    keep(result, to);
    return result;
}

Linear WeightLoader::linear(const HostConvolution& host, uint32_t in) {
    const auto out = static_cast<uint32_t>(host.bias.size());
    const Pending to = pending(out, in, Rows::many);
    Linear result{{}, allocate(1, out, Type::f32)};
    put_rows(to.weight, host.weight, in, in, 1);
    put_rows(result.bias, host.bias, out, out, 1);
    keep(result, to);
    return result;
}

DepthwiseConv2d WeightLoader::depthwise(const HostConvolution& host, const ConvolutionForm& form) {
    const uint32_t area = form.kernel * form.kernel;
    DepthwiseConv2d result{.weight = allocate(area, form.out, Type::f32),
                           .bias = allocate(1, form.out, Type::f32),
                           .kernel = form.kernel,
                           .stride = form.stride,
                           .padding = form.padding};
    put_rows(result.weight, host.weight, form.out, 1, area);
    put_rows(result.bias, host.bias, form.out, form.out, 1);
    return result;
}

Tensor WeightLoader::table(const std::vector<float>& values, uint32_t rows, uint32_t columns) {
    const Tensor to = allocate(rows, columns, Type::f32);
    put_rows(to, values, columns, columns, 1);
    return to;
}

void WeightLoader::put_rows(const Tensor& to, std::span<const float> values, uint32_t columns,
                            uint32_t stride, uint32_t step) {
    const StoredTensor from{"", StoredType::f32, {}, std::as_bytes(values)};
    upload_.copy(to, {{1, 1, to.rows, padded(columns)}, {0, 0, to.row_stride, 1}, 0}, from,
                 {{1, 1, to.rows, columns}, {0, 0, stride, step}, 0}, 1.0f, false);
}

std::vector<float> WeightLoader::floats(const std::string& name,
                                        const std::vector<uint64_t>& shape) {
    const StoredTensor from = source_.required(name, shape);
    std::vector<float> values(from.elements());
    read_floats(from, 0, values);
    require_finite(source_, from.name, values);
    source_.release(from.bytes);
    return values;
}

void WeightLoader::add_to(const Tensor& row, const std::string& name,
                          const std::vector<uint64_t>& shape) {
    const Tensor other = tensor(name, shape, 1, row.columns, Type::f32);
    add_into(upload_.commands(), row, row, other);
}

void WeightLoader::put_matrix(const Tensor& to, uint32_t first_row, const std::string& name,
                              const LinearForm& form) {
    const uint32_t out = form.out, in = form.in;
    std::vector<uint64_t> shape = form.stored;
    if (shape.empty())
        shape = form.transposed ? std::vector<uint64_t>{in, out} : std::vector<uint64_t>{out, in};
    std::vector<float> scaled;
    const StoredTensor from = scaled_rows(name + form.join + "weight", shape, form, scaled);
    if (form.interleaved > 1) {
        // (out, n, colours) to (out, colours, n), on the host: its columns need no multiple of four
        const uint32_t offset = first_row * to.row_stride;
        const size_t colours = form.interleaved, each = in / colours;
        const std::vector<float> stored = floats(name + form.join + "weight", shape);
        std::vector<float> ordered(stored.size());
        for (size_t row = 0; row < stored.size(); row += in)
            for (size_t i = 0; i < in; ++i)
                ordered[row + i % colours * each + i / colours] = stored[row + i];
        const StoredTensor own{name, StoredType::f32, {}, std::as_bytes(std::span(ordered))};
        upload_.copy(to, {{1, 1, out, to.row_stride}, {0, 0, to.row_stride, 1}, offset}, own,
                     {{1, 1, out, in}, {0, 0, in, 1}, 0}, form.scale, false);
    } else {
        put_matrix(to, first_row, from, scaled.empty(), form);
    }
}

void WeightLoader::put_matrix(const Tensor& to, uint32_t first_row, const StoredTensor& from,
                              bool release, const LinearForm& form) {
    const uint32_t out = form.out, in = form.in, offset = first_row * to.row_stride;
    if (form.in_head) {
        // (out, heads, head) with the heads of each row padded
        const uint32_t head = form.in_head, wide = padded(head), heads = in / head;
        const Layout x = form.transposed ? Layout{{1, out, heads, head}, {0, 1, head * out, out}, 0}
                                         : Layout{{1, out, heads, head}, {0, in, head, 1}, 0};
        upload_.copy(to, {{1, out, heads, wide}, {0, to.row_stride, wide, 1}, offset}, from, x,
                     form.scale, release);
    } else {
        // (heads, head, in), padded with whole rows; without heads, all rows are one head
        const uint32_t head = form.out_head ? form.out_head : out;
        const uint32_t high = form.out_head ? padded(head) : head, heads = out / head;
        const Layout x = form.transposed ? Layout{{1, heads, head, in}, {0, head, 1, out}, 0}
                                         : Layout{{1, heads, head, in}, {0, head * in, in, 1}, 0};
        upload_.copy(
            to,
            {{1, heads, high, to.row_stride}, {0, high * to.row_stride, to.row_stride, 1}, offset},
            from, x, form.scale, release);
    }
}

StoredTensor WeightLoader::scaled_rows(const std::string& name, const std::vector<uint64_t>& shape,
                                       const LinearForm& form, std::vector<float>& scaled) {
    if (form.row_scale.empty()) return source_.required(name, shape);
    const std::vector<float> scale = floats(form.row_scale, {form.out});
    scaled = floats(name, shape);
    const size_t each = scaled.size() / form.out;  // per row; 1 for a bias
    for (size_t i = 0; i < scaled.size(); ++i) scaled[i] *= scale[i / each];
    return {name, StoredType::f32, shape, std::as_bytes(std::span(scaled))};
}

void WeightLoader::put_bias(const Tensor& to, uint32_t first, const std::string& name,
                            const LinearForm& form) {
    std::vector<float> scaled;
    const StoredTensor from = scaled_rows(name + form.join + "bias", {form.out}, form, scaled);
    put_bias(to, first, from, scaled.empty(), form);
}

void WeightLoader::put_bias(const Tensor& to, uint32_t first, const StoredTensor& from,
                            bool release, const LinearForm& form) {
    const uint32_t head = form.out_head ? form.out_head : form.out;
    const uint32_t heads = form.out / head;
    const uint32_t wide = std::min(padded(head), to.row_stride - first);
    upload_.copy(to, {{1, 1, heads, wide}, {0, 0, wide, 1}, first}, from,
                 {{1, 1, heads, head}, {0, 0, head, 1}, 0}, form.scale, release);
}

void WeightLoader::put_zeros(const Tensor& to, uint32_t first, uint32_t count) {
    const std::vector<float> zeros(count);
    const StoredTensor from{"zeros", StoredType::f32, {}, std::as_bytes(std::span(zeros))};
    upload_.copy(to,
                 {{1, 1, 1, std::min(padded(count), to.row_stride - first)}, {0, 0, 0, 1}, first},
                 from, {{1, 1, 1, count}, {0, 0, 0, 1}, 0}, 1.0f, false);
}

void WeightLoader::put_biases(const Tensor& to, std::span<const std::string> names,
                              const LinearForm& form) {
    // Each begins at no multiple of four, which the copy kernel needs: the host joins them.
    std::vector<float> all;
    for (size_t i = 0; i < names.size(); ++i) {
        const bool present = form.biased.empty() || form.biased[i];
        const std::vector<float> one = present ? floats(names[i] + form.join + "bias", {form.out})
                                               : std::vector<float>(form.out);
        all.insert(all.end(), one.begin(), one.end());
    }
    const StoredTensor own{names.front(), StoredType::f32, {}, std::as_bytes(std::span(all))};
    const auto count = static_cast<uint32_t>(all.size());
    upload_.copy(to, {{1, 1, 1, to.row_stride}, {0, 0, 0, 1}, 0}, own,
                 {{1, 1, 1, count}, {0, 0, 0, 1}, 0}, form.scale, false);
}

std::vector<Buffer> WeightLoader::finish() {
    upload_.finish();
    transient_.clear();
    return std::move(blocks_);
}

}  // namespace saccade
