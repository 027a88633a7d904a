#include "app/live/cause/cause_target.h"

#include <algorithm>

namespace saccade {

namespace {

using Token = Looker::Token;

const std::vector<Detection>& detections_in(const FrameResult& found) {
    static const std::vector<Detection> none;
    return found.detections ? *found.detections : none;
}

std::optional<CauseTarget> target_of(const Detection* detection, const Models& models) {
    if (!detection || !models.detector) return std::nullopt;
    return CauseTarget{.id = detection->id,
                       .detection = *detection,
                       .kind = "detection",
                       .label = models.detector->labels().at(detection->id)};
}

std::optional<CauseTarget> class_target(uint32_t id, const Models& models) {
    if (!models.classifier || id >= models.classifier->labels().size()) return std::nullopt;
    return CauseTarget{.model = HeadOff::Of::classifier,
                       .id = id,
                       .kind = models.classifier->phrases() ? "phrase" : "class",
                       .label = models.classifier->labels()[id]};
}

std::optional<CauseTarget> likeliest(const Models& models, const FrameResult& found) {
    if (!found.classes || found.classes->empty()) return std::nullopt;
    return class_target(found.classes->front().id, models);
}

std::optional<CauseTarget> word_target(const Looker& looker, const Models& models,
                                       const Caption& caption) {
    if (!models.captioner) return std::nullopt;
    for (const CaptionWord& word : caption.words)
        if (word.first == looker.first_id)
            return CauseTarget{.model = HeadOff::Of::captioner,
                               .word = word,
                               .caption = caption,
                               .kind = caption.answers ? "answer" : "word",
                               .label = word.text};
    return std::nullopt;
}

const Detection* smallest_at(const std::vector<Detection>& all, glm::vec2 point) {
    const Detection* found = nullptr;
    for (const Detection& one : all)
        if (one.box.contains(point) && (!found || one.box.area() < found->box.area())) found = &one;
    return found;
}

}  // namespace

bool CauseTarget::operator==(const CauseTarget& other) const {
    if (model != other.model) return false;
    if (model == HeadOff::Of::detector) return detection.query == other.detection.query;
    if (model == HeadOff::Of::classifier) return id == other.id;
    return word.first == other.word.first && caption.ids == other.caption.ids;
}

std::optional<CauseTarget> target_of(const Looker& looker, const Models& models,
                                     const FrameResult& found, const Caption& caption) {
    const std::vector<Detection>& all = detections_in(found);
    const auto first = [&](const auto& holds) {
        const auto one = std::ranges::find_if(all, holds);
        return one == all.end() ? nullptr : &*one;
    };
    switch (looker.token) {
        case Token::word:
            return word_target(looker, models, caption);
        case Token::query:
            return target_of(first([&](const Detection& d) { return d.query == looker.query; }),
                             models);
        case Token::phrase:
            if (!looker.of_detector) return class_target(looker.phrase, models);
            return target_of(first([&](const Detection& d) { return d.id == looker.phrase; }),
                             models);
        case Token::patch:
            if (looker.of_detector)
                if (auto target = target_of(smallest_at(all, looker.point), models)) return target;
            return likeliest(models, found);
        case Token::class_token:
            return likeliest(models, found);
        default:
            return std::nullopt;
    }
}

}  // namespace saccade
