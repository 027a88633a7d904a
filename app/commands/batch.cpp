#include "app/commands/batch.h"

#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/batch/batch_folder.h"
#include "app/batch/lines/frame_lines.h"
#include "app/batch/plan.h"
#include "app/batch/runner.h"
#include "app/batch/work_folder.h"
#include "app/hub/model_finder.h"
#include "app/io/folder_lock.h"
#include "app/io/interrupts.h"
#include "app/io/print.h"
#include "app/io/text.h"
#include "app/serve/batch_viewers.h"
#include "app/serve/web/server.h"
#include "gpu/core/check.h"
#include "gpu/core/error.h"
#include "gpu/core/files.h"
#include "models/detector.h"

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
        return imagery_of(source.source.text) == Imagery::emoji;
    });
    return options.models.or_default(emoji ? Imagery::emoji : Imagery::photographs);
}

double least_score(const BatchOptions& options, const ModelNames& models) {
    const float sure =
        models.detector == "none" ? 0.5f : sure_above_in(find_model(models.detector));
    return options.wanted.least_score(!models.find.empty(), sure);
}

BatchPlan plan_of(const BatchOptions& options, const SourceOptions& source_options) {
    BatchPlan plan = make_plan(options.sources, range_of(options), source_options);
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
        throw Error("--heat needs --attention: whose maps are to be put together?");
    if (plan.heat && options.attention.kind == AttentionKind::colours)
        throw Error(
            "--heat puts maps of attention together: it has no use for --attention colours");
    if (plan.track && models.detector == "none")
        throw Error("--track needs a --detector: there is nothing to follow without one");
    plan.settings = {{"version", SACCADE_VERSION},
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
        plan.settings["classes"].push_back(text_of_name(name));
    for (const std::string& picture : models.like)
        plan.settings["like"].push_back(text_of_name(picture));
    if (options.wanted.size)
        plan.settings["size"] = {options.wanted.size->x, options.wanted.size->y};
    if (follows) plan.settings["attention-track"] = options.attention.track;
    if (!options.zones.empty()) plan.settings["zones"] = json_of(read_regions(options.zones));
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
    const std::string anew = "remove '" + work.path().string() + "' to start over";
    const std::optional<Object> before = work.run();
    if (before && resume) {
        const std::string what = difference(*before, run);
        if (what.empty()) return true;
        throw Error(name + " cannot be resumed: it was started with another '" + what +
                    "'; use the same command line, or " + anew);
    }
    if (before) {
        const BatchPlan plan = plan_from(before->at("plan"));
        if (!work.all_ended(plan, share_of(plan, parse_shard(before->at("shard")))))
            throw Error(name + " holds an unfinished run: continue it with --resume, or " + anew);
    }
    work.begin(run);
    return false;
}

// Of a run that was killed, only what belongs to whole pieces counts.
void drop_unfinished(const BatchPlan& plan, const std::vector<Share>& shares,
                     const BatchFolder& folder) {
    const WorkFolder work = folder.work();
    work.clean_up(plan);
    for (const Damage& damage : folder.find_damage(plan, shares)) {
        const PlannedSource& source = plan.sources[damage.source];
        spdlog::warn("'{}' has lost some of what was done: from piece {} on it is done again",
                     source.source.text, damage.piece);
        work.forget(source, damage.piece);
    }
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

// Each piece has colours of its own, whoever works on it and whatever came before.
auto colours_of_pieces(const BatchPlan& plan, decltype(FrameOrder::decide) decide) {
    return [&plan, decide](FrameOrder& order, const FrameResult& known) {
        decide(order, known);
        const uint64_t index = known.info.index;
        order.colours_anew = plan.first_of(plan.piece_of(index)) == index;
    };
}

FrameOrder order_of(const BatchOptions& options, const BatchPlan& plan, const ModelsInUse& models) {
    FrameOrder order;
    order.caption.to_end = true;
    const bool watched = !options.serve.address.empty();
    order.draw = plan.video || plan.frames || plan.heat || watched;
    order.overlay.only_sure = true;
    if (order.draw) {
        order.read_back = {.pixels = plan.frames, .planes = plan.video || watched};
        show_attention(order, options.attention, models.borrowed());
        if (options.attention.kind == AttentionKind::colours)
            order.decide = colours_of_pieces(plan, order.decide);
    }
    if (models.detector) {
        order.overlay.filter = options.wanted.filter(*models.detector);
        order.overlay.filter.masks = true;
    }
    return order;
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
                    "Draw a map of attention over each frame; track:N is that of track N, track "
                    "that of the first")
        ->check([](const std::string& text) {
            try {
                attention_named(text);
            } catch (const Error& error) {
                return std::string(error.what());
            }
            return std::string();
        })
        ->type_name("none|rollout|cls|head|detection|word|phrase|similarity|colours|track[:N]")
        ->capture_default_str();
    command.add_flag("--heat", options.heat,
                     "Write NAME-heat.png, the mean of all maps of --attention of a source; "
                     "--attention track does, too");
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
        ->check(CLI::Range(0.01, 1000.0).description(""))
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
                     "Give the same thing the same number in every frame of a source");
    command.add_flag("--mot", options.mot,
                     "Write NAME.mot.txt, the tracks in MOTChallenge's format; implies --track");
    add_zones_option(command, options.zones);
}

