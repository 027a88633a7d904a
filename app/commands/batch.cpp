#include "app/commands/batch.h"

#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/batch/batch_run.h"
#include "app/batch/merge.h"
#include "app/batch/open_run.h"
#include "app/batch/plan/plan.h"
#include "app/batch/plan/shard.h"
#include "app/explain/frame_explainer.h"
#include "app/hub/model_finder.h"
#include "app/io/interrupts.h"
#include "app/io/print.h"
#include "app/io/text.h"
#include "app/serve/batch_viewers.h"
#include "app/serve/web/server.h"
#include "gpu/core/error.h"
#include "models/detector.h"

namespace saccade {

namespace {

using Object = nlohmann::ordered_json;

FrameRange range_of(const BatchOptions& options) {
    FrameRange range{options.from, options.to, options.stride};
    if (options.limit != UINT64_MAX) range.end = range.index(options.limit);
    return range;
}

// Models that are not named are the bundled ones for emoji if every source shows emoji, else those
// for photographs.
ModelNames models_of(const BatchOptions& options, const BatchPlan& plan) {
    const bool emoji = std::ranges::all_of(plan.sources, [](const PlannedSource& source) {
        return imagery_of(source.source.name) == Imagery::emoji;
    });
    return options.models.or_default(emoji ? Imagery::emoji : Imagery::photographs);
}

double least_score(const BatchOptions& options, const ModelNames& models) {
    const float sure =
        models.detector == "none" ? 0.5f : sure_above_in(find_model(models.detector));
    return options.wanted.least_score(!models.find.empty(), sure);
}

// All options that affect the results, for run.json: a run is resumed only if they are the same.
Object settings_of(const BatchOptions& options, const ModelNames& models) {
    Object settings = {{"version", SACCADE_VERSION},
                       {"detector", text_of_name(models.detector)},
                       {"classifier", text_of_name(models.classifier)},
                       {"captioner", text_of_name(models.captioner)},
                       {"find", text_of_name(models.find)},
                       {"labels", text_of_name(models.labels)},
                       {"ask", text_of_name(models.question)},
                       {"precision", options.common.precision},
                       {"threshold", least_score(options, models)},
                       {"classes", Object::array()},
                       {"max-detections", options.wanted.most},
                       {"attention", name_of(options.attention.kind)}};
    for (const std::string& name : options.wanted.classes)
        settings["classes"].push_back(text_of_name(name));
    for (const std::string& picture : models.like)
        settings["like"].push_back(text_of_name(picture));
    if (models.as != Implementation::by_weights) settings["as"] = name_of(models.as);
    if (options.wanted.merged) settings["merge-boxes"] = true;
    if (options.wanted.size) settings["size"] = {options.wanted.size->x, options.wanted.size->y};
    if (options.attention.kind == AttentionKind::track)
        settings["attention-track"] = options.attention.track;
    if (!options.zones.empty()) settings["zones"] = json_of(read_regions(options.zones));
    if (options.attention.layer) settings["layer"] = *options.attention.layer;
    if (options.attention.head) settings["head"] = *options.attention.head;
    if (options.meter) settings["meter"] = true;
    return settings;
}

// The plan that the command line asks for, before any source is opened.
BatchPlan plan_of(const BatchOptions& options) {
    BatchPlan plan = make_plan(options.sources, range_of(options), {.rate = options.rate});
    const ModelNames models = models_of(options, plan);
    plan.piece = options.piece;
    plan.video = options.video;
    plan.frames = options.frames;
    plan.coco = options.coco;
    plan.csv = options.csv;
    const bool follows = options.attention.kind == AttentionKind::track;
    plan.track = options.track || options.mot || !options.zones.empty() || follows;
    plan.mot = options.mot;
    plan.heat = options.heat || follows;
    if (plan.heat && options.attention.kind == AttentionKind::none)
        throw Error("--heat is the mean of attention maps: say which with --attention");
    if (plan.heat && options.attention.kind == AttentionKind::colours)
        throw Error("--heat is the mean of attention maps: --attention colours has none");
    if (plan.heat && options.attention.kind == AttentionKind::cause)
        throw Error("--heat is the mean of attention maps: --attention cause has none");
    if (plan.track && models.detector == "none")
        throw Error("--track needs a --detector: there is nothing to follow without one");
    plan.settings = settings_of(options, models);
    return plan;
}

// The order for every frame of the run.
FrameOrder order_of(const BatchOptions& options, const BatchPlan& plan, const ModelsInUse& models) {
    FrameOrder order;
    order.caption.to_end = true;
    const bool watched = !options.serve.address.empty();
    order.draw = plan.video || plan.frames || plan.heat || watched;
    order.overlay.only_sure = true;
    if (order.draw) {
        order.read_back = {.pixels = plan.frames, .planes = plan.video || watched};
        show_attention(order, options.attention, models.borrowed());
    }
    if (models.detector) {
        order.overlay.filter = options.wanted.filter(*models.detector);
        order.overlay.filter.masks = true;
    }
    return order;
}

// Runs the models on each frame many times more, where that is wanted.
std::optional<FrameExplainer> explainer_for(const BatchOptions& options, Engine& engine,
                                            const ModelsInUse& models, const FrameOrder& order) {
    const FrameExplainer::Wanted wanted{
        order.draw && options.attention.kind == AttentionKind::cause, options.meter};
    if (!wanted.map && !wanted.meter) return std::nullopt;
    if (!models.detector && !models.classifier)
        throw Error("--meter needs a --detector or a --classifier");
    return FrameExplainer(engine, models.borrowed(), order.overlay.filter, options.wanted.size,
                          wanted);
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

void add_attention_options(CLI::App& command, BatchOptions& options, std::string& kind) {
    command
        .add_option("--attention", kind,
                    "Draw an attention map over each frame; track:N is that of track N, track "
                    "that of track 1")
        ->check([](const std::string& text) {
            try {
                attention_named(text);
            } catch (const Error& error) {
                return std::string(error.what());
            }
            return std::string();
        })
        ->type_name(
            "none|rollout|cls|head|detection|word|phrase|similarity|colours|cause|track[:N]")
        ->capture_default_str();
    command.add_flag(
        "--meter", options.meter,
        "Measure in every frame how well maps tell what the strongest detection, or else "
        "the likeliest class, needs: some 150 runs of the model a frame");
    command.add_flag("--heat", options.heat,
                     "Write NAME-heat.png, the mean of a source's attention maps; implied by "
                     "--attention track");
    command
        .add_option("--layer", options.attention.layer,
                    "Layer of the attention map, counted from 0; the clearest if left out")
        ->type_name("L");
    command
        .add_option("--head", options.attention.head, "Head of the attention map, counted from 0")
        ->type_name("H");
}

void add_range_options(CLI::App& command, BatchOptions& options) {
    command.add_option("--from", options.from, "Start at frame N of each source, counted from 0")
        ->type_name("N");
    command.add_option("--to", options.to, "Stop before frame N of each source")->type_name("N");
    command.add_option("--stride", options.stride, "Use every Nth frame")
        ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 32).description(""))
        ->type_name("N");
    command.add_option("--limit", options.limit, "Use at most N frames of each source")
        ->check(CLI::Range(uint64_t{1}, UINT64_MAX).description(""))
        ->type_name("N");
    command.add_option("--rate", options.rate, "Frame rate of a folder of pictures, 1 by default")
        ->check(within(0.01, 1000.0))
        ->type_name("FPS");
}

void add_output_options(CLI::App& command, BatchOptions& options) {
    command.add_flag_callback(
        "--no-video", [&options] { options.video = false; }, "Write no videos");
    command.add_flag("--frames", options.frames, "Write annotated frames as NAME-frames/*.png");
    command.add_flag("--coco", options.coco,
                     "Write coco.json, the detections in COCO's result format");
    command.add_flag("--csv", options.csv,
                     "Write frames.csv, one row per detection, class or caption");
    command.add_flag("--track", options.track,
                     "Give each object the same number in every frame of a source");
    command.add_flag("--mot", options.mot,
                     "Write NAME.mot.txt, the tracks in MOTChallenge's format; implies --track");
    add_zones_option(command, options.zones);
}

// Options for long runs: pieces that can be resumed, and shards for several machines.
void add_run_options(CLI::App& command, BatchOptions& options) {
    command.add_flag("--resume", options.resume, "Continue a run that was killed or interrupted");
    command.add_option("--piece", options.piece, "Save progress after every N frames of a source")
        ->check(CLI::Range(1, 1 << 20).description(""))
        ->type_name("N")
        ->capture_default_str();
    CLI::Option* const shard =
        command
            .add_option("--shard", options.shard,
                        "Process part I of N, I from 0 to N-1, or the part of this task of an "
                        "array of Slurm, Kubernetes or AWS Batch; 'saccade merge' joins the parts")
            ->check([](const std::string& text) {
                try {
                    if (text != "auto") parse_shard(text);
                } catch (const Error& error) {
                    return std::string(error.what());
                }
                return std::string();
            })
            ->type_name("I/N|auto");
    CLI::Option* const shards =
        command
            .add_option("--shards", options.shards,
                        "Into how many parts the run is split, for --plan and --shard auto")
            ->check(CLI::Range(1u, most_shards).description(""))
            ->type_name("N");
    command
        .add_flag("--plan", options.plan,
                  "Only find the sources and their lengths, for all parts that are run later")
        ->needs(shards)
        ->excludes(shard);
}

// An Error of the command line if the options of shards contradict each other.
void check_shards(const BatchOptions& options) {
    if (options.shards == 0 || options.plan || options.shard == "auto") return;
    if (options.shard.empty())
        throw CLI::ValidationError("--shards", "is for --plan and --shard auto");
    if (parse_shard(options.shard).count != options.shards)
        throw CLI::ValidationError("--shard " + options.shard,
                                   "contradicts --shards " + std::to_string(options.shards));
}

int only_plan(const BatchOptions& options, const RunRequest& request) {
    const BatchPlan plan = plan_run(plan_of(options), request);
    uint64_t frames = 0, unreadable = 0;
    for (const PlannedSource& source : plan.sources) {
        frames += source.frames.value_or(0);
        unreadable += !source.error.empty();
        if (!source.error.empty()) spdlog::warn("{}", source.error);
    }
    if (unreadable == plan.sources.size()) throw Error("none of the sources can be read");
    if (options.common.quiet) return 0;
    const std::string shards = std::to_string(options.shards);
    print(std::to_string(plan.sources.size()) + " sources with " + std::to_string(frames) +
          " frames are planned in '" + options.folder + "'; run the same command with --shard 0/" +
          shards + " to " + std::to_string(options.shards - 1) + "/" + shards +
          " instead of --plan, then 'saccade merge'\n");
    return 0;
}

int exit_code_of(BatchOutcome::End end) {
    switch (end) {
        case BatchOutcome::End::done:
            return 0;
        case BatchOutcome::End::failed:
            return 1;
        case BatchOutcome::End::unfinished:
            return exit_code_again;
    }
    return 1;
}

int finish(const BatchOptions& options, const BatchOutcome& outcome) {
    const bool has_results = outcome.end == BatchOutcome::End::done || outcome.totals.frames() > 0;
    if (!options.common.quiet && has_results) print(summary(outcome.totals, outcome.seconds));
    return exit_code_of(outcome.end);
}

}  // namespace

