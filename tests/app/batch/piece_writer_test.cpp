#include "app/batch/piece_writer.h"

#include <nlohmann/json.hpp>

#include "tests/app/sources/clips.h"

namespace saccade {
namespace {

namespace fs = std::filesystem;

// Frames without a pipeline: moving stripes.
class PieceWriters : public ::testing::Test {
protected:
    static constexpr Size size{64, 48};
    static constexpr uint64_t frames = 30;

    PieceWriters() {
        plan.piece = 4;
        PlannedSource source;
        source.name = "clip";
        source.size = size;
        source.rate = 25;
        plan.sources.push_back(source);
    }
    const PlannedSource& source() const { return plan.sources[0]; }

    static Done frame(FrameRing& ring, uint64_t index, std::vector<uint8_t>& y,
                      std::vector<uint8_t>& bgr) {
        const PlaneLayout layout{size.x, size.y, Chroma::halved};
        y.assign(layout.bytes(), 128);
        bgr.resize(3 * size.x * size.y);
        for (size_t i = 0; i < size.x * size.y; ++i) {
            y[i] = static_cast<uint8_t>(16 + (i * 3 + index * 5) % 200);
            bgr[3 * i] = bgr[3 * i + 1] = bgr[3 * i + 2] = y[i];
        }
        FrameInfo info;
        info.source = "clip.mp4";
        info.index = index;
        info.time = double(index) / 25;
        info.size = size;
        const size_t slot = ring.begin({}).value();
        ring.publish(slot, info);
        Done done(ring.take().value());
        done.picture = {bgr.data(), size.x, size.y, 3 * size.x, true};
        done.planes = {y.data(), layout};
        return done;
    }

    // Writes frames with these limits, in a folder of this name. Returns the error; empty: none.
    std::string write(const std::string& name, const WritingLimits& limits, bool whole = true) {
        const WorkFolder work(temp / name / "work");
        fs::create_directories(work.folder(source()));
        fs::create_directories(temp / name / "pictures");
        LineFile lines(temp / name / "FRAMES.jsonl");
        StageTotals totals;
        FrameRing ring(1, nullptr);
        try {
            PieceWriter writer(plan, source(), 0, {work, temp / name / "pictures", lines, totals},
                               {}, limits);
            std::vector<uint8_t> planes, pixels;
            for (uint64_t i = 0; i < frames; ++i) writer.add(frame(ring, i, planes, pixels));
            writer.finish(whole, UINT64_MAX);
        } catch (const Error& error) {
            return error.what();
        }
        EXPECT_EQ(totals.frames(), frames);
        return "";
    }
    std::vector<uint64_t> lines_in(const std::string& name) {
        std::vector<uint64_t> numbers;
        for (const std::string& line : lines_of(file_content(temp / name / "FRAMES.jsonl")))
            numbers.push_back(nlohmann::json::parse(line).at("frame"));
        return numbers;
    }
    std::map<std::string, std::string> files_in(const fs::path& folder) {
        std::map<std::string, std::string> files;
        for (const auto& entry : fs::directory_iterator(folder))
            files[entry.path().filename()] = file_content(entry.path());
        return files;
    }
    static std::vector<uint64_t> first(uint64_t count) {
        std::vector<uint64_t> numbers(count);
        for (uint64_t i = 0; i < count; ++i) numbers[i] = i;
        return numbers;
    }

