#include "app/inspect/study.h"

#include <algorithm>

#include "app/hub/model_finder.h"
#include "app/pipeline/still_pictures.h"
#include "gpu/transfer/read_back.h"

namespace saccade {

namespace {

constexpr uint32_t words_at_once = 8;  // generated before the end of the caption is checked

FeatureView features_of(Engine& engine, const Tap& tap, const TokenLayout& tokens,
                        FeatureView view) {
    view.similarity =
        read_back(engine, "map", [&](Commands& c) { return similarities(c, tap, tokens); });
    PatchColours colours(engine.device());
    view.colours =
        read_back(engine, "map", [&](Commands& c) { return colours.record(c, tap, tokens); });
    return view;
}

// Consecutive layers with the same grid and heads, whose queries lie on the same grid as their
// keys: they make one view. A model without stages has one such group.
struct Alike {
    uint32_t first = 0, count = 0;
};
std::vector<Alike> layers_alike(const ClassificationModel& model) {
    std::vector<Alike> groups;
    for (uint32_t i = 0; i < model.layers(); ++i) {
        const Size map = model.layout(i).grid;
        if (model.query_layout(i).grid != map) continue;
        const bool goes_on = !groups.empty() && groups.back().first + groups.back().count == i &&
                             model.layout(i - 1).grid == map &&
                             model.heads(i - 1) == model.heads(i);
        if (!goes_on) groups.push_back({i, 0});
        ++groups.back().count;
    }
    return groups;
}

}  // namespace

std::vector<float> EncoderView::drawn(std::vector<float> cells) const {
    if (!outliers) return cells;
    const float limit = outlier_limit(cells);
    for (float& cell : cells) cell = std::min(cell, limit);
    return cells;
}

std::vector<float> FeatureView::similarity_to(glm::vec2 point) const {
    const auto [row, column] = geometry.cell_at(point);
    const auto first =
        similarity.begin() + std::ptrdiff_t(size_t(row * geometry.grid.x + column) * cells());
    return {first, first + cells()};
}

Study::Study(Engine& engine, ModelsInUse& models, const std::string& name,
             const PictureView& picture, const Options& options)
    : name_(name), picture_(picture) {
    if (models.classifier)
        classifier_tap_ = Tap::on_first(models.classifier->model().layers(),
                                        models.classifier->phrases() != nullptr, true);
    if (models.captioner)
        captioner_tap_ = Tap::on_first(models.captioner->model().encoder_layers());
    if (models.detector) {
        detection_taps_.encoder = Tap::on_first(models.detector->model().encoder_layers(), false,
                                                models.detector->model().has_features());
        detection_taps_.decoder = Tap::on_first(models.detector->model().decoder_layers(),
                                                models.detector->phrases() != nullptr);
    }
    StillPictures pictures(engine, "inspect", [&](Commands& c, const Image& image) {
        const Size size{image.width(), image.height()};
        if (models.classifier) {
            models.classifier->prepare(size);
            models.classifier->record(c, image, classifier_tap_);
        }
        if (models.detector) {
            models.detector->prepare(size, options.size);
            models.detector->record(c, image, detection_taps_);
        }
        if (models.captioner) {
            models.captioner->prepare(size);
            models.captioner->record(c, image, captioner_tap_);
        }
    });
    pictures.run(name, picture);
    if (models.classifier) look_with_classifier(engine, *models.classifier, options);
    if (models.detector) look_with_detector(engine, *models.detector, options);
    if (models.captioner) look_with_captioner(engine, *models.captioner, options);
}

void Study::look_with_classifier(Engine& engine, Classifier& classifier, const Options& options) {
    known_classes_ = classifier.labels().size();
    sure_above_ = classifier.sure_above();
    for (const ClassScore& c : classifier.ranking().top(options.classes))
        classes_.push_back({classifier.labels()[c.id], double(c.score)});
    const ClassificationModel& model = classifier.model();
    const std::vector<AttentionLayer> layers = classifier_tap_.in_order();
    const std::vector<Alike> groups = layers_alike(model);
    layers_between_maps_ = model.layers();
    for (const auto& [first, count] : groups) {
        layers_between_maps_ -= count;
        const TokenLayout tokens = model.layout(first);
        const auto begin = layers.begin() + std::ptrdiff_t(first);
        std::string task = "classifier";
        if (groups.size() > 1) task += "-from-layer-" + std::to_string(first);
        encoders_.push_back({task,
                             title_of(options.names.classifier),
                             AttentionSource(engine, {begin, begin + std::ptrdiff_t(count)},
                                             tokens.first_cell, classifier.geometry(first)),
                             tokens.first_cell > 0,
                             model.has_outliers(),
                             {},
                             first,
                             model.layers()});
    }
    feature_views_.push_back(features_of(
        engine, classifier_tap_, model.feature_layout(),
        {"classifier", title_of(options.names.classifier), classifier.feature_geometry()}));
    if (classifier.phrases()) {
        PhraseView view{"classifier",
                        title_of(options.names.classifier),
                        classifier.labels(),
                        {},
                        classifier.geometry()};
        for (uint32_t i = 0; i < view.phrases.size(); ++i)
            view.maps.push_back(read_back(engine, "map", [&](Commands& c) {
                return classifier.look_from_phrase(c, classifier_tap_, i);
            }));
        phrase_views_.push_back(std::move(view));
    }
    if (!model.rolls_out()) return;
    Rollout rollout(engine.device());
    encoders_.back().rollout = read_back(engine, "map", [&](Commands& c) {
        return rollout.record(c, classifier_tap_, model.layout(0).first_query);
    });
}

void Study::look_with_detector(Engine& engine, const Detector& detector, const Options& options) {
    detections_ = detector.findings().detections(options.filter);
    const TokenLayout tokens = detector.layout();
    const AttentionSource encoder(engine, detection_taps_.encoder.in_order(), tokens.first_cell,
                                  detector.geometry());
    if (encoder.layers() > 0)
        encoders_.push_back({"detector",
                             title_of(options.names.detector),
                             encoder,
                             false,
                             false,
                             {},
                             0,
                             encoder.layers()});
    // DETR's queries attend to the encoder's output, which has cells only.
    detection_view_ = {title_of(options.names.detector),
                       tokens.cross ? AttentionSource(engine, detection_taps_.decoder.in_order(),
                                                      detector.query_layout().first_cell,
                                                      detector.query_geometry())
                                    : encoder,
                       {}};
    for (const Detection& d : detections_)
        detection_view_->all.push_back(
            {detector.labels()[d.id], double(d.score), tokens.first_query + d.query, 1});
    if (detector.model().has_features())
        feature_views_.push_back(
            features_of(engine, detection_taps_.encoder, tokens,
                        {"detector", title_of(options.names.detector), detector.geometry()}));
    if (!detector.phrases()) return;
    PhraseView view{
        "detector", title_of(options.names.detector), detector.labels(), {}, detector.geometry()};
    for (uint32_t i = 0; i < view.phrases.size(); ++i)
        view.maps.push_back(read_back(engine, "map", [&](Commands& c) {
            return detector.look_from_phrase(c, detection_taps_, i);
        }));
    phrase_views_.push_back(std::move(view));
}

void Study::look_with_words(Engine& engine, const Captioner& captioner, const Options& options) {
    word_geometry_ = captioner.geometry();
    for (const CaptionWord& word : caption_->words)
        word_maps_.push_back(read_back(engine, "map", [&](Commands& c) {
            return captioner.look_from_word(c, options.word_look, word.first, word.count);
        }));
}

// Adds a view for each run of layers with the same grid.
void Study::look_with_eye(Engine& engine, const Captioner& captioner, const std::string& title) {
    const CaptionModel& model = captioner.model();
    const std::vector<AttentionLayer> all = captioner_tap_.in_order();
    const uint32_t count = model.encoder_layers();
    for (uint32_t first = 0, end = 0; first < count; first = end) {
        const TokenLayout tokens = model.encoder_layout(first);
        while (end < count && model.encoder_layout(end).grid == tokens.grid) ++end;
        const std::string task =
            end - first < count ? "captioner-from-layer-" + std::to_string(first) : "captioner";
        encoders_.push_back({task,
                             title,
                             AttentionSource(engine, {all.begin() + first, all.begin() + end},
                                             tokens.first_cell, captioner.encoder_geometry(first)),
                             false,
                             false,
                             {},
                             first,
                             count});
    }
}

void Study::look_with_captioner(Engine& engine, Captioner& captioner, const Options& options) {
    captioner.start();
    while (!captioner.finished()) {
        captioner.advance(words_at_once);
        caption_ = captioner.result();
    }
    const CaptionModel& model = captioner.model();
    const bool among_words = !model.decoder().picture_words().empty();
    if (among_words || model.question_layers() > 0) look_with_words(engine, captioner, options);
    if (among_words) return;  // its encoder sees tiles, not the whole picture
    const PictureTokens tokens = model.picture();
    look_with_eye(engine, captioner, title_of(options.names.captioner));
    if (!word_maps_.empty()) return;
    std::vector<AttentionLayer> layers;
    for (uint32_t i = 0; i < captioner.model().decoder().form().layers; ++i)
        layers.push_back(captioner.cross_attention_layer(i));
    word_view_ = {
        title_of(options.names.captioner),
        AttentionSource(engine, std::move(layers), tokens.first_cell, captioner.geometry()),
        {}};
    // Each token of a word is predicted at the position of the token before it.
    for (const CaptionWord& word : caption_->words)
        word_view_->all.push_back({word.text, word.p, static_cast<uint32_t>(word.first - 1),
                                   static_cast<uint32_t>(word.count)});
}

}  // namespace saccade
