#include "models/timm/timm_names.h"

#include <array>
#include <regex>

namespace saccade {

namespace {

// A name in transformers and in timm; `part` of three, if timm stacks tensors.
struct Name {
    const char *theirs, *timm;
    int part = -1;
};

constexpr const char* qkv = "$1.attn.qkv.$2";
// The first name that matches and is in the file counts; older files have other names for some
// tensors.
constexpr std::array names{
    // ViT, DeiT
    Name{R"((?:vit|deit)\.embeddings\.position_embeddings)", "pos_embed"},
    Name{R"((?:vit|deit)\.embeddings\.cls_token)", "cls_token"},
    Name{R"(deit\.embeddings\.distillation_token)", "dist_token"},
    Name{R"((?:vit|deit)\.embeddings\.patch_embeddings\.projection\.(.*))", "patch_embed.proj.$1"},
    Name{R"((?:vit|deit)\.encoder\.layer\.(\d+)\.(.*))", "blocks.$1.$2"},
    Name{R"((?:vit|deit)\.layernorm\.(.*))", "norm.$1"},
    Name{R"(cls_classifier\.(.*))", "head.$1"},
    Name{R"(distillation_classifier\.(.*))", "head_dist.$1"},
    // Swin
    Name{R"(swin\.embeddings\.patch_embeddings\.projection\.(.*))", "patch_embed.proj.$1"},
    Name{R"(swin\.embeddings\.norm\.(.*))", "patch_embed.norm.$1"},
    Name{R"(swin\.encoder\.layers\.(\d+)\.(.*))", "layers.$1.$2"},
    Name{R"(swin\.layernorm\.(.*))", "norm.$1"},
    // both
    Name{R"(classifier\.(.*))", "head.fc.$1"},
    Name{R"(classifier\.(.*))", "head.$1"},
};
// Names within a block.
constexpr std::array parts{
    Name{R"((.*)\.attention\.(?:attention|self)\.query\.(.*))", qkv, 0},
    Name{R"((.*)\.attention\.(?:attention|self)\.key\.(.*))", qkv, 1},
    Name{R"((.*)\.attention\.(?:attention|self)\.value\.(.*))", qkv, 2},
    Name{R"((.*)\.attention\.self\.(relative_position_bias_table))", "$1.attn.$2"},
    Name{R"((.*)\.attention\.output\.dense\.(.*))", "$1.attn.proj.$2"},
    Name{R"((.*)\.layernorm_before\.(.*))", "$1.norm1.$2"},
    Name{R"((.*)\.layernorm_after\.(.*))", "$1.norm2.$2"},
    Name{R"((.*)\.intermediate\.dense\.(.*))", "$1.mlp.fc1.$2"},
    Name{R"((.*)\.output\.dense\.(.*))", "$1.mlp.fc2.$2"},
};

// timm has patch merging at the beginning of the next stage, in older files at the end of a stage.
std::string next_stage(const std::string& name) {
    static const std::regex merging(R"(layers\.(\d+)\.downsample\.(.*))");
    std::smatch found;
    if (!std::regex_match(name, found, merging)) return name;
    return "layers." + std::to_string(std::stoi(found[1]) + 1) + ".downsample." +
           std::string(found[2]);
}

std::optional<StoredTensor> third(std::optional<StoredTensor> all, int part) {
    if (!all || part < 0 || all->shape.empty() || all->shape[0] % 3 != 0) return all;
    const size_t bytes = all->bytes.size() / 3;
    all->shape[0] /= 3;
    all->bytes = all->bytes.subspan(size_t(part) * bytes, bytes);
    return all;
}

}  // namespace

std::optional<StoredTensor> TimmNames::find(std::string_view name,
                                            std::span<const uint64_t> shape) {
    const std::string theirs(name);
    for (const Name& rule : names) {
        const std::regex form(rule.theirs);
        if (!std::regex_match(theirs, form)) continue;
        std::string ours = std::regex_replace(theirs, form, rule.timm);
        int part = -1;
        for (const Name& inner : parts) {
            const std::regex inner_form(inner.theirs);
            if (!std::regex_match(ours, inner_form)) continue;
            ours = std::regex_replace(ours, inner_form, inner.timm);
            part = inner.part;
            break;
        }
        std::vector<uint64_t> whole(shape.begin(), shape.end());
        if (part >= 0 && !whole.empty()) whole[0] *= 3;
        if (const std::string next = next_stage(ours); next != ours)
            // Both names may exist, for different stages: the shape tells them apart.
            for (const std::string& either : {next, ours})
                if (auto found = from_.find(either, whole); found && found->shape == whole)
                    return found;
        if (auto found = from_.find(ours, whole)) return third(std::move(found), part);
    }
    return from_.find(name, shape);
}

}  // namespace saccade
