#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/core/buffer.h"
#include "gpu/ops/elementwise.h"
#include "gpu/ops/norms.h"
#include "gpu/ops/products.h"
#include "gpu/ops/products/residual_stream.h"
#include "gpu/ops/products/weight_copies.h"
#include "gpu/recorder/commands.h"
#include "models/files/checkpoint.h"
#include "models/files/host_convolution.h"

namespace saccade {

// How a linear layer's weight becomes ours.
struct LinearForm {
    uint32_t out = 0, in = 0;
    // Attention heads of this size lie in the rows (q, k, v) or in the columns (the projection that
    // follows attention): each is padded with zeros to a multiple of eight. 0: no heads.
    uint32_t out_head = 0, in_head = 0;
    bool bias = true;                   // false: there is none, even if the file has one
    std::vector<bool> biased = {};      // of several stacked layers, which have one; empty: all
    std::string row_scale = {};         // a tensor (out) that the rows are multiplied with, or none
    bool transposed = false;            // stored as (in, out): GPT-2's Conv1D
    float scale = 1.0f;                 // of weight and bias
    std::vector<uint64_t> stored = {};  // the weight's shape in the file, where it is not (out, in)
    const char* join = ".";             // between the name and "weight" or "bias"
    uint32_t interleaved = 1;  // columns are stored as (n, this many), and become (this many, n)
    Rows rows = Rows::many;    // that it is multiplied with at a time
};

// A square convolution without a bias of its own, and the batch norm that follows it.
struct ConvolutionForm {
    uint32_t out = 0, in = 0;
    uint32_t kernel = 1, stride = 1, padding = 0, dilation = 1;
    double norm_eps = 1e-5;
};

// Brings a model's tensors onto the device: from the file's mapping into a staging buffer, from
// there by a kernel that converts, pads and reorders into the one place where they stay. The host
// never holds more than the staging buffers, and pages of the file are given back once read.
class WeightLoader {
public:
    // Matrices are stored as `type`; biases, norms and embeddings added to the fp32 residual
    // stream stay fp32, because they are small.
    WeightLoader(Device& device, WeightSource& source, Type type, std::string name);
    ~WeightLoader();

    // name.weight (out, in) and name.bias (out).
    Linear linear(const std::string& name, const LinearForm& form);
    // Several layers of one form that read the same input, their rows one after the other.
    Linear stacked(std::span<const std::string> names, const LinearForm& each);
    // The same for layers of different forms; none of them may be narrower than four rows.
    struct Part {
        std::string name;
        LinearForm form;
    };
    Linear joined(std::span<const Part> parts);
    // name.weight and name.bias (columns).
    Norm norm(const std::string& name, uint32_t columns, float eps);
    // Such a norm and the layers after it, stacked; folded where that pays.
    NormLinear norm_linear(const std::string& norm, float eps, std::span<const std::string> names,
                           const LinearForm& each);
    NormLinear norm_linear(const std::string& norm, float eps, const std::string& name,
                           const LinearForm& form) {
        return norm_linear(norm, eps, {&name, 1}, form);
    }
    // Any tensor of rows x columns elements, whatever its number of dimensions, as f32 or `type`.
    Tensor tensor(const std::string& name, const std::vector<uint64_t>& shape, uint32_t rows,
                  uint32_t columns, Type type);

    // name.weight (out, in, kernel, kernel) with the frozen batch norm of that name folded into it:
    // what the norm does to a channel is known beforehand, and it does it to the channel's weights.
    Conv2d convolution(const std::string& name, const std::string& norm,
                       const ConvolutionForm& form) {
        return convolution(name, folded(name, norm, form), form);
    }
    // The same in two steps, for convolutions that are put together from several.
    HostConvolution folded(const std::string& name, const std::string& norm,
                           const ConvolutionForm& form);
    Conv2d convolution(const std::string& name, const HostConvolution& host,
                       const ConvolutionForm& form);

    // The same of a convolution that has a bias of its own: name.weight and name.bias.
    Conv2d biased_convolution(const std::string& name, const ConvolutionForm& form);

    // A 1x1 convolution of this many input channels, as the product that it is.
    Linear linear(const HostConvolution& host, uint32_t in);
    // A convolution of each channel by itself: (channels, 1, kernel, kernel).
    DepthwiseConv2d depthwise(const HostConvolution& host, const ConvolutionForm& form);

    // Numbers that were worked out on the host: rows x columns of them, as f32.
    Tensor table(const std::vector<float>& values, uint32_t rows, uint32_t columns);

    // A tensor's elements, for what is worked out on the host.
    std::vector<float> floats(const std::string& name, const std::vector<uint64_t>& shape);

    // Adds a stored tensor of one row to one that has been loaded.
    void add_to(const Tensor& row, const std::string& name, const std::vector<uint64_t>& shape);

    Device& device() { return device_; }
    WeightSource& source() { return source_; }
    Type type() const { return type_; }
    // Waits until everything is there and hands over the memory that the tensors lie in.
    std::vector<Buffer> finish();

private:
    struct Stage;

    Tensor allocate(uint32_t rows, uint32_t columns, Type type);
    // A weight on its way: where its rows are put, which may be for a moment only, and what is
    // kept.
    struct Coming {
        Tensor weight;
        WeightCopies kept;
    };
    Coming coming(uint32_t rows, uint32_t columns, Rows used);
    // Once its rows are there: makes the copies that are kept.
    template <typename Layer>
    void keep(Layer& layer, const Coming& coming);
    Tensor fragments(const Tensor& weight);
    void put_matrix(const Tensor& to, uint32_t first_row, const std::string& name,
                    const LinearForm& form);
    void put_matrix(const Tensor& to, uint32_t first_row, const StoredTensor& from, bool release,
                    const LinearForm& form);
    void put_bias(const Tensor& to, uint32_t first, const std::string& name,
                  const LinearForm& form);
    void put_bias(const Tensor& to, uint32_t first, const StoredTensor& from, bool release,
                  const LinearForm& form);
    void put_zeros(const Tensor& to, uint32_t first, uint32_t count);
    // A tensor of the file, its rows multiplied with form.row_scale if that says so. `scaled` holds
    // what the file does not.
    StoredTensor scaled_rows(const std::string& name, const std::vector<uint64_t>& shape,
                             const LinearForm& form, std::vector<float>& scaled);
    void put_biases(const Tensor& to, std::span<const std::string> names, const LinearForm& form);
    // Copies a stored tensor, cut into pieces along its slowest dimension where it is large. What
    // has been read of it is released, unless the bytes are our own.
    void put(const Tensor& to, const Layout& y, const StoredTensor& from, const Layout& x,
             float scale = 1.0f, bool release = true);
    // Values that lie on the host, row r and column i at r * stride + i * step.
    void put_rows(const Tensor& to, std::span<const float> values, uint32_t columns,
                  uint32_t stride, uint32_t step);
    Stage& stage_for(uint64_t bytes);

    Device& device_;
    WeightSource& source_;
    Type type_;
    std::string name_;
    std::vector<Buffer> blocks_;
    std::vector<uint64_t> used_;   // bytes of each block
    std::vector<Buffer> passing_;  // where rows lie that are not kept: the last one is in use
    Arena scratch_;
    std::unique_ptr<Stage> stages_[2];
    int current_ = 0;
};

}  // namespace saccade
