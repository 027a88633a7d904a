#include "app/live/state/wishes.h"

namespace saccade {

std::string_view name_of(MapModel model) {
    return model == MapModel::detector ? "detector" : "classifier";
}

std::string name_of(const ExampleBox& example) { return "like " + std::to_string(example.number); }

const char* title_of(SecondView::Kind kind) {
    switch (kind) {
        case SecondView::Kind::bare:
            return "the picture as it came";
        case SecondView::Kind::maps:
            return "other maps";
        case SecondView::Kind::off:
            break;
    }
    return "off";
}

const char* title_of(AttentionMode mode) {
    switch (mode) {
        case AttentionMode::rollout:
            return "rollout";
        case AttentionMode::mean:
            return "mean of heads";
        case AttentionMode::max:
            return "greatest of heads";
        case AttentionMode::head:
            return "one head";
        case AttentionMode::grid:
            return "all heads";
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

}  // namespace saccade
