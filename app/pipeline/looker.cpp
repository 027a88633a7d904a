#include "app/pipeline/looker.h"

#include <algorithm>
#include <glm/common.hpp>

namespace saccade {

namespace {

using Token = Looker::Token;

bool asks_detector(const Looker& looker) {
    return looker.token == Token::query ||
           ((looker.token == Token::patch || looker.token == Token::phrase ||
             looker.token == Token::everywhere) &&
            looker.of_detector);
}

// DETR's queries attend from the decoder to the encoder's output.
bool asks_decoder(const Looker& looker, const Models& models) {
    return looker.token == Token::query && models.detector->model().decoder_layers() > 0;
}

}  // namespace

std::string task_of(const Looker& looker) {
    if (looker.token == Token::word) return "captioner";
    return looker.token == Token::query || looker.of_detector ? "detector" : "classifier";
}

std::string shortly(const AttentionSeen& seen) {
    const std::string task = task_of(seen.looker);
    if (seen.mode == AttentionMode::cause) return task + ", cause";
    if (seen.looker.token == Token::phrase) return task + ", phrase";
    if (seen.coloured) return task + ", colours";
    if (seen.similarity) return task + ", similarity";
    if (seen.rolled_out) return task + ", rollout";
    const std::string layer = task + ", layer " + std::to_string(seen.layer) + ", ";
    switch (seen.mode) {
        case AttentionMode::head:
            return layer + "head " + std::to_string(seen.head);
        case AttentionMode::max:
            return layer + "greatest of heads";
        case AttentionMode::grid:
            return layer + "all heads";
        default:
            return layer + "mean of heads";
    }
}

std::string_view name_of(AttentionMode mode) {
    switch (mode) {
        case AttentionMode::rollout:
            return "rollout";
        case AttentionMode::mean:
            return "mean";
        case AttentionMode::max:
            return "max";
        case AttentionMode::head:
            return "head";
        case AttentionMode::grid:
            return "grid";
        case AttentionMode::similarity:
            return "similarity";
        case AttentionMode::colours:
            return "colours";
        case AttentionMode::cause:
            return "cause";
        case AttentionMode::off:
            break;
    }
    return "off";
}

glm::ivec2 AttentionSeen::cell() const {
    const glm::ivec2 at(glm::floor((looker.point - geometry.corner) / geometry.cell));
    return glm::clamp(at, glm::ivec2(0), glm::ivec2(geometry.grid) - 1);
}

Rectangle AttentionSeen::patch() const {
    const glm::vec2 from = geometry.corner + glm::vec2(cell()) * geometry.cell;
    return {from, from + geometry.cell};
}

const std::vector<std::string>& phrases_of(const Looker& looker, const Models& models) {
    return looker.of_detector ? models.detector->labels() : models.classifier->labels();
}

uint32_t layers_of(const Looker& looker, const Models& models) {
    if (looker.token == Token::none || looker.token == Token::phrase) return 1;
    if (looker.token == Token::word) return models.captioner->model().decoder().form().layers;
    if (asks_decoder(looker, models)) return models.detector->model().decoder_layers();
    // An encoder may have no attention.
    if (asks_detector(looker)) return std::max(1u, models.detector->model().encoder_layers());
    return models.classifier->model().layers();
}

uint32_t layer_of(const Looker& looker, const AttentionState& attention, const Models& models) {
    return std::min(attention.layer, layers_of(looker, models) - 1);
}

uint32_t heads_of(const Looker& looker, const AttentionState& attention, const Models& models) {
    if (looker.token == Token::none) return 1;
    if (looker.token == Token::phrase)
        return static_cast<uint32_t>(phrases_of(looker, models).size());
    if (looker.token == Token::word) return models.captioner->model().decoder().form().heads;
    if (asks_detector(looker)) return models.detector->model().heads();
    return models.classifier->model().heads(layer_of(looker, attention, models));
}

bool rolls_out(const Looker& looker, const AttentionState& attention, const Models& models) {
    if (attention.mode != AttentionMode::rollout || looker.token == Token::word ||
        looker.token == Token::phrase)
        return false;
    return asks_detector(looker) ? !asks_decoder(looker, models)
                                 : models.classifier->model().rolls_out();
}

bool has_features(const Looker& looker, const Models& models) {
    return asks_detector(looker) ? models.detector && models.detector->model().has_features()
                                 : models.classifier != nullptr;
}

bool shows_similarity(const Looker& looker, const AttentionState& attention, const Models& models) {
    return attention.mode == AttentionMode::similarity &&
           (looker.token == Token::patch || looker.token == Token::class_token) &&
           has_features(looker, models);
}

bool shows_colours(const Looker& looker, const AttentionState& attention, const Models& models) {
    return attention.mode == AttentionMode::colours && looker.token == Token::everywhere &&
           has_features(looker, models);
}

bool has_outliers(const Looker& looker, const AttentionState& attention, const Models& models) {
    return (looker.token == Token::patch || looker.token == Token::class_token) &&
           !looker.of_detector && !shows_similarity(looker, attention, models) &&
           models.classifier && models.classifier->model().has_outliers();
}

Looker looker_at_features(Looker looker, AttentionMode mode, const Models& models) {
    Looker at = looker;
    if (mode == AttentionMode::colours &&
        (looker.token == Token::patch || looker.token == Token::class_token))
        at.token = Token::everywhere;
    else if (mode != AttentionMode::similarity || looker.token != Token::patch)
        return looker;
    if (has_features(at, models)) return at;
    at.of_detector = !at.of_detector;
    return has_features(at, models) ? at : looker;
}

void KeptLayers::add(const KeptLayers& other) {
    encoder.insert(other.encoder.begin(), other.encoder.end());
    decoder.insert(other.decoder.begin(), other.decoder.end());
    classifier.insert(other.classifier.begin(), other.classifier.end());
    queries = queries || other.queries;
    patches = patches || other.patches;
    detector_features = detector_features || other.detector_features;
    classifier_features = classifier_features || other.classifier_features;
}

KeptLayers kept_for(const Looker& looker, const AttentionState& attention, const Models& models) {
    KeptLayers kept;
    if (looker.token == Token::none || looker.token == Token::word ||
        attention.mode == AttentionMode::cause)
        return kept;
    if (looker.token == Token::phrase) {
        (looker.of_detector ? kept.queries : kept.patches) = true;
        return kept;
    }
    if (shows_similarity(looker, attention, models) || shows_colours(looker, attention, models)) {
        (asks_detector(looker) ? kept.detector_features : kept.classifier_features) = true;
        return kept;
    }
    std::set<uint32_t>& layers = asks_decoder(looker, models) ? kept.decoder
                                 : asks_detector(looker)      ? kept.encoder
                                                              : kept.classifier;
    if (rolls_out(looker, attention, models))
        for (uint32_t i = 0; i < layers_of(looker, models); ++i) layers.insert(i);
    else
        layers.insert(layer_of(looker, attention, models));
    return kept;
}

}  // namespace saccade
