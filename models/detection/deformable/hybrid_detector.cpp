#include "models/detection/deformable/hybrid_detector.h"

#include <algorithm>
#include <cmath>

#include "gpu/core/error.h"
#include "gpu/transfer/download.h"
#include "models/detection/test_picture.h"

namespace saccade {

namespace {

std::unique_ptr<PyramidEncoder> make_encoder(WeightLoader& front, WeightLoader& weights,
                                             const HybridConfig& config) {
    if (config.lite) return std::make_unique<LiteEncoder>(front, weights, *config.lite);
    return std::make_unique<HybridEncoder>(front, weights, config.encoder);
}

}  // namespace

HybridDetector::HybridDetector(WeightLoader& front, WeightLoader& weights,
                               const HybridConfig& config)
    : config_(config),
      heads_(heads_of(config.decoder.heads, config.decoder.dim)),
      deformable_{config.decoder.dim, config.decoder.heads, config.decoder.sampling},
      type_(weights.type()),
      input_type_(front.type()),
      encoder_(make_encoder(front, weights, config)),
      selection_(weights, {.dim = config.decoder.dim,
                           .classes = classes(),
                           .queries = config.decoder.queries,
                           .norm_eps = config.decoder.norm_eps,
                           .projects = config.projects_memory,
                           .box_activation = config.box_activation,
                           .stored_anchors = config.stored_anchors}) {
    const DeformableDecoderConfig& d = config.decoder;
    if (!d.projects) return;
    for (uint32_t i = 0; i < d.levels; ++i) {
        const std::string layer = d.projections.prefix + std::to_string(i);
        const bool smaller = i >= d.channels.size();
        input_projections_.push_back(
            weights.convolution(layer + d.projections.convolution, layer + d.projections.norm,
                                {.out = d.dim,
                                 .in = smaller ? d.channels.back() : d.channels[i],
                                 .kernel = smaller ? 3u : 1u,
                                 .stride = smaller ? 2u : 1u,
                                 .padding = smaller ? 1u : 0u,
                                 .norm_eps = d.batch_norm_eps}));
    }
}

std::vector<Size> HybridDetector::level_sizes(Size picture) const {
    std::vector<Size> sizes = encoder_->fused_sizes(map_sizes(picture));
    const Size last = sizes.back();
    for (size_t i = sizes.size(); i < input_projections_.size(); ++i)
        sizes.push_back(input_projections_[i].out_size(last));
    return sizes;
}

void HybridDetector::prepare(Size picture) {
    encoder_->prepare(map_sizes(picture));
    selection_.prepare(level_sizes(picture));
}

DetectionOutput HybridDetector::forward(Commands& c, const Tensor& pixels, Size picture,
                                        DetectionTaps& taps) const {
    const std::vector<Size> levels = level_sizes(picture);
    if (!selection_.prepared(levels) || pixels.rows != area(picture))
        throw Error("the detector was not prepared for pixels " + pixels.shape());
    const uint32_t batch = pixels.batch, dim = config_.decoder.dim;
    const DetectionOutput out{c.scratch(batch, queries(), classes(), Type::f32),
                              c.scratch(batch, queries(), 4, Type::f32)};
    auto scope = c.scope("detector");
    const Tensor memory = encode(c, pixels, picture, taps);
    const Linear* const of = value_projection();
    const Tensor values =
        of ? c.scratch(batch, memory.rows, of->weight.rows, memory.type) : Tensor{};
    const QuerySelection::Queries chosen = selection_.choose(c, memory, taps.parts, [&] {
        if (of) linear_into(c, values, memory, *of);
    });
    Stream s = stream_around(c, chosen.content, {}, memory.type);
    s.pos = c.scratch(batch, queries(), dim, Type::f32);
    s.at = c.scratch(batch, queries(), dim, memory.type);
    auto decoding = c.scope("decoder");
    decode(c, {s, chosen.reference, memory, values, levels}, out, taps);
    return out;
}

// Backbone and hybrid encoder: the cells of all maps, concatenated.
Tensor HybridDetector::encode(Commands& c, const Tensor& pixels, Size picture,
                              DetectionTaps& taps) const {
    const std::vector<Size> levels = level_sizes(picture);
    uint32_t cells = 0;
    for (Size level : levels) cells += area(level);
    const Tensor memory = c.scratch(pixels.batch, cells, config_.decoder.dim, type_);
    auto scope = c.scope("encoder");
    const std::vector<FeatureMap> maps = backbone_maps(c, pixels, picture);
    std::vector<Tensor> fused, rows;
    uint32_t first = 0;
    for (Size level : levels) {
        rows.push_back(memory.slice_rows(first, area(level)));
        first += area(level);
    }
    for (size_t i = 0; i < maps.size(); ++i)
        taps.parts.keep(c, "backbone_" + std::to_string(i), maps[i].x, maps[i].size);
    const uint32_t dim = config_.lite ? config_.lite->dim : config_.encoder.dim;
    const size_t count = encoder_->fused_sizes(map_sizes(picture)).size();
    for (size_t i = 0; i < count; ++i)
        fused.push_back(input_projections_.empty()
                            ? rows[i]
                            : c.scratch(pixels.batch, area(levels[i]), dim, type_));
    encoder_->forward(c, maps, fused, taps.encoder, taps.parts);
    for (size_t i = 0; i < input_projections_.size(); ++i) {
        const size_t from = std::min(i, fused.size() - 1);
        conv2d_into(c, rows[i], fused[from], levels[from], input_projections_[i]);
    }
    return memory;
}

// No norm precedes AIFI's first attention. Values close to the maximum of half precision, 65504,
// would overflow on other pictures.
bool HybridDetector::front_outgrows_half(Device& device) const {
    const TestPicture picture(device, config_.darkest, config_.brightest);
    Arena scratch(device, "test picture scratch");
    Commands c(device, scratch, "test picture", 0);
    Download queries_and_keys;
    std::vector<Download> maps;
    uint32_t columns = 0;
    c.begin();
    {
        auto scope = c.scope("test picture");
        const std::vector<FeatureMap> backbone =
            backbone_maps(c, picture.pixels(c, input_type()), TestPicture::size);
        const Tensor qk = encoder_->first_queries_and_keys(c, backbone);
        columns = qk.columns;
        if (qk) queries_and_keys.record(c, qk);
        for (const FeatureMap& map : backbone) maps.emplace_back().record(c, map.x);
    }
    c.end();
    c.run();
    constexpr float room = 8;  // for pictures with larger values
    for (const Download& map : maps)
        for (float v : map.floats())
            if (!(std::abs(v) < 65504 / room)) return true;
    if (columns == 0) return false;
    const Heads heads = heads_of(config_.encoder.heads, config_.encoder.dim);
    return !(largest_score(queries_and_keys.floats(), columns, heads) < half_range);
}

namespace {

// Cells that cover the picture evenly, as anchors and sampling points assume.
TokenLayout evenly(Size grid, Size picture) {
    return {.grid = grid,
            .first_cell = 0,
            .cross = true,
            .first_query = 0,
            .cell = glm::vec2(picture) / glm::vec2(grid)};
}

}  // namespace

TokenLayout HybridDetector::layout(Size picture) const {
    const std::vector<Size> sizes = map_sizes(picture);
    return evenly(config_.lite ? sizes.front() : sizes[config_.encoder.attended.back()], picture);
}

TokenLayout HybridDetector::query_layout(Size picture) const {
    return evenly(map_sizes(picture).front(), picture);
}

double HybridDetector::multiply_adds(Size picture) const {
    uint32_t cells = 0;
    double total = backbone_work(picture) + encoder_->multiply_adds(map_sizes(picture));
    const std::vector<Size> levels = level_sizes(picture);
    for (size_t i = 0; i < levels.size(); ++i) {
        cells += area(levels[i]);
        if (i < input_projections_.size())
            total += double(area(levels[i])) * input_projections_[i].weight.rows *
                     input_projections_[i].weight.columns;
    }
    return total + selection_.multiply_adds(cells) + decoder_work(cells);
}

}  // namespace saccade
