// timm's folders hold the same models as transformers', under other names.

#include "models/timm/timm_names.h"

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "models/classifier.h"
#include "models/files/synthetic.h"
#include "models/timm/timm_config.h"
#include "tests/gpu_test.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

using Floats = std::vector<float>;
using Bytes = std::vector<std::byte>;

// Random weights with transformers' names, and the same under timm's: q, k and v in one tensor.
class Weights : public WeightSource {
public:
    std::optional<StoredTensor> find(std::string_view name,
                                     std::span<const uint64_t> shape) override {
        if (!name.starts_with("vit.") && !name.starts_with("deit.") && !name.starts_with("swin.") &&
            name.find("classifier") == name.npos)
            return std::nullopt;
        Bytes& bytes = all_[std::string(name)];
        if (bytes.empty()) bytes = synthetic_bytes(1, name, shape, StoredType::f32);
        shapes_[std::string(name)] = {shape.begin(), shape.end()};
        return StoredTensor{std::string(name), StoredType::f32, shapes_[std::string(name)], bytes};
    }
    void release(std::span<const std::byte>) override {}
    std::string where(std::string_view) const override { return "weights"; }
    uint64_t elements() const override { return 0; }
    std::vector<std::string> unused() const override { return {}; }

    std::map<std::string, Bytes> all_;
    std::map<std::string, std::vector<uint64_t>> shapes_;
};

class TimmTest : public GpuTest {
protected:
    Floats logits(Classifier& classifier) {
        classifier.prepare({300, 200});
        Tap nobody;
        const PictureInput& input = classifier.input();
        const uint32_t rows = input.patches(), columns = input.patch_columns();
        Floats pixels(size_t(rows) * columns);
        for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = std::sin(0.37f * float(i));
        return run([&](Commands& c) {
            return classifier.logits(c, tensor(1, rows, columns, Type::f32, pixels), nobody);
        });
    }

    // timm's names: q, k and v are stacked in this order.
    static std::string timm_name(const std::string& name, bool old) {
        std::string n = name;
        auto replace = [&](const std::string& from, const std::string& to) {
            if (const size_t at = n.find(from); at != n.npos) n.replace(at, from.size(), to);
        };
        for (const char* part : {"query", "key", "value"})
            for (const char* in : {".attention.attention.", ".attention.self."})
                replace(std::string(in) + part, ".attn.qkv");
        replace(".attention.self.relative", ".attn.relative");
        replace(".attention.output.dense", ".attn.proj");
        replace(".layernorm_before", ".norm1");
        replace(".layernorm_after", ".norm2");
        replace(".intermediate.dense", ".mlp.fc1");
        replace(".output.dense", ".mlp.fc2");
        for (const char* model : {"vit.", "deit."}) {
            replace(std::string(model) + "embeddings.position_embeddings", "pos_embed");
            replace(std::string(model) + "embeddings.cls_token", "cls_token");
            replace(std::string(model) + "embeddings.distillation_token", "dist_token");
            replace(std::string(model) + "embeddings.patch_embeddings.projection",
                    "patch_embed.proj");
            replace(std::string(model) + "encoder.layer.", "blocks.");
            replace(std::string(model) + "layernorm", "norm");
        }
        replace("swin.embeddings.patch_embeddings.projection", "patch_embed.proj");
        replace("swin.embeddings.norm", "patch_embed.norm");
        replace("swin.layernorm", "norm");
        const size_t stage = n.find("swin.encoder.layers.");
        if (stage != n.npos) {
            n.erase(0, std::string("swin.encoder.").size());
            if (!old && n.find("downsample") != n.npos) n[7] = char(n[7] + 1);
        }
        replace("cls_classifier", "head");
        replace("distillation_classifier", "head_dist");
        replace("classifier", name.starts_with("classifier") && !old ? "head.fc" : "head");
        return n;
    }

