#include "app/batch.h"

#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/batch/batch_folder.h"
#include "app/batch/frame_lines.h"
#include "app/batch/plan.h"
#include "app/batch/runner.h"
#include "app/batch/work_folder.h"
#include "app/file_beside.h"
#include "app/interrupts.h"
#include "app/lab/print.h"
#include "app/model_finder.h"
#include "gpu/error.h"

namespace saccade {

namespace {

using Object = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

FrameRange range_of(const BatchOptions& options) {
    FrameRange range{options.from, options.to, options.stride};
    if (options.limit != UINT64_MAX) range.end = range.index(options.limit);
    return range;
}

// Those that were left out are for photographs as soon as one source shows them.
ModelNames models_of(const BatchOptions& options, const BatchPlan& plan) {
    const bool emoji = std::ranges::all_of(plan.sources, [](const PlannedSource& source) {
        return shown_by(source.source.text) == Shown::emoji;
    });
    return options.models.or_default(emoji ? Shown::emoji : Shown::photographs);
}

BatchPlan plan_of(const BatchOptions& options, const SourceOptions& source_options) {
    BatchPlan plan = make_plan(options.sources, range_of(options), source_options);
    const ModelNames models = models_of(options, plan);
    plan.piece = options.piece;
    plan.video = options.video;
    plan.frames = options.frames;
    plan.coco = options.coco;
    plan.csv = options.csv;
    plan.settings = {{"version", SACCADE_VERSION},
                     {"detector", models.detector},
                     {"classifier", models.classifier},
                     {"captioner", models.captioner},
                     {"precision", options.common.precision},
                     {"threshold", options.wanted.threshold},
                     {"classes", options.wanted.classes},
                     {"max-detections", options.wanted.most},
                     {"attention", name_of(options.attention.kind)}};
    if (options.wanted.size)
        plan.settings["size"] = {options.wanted.size->width, options.wanted.size->height};
    if (options.attention.layer) plan.settings["layer"] = *options.attention.layer;
    if (options.attention.head) plan.settings["head"] = *options.attention.head;
    return plan;
}

// The first thing in which two runs differ, by its name; empty where they are the same.
std::string difference(const Object& before, const Object& now) {
    for (const auto& [name, value] : now.items()) {
        if (!before.contains(name)) return name;
        if (value == before[name]) continue;
        const std::string inner =
            value.is_object() && before[name].is_object() ? difference(before[name], value) : "";
        return inner.empty() ? name : inner;
    }
    for (const auto& [name, value] : before.items())
        if (!now.contains(name)) return name;
    return "";
}

// Makes the work folder ready; whether a run goes on.
bool begin_or_resume(const BatchFolder& folder, const Object& run, bool resume) {
    const WorkFolder work = folder.work();
    const std::string name = "'" + folder.path().string() + "'";
    const std::string anew = "remove '" + work.path().string() + "' to begin anew";
    const std::optional<Object> before = work.run();
    if (before && resume) {
        const std::string what = difference(*before, run);
        if (what.empty()) return true;
        throw Error(name + " cannot be resumed: it was begun with another '" + what +
                    "'; give the same command line, or " + anew);
    }
    if (before) {
        const BatchPlan plan = plan_from(before->at("plan"));
        if (!work.all_ended(plan, share_of(plan, parse_shard(before->at("shard")))))
            throw Error(name + " holds a run that has not ended: go on with --resume, or " + anew);
    }
    work.begin(run);
    return false;
}

// Of a run that was killed, only what belongs to whole pieces counts.
void drop_unfinished(const BatchPlan& plan, const std::vector<Share>& shares,
                     const BatchFolder& folder) {
    const WorkFolder work = folder.work();
    work.clean_up(plan);
    std::map<size_t, uint64_t> next;  // piece of each source
    for (const Share& share : shares) {
        const PlannedSource& source = plan.sources[share.source];
        next[share.source] = work.is_done(source) ? UINT64_MAX : work.next_piece(source, share);
    }
    FileBeside::remove_leftovers(folder.path());
    gather_lines(
        {folder.lines()}, folder.lines(), plan.line_names(),
        [&](size_t source, uint64_t frame) { return plan.piece_of(frame) < next[source]; });
}

uint64_t frames_left(const BatchPlan& plan, const WorkFolder& work, const Share& share) {
    const PlannedSource& source = plan.sources[share.source];
    if (!source.frames || !source.trouble.empty() || work.is_done(source)) return 0;
    const uint64_t done = work.next_piece(source, share) * plan.piece;
    const uint64_t end =
        share.end_piece == UINT64_MAX ? *source.frames : share.end_piece * plan.piece;
    return end > done ? end - done : 0;
}

std::string summary(const StageTotals& totals, double seconds) {
    char text[160];
    std::snprintf(text, sizeof text, "%llu frames in %.1f s: %.1f fps",
                  static_cast<unsigned long long>(totals.frames()), seconds,
                  double(totals.frames()) / seconds);
    if (totals.frames() == 0) return std::string(text) + "\n";
    return std::string(text) + "; the slowest stage is " + totals.slowest() + "\n" + totals.text() +
           "\n";
}

}  // namespace

int batch(const BatchOptions& options) {
    const Interrupts interrupts;
    const SourceOptions source_options{.rate = options.rate};
    const BatchPlan plan = plan_of(options, source_options);
    const bool part = !options.shard.empty();
    const Shard shard = part ? parse_shard(options.shard) : Shard{};
    const std::vector<Share> shares = share_of(plan, shard);
    const BatchFolder whole(options.folder), folder = part ? whole.part(shard) : whole;
    whole.make_for(plan);

    Engine engine(options.common.engine());
    spdlog::info("running on {}", engine.device().info().name);
    ModelsInUse models = ModelsInUse::open(engine, models_of(options, plan));
    FramePipelineOptions how;
    how.within = options.wanted.size;
    how.attention = options.attention;
    how.draw = plan.video || plan.frames;
    how.at_once = frames_at_once(engine.device().info());
    if (models.detector) how.filter = options.wanted.filter(models.detector->labels());
    FramePipeline pipeline(engine, models, how);

    const Object run = {{"shard", std::to_string(shard.index) + "/" + std::to_string(shard.count)},
                        {"plan", json_of(plan)}};
    const bool goes_on = begin_or_resume(folder, run, options.resume);
    if (goes_on) drop_unfinished(plan, shares, folder);
    LineFile lines(folder.lines(), goes_on);

    const WorkFolder work = folder.work();
    uint64_t left = 0;
    for (const Share& share : shares) left += frames_left(plan, work, share);
    Progress progress("batch", left, options.common.quiet);
    BatchRunner runner(pipeline, plan, folder, part);
    int exit_code = 0;
    auto trouble = [&](const Error& error) {
        progress.end();
        spdlog::error("{}", error.what());
        exit_code = 1;
    };
    const auto start = Clock::now();
    for (const Share& share : shares) {
        const PlannedSource& source = plan.sources[share.source];
        if (Interrupts::came()) break;
        if (work.is_done(source)) {
            if (!part) work.remove_pieces(source);
            continue;
        }
        progress.turn_to(source.source.text);
        try {
            runner.run(share, source_options, lines, progress);
        } catch (const Error& error) {
            trouble(error);
            try {
                work.set_failed(source, error.what());
            } catch (const Error&) {
                // A disk that is full: then this run has not ended.
            }
        }
    }
    progress.end();
    const std::chrono::duration<double> took = Clock::now() - start;
    try {
        // A source that failed before and now went on has lines behind those of others.
        if (goes_on)
            gather_lines({folder.lines()}, folder.lines(), plan.line_names(),
                         [](size_t, uint64_t) { return true; });
        if (!part) folder.write_tables(plan);
    } catch (const Error& error) {
        trouble(error);
    }
    if (Interrupts::came() && !work.all_ended(plan, shares))
        trouble(Error("interrupted: what was done is whole; --resume goes on"));
    if (!options.common.quiet) print(summary(runner.totals(), took.count()));
    return exit_code;
}

void add_batch_command(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<BatchOptions>();
    auto attention = std::make_shared<std::string>("none");
    CLI::App& command = *app.add_subcommand("batch", "Go through whole videos, frame by frame");
    command
        .add_option("sources", options->sources,
                    "Videos, pictures, folders and globs of them, synth:, @FILE with one a line")
        ->required()
        ->type_name("SOURCE");
    command.add_option("-o,--out", options->folder, "Folder for all that is written")
        ->required()
        ->type_name("FOLDER");
    add_model_options(command, options->models);
    add_detection_options(command, options->wanted);

    command.add_option("--attention", *attention, "A map of attention over each frame")
        ->check(
            CLI::IsMember({"none", "rollout", "cls", "head", "detection", "word"}).description(""))
        ->type_name("none|rollout|cls|head|detection|word")
        ->capture_default_str();
    command.add_option("--layer", options->attention.layer, "The layer to look into, from 0 on")
        ->type_name("L");
    command.add_option("--head", options->attention.head, "The head to look at, from 0 on")
        ->type_name("H");

    command.add_option("--from", options->from, "The first frame of each source, from 0 on")
        ->type_name("N");
    command.add_option("--to", options->to, "The frame to stop before")->type_name("N");
    command.add_option("--stride", options->stride, "Only every so manyth frame")
        ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 32).description(""))
        ->type_name("N");
    command.add_option("--limit", options->limit, "At most so many frames of each source")
        ->check(CLI::Range(uint64_t{1}, UINT64_MAX).description(""))
        ->type_name("N");
    command.add_option("--rate", options->rate, "Frames a second of pictures, one by default")
        ->check(CLI::Range(0.01, 1000.0).description(""))
        ->type_name("FPS");

    command.add_flag_callback(
        "--no-video", [options] { options->video = false; }, "Write no videos");
    command.add_flag("--frames", options->frames, "Write annotated frames as NAME-frames/*.png");
    command.add_flag("--coco", options->coco, "Write coco.json, detections as COCO has results");
    command.add_flag("--csv", options->csv, "Write frames.csv, a row for each finding");
    command.add_flag("--resume", options->resume, "Go on where a run was killed or interrupted");
    command.add_option("--piece", options->piece, "Frames that are done or not done together")
        ->check(CLI::Range(1, 1 << 20).description(""))
        ->type_name("N")
        ->capture_default_str();
    command
        .add_option("--shard", options->shard,
                    "Do part I of N, from 0/N to N-1/N; 'saccade merge' joins them")
        ->check([](const std::string& text) {
            try {
                parse_shard(text);
            } catch (const Error& error) {
                return std::string(error.what());
            }
            return std::string();
        })
        ->type_name("I/N");
    add_common_options(command, options->common);
    command.footer(
        "Writes FRAMES.jsonl, one line a frame, and for each source NAME.mp4 with its size, frame\n"
        "rate and sound. Models left out are the bundled ones: for photographs, unless all\n"
        "sources are synth:.\n"
        "Examples:\n"
        "  saccade batch clip.mp4 -o out\n"
        "  saccade batch videos/ --captioner none --attention detection --csv -o out\n"
        "  saccade batch @list.txt --stride 5 --no-video --coco --resume -o out\n"
        "  saccade batch videos/ --shard 2/8 -o out");
    command.callback([options, attention, &exit_code] {
        set_up_log(options->common);
        options->attention.kind = attention_named(*attention);
        exit_code = batch(*options);
    });
}

}  // namespace saccade