    TempFolder temp;
    BatchPlan plan;
};

TEST_F(PieceWriters, what_is_written_does_not_depend_on_how_much_is_written_at_a_time) {
    EXPECT_EQ(write("one", {.threads = 1, .pieces = 1, .bytes = 1}), "");
    EXPECT_EQ(write("many", {.threads = 5, .pieces = 6}), "");
    for (const char* name : {"one", "many"}) EXPECT_EQ(lines_in(name), first(frames)) << name;
    auto pieces = files_in(temp / "one/work/sources/clip"),
         others = files_in(temp / "many/work/sources/clip");
    EXPECT_EQ(pieces.size(), 16u);
    // Manifests have the checksum of lines, whose "ms" differ from run to run.
    auto is_manifest = [](const auto& file) { return file.first.ends_with(".whole"); };
    EXPECT_EQ(std::erase_if(pieces, is_manifest), 8u);
    EXPECT_EQ(std::erase_if(others, is_manifest), 8u);
    EXPECT_TRUE(pieces.contains("000007.nut"));
    EXPECT_EQ(files_in(temp / "one/pictures").size(), frames);
    EXPECT_TRUE(pieces == others);
    EXPECT_TRUE(files_in(temp / "one/pictures") == files_in(temp / "many/pictures"));
}

TEST_F(PieceWriters, the_last_piece_of_a_run_that_was_broken_off_is_not_whole) {
    EXPECT_EQ(write("out", {.threads = 3, .pieces = 3}, false), "");
    EXPECT_EQ(lines_in("out"), first(frames));
    const auto pieces = files_in(temp / "out/work/sources/clip");
    EXPECT_EQ(pieces.size(), 15u);
    EXPECT_TRUE(pieces.contains("000006.nut"));
    EXPECT_TRUE(pieces.contains("000006.whole"));
    EXPECT_TRUE(pieces.contains("000007.partial.nut"));
}

TEST_F(PieceWriters, a_manifest_says_what_its_piece_consists_of) {
    EXPECT_EQ(write("out", {.threads = 2, .pieces = 2}), "");
    const WorkFolder work(temp / "out/work");
    const PieceManifest manifest = PieceManifest::read(work.manifest(source(), 1)).value();
    EXPECT_EQ(manifest.video, checksum_of(work.video(source(), 1)));
    ASSERT_EQ(manifest.pictures.size(), 4u);
    EXPECT_EQ(manifest.pictures.at("000005.png"), checksum_of(temp / "out/pictures/000005.png"));
    const std::string lines = file_content(temp / "out/FRAMES.jsonl");
    const Words all = lines_of(lines);
    LineDigest sum;
    for (size_t i = 4; i < 8; ++i) sum.add(all[i]);
    EXPECT_EQ(manifest.lines, sum.finish());
    temp.write("damaged", "{\"video\": 5}");
    EXPECT_FALSE(PieceManifest::read(temp / "damaged"));
    EXPECT_FALSE(PieceManifest::read(temp / "nothing"));
}

TEST_F(PieceWriters, behind_a_piece_that_fails_none_becomes_whole) {
    const WorkFolder work(temp / "out" / "work");
    // A folder with the name of piece 2's temporary file makes writing it fail.
    fs::create_directories(work.partial(source(), 2).string() + ".saccade-part-" +
                           std::to_string(::getpid()) + "/in/the/way");
    expect_says(write("out", {.threads = 4, .pieces = 4}), "000002.partial.nut' cannot be written");
    const auto lines = lines_in("out");
    EXPECT_LE(lines.size(), 8u);
    EXPECT_EQ(lines, first(lines.size()));
    for (uint64_t piece = 0; piece < 8; ++piece)
        EXPECT_TRUE(!fs::exists(work.manifest(source(), piece)) || lines.size() >= 4 * (piece + 1))
            << piece;
    EXPECT_FALSE(fs::exists(work.manifest(source(), 2)));
    EXPECT_FALSE(fs::exists(work.manifest(source(), 3)));
}

TEST_F(PieceWriters, pieces_without_a_frame_are_whole_and_empty) {
    plan.video = false;
    const WorkFolder work(temp / "work");
    fs::create_directories(work.folder(source()));
    LineFile lines(temp / "FRAMES.jsonl");
    StageTotals totals;
    FrameRing ring(1, nullptr);
    std::vector<uint8_t> planes, pixels;
    PieceWriter writer(plan, source(), 1, {work, {}, lines, totals}, {}, {});
    writer.add(frame(ring, 14, planes, pixels));
    writer.finish(true, 6);
    for (uint64_t piece = 1; piece < 6; ++piece)
        EXPECT_EQ(PieceManifest::read(work.manifest(source(), piece)).value().lines->bytes > 0,
                  piece == 3)
            << piece;
    EXPECT_EQ(files_in(work.folder(source())).size(), 5u);
}

}  // namespace
}  // namespace saccade
