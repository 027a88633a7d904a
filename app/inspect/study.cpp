#include "app/inspect/study.h"

#include <set>

#include "app/hub/model_finder.h"
#include "app/pipeline/still_pictures.h"
#include "gpu/transfer/download.h"

namespace saccade {

namespace {

constexpr uint32_t words_at_once = 8;  // before it is looked whether the caption has ended

Tap tap_on(uint32_t layers) {
    std::set<uint32_t> all;
    for (uint32_t i = 0; i < layers; ++i) all.insert(i);
    return Tap(all);
}

std::vector<AttentionLayer> layers_of(const Tap& tap) {
    std::vector<AttentionLayer> layers;
    for (const auto& [index, kept] : tap.layers()) layers.push_back(kept);
    return layers;
}

}  // namespace

Study::Study(Engine& engine, ModelsInUse& models, const std::string& name,
             const PictureView& picture, const Options& options)
    : name_(name), picture_(picture) {
    if (models.classifier) classifier_tap_ = tap_on(models.classifier->model().layers());
    if (models.captioner) captioner_tap_ = tap_on(models.captioner->model().encoder_layers());
    if (models.detector) {
        detection_taps_.encoder = tap_on(models.detector->model().encoder_layers());
        detection_taps_.decoder = tap_on(models.detector->model().decoder_layers());
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
    for (const ClassScore& c : classifier.ranking().top(options.classes))
        classes_.push_back({classifier.labels()[c.id], double(c.score)});
    const TokenLayout tokens = classifier.model().layout(0);
    EncoderView view{"classifier", title_of(options.names.classifier),
                     AttentionSource(engine, layers_of(classifier_tap_), tokens.first_cell,
                                     classifier.geometry()),
                     true};
    Rollout rollout(engine.device());
    Commands c(engine.device(), engine.scratch(), "rollout");
    Download row;
    c.begin();
    {
        auto scope = c.scope("rollout");
        row.record(c, rollout.record(c, classifier_tap_, tokens.first_query));
    }
    c.end();
    c.run();
    view.rollout = row.floats();
    encoders_.push_back(std::move(view));
}

void Study::look_with_detector(Engine& engine, const Detector& detector, const Options& options) {
    detections_ = detector.findings().detections(options.filter);
    const TokenLayout tokens = detector.layout();
    const AttentionSource encoder(engine, layers_of(detection_taps_.encoder), tokens.first_cell,
                                  detector.geometry());
    encoders_.push_back({"detector", title_of(options.names.detector), encoder});
    // What DETR's queries look at are the encoder's results, cells alone.
    detection_view_ = {title_of(options.names.detector),
                       tokens.cross ? AttentionSource(engine, layers_of(detection_taps_.decoder),
                                                      detector.query_layout().first_cell,
                                                      detector.query_geometry())
                                    : encoder,
                       {}};
    for (const Detection& d : detections_)
        detection_view_->all.push_back(
            {detector.labels()[d.id], double(d.score), tokens.first_query + d.query, 1});
}

void Study::look_with_captioner(Engine& engine, Captioner& captioner, const Options& options) {
    captioner.start();
    while (!captioner.finished()) {
        captioner.advance(words_at_once);
        caption_ = captioner.result();
    }
    const PictureTokens tokens = captioner.model().picture();
    encoders_.push_back({"captioner", title_of(options.names.captioner),
                         AttentionSource(engine, layers_of(captioner_tap_), tokens.first_cell,
                                         captioner.geometry())});
    std::vector<AttentionLayer> layers;
    for (uint32_t i = 0; i < captioner.model().decoder().form().layers; ++i)
        layers.push_back(captioner.cross_attention_layer(i));
    word_view_ = {
        title_of(options.names.captioner),
        AttentionSource(engine, std::move(layers), tokens.first_cell, captioner.geometry()),
        {}};
    // Each piece of a word looks from the id before it, which it was predicted from.
    for (const CaptionWord& word : caption_->words)
        word_view_->all.push_back({word.text, word.p, static_cast<uint32_t>(word.first - 1),
                                   static_cast<uint32_t>(word.count)});
}

}  // namespace saccade
