#include "app/frame/frame_result.h"

#include <nlohmann/json.hpp>

#include "app/frame/region_counts.h"
#include "app/frame/run_lengths.h"
#include "app/io/text.h"

namespace saccade {

using Object = nlohmann::ordered_json;

namespace {

Object json_of(const Caption& caption, CaptionScore score) {
    Object object = {{"text", caption.text}, {"words", Object::array()}, {"ids", caption.ids}};
    if (score == CaptionScore::written) object["score"] = caption.score;
    for (const CaptionWord& word : caption.words)
        object["words"].push_back({{"text", word.text}, {"p", word.p}});
    return object;
}

Object json_of(const FrameMeter& meter) {
    Object object = {
        {"target", {{"kind", meter.kind}, {"label", meter.label}, {"score", meter.score}}},
        {"knock_outs", meter.knock_outs}};
    for (const FrameMeter::Method& method : meter.methods)
        object[method.name] = {{"deletion", method.areas.deletion},
                               {"insertion", method.areas.insertion}};
    object["random"] = {{"deletion", meter.random.deletion},
                        {"insertion", meter.random.insertion},
                        {"deletion_deviation", meter.random_deviation.deletion},
                        {"insertion_deviation", meter.random_deviation.insertion}};
    return object;
}

Object json_of(const Truth& truth) {
    Object object = {{"objects", Object::array()}, {"caption", truth.caption}};
    for (const TrueObject& o : truth.objects) {
        Object& one = object["objects"].emplace_back(Object{{"label", o.label}, {"id", o.id}});
        if (o.object > 0) one["object"] = o.object;
        one["box"] = {o.box.min.x, o.box.min.y, o.box.max.x, o.box.max.y};
    }
    return object;
}

}  // namespace

std::string line_of(const FrameResult& result, const ResultLabels& labels, CaptionScore score) {
    const FrameInfo& info = result.info;
    Object line = {{"source", text_of_name(info.source.text())},
                   {"frame", info.index},
                   {"time", info.time},
                   {"width", info.size.x},
                   {"height", info.size.y}};
    if (result.detections) {
        Object& all = line["detections"] = Object::array();
        for (size_t i = 0; i < result.detections->size(); ++i) {
            const Detection& d = (*result.detections)[i];
            all.push_back({{"label", labels.detector[d.id]},
                           {"id", d.id},
                           {"score", d.score},
                           {"box", {d.box.min.x, d.box.min.y, d.box.max.x, d.box.max.y}}});
            if (!d.mask.empty())
                all.back()["mask"] = {{"size", {info.size.y, info.size.x}},
                                      {"counts", coco_counts(d.mask)}};
            if (i < result.tracks.size() && result.tracks[i] > 0)
                all.back()["track"] = result.tracks[i];
        }
    }
    if (result.caption)
        line[result.caption->answers ? "answer" : "caption"] = json_of(*result.caption, score);
    if (result.classes) {
        Object& all = line["classes"] = Object::array();
        for (const ClassScore& c : *result.classes)
            all.push_back({{"label", labels.classifier[c.id]}, {"id", c.id}, {"score", c.score}});
    }
    if (!result.counts.empty()) line["counts"] = json_of(result.counts, labels.detector);
    if (result.meter) line["meter"] = json_of(*result.meter);
    if (info.truth) line["truth"] = json_of(*info.truth);
    Object& ms = line["ms"] = Object::object();
    for (const auto& [stage, time] : result.ms) ms[stage] = time;
    // Labels may not be UTF-8, but JSON is.
    return line.dump(-1, ' ', false, Object::error_handler_t::replace);
}

}  // namespace saccade
