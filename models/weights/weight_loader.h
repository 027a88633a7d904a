#pragma once

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
#include "models/weights/host_convolution.h"
#include "models/weights/weight_upload.h"

namespace saccade {

// How a linear layer is stored in the checkpoint, and how it is laid out on the device.
struct LinearForm {
    uint32_t out = 0, in = 0;
    // Size of the attention heads in the rows (q, k, v) or in the columns (the output projection);
    // each head is padded with zeros to a multiple of eight. 0: no heads.
    uint32_t out_head = 0, in_head = 0;
    bool bias = true;                   // false: no bias, even if the file has one
    std::vector<bool> biased = {};      // which of several stacked layers have a bias; empty: all
    std::string row_scale = {};         // a tensor (out) by which the rows are multiplied
    bool transposed = false;            // stored as (in, out): GPT-2's Conv1D
    float scale = 1.0f;                 // of weight and bias
    std::vector<uint64_t> stored = {};  // the weight's shape in the file, where it is not (out, in)
    const char* join = ".";             // between the name and "weight" or "bias"
    uint32_t interleaved = 1;  // columns are stored as (n, interleaved) and become (interleaved, n)
    Rows rows = Rows::many;    // how many rows it is multiplied with at a time
};

// A square convolution without a bias of its own, and the batch norm that follows it.
struct ConvolutionForm {
    uint32_t out = 0, in = 0;
    uint32_t kernel = 1, stride = 1, padding = 0, dilation = 1;
    double norm_eps = 1e-5;
};

// Loads a model's tensors onto the device: from the mapped file into a staging buffer, and from
// there by a kernel that converts, pads and reorders them to where they stay. The host never holds
// more than the staging buffers; pages of the file are released once they are read.
class WeightLoader {
public:
    // Matrices are stored as `type`; biases, norms and embeddings added to the fp32 residual
    // stream stay fp32, because they are small.
    WeightLoader(Device& device, WeightSource& source, Type type, std::string name);

    // name.weight (out, in) and name.bias (out).
    Linear linear(const std::string& name, const LinearForm& form);
    // Several layers of one form that read the same input, concatenated along their rows.
    Linear stacked(std::span<const std::string> names, const LinearForm& each);
    // The same for layers of different forms, of at least four rows each.
    struct Part {
        std::string name;
        LinearForm form;
    };
    Linear joined(std::span<const Part> parts);
    // name.weight and name.bias (columns).
    Norm norm(const std::string& name, uint32_t columns, float eps);
    // Such a norm and the stacked layers after it; the norm is folded into them where that is
    // faster.
    NormLinear norm_linear(const std::string& norm, float eps, std::span<const std::string> names,
                           const LinearForm& each);
    NormLinear norm_linear(const std::string& norm, float eps, const std::string& name,
                           const LinearForm& form) {
        return norm_linear(norm, eps, {&name, 1}, form);
    }
    // Any tensor of rows x columns elements, of any rank, as f32 or `type`.
    Tensor tensor(const std::string& name, const std::vector<uint64_t>& shape, uint32_t rows,
                  uint32_t columns, Type type);

    // name.weight (out, in, kernel, kernel) with the frozen batch norm `norm` folded into it: its
    // scale and shift of each channel are constants, and become part of the channel's weights.
    Conv2d convolution(const std::string& name, const std::string& norm,
                       const ConvolutionForm& form) {
        return convolution(name, folded(name, norm, form), form);
    }
    // The same in two steps, for convolutions that are combined from several.
    HostConvolution folded(const std::string& name, const std::string& norm,
                           const ConvolutionForm& form);
    Conv2d convolution(const std::string& name, const HostConvolution& host,
                       const ConvolutionForm& form);

    // A convolution with a bias of its own: name.weight and name.bias.
    Conv2d biased_convolution(const std::string& name, const ConvolutionForm& form);

    // A 1x1 convolution of `in` input channels, as a linear layer.
    Linear linear(const HostConvolution& host, uint32_t in);
    // A depthwise convolution: (channels, 1, kernel, kernel).
    DepthwiseConv2d depthwise(const HostConvolution& host, const ConvolutionForm& form);

    // rows x columns values that were computed on the host, as f32.
    Tensor table(const std::vector<float>& values, uint32_t rows, uint32_t columns);

    // A tensor's elements, for computations on the host.
    std::vector<float> floats(const std::string& name, const std::vector<uint64_t>& shape);

    // Adds a stored tensor of one row to a row that is already loaded.
    void add_to(const Tensor& row, const std::string& name, const std::vector<uint64_t>& shape);

    Device& device() { return device_; }
    WeightSource& source() { return source_; }
    Type type() const { return type_; }
    // Waits for the device and hands over the memory that the tensors lie in.
    std::vector<Buffer> finish();

private:
    Tensor allocate(uint32_t rows, uint32_t columns, Type type);
    // A weight that is being loaded: where its rows are written, which may be transient memory, and
    // which copies of it are kept.
    struct Pending {
        Tensor weight;
        WeightCopies kept;
    };
    Pending pending(uint32_t rows, uint32_t columns, Rows used);
    // Makes the copies that are kept, after the rows have been written.
    template <typename Layer>
    void keep(Layer& layer, const Pending& pending);
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
    // A tensor of the file, its rows multiplied by form.row_scale if there is one; `scaled` then
    // owns the elements.
    StoredTensor scaled_rows(const std::string& name, const std::vector<uint64_t>& shape,
                             const LinearForm& form, std::vector<float>& scaled);
    void put_biases(const Tensor& to, std::span<const std::string> names, const LinearForm& form);
    // Values on the host; row r and column i lie at r * stride + i * step.
    void put_rows(const Tensor& to, std::span<const float> values, uint32_t columns,
                  uint32_t stride, uint32_t step);

    Device& device_;
    WeightSource& source_;
    Type type_;
    std::string name_;
    std::vector<Buffer> blocks_;
    std::vector<uint64_t> used_;  // bytes of each block
    std::vector<Buffer>
        transient_;        // for rows of which only fragments are kept; the last is in use
    WeightUpload upload_;  // last: its destructor waits until the device reads no buffer
};

}  // namespace saccade
