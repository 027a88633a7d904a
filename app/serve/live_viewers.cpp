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
constexpr auto layer_interval = 150ms;     // between two changes by one viewer
constexpr auto edit_interval = 250ms;      // between two changes of regions or prompts by anyone
constexpr size_t most_least_scores = 256;  // that are remembered
constexpr auto longest_on_a_word = 20s;    // while a word is a target, no other caption begins

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
            // The model is not on this machine.
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

Json json_of(const ModelStatus& model, const Offered::Choices& choices) {
    return {{"name", model.name.empty() ? "none" : title_of(model.name)},
            {"loading", model.loading.empty() ? "" : title_of(model.loading)},
            {"progress", std::round(100 * model.progress) / 100},
            {"error", model.error},
            {"known", titles_of(choices)},
            {"takes_words", model.takes_words},
            {"words_error", model.words_error}};
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

// What the page needs besides the line: queries and colours of the detections, and how fresh the
// caption is; null if it describes another picture.
std::string detections_for_page(const Done& shown) {
    const FrameResult& result = shown.result;
    Json found = {
        {"queries", Json::array()}, {"colours", Json::array()}, {"repeated", shown.repeated}};
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

// The place in a file or folder.
Json json_of(const PlayerStatus& player) {
    return {{"live", player.live},
            {"still", player.still},
            {"frames", player.frames ? Json(*player.frames) : Json()},
            {"rate", player.rate},
            {"frame", player.frame},
            {"name", text_of_name(without_password(player.name))}};
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

std::string line_for_viewers(const FrameResult& result, const ResultLabels& labels) {
    const std::string source = without_password(result.info.source);
    if (source == result.info.source) return line_of(result, labels);
    FrameResult without = result;
    without.info.source = source;
    return line_of(without, labels);
}

}  // namespace

Offered Offered::at_start(const Wishes& wishes, std::vector<std::string> sources) {
    Offered offered;
    sources.insert(sources.begin(), wishes.source);
    for (const std::string& source : sources)
        offer(offered.sources, text_of_name(without_password(source)), source);
    offered.detectors = models_for(Task::detect, wishes.detector);
    offered.classifiers = models_for(Task::classify, wishes.classifier);
    offered.captioners = models_for(Task::caption, wishes.captioner);
    return offered;
}

void LiveViewers::add_wishes(Wishes& wishes, Events& events) {
    wishes.remote.planes = exchange_.watched();
    wishes.remote.outlines = wishes.remote.planes || exchange_.listened();
    wishes.remote.looks = exchange_.looks();
    limit(wishes.remote.looks, wishes.frozen);
    for (const SharedWish& wish : exchange_.take_wishes()) apply(wish, wishes, events);
    apply_regions(wishes);
    apply_prompts(wishes);
}

void LiveViewers::apply(const SharedWish& wish, Wishes& wishes, Events& events) {
    choose(wishes.source, wish.source, offered_.sources);
    if (wish.source) next_regions_.reset();  // they were drawn on the source before
    choose(wishes.detector, wish.detector, offered_.detectors);
    choose(wishes.classifier, wish.classifier, offered_.classifiers);
    choose(wishes.captioner, wish.captioner, offered_.captioners);
    Wishes::Filter& filter = wishes.look.filter;
    if (wish.threshold) filter.threshold = *wish.threshold;
    if (wish.detector_stride) wishes.detector_stride = *wish.detector_stride;
    if (wish.classifier_stride) wishes.classifier_stride = *wish.classifier_stride;
    for (const auto& [name, on] : wish.switches)
        if (const Control* const shared = switch_named(name)) *value_of(*shared, wishes) = on;
    if (wish.seek) events.add(Seek{*wish.seek});
    if (wish.regions) next_regions_ = wish.regions;
    if (wish.find || wish.labels || wish.question) {
        if (!next_prompts_) next_prompts_ = wishes.prompts;
        if (wish.find) next_prompts_->find = *wish.find;
        if (wish.labels) next_prompts_->labels = *wish.labels;
        if (wish.question) next_prompts_->question = *wish.question;
    }
    if (filter.least_scores.size() > most_least_scores) filter.least_scores.clear();
    for (const auto& [phrase, least] : wish.least_scores) filter.least_scores[phrase] = least;
}

// A prompt runs through a text encoder, so prompts change at a limited rate.
void LiveViewers::apply_prompts(Wishes& wishes) {
    const auto now = Clock::now();
    if (!next_prompts_ || (last_prompts_ && now - *last_prompts_ <= edit_interval)) return;
    wishes.prompts = *std::exchange(next_prompts_, std::nullopt);
    last_prompts_ = now;
}

// Counting begins again with every change, so regions change at a limited rate.
void LiveViewers::apply_regions(Wishes& wishes) {
    const auto now = Clock::now();
    if (next_regions_ && (!last_regions_ || now - *last_regions_ > edit_interval)) {
        wishes.regions = *std::exchange(next_regions_, std::nullopt);
        last_regions_ = now;
    }
    const std::string trouble = regions_.follow(wishes.source, wishes.regions);
    if (!trouble.empty()) spdlog::error("{}", trouble);
}

void LiveViewers::limit(std::vector<RemoteLook>& looks, bool frozen) {
    const auto now = Clock::now();
    std::map<uint32_t, LastLook> last_looks;
    for (RemoteLook& look : looks) {
        const auto before = last_looks_.find(look.viewer);
        LastLook& last = last_looks[look.viewer] = before == last_looks_.end()
                                                       ? LastLook{look.attention, now, std::nullopt}
                                                       : before->second;
        if (last.attention != look.attention && now - last.changed > layer_interval) {
            last.attention = look.attention;
            last.changed = now;
        }
        look.attention = last.attention;
        if (!look.target.word)
            last.on_word.reset();
        else if (!last.on_word)
            last.on_word = now;
        else if (now - *last.on_word > longest_on_a_word && !frozen)
            look.target.word.reset();
    }
    last_looks_ = std::move(last_looks);
}

void LiveViewers::show(const LiveLoop& loop, const Wishes& wishes, bool new_picture) {
    if (new_picture) ++number_;
    exchange_.beat(number_);
    publish_status(loop, wishes);
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
        frame.crossings =
            crossings_in(shown->result, labels, without_password(shown->result.info.source));
    if (picture) {
        frame.found = detections_for_page(*shown);
        frame.maps = shown->maps;
    }
    exchange_.show(std::move(frame), picture ? shown->planes : PlanarView());
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
        {"source", text_of_name(without_password(status.source))},
        {"sources", titles_of(offered_.sources)},
        {"source_state", text_of_name(status.source_state)},
        {"player", json_of(status.player)},
        {"threshold", wishes.look.filter.threshold.value_or(status.sure_above)},
        {"strides",
         {{"detector", wishes.detector_stride}, {"classifier", wishes.classifier_stride}}},
        {"detector", json_of(status.detector, offered_.detectors)},
        {"classifier", json_of(status.classifier, offered_.classifiers)},
        {"captioner", json_of(status.captioner, offered_.captioners)},
        {"start",
         {{"mode", name_of(attention_.mode)},
          {"layer", attention_.layer == last_layer ? Json() : Json(attention_.layer)},
          {"head", attention_.head}}},
        {"words",
         {{"find", wishes.prompts.find},
          {"labels", wishes.prompts.labels},
          {"question", wishes.prompts.question}}},
        {"tracks", json_of(status.tracks, status.labels, status.score.has_value())},
        {"regions", wishes.regions.all.empty() ? Json() : Json(json_of(wishes.regions))},
        {"device", status.device},
        {"frames", status.frames},
        {"dropped", status.dropped},
        {"rate", std::round(10 * status.frames_per_second) / 10},
        {"age", std::round(status.latency_ms)},
        {"idle", std::round(100 * status.gpu_idle) / 100},
        {"memory", {{"device", status.memory.device_bytes}, {"host", status.memory.host_bytes}}},
        {"stages", stages},
        {"switches", page_switches()}};
    for (const Control& control : controls())
        if (control.page == PageScope::shared) state[control.name] = *value_of(control, wishes);
    state["detector"]["phrases"] = phrases_of(status.detector, status.labels, &wishes.look.filter);
    if (status.classifier.takes_words)
        state["classifier"]["phrases"] =
            phrases_of(status.classifier, loop.labels().classifier, nullptr);
    exchange_.tell(state.dump(-1, ' ', false, Json::error_handler_t::replace), metrics_of(status));
}

}  // namespace saccade
