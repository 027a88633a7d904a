#pragma once

#include <string>
#include <vector>

#include "gpu/ops/attention.h"
#include "gpu/ops/norms.h"
#include "gpu/ops/products.h"
#include "gpu/ops/products/residual_stream.h"
#include "gpu/recorder/commands.h"
#include "models/attention/parts.h"
#include "models/attention/tap.h"
#include "models/backbone/feature_map.h"
#include "models/backbone/position.h"
#include "models/weights/weight_loader.h"

// DINOv2 (Oquab et al. 2023) as in RF-DETR: the patches are split into windows, each with a class
// token of its own. Most layers have window attention; in the others, all windows are one sequence
// (global attention).

namespace saccade {

struct WindowedDinov2Config {
    uint32_t hidden = 0, heads = 0, intermediate = 0;
    uint32_t patch = 0, grid = 0;  // grid: patches along a side of the stored positions
    uint32_t windows = 1;          // along a side
    std::vector<bool> whole;       // whether each layer has global attention
    std::vector<uint32_t> stages;  // the layers after which the stream is output, ascending
    float norm_eps = 1e-6f;
    bool qkv_bias = true, final_norm = true;
    Activation activation = Activation::gelu_erf;
};

class WindowedDinov2 {
public:
    WindowedDinov2(WeightLoader& weights, const WindowedDinov2Config& config,
                   const std::string& prefix);

    // An Error if the picture cannot be split into windows.
    void prepare(Size picture);
    bool prepared(Size picture) const { return start_.grid() == grid_of(picture); }
    // patches (batch, grid, 3 * patch * patch) to the concatenated, normalised maps of the stages,
    // in windows: the tokens of a window are its class token, then its cells row by row. The tap
    // gets the picture's cells row by row, then the windows' class tokens.
    void forward(Commands& c, const Tensor& y, const Tensor& patches, Size picture, Tap& tap,
                 Parts& parts) const;
    // Memory for forward(): (batch * windows^2, 1 + cells of a window, stages * hidden).
    Tensor windows(Commands& c, uint32_t batch, Size picture, Type type) const;
    // How windows (batch * windows^2, 1 + cells, columns) map to the order of the picture, y
    // (batch, grid, columns): the rows of cells of each window, as batches.
    struct Lines {
        Tensor from, to;
    };
    std::vector<Lines> window_lines(const Tensor& windows, const Tensor& y, Size grid) const;

    uint32_t window_count() const { return config_.windows * config_.windows; }
    Size grid_of(Size picture) const { return picture / config_.patch; }
    const WindowedDinov2Config& config() const { return config_; }
    uint32_t layers() const { return config_.stages.back(); }  // that the output depends on
    double multiply_adds(Size picture) const;

private:
    struct Block {
        NormLinear qkv, fc1;
        Linear out, fc2;  // with LayerScale folded in
    };
    Block load_block(WeightLoader& weights, const std::string& prefix) const;
    std::vector<float> start_of(Size grid) const;
    uint32_t first_cell(Size grid, uint32_t window, uint32_t line) const;
    void join_into(Commands& c, const Tensor& y, const Tensor& windows, Size grid) const;
    Tensor embed(Commands& c, const Tensor& patches, Size grid) const;
    void block(Commands& c, ResidualStream& z, const Block& w, uint32_t layer, Size grid, Tap& tap,
               Parts& parts) const;
    void look_into(Commands& c, const Tensor& q, const Tensor& k, uint32_t layer, Size grid,
                   Tap& tap, Parts& parts) const;
    Heads heads() const;

    WindowedDinov2Config config_;
    Linear patch_embedding_;               // (hidden, 3 * patch * patch)
    std::vector<float> stored_positions_;  // (1 + grid * grid, hidden)
    std::vector<Block> blocks_;
    Norm norm_;
    std::vector<float> class_token_;  // (hidden), with its position embedding
    PositionTables
        start_;  // (windows^2 * (1 + cells of one), hidden): z before the patches are added
};

}  // namespace saccade
