#include "app/pipeline/attention_choice.h"

#include <algorithm>
#include <charconv>

#include "gpu/core/error.h"

namespace saccade {

namespace {

bool of_classifier(AttentionKind kind) {
    return kind == AttentionKind::rollout || kind == AttentionKind::cls ||
           kind == AttentionKind::head || kind == AttentionKind::similarity ||
           kind == AttentionKind::colours;
}

// Whether the phrases are the detector's. A classifier that was given phrases comes first.
bool of_told_detector(const Models& models) {
    return models.detector && models.detector->phrases() &&
           !(models.classifier && models.classifier->phrases());
}

// How many layers there are to choose from, and which one shows most: the last of a decoder, but
// the last but one of an encoder, whose last layer serves the heads and is less local.
struct Layers {
    uint32_t count = 0, clearest = 0, heads = 0;
};
Layers layers_of(AttentionKind kind, const Models& models) {
    if (of_classifier(kind)) {
        if (!models.classifier)
            throw Error("--attention " + std::string(name_of(kind)) + " needs a --classifier");
        const ClassificationModel& model = models.classifier->model();
        const uint32_t last = model.layers() - 1;
        return {model.layers(), last, model.heads(last)};
    }
    if (kind == AttentionKind::phrase) {
        if (!of_told_detector(models) && !(models.classifier && models.classifier->phrases()))
            throw Error(
                "--attention phrase needs a model that is told phrases by --labels or --find");
        return {1, 0, 1};
    }
    if (kind == AttentionKind::detection || kind == AttentionKind::track) {
        if (!models.detector)
            throw Error("--attention " + std::string(name_of(kind)) + " needs a --detector");
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

AttentionChoice attention_named(const std::string& name) {
    AttentionChoice choice;
    for (AttentionKind kind :
         {AttentionKind::none, AttentionKind::rollout, AttentionKind::cls, AttentionKind::head,
          AttentionKind::detection, AttentionKind::word, AttentionKind::phrase,
          AttentionKind::track, AttentionKind::similarity, AttentionKind::colours,
          AttentionKind::cause}) {
        choice.kind = kind;
        if (name == name_of(kind)) return choice;
    }
    constexpr std::string_view of_track = "track:";
    const char* const end = name.data() + name.size();
    if (name.starts_with(of_track)) {
        choice.kind = AttentionKind::track;
        const auto [last, error] =
            std::from_chars(name.data() + of_track.size(), end, choice.track);
        if (error == std::errc() && last == end && choice.track > 0) return choice;
    }
    throw Error(
        "--attention is none, rollout, cls, head, detection, word, phrase, similarity, colours, "
        "cause, track or track:N with a track's number, not '" +
        name + "'");
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
        case AttentionKind::phrase:
            return "phrase";
        case AttentionKind::track:
            return "track";
        case AttentionKind::similarity:
            return "similarity";
        case AttentionKind::colours:
            return "colours";
        case AttentionKind::cause:
            return "cause";
    }
    return "";
}

Look look_of(const AttentionChoice& choice, const Models& models) {
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

bool classifier_is_richer(const Models& models) {
    if (!models.classifier || !models.detector) return models.classifier != nullptr;
    if (models.detector->input().plan().width == 0) return false;  // not prepared yet
    const ClassificationModel& classifier = models.classifier->model();
    const DetectionModel& detector = models.detector->model();
    const uint32_t last = classifier.layers() - 1;
    return classifier.layers() * classifier.heads(last) * area(classifier.layout(last).grid) >
           detector.encoder_layers() * detector.heads() * area(models.detector->layout().grid);
}

namespace {

Looker::Token token_of(AttentionKind kind) {
    if (kind == AttentionKind::detection || kind == AttentionKind::track)
        return Looker::Token::query;
    if (kind == AttentionKind::word) return Looker::Token::word;
    if (kind == AttentionKind::phrase) return Looker::Token::phrase;
    if (kind == AttentionKind::similarity) return Looker::Token::patch;
    if (kind == AttentionKind::colours) return Looker::Token::everywhere;
    return Looker::Token::class_token;
}

void look_from_strongest(FrameOrder& order, const FrameResult& known) {
    if (!known.detections || known.detections->empty())
        order.looker.token = Looker::Token::none;
    else
        order.looker.query = known.detections->front().query;
}

void look_from_best_phrase(FrameOrder& order, const FrameResult& known) {
    if (!order.looker.of_detector && known.classes && !known.classes->empty())
        order.looker.phrase = known.classes->front().id;
    else if (order.looker.of_detector && known.detections && !known.detections->empty())
        order.looker.phrase = known.detections->front().id;
    else
        order.looker.token = Looker::Token::none;
}

// The patch in the middle of the strongest detection, or of the frame.
void look_from_middle(FrameOrder& order, const FrameResult& known) {
    const bool found = known.detections && !known.detections->empty();
    const Rectangle box =
        found ? known.detections->front().box : Rectangle{glm::vec2(0), glm::vec2(known.info.size)};
    order.looker.point = (box.min + box.max) / 2.0f;
}

void look_from_next_word(FrameOrder& order, const FrameResult& known) {
    if (!known.caption || known.caption->words.empty()) {
        order.looker.token = Looker::Token::none;
        return;
    }
    constexpr uint64_t frames_a_word = 10;  // a third of a second or so
    const std::vector<CaptionWord>& words = known.caption->words;
    const size_t index = known.info.index / frames_a_word % words.size();
    order.looker.first_id = words[index].first;
    order.looker.ids = words[index].count;
    order.caption.lit = index;
}

}  // namespace

void look_from_track(FrameOrder& order, const FrameResult& known, uint32_t number) {
    const auto found = std::ranges::find(known.tracks, number);
    if (found == known.tracks.end()) {
        order.looker.token = Looker::Token::none;
        order.overlay.selected_query.reset();
        return;
    }
    const auto index = static_cast<size_t>(found - known.tracks.begin());
    order.looker.query = (*known.detections)[index].query;
    order.overlay.selected_query = order.looker.query;
}

void look_from_track(MapOrder& map, const FrameResult& known) {
    if (map.looker.token != Looker::Token::query || map.track == 0) return;
    for (size_t i = 0; i < known.tracks.size(); ++i)
        if (known.tracks[i] == map.track) map.looker.query = (*known.detections)[i].query;
}

void show_attention(FrameOrder& order, const AttentionChoice& choice, const Models& models) {
    if (choice.kind == AttentionKind::none) return;
    if (choice.kind == AttentionKind::cause) {
        if (!models.detector && !models.classifier)
            throw Error("--attention cause needs a --detector or a --classifier");
        if (choice.layer || choice.head)
            throw Error("--attention cause is of the whole model: leave --layer and --head out");
        order.attention.mode = AttentionMode::cause;
        return;
    }
    const Look look = look_of(choice, models);
    order.attention.mode = choice.kind == AttentionKind::rollout      ? AttentionMode::rollout
                           : choice.kind == AttentionKind::similarity ? AttentionMode::similarity
                           : choice.kind == AttentionKind::colours    ? AttentionMode::colours
                           : look.head                                ? AttentionMode::head
                                                                      : AttentionMode::mean;
    order.attention.layer = look.layer;
    order.attention.head = look.head.value_or(0);
    order.looker.token = token_of(choice.kind);
    order.looker.of_detector = choice.kind == AttentionKind::phrase && of_told_detector(models);
    if (choice.kind == AttentionKind::track) {
        order.decide = [number = choice.track](FrameOrder& frame, const FrameResult& known) {
            look_from_track(frame, known, number);
        };
        return;
    }
    order.decide = [kind = choice.kind](FrameOrder& frame, const FrameResult& known) {
        if (kind == AttentionKind::detection) look_from_strongest(frame, known);
        if (kind == AttentionKind::word) look_from_next_word(frame, known);
        if (kind == AttentionKind::phrase) look_from_best_phrase(frame, known);
        if (kind == AttentionKind::similarity) {
            look_from_middle(frame, known);
            frame.overlay.scale = HeatScale::min_max;
        }
        if (known.detections && !known.detections->empty())
            frame.overlay.selected_query = known.detections->front().query;
    };
}

}  // namespace saccade