    void expect_same(const char* architecture, const Json& arguments, const Json& theirs,
                     bool old) {
        SCOPED_TRACE(architecture);
        const Json timm = {{"architecture", architecture},
                           {"num_classes", 7u},
                           {"model_args", arguments},
                           {"pretrained_cfg", {{"input_size", {3u, 64u, 64u}}}}};
        const Preprocessor preprocessor = timm_preprocessor(timm, "config.json");
        Weights weights;
        Classifier reference(device, theirs, "config.json", preprocessor, weights, Type::f32);
        const Floats want = logits(reference);

        std::map<std::string, std::pair<std::vector<uint64_t>, Bytes>> files;
        for (const char* part : {"query", "key", "value", ""})
            for (const auto& [name, bytes] : weights.all_) {
                const bool thirds = name.find(".query.") != name.npos ||
                                    name.find(".key.") != name.npos ||
                                    name.find(".value.") != name.npos;
                const std::string word = "." + std::string(part) + ".";
                if (*part ? name.find(word) == name.npos : thirds) continue;
                auto& [shape, all] = files[timm_name(name, old)];
                if (shape.empty())
                    shape = weights.shapes_[name];
                else
                    shape[0] += weights.shapes_[name][0];
                all.insert(all.end(), bytes.begin(), bytes.end());
            }
        std::vector<StoredTensor> tensors;
        for (const auto& [name, tensor] : files)
            tensors.push_back({name, StoredType::f32, tensor.first, tensor.second});
        TempFolder temp;
        write_safetensors(temp.path() / "model.safetensors", tensors);
        std::ofstream(temp.path() / "config.json") << timm;
        Classifier classifier = Classifier::open(device, temp.path(), Type::f32);
        EXPECT_TRUE(classifier.unused().empty());
        EXPECT_EQ(logits(classifier), want);
    }
};

TEST_F(TimmTest, vit_and_deit_are_transformers_models_under_other_names) {
    const Json arguments = {{"embed_dim", 48u}, {"depth", 2u}, {"num_heads", 3u}};
    Json theirs = {
        {"model_type", "vit"},       {"hidden_size", 48u},        {"num_hidden_layers", 2u},
        {"num_attention_heads", 3u}, {"intermediate_size", 192u}, {"layer_norm_eps", 1e-6},
        {"image_size", 64u},         {"patch_size", 16u},         {"num_labels", 7u}};
    expect_same("vit_tiny_patch16_224", arguments, theirs, true);
    expect_same("deit_tiny_patch16_224", arguments, theirs, true);
    theirs["model_type"] = "deit";
    theirs["architectures"] = {"DeiTForImageClassificationWithTeacher"};
    expect_same("deit_tiny_distilled_patch16_224", arguments, theirs, true);
}

TEST_F(TimmTest, swin_is_transformers_under_new_names_and_old_ones) {
    const Json arguments = {{"embed_dim", 16u},
                            {"depths", {2u, 1u, 2u}},
                            {"num_heads", {1u, 2u, 4u}},
                            {"window_size", 4u}};
    Json theirs = arguments;
    theirs["model_type"] = "swin";
    theirs["image_size"] = 64u;
    theirs["num_labels"] = 7u;
    for (const bool old : {false, true})
        expect_same("swin_tiny_patch4_window7_224", arguments, theirs, old);
}

TEST(Timm, what_is_not_supported_is_refused_in_one_line) {
    auto says = [](const char* text, const char* part) {
        expect_says(
            error_of([&] { vit_config_of_timm(parse_json(text, "config.json"), "config.json"); }),
            part);
    };
    says(R"({"architecture": "vit_base_patch16_clip_224"})", "vit_SIZE_patchN_N");
    says(R"({"architecture": "vit_base_patch16_224", "model_args": {"reg_tokens": 4}})",
         "reg_tokens");
    expect_says(error_of([] {
                    timm_preprocessor(parse_json(R"({"architecture": "vit_base_patch16_224",
                        "pretrained_cfg": {"crop_mode": "border"}})",
                                                 "config.json"),
                                      "config.json");
                }),
                "border");
}

TEST(Timm, pictures_are_resized_by_the_shorter_edge_and_cropped_in_the_middle) {
    const Preprocessor p = timm_preprocessor(
        parse_json(
            R"({"architecture": "vit_base_patch16_224", "pretrained_cfg": {"crop_pct": 0.9}})",
            "config.json"),
        "config.json");
    EXPECT_EQ(p.resized({600, 400}), Size(372, 248));
    const PreprocessPlan plan = p.plan(605, 400);  // 375 x 248
    EXPECT_EQ(plan.width, 224u);
    EXPECT_EQ(plan.crop_left, 76) << "75.5 is rounded to even";
    EXPECT_EQ(plan.crop_top, 12);
}

}  // namespace
}  // namespace saccade