// How a long run is cut up: into pieces that can be resumed, and parts for several machines.
void add_run_options(CLI::App& command, BatchOptions& options) {
    command.add_flag("--resume", options.resume, "Continue a run that was killed or interrupted");
    command.add_option("--piece", options.piece, "Save progress after every N frames of a source")
        ->check(CLI::Range(1, 1 << 20).description(""))
        ->type_name("N")
        ->capture_default_str();
    command
        .add_option("--shard", options.shard,
                    "Process part I of N, I from 0 to N-1; 'saccade merge' joins the parts")
        ->check([](const std::string& text) {
            try {
                parse_shard(text);
            } catch (const Error& error) {
                return std::string(error.what());
            }
            return std::string();
        })
        ->type_name("I/N");
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
    make_folder(folder.work().path());
    const FolderLock lock(folder.work().path());

    const std::unique_ptr<Server> server = open_server(
        options.serve, "Saccade: " + std::filesystem::path(options.folder).filename().string());
    Engine engine(options.common.engine());
    spdlog::info("running on {}", engine.device().info().name);
    ModelsInUse models = ModelsInUse::open(engine, models_of(options, plan));
    const FrameOrder order = order_of(options, plan, models);
    FramePathOptions how = path_for_files(engine.device().info(), models.borrowed(), order);
    how.within = options.wanted.size;
    FramePath path(engine, how);
    path.use(models.borrowed());

    const Object run = {{"shard", std::to_string(shard.index) + "/" + std::to_string(shard.count)},
                        {"plan", json_of(plan)}};
    const bool goes_on = begin_or_resume(folder, run, options.resume);
    if (goes_on) drop_unfinished(plan, shares, folder);
    LineFile lines(folder.lines(), goes_on);

    const WorkFolder work = folder.work();
    uint64_t left = 0;
    for (const Share& share : shares) left += frames_left(plan, work, share);
    Progress progress("batch", left, options.common.quiet);
    BatchRunner runner(path, order, plan, folder, part);
    std::optional<BatchViewers> viewers;
    if (server) {
        viewers.emplace(server->exchange(), engine.device(), path.labels(), left);
        runner.show_to([&](const Done& done) { viewers->show(done); });
    }
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
            if (!part) work.remove_videos(source);
            continue;
        }
        progress.turn_to(source.source.text);
        const uint64_t wanted = frames_left(plan, work, share);
        const uint64_t of_others = progress.steps_left() - std::min(progress.steps_left(), wanted);
        try {
            runner.run(share, source_options, lines, progress);
        } catch (const DeviceLost& lost) {
            // No fault of the source, and no other would fare better.
            trouble(
                Error(std::string(lost.what()) + "; what is done is saved, --resume continues"));
            break;
        } catch (const Error& error) {
            trouble(error);
            try {
                work.set_failed(source, error.what());
            } catch (const Error&) {
                // A disk that is full: then this run has not ended.
            }
        }
        // What did not come, because it cannot be read or was promised in vain.
        progress.leave_out(progress.steps_left() - std::min(progress.steps_left(), of_others));
    }
    progress.end();
    const std::chrono::duration<double> took = Clock::now() - start;
    try {
        // A source that failed before and now went on has lines behind those of others.
        if (goes_on)
            gather_lines({folder.lines()}, folder.lines(), plan.line_names(),
                         [](size_t, uint64_t) { return true; });
        if (!part) {
            folder.write_heats(plan, {work});
            folder.write_tables(plan);
        }
    } catch (const Error& error) {
        trouble(error);
    }
    if (Interrupts::came() && !work.all_ended(plan, shares))
        trouble(Error("interrupted; the frames done so far are saved, --resume continues"));
    if (runner.totals().frames() == 0 && !goes_on && exit_code != 0) {
        // Nothing came of it: nothing is left that looks like a result.
        std::error_code ignored;
        if (std::filesystem::file_size(folder.lines(), ignored) == 0)
            std::filesystem::remove(folder.lines(), ignored);
        return exit_code;
    }
    if (!options.common.quiet) print(summary(runner.totals(), took.count()));
    return exit_code;
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
        "  saccade batch videos/ --shard 2/8 -o out");
    command.callback([options, attention, &exit_code] {
        set_up_log(options->common);
        const AttentionChoice named = attention_named(*attention);
        options->attention.kind = named.kind;
        options->attention.track = named.track;
        exit_code = batch(*options);
    });
}

}  // namespace saccade
