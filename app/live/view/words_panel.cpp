#include <algorithm>
#include <cstdio>

#include "app/draw/colour.h"
#include "app/live/view/view.h"
#include "app/live/view/widgets.h"
#include "models/contrast/phrases.h"

namespace saccade {

namespace {

// While the mouse is on what was drawn last, each patch shows how much it is like the phrase. A
// click holds that.
void offer_look(LiveState& state, const PhraseLook& look) {
    if (ImGui::IsItemClicked()) {
        const bool again = state.phrase_held && state.phrase == look;
        release_held(state);
        state.phrase_held = !again;
        state.phrase = look;
    } else if (ImGui::IsItemHovered() && !state.phrase_held) {
        state.phrase = look;
    }
}

void phrase_row(LiveState& state, const std::string& phrase, uint32_t number, bool example) {
    ImGui::PushID(static_cast<int>(number));
    const ImVec4 colour = ImGui::ColorConvertU32ToFloat4(class_colour(number));
    const auto flags = ImGuiColorEditFlags_NoTooltip | ImGuiColorEditFlags_NoDragDrop;
    ImGui::ColorButton("##colour", colour, flags, {em(), em()});
    offer_look(state, {AskedModel::detector, number});
    tip("where: how much each patch is like the phrase; click to hold the map");
    ImGui::SameLine();
    const auto own = state.least_scores.find(phrase);
    const float usual = example ? example_threshold : phrase_threshold;
    float least = own == state.least_scores.end() ? usual : own->second;
    if (ImGui::SliderFloat(phrase.c_str(), &least, 0, 1, "%.2f"))
        state.least_scores[phrase] = least;
    tip("least score: of this phrase alone. Scores of such models are small: 0.1 is where its "
        "makers "
        "begin");
    const bool drawn = std::ranges::any_of(
        state.examples, [&](const DrawnExample& one) { return name_of(one) == phrase; });
    if (drawn && ImGui::Button("forget")) drop_example(state, phrase);
    ImGui::PopID();
}

void find(ViewInput& in) {
    const ModelReport& detector = in.view.report.detector;
    if (!detector.takes_words) return;
    wish("find", in.state.words.find);
    tip("find: what to look for, separated by commas, as in \"red mug, my cat\", then Enter "
        "(--find)");
    const std::vector<std::string>& phrases = in.view.report.labels;
    const size_t words = phrases.size() - std::min(phrases.size(), in.view.report.examples);
    for (uint32_t i = 0; i < phrases.size(); ++i) phrase_row(in.state, phrases[i], i, i >= words);
    if (in.state.frozen) quiet("draw a box in the picture to find more like it");
    if (!detector.words_error.empty()) warning(detector.words_error);
}

void labels(ViewInput& in) {
    const ModelReport& classifier = in.view.report.classifier;
    if (!classifier.takes_words) return;
    wish("labels", in.state.words.labels);
    tip("labels: what the classifier chooses from, separated by commas, then Enter (--labels)");
    for (uint32_t i = 0; i < classifier.prompts.size(); ++i) {
        quiet("reads \"" + classifier.prompts[i] + "\"");
        offer_look(in.state, {AskedModel::classifier, i});
        tip("reads: the sentence that the model's paper makes of a label. The map shows how much "
            "each "
            "patch is like it; click to hold it");
    }
    if (!classifier.words_error.empty()) warning(classifier.words_error);
}

// Word by word as they come, each with how sure the model was.
void answer(ViewInput& in) {
    const float end = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
    for (uint32_t i = 0; i < in.view.words.size(); ++i) {
        const CaptionWord& word = in.view.words[i];
        char shown[160];
        std::snprintf(shown, sizeof shown, "%.100s %.0f%%", word.text.c_str(), 100 * word.p);
        const float width = ImGui::CalcTextSize(shown).x;
        if (i > 0 && ImGui::GetItemRectMax().x + em() + width < end) ImGui::SameLine(0, em());
        ImGui::TextUnformatted(shown);
        if (!ImGui::IsItemHovered() || in.state.word_held) continue;
        in.state.word = i;
        tip("where the model looked when it wrote this word, and how likely it held it");
    }
}

void question(ViewInput& in) {
    const ModelReport& captioner = in.view.report.captioner;
    if (!captioner.takes_words) return;
    wish("question", in.state.words.question);
    tip("question: about the picture, then Enter; it is answered anew as often as the device can "
        "(--ask)");
    if (in.state.words.question.empty() && !captioner.prompts.empty())
        quiet("asks \"" + captioner.prompts.front() + "\"");
    answer(in);
    if (!captioner.words_error.empty()) warning(captioner.words_error);
}

}  // namespace

void draw_drawn_box(const ViewInput& in) {
    if (!in.state.dragged) return;
    ImDrawList& list = *ImGui::GetBackgroundDrawList();
    const ImVec2 from = on_screen(in, in.state.dragged->min),
                 to = on_screen(in, in.state.dragged->max);
    list.AddRect(from, to, IM_COL32(0, 0, 0, 200), 0, 0, 3);
    list.AddRect(from, to, IM_COL32(255, 255, 255, 255), 0, 0, 1);
}

void draw_words(ViewInput& in) {
    const LiveReport& report = in.view.report;
    if (!in.state.phrase_held) in.state.phrase.reset();
    if (!report.detector.takes_words && !report.classifier.takes_words &&
        !report.captioner.takes_words)
        return;
    if (!ImGui::CollapsingHeader("Words", ImGuiTreeNodeFlags_DefaultOpen)) return;
    find(in);
    labels(in);
    question(in);
}

}  // namespace saccade
