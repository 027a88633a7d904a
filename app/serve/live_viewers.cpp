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
#include "app/live/loop.h"
#include "app/live/state/controls.h"
#include "app/page/page.h"
#include "app/pipeline/attention_choice.h"
#include "app/pipeline/frame_path.h"
#include "app/serve/crossings.h"
#include "app/serve/metrics.h"
#include "app/serve/page_switches.h"
#include "gpu/core/error.h"
#include "models/contrast/phrases.h"

namespace saccade {

namespace {

using Json = nlohmann::json;
using namespace std::chrono_literals;

constexpr auto status_interval = 250ms;
constexpr size_t most_least_scores = 256;  // that are remembered
constexpr size_t most_heads_off = 4096;

template <typename Name>
void offer(Offered::Choices<Name>& choices, const std::string& title, const Name& name) {
    if (std::ranges::none_of(choices, [&](const auto& one) { return one.first == title; }))
        choices.emplace_back(title, name);
}

Offered::Choices<std::string> models_for(Task task, const std::string& first) {
    Offered::Choices<std::string> choices;
    if (!first.empty() && first != "none") offer(choices, title_of(first), first);
    for (const CatalogueModel& model : catalogue()) {
        if (model.task != task) continue;
        try {
            find_model(model.name);
            offer(choices, title_of(model.name), model.name);
        } catch (const Error&) {
            // The model is not on this machine.
        }
    }
    offer<std::string>(choices, "none", "none");
    return choices;
}

// The title of the source; its text if it is not offered.
std::string title_of_source(const SourceName& source, const Offered::Choices<SourceName>& choices) {
    for (const auto& [title, name] : choices)
        if (name == source) return title;
    return text_of_name(source.text());
}

// URLs that differ only in their secrets get numbers: "http://camera/?key=*** (2)".
void offer_source(Offered::Choices<SourceName>& choices, const SourceName& source) {
    const size_t before = choices.size();
    if (std::ranges::any_of(choices, [&](const auto& one) { return one.second == source; })) return;
    const std::string text = text_of_name(source.text());
    offer(choices, text, source);
    for (int i = 2; choices.size() == before; ++i)
        offer(choices, text + " (" + std::to_string(i) + ")", source);
}

template <typename Name>
void choose(Name& name, const std::optional<std::string>& title,
            const Offered::Choices<Name>& choices) {
    if (!title) return;
    for (const auto& [known, meant] : choices)
        if (known == *title) name = meant;
}

template <typename Name>
Json titles_of(const Offered::Choices<Name>& choices) {
    Json titles = Json::array();
    for (const auto& [title, name] : choices) titles.push_back(title);
    return titles;
}

Json json_of(const ModelStatus& model, const Offered::Choices<std::string>& choices) {
    return {{"name", model.name.empty() ? "none" : title_of(model.name)},
            {"loading", model.loading.empty() ? "" : title_of(model.loading)},
            {"progress", std::round(100 * model.progress) / 100},
            {"error", model.error},
            {"known", titles_of(choices)},
            {"takes_words", model.takes_words},
            {"words_error", model.words_error}};
}

// Heads of another model are other heads.
void put_back(HeadsOff& off, HeadOff::Of model) {
    std::erase_if(off, [&](const HeadOff& one) { return one.of == model; });
}
void switch_heads(HeadsOff& off, const SharedWish& wish) {
    if (wish.detector) put_back(off, HeadOff::Of::detector);
    if (wish.classifier) put_back(off, HeadOff::Of::classifier);
    if (wish.captioner) put_back(off, HeadOff::Of::captioner);
    if (wish.heads_on) off.clear();
    for (const auto& [head, is_off] : wish.heads) {
        if (!is_off)
            off.erase(head);
        else if (off.size() < most_heads_off)
            off.insert(head);
    }
}

// The heads that are off: ["detector", layer, head] each, and in words.
Json json_of(const HeadsOff& off) {
    Json all = Json::array();
    for (const HeadOff& one : off) all.push_back({name_of(one.of), one.layer, one.head});
    return {{"all", std::move(all)}, {"words", in_words(off)}};
}

// The phrases of a model, as it reads them; of a detector with thresholds and colours.
Json phrases_of(const ModelStatus& model, const std::vector<std::string>& labels,
                const Wishes::Filter* filter) {
    Json phrases = Json::array();
    if (!model.takes_words) return phrases;
    for (uint32_t i = 0; i < labels.size(); ++i) {
        Json& one = phrases.emplace_back(Json{{"text", labels[i]}});
        one["prompt"] = i < model.prompts.size() ? model.prompts[i] : labels[i];
        if (!filter) continue;
        const auto own = filter->least_scores.find(labels[i]);
        one["least"] = own == filter->least_scores.end() ? phrase_threshold : own->second;
        one["colour"] = css_colour(class_colour(i));
    }
    return phrases;
}

// Data for the page besides the line: the picture's file, queries and colours of the detections,
// and how fresh the caption is; null if it describes another picture.
std::string detections_for_page(const Done& shown) {
    const FrameResult& result = shown.result;
    Json found = {{"name", text_of_name(result.info.source.text())},
                  {"queries", Json::array()},
                  {"colours", Json::array()},
                  {"repeated", shown.repeated}};
    const FrameInfo& captioned = shown.captioned;
    found["caption_freshness"] =
        captioned.source == result.info.source
            ? Json(freshness(captioned.source, captioned.captured, result.info))
            : Json();
    if (result.detections)
        for (size_t i = 0; i < result.detections->size(); ++i) {
            const Detection& d = (*result.detections)[i];
            const uint32_t colour =
                i < result.tracks.size() ? track_colour(result.tracks[i]) : class_colour(d.id);
            found["queries"].push_back(d.query);
            found["colours"].push_back(css_colour(colour));
        }
    return found.dump();
}

// A line of JSON with the name of its source, if there are several.
std::string with_name(std::string line, const std::string& name) {
    if (!name.empty()) line.insert(1, "\"name\":" + Json(name).dump() + ",");
    return line;
}

// For the page of a wall; `age`: seconds since the newest frame, or since the start.
std::string brief_of(const Status& status, double age) {
    const Json brief = {{"name", status.name},
                        {"state", text_of_name(without_secrets_in(status.source_state))},
                        {"silent_ms", std::lround(1000 * age)},
                        {"frames", status.frames},
                        {"dropped", status.dropped},
                        {"rate", std::round(10 * status.frames_per_second) / 10},
                        {"age", std::round(status.latency_ms)}};
    return brief.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// The place in a file or folder.
Json json_of(const PlayerStatus& player) {
    return {{"live", player.live},
            {"still", player.still},
            {"frames", player.frames ? Json(*player.frames) : Json()},
            {"rate", player.rate},
            {"frame", player.frame}};
}

// Tracks, and counts of lines and zones; null without tracking.
Json json_of(const std::optional<TrackStatus>& tracks, const std::vector<std::string>& labels,
             bool scored) {
    if (!tracks) return nullptr;
    Json json = {{"seen", tracks->seen},
                 {"lost", tracks->lost_numbers},
                 {"numbers", tracks->numbers},
                 {"found_again", tracks->found_again},
                 {"counts", json_of(tracks->counts, labels)}};
    if (scored)
        json["score"] = {{"idf1", std::round(1000 * tracks->idf1) / 1000},
                         {"mota", std::round(1000 * tracks->mota) / 1000},
                         {"switches", tracks->switches}};
    return json;
}

}  // namespace

Offered Offered::at_start(const Wishes& wishes, std::vector<SourceName> sources) {
    Offered offered;
    sources.insert(sources.begin(), wishes.source);
    for (const SourceName& source : sources) offer_source(offered.sources, source);
    offered.detectors = models_for(Task::detect, wishes.detector);
    offered.classifiers = models_for(Task::classify, wishes.classifier);
    offered.captioners = models_for(Task::caption, wishes.captioner);
    return offered;
}

void LiveViewers::add_wishes(Wishes& wishes, Events& events) {
    const auto now = Clock::now();
    wishes.remote.planes = exchange_.watched();
    wishes.remote.outlines = wishes.remote.planes || exchange_.listened();
    for (const SharedWish& wish : exchange_.take_wishes()) changes_.add(wish);
    for (const SharedWish& wish : changes_.take(now)) apply(wish, wishes, events);
    if (desk_) desk_->add_events(events, now);
    wishes.remote.looks = looks_.choose(exchange_.looks(), wishes.frozen, changes_, now);
    const std::string trouble = regions_.follow(wishes.source, wishes.regions);
    if (!trouble.empty()) spdlog::error("{}", trouble);
}

void LiveViewers::apply(const SharedWish& wish, Wishes& wishes, Events& events) {
    choose(wishes.source, wish.source, offered_.sources);
    if (wish.source) changes_.forget_regions();  // they were drawn on the source before
    choose(wishes.detector, wish.detector, offered_.detectors);
    choose(wishes.classifier, wish.classifier, offered_.classifiers);
    choose(wishes.captioner, wish.captioner, offered_.captioners);
    Wishes::Filter& filter = wishes.look.filter;
    if (wish.threshold) filter.threshold = *wish.threshold;
    if (wish.detector_stride) wishes.detector_stride = *wish.detector_stride;
    if (wish.classifier_stride) wishes.classifier_stride = *wish.classifier_stride;
    for (const auto& [name, on] : wish.switches)
        if (const Control* const shared = switch_named(name)) *value_of(*shared, wishes) = on;
    if (wish.lecture && desk_) desk_->ask(wish.viewer);
    switch_heads(wishes.look.heads_off, wish);
    if (wish.seek) events.add(Seek{*wish.seek});
    if (wish.regions) wishes.regions = *wish.regions;
    if (wish.find) wishes.prompts.find = *wish.find;
    if (wish.labels) wishes.prompts.labels = *wish.labels;
    if (wish.question) wishes.prompts.question = *wish.question;
    if (filter.least_scores.size() > most_least_scores) filter.least_scores.clear();
    for (const auto& [phrase, least] : wish.least_scores) filter.least_scores[phrase] = least;
}

void LiveViewers::show(const LiveLoop& loop, const Wishes& wishes, bool new_picture) {
    if (new_picture) ++number_;
    const Pulse pulse = pulse_of(loop, wishes);
    const Status& status = loop.status();
    const bool loading = !status.detector.loading.empty() || !status.classifier.loading.empty() ||
                         !status.captioner.loading.empty() || (desk_ && desk_->busy());
    if (desk_ && desk_->follow(status, wishes, Clock::now())) exchange_.tell_lecture(desk_->news());
    const bool stands = !pulse.rests.empty() || !status.source_state.empty();
    changes_.stepped(new_picture && !loop.shown()->repeated, stands, loading, Clock::now());
    if (std::exchange(models_version_, status.models_version) != status.models_version ||
        std::exchange(source_, status.source) != status.source)
        looks_.forget_maps();
    if (new_picture) {
        const Done& shown = *loop.shown();
        if (std::exchange(scene_, shown.result.info.scene) != shown.result.info.scene)
            looks_.forget_maps();
        looks_.take(shown.maps, shown.repeated, LookTurns::earned_ms(shown.result, status));
    }
    exchange_.beat(pulse);
    publish_status(loop, wishes);
    const std::optional<Done>& shown = loop.shown();
    if (!shown || number_ == 0) return;
    const Exchange::Wanted wanted = exchange_.wanted(number_);
    const bool picture = wanted.picture && shown->planes.memory;
    if (!picture && !wanted.line) return;
    ServedFrame frame;
    frame.number = number_;
    frame.captured = shown->result.info.captured;
    frame.line = with_name(line_of(shown->result, *shown->labels), status.name);
    if (wanted.line)
        for (std::string& crossing : crossings_in(shown->result, *shown->labels))
            frame.crossings.push_back(with_name(std::move(crossing), status.name));
    if (picture) {
        frame.found = detections_for_page(*shown);
        frame.maps = looks_.maps();
    }
    exchange_.show(std::move(frame), picture ? shown->planes : PlanarView());
}

Pulse LiveViewers::pulse_of(const LiveLoop& loop, const Wishes& wishes) {
    const Status& status = loop.status();
    if (loop.shown()) captured_ = loop.shown()->result.info.captured;
    Pulse pulse{.newest = number_, .captured = captured_};
    if (wishes.frozen)
        pulse.rests = "the picture is frozen";
    else if (status.player.still)
        pulse.rests = "the source is a single picture";
    else if (status.player.at_end)
        pulse.rests = "the file has ended";
    if (!status.source_state.empty())
        pulse.waits_for = "the source gives none";
    else if (number_ == 0)
        pulse.waits_for = "the models are being loaded";
    return pulse;
}

void LiveViewers::publish_status(const LiveLoop& loop, const Wishes& wishes) {
    const Status& status = loop.status();
    const auto now = Clock::now();
    if (last_status_ && now - *last_status_ < status_interval) return;
    last_status_ = now;
    Json stages = Json::array();
    for (const StageTimes::Stage& stage : status.stages.stages)
        stages.push_back({stage.name, std::round(100 * double(stage.ms.mean())) / 100});
    Json state = {
        {"kind", "live"},
        {"source", title_of_source(status.source, offered_.sources)},
        {"sources", titles_of(offered_.sources)},
        {"source_state", text_of_name(without_secrets_in(status.source_state))},
        {"player", json_of(status.player)},
        {"threshold", wishes.look.filter.threshold.value_or(status.sure_above)},
        {"strides",
         {{"detector", wishes.detector_stride}, {"classifier", wishes.classifier_stride}}},
        {"detector", json_of(status.detector, offered_.detectors)},
        {"classifier", json_of(status.classifier, offered_.classifiers)},
        {"captioner", json_of(status.captioner, offered_.captioners)},
        {"start",
         {{"mode", name_of(attention_.mode)},
          {"model", name_of(status.richest)},
          {"layer", attention_.layer == last_layer ? Json() : Json(attention_.layer)},
          {"head", attention_.head}}},
        {"words",
         {{"find", wishes.prompts.find},
          {"labels", wishes.prompts.labels},
          {"question", wishes.prompts.question}}},
        {"tracks", json_of(status.tracks, status.labels, status.score.has_value())},
        {"heads_off", json_of(wishes.look.heads_off)},
        {"regions", wishes.regions.all.empty() ? Json() : Json(json_of(wishes.regions))},
        {"device", status.device},
        {"frames", status.frames},
        {"dropped", status.dropped},
        {"rate", std::round(10 * status.frames_per_second) / 10},
        {"age", std::round(status.latency_ms)},
        {"idle", std::round(100 * status.gpu_idle) / 100},
        {"memory", {{"device", status.memory.device_bytes}, {"host", status.memory.host_bytes}}},
        {"stages", stages},
        {"waiting", changes_.waiting()},
        {"working", status.working},
        {"stands", status.stands},
        {"name", status.name},
        {"lecture", desk_ ? json_of(desk_->news()) : Json()},
        {"switches", page_switches()}};
    for (const Control& control : controls())
        if (control.page == PageScope::shared) state[control.name] = *value_of(control, wishes);
    const Models models = loop.models();
    if (models.classifier) {
        state["classifier"]["sure_above"] = models.classifier->sure_above();
        state["classifier"]["classes"] = models.classifier->labels().size();
        if (loop.shown())
            state["richest"] = classifier_is_richer(models) ? "classifier" : "detector";
    }
    state["detector"]["phrases"] = phrases_of(status.detector, status.labels, &wishes.look.filter);
    if (status.classifier.takes_words)
        state["classifier"]["phrases"] = phrases_of(
            status.classifier,
            models.classifier ? models.classifier->labels() : std::vector<std::string>(), nullptr);
    exchange_.tell(state.dump(-1, ' ', false, Json::error_handler_t::replace), metrics_of(status),
                   brief_of(status, pulse_of(loop, wishes).age(now)));
}

}  // namespace saccade
