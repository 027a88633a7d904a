#include "models/registry/registry.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "models/captioning/blip.h"
#include "models/captioning/blip_vqa.h"
#include "models/captioning/show_attend_tell.h"
#include "models/captioning/vision_encoder_decoder.h"
#include "models/classification/attention_cnn.h"
#include "models/classification/dino_classifier.h"
#include "models/classification/mvit.h"
#include "models/classification/swin.h"
#include "models/classification/vit_classifier.h"
#include "models/contrast/clip.h"
#include "models/contrast/owl.h"
#include "models/contrast/siglip.h"
#include "models/detection/deformable/rf_detr.h"
#include "models/detection/deformable/rt_detr.h"
#include "models/detection/detr.h"
#include "models/detection/fine/authors_folder.h"
#include "models/detection/fine/d_fine.h"
#include "models/detection/fine/deimv2.h"
#include "models/detection/yolos.h"
#include "models/files/checkpoint.h"
#include "models/language/smolvlm.h"
#include "models/picture/preprocessor.h"
#include "models/registry/published.h"
#include "models/timm/timm_config.h"

namespace saccade {

namespace {

// Makes a model whose constructor takes its weights and its config, as its task's base class. A
// family whose authors compute it otherwise than transformers has a function that changes its
// config to that.
template <typename Face, typename Model, auto read_config>
std::unique_ptr<Face> make(const ModelSource& from) {
    auto config = read_config(from.config, from.where);
    if constexpr (requires { follow_authors(config); })
        if (from.as == Implementation::authors) follow_authors(config);
    return std::make_unique<Model>(from.weights, config);
}
template <typename Model, auto read_config>
constexpr Family::Classifier classifier = make<ClassificationModel, Model, read_config>;
template <typename Model, auto read_config>
constexpr Family::Detector detector = make<DetectionModel, Model, read_config>;
template <typename Model, auto read_config>
constexpr Family::Captioner captioner = make<CaptionModel, Model, read_config>;

// The same for a model with a loader of its own for the part before the first norm.
template <typename Model, auto read_config>
constexpr Family::Detector detector_with_front =
    [](const ModelSource& from) -> std::unique_ptr<DetectionModel> {
    return std::make_unique<Model>(from.front, from.weights, read_config(from.config, from.where));
};

// DEIMv2, as whose code the weights were trained with computes it.
std::unique_ptr<DetectionModel> make_deimv2(const ModelSource& from) {
    Deimv2Config config = read_deimv2_config(from.config, from.where);
    choose_implementation(config, from.as, from.weights.source());
    return std::make_unique<Deimv2>(from.front, from.weights, config);
}
std::unique_ptr<DetectionModel> make_deimv2_of_authors(const ModelSource& from) {
    return std::make_unique<Deimv2>(
        from.front, from.weights, read_deimv2_config_of_authors(from.config, from.where, from.as));
}

// timm's folders describe the same models by other fields.
ViTConfig read_timm_vit_config(const Json& config, const std::string& where) {
    return read_vit_config(vit_config_of_timm(config, where), where);
}
SwinConfig read_timm_swin_config(const Json& config, const std::string& where) {
    return read_swin_config(swin_config_of_timm(config, where), where);
}

// BLIP's architecture says whether it describes or answers.
std::unique_ptr<CaptionModel> make_blip(const ModelSource& from) {
    const std::vector<std::string> all = JsonFields(from.config, from.where).texts("architectures");
    if (std::ranges::find(all, "BlipForQuestionAnswering") != all.end())
        return make<CaptionModel, BlipVqa, read_blip_vqa_config>(from);
    return std::make_unique<Blip>(from.weights, read_blip_config(from.config, from.where));
}

constexpr Family all_families[] = {
    {.type = "vit",
     .make = classifier<ViTClassifier, read_vit_config>,
     .image_processor = "ViT",
     .published = published_vits},
    {.type = "deit", .make = classifier<ViTClassifier, read_vit_config>, .image_processor = "DeiT"},
    {.type = "dinov2",
     .make = classifier<DinoClassifier, read_dino_config>,
     .image_processor = "Bit",
     .published = published_dinos},
    {.type = "dinov2_with_registers",
     .make = classifier<DinoClassifier, read_dino_config>,
     .image_processor = "Bit"},
    {.type = "dinov3_vit",
     .make = classifier<DinoClassifier, read_dino_config>,
     .image_processor = "DINOv3ViT"},
    {.type = "swin",
     .make = classifier<Swin, read_swin_config>,
     .image_processor = "ViT",
     .published = published_swins},
    {.type = "swinv2", .make = classifier<Swin, read_swin_config>, .image_processor = "ViT"},
    {.type = "vit",
     .timm = true,
     .make = classifier<ViTClassifier, read_timm_vit_config>,
     .image_processor = {}},
    {.type = "deit",
     .timm = true,
     .make = classifier<ViTClassifier, read_timm_vit_config>,
     .image_processor = {}},
    {.type = "swin",
     .timm = true,
     .make = classifier<Swin, read_timm_swin_config>,
     .image_processor = {}},
    {.type = "mvitv2",
     .timm = true,
     .make = classifier<Mvit, read_mvit_config>,
     .image_processor = {}},
    {.type = "attention_cnn",
     .make = classifier<AttentionCnn, read_attention_cnn_config>,
     .image_processor = "ViT"},
    {.type = "clip", .make = classifier<Clip, read_clip_config>, .image_processor = "CLIP"},
    {.type = "siglip", .make = classifier<Siglip, read_siglip_config>, .image_processor = "Siglip"},
    {.type = "siglip2",
     .make = classifier<Siglip, read_siglip_config>,
     .image_processor = "Siglip2"},
    {.type = "detr",
     .make = detector_with_front<Detr, read_detr_config>,
     .image_processor = "Detr",
     .published = published_detrs},
    {.type = "yolos",
     .make = detector<Yolos, read_yolos_config>,
     .image_processor = "Yolos",
     .published = published_yolos},
    {.type = "owlv2",
     .make = detector<Owl, read_owl_config>,
     .image_processor = "Owlv2",
     .published = published_owls},
    {.type = "owlvit", .make = detector<Owl, read_owl_config>, .image_processor = "OwlViT"},
    {.type = "rt_detr",
     .make = detector_with_front<RtDetr, read_rt_detr_config>,
     .image_processor = "RTDetr",
     .published = published_rt_detrs},
    {.type = "rt_detr_v2",
     .make = detector_with_front<RtDetr, read_rt_detr_config>,
     .image_processor = "RTDetr"},
    {.type = "d_fine",
     .make = detector_with_front<DFine, read_d_fine_config>,
     .image_processor = "RTDetr",
     .published = published_d_fines},
    {.type = "deimv2",
     .make = make_deimv2,
     .image_processor = "RTDetr",
     .published = published_deimv2s},
    {.type = "deimv2",
     .authors = authors_decoder,
     .make = make_deimv2_of_authors,
     .image_processor = {}},
    {.type = "rf_detr",
     .make = detector<RfDetr, read_rf_detr_config>,
     .image_processor = "RfDetr",
     .published = published_rf_detrs},
    {.type = "vision-encoder-decoder",
     .make = captioner<VisionEncoderDecoder, read_vision_encoder_decoder_config>,
     .image_processor = "ViT",
     .tied = "decoder.lm_head.weight",
     .published = published_vit_gpt2s},
    {.type = "blip",
     .make = make_blip,
     .image_processor = "Blip",
     .tied = "text_decoder.cls.predictions.decoder.",
     .published = published_blips},
    {.type = "smolvlm",
     .make = captioner<SmolVlm, read_smolvlm_config>,
     .image_processor = "SmolVLM",
     .tied = "lm_head.weight"},
    {.type = "idefics3",
     .make = captioner<SmolVlm, read_smolvlm_config>,
     .image_processor = "Idefics3",
     .tied = "lm_head.weight",
     .published = published_smolvlms},
    {.type = "show_attend_tell",
     .make = captioner<ShowAttendTell, read_show_attend_tell_config>,
     .image_processor = "ViT"},
};

constexpr const char* a_model_for(Task task) {
    switch (task) {
        case Task::classify:
            return "a classifier";
        case Task::detect:
            return "a detector";
        case Task::caption:
            return "a captioner";
    }
    return "";
}

// "vit, deit": all families, or those for a task. timm's are marked.
std::string types(std::optional<Task> task) {
    std::string list;
    for (const Family& family : all_families)
        if (!task || family.task() == *task)
            list += (list.empty() ? "" : ", ") + std::string(family.type) +
                    (family.timm              ? "_... of timm"
                     : family.authors.empty() ? ""
                                              : " of its authors");
    return list;
}

// The field of config.json that names the family.
const char* type_key(const JsonFields& fields) {
    return !fields.has("model_type") && fields.has("architecture") ? "architecture" : "model_type";
}

const Family* find_family_of_authors(const JsonFields& fields) {
    if (fields.has("model_type")) return nullptr;
    const auto found = std::ranges::find_if(all_families, [&](const Family& family) {
        return !family.authors.empty() && fields.has(family.authors);
    });
    return found == std::end(all_families) ? nullptr : found;
}

const Family* find_family(const JsonFields& fields) {
    if (const Family* of_authors = find_family_of_authors(fields)) return of_authors;
    const std::string_view key = type_key(fields);
    const std::string type = fields.text(key);
    for (const Family& family : all_families) {
        const bool same = key == "architecture"
                              ? family.timm && type.starts_with(std::string(family.type) + "_")
                              : !family.timm && family.authors.empty() && type == family.type;
        if (same) return &family;
    }
    return nullptr;
}

}  // namespace

std::span<const Family> families() { return all_families; }

const Family& family_of(const Json& config, const std::string& where) {
    const JsonFields fields(config, where);
    if (const Family* found = find_family(fields)) return *found;
    const char* const key = type_key(fields);
    fields.refuse(
        key, in_quotes(fields.text(key)) + " is not supported; supported: " + types(std::nullopt));
}

const Family& family_for(Task task, const Json& config, const std::string& where) {
    const Family& found = family_of(config, where);
    if (found.task() == task) return found;
    const JsonFields fields(config, where);
    if (!found.authors.empty())
        fields.refuse(found.authors, std::string("belongs to a detector, not to ") +
                                         a_model_for(task) + "; supported: " + types(task));
    const char* const key = type_key(fields);
    fields.refuse(key, in_quotes(fields.text(key)) + " is not " + a_model_for(task) +
                           "; supported: " + types(task));
}

const Family& family_of(const std::filesystem::path& folder) {
    const std::filesystem::path file = config_in(folder);
    return family_of(read_json(file), file.string());
}

Preprocessor read_preprocessor(const std::filesystem::path& folder, const Json& config,
                               const std::string& where) {
    JsonFields fields(config, where);
    if (fields.has("encoder")) fields = fields.object("encoder");  // the vision encoder
    const Family* const family = find_family(fields);
    if (family && family->timm) return timm_preprocessor(config, where);
    if (family && !family->authors.empty()) return deimv2_preprocessor_of_authors(config, where);
    return Preprocessor::read(folder, family ? family->image_processor : std::string_view());
}

}  // namespace saccade
