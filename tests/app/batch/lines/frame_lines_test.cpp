#include "app/batch/lines/frame_lines.h"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "app/batch/lines/region_tables.h"
#include "app/batch/lines/tables.h"
#include "app/batch/lines/track_lines.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

std::string line(const std::string& source, int frame) {
    return "{\"source\":\"" + source + "\",\"frame\":" + std::to_string(frame) + "}\n";
}

std::string content(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

const std::map<std::string, size_t> names{{"a", 0}, {"b", 1}};

TEST(FrameLines, lines_of_several_files_come_in_the_order_of_sources_and_frames) {
    const TempFolder temp;
    temp.write("0", line("b", 0) + line("b", 1) + line("a", 4) + line("a", 5) + line("a", 6));
    temp.write("1", line("a", 0) + line("c", 9) + line("a", 1) + line("b", 7) + "{\"source\":\"a");
    gather_lines({temp / "0", temp / "1"}, temp / "all", names,
                 [](size_t source, uint64_t frame) { return source == 1 || frame != 5; });
    EXPECT_EQ(content(temp / "all"), line("a", 0) + line("a", 1) + line("a", 4) + line("a", 6) +
                                         line("b", 0) + line("b", 1) + line("b", 7));
}

TEST(FrameLines, a_file_that_is_in_order_is_left_alone) {
    const TempFolder temp;
    const std::string good = line("a", 0) + line("a", 2) + line("b", 0);
    temp.write("lines", good);
    const auto all = [](size_t, uint64_t) { return true; };
    const auto before = std::filesystem::last_write_time(temp / "lines");
    gather_lines({temp / "lines"}, temp / "lines", names, all);
    EXPECT_EQ(std::filesystem::last_write_time(temp / "lines"), before);
    temp.write("lines", good + "{\"source\"");
    gather_lines({temp / "lines"}, temp / "lines", names, all);
    EXPECT_EQ(content(temp / "lines"), good);
    gather_lines({temp / "lines"}, temp / "lines", names, [](size_t, uint64_t) { return false; });
    EXPECT_EQ(content(temp / "lines"), "");
}

// Few files can be open at a time while this object lives.
class FewOpenFiles {
public:
    FewOpenFiles() {
        ::getrlimit(RLIMIT_NOFILE, &before_);
        const int next = ::dup(0);
        ::close(next);
        const rlimit limit{rlim_t(next) + 4, before_.rlim_max};
        ::setrlimit(RLIMIT_NOFILE, &limit);
    }
    ~FewOpenFiles() { ::setrlimit(RLIMIT_NOFILE, &before_); }

private:
    rlimit before_{};
};

TEST(FrameLines, there_may_be_more_parts_and_sources_than_files_can_be_open) {
    const TempFolder temp;
    constexpr int parts = 20;
    std::vector<std::filesystem::path> from;
    std::map<std::string, size_t> sources;
    std::string all;
    for (int i = 0; i < parts; ++i) {
        const std::string name = std::to_string(i);
        const std::string text =
            "{\"source\":\"" + name +
            "\",\"frame\":0,\"detections\":[{\"label\":\"a\",\"id\":0,\"score\":0.5,"
            "\"box\":[0,0,1,1],\"track\":1}]}\n";
        from.push_back(temp.write("part" + name, text));
        sources[name] = static_cast<size_t>(i);
        all += text;
    }
    const FewOpenFiles few;
    gather_lines(from, temp / "all", sources, [](size_t, uint64_t) { return true; });
    EXPECT_EQ(content(temp / "all"), all);
    write_mot(temp / "all", sources,
              [&](size_t source) { return temp / ("mot" + std::to_string(source)); });
    for (int i = 0; i < parts; ++i)
        EXPECT_EQ(content(temp / ("mot" + std::to_string(i))),
                  "1,1,0.0,0.0,1.0,1.0,0.5,-1,-1,-1\n");
}

TEST(Tables, coco_has_a_pictures_number_or_its_line_and_its_own_numbers_of_classes) {
    const TempFolder temp;
    const std::string found =
        R"(,"detections":[{"label":"dog","id":17,"score":0.5,"box":[1.0,2.0,4.5,8.0]}]})";
    temp.write("numbers", R"({"source":"val/000000000139.jpg","frame":0)" + found + "\n" +
                              R"({"source":"val/7.png","frame":1,"detections":[]})" + "\n");
    write_coco(temp / "numbers", temp / "coco.json");
    EXPECT_EQ(content(temp / "coco.json"),
              "[\n{\"image_id\":139,\"category_id\":18,\"bbox\":[1.0,2.0,3.5,6.0],\"score\":0.5}"
              "\n]\n");
    temp.write("frames", R"({"source":"12.mp4","frame":5})"
                         "\n"
                         R"({"source":"12.mp4","frame":6)" +
                             found + "\n");
    write_coco(temp / "frames", temp / "coco.json");
    EXPECT_NE(content(temp / "coco.json").find("\"image_id\":1,"), std::string::npos);
}

TEST(Tables, csv_has_a_row_for_each_finding) {
    const TempFolder temp;
    temp.write("lines", R"({"source":"a,b.mp4","frame":5,"time":0.2,"detections":[{"label":"dog",)"
                        R"("id":17,"score":0.5,"box":[1.0,2.0,4.5,8.0]}],"caption":{"text":)"
                        R"("a \"big\" dog"},"classes":[{"label":"cat","id":3,"score":0.25}]})"
                        "\n");
    write_csv(temp / "lines", temp / "frames.csv");
    EXPECT_EQ(content(temp / "frames.csv"),
              "source,frame,time,kind,label,id,score,left,top,right,bottom\n"
              "\"a,b.mp4\",5,0.2,detection,dog,17,0.5,1.0,2.0,4.5,8.0\n"
              "\"a,b.mp4\",5,0.2,class,cat,3,0.25,,,,\n"
              "\"a,b.mp4\",5,0.2,caption,\"a \"\"big\"\" dog\",,,,,,\n");
}

