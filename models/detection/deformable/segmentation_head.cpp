#include "models/detection/deformable/segmentation_head.h"

#include "gpu/ops/maps.h"

namespace saccade {

namespace {

constexpr float block_eps = 1e-6f, query_eps = 1e-5f;

}  // namespace

SegmentationHead::SegmentationHead(WeightLoader& weights, const SegmentationForm& form)
    : form_(form) {
    const uint32_t dim = form.dim;
    const std::string head = "segmentation_head.";
    for (uint32_t i = 0; i < form.blocks; ++i) {
        const std::string block = head + "blocks." + std::to_string(i);
        const HostConvolution host{weights.floats(block + ".dwconv.weight", {dim, 1, 3, 3}),
                                   weights.floats(block + ".dwconv.bias", {dim})};
        blocks_.push_back(
            {weights.depthwise(host, {.out = dim, .in = 1, .kernel = 3, .padding = 1}),
             weights.norm(block + ".norm", dim, block_eps),
             weights.linear(block + ".pwconv1", {.out = dim, .in = dim})});
    }
    map_projection_ = weights.linear(head + "spatial_features_proj",
                                     {.out = dim, .in = dim, .stored = {dim, dim, 1, 1}});
    const std::string queries = head + "query_features_block.";
    query_norm_ = weights.norm(queries + "norm_in", dim, query_eps);
    fc1_ = weights.linear(queries + "layers.0", {.out = form.intermediate, .in = dim});
    fc2_ = weights.linear(queries + "layers.2", {.out = dim, .in = form.intermediate});
    query_projection_ = weights.linear(head + "query_features_proj", {.out = dim, .in = dim});
    // One bias for all queries.
    const float bias = weights.floats(head + "bias", {1})[0];
    bias_ = weights.table(std::vector<float>(form.queries, bias), 1, form.queries);
}

Tensor SegmentationHead::forward(Commands& c, const Tensor& map, Size grid, const Tensor& queries,
                                 Size picture) const {
    const Size size = mask_size(picture);
    const Type type = map.type;
    const uint32_t count = queries.rows, dim = form_.dim;
    const Tensor logits = c.scratch(1, area(size), count, Type::f32);
    auto scope = c.scope("segmentation");
    // x = x + act(W LN(DwConv(x)))
    Tensor x = enlarge(c, map, grid, size);
    for (const Block& w : blocks_) {
        const Tensor h = c.scratch(1, area(size), dim, type);
        depthwise_into(c, h, x, size, w.convolution);
        const Tensor mixed = linear(c, layer_norm(c, h, w.norm, type), w.mixing, form_.activation);
        x = add(c, x, mixed, type);
    }
    const Tensor cells = linear(c, x, map_projection_);

    const Tensor q = c.scratch(1, count, dim, Type::f32);
    copy(c, q, queries);
    const Tensor y = layer_norm(c, q, query_norm_, type);
    linear_add(c, q, linear(c, y, fc1_, form_.activation), fc2_);
    const Tensor rounded = c.scratch(1, count, dim, type);
    copy(c, rounded, q);
    // cells * queries^T: the queries are the rows of a weight.
    const Tensor embedded = linear(c, rounded, query_projection_);
    linear_into(c, logits, cells, {embedded, bias_.slice_columns(0, count)});
    Tensor masks = logits;
    masks.batch = count;
    masks.columns = 1;
    masks.batch_stride = 1;
    return masks;
}

}  // namespace saccade
