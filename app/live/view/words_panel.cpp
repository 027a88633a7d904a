#include <algorithm>
#include <cstdio>

#include "app/draw/colour.h"
#include "app/live/view/view.h"
#include "app/live/view/widgets.h"
#include "models/contrast/phrases.h"

namespace saccade {

namespace {

// While the mouse is on the last item, the phrase is the target of the maps. A click holds it.
void offer_phrase(Pointer& pointer, const PhraseRef& phrase) {
    if (ImGui::IsItemClicked()) {
        const bool again = pointer.phrase_held && pointer.target.phrase == phrase;
        release_held(pointer);
        pointer.phrase_held = !again;
        pointer.target.phrase = phrase;
    } else if (ImGui::IsItemHovered() && !pointer.phrase_held) {
        pointer.target.phrase = phrase;
    }
}

void phrase_row(Session& session, const std::string& phrase, uint32_t number, bool example) {
    ImGui::PushID(static_cast<int>(number));
    const ImVec4 colour = ImGui::ColorConvertU32ToFloat4(class_colour(number));
    const auto flags = ImGuiColorEditFlags_NoTooltip | ImGuiColorEditFlags_NoDragDrop;
    ImGui::ColorButton("##colour", colour, flags, {em(), em()});
    offer_phrase(session.pointer, {MapModel::detector, number});
    tip("where: how much each patch is like the phrase; click to hold the map");
    ImGui::SameLine();
    const auto own = session.wishes.look.filter.least_scores.find(phrase);
    const float usual = example ? example_threshold : phrase_threshold;
    float least = own == session.wishes.look.filter.least_scores.end() ? usual : own->second;
    if (ImGui::SliderFloat(phrase.c_str(), &least, 0, 1, "%.2f"))
        session.wishes.look.filter.least_scores[phrase] = least;
    tip("least score: of this phrase alone. Scores of such models are small: 0.1 is the value on "
        "the model's card");
    const bool drawn = std::ranges::any_of(
        session.wishes.examples, [&](const ExampleBox& one) { return name_of(one) == phrase; });
    if (drawn && ImGui::Button("forget")) drop_example(session.wishes, phrase);
    ImGui::PopID();
}

void find(ViewInput& in) {
    const ModelStatus& detector = in.session.status.detector;
    if (!detector.takes_words) return;
    wish("find", in.session.wishes.prompts.find);
    tip("find: what to look for, separated by commas, as in \"red mug, my cat\", then Enter "
        "(--find)");
    const std::vector<std::string>& phrases = in.session.status.labels;
    const size_t words = phrases.size() - std::min(phrases.size(), in.session.status.examples);
    for (uint32_t i = 0; i < phrases.size(); ++i) phrase_row(in.session, phrases[i], i, i >= words);
    if (in.session.wishes.frozen) quiet("draw a box in the picture to find more like it");
    if (!detector.words_error.empty()) warning(detector.words_error);
}

void labels(ViewInput& in) {
    const ModelStatus& classifier = in.session.status.classifier;
    if (!classifier.takes_words) return;
    wish("labels", in.session.wishes.prompts.labels);
    tip("labels: what the classifier chooses from, separated by commas, then Enter (--labels)");
    for (uint32_t i = 0; i < classifier.prompts.size(); ++i) {
        quiet("reads \"" + classifier.prompts[i] + "\"");
        offer_phrase(in.session.pointer, {MapModel::classifier, i});
        tip("reads: the sentence that the model's paper makes of a label. The map shows how much "
            "each patch is like it; click to hold it");
    }
    if (!classifier.words_error.empty()) warning(classifier.words_error);
}

// Word by word, each with its probability.
void answer(ViewInput& in) {
    const float end = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
    for (uint32_t i = 0; i < in.view.words.size(); ++i) {
        const CaptionWord& word = in.view.words[i];
        char shown[160];
        std::snprintf(shown, sizeof shown, "%.100s %.0f%%", word.text.c_str(), 100 * word.p);
        const float width = ImGui::CalcTextSize(shown).x;
        if (i > 0 && ImGui::GetItemRectMax().x + em() + width < end) ImGui::SameLine(0, em());
        // As opaque as it is probable, as on the picture.
        ImVec4 colour = ImGui::GetStyleColorVec4(ImGuiCol_Text);
        colour.w *= 0.4f + 0.6f * static_cast<float>(std::clamp(word.p, 0.0, 1.0));
        ImGui::TextColored(colour, "%s", shown);
        if (!ImGui::IsItemHovered() || in.session.pointer.word_held) continue;
        in.session.pointer.target.word = i;
        tip("where the model looked when it wrote this word, and the word's probability");
    }
}

void question(ViewInput& in) {
    const ModelStatus& captioner = in.session.status.captioner;
    if (!captioner.takes_words) return;
    wish("question", in.session.wishes.prompts.question);
    tip("question: about the picture, then Enter; it is answered again and again "
        "(--ask)");
    if (in.session.wishes.prompts.question.empty() && !captioner.prompts.empty())
        quiet("asks \"" + captioner.prompts.front() + "\"");
    answer(in);
    if (!captioner.words_error.empty()) warning(captioner.words_error);
}

}  // namespace

void draw_example_box(const ViewInput& in) {
    if (!in.session.pointer.dragged) return;
    ImDrawList& list = *ImGui::GetBackgroundDrawList();
    const ImVec2 from = on_screen(in, in.session.pointer.dragged->min),
                 to = on_screen(in, in.session.pointer.dragged->max);
    list.AddRect(from, to, IM_COL32(0, 0, 0, 200), 0, 0, 3);
    list.AddRect(from, to, IM_COL32(255, 255, 255, 255), 0, 0, 1);
}

void draw_words(ViewInput& in) {
    const Status& status = in.session.status;
    if (!in.session.pointer.phrase_held) in.session.pointer.target.phrase.reset();
    if (!status.detector.takes_words && !status.classifier.takes_words &&
        !status.captioner.takes_words)
        return;
    if (!ImGui::CollapsingHeader("Words", ImGuiTreeNodeFlags_DefaultOpen)) return;
    find(in);
    labels(in);
    question(in);
}

}  // namespace saccade
