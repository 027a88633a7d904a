#include "app/batch/plan.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "app/batch/lines/whole_number.h"
#include "app/io/picture_file.h"
#include "app/io/text.h"
#include "gpu/core/error.h"

namespace saccade {

namespace {

using Object = nlohmann::ordered_json;
namespace fs = std::filesystem;

uint64_t divided_up(uint64_t a, uint64_t b) { return a / b + (a % b != 0); }

// "'a.jpg', 'b.jpg' and 7 others"
std::string some_of(const std::vector<fs::path>& files) {
    constexpr size_t most = 4;
    std::string names;
    for (size_t i = 0; i < files.size() && i < most; ++i)
        names += (i ? ", '" : "'") + files[i].string() + "'";
    if (files.size() > most) names += " and " + std::to_string(files.size() - most) + " others";
    return names;
}

// The size of the first picture that can be read.
Size size_of(const std::vector<fs::path>& pictures, const FrameRange& range) {
    for (uint64_t i = range.first; i < pictures.size() && i < range.end; i += range.stride) try {
            const PictureFile file(pictures[i]);
            return {file.view().width, file.view().height};
        } catch (const Error&) {
            // The run reports it.
        }
    throw Error(some_of(pictures) +
                ": none of the chosen pictures can be read; see --from and --to, or name other "
                "files");
}

void probe(PlannedSource& planned, const FrameRange& range, const SourceOptions& options) {
    const SourceTraits traits = planned.source.open(options)->traits();
    planned.rate = traits.rate;
    if (traits.frames) planned.frames = range.count(*traits.frames);
    if (planned.frames == 0)
        throw Error("'" + planned.source.text + "' has " + std::to_string(*traits.frames) +
                    " frames, none of which is chosen; see --from and --to");
    if (!traits.frames && range.end == UINT64_MAX && planned.source.text.starts_with("synth:"))
        throw Error("'" + planned.source.text +
                    "' never ends: choose how many frames to process with --limit N");
    if (!traits.frames && range.end != UINT64_MAX) planned.frames = range.count(UINT64_MAX);
    planned.size = traits.size ? *traits.size : size_of(planned.source.pictures, range);
    std::error_code error;
    if (planned.source.pictures.empty() && fs::is_regular_file(planned.source.text, error)) {
        planned.has_sound = true;
        planned.rotated = traits.rotated;
    }
}

// Sources that cannot be opened get their names last: they write nothing.
void name_outputs(BatchPlan& plan) {
    std::vector<PlannedSource*> order;
    for (PlannedSource& planned : plan.sources) order.push_back(&planned);
    std::stable_partition(order.begin(), order.end(),
                          [](const PlannedSource* one) { return one->error.empty(); });
    std::vector<BatchSource> sources;
    for (const PlannedSource* planned : order) sources.push_back(planned->source);
    const std::vector<std::string> names = output_names(sources);
    for (size_t i = 0; i < order.size(); ++i) order[i]->name = names[i];
}

struct Damaged {};
[[noreturn]] void refuse_plan() {
    throw Error(
        "the run.json in this folder is damaged, or from another version of Saccade: start over in "
        "an empty folder");
}

}  // namespace

uint64_t FrameRange::count(uint64_t frames) const {
    const uint64_t past = std::min(end, frames);
    return past > first ? divided_up(past - first, stride) : 0;
}

uint64_t FrameRange::index(uint64_t n) const {
    return n > (UINT64_MAX - first) / stride ? end : std::min(end, first + n * stride);
}

uint64_t BatchPlan::pieces_of(const PlannedSource& source) const {
    return source.frames ? std::max<uint64_t>(1, divided_up(*source.frames, piece)) : 1;
}

uint64_t BatchPlan::first_of(uint64_t number) const {
    return number > UINT64_MAX / piece ? range.end : range.index(number * piece);
}

std::optional<Regions> BatchPlan::regions() const {
    if (!settings.contains("zones")) return std::nullopt;
    return regions_from(settings["zones"], "run.json");
}

std::map<std::string, size_t> BatchPlan::line_names() const {
    std::map<std::string, size_t> names;
    auto add = [&](const std::string& name, size_t source) {
        if (!names.emplace(name, source).second)
            throw Error("'" + name + "' is named twice: once is enough");
    };
    for (size_t i = 0; i < sources.size(); ++i) {
        const BatchSource& source = sources[i].source;
        if (source.pictures.empty()) add(text_of_name(source.text), i);
        for (const fs::path& picture : source.pictures) add(text_of_name(picture.native()), i);
    }
    return names;
}

BatchPlan make_plan(const std::vector<std::string>& words, const FrameRange& range,
                    const SourceOptions& options) {
    BatchPlan plan;
    plan.range = range;
    plan.source_options = options;
    const std::vector<BatchSource> sources = find_sources(words);
    for (const BatchSource& source : sources) {
        PlannedSource planned;
        planned.source = source;
        try {
            probe(planned, range, options);
        } catch (const Error& error) {
            planned.error = error.what();
        }
        plan.sources.push_back(std::move(planned));
    }
    name_outputs(plan);
    plan.line_names();
    return plan;
}

Object json_of(const BatchPlan& plan) {
    Object sources = Object::array();
    for (const PlannedSource& s : plan.sources) {
        Object one = {{"source", text_of_name(s.source.text)}, {"name", text_of_name(s.name)}};
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
    return {{"from", plan.range.first}, {"to", plan.range.end}, {"stride", plan.range.stride},
            {"piece", plan.piece},      {"video", plan.video},  {"frames", plan.frames},
            {"coco", plan.coco},        {"csv", plan.csv},      {"track", plan.track},
            {"mot", plan.mot},          {"heat", plan.heat},    {"settings", plan.settings},
            {"sources", sources}};
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
    plan.settings = json.at("settings");
    for (const Object& one : json.at("sources")) {
        PlannedSource s;
        s.source.text = name_of_text(one.at("source").get<std::string>());
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

Shard parse_shard(const std::string& text) {
    Shard shard;
    const char* const end = text.data() + text.size();
    const auto [slash, bad_index] = std::from_chars(text.data(), end, shard.index);
    if (bad_index == std::errc() && slash != end && *slash == '/') {
        const auto [rest, bad_count] = std::from_chars(slash + 1, end, shard.count);
        if (bad_count == std::errc() && rest == end && shard.index < shard.count) return shard;
    }
    throw Error("a shard is I/N, from 0/N to N-1/N, not '" + text + "'");
}

std::vector<PieceRange> ranges_of(const BatchPlan& plan, const Shard& shard) {
    uint64_t all = 0;
    for (const PlannedSource& source : plan.sources) all += plan.pieces_of(source);
    // all * i / count, without overflow.
    auto cut = [&](uint64_t i) {
        return all / shard.count * i + all % shard.count * i / shard.count;
    };
    const uint64_t first = cut(shard.index), end = cut(shard.index + 1);
    std::vector<PieceRange> ranges;
    uint64_t begin = 0;
    for (size_t i = 0; i < plan.sources.size(); ++i) {
        const uint64_t pieces = plan.pieces_of(plan.sources[i]);
        uint64_t from = std::max(first, begin), to = std::min(end, begin + pieces);
        if (plan.tracks_while_drawing()) {  // the shard with the middle piece gets the whole source
            const uint64_t middle = begin + pieces / 2;
            from = begin;
            to = first <= middle && middle < end ? begin + pieces : begin;
        }
        if (from < to)
            ranges.push_back({i, from - begin, to == begin + pieces ? UINT64_MAX : to - begin});
        begin += pieces;
    }
    return ranges;
}

}  // namespace saccade
