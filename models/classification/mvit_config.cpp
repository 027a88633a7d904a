#include "models/classification/mvit_config.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "models/timm/timm_config.h"

namespace saccade {

namespace {

struct Published {
    const char* name;
    std::vector<uint32_t> depths;
    uint32_t dim = 96, heads = 1;
    bool class_token = false, widens_in_attention = true;
};
const std::vector<Published>& published() {
    static const std::vector<Published> all = {
        {"mvitv2_tiny", {1, 2, 5, 2}},
        {"mvitv2_small", {1, 2, 11, 2}},
        {"mvitv2_base", {2, 3, 16, 3}},
        {"mvitv2_large", {2, 6, 36, 4}, 144, 2, false, false},
        {"mvitv2_small_cls", {1, 2, 11, 2}, 96, 1, true},
        {"mvitv2_base_cls", {2, 3, 16, 3}, 96, 1, true},
        {"mvitv2_large_cls", {2, 6, 36, 4}, 144, 2, true},
        {"mvitv2_huge_cls", {4, 8, 60, 8}, 192, 3, true},
    };
    return all;
}

constexpr WholeRange size_range{1, 8192};

// A number for each stage: a list, or the first, which doubles from stage to stage.
std::vector<uint32_t> for_stages(const JsonFields& fields, const char* key, size_t stages,
                                 uint32_t fallback) {
    const Json* value = fields.find(key);
    std::vector<uint32_t> numbers;
    if (value && value->is_array()) {
        for (const Json& one : *value) {
            if (!one.is_number_unsigned() || one == 0 || one > size_range.most)
                fields.refuse(key, "must hold positive whole numbers");
            numbers.push_back(one.get<uint32_t>());
        }
        if (numbers.size() != stages) fields.refuse(key, "has another length than depths");
        return numbers;
    }
    const uint32_t first = fields.whole(key, size_range, fallback);
    for (size_t i = 0; i < stages; ++i) numbers.push_back(first << i);
    return numbers;
}

// A pair of equal numbers, such as a stride.
uint32_t pair(const JsonFields& fields, const char* key, const Json& value) {
    const bool fits = value.is_array() && value.size() == 2 && value[0].is_number_unsigned() &&
                      value[0] == value[1] && value[0] <= 64;
    if (!fits) fields.refuse(key, "must hold pairs of equal numbers");
    return value[0].get<uint32_t>();
}
uint32_t pair(const JsonFields& fields, const char* key, uint32_t fallback) {
    const Json* value = fields.find(key);
    return value ? pair(fields, key, *value) : fallback;
}

std::vector<uint32_t> strides(const JsonFields& fields, const char* key, size_t stages,
                              std::vector<uint32_t> fallback) {
    const Json* value = fields.find(key);
    if (!value) return fallback;
    std::vector<uint32_t> list;
    if (value->is_array())
        for (const Json& one : *value) list.push_back(std::max(pair(fields, key, one), 1u));
    if (list.size() != stages) fields.refuse(key, "has another length than depths");
    return list;
}

// Options that no published model uses.
void refuse_other_forms(const JsonFields& cfg) {
    auto only = [&](const char* key, const char* value) {
        if (cfg.text(key, value) != value)
            cfg.refuse(key,
                       "is " + in_quotes(cfg.text(key)) + "; only '" + value + "' is supported");
    };
    only("mode", "conv");
    only("rel_pos_type", "spatial");
    only("act_layer", "gelu");
    only("norm_layer", "layernorm");
    if (cfg.flag("pool_first", false)) cfg.refuse("pool_first", "is true, which is not supported");
}

std::vector<uint32_t> read_depths(const JsonFields& cfg, std::vector<uint32_t> fallback) {
    const Json* list = cfg.find("depths");
    if (!list) return fallback;
    std::vector<uint32_t> depths;
    if (list->is_array() && list->size() <= 8)
        for (const Json& depth : *list)
            if (depth.is_number_unsigned() && depth > 0 && depth <= 1024)
                depths.push_back(depth.get<uint32_t>());
    if (depths.empty() || depths.size() != list->size())
        cfg.refuse("depths", "must be a list of positive whole numbers");
    return depths;
}

// timm's rule: keys and values are pooled less as the map of queries shrinks.
std::vector<uint32_t> adaptive_strides(uint32_t first, const std::vector<uint32_t>& stride_q) {
    std::vector<uint32_t> list;
    for (uint32_t stride : stride_q) {
        if (stride > 1) first = std::max(first / stride, 1u);
        list.push_back(first);
    }
    return list;
}

}  // namespace

uint32_t MvitConfig::layers() const {
    uint32_t sum = 0;
    for (const Stage& stage : stages) sum += stage.depth;
    return sum;
}

MvitConfig read_mvit_config(const Json& json, const std::string& where) {
    const JsonFields fields(json, where);
    const TimmConfig timm = read_timm_config(fields);
    const auto found = std::ranges::find(published(), timm.architecture, &Published::name);
    if (found == published().end())
        fields.refuse("architecture", in_quotes(timm.architecture) +
                                          " is not supported; supported: mvitv2_tiny, _small, "
                                          "_base, _large, and those with _cls");
    const Json none = Json::object();
    const bool has_args = fields.has("model_args");
    const JsonFields args = has_args ? fields.object("model_args") : JsonFields(none, where);
    for (const auto& [key, value] : has_args ? fields.find("model_args")->items() : none.items())
        if (key != "cfg" && key != "img_size")
            fields.refuse("model_args", "has " + in_quotes(key) + ", which is not supported");
    // A `cfg` overrides timm's defaults, not those of the named model.
    const bool own = args.has("cfg");
    const JsonFields cfg = own ? args.object("cfg") : JsonFields(none, where);
    const Published base = own ? Published{"", {2, 3, 16, 3}} : *found;
    refuse_other_forms(cfg);

    MvitConfig config;
    config.image = timm.image;
    config.labels = timm.labels;
    config.mlp_ratio = static_cast<float>(cfg.number("mlp_ratio", 0.01, 64, 4));
    config.norm_eps = static_cast<float>(cfg.number("norm_eps", 0, 1, 1e-6));
    config.widens_in_attention = cfg.flag("expand_attn", base.widens_in_attention);
    config.qkv_bias = cfg.flag("qkv_bias", true);
    config.class_token = cfg.flag("use_cls_token", base.class_token);
    config.absolute_positions = cfg.flag("use_abs_pos", false);
    config.residual_pooling = cfg.flag("residual_pooling", true);
    config.pool_kernel = pair(cfg, "kernel_qkv", 3);
    config.patch_kernel = pair(cfg, "patch_kernel", 7);
    config.patch_stride = pair(cfg, "patch_stride", 4);
    config.patch_padding = pair(cfg, "patch_padding", 3);
    if (config.pool_kernel % 2 == 0 || config.pool_kernel > 15)
        cfg.refuse("kernel_qkv", "must be odd and at most 15");
    if (config.patch_stride == 0 || config.patch_kernel == 0)
        cfg.refuse("patch_stride", "must not be 0");
    if (timm.image.x != timm.image.y)
        fields.refuse("input_size", "is not square, which relative positions need");

    const std::vector<uint32_t> depths = read_depths(cfg, base.depths);
    const size_t count = depths.size();
    std::vector<uint32_t> usual(count, 2);
    usual.front() = 1;
    const auto dims = for_stages(cfg, "embed_dim", count, base.dim);
    const auto heads = for_stages(cfg, "num_heads", count, base.heads);
    const auto stride_q = strides(cfg, "stride_q", count, usual);
    const auto stride_kv = strides(cfg, "stride_kv", count,
                                   adaptive_strides(pair(cfg, "stride_kv_adaptive", 4), stride_q));
    uint32_t dim = dims.front();
    for (size_t i = 0; i < count; ++i) {
        const uint32_t out =
            config.widens_in_attention ? dims[i] : dims[std::min(i + 1, count - 1)];
        const uint32_t attended = config.widens_in_attention ? out : dim;
        if (attended % heads[i] != 0 || (attended / heads[i] + 7) / 8 * 8 > 256)
            cfg.refuse("num_heads",
                       "makes heads that do not divide the columns evenly, or of more "
                       "than 256");
        config.stages.push_back({dim, out, depths[i], heads[i], stride_q[i], stride_kv[i]});
        dim = out;
    }
    return config;
}

}  // namespace saccade
