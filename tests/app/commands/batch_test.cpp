// `saccade batch` and `saccade merge` as started from a shell.

#include <sys/resource.h>

#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <opencv2/core.hpp>
#include <set>

#include "app/io/text.h"
#include "tests/app/commands/batch_runs.h"
#include "tests/app/variable.h"

namespace saccade {
namespace {

namespace fs = std::filesystem;

using Batch = BatchRuns;

TEST_F(Batch, a_video_keeps_its_size_rate_duration_and_sound) {
    const std::string clip =
        with_sound(temp, make_clip(temp, "silent.mp4", 25, "30000/1001"), "clip.mp4");
    expect_done(run({clip}, "out", {"--coco", "--csv", "--frames", "--attention", "detection"}));
    const auto before = probe(clip), after = probe(temp / "out" / "clip.mp4");
    for (const char* what : {"width", "height", "avg_frame_rate", "r_frame_rate", "nb_read_frames",
                             "duration", "start_time"})
        EXPECT_EQ(stream_of(after, "video")[what], stream_of(before, "video")[what]) << what;
    for (const char* what : {"codec_name", "duration", "start_time", "nb_read_frames"})
        EXPECT_EQ(stream_of(after, "audio")[what], stream_of(before, "audio")[what]) << what;

    const auto lines = lines_in("out");
    ASSERT_EQ(lines.size(), 25u);
    for (size_t i = 0; i < lines.size(); ++i) {
        EXPECT_EQ(lines[i]["frame"], i);
        EXPECT_EQ(lines[i]["source"], clip);
        EXPECT_NEAR(lines[i]["time"], double(i) * 1001 / 30000, 1e-4);
        EXPECT_EQ(lines[i]["width"], 96);
        EXPECT_EQ(lines[i]["detections"].size(), 3u);
        EXPECT_FALSE(lines[i].contains("caption"));
        for (const char* stage : {"decode", "upload", "detector", "draw", "readback", "encode"})
            EXPECT_GT(lines[i]["ms"][stage], 0) << stage;
    }
    const auto coco = nlohmann::json::parse(file_content(temp / "out" / "coco.json"));
    EXPECT_EQ(coco.size(), 75u);
    EXPECT_EQ(lines_of(file_content(temp / "out" / "frames.csv")).size(), 76u);
    const cv::Mat frame = cv::imread(temp / "out" / "clip-frames" / "000024.png");
    EXPECT_EQ(frame.size(), cv::Size(96, 64));
}

TEST_F(Batch, every_nth_frame_of_a_range_keeps_its_time) {
    const std::string clip = make_clip(temp, "clip.mp4", 30);
    expect_done(run({clip}, "out", {"--from", "4", "--to", "27", "--stride", "5"}));
    std::vector<uint64_t> frames;
    for (const auto& line : lines_in("out")) frames.push_back(line["frame"]);
    EXPECT_EQ(frames, (std::vector<uint64_t>{4, 9, 14, 19, 24}));
    const auto probed = probe(temp / "out" / "clip.mp4");
    EXPECT_EQ(stream_of(probed, "video")["avg_frame_rate"], "5/1");
    EXPECT_NEAR(std::stod(stream_of(probed, "video")["duration"].get<std::string>()), 1.0, 1e-4);
    expect_done(run({clip}, "few", {"--limit", "2", "--stride", "5", "--no-video"}));
    EXPECT_EQ(lines_in("few").size(), 2u);
    EXPECT_FALSE(fs::exists(temp / "few" / "clip.mp4"));
}

TEST_F(Batch, frames_that_come_when_they_like_are_shown_when_they_came) {
    // Some of 60 frames are dropped, so that frame times are uneven.
    const std::string clip =
        make_clip(temp, "uneven.mp4", 24, "50",
                  {"-vf", "select='not(mod(n\\,3))+not(mod(n\\,7))'", "-vsync", "vfr"});
    expect_done(run({clip}, "out"));
    const std::vector<double> before = frame_times(probe(clip)),
                              after = frame_times(probe(temp / "out" / "uneven.mp4"));
    ASSERT_EQ(before.size(), after.size());
    std::set<int> steps;
    for (size_t i = 0; i < before.size(); ++i) {
        EXPECT_NEAR(after[i] - after[0], before[i] - before[0], 1e-4) << i;
        if (i > 0) steps.insert(static_cast<int>(std::lround((after[i] - after[i - 1]) * 1000)));
    }
    EXPECT_GT(steps.size(), 1u);
}

TEST_F(Batch, odd_sizes_stay_odd_and_what_lies_on_its_side_stands_up) {
    const std::string odd = temp.write("odd.png", encoded(".png", cv::Mat(63, 97, CV_8UC3)));
    const std::string lying = make_clip(temp, "lying.mp4", 3);
    expect_done(run({odd, turned(lying, temp, "turned.mp4")}, "out"));
    auto stream = stream_of(probe(temp / "out" / "odd.mp4"), "video");
    EXPECT_EQ(stream["width"], 97);
    EXPECT_EQ(stream["height"], 63);
    stream = stream_of(probe(temp / "out" / "turned.mp4"), "video");
    EXPECT_EQ(stream["width"], 64);
    EXPECT_EQ(stream["height"], 96);
    EXPECT_FALSE(stream.contains("side_data_list"));
    EXPECT_EQ(lines_in("out").back()["height"], 96);
}

TEST_F(Batch, pictures_of_all_sizes_become_one_video) {
    fs::create_directory(temp / "album");
    temp.write("album/1.png", encoded(".png", cv::Mat(48, 64, CV_8UC3, cv::Scalar(10, 20, 200))));
    temp.write("album/2.png", "broken");
    temp.write("album/10.png", encoded(".png", cv::Mat(90, 30, CV_8UC3, cv::Scalar(200, 20, 10))));
    const Outcome outcome = run({temp / "album"}, "out", {"--rate", "2", "--piece", "1"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const auto lines = lines_in("out");
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[1]["source"], (temp / "album/10.png").string());
    EXPECT_EQ(lines[1]["frame"], 2);
    EXPECT_EQ(lines[1]["width"], 30);
    const auto probed = probe(temp / "out" / "album.mp4");
    EXPECT_EQ(stream_of(probed, "video")["width"], 64);
    ASSERT_EQ(frame_times(probed).size(), 2u);
    EXPECT_NEAR(frame_times(probed)[1], 1.0, 1e-3);
}

TEST_F(Batch, a_run_that_is_killed_again_and_again_ends_like_one_that_never_was) {
    const std::string clip = make_clip(temp, "clip.mp4", 40);
    const std::string other = "synth:96x64@30?seed=3&frames=30";
    const Words more{"--piece", "8", "--csv", "--frames"};
    expect_done(run({clip, other}, "whole", more));
    Words again = more;
    again.push_back("--resume");
    int killed = 0;
    for (size_t lines : {3u, 8u, 9u, 30u, 41u, 69u}) {
        Program program(places::program(), words({clip, other}, "killed", again));
        wait_for_lines("killed", lines);
        program.send(SIGKILL);
        killed += program.wait().signal == SIGKILL;
        for (const std::string& line : lines_of(file_content(temp / "killed" / "FRAMES.jsonl")))
            EXPECT_TRUE(nlohmann::json::accept(line)) << line;
    }
    EXPECT_GE(killed, 4);
    expect_done(run({clip, other}, "killed", again));
    expect_same("whole", "killed");
    // A finished run has nothing left to do.
    const auto before = fs::last_write_time(temp / "killed" / "clip.mp4");
    expect_done(run({clip, other}, "killed", again));
    EXPECT_EQ(fs::last_write_time(temp / "killed" / "clip.mp4"), before);
    expect_same("whole", "killed");
}

// Options of a run with tracks and counts, of which half of the detections are weak ones.
Words tracked_words(const TempFolder& temp, const Words& more) {
    temp.write("zones.json", R"({"size": [96, 64],
        "lines": [{"name": "middle", "from": [48, 0], "to": [48, 64], "point": "middle"}],
        "zones": [{"name": "left", "corners": [[0, 0], [60, 0], [60, 64], [0, 64]]}]})");
    Words all{"--piece", "8",      "--track", "--mot",
              "--csv",   "--coco", "--zones", temp / "zones.json"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

TEST_F(Batch, a_tracked_run_is_the_same_in_one_go_resumed_and_in_parts) {
    const Words sources{make_clip(temp, "clip.mp4", 30), "synth:96x64@30?seed=3&frames=20"};
    for (const bool video : {true, false}) {
        const std::string name = video ? "video-" : "lines-";
        const Words drawn = video ? Words{"--attention", "track"} : Words{"--no-video"};
        const Words more = tracked_words(temp, drawn);
        expect_done(run(sources, name + "whole", more));
        EXPECT_TRUE(fs::exists(temp / (name + "whole") / "clip.mot.txt"));
        EXPECT_TRUE(fs::exists(temp / (name + "whole") / "events.jsonl"));
        EXPECT_EQ(fs::exists(temp / (name + "whole") / "clip-heat.png"), video)
            << "where the first track has looked";

        Words again = more;
        again.push_back("--resume");
        for (size_t lines : {9u, 20u, 37u}) {
            Program program(places::program(), words(sources, name + "killed", again));
            wait_for_lines(name + "killed", lines);
            program.send(SIGKILL);
            program.wait();
        }
        expect_done(run(sources, name + "killed", again));
        expect_same(name + "whole", name + "killed");

        for (const char* shard : {"0/3", "1/3", "2/3"}) {
            Words part = more;
            part.insert(part.end(), {"--shard", shard});
            expect_done(run(sources, name + "parts", part));
        }
        expect_done(saccade_program({"merge", "--quiet", temp / (name + "parts")}));
        expect_same(name + "whole", name + "parts");
    }
    // Drawing does not change the detections.
    EXPECT_EQ(outputs("video-whole")["FRAMES.jsonl"], outputs("lines-whole")["FRAMES.jsonl"]);
}

TEST_F(Batch, numbers_begin_with_1_in_every_source_and_stay) {
    const Words sources{"synth:64x48@30?seed=3&frames=9", "synth:64x48@30?seed=4&frames=9"};
    expect_done(run(sources, "out", {"--track", "--no-video"}));
    std::map<std::string, std::set<int>> numbers;
    size_t tracked = 0;
    for (const auto& line : lines_in("out")) {
        std::set<int> here;
        for (const auto& found : line["detections"])
            if (found.contains("track")) {
                EXPECT_TRUE(here.insert(found["track"].get<int>()).second) << "twice in a frame";
                ++tracked;
            }
        numbers[line["source"]].insert(here.begin(), here.end());
    }
    EXPECT_GT(tracked, 0u);
    ASSERT_EQ(numbers.size(), 2u);
    for (const auto& [source, all] : numbers) {
        ASSERT_FALSE(all.empty()) << source;
        EXPECT_EQ(*all.begin(), 1);
        EXPECT_EQ(size_t(*all.rbegin()), all.size()) << "no number is left out";
    }
    Words none = words({sources[0]}, "none", {"--track"});
    *(std::ranges::find(none, "--detector") + 1) = "none";
    expect_refused(saccade_program(none), 1, "--track needs a --detector");
    temp.write("bad.json", "{");
    expect_refused(run({sources[0]}, "bad", {"--zones", temp / "bad.json"}), 1, "is no JSON");
}

TEST_F(Batch, attention_of_a_track_is_shown_where_it_is_seen) {
    const Words sources{"synth:64x48@30?seed=3&frames=9"};
    expect_done(run(sources, "plain", {"--track", "--frames", "--no-video"}));
    EXPECT_FALSE(fs::exists(temp / "plain" / "synth-heat.png")) << "nobody has asked for it";
    expect_done(run(sources, "first", {"--attention", "track:1", "--frames", "--no-video"}));
    expect_done(run(sources, "none", {"--attention", "track:99", "--frames", "--no-video"}));
    EXPECT_TRUE(fs::exists(temp / "first" / "synth-heat.png"));
    EXPECT_FALSE(fs::exists(temp / "none" / "synth-heat.png")) << "there is no such track";
    auto picture = [&](const char* folder, size_t frame) {
        return file_content(temp / folder / "synth-frames" /
                            ("00000" + std::to_string(frame) + ".png"));
    };
    size_t mapped = 0, frame = 0;
    for (const auto& line : lines_in("first")) {
        const bool seen = std::ranges::any_of(
            line["detections"], [](const auto& found) { return found.value("track", 0) == 1; });
        EXPECT_EQ(picture("none", frame), picture("plain", frame)) << frame;
        EXPECT_EQ(picture("first", frame) != picture("plain", frame), seen) << frame;
        mapped += seen;
        ++frame;
    }
    EXPECT_GT(mapped, 0u);
    expect_refused(run(sources, "bad", {"--attention", "track:0"}), 2, "track:N");
    expect_refused(run(sources, "bad", {"--heat", "--no-video"}), 1,
                   "--heat is the mean of attention maps: say which");
}

TEST_F(Batch, colours_of_features_are_the_same_whoever_works_on_a_piece) {
    const std::string classifier = model_folder(temp, "vit-nano");
    auto look = [&](const std::string& out, const std::string& how, const Words& more = {}) {
        Words all = words({"synth:64x48@30?seed=3&frames=6"}, out,
                          {"--frames", "--no-video", "--piece", "2", "--attention", how});
        *(std::ranges::find(all, "--classifier") + 1) = classifier;
        all.insert(all.end(), more.begin(), more.end());
        return saccade_program(all);
    };
    expect_done(look("whole", "colours"));
    for (const char* shard : {"0/2", "1/2"})
        expect_done(look("parts", "colours", {"--shard", shard}));
    expect_done(saccade_program({"merge", "--quiet", temp / "parts"}));
    expect_same("whole", "parts");
    expect_done(look("alike", "similarity"));
    expect_done(look("plain", "none"));
    const auto plain = outputs("plain"), coloured = outputs("whole"), alike = outputs("alike");
    EXPECT_EQ(plain.at("FRAMES.jsonl"), coloured.at("FRAMES.jsonl")) << "looking changes no answer";
    const std::string frame = "synth-frames/000003.png";
    EXPECT_NE(coloured.at(frame), plain.at(frame));
    EXPECT_NE(alike.at(frame), plain.at(frame));
    EXPECT_NE(alike.at(frame), coloured.at(frame));
    expect_refused(look("bad", "colours", {"--heat"}), 1, "--attention colours has none");
    expect_refused(run({"synth:64x48@30?frames=2"}, "bad", {"--attention", "similarity"}), 1,
                   "--attention similarity needs a --classifier");
}

TEST_F(Batch, what_a_frame_needs_is_drawn_and_measured) {
    expect_done(run({golden_picture()}, "plain", {"--no-video", "--frames"}));
    expect_done(run({golden_picture()}, "cause",
                    {"--no-video", "--frames", "--attention", "cause", "--meter"}));
    const nlohmann::json line = lines_in("cause").front();
    const nlohmann::json& meter = line["meter"];
    EXPECT_EQ(meter["target"]["kind"], "detection");
    EXPECT_EQ(meter["target"]["label"], line["detections"][0]["label"]);
    EXPECT_GE(meter["knock_outs"].get<int>(), 4);
    for (const char* method : {"cause", "attention", "rollout", "random"})
        for (const char* curve : {"deletion", "insertion"})
            EXPECT_GE(meter[method][curve].get<double>(), 0) << method << " " << curve;
    EXPECT_FALSE(lines_in("plain").front().contains("meter"));
    EXPECT_NE(outputs("cause").at("chelsea-frames/000000.png"),
              outputs("plain").at("chelsea-frames/000000.png"));
    expect_refused(run({golden_picture()}, "heat", {"--attention", "cause", "--heat"}), 1,
                   "--attention cause has none");
}

TEST_F(Batch, what_cannot_be_read_ends_alone) {
    const std::string clip = make_clip(temp, "clip.mp4", 12);
    const std::string content = file_content(make_clip(temp, "long.mp4", 60));
    const std::string cut = temp.write("cut.mp4", content.substr(0, content.size() * 6 / 10));
    const std::string text = temp.write("text.mp4", "no video at all");
    const Outcome outcome = run({text, cut, clip}, "out", {"--piece", "8"});
    EXPECT_EQ(outcome.code, 1);
    const Words errors = lines_of(outcome.err);
    ASSERT_EQ(errors.size(), 2u) << outcome.err;
    expect_says(errors[0], "text.mp4' is no video");
    expect_says(errors[1], "cut.mp4' is cut short");
    // The pieces before it are complete.
    size_t of_cut = 0, of_clip = 0;
    for (const auto& line : lines_in("out")) {
        of_cut += line["source"] == cut;
        of_clip += line["source"] == clip;
    }
    EXPECT_EQ(of_clip, 12u);
    EXPECT_GT(of_cut, 8u);
    EXPECT_EQ(frame_times(probe(temp / "out" / "cut.mp4")).size(), of_cut);
    EXPECT_EQ(frame_times(probe(temp / "out" / "clip.mp4")).size(), 12u);
    // The result of another attempt is the same.
    fs::copy(temp / "out", temp / "first", fs::copy_options::recursive);
    EXPECT_EQ(run({text, cut, clip}, "out", {"--piece", "8", "--resume"}).code, 1);
    expect_same("first", "out");
    EXPECT_EQ(run({text}, "none").code, 1);
    EXPECT_FALSE(fs::exists(temp / "none/FRAMES.jsonl")) << "nothing looks like a result";
}

// Limits the size of files, as on a disk that fills up.
class SmallFiles {
public:
    explicit SmallFiles(rlim_t bytes) {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit limit{bytes, before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        ::signal(SIGXFSZ, SIG_IGN);
    }
    ~SmallFiles() {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        ::signal(SIGXFSZ, SIG_DFL);
    }

private:
    rlimit before_{};
};

TEST_F(Batch, where_nothing_more_can_be_written_what_is_there_is_whole) {
    const Words sources{"synth:96x64@30?frames=40"};
    const Words more{"--piece", "4", "--no-video"};
    {
        const SmallFiles small(9000);
        expect_refused(run(sources, "out", more), 1,
                       "FRAMES.jsonl' cannot be written: File too large");
    }
    const size_t done = lines_in("out").size();
    EXPECT_GT(done, 4u);
    EXPECT_LT(done, 40u);
    Words again = more;
    again.push_back("--resume");
    expect_done(run(sources, "out", again));
    expect_done(run(sources, "whole", more));
    expect_same("whole", "out");
}

TEST_F(Batch, a_full_disk_ends_the_run_until_there_is_room) {
    fs::create_directory(temp / "out");
    fs::create_symlink("/dev/full", temp / "out/FRAMES.jsonl");
    const Words sources{"synth:96x64@30?frames=3", "synth:96x64@30?seed=2&frames=3"};
    const Outcome outcome = run(sources, "out", {"--no-video"});
    expect_refused(outcome, 75, "FRAMES.jsonl' cannot be written: No space left on device; make");
    expect_says(outcome.err, "--resume continues");
    fs::remove(temp / "out/FRAMES.jsonl");
    expect_done(run(sources, "out", {"--no-video", "--resume"}));
    EXPECT_EQ(lines_in("out").size(), 6u);
}

TEST_F(Batch, an_interrupt_leaves_what_is_done_and_the_run_can_go_on) {
    const std::string source = "synth:96x64@30?seed=3&frames=60";
    Program program(places::program(), words({source}, "out", {"--piece", "8"}));
    wait_for_lines("out", 11);
    // Schedulers send several signals.
    for (const int signal : {SIGTERM, SIGTERM, SIGTERM}) program.send(signal);
    expect_refused(program.wait(), 75, "interrupted; what is done is saved, --resume continues");
    const size_t done = lines_in("out").size();
    EXPECT_GE(done, 11u);
    EXPECT_LT(done, 60u);
    EXPECT_EQ(frame_times(probe(temp / "out" / "synth.mp4")).size(), done);

    expect_refused(run({source}, "out", {"--piece", "8"}), 1, "holds an unfinished run");
    expect_refused(run({source}, "out", {"--piece", "9", "--resume"}), 1, "another 'piece'");
    expect_done(run({source}, "out", {"--piece", "8", "--resume"}));
    expect_done(run({source}, "whole", {"--piece", "8"}));
    expect_same("whole", "out");
}

TEST_F(Batch, a_source_is_never_written_over) {
    const std::string clip = make_clip(temp, "clip.mp4", 3);
    const std::string before = file_content(clip);
    expect_refused(run({clip}, "."), 1, "would be overwritten");
    EXPECT_EQ(file_content(clip), before);
}

TEST_F(Batch, a_folder_belongs_to_one_run_at_a_time) {
    const std::string source = "synth:96x64@30?seed=3&frames=400";
    Program first(places::program(), words({source}, "out", {"--piece", "8"}));
    wait_for_lines("out", 1);
    for (const Words& more : {Words{"--piece", "8"}, Words{"--piece", "8", "--resume"}})
        expect_refused(run({source}, "out", more), 75, "out' is in use by another run: process ");
    first.send(SIGKILL);
    EXPECT_EQ(first.wait().signal, SIGKILL);
    // A killed process no longer holds the lock.
    const std::string lock = file_content(temp / "out/.saccade/lock");
    EXPECT_FALSE(lock.empty());
    expect_refused(run({source}, "out", {"--piece", "8"}), 1, "holds an unfinished run");
    EXPECT_EQ(file_content(temp / "out/.saccade/lock"), "");
}

TEST_F(Batch, names_that_are_not_utf8_come_back_from_json_as_they_were) {
    const std::string clip = make_clip(temp, "clip.mp4", 12), name = "caf\xe9 \xff.mp4";
    fs::rename(clip, temp / name);
    fs::create_directory(temp / "alb\xfcm");
    temp.write("alb\xfcm/\xe4.png", encoded(".png", cv::Mat(48, 64, CV_8UC3)));
    const Words sources{temp / name, temp / "alb\xfcm"};
    const Words more{"--piece", "5", "--csv", "--coco", "--frames"};
    expect_done(run(sources, "out", more));
    const auto lines = lines_in("out");
    ASSERT_EQ(lines.size(), 13u);
    EXPECT_EQ(name_of_text(lines[0]["source"].get<std::string>()), (temp / name).string());
    EXPECT_EQ(name_of_text(lines[12]["source"].get<std::string>()),
              (temp / "alb\xfcm/\xe4.png").string());
    EXPECT_TRUE(fs::exists(temp / "out" / name));
    EXPECT_EQ(lines_of(file_content(temp / "out/frames.csv")).size(), 1u + 13 * 3);
    Words again = more;
    again.push_back("--resume");
    expect_done(run(sources, "out", again));
    Words part = more;
    part.insert(part.end(), {"--shard", "0/1"});
    expect_done(run(sources, "parts", part));
    expect_done(saccade_program({"merge", "--quiet", temp / "parts"}));
    expect_same("out", "parts");
}

TEST_F(Batch, what_was_lost_since_is_done_again) {
    const Words sources{"synth:96x64@30?seed=3&frames=20", "synth:96x64@30?seed=4&frames=20"};
    const Words more{"--piece", "4", "--frames"}, again{"--piece", "4", "--frames", "--resume"};
    expect_done(run(sources, "whole", more));
    // Damage as after a loss of power, or by hand.
    auto damage = [&](const std::string& what, const std::function<void()>& act) {
        SCOPED_TRACE(what);
        fs::remove_all(temp / "out");
        fs::copy(temp / "whole", temp / "out", fs::copy_options::recursive);
        act();
        const Outcome outcome = run(sources, "out", again);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        expect_same("whole", "out");
    };
    const fs::path out = temp / "out";
    damage("an empty video", [&] { fs::resize_file(out / "synth.mp4", 0); });
    damage("no video", [&] { fs::remove(out / "synth-2.mp4"); });
    damage("an empty picture", [&] { fs::resize_file(out / "synth-frames/000007.png", 0); });
    damage("a line less", [&] {
        const Words lines = lines_of(file_content(out / "FRAMES.jsonl"));
        std::ofstream file(out / "FRAMES.jsonl");
        for (size_t i = 0; i < lines.size(); ++i)
            if (i != 25) file << lines[i] << "\n";
    });
    damage("a part of a picture, of a process that was killed", [&] {
        temp.write("out/synth-frames/000003.png.saccade-part-4194305", "half");
        fs::remove(out / "synth-frames/000003.png");
    });
    damage("lines that are not ours", [&] {
        std::ofstream(out / "FRAMES.jsonl", std::ios::app)
            << "7\n[]\n{\"source\": 3, \"frame\": 1}\n{\"source\": \"synth:\"}\n"
            << "{\"source\": \"synth:96x64@30?seed=3&frames=20\", \"frame\": -1}\n"
            << "{\"source\": \"synth:96x64@30?seed=3&frames=20\", \"frame\": \"2\"}\n";
    });
    damage("a damaged manifest",
           [&] { temp.write("out/.saccade/sources/synth/000002.whole", "{\"lines\": []}"); });
    damage("an empty manifest of the source",
           [&] { temp.write("out/.saccade/sources/synth/done", ""); });
}

TEST_F(Batch, damaged_observations_of_tracks_are_made_again) {
    const Words sources{"synth:96x64@30?seed=3&frames=12"};
    const Words more{"--piece", "4", "--track", "--no-video"};
    Words again = more;
    again.push_back("--resume");
    expect_done(run(sources, "whole", more));
    const fs::path seen = temp / "whole/.saccade/sources/synth/000001.seen";
    const std::string before = file_content(seen);
    std::string other = before;
    other[other.size() / 2] ^= 1;
    std::ofstream(seen, std::ios::binary) << other;
    const Outcome outcome = run(sources, "whole", again);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(file_content(seen) == before) << "the damage was not noticed";
    fs::remove(seen);
    EXPECT_EQ(run(sources, "whole", again).code, 0);
    EXPECT_TRUE(file_content(seen) == before) << "the loss was not noticed";
}

TEST_F(Batch, a_damaged_run_json_is_one_line) {
    const Words sources{"synth:96x64@30?frames=3"};
    expect_done(run(sources, "out", {"--no-video"}));
    const std::string good = file_content(temp / "out/.saccade/run.json");
    for (const char* text :
         {"", "7", "[]", "{", R"({"plan": 5, "shard": "0/1"})", R"({"plan": {}, "shard": 7})",
          R"({"plan": {}, "shard": "0/1"})", R"({"plan": {"sources": 5}, "shard": "x"})"})
        for (const Words& more : {Words{"--no-video"}, Words{"--no-video", "--resume"}}) {
            SCOPED_TRACE(text);
            temp.write("out/.saccade/run.json", text);
            expect_refused(run(sources, "out", more), 1, "saccade: ");
        }
    std::string zero = good;
    zero.replace(zero.find("\"stride\": 1"), 11, "\"stride\": 0");
    temp.write("out/.saccade/run.json", zero);
    expect_refused(run(sources, "out", {"--no-video"}), 1, "run.json in this folder is damaged");
}

// The long forms of this and of the killing: tests/trials/endure.
TEST_F(Batch, memory_stays_where_it_is) {
    const Variable program("SACCADE_PROGRAM", places::program());
    const Outcome outcome =
        run_program(places::tests() + std::string("/trials/endure"),
                    on_test_device({"memory", "1200", "--detector", "none", "--classifier", "none",
                                    "--captioner", "none"}));
    EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
    expect_says(outcome.out, "1200 frames, memory ");
}

TEST_F(Batch, the_summary_names_the_slowest_stage) {
    Words all = words({"synth:96x64@30?frames=4"}, "out", {"--no-video"});
    std::erase(all, "--quiet");
    const Outcome outcome = saccade_program(all);
    expect_done(outcome);
    expect_says(outcome.out, "4 frames in ");
    expect_says(outcome.out, "; the slowest stage is ");
    expect_says(outcome.out, "detector ");
}

}  // namespace
}  // namespace saccade