int batch(const BatchOptions& options) {
    const Interrupts interrupts;
    const RunRequest request{.folder = options.folder,
                             .shard = options.shard,
                             .shards = options.shards,
                             .resume = options.resume,
                             .quiet = options.common.quiet};
    if (options.plan) return only_plan(options, request);
    const OpenRun opened = open_run(plan_of(options), request);
    const BatchPlan& plan = opened.plan;
    BatchRun run(opened);
    if (!run.needs_models()) {
        run.start();
        return finish(options, run.process(nullptr, {}, {}, options.common.quiet));
    }

    const std::unique_ptr<Server> server = open_server(
        options.serve, "Saccade: " + std::filesystem::path(options.folder).filename().string());
    Engine engine(options.common.engine());
    spdlog::info("running on {}", engine.device().info().name);
    const ModelsInUse models = ModelsInUse::open(engine, models_of(options, plan));
    FrameOrder order = order_of(options, plan, models);
    std::optional<FrameExplainer> explainer = explainer_for(options, engine, models, order);
    if (explainer)
        order.explain = [&explainer](FrameOrder& frame, FrameResult& known,
                                     const MaskedPicture& picture) {
            explainer->explain(frame, known, picture);
        };
    FramePathOptions how = path_for_files(engine.device().info(), models.borrowed(), order);
    how.within = options.wanted.size;
    FramePath path(engine, how);
    path.use(models.borrowed());

    if (Interrupts::came())
        throw TemporaryError("interrupted before the first frame; run it again");
    run.start();
    std::optional<BatchViewers> viewers;
    std::function<void(const Done&)> watch;
    if (server) {
        viewers.emplace(server->exchange(), engine.device(), path.labels(), run.frames_left());
        watch = [&](const Done& done) { viewers->show(done); };
    }
    return finish(options, run.process(&path, order, watch, options.common.quiet));
}

