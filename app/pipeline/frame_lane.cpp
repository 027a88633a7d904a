#include "app/pipeline/frame_lane.h"

#include <span>

namespace saccade {

FrameLane::FrameLane(Engine& engine, uint32_t number)
    : index(number), attention(engine), points(engine) {
    for (const char* name : {"attention", "draw"})
        drawn.push_back(std::make_unique<Commands>(engine.device(), engine.scratch(), name));
}

void FrameLane::release() {
    taken.reset();
    caption.reset();
    meter.reset();
    words.clear();
    tiles.reset();
    sent.reset();
    words_asked = concluded = false;
    words_ms = 0;
}

LaneGroup::LaneGroup(Engine& engine, std::vector<FrameLane*> members)
    : lanes(std::move(members)), encode(engine.device(), engine.scratch(), "encode") {
    for (FrameLane* lane : lanes) lane->group = lane->home = this;
    for (const char* name : {"upload", "detect", "classify"})
        models.push_back(std::make_unique<Commands>(engine.device(), engine.scratch(), name));
}

void LaneGroup::keep(const KeptLayers& layers) {
    images.clear();
    detection_taps = {};
    detection_taps.encoder = Tap(layers.encoder, false, layers.detector_features);
    detection_taps.decoder = Tap(layers.decoder, layers.queries);
    classification_tap = Tap(layers.classifier, layers.patches, layers.classifier_features);
    kept = layers;
}

void LaneGroup::record(const Models& with, std::vector<const Image*> frame_images) {
    forget_recording();  // what follows may throw half-way
    for (FrameLane* lane : lanes) lane->own_detections = lane->own_classes = false;
    std::vector<Findings*> findings;
    std::vector<Ranking*> rankings;
    for (FrameLane* lane : lanes) {
        findings.push_back(&lane->findings);
        rankings.push_back(&lane->ranking);
    }
    Commands& c = *models[upload];
    c.begin();
    {
        auto scope = c.scope("upload");
        for (size_t i = 0; i < lanes.size(); ++i)
            if (frame_images[i]) lanes[i]->memory->record(c);
    }
    c.end();
    if (with.detector) {
        heads.attach(detection_taps);
        models[detect]->begin();
        with.detector->record(*models[detect], frame_images, detection_taps, findings);
        models[detect]->end();
    }
    if (with.classifier) {
        heads.attach(classification_tap, HeadOff::Of::classifier);
        models[classify]->begin();
        with.classifier->record(*models[classify], frame_images, classification_tap, rankings);
        models[classify]->end();
    }
    if (with.captioner) {
        Tap nobody;
        heads.attach(nobody, HeadOff::Of::captioner);
        encode.begin();
        with.captioner->record(encode, frame_images, nobody, pictures);
        encode.end();
    }
    heads.apply(static_cast<uint32_t>(lanes.size()));
    images = std::move(frame_images);
}

void LaneGroup::begin(size_t count) {
    frames = count;
    caption_begun = false;
    captions.clear();
    words_ms = 0;
}

void LaneGroup::submit() {
    const std::span parts(models);
    if (classified && !detected) {
        seen = submit_in_order(parts.first(1));
        seen = submit_in_order(parts.last(1));
    } else {
        seen = submit_in_order(parts.first(1u + detected + classified));
    }
}

}  // namespace saccade
