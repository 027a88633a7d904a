#include "app/batch/stage_rates.h"

#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>

#include "app/batch/batch_folder.h"
#include "app/batch/piece_writer.h"
#include "app/batch/plan/examine.h"
#include "app/io/interrupts.h"
#include "app/io/progress.h"
#include "app/pipeline/frame_path.h"
#include "app/sources/reader.h"
#include "gpu/core/error.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// A folder that is deleted with its owner.
class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string name = (fs::temp_directory_path() / "saccade-bench-XXXXXX").string();
        if (!mkdtemp(name.data()))
            throw Error("no folder can be made in '" + fs::temp_directory_path().string() +
                        "': set TMPDIR to a folder that can be written to");
        path_ = name;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

// Repeats the first frame of another source for ever. It costs nothing once every slot has it.
class FirstFrame : public Source {
public:
    explicit FirstFrame(Source& source) : traits_(source.traits()) {
        const auto info = source.next([&](const PixelLayout& layout) {
            layout_ = layout;
            bytes_.resize(layout.bytes());
            return Slot{bytes_.data(), layout};
        });
        if (!info) throw Error("'" + traits_.name.text() + "' has no frames");
        info_ = *info;
    }

    const SourceTraits& traits() const override { return traits_; }
    std::optional<FrameInfo> next(const GiveSlot& give) override {
        const Slot slot = give(layout_);
        if (filled_.insert(slot.bytes).second)
            std::memcpy(slot.bytes, bytes_.data(), bytes_.size());
        FrameInfo info = info_;
        info.index = index_++;
        info.time = double(info.index) / std::max(1.0, traits_.rate);
        info.captured = Clock::now();
        return info;
    }
    void seek(uint64_t index) override { index_ = index; }

    Size size() const { return info_.size; }

private:
    SourceTraits traits_;
    PixelLayout layout_;
    std::vector<std::byte> bytes_;
    FrameInfo info_;
    std::set<const std::byte*> filled_;
    uint64_t index_ = 0;
};

// The synthetic camera never ends, so its plan needs an end that no measurement reaches.
constexpr uint64_t more_than_can_be_timed = uint64_t{1} << 32;

class Bench {
public:
    Bench(Engine& engine, const Models& models, const StageRatesOptions& options)
        : options_(options),
          models_(models),
          plan_(plan_of(options)),
          source_(plan_.sources.at(0)),
          how_(path_for_files(engine.device().info(), models, {})),
          progress_("bench", 0, options.quiet) {
        if (plan_.sources.size() != 1)
            throw Error("'" + options.source.text() + "' is more than one source: name one video");
        if (!source_.error.empty()) throw Error(source_.error);
        how_.within = options.within;
        path_ = std::make_unique<FramePath>(engine, how_);
    }

    StageRates run() {
        StageRates rates;
        rates.at_once = how_.at_once;
        rates.size = FirstFrame(*source_.source.open({})).size();
        FrameOrder seeing, drawing;
        seeing.caption.to_end = true;
        seeing.draw = false;
        drawing.detect = drawing.classify = drawing.caption.begin = false;
        FrameOrder nothing = drawing, reading = drawing, writing = seeing;
        nothing.draw = false;
        reading.read_back.planes = true;
        writing.draw = writing.read_back.planes = true;

        rates.alone.push_back({"decode", of_source()});
        rates.alone.push_back({"upload", of_path({}, nothing)});
        if (models_.detector)
            rates.alone.push_back({"detector", of_path({.detector = models_.detector}, seeing)});
        if (models_.classifier)
            rates.alone.push_back(
                {"classifier", of_path({.classifier = models_.classifier}, seeing)});
        if (models_.captioner)
            rates.alone.push_back({"captioner", of_path({.captioner = models_.captioner}, seeing)});
        rates.alone.push_back({"draw", of_path(models_, drawing)});
        rates.alone.push_back({"readback", of_path({}, reading)});
        rates.alone.push_back({"encode", of_writing({}, reading, true, first_frame())});
        rates.without_video = of_writing(models_, seeing, false, source_.source.open({}));
        rates.with_video = of_writing(models_, writing, true, source_.source.open({}));
        return rates;
    }

private:
    static BatchPlan plan_of(const StageRatesOptions& options) {
        BatchPlan plan =
            make_plan({options.source.unmasked()}, {.end = more_than_can_be_timed}, {});
        examine(plan, options.quiet);
        return plan;
    }
    std::unique_ptr<Source> first_frame() const {
        return std::make_unique<FirstFrame>(*source_.source.open({}));
    }

    // Frames per second, until the source or the time ends.
    double timed(std::unique_ptr<Source> source,
                 const std::function<void(const std::function<std::optional<TakenFrame>()>&)>& use,
                 double seconds) {
        if (Interrupts::came()) throw TemporaryError("interrupted; run it again");
        Reader reader(std::move(source), path_->ring());
        uint64_t frames = 0;
        const Clock::time_point start = Clock::now();
        auto passed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
        use([&]() -> std::optional<TakenFrame> {
            if (Interrupts::came() || (frames >= how_.at_once && passed() > seconds))
                return std::nullopt;
            std::optional<TakenFrame> frame = reader.next();
            if (frame) ++frames;
            progress_.step();
            return frame;
        });
        if (frames == 0) throw Error("'" + options_.source.text() + "' has no frames");
        return double(frames) / passed();
    }

    double of_source() {
        return timed(
            source_.source.open({}),
            [](const auto& next) {
                while (next()) {
                }
            },
            options_.seconds);
    }

    double of_path(const Models& models, const FrameOrder& order) {
        path_->use(models);
        FrameOrder first = order;  // drawing needs detections once, from the first frames
        first.detect = first.classify = true;
        auto run = [&](double seconds) {
            return timed(
                first_frame(),
                [&](const auto& next) {
                    uint64_t begun = 0;
                    while (std::optional<TakenFrame> frame = next()) {
                        while (!path_->has_room_for(*frame)) path_->finish();
                        path_->begin(std::move(*frame), begun++ < how_.at_once ? first : order);
                    }
                    while (!path_->empty()) path_->finish();
                },
                seconds);
        };
        run(0);  // warms up: creates pipelines and records commands
        return run(options_.seconds);
    }

    double of_writing(const Models& models, const FrameOrder& order, bool video,
                      std::unique_ptr<Source> source) {
        const TemporaryFolder temporary;
        const BatchFolder folder(temporary.path());
        BatchPlan plan = plan_;
        plan.video = video;
        const WorkFolder work = folder.work();
        work.begin("");
        fs::create_directories(work.folder(source_));
        LineFile lines(folder.lines());
        StageTotals totals;
        path_->use(models);
        return timed(
            std::move(source),
            [&](const auto& next) {
                PieceWriter writer(plan, source_, 0, {work, {}, lines, totals}, path_->labels());
                pump(*path_, order, next, [&](Done frame) { writer.add(std::move(frame)); });
                writer.finish(false, 0);
            },
            options_.seconds);
    }

    const StageRatesOptions& options_;
    const Models& models_;
    const BatchPlan plan_;
    const PlannedSource& source_;
    FramePathOptions how_;
    std::unique_ptr<FramePath> path_;
    Progress progress_;
};

}  // namespace

const StageRate& StageRates::slowest() const {
    return *std::ranges::min_element(alone, {}, &StageRate::rate);
}

StageRates measure_stages(Engine& engine, const Models& models, const StageRatesOptions& options) {
    const Interrupts interrupts;
    return Bench(engine, models, options).run();
}

}  // namespace saccade