void add_batch_command(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<BatchOptions>();
    auto attention = std::make_shared<std::string>("none");
    CLI::App& command = *app.add_subcommand("batch", "Process every frame of videos and pictures");
    command
        .add_option(
            "sources", options->sources,
            "A video, a picture, a folder, a glob, synth:, or @FILE that lists one source per line")
        ->required()
        ->type_name("SOURCE");
    command.add_option("-o,--out", options->folder, "Folder for the results")
        ->required()
        ->type_name("FOLDER");
    add_model_options(command, options->models);
    add_words_options(command, options->models);
    add_detection_options(command, options->wanted);

    add_attention_options(command, *options, *attention);
    add_range_options(command, *options);
    add_output_options(command, *options);
    add_run_options(command, *options);
    add_serve_options(command, options->serve);
    add_common_options(command, options->common);
    command.footer(
        "Writes FRAMES.jsonl with one line per frame, and for each source NAME.mp4 with the same "
        "size,\n"
        "frame rate and sound. Models that are not named are the bundled ones for photographs, or "
        "for\n"
        "emoji if all sources are synth:. A model may be 'none'.\n"
        "Examples:\n"
        "  saccade batch clip.mp4 -o out\n"
        "  saccade batch videos/ --captioner none --attention detection --csv -o out\n"
        "  saccade batch clip.mp4 --attention track:3 -o out\n"
        "  saccade batch @list.txt --stride 5 --no-video --coco --resume -o out\n"
        "  saccade batch videos/ --shard 2/8 -o out\n"
        "  saccade batch videos/ --plan --shards 64 -o out   # then, as 64 tasks of an array:\n"
        "  saccade batch videos/ --shard auto --resume -o out\n"
        "Exit codes: 0 done; 1 some sources could not be read, the rest is done; 75 interrupted "
        "or\n"
        "short of a resource: run it again with --resume.");
    command.callback([options, attention, &exit_code] {
        set_up_log(options->common);
        check_shards(*options);
        const AttentionChoice named = attention_named(*attention);
        options->attention.kind = named.kind;
        options->attention.track = named.track;
        exit_code = batch(*options);
    });
}

int merge(const MergeOptions& options) {
    const Interrupts interrupts;
    const MergeOutcome outcome = merge_parts(options.folder, options.common.quiet);
    if (!options.common.quiet)
        print(std::to_string(outcome.parts) + " parts joined in '" + options.folder +
              "'; the folders of the parts can be deleted\n");
    return outcome.failed ? 1 : 0;
}

void add_merge_command(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<MergeOptions>();
    CLI::App& command =
        *app.add_subcommand("merge", "Join the parts of a batch run that used --shard");
    command.add_option("folder", options->folder, "The folder that all parts were written to")
        ->required()
        ->type_name("FOLDER");
    command.add_flag("--quiet", options->common.quiet, "Print only errors");
    command.footer(
        "Examples:\n"
        "  saccade batch videos/ --shard 0/2 -o out\n"
        "  saccade batch videos/ --shard 1/2 -o out\n"
        "  saccade merge out");
    command.callback([options, &exit_code] {
        set_up_log(options->common);
        exit_code = merge(*options);
    });
}

}  // namespace saccade