// Two frames of two sources with tracks.
std::string tracked_lines() {
    auto line = [](const char* source, int frame, const char* box, int track) {
        return std::string(R"({"source":")") + source + R"(","frame":)" + std::to_string(frame) +
               R"(,"time":)" + std::to_string(frame) +
               R"(,"width":100,"height":100,"detections":[)" +
               R"({"label":"dog","id":17,"score":0.5,"box":)" + box + R"(,"track":)" +
               std::to_string(track) +
               R"(},{"label":"cat","id":3,"score":0.75,"box":[0,0,1,1]}]})" + "\n";
    };
    return line("a", 0, "[1.5,2.0,4.5,8.0]", 1) + line("a", 1, "[60.5,2.0,63.5,8.0]", 1) +
           line("b", 0, "[1.5,2.0,4.5,8.0]", 1);
}

TEST(Tables, tracks_have_a_column_a_key_and_a_file) {
    const TempFolder temp;
    temp.write("lines", tracked_lines());
    write_csv(temp / "lines", temp / "frames.csv", true);
    const std::string csv = content(temp / "frames.csv");
    EXPECT_NE(csv.find("right,bottom,track\n"), std::string::npos);
    EXPECT_NE(csv.find("a,0,0,detection,dog,17,0.5,1.5,2.0,4.5,8.0,1\n"), std::string::npos);
    EXPECT_NE(csv.find("detection,cat,3,0.75,0,0,1,1,\n"), std::string::npos);
    write_coco(temp / "lines", temp / "coco.json");
    EXPECT_NE(content(temp / "coco.json").find("\"track_id\":1"), std::string::npos);
    write_mot(temp / "lines", names,
              [&](size_t source) { return temp / (std::to_string(source) + ".txt"); });
    EXPECT_EQ(content(temp / "0.txt"),
              "1,1,1.5,2.0,3.0,6.0,0.5,-1,-1,-1\n2,1,60.5,2.0,3.0,6.0,0.5,-1,-1,-1\n");
    EXPECT_EQ(content(temp / "1.txt"), "1,1,1.5,2.0,3.0,6.0,0.5,-1,-1,-1\n");
}

TEST(Tables, what_lines_and_zones_have_counted_comes_from_tracks) {
    const TempFolder temp;
    temp.write("lines", tracked_lines());
    const Regions regions =
        regions_from(nlohmann::ordered_json::parse(
                         R"({"lines": [{"name": "door", "from": [50, 100], "to": [50, 0]}],
                "zones": [{"name": "yard", "corners": [[0, 0], [30, 0], [30, 30], [0, 30]]}]})"),
                     "zones.json");
    write_region_tables(temp / "lines", names, regions,
                        [](size_t source) { return source == 0 ? "a" : "b"; },
                        {temp / "events.jsonl", temp / "counts.csv"});
    std::vector<std::string> events;
    std::istringstream file(content(temp / "events.jsonl"));
    for (std::string text; std::getline(file, text);) {
        const auto event = nlohmann::json::parse(text);
        events.push_back(event["source"].get<std::string>() + " " + event["frame"].dump() + " " +
                         event["region"].get<std::string>() + " " +
                         event["event"].get<std::string>() + " " + event["track"].dump() + " " +
                         event["label"].get<std::string>());
    }
    EXPECT_EQ(events, (std::vector<std::string>{"a 0 yard in 1 dog", "a 1 door in 1 dog",
                                                "a 1 yard out 1 dog", "b 0 yard in 1 dog"}));
    EXPECT_EQ(
        content(temp / "counts.csv"),
        "source,region,kind,label,in,out,inside,most_inside,seconds,longest,true_in,true_out\n"
        "a,door,line,dog,1,0,,,,,,\n"
        "a,yard,zone,dog,1,1,0,1,1.0,1.0,,\n"
        "b,yard,zone,dog,1,0,1,1,0.0,0.0,,\n");
}

