#include "models/backbone/tuned_dino.h"

#include "gpu/core/error.h"
#include "gpu/ops/elementwise.h"
#include "gpu/ops/maps.h"

namespace saccade {

namespace {

constexpr Pool stem_pool{.kernel = 3, .stride = 2, .padding = 1};

}  // namespace

std::vector<std::vector<uint32_t>> TunedDino::channels(const TunedDinoConfig& config) {
    const uint32_t dim = config.dino.hidden, planes = config.planes;
    return {{dim, 2 * planes}, {dim, 4 * planes}, {dim, 4 * planes}};
}

TunedDino::TunedDino(WeightLoader& weights, const TunedDinoConfig& config,
                     const std::string& prefix)
    : config_(config), dino_(weights, config.dino) {
    const std::string adapter = prefix + "spatial_tuning_adapter.";
    auto load = [&](const char* name, uint32_t in, uint32_t out) {
        return weights.convolution(adapter + name + ".conv", adapter + name + ".norm",
                                   {.out = out,
                                    .in = in,
                                    .kernel = 3,
                                    .stride = 2,
                                    .padding = 1,
                                    .norm_eps = config.norm_eps});
    };
    const uint32_t planes = config.planes;
    stem_ = load("stem_conv", 3, planes);
    downsamples_ = {load("conv2", planes, 2 * planes), load("conv3", 2 * planes, 4 * planes),
                    load("conv4", 4 * planes, 4 * planes)};
}

void TunedDino::prepare(Size picture) {
    const Size step = 2u * config_.dino.patch;
    if (picture.x % step.x != 0 || picture.y % step.y != 0)
        throw Error("this model needs pictures whose sides are multiples of " +
                    std::to_string(step.x));
    dino_.prepare(picture);
}

std::vector<Size> TunedDino::map_sizes(Size picture) const {
    const Size grid = config_.dino.grid_of(picture);
    return {2u * grid, grid, grid / 2u};
}

// Patchifies pixels; within a patch, channel by channel and row by row.
Tensor TunedDino::cut(Commands& c, const Tensor& pixels, Size picture) const {
    const Size grid = config_.dino.grid_of(picture), patch = config_.dino.patch;
    const Tensor y = c.scratch(pixels.batch, area(grid), 3 * area(patch), pixels.type);
    const uint32_t row = pixels.row_stride;
    for (uint32_t b = 0; b < pixels.batch; ++b)
        for (uint32_t channel = 0; channel < 3; ++channel)
            copy_strided(c, y,
                         {{grid.y, grid.x, patch.y, patch.x},
                          {grid.x * y.row_stride, y.row_stride, patch.x, 1},
                          y.offset + b * y.batch_stride + channel * area(patch)},
                         pixels, pixels.type == Type::f16 ? Stored::f16 : Stored::f32,
                         {{grid.y, grid.x, patch.y, patch.x},
                          {patch.y * picture.x * row, patch.x * row, picture.x * row, row},
                          pixels.offset + b * pixels.batch_stride + channel});
    return y;
}

// The transformer's features after some of its blocks.
void TunedDino::add_semantics(Commands& c, const std::vector<Tensor>& to,
                              const Tensor& patches) const {
    auto scope = c.scope("DINOv3");
    const Size grid = dino_.grid();
    const std::vector<Size> sizes{2u * grid, grid, grid / 2u};
    Tap no_tap;
    const Tensor z = dino_.embed(c, patches);
    ResidualStream stream(c, z, dino_.type());
    const Tensor cells = z.slice_rows(config_.dino.prefix_tokens(), area(grid));
    uint32_t done = 0;
    for (size_t i = 0; i < config_.stages.size(); ++i) {
        for (; done < config_.stages[i]; ++done) dino_.block(c, stream, done, no_tap);
        auto stage = c.scope("stage");
        const Tensor features = config_.normed[i] ? dino_.normalize(c, cells, Type::f32) : cells;
        copy(c, to[i], sizes[i] == grid ? features : enlarge(c, features, grid, sizes[i]));
    }
}

// The convolutions' maps.
void TunedDino::add_details(Commands& c, const std::vector<Tensor>& to, const Tensor& pixels,
                            Size picture) const {
    auto scope = c.scope("spatial tuning adapter");
    const Tensor stem = conv2d(c, pixels, picture, stem_, Activation::gelu_erf);
    Size size = stem_.out_size(picture);
    Tensor x = max_pool(c, stem, size, stem_pool);
    size = stem_pool.out_size(size);
    for (size_t i = 0; i < downsamples_.size(); ++i) {
        conv2d_into(c, to[i], x, size, downsamples_[i]);
        size = downsamples_[i].out_size(size);
        if (i + 1 < downsamples_.size())
            x = multiply(c, to[i], {}, to[i].type, Activation::gelu_erf);
    }
}

std::vector<FeatureMap> TunedDino::maps(Commands& c, const Tensor& pixels, Size picture) const {
    if (dino_.grid() != config_.dino.grid_of(picture))
        throw Error("the backbone was not prepared for pixels " + pixels.shape());
    const std::vector<Size> sizes = map_sizes(picture);
    std::vector<FeatureMap> both;
    std::vector<Tensor> left, right;
    for (size_t i = 0; i < sizes.size(); ++i) {
        const std::vector<uint32_t> parts = channels(config_)[i];
        const Tensor x = c.scratch(pixels.batch, area(sizes[i]), merged(parts), pixels.type);
        both.push_back({x, sizes[i]});
        left.push_back(x.slice_columns(0, parts[0]));
        right.push_back(x.slice_columns(padded(parts[0]), parts[1]));
    }
    auto scope = c.scope("backbone");
    add_semantics(c, left, cut(c, pixels, picture));
    add_details(c, right, pixels, picture);
    return both;
}

double TunedDino::multiply_adds(Size picture) const {
    const DinoConfig& dino = config_.dino;
    const double cells = area(dino.grid_of(picture)), n = cells + dino.prefix_tokens();
    const double dim = dino.hidden, inner = (dino.gated ? 3.0 : 2.0) * dino.intermediate;
    double total = cells * dim * 3 * area(dino.patch) +
                   config_.stages.back() * n * dim * (4 * dim + 2 * n + inner);
    auto work = [](const Conv2d& w, Size size) {
        return double(area(w.out_size(size))) * w.weight.rows * area(w.kernel) * w.in;
    };
    total += work(stem_, picture);
    Size size = stem_pool.out_size(stem_.out_size(picture));
    for (const Conv2d& w : downsamples_) {
        total += work(w, size);
        size = w.out_size(size);
    }
    return total;
}

}  // namespace saccade
