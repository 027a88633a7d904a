#include "app/explain/explainer.h"

#include <algorithm>
#include <glm/common.hpp>

#include "app/io/text.h"
#include "app/pipeline/attention_choice.h"
#include "app/pipeline/still_pictures.h"
#include "gpu/core/error.h"
#include "gpu/transfer/read_back.h"
#include "models/files/json.h"
#include "models/knock_outs/class_trials.h"
#include "models/knock_outs/detection_trials.h"
#include "models/knock_outs/word_trials.h"

namespace saccade {

namespace {

constexpr uint32_t words_at_once = 8;  // decoded before the end of the caption is checked

// "tabby" of "tabby, tabby cat": ImageNet's classes have several names.
bool is_called(const std::string& label, const std::string& name) {
    const std::string low = in_lower_case(label), wanted = in_lower_case(name);
    if (low == wanted) return true;
    for (size_t at = 0; at < low.size();) {
        const size_t end = std::min(low.find(", ", at), low.size());
        if (low.substr(at, end - at) == wanted) return true;
        at = end + 2;
    }
    return false;
}

std::string counted(size_t count, const std::string& what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s") +
           (count > 0 ? ", counted from 0" : "");
}

// Runs one model on the picture: on the device's own image, or on its copy of the pixels.
void run_once(Engine& engine, const MaskedPicture& picture, const StillPictures::Record& record) {
    if (!picture.image) return StillPictures(engine, "explain", record).run(picture.view);
    Commands c(engine.device(), engine.scratch(), "explain");
    c.begin();
    {
        auto scope = c.scope("upload");
        picture.upload(c);
    }
    record(c, *picture.image);
    c.end();
    c.run();
}

}  // namespace

void Explainer::add_map(Found& found, const std::string& name, const MapGeometry& geometry,
                        const std::function<Tensor(Commands&)>& record) {
    const std::vector<float> map = read_back(engine_, "map", record);
    found.maps.push_back({name, resampled(map, geometry, found.trials->geometry())});
}

std::optional<Explainer::Found> Explainer::find_detection(const MaskedPicture& picture,
                                                          const TargetChoice& choice) {
    Detector& detector = *models_.detector;
    DetectionTaps taps;
    taps.encoder = Tap::on_first(detector.model().encoder_layers());
    taps.decoder = Tap::on_first(detector.model().decoder_layers());
    run_once(engine_, picture, [&](Commands& c, const Image& image) {
        detector.prepare({image.width(), image.height()}, options_.size);
        detector.record(c, image, taps);
    });
    std::vector<Detection> all = detector.findings().detections(options_.filter);
    if (!choice.label.empty())
        std::erase_if(all, [&](const Detection& d) {
            return !is_called(detector.labels()[d.id], choice.label);
        });
    const size_t number = choice.detection.value_or(0);
    if (choice.detection && number >= all.size())
        throw Error("there is no detection " + std::to_string(number) + ": the detector finds " +
                    counted(all.size(), "object") + "; try a lower --threshold");
    if (all.empty()) return std::nullopt;
    const Detection& target = all[number];
    Found found{{"detection", detector.labels()[target.id], double(target.score), target.box},
                std::make_unique<DetectionTrials>(engine_.device(), engine_.scratch(), detector,
                                                  target, picture, options_.trials)};
    const Look look = look_of({AttentionKind::detection}, models_);
    add_map(found, "attention", detector.query_geometry(),
            [&](Commands& c) { return detector.look_from_query(c, taps, look, target.query); });
    Rollout rollout(engine_.device());
    if (!detector.layout().cross)
        add_map(found, "rollout", detector.geometry(), [&](Commands& c) {
            return detector.rollout_from_query(c, taps, rollout, target.query);
        });
    return found;
}

std::optional<Explainer::Found> Explainer::find_class(const MaskedPicture& picture,
                                                      const TargetChoice& choice) {
    Classifier& classifier = *models_.classifier;
    const std::vector<std::string>& labels = classifier.labels();
    std::optional<uint32_t> id;
    for (uint32_t i = 0; i < labels.size() && !choice.label.empty() && !id; ++i)
        if (is_called(labels[i], choice.label)) id = i;
    if (labels.empty() || (!choice.label.empty() && !id)) return std::nullopt;
    const ClassificationModel& model = classifier.model();
    Tap tap = Tap::on_first(model.layers());
    run_once(engine_, picture, [&](Commands& c, const Image& image) {
        classifier.prepare({image.width(), image.height()});
        classifier.record(c, image, tap);
    });
    if (!id) id = classifier.ranking().top(1).at(0).id;
    Found found{{classifier.phrases() ? "phrase" : "class", labels[*id]},
                std::make_unique<ClassTrials>(engine_.device(), engine_.scratch(), classifier, *id,
                                              picture, options_.trials)};
    const bool has_class_token = model.layout(0).first_cell > 0 && model.rolls_out();
    if (!has_class_token) return found;
    const Look look = look_of({AttentionKind::cls}, models_);
    Rollout rollout(engine_.device());
    add_map(found, "attention", classifier.geometry(look.layer),
            [&](Commands& c) { return classifier.look_from_class_token(c, tap, look); });
    add_map(found, "rollout", classifier.geometry(),
            [&](Commands& c) { return classifier.rollout_from_class_token(c, tap, rollout); });
    return found;
}

Explainer::Found Explainer::find_word(const MaskedPicture& picture, size_t number) {
    Captioner& captioner = *models_.captioner;
    run_once(engine_, picture, [&](Commands& c, const Image& image) {
        captioner.prepare({image.width(), image.height()});
        captioner.record(c, image);
    });
    captioner.start();
    Caption caption;
    do {
        captioner.advance(words_at_once);
        caption = captioner.result();
    } while (!captioner.finished());
    if (number >= caption.words.size())
        throw Error("there is no word " + std::to_string(number) + ": the captioner says \"" +
                    caption.text + "\", " + counted(caption.words.size(), "word"));
    const CaptionWord& word = caption.words[number];
    Found found{{caption.answers ? "answer" : "word", word.text},
                std::make_unique<WordTrials>(engine_.device(), engine_.scratch(), captioner,
                                             caption, word, picture, options_.trials)};
    found.text = caption.text;
    const Look look = look_of({AttentionKind::word}, models_);
    add_map(found, "attention", captioner.geometry(),
            [&](Commands& c) { return captioner.look_from_word(c, look, word.first, word.count); });
    return found;
}

Explainer::Found Explainer::find(const MaskedPicture& picture, const TargetChoice& choice) {
    if (choice.word) {
        if (!models_.captioner) throw Error("--word needs a --captioner");
        return find_word(picture, *choice.word);
    }
    if (choice.detection && !models_.detector) throw Error("--detection needs a --detector");
    std::optional<Found> found;
    const bool named = !choice.label.empty();
    if (named && models_.classifier) found = find_class(picture, choice);
    if (!found && models_.detector) found = find_detection(picture, choice);
    if (!found && !named && models_.classifier) found = find_class(picture, choice);
    if (found) return std::move(*found);
    if (named)
        throw Error("there is no " + in_quotes(choice.label) +
                    ": it is not a class of the classifier, and the detector finds none");
    throw Error("nothing was found; try a lower --threshold, or name a --classifier");
}

Explanation Explainer::explain(const MaskedPicture& picture, const TargetChoice& choice) {
    return explain(picture, find(picture, choice));
}

std::optional<Explanation> Explainer::explain_strongest(const MaskedPicture& picture) {
    std::optional<Found> found;
    if (models_.detector) found = find_detection(picture, {});
    if (!found && models_.classifier) found = find_class(picture, {});
    if (!found) return std::nullopt;
    return explain(picture, std::move(*found));
}

Explanation Explainer::explain(const MaskedPicture& picture, Found found) const {
    Trials& trials = *found.trials;
    CauseMap map(trials);
    while (options_.whole ? map.refine() : map.refine_where_it_matters()) continue;
    Explanation result;
    result.target = std::move(found.target);
    result.target.score = map.whole().score;
    result.text = std::move(found.text);
    result.unit = trials.unit();
    result.geometry = trials.geometry();
    result.cause = map.cells();
    result.noise = map.noise();
    result.knock_outs = map.knock_outs();
    const glm::vec2 cell(map.largest() % map.grid().x, map.largest() / map.grid().x);
    result.peak = result.geometry.corner + (cell + 0.5f) * result.geometry.cell;
    result.peak = glm::clamp(result.peak, glm::vec2(0), glm::vec2(picture.size) - 1.0f);
    result.others = std::move(found.maps);
    if (options_.heads) {
        result.heads = head_effects(trials);
        result.layers = trials.layers();
    }
    if (!options_.meter) return result;
    std::vector<RankedMap> ranked{{"cause", result.cause}};
    ranked.insert(ranked.end(), result.others.begin(), result.others.end());
    result.meter = measure(trials, ranked);
    return result;
}

}  // namespace saccade