TEST(Tables, counts_are_held_against_those_of_what_is_really_there) {
    const TempFolder temp;
    std::string text;
    for (const int x : {10, 60})
        text += R"({"source":"a","frame":)" + std::to_string(x / 60) + R"(,"time":)" +
                std::to_string(x / 60) +
                R"(,"width":100,"height":100,"detections":[{"label":"dog",)" +
                R"("id":17,"score":0.5,"track":1,"box":[)" + std::to_string(x) + ",0," +
                std::to_string(x + 4) + R"(,9]}],"truth":{"objects":[{"label":"cat","id":17,)" +
                R"("object":5,"box":[)" + std::to_string(x) + ",0," + std::to_string(x + 4) +
                R"(,9]}]}})" + "\n";
    temp.write("lines", text);
    const Regions regions{std::nullopt, {{"door", false, {{50, 100}, {50, 0}}}}};
    write_region_tables(temp / "lines", names, regions, [](size_t) { return "a"; },
                        {temp / "events.jsonl", temp / "counts.csv"});
    EXPECT_EQ(
        content(temp / "counts.csv"),
        "source,region,kind,label,in,out,inside,most_inside,seconds,longest,true_in,true_out\n"
        "a,door,line,dog,1,0,,,,,0,0\n"
        "a,door,line,cat,0,0,,,,,1,0\n")
        << "a cat was taken for a dog: labels are compared, not numbers";
}

