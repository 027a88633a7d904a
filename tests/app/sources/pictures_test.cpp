#include "app/sources/pictures.h"

#include "app/sources/dropped.h"
#include "app/sources/open_source.h"
#include "app/sources/reader.h"
#include "tests/app/pictures.h"
#include "tests/app/sources/frames.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

class PictureSources : public ::testing::Test {
protected:
    cv::Mat plain(int width, int height, double shade) const {
        return cv::Mat(height, width, CV_8UC3, cv::Scalar(shade, 2 * shade, 3 * shade));
    }
    void write(const std::string& name, const cv::Mat& picture) const {
        temp.write(name, encoded(std::filesystem::path(name).extension(), picture));
    }
    std::vector<std::string> names(const std::string& text) const {
        std::vector<std::string> names;
        for (const auto& path : find_pictures(text)) names.push_back(path.filename());
        return names;
    }
    std::string in(const std::string& name) const { return temp / name; }

    TempFolder temp;
};

TEST_F(PictureSources, a_folder_is_its_pictures_in_a_persons_order) {
    for (const char* name : {"frame10.png", "frame9.PNG", "frame009b.jpg", "a.bmp"})
        write(name, plain(4, 3, 10));
    temp.write("notes.txt", "not a picture");
    temp.write(".hidden.png", "not to be seen");
    std::filesystem::create_directory(temp / "folder.png");
    const std::vector<std::string> want{"a.bmp", "frame9.PNG", "frame009b.jpg", "frame10.png"};
    EXPECT_EQ(names(temp.path()), want);
    EXPECT_EQ(kind_of_source(temp.path()), SourceKind::pictures);
}

TEST_F(PictureSources, a_glob_is_what_it_matches) {
    for (const char* name : {"a1.png", "a2.png", "b1.png"}) write(name, plain(4, 3, 10));
    const std::vector<std::string> want{"a1.png", "a2.png"};
    EXPECT_EQ(names(in("a*.png")), want);
    EXPECT_EQ(names(in("[a]?.png")), want);
    EXPECT_EQ(kind_of_source(in("*.png")), SourceKind::pictures);
}

TEST_F(PictureSources, every_picture_comes_in_its_own_size) {
    const std::vector<cv::Mat> pictures{plain(8, 6, 20), plain(5, 7, 40), plain(8, 6, 60)};
    for (size_t i = 0; i < pictures.size(); ++i)
        write("p" + std::to_string(i) + ".png", pictures[i]);
    const auto source = open_source(temp.path(), {.rate = 4});
    EXPECT_EQ(source->traits().frames, 3u);
    EXPECT_FALSE(source->traits().size);
    const std::vector<Shot> shots = all_shots(*source);
    ASSERT_EQ(shots.size(), 3u);
    for (size_t i = 0; i < 3; ++i) {
        EXPECT_TRUE(equal(shots[i].pixels, pictures[i]));
        EXPECT_EQ(shots[i].info.source, in("p" + std::to_string(i) + ".png"));
        EXPECT_EQ(shots[i].info.index, i);
        EXPECT_EQ(shots[i].info.time, double(i) / 4);
        EXPECT_EQ(shots[i].info.size.x, uint32_t(pictures[i].cols));
    }
}

TEST_F(PictureSources, a_corrupt_picture_is_reported_and_left_out) {
    write("1.png", plain(8, 6, 20));
    temp.write("2.png", encoded(".png", plain(8, 6, 30)).substr(0, 50));
    write("3.png", plain(8, 6, 40));
    ::testing::internal::CaptureStdout();  // the log of tests goes there
    const auto source = open_source(temp.path());
    const std::vector<Shot> shots = all_shots(*source);
    expect_says(::testing::internal::GetCapturedStdout(), "'" + in("2.png") + "'");
    ASSERT_EQ(shots.size(), 2u);
    EXPECT_EQ(shots[0].info.index, 0u);
    EXPECT_EQ(shots[1].info.index, 2u);
    EXPECT_TRUE(equal(shots[1].pixels, plain(8, 6, 40)));
}

TEST_F(PictureSources, one_picture_alone_must_be_readable) {
    write("1.png", plain(8, 6, 20));
    temp.write("2.png", "no picture");
    EXPECT_EQ(all_shots(*open_source(in("1.png"))).size(), 1u);
    expect_says(error_of([&] { all_shots(*open_source(in("2.png"))); }), "'" + in("2.png") + "'");
}

TEST_F(PictureSources, seeking_goes_to_a_place_in_the_list) {
    for (int i = 0; i < 5; ++i) write(std::to_string(i) + ".png", plain(4, 4, 10 * i));
    const auto source = open_source(temp.path());
    for (uint64_t index : {3u, 0u, 4u}) {
        source->seek(index);
        const std::optional<Shot> shot = next_shot(*source);
        ASSERT_TRUE(shot);
        EXPECT_EQ(shot->info.index, index);
        EXPECT_TRUE(equal(shot->pixels, plain(4, 4, 10 * double(index))));
    }
    source->seek(5);
    EXPECT_FALSE(next_shot(*source));
}

