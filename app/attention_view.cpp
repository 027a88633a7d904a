#include "app/attention_view.h"

#include <set>

#include "gpu/error.h"

namespace saccade {

namespace {

std::set<uint32_t> layers_up_to(uint32_t count) {
    std::set<uint32_t> layers;
    for (uint32_t i = 0; i < count; ++i) layers.insert(i);
    return layers;
}

bool of_classifier(AttentionKind kind) {
    return kind == AttentionKind::rollout || kind == AttentionKind::cls ||
           kind == AttentionKind::head;
}

// How many layers there are to choose from, and which one shows most: the last of a decoder, but
// the last but one of an encoder, whose last one gathers for the heads and looks less at places.
struct Layers {
    uint32_t count = 0, clearest = 0, heads = 0;
};
Layers layers_of(AttentionKind kind, const ModelsInUse& models) {
    if (of_classifier(kind)) {
        if (!models.classifier) throw Error("--attention of a class token needs a --classifier");
        const ViTConfig& config = models.classifier->config();
        return {config.layers, config.layers - 1, config.heads};
    }
    if (kind == AttentionKind::detection) {
        if (!models.detector) throw Error("--attention detection needs a --detector");
        const DetectionModel& model = models.detector->model();
        if (model.decoder_layers() > 0)
            return {model.decoder_layers(), model.decoder_layers() - 1, model.heads()};
        const uint32_t layers = model.encoder_layers();
        return {layers, layers > 1 ? layers - 2 : 0, model.heads()};
    }
    if (!models.captioner) throw Error("--attention word needs a --captioner");
    const TextDecoderForm& form = models.captioner->model().decoder().form();
    return {form.layers, form.layers - 1, form.heads};
}

}  // namespace

AttentionKind attention_named(const std::string& name) {
    for (AttentionKind kind : {AttentionKind::none, AttentionKind::rollout, AttentionKind::cls,
                               AttentionKind::head, AttentionKind::detection, AttentionKind::word})
        if (name == name_of(kind)) return kind;
    throw Error("--attention is none, rollout, cls, head, detection or word, not '" + name + "'");
}

std::string_view name_of(AttentionKind kind) {
    switch (kind) {
        case AttentionKind::none:
            return "none";
        case AttentionKind::rollout:
            return "rollout";
        case AttentionKind::cls:
            return "cls";
        case AttentionKind::head:
            return "head";
        case AttentionKind::detection:
            return "detection";
        case AttentionKind::word:
            return "word";
    }
    return "";
}

Look look_of(const AttentionChoice& choice, const ModelsInUse& models) {
    const Layers layers = layers_of(choice.kind, models);
    Look look{choice.layer.value_or(layers.clearest), choice.head};
    if (choice.kind == AttentionKind::head && !look.head) look.head = 0;
    if (look.layer >= layers.count)
        throw Error("--layer " + std::to_string(look.layer) + ": there are " +
                    std::to_string(layers.count) + " layers, from 0 on");
    if (look.head && *look.head >= layers.heads)
        throw Error("--head " + std::to_string(*look.head) + ": there are " +
                    std::to_string(layers.heads) + " heads, from 0 on");
    return look;
}

AttentionView::AttentionView(Engine& engine, const ModelsInUse& models,
                             const AttentionChoice& choice)
    : engine_(&engine),
      models_(&models),
      choice_(choice),
      attention_row_(engine.device()),
      commands_(std::make_unique<Commands>(engine.device(), engine.scratch(), "attention", 0)) {
    look_ = look_of(choice, models);
    if (choice.kind == AttentionKind::rollout)
        rollout_.emplace(engine.device(), models.classifier->config().tokens());
}

DetectionTaps AttentionView::detection_taps() const {
    DetectionTaps taps;
    if (choice_.kind != AttentionKind::detection) return taps;
    const bool cross = models_->detector->model().decoder_layers() > 0;
    (cross ? taps.decoder : taps.encoder) = Tap({look_.layer});
    return taps;
}

Tap AttentionView::classifier_tap() const {
    if (!of_classifier(choice_.kind)) return {};
    if (choice_.kind == AttentionKind::rollout)
        return Tap(layers_up_to(models_->classifier->config().layers));
    return Tap({look_.layer});
}

MapGeometry AttentionView::geometry() const {
    if (choice_.kind == AttentionKind::detection) return models_->detector->geometry();
    if (choice_.kind == AttentionKind::word) return models_->captioner->geometry();
    const ViTConfig& config = models_->classifier->config();
    return geometry_of(
        models_->classifier->input().plan(), {config.grid_height(), config.grid_width()},
        static_cast<float>(config.patch_width), static_cast<float>(config.patch_height));
}

void AttentionView::prepare() {
    const auto [height, width] = geometry().grid;
    const uint64_t bytes = tensor_bytes(1, height, width, Type::f32);
    if (memory_.bytes() < bytes)
        memory_ = Buffer(engine_->device(), "attention map", bytes, Memory::device);
    map_ = make_tensor(memory_.handle(), 0, 1, height, width, Type::f32);
}

bool AttentionView::look(const DetectionTaps& detection_taps, const Tap& classifier_tap,
                         std::span<const Detection> found, const Caption* caption, uint64_t frame) {
    if (choice_.kind == AttentionKind::detection && found.empty()) return false;
    if (choice_.kind == AttentionKind::word && !word(caption, frame)) return false;
    commands_->begin();
    {
        auto scope = commands_->scope("attention");
        copy(*commands_, map_,
             record(*commands_, detection_taps, classifier_tap, found, caption, frame));
    }
    commands_->end();
    commands_->submit();
    return true;
}

std::optional<size_t> AttentionView::word(const Caption* caption, uint64_t frame) const {
    if (choice_.kind != AttentionKind::word || !caption || caption->words.empty())
        return std::nullopt;
    constexpr uint64_t frames_a_word = 10;  // a third of a second or so
    return frame / frames_a_word % caption->words.size();
}

Tensor AttentionView::record(Commands& c, const DetectionTaps& detection_taps,
                             const Tap& classifier_tap, std::span<const Detection> found,
                             const Caption* caption, uint64_t frame) {
    switch (choice_.kind) {
        case AttentionKind::detection:
            return models_->detector->look_from_query(c, detection_taps, look_,
                                                      found.front().query);
        case AttentionKind::word: {
            const CaptionWord& shown = caption->words[word(caption, frame).value()];
            return models_->captioner->look_from_word(c, look_, shown.first, shown.count);
        }
        case AttentionKind::rollout:
            return class_token_cells(c, rollout_->record(c, classifier_tap, 0));
        default:
            return class_token_cells(
                c, attention_row_.record(c, classifier_tap.layer(look_.layer), 0, look_.head));
    }
}

// Of a row of the classifier's attention, what falls on the picture: patches come last.
Tensor AttentionView::class_token_cells(Commands& c, const Tensor& row) const {
    const Extent grid = geometry().grid;
    return cells_of(c, row, grid, row.columns - grid.area());
}

}  // namespace saccade