TEST(Tables, what_a_spreadsheet_would_compute_stays_text) {
    const TempFolder temp;
    temp.write("lines",
               R"({"source":"=1+1.png","frame":0,"time":-1.5,"classes":[)"
               R"({"label":"@SUM[A1]","id":0,"score":0.5},{"label":"-2","id":1,"score":0},)"
               R"({"label":"\t=2","id":2,"score":0}],"caption":{"text":"+x,\"y\""}})"
               "\n");
    write_csv(temp / "lines", temp / "frames.csv");
    EXPECT_EQ(content(temp / "frames.csv"),
              "source,frame,time,kind,label,id,score,left,top,right,bottom\n"
              "'=1+1.png,0,-1.5,class,'@SUM[A1],0,0.5,,,,\n"
              "'=1+1.png,0,-1.5,class,'-2,1,0,,,,\n"
              "'=1+1.png,0,-1.5,class,'\t=2,2,0,,,,\n"
              "'=1+1.png,0,-1.5,caption,\"'+x,\"\"y\"\"\",,,,,,\n");
}

TEST(Tables, lines_that_lack_something_are_one_error) {
    const TempFolder temp;
    for (const char* line : {R"({"source":"a","frame":0})", R"({"source":5,"frame":0,"time":0})",
                             R"({"source":"a","frame":0,"time":0,"classes":[7]})", "[]", "5"}) {
        temp.write("lines", std::string(line) + "\n");
        expect_says(error_of([&] { write_csv(temp / "lines", temp / "frames.csv"); }),
                    "lines' has a line that Saccade did not write");
        EXPECT_FALSE(std::filesystem::exists(temp / "frames.csv"));
    }
}

TEST(Tables, numbers_that_count_nothing_are_one_error) {
    const TempFolder temp;
    const Regions regions{std::nullopt, {{"door", false, {{50, 100}, {50, 0}}}}};
    for (const auto& [key, number] :
         std::vector<std::pair<const char*, const char*>>{{"\"frame\":0", "\"frame\":1e300"},
                                                          {"\"id\":1", "\"id\":4294967295"},
                                                          {"\"id\":1", "\"id\":1e300"},
                                                          {"\"track\":1", "\"track\":-1"},
                                                          {"\"width\":9", "\"width\":1e300"}}) {
        std::string text = R"({"source":"a","frame":0,"time":0,"width":9,"height":9,"detections":[)"
                           R"({"label":"dog","id":1,"score":0.5,"box":[0,0,1,1],"track":1}]})"
                           "\n";
        text.replace(text.find(key), std::string(key).size(), number);
        temp.write("lines", text);
        expect_says(error_of([&] {
                        write_region_tables(temp / "lines", names, regions,
                                            [](size_t) { return "a"; },
                                            {temp / "events.jsonl", temp / "counts.csv"});
                    }),
                    "lines' has a line that Saccade did not write");
        if (text.find("\"id\":1,") != text.npos) continue;
        expect_says(error_of([&] {
                        track_lines(temp / "lines", names, {}, std::nullopt,
                                    [](size_t, uint64_t) { return Observations(); });
                    }),
                    "lines' has a line that Saccade did not write");
    }
}

TEST(FrameLines, lines_of_other_types_are_left_out) {
    const TempFolder temp;
    temp.write("0", line("a", 1) + "[]\n7\n{\"source\":5,\"frame\":1}\n" +
                        "{\"source\":\"a\",\"frame\":-1}\n{\"source\":\"a\",\"frame\":\"1\"}\n" +
                        "{\"source\":\"a\"}\n" + line("b", 2));
    gather_lines({temp / "0"}, temp / "all", names, [](size_t, uint64_t) { return true; });
    EXPECT_EQ(content(temp / "all"), line("a", 1) + line("b", 2));
    const PieceLines sums =
        checksum_lines(temp / "0", names, [](uint64_t frame) { return frame / 2; });
    ASSERT_EQ(sums.size(), 2u);
    LineDigest a;
    a.add(line("a", 1).substr(0, line("a", 1).size() - 1));
    EXPECT_EQ(sums.at({0, 0}), a.finish());
    EXPECT_TRUE(sums.contains({1, 1}));
}

}  // namespace
}  // namespace saccade
