#include "models/detection/fine/authors_names.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "models/files/renames.h"

namespace saccade {

namespace {

// A rename, and which of how many parts of the tensor it is.
struct PartRename : Rename {
    size_t part = 0, parts = 1;
};

// The first that matches counts: which part of the model a tensor is in.
constexpr std::array modules{
    Rename{"model.conv_encoder.model.embedder", "backbone.stem"},
    Rename{"model.conv_encoder.model.encoder", "backbone"},
    Rename{"model.conv_encoder.backbone.embeddings.patch_embeddings",
           "backbone.dinov3.patch_embed.proj"},
    Rename{"model.conv_encoder.backbone.embeddings.register_tokens",
           "backbone.dinov3.storage_tokens"},
    Rename{"model.conv_encoder.backbone.embeddings", "backbone.dinov3"},
    Rename{"model.conv_encoder.backbone.layer", "backbone.dinov3.blocks"},
    Rename{"model.conv_encoder.backbone", "backbone.dinov3"},
    Rename{"model.conv_encoder.spatial_tuning_adapter.stem_conv.conv", "backbone.sta.stem.0"},
    Rename{"model.conv_encoder.spatial_tuning_adapter.stem_conv.norm", "backbone.sta.stem.1"},
    Rename{"model.conv_encoder.spatial_tuning_adapter.conv2.conv", "backbone.sta.conv2.0"},
    Rename{"model.conv_encoder.spatial_tuning_adapter.conv2.norm", "backbone.sta.conv2.1"},
    Rename{"model.conv_encoder.spatial_tuning_adapter.conv3.conv", "backbone.sta.conv3.1"},
    Rename{"model.conv_encoder.spatial_tuning_adapter.conv3.norm", "backbone.sta.conv3.2"},
    Rename{"model.conv_encoder.spatial_tuning_adapter.conv4.conv", "backbone.sta.conv4.1"},
    Rename{"model.conv_encoder.spatial_tuning_adapter.conv4.norm", "backbone.sta.conv4.2"},
    Rename{"model.conv_encoder.fusion_proj.#.conv", "backbone.convs.#"},
    Rename{"model.conv_encoder.fusion_proj.#.norm", "backbone.norms.#"},
    Rename{"model.conv_encoder.encoder_input_proj", "encoder.input_proj"},
    Rename{"model.encoder.encoder", "encoder.encoder"},
    Rename{"model.encoder", "encoder"},
    Rename{"model.decoder_input_proj", "decoder.input_proj"},
    Rename{"model.decoder.class_embed", "decoder.dec_score_head"},
    Rename{"model.decoder.bbox_embed", "decoder.dec_bbox_head"},
    Rename{"model.decoder.query_pos_head", "decoder.query_pos_head"},
    Rename{"model.decoder.pre_bbox_head", "decoder.pre_bbox_head"},
    Rename{"model.decoder", "decoder.decoder"},
    Rename{"model", "decoder"},
};

// All that match count, in this order: the layers of a module.
constexpr std::array layers{
    // HGNetV2
    PartRename{{"convolution", "conv"}},
    PartRename{{"normalization", "bn"}},
    // DINOv3
    PartRename{{"attention.q_proj", "attn.qkv"}, 0, 3},
    PartRename{{"attention.k_proj", "attn.qkv"}, 1, 3},
    PartRename{{"attention.v_proj", "attn.qkv"}, 2, 3},
    PartRename{{"attention.o_proj", "attn.proj"}},
    PartRename{{"layer_scale1.lambda1", "ls1.gamma"}},
    PartRename{{"layer_scale2.lambda1", "ls2.gamma"}},
    PartRename{{"blocks.#.mlp.gate_proj", "blocks.#.mlp.w1"}},
    PartRename{{"blocks.#.mlp.up_proj", "blocks.#.mlp.fc1"}},
    PartRename{{"blocks.#.mlp.down_proj", "blocks.#.mlp.fc2"}},
    // encoders
    PartRename{{"down_conv1.conv", "down_sample1.1"}},
    PartRename{{"down_conv1.norm", "down_sample1.2"}},
    PartRename{{"down_conv2.conv", "down_sample2.1"}},
    PartRename{{"down_conv2.norm", "down_sample2.2"}},
    PartRename{{"bi_fusion_conv", "bi_fusion.cv"}},
    PartRename{{"fpn_block.conv1", "fpn_block.cv1"}},
    PartRename{{"fpn_block.conv2", "fpn_block.cv4"}},
    PartRename{{"pan_block.conv1", "pan_block.cv1"}},
    PartRename{{"pan_block.conv2", "pan_block.cv4"}},
    PartRename{{"fpn_blocks.#.conv1", "fpn_blocks.#.cv1"}},
    PartRename{{"fpn_blocks.#.conv2", "fpn_blocks.#.cv4"}},
    PartRename{{"pan_blocks.#.conv1", "pan_blocks.#.cv1"}},
    PartRename{{"pan_blocks.#.conv2", "pan_blocks.#.cv4"}},
    PartRename{{"csp_rep1.conv2", "cv2.1"}},
    PartRename{{"csp_rep2.conv2", "cv3.1"}},
    PartRename{{"csp_rep1", "cv2.0"}},
    PartRename{{"csp_rep2", "cv3.0"}},
    PartRename{{"downsample_convs.#.conv1", "downsample_convs.#.0.cv1"}},
    PartRename{{"downsample_convs.#.conv2", "downsample_convs.#.0.cv2"}},
    PartRename{{"#.fc1", "#.linear1"}},
    PartRename{{"#.fc2", "#.linear2"}},
    // decoder
    PartRename{{"self_attn_layer_norm.weight", "norm1.weight"}},
    PartRename{{"self_attn_layer_norm.bias", "norm1.bias"}},
    PartRename{{"decoder.layers.#.norm1.weight", "decoder.layers.#.norm1.scale"}},
    PartRename{{"encoder_attn_layer_norm.weight", "norm2.scale"}},
    PartRename{{"decoder.layers.#.final_layer_norm.weight", "decoder.layers.#.norm3.scale"}},
    PartRename{{"final_layer_norm", "norm2"}},
    PartRename{{"gateway.norm.weight", "gateway.norm.scale"}},
    PartRename{{"encoder_attn", "cross_attn"}},
    PartRename{{"decoder.layers.#.mlp.gate_proj", "decoder.layers.#.swish_ffn.w12"}, 0, 2},
    PartRename{{"decoder.layers.#.mlp.up_proj", "decoder.layers.#.swish_ffn.w12"}, 1, 2},
    PartRename{{"decoder.layers.#.mlp.down_proj", "decoder.layers.#.swish_ffn.w3"}},
    // both encoder and decoder
    PartRename{{"self_attn.q_proj.weight", "self_attn.in_proj_weight"}, 0, 3},
    PartRename{{"self_attn.k_proj.weight", "self_attn.in_proj_weight"}, 1, 3},
    PartRename{{"self_attn.v_proj.weight", "self_attn.in_proj_weight"}, 2, 3},
    PartRename{{"self_attn.q_proj.bias", "self_attn.in_proj_bias"}, 0, 3},
    PartRename{{"self_attn.k_proj.bias", "self_attn.in_proj_bias"}, 1, 3},
    PartRename{{"self_attn.v_proj.bias", "self_attn.in_proj_bias"}, 2, 3},
};

// Other names of a tensor, for the sizes and the files that have them: ViT-Tiny is wrapped, the
// largest DINOv3 has gated MLPs, and a file has tensors that modules share under one of their
// names.
constexpr std::array others{
    Rename{"backbone.dinov3", "backbone.dinov3._model"},
    Rename{"mlp.fc1", "mlp.w2"},
    Rename{"mlp.fc2", "mlp.w3"},
    Rename{"decoder.decoder.up", "decoder.up"},
    Rename{"decoder.decoder.reg_scale", "decoder.reg_scale"},
};

StoredTensor part_of(StoredTensor whole, size_t part, size_t parts) {
    if (parts == 1 || whole.shape.empty() || whole.shape[0] % parts != 0) return whole;
    const size_t bytes = whole.bytes.size() / parts;
    whole.shape[0] /= parts;
    whole.bytes = whole.bytes.subspan(part * bytes, bytes);
    return whole;
}

}  // namespace

std::optional<StoredTensor> AuthorsNames::find(std::string_view name,
                                               std::span<const uint64_t> shape) {
    std::string theirs(name);
    for (const Rename& module : modules)
        if (auto inside = renamed(theirs, module)) {
            theirs = std::move(*inside);
            break;
        }
    size_t part = 0, parts = 1;
    for (const PartRename& layer : layers)
        if (auto inside = renamed(theirs, layer)) {
            theirs = std::move(*inside);
            if (layer.parts > 1) part = layer.part, parts = layer.parts;
        }
    std::vector<uint64_t> whole(shape.begin(), shape.end());
    if (!whole.empty()) whole[0] *= parts;
    if (auto found = from_.find(theirs, whole)) return part_of(as_float(*found), part, parts);
    for (const Rename& other : others)
        if (auto inside = renamed(theirs, other))
            if (auto found = from_.find(*inside, whole))
                return part_of(as_float(*found), part, parts);
    return neutral(name, shape);
}

StoredTensor AuthorsNames::as_float(StoredTensor tensor) {
    int64_t number;
    if (tensor.type != StoredType::i64 || tensor.bytes.size() != sizeof number) return tensor;
    std::memcpy(&number, tensor.bytes.data(), sizeof number);
    number_ = static_cast<float>(number);
    tensor.type = StoredType::f32;
    tensor.bytes = std::as_bytes(std::span(&number_, 1));
    return tensor;
}

std::optional<StoredTensor> AuthorsNames::neutral(std::string_view name,
                                                  std::span<const uint64_t> shape) {
    const bool scale = name.ends_with(".lambda1");
    if (!scale && !name.starts_with("model.conv_encoder.backbone.norm.")) return std::nullopt;
    if (shape.size() != 1) return std::nullopt;
    const bool one = scale || name.ends_with(".weight");
    std::vector<float>& values = one ? ones_ : zeros_;
    if (values.size() < shape[0]) values.assign(shape[0], one ? 1.0f : 0.0f);
    return StoredTensor{std::string(name),
                        StoredType::f32,
                        {shape.begin(), shape.end()},
                        std::as_bytes(std::span(values).first(shape[0]))};
}

}  // namespace saccade