TEST_F(PictureSources, nothing_to_be_found_is_an_error) {
    expect_says(error_of([&] { open_source(temp.path()); }), "there is no picture in the folder");
    expect_says(error_of([&] { open_source(in("*.png")); }), "no picture matches");
    expect_says(error_of([&] { open_source(in("nosuch.mp4")); }), "there is no file or folder");
    expect_says(error_of([&] { open_source(""); }), "a source without a name");
}

TEST_F(PictureSources, a_reader_gives_every_picture_in_order_and_waits_for_its_consumer) {
    for (int i = 0; i < 20; ++i) write(std::to_string(i) + ".png", plain(4 + i % 3, 4, 10 * i));
    PlainRing memory(3);
    Reader reader(open_source(temp.path()), memory.ring);
    for (uint64_t i = 0; i < 20; ++i) {
        std::optional<TakenFrame> frame = reader.next();
        ASSERT_TRUE(frame);
        EXPECT_EQ(frame->info().index, i);
        EXPECT_TRUE(equal(memory.slots[frame->slot()], plain(4 + int(i) % 3, 4, 10 * double(i))));
    }
    EXPECT_FALSE(reader.next());
}

TEST_F(PictureSources, a_reader_keeps_to_first_end_and_stride_around_a_corrupt_picture) {
    for (int i = 0; i < 20; ++i) write(std::to_string(i) + ".png", plain(4, 4, 10 * i));
    temp.write("8.png", "no picture");
    PlainRing memory;
    Reader reader(open_source(temp.path()), memory.ring, {.first = 2, .end = 15, .stride = 3});
    std::vector<uint64_t> indices;
    while (std::optional<TakenFrame> frame = reader.next()) indices.push_back(frame->info().index);
    EXPECT_EQ(indices, (std::vector<uint64_t>{2, 5, 11, 14}));
}

TEST_F(PictureSources, a_reader_that_nobody_listens_to_can_be_stopped) {
    for (int i = 0; i < 20; ++i) write(std::to_string(i) + ".png", plain(4, 4, 10 * i));
    PlainRing memory(2);
    Reader reader(open_source(temp.path()), memory.ring);
    ASSERT_TRUE(reader.next());
    reader.stop();
    size_t left = 0;
    while (reader.next()) ++left;
    EXPECT_LE(left, 3u);
}

TEST_F(PictureSources, a_frame_outlives_its_reader_and_stays_taken_while_the_next_one_reads) {
    for (int i = 0; i < 6; ++i) write(std::to_string(i) + ".png", plain(4, 4, 40 * i));
    PlainRing memory(3);
    std::optional<TakenFrame> kept;
    {
        Reader reader(open_source(temp.path()), memory.ring);
        reader.next();
        kept = reader.next();
    }
    Reader reader(open_source(temp.path()), memory.ring);
    EXPECT_EQ(reader.next()->info().index, 0u) << "nothing is left of the first reader's frames";
    EXPECT_EQ(kept->info().index, 1u);
    EXPECT_TRUE(equal(memory.slots[kept->slot()], plain(4, 4, 40)));
    kept.reset();
    uint64_t count = 1;
    while (reader.next()) ++count;
    EXPECT_EQ(count, 6u);
}

TEST_F(PictureSources, several_files_are_a_list_in_their_own_order) {
    write("b.png", plain(4, 3, 10));
    write("a.png", plain(4, 3, 10));
    const std::string list = list_of_pictures(std::vector{in("b.png"), in("a.png")});
    EXPECT_EQ(kind_of_source(list), SourceKind::pictures);
    EXPECT_EQ(names(list), (std::vector<std::string>{"b.png", "a.png"}));
    EXPECT_EQ(title_of_source(list), "b.png and 1 more");
    EXPECT_EQ(title_of_source(in("b.png")), in("b.png"));
}

TEST_F(PictureSources, what_is_dropped_is_its_pictures_together_and_each_video) {
    using Paths = std::vector<std::string>;
    using Sources = std::vector<SourceName>;
    std::filesystem::create_directory(temp / "holiday");
    write("holiday/1.png", plain(4, 3, 10));
    const std::string a = in("a.png"), b = in("b.JPG"), clip = in("clip.mp4");
    const std::string list = list_of_pictures(Paths{a, b});
    EXPECT_EQ(sources_in(Paths{a}), (Sources{a}));
    EXPECT_EQ(sources_in(Paths{a, b}), (Sources{list}));
    EXPECT_EQ(sources_in(Paths{clip, a, b}), (Sources{list, clip}));
    EXPECT_EQ(sources_in(Paths{in("holiday")}), (Sources{in("holiday")}));
    temp.write("holiday/2.mkv", "");
    EXPECT_EQ(sources_in(Paths{in("holiday")}), (Sources{in("holiday"), in("holiday/2.mkv")}));
    std::filesystem::remove(temp / "holiday/1.png");
    EXPECT_EQ(sources_in(Paths{in("holiday")}), (Sources{in("holiday/2.mkv")}));
}

}  // namespace
}  // namespace saccade
