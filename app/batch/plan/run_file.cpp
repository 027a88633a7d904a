#include "app/batch/plan/run_file.h"

#include <unistd.h>

#include <random>
#include <set>
#include <utility>

#include "app/batch/lines/manifest.h"
#include "app/batch/lines/whole_number.h"
#include "app/io/digest.h"
#include "app/io/text.h"
#include "gpu/core/error.h"
#include "gpu/core/files.h"

namespace saccade {

namespace {

using Object = nlohmann::ordered_json;
namespace fs = std::filesystem;

// All of a plan but its sources.
Object options_of(const BatchPlan& plan) {
    return {{"from", plan.range.first}, {"to", plan.range.end}, {"stride", plan.range.stride},
            {"piece", plan.piece},      {"video", plan.video},  {"frames", plan.frames},
            {"coco", plan.coco},        {"csv", plan.csv},      {"track", plan.track},
            {"mot", plan.mot},          {"heat", plan.heat},    {"rate", plan.source_options.rate},
            {"settings", plan.settings}};
}

// The name of the first option in which two plans differ; empty if there is none.
std::string other_option(const Object& before, const Object& now) {
    for (const auto& [name, value] : now.items()) {
        if (!before.contains(name)) return name;
        if (value == before[name]) continue;
        const std::string inner =
            value.is_object() && before[name].is_object() ? other_option(before[name], value) : "";
        return inner.empty() ? name : inner;
    }
    for (const auto& [name, value] : before.items())
        if (!now.contains(name)) return name;
    return "";
}

// The files and other sources of a plan, in order.
std::vector<std::string> names_in(const BatchPlan& plan) {
    std::vector<std::string> names;
    for (const PlannedSource& planned : plan.sources) {
        names.push_back(planned.source.name.text());
        for (const fs::path& picture : planned.source.pictures) names.push_back(picture);
    }
    return names;
}

struct Damaged {};
[[noreturn]] void refuse_plan() {
    throw Error(
        "the run.json in this folder is damaged, or from another version of Saccade: start over in "
        "an empty folder");
}

}  // namespace

Object json_of(const BatchPlan& plan) {
    Object sources = Object::array();
    for (const PlannedSource& s : plan.sources) {
        Object one = {{"source", text_of_name(s.source.name.text())},
                      {"name", text_of_name(s.name)}};
        if (!s.source.pictures.empty())
            for (const fs::path& picture : s.source.pictures)
                one["pictures"].push_back(text_of_name(picture.native()));
        if (s.frames) one["frames"] = *s.frames;
        one["size"] = {s.size.x, s.size.y};
        one["rate"] = s.rate;
        one["sound"] = s.has_sound;
        one["turned"] = s.rotated;
        if (!s.error.empty()) one["trouble"] = text_of_name(s.error);
        sources.push_back(std::move(one));
    }
    Object json = options_of(plan);
    json["sources"] = std::move(sources);
    return json;
}

BatchPlan plan_from(const Object& json) try {
    BatchPlan plan;
    plan.range = {whole_number(json.at("from")), whole_number(json.at("to")),
                  whole_number(json.at("stride"))};
    plan.piece = whole_number(json.at("piece"));
    plan.video = json.at("video");
    plan.frames = json.at("frames");
    plan.coco = json.at("coco");
    plan.csv = json.at("csv");
    plan.track = json.at("track");
    plan.mot = json.at("mot");
    plan.heat = json.at("heat");
    plan.source_options.rate = json.at("rate");
    plan.settings = json.at("settings");
    for (const Object& one : json.at("sources")) {
        PlannedSource s;
        s.source.name = fs::path(name_of_text(one.at("source").get<std::string>()));
        s.name = name_of_text(one.at("name").get<std::string>());
        if (one.contains("pictures"))
            for (const Object& picture : one["pictures"])
                s.source.pictures.emplace_back(name_of_text(picture.get<std::string>()));
        if (one.contains("frames")) s.frames = whole_number(one["frames"]);
        s.size = {whole_number(one.at("size").at(0), most_pixels_a_side),
                  whole_number(one.at("size").at(1), most_pixels_a_side)};
        s.rate = one.at("rate");
        s.has_sound = one.at("sound");
        s.rotated = one.at("turned");
        if (one.contains("trouble")) s.error = name_of_text(one["trouble"].get<std::string>());
        if (s.name.find('/') != s.name.npos || s.name == "." || s.name == "..") throw Damaged();
        plan.sources.push_back(std::move(s));
    }
    if (plan.range.stride == 0 || plan.piece == 0) throw Damaged();
    return plan;
} catch (const Object::exception&) {
    refuse_plan();
} catch (const BadNumber&) {
    refuse_plan();
} catch (const Damaged&) {
    refuse_plan();
}

std::string difference(const BatchPlan& before, const BatchPlan& now) {
    if (const std::string name = other_option(options_of(before), options_of(now)); !name.empty())
        return "with another '" + name + "'";
    const std::vector<std::string> old_names = names_in(before), names = names_in(now);
    if (old_names == names) return "";
    const std::set<std::string> had(old_names.begin(), old_names.end());
    for (const std::string& name : names)
        if (!had.contains(name)) return "without '" + name + "'";
    const std::set<std::string> has(names.begin(), names.end());
    for (const std::string& name : old_names)
        if (!has.contains(name)) return "with '" + name + "' as well";
    return "with its sources in another order";
}

std::string shard_json(const Shard& shard, const std::string& checksum) {
    return Object{{"shard", shard.text()}, {"run", checksum}}.dump(1) + "\n";
}

std::string RunFile::text() const {
    const Object json = {{"shards", numbering.shards},
                         {"first_task", numbering.first_task},
                         {"plan", json_of(plan)}};
    return json.dump(1) + "\n";
}

std::optional<RunFile> RunFile::read(const fs::path& path) try {
    const std::optional<std::string> text = content_of(path);
    if (!text) return std::nullopt;
    const Object json = Object::parse(*text);
    RunFile run;
    run.numbering = {static_cast<uint32_t>(whole_number(json.at("shards"), most_shards)),
                     whole_number(json.at("first_task"))};
    run.plan = plan_from(json.at("plan"));
    Digest digest = Digest::sha256();
    digest.update(*text);
    run.checksum = hex(digest.finish());
    return run;
} catch (const Object::exception&) {
    refuse_plan();
} catch (const BadNumber&) {
    refuse_plan();
}

RunFile RunFile::publish(const fs::path& path) const {
    // Tasks on other machines may have the same process number.
    std::random_device random;
    fs::path beside = path;
    beside += "-" + std::to_string(random()) + std::to_string(random());
    NewFile file(beside);
    file.write(text());
    file.finish(Sync::yes);
    // Not every file system has hard links.
    if (::link(beside.c_str(), path.c_str()) != 0 && !fs::exists(path))
        put_in_place(beside, path, Sync::yes);
    std::error_code ignored;
    fs::remove(beside, ignored);
    std::optional<RunFile> published = read(path);
    if (!published) refuse_write(path, ENOENT);
    return *std::move(published);
}

}  // namespace saccade
