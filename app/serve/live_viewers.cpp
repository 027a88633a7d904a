#include "app/serve/live_viewers.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/draw/colour.h"
#include "app/draw/track_marks.h"
#include "app/frame/region_counts.h"
#include "app/hub/model_finder.h"
#include "app/io/text.h"
#include "app/page/page.h"
#include "app/serve/crossings.h"
#include "app/serve/metrics.h"
#include "app/pipeline/frame_path.h"
#include "gpu/core/error.h"
#include "models/contrast/phrases.h"

namespace saccade {

namespace {

using Json = nlohmann::json;
using namespace std::chrono_literals;

constexpr auto between_reports = 250ms;
constexpr auto between_layers = 150ms;   // of one viewer
constexpr auto between_redrawings = 250ms;  // of lines and zones, or words, by anybody
constexpr size_t most_least_scores = 256;   // that are remembered
constexpr auto longest_on_a_word = 20s;  // while somebody looks at one, no other caption begins

void offer(Offered::Choices& choices, const std::string& title, const std::string& name) {
    if (std::ranges::none_of(choices, [&](const auto& one) { return one.first == title; }))
        choices.emplace_back(title, name);
}

Offered::Choices models_for(Task task, const std::string& first) {
    Offered::Choices choices;
    if (!first.empty() && first != "none") offer(choices, title_of(first), first);
    for (const CatalogueModel& model : catalogue()) {
        if (model.task != task) continue;
        try {
            find_model(model.name);
            offer(choices, title_of(model.name), model.name);
        } catch (const Error&) {
            // It is not on this machine.
        }
    }
    offer(choices, "none", "none");
    return choices;
}

void choose(std::string& name, const std::optional<std::string>& title,
            const Offered::Choices& choices) {
    if (!title) return;
    for (const auto& [known, meant] : choices)
        if (known == *title) name = meant;
}

Json titles_of(const Offered::Choices& choices) {
    Json titles = Json::array();
    for (const auto& [title, name] : choices) titles.push_back(title);
    return titles;
}

Json json_of(const ModelReport& model, const Offered::Choices& choices) {
    return {{"name", model.name.empty() ? "none" : title_of(model.name)},
            {"loading", model.loading.empty() ? "" : title_of(model.loading)},
            {"progress", std::round(100 * model.progress) / 100},
            {"error", model.error},
            {"known", titles_of(choices)},
            {"takes_words", model.takes_words},
            {"words_error", model.words_error}};
}

// The phrases that a detector or classifier was told: how it reads them, and from which score on what
// is found is shown, in which colour.
Json phrases_of(const ModelReport& model, const std::vector<std::string>& labels,
                const LiveState* found_by) {
    Json phrases = Json::array();
    if (!model.takes_words) return phrases;
    for (uint32_t i = 0; i < labels.size(); ++i) {
        Json& one = phrases.emplace_back(Json{{"text", labels[i]}});
        one["prompt"] = i < model.prompts.size() ? model.prompts[i] : labels[i];
        if (!found_by) continue;
        const auto own = found_by->least_scores.find(labels[i]);
        one["least"] = own == found_by->least_scores.end() ? phrase_threshold : own->second;
        one["colour"] = css_colour(class_colour(i));
    }
    return phrases;
}

// What the page needs besides the line: the queries and colours of the detections, and how fresh the
// caption is; null if it describes another picture.
std::string found_by(const Done& shown) {
    const FrameResult& result = shown.result;
    Json found = {{"queries", Json::array()}, {"colours", Json::array()}, {"repeated", shown.repeated}};
    found["caption_freshness"] =
        shown.captioned.source == result.info.source
            ? Json(freshness(shown.captioned.source, shown.captioned.captured, result.info))
            : Json();
    if (result.detections)
        for (size_t i = 0; i < result.detections->size(); ++i) {
            const Detection& d = (*result.detections)[i];
            const uint32_t colour = i < result.tracks.size()
                                        ? track_colour(result.tracks[i])
                                        : class_colour(d.id);
            found["queries"].push_back(d.query);
            found["colours"].push_back(css_colour(colour));
        }
    return found.dump();
}

// The place in a file or folder.
Json json_of(const PlayerReport& player) {
    return {{"live", player.live},
            {"still", player.still},
            {"frames", player.frames ? Json(*player.frames) : Json()},
            {"rate", player.rate},
            {"frame", player.frame},
            {"name", text_of_name(without_password(player.name))}};
}

// How tracking goes, and what lines and zones have counted; null where nothing is tracked.
Json json_of(const std::optional<TrackReport>& tracks, const std::vector<std::string>& labels,
             bool scored) {
    if (!tracks) return nullptr;
    Json told = {{"seen", tracks->seen},
                 {"lost", tracks->lost_numbers},
                 {"numbers", tracks->numbers},
                 {"found_again", tracks->found_again},
                 {"counts", json_of(tracks->counts, labels)}};
    if (scored)
        told["score"] = {{"idf1", std::round(1000 * tracks->idf1) / 1000},
                         {"mota", std::round(1000 * tracks->mota) / 1000},
                         {"switches", tracks->switches}};
    return told;
}

std::string line_for_viewers(const FrameResult& result, const ResultLabels& labels) {
    const std::string source = without_password(result.info.source);
    if (source == result.info.source) return line_of(result, labels);
    FrameResult told = result;
    told.info.source = source;
    return line_of(told, labels);
}

}  // namespace

Offered Offered::at_start(const LiveState& state, std::vector<std::string> sources) {
    Offered offered;
    sources.insert(sources.begin(), state.source);
    for (const std::string& source : sources)
        offer(offered.sources, text_of_name(without_password(source)), source);
    offered.detectors = models_for(Task::detect, state.detector);
    offered.classifiers = models_for(Task::classify, state.classifier);
    offered.captioners = models_for(Task::caption, state.captioner);
    return offered;
}

void LiveViewers::ask(LiveState& state) {
    state.planes = exchange_.watched();
    state.outlines = state.planes || exchange_.listened();
    state.looks = exchange_.looks();
    calm(state.looks, state.frozen);
    for (const SharedWish& wish : exchange_.take_wishes()) {
        choose(state.source, wish.source, offered_.sources);
        if (wish.source) drawn_.reset();  // on another one
        choose(state.detector, wish.detector, offered_.detectors);
        choose(state.classifier, wish.classifier, offered_.classifiers);
        choose(state.captioner, wish.captioner, offered_.captioners);
        if (wish.threshold) state.threshold = *wish.threshold;
        if (wish.detector_stride) state.detector_stride = *wish.detector_stride;
        if (wish.classifier_stride) state.classifier_stride = *wish.classifier_stride;
        if (wish.frozen) state.frozen = *wish.frozen;
        if (wish.seek) seek_to(state, *wish.seek);
        if (wish.track) state.track = *wish.track;
        if (wish.regions) drawn_ = wish.regions;
        if (wish.find || wish.labels || wish.question) {
            if (!typed_) typed_ = state.words;
            if (wish.find) typed_->find = *wish.find;
            if (wish.labels) typed_->labels = *wish.labels;
            if (wish.question) typed_->question = *wish.question;
        }
        if (state.least_scores.size() > most_least_scores) state.least_scores.clear();
        for (const auto& [phrase, least] : wish.least_scores) state.least_scores[phrase] = least;
    }
    take_drawn(state);
    take_typed(state);
}

// Text goes through a model of its own when it is told.
void LiveViewers::take_typed(LiveState& state) {
    const auto now = Clock::now();
    if (!typed_ || (last_typed_ && now - *last_typed_ <= between_redrawings)) return;
    state.words = *std::exchange(typed_, std::nullopt);
    last_typed_ = now;
}

// Counting begins anew with every line that is drawn, so that takes its time.
void LiveViewers::take_drawn(LiveState& state) {
    const auto now = Clock::now();
    if (drawn_ && (!last_drawn_ || now - *last_drawn_ > between_redrawings)) {
        state.regions = *std::exchange(drawn_, std::nullopt);
        last_drawn_ = now;
    }
    const std::string trouble = regions_.follow(state.source, state.regions);
    if (!trouble.empty()) spdlog::error("{}", trouble);
}

// Nobody keeps the caption from the others for long, or has models recorded anew all the time.
void LiveViewers::calm(std::vector<RemoteLook>& looks, bool frozen) {
    const auto now = Clock::now();
    std::map<uint32_t, Seen> seen;
    for (RemoteLook& look : looks) {
        const auto before = seen_.find(look.viewer);
        Seen& viewer = seen[look.viewer] =
            before == seen_.end() ? Seen{look.attention, now, std::nullopt} : before->second;
        if (viewer.attention != look.attention && now - viewer.changed > between_layers) {
            viewer.attention = look.attention;
            viewer.changed = now;
        }
        look.attention = viewer.attention;
        if (!look.word)
            viewer.on_word.reset();
        else if (!viewer.on_word)
            viewer.on_word = now;
        else if (now - *viewer.on_word > longest_on_a_word && !frozen)
            look.word.reset();
    }
    seen_ = std::move(seen);
}

void LiveViewers::show(const LiveLoop& loop, const LiveState& state, bool new_picture) {
    if (new_picture) ++number_;
    exchange_.beat(number_);
    tell(loop, state);
    const std::optional<Done>& shown = loop.shown();
    if (!shown || number_ == 0) return;
    const Exchange::Wanted wanted = exchange_.wanted(number_);
    const bool picture = wanted.picture && shown->planes.memory;
    if (!picture && !wanted.line) return;
    ServedFrame frame;
    frame.number = number_;
    frame.captured = shown->result.info.captured;
    const ResultLabels labels = loop.labels();
    frame.line = line_for_viewers(shown->result, labels);
    if (wanted.line)
        frame.crossings = crossings_in(
            shown->result, labels, without_password(shown->result.info.source));
    if (picture) {
        frame.found = found_by(*shown);
        frame.maps = shown->maps;
    }
    exchange_.show(std::move(frame), picture ? shown->planes : PlanarView());
}

void LiveViewers::tell(const LiveLoop& loop, const LiveState& state) {
    const LiveReport& report = loop.report();
    const auto now = Clock::now();
    if (last_told_ && now - *last_told_ < between_reports) return;
    last_told_ = now;
    Json stages = Json::array();
    for (const StageTimes::Stage& stage : report.stages.stages)
        stages.push_back({stage.name, std::round(100 * double(stage.ms.mean())) / 100});
    Json told = {
        {"kind", "live"},
        {"source", text_of_name(without_password(report.source))},
        {"sources", titles_of(offered_.sources)},
        {"source_state", text_of_name(report.source_state)},
        {"frozen", state.frozen},
        {"player", json_of(report.player)},
        {"threshold", state.threshold.value_or(report.sure_above)},
        {"strides", {{"detector", state.detector_stride}, {"classifier", state.classifier_stride}}},
        {"detector", json_of(report.detector, offered_.detectors)},
        {"classifier", json_of(report.classifier, offered_.classifiers)},
        {"captioner", json_of(report.captioner, offered_.captioners)},
        {"start",
         {{"mode", name_of(attention_.mode)},
          {"layer", attention_.layer == last_layer ? Json() : Json(attention_.layer)},
          {"head", attention_.head}}},
        {"words",
         {{"find", state.words.find},
          {"labels", state.words.labels},
          {"question", state.words.question}}},
        {"track", state.track},
        {"tracks", json_of(report.tracks, report.labels, report.score.has_value())},
        {"regions", state.regions.all.empty() ? Json() : Json(json_of(state.regions))},
        {"device", report.device},
        {"frames", report.frames},
        {"dropped", report.dropped},
        {"rate", std::round(10 * report.frames_per_second) / 10},
        {"age", std::round(report.latency_ms)},
        {"idle", std::round(100 * report.gpu_idle) / 100},
        {"memory", {{"device", report.memory.device_bytes}, {"host", report.memory.host_bytes}}},
        {"stages", stages}};
    told["detector"]["phrases"] = phrases_of(report.detector, report.labels, &state);
    if (report.classifier.takes_words)
        told["classifier"]["phrases"] =
            phrases_of(report.classifier, loop.labels().classifier, nullptr);
    exchange_.tell(told.dump(-1, ' ', false, Json::error_handler_t::replace), metrics_of(report));
}

}  // namespace saccade
