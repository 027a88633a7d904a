#include <dirent.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/library/saccade.h"
#include "models/files/safetensors.h"
#include "tests/app/program.h"
#include "tests/golden_picture.h"

namespace saccade {
namespace {

// An engine on the device that the tests run on.
saccade_engine* open_engine() {
    saccade_engine_options options{sizeof options, std::getenv("SACCADE_DEVICE"), SACCADE_AUTO, 0};
    saccade_engine* engine = nullptr;
    EXPECT_EQ(saccade_engine_open(&options, &engine), SACCADE_OK) << saccade_error();
    return engine;
}

saccade_model* open_model(saccade_engine* engine, const std::string& name) {
    saccade_model* model = nullptr;
    EXPECT_EQ(saccade_model_open(engine, name.c_str(), &model), SACCADE_OK) << saccade_error();
    return model;
}

saccade_picture picture_of(const PpmPicture& from) {
    return {.size = sizeof(saccade_picture),
            .format = SACCADE_RGB,
            .width = from.width,
            .height = from.height,
            .planes = {from.rgb.data()},
            .row_bytes = {},
            .matrix = SACCADE_BT601,
            .full_range = 0};
}

class LibraryTest : public ::testing::Test {
protected:
    ~LibraryTest() override {
        for (saccade_result* one : results) saccade_result_free(one);
        saccade_engine_close(engine);  // in the wrong order, which is allowed
        for (saccade_model* one : models) saccade_model_close(one);
    }
    saccade_model* open(const std::string& name) {
        models.push_back(open_model(engine, name));
        return models.back();
    }
    saccade_result* run(saccade_model* model, const saccade_picture& of,
                        const saccade_run_options* options = nullptr) {
        saccade_result* result = nullptr;
        EXPECT_EQ(saccade_model_run(model, &of, 1, options, &result), SACCADE_OK)
            << saccade_error();
        results.push_back(result);
        return result;
    }
    std::vector<saccade_detection> detections(const saccade_result* result) {
        std::vector<saccade_detection> all(saccade_result_detections(result));
        for (size_t i = 0; i < all.size(); ++i)
            EXPECT_EQ(saccade_result_detection(result, i, &all[i]), SACCADE_OK);
        return all;
    }
    std::vector<float> attention(saccade_model* model, const saccade_result* result,
                                 const saccade_look& look) {
        saccade_map* map = nullptr;
        EXPECT_EQ(saccade_model_attention(model, result, &look, &map), SACCADE_OK)
            << saccade_error();
        if (!map) return {};
        std::vector<float> values(map->values, map->values + size_t(map->rows) * map->columns);
        saccade_map_free(map);
        return values;
    }

    saccade_engine* engine = open_engine();
    std::vector<saccade_model*> models;
    std::vector<saccade_result*> results;
    PpmPicture chelsea = read_golden_picture("chelsea");
    saccade_run_options all{sizeof all, 0.02f, 10, 0, 0};
};

nlohmann::json told_by_program(const Words& words) {
    const Outcome outcome = saccade_program(on_test_device(words + Words{"--json", "--no-tune"}));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out);
}

TEST_F(LibraryTest, detects_the_same_bits_as_the_program) {
    saccade_model* const model = open("emoji-detector");
    const auto found = detections(run(model, picture_of(chelsea), &all));
    const auto told = told_by_program({"detect", golden_picture(), "--detector", "emoji-detector",
                                       "--threshold", "0.02", "--max-detections", "10"});
    ASSERT_FALSE(found.empty());
    ASSERT_EQ(found.size(), told["detections"].size());
    for (size_t i = 0; i < found.size(); ++i) {
        const auto& other = told["detections"][i];
        EXPECT_EQ(found[i].label, other["label"].get<std::string>());
        EXPECT_EQ(found[i].score, other["score"].get<float>());
        for (size_t side = 0; side < 4; ++side)
            EXPECT_EQ(found[i].box[side], other["box"][side].get<float>());
    }
}

TEST_F(LibraryTest, classifies_and_captions_the_same_bits_as_the_program) {
    const saccade_result* const classes = run(open("emoji-classifier"), picture_of(chelsea));
    auto told = told_by_program(
        {"classify", golden_picture(), "--classifier", "emoji-classifier"})["classes"];
    ASSERT_EQ(saccade_result_classes(classes), told.size());
    for (size_t i = 0; i < told.size(); ++i) {
        saccade_class one{};
        ASSERT_EQ(saccade_result_class(classes, i, &one), SACCADE_OK);
        EXPECT_EQ(one.label, told[i]["label"].get<std::string>());
        EXPECT_EQ(one.score, told[i]["score"].get<float>());
    }
    const saccade_result* const caption = run(open("emoji-captioner"), picture_of(chelsea));
    told =
        told_by_program({"caption", golden_picture(), "--captioner", "emoji-captioner"})["caption"];
    EXPECT_EQ(saccade_result_caption(caption), told["text"].get<std::string>());
    ASSERT_EQ(saccade_result_words(caption), told["words"].size());
    for (size_t i = 0; i < told["words"].size(); ++i) {
        saccade_word word{};
        ASSERT_EQ(saccade_result_word(caption, i, &word), SACCADE_OK);
        EXPECT_EQ(word.text, told["words"][i]["text"].get<std::string>());
        EXPECT_EQ(word.p, told["words"][i]["p"].get<double>());
    }
}

// dump writes the attention of queries to all keys, of which the picture's cells are a part.
TEST_F(LibraryTest, gives_the_attention_that_dump_writes) {
    const TempFolder temp;
    const std::string folder = model_folder(temp, "detr-nano");
    saccade_model* const model = open(folder);
    const saccade_result* const result = run(model, picture_of(chelsea));
    const auto query =
        attention(model, result, {sizeof(saccade_look), SACCADE_LOOK_FROM_QUERY, -1, 0, 0, 0, 0});
    const std::string file = temp / "dump.safetensors";
    ASSERT_EQ(saccade_program(on_test_device({"dump", "--model", folder, "--image",
                                              golden_picture(), "-o", file}))
                  .code,
              0);
    const SafetensorsFile dumped(file);
    std::vector<float> first_head(query.size());  // of all, one after another
    ASSERT_FALSE(first_head.empty());
    read_floats(*dumped.find("cross_attention_heads_q0"), 0, first_head);
    EXPECT_EQ(query, first_head);
}

TEST_F(LibraryTest, looks_from_points_class_tokens_and_words) {
    saccade_model* const captioner = open("emoji-captioner");
    const saccade_result* const caption = run(captioner, picture_of(chelsea));
    const saccade_look word{sizeof word, SACCADE_LOOK_FROM_WORD, 0, -1, 0, 0, 0};
    EXPECT_FALSE(attention(captioner, caption, word).empty());

    saccade_model* const classifier = open("emoji-classifier");
    const saccade_result* const classes = run(classifier, picture_of(chelsea));
    for (const saccade_looker from : {SACCADE_LOOK_FROM_POINT, SACCADE_LOOK_FROM_CLASS}) {
        const auto map =
            attention(classifier, classes, {sizeof(saccade_look), from, 1, 0, 40, 30, 0});
        double sum = 0;
        for (const float one : map) sum += double(one);
        EXPECT_GT(sum, 0.2);  // the rest of a softmax goes to the class token
        EXPECT_LT(sum, 1.0001);
    }
    saccade_map* features = nullptr;
    ASSERT_EQ(saccade_model_features(classifier, classes, -1, &features), SACCADE_OK)
        << saccade_error();
    EXPECT_GT(features->rows, 1u);
    EXPECT_TRUE(std::isfinite(features->values[0]));
    saccade_map_free(features);
}

TEST_F(LibraryTest, takes_pictures_in_every_layout_and_several_at_once) {
    saccade_model* const model = open("emoji-detector");
    const uint32_t width = chelsea.width, height = chelsea.height;
    const size_t pixels = size_t(width) * height;
    std::vector<uint8_t> bgr(3 * pixels), rgba((4 * size_t(width) + 8) * height, 77);
    for (size_t i = 0; i < pixels; ++i)
        for (size_t c = 0; c < 3; ++c) {
            bgr[3 * i + c] = chelsea.rgb[3 * i + 2 - c];
            rgba[i / width * (4 * size_t(width) + 8) + i % width * 4 + c] = chelsea.rgb[3 * i + c];
        }
    saccade_picture packed = picture_of(chelsea);
    const auto expected = detections(run(model, packed, &all));
    packed.format = SACCADE_BGR;
    packed.planes[0] = bgr.data();
    const auto of_bgr = detections(run(model, packed, &all));
    packed.format = SACCADE_RGBA;
    packed.planes[0] = rgba.data();
    packed.row_bytes[0] = 4 * width + 8;
    const auto of_rgba = detections(run(model, packed, &all));
    ASSERT_EQ(of_bgr.size(), expected.size());
    ASSERT_EQ(of_rgba.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(of_bgr[i].score, expected[i].score);
        EXPECT_EQ(of_rgba[i].score, expected[i].score);
    }

    // The same colours as interleaved and as separate chroma.
    const uint32_t half = (width + 1) / 2, rows = (height + 1) / 2;
    std::vector<uint8_t> y(pixels), u(size_t(half) * rows), v(u.size()), uv(2 * u.size());
    for (size_t i = 0; i < pixels; ++i) y[i] = chelsea.rgb[3 * i + 1];
    for (size_t i = 0; i < u.size(); ++i) {
        uv[2 * i] = u[i] = static_cast<uint8_t>(100 + i % 50);
        uv[2 * i + 1] = v[i] = static_cast<uint8_t>(140 - i % 30);
    }
    saccade_picture planar{sizeof planar,
                           SACCADE_I420,
                           width,
                           height,
                           {y.data(), u.data(), v.data()},
                           {},
                           SACCADE_BT709,
                           0};
    saccade_picture nv12{sizeof nv12, SACCADE_NV12,  width, height, {y.data(), uv.data(), nullptr},
                         {},          SACCADE_BT709, 0};
    const saccade_picture two[] = {planar, nv12};
    saccade_result* both[2] = {};
    ASSERT_EQ(saccade_model_run(model, two, 2, &all, both), SACCADE_OK) << saccade_error();
    results.insert(results.end(), {both[0], both[1]});
    const auto first = detections(both[0]), second = detections(both[1]);
    ASSERT_EQ(first.size(), second.size());
    for (size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i].score, second[i].score);
}

TEST_F(LibraryTest, says_in_one_line_what_is_wrong) {
    saccade_model* model = nullptr;
    EXPECT_EQ(saccade_model_open(engine, "there/is-none", &model), SACCADE_FAILED);
    EXPECT_EQ(model, nullptr);
    expect_says(saccade_error(), "there/is-none is not on this machine");
    EXPECT_EQ(saccade_model_open(nullptr, "x", &model), SACCADE_MISUSE);

    model = open("emoji-classifier");
    saccade_picture wrong = picture_of(chelsea);
    saccade_result* result = nullptr;
    wrong.row_bytes[0] = 5;
    EXPECT_EQ(saccade_model_run(model, &wrong, 1, nullptr, &result), SACCADE_FAILED);
    expect_says(saccade_error(), "row_bytes of plane 0 is 5");
    wrong.size = 0;
    EXPECT_EQ(saccade_model_run(model, &wrong, 1, nullptr, &result), SACCADE_MISUSE);

    saccade_result* const old = run(model, picture_of(chelsea));
    run(model, picture_of(chelsea));
    saccade_look look{sizeof look, SACCADE_LOOK_FROM_CLASS, 99, -1, 0, 0, 0};
    saccade_map* map = nullptr;
    EXPECT_EQ(saccade_model_attention(model, old, &look, &map), SACCADE_FAILED);
    expect_says(saccade_error(), "has run on other pictures since");
    EXPECT_EQ(saccade_model_attention(model, results.back(), &look, &map), SACCADE_FAILED);
    expect_says(saccade_error(), "there is no layer 99");
    EXPECT_EQ(saccade_model_ask(model, "why?"), SACCADE_FAILED);
    expect_says(saccade_error(), "answers no questions");
}

TEST_F(LibraryTest, lets_threads_share_a_model) {
    saccade_model* const model = open("emoji-classifier");
    const saccade_picture picture = picture_of(chelsea);
    std::vector<float> scores(8);
    std::vector<std::thread> threads;
    for (float& score : scores)
        threads.emplace_back([&] {
            saccade_result* result = nullptr;
            saccade_class best{};
            if (saccade_model_run(model, &picture, 1, nullptr, &result) == SACCADE_OK &&
                saccade_result_class(result, 0, &best) == SACCADE_OK)
                score = best.score;
            saccade_result_free(result);
        });
    for (std::thread& thread : threads) thread.join();
    for (const float score : scores) EXPECT_EQ(score, scores.front());
    EXPECT_GT(scores.front(), 0);
}

size_t resident_pages() {
    size_t total = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> total >> resident;
    return resident;
}

size_t open_files() {
    size_t count = 0;
    DIR* const folder = ::opendir("/proc/self/fd");
    while (folder && ::readdir(folder)) ++count;
    ::closedir(folder);
    return count;
}

// Bytes that malloc has given out, of all threads; the sanitizers' own malloc does not count them.
size_t allocated_bytes() {
    const struct mallinfo2 info = ::mallinfo2();
    return info.uordblks + info.hblkhd;
}

// SACCADE_OPENS=1000 opens and closes a thousand times. Memory that malloc keeps for itself goes
// back to the system first: how much that is depends on which of the driver's threads freed what.
TEST_F(LibraryTest, leaks_neither_memory_nor_files) {
    const saccade_picture picture = picture_of(chelsea);
    const auto once = [&] {
        saccade_engine* const own = open_engine();
        saccade_model* const model = open_model(own, "emoji-classifier");
        saccade_engine_close(own);
        saccade_result* result = nullptr;
        EXPECT_EQ(saccade_model_run(model, &picture, 1, nullptr, &result), SACCADE_OK);
        saccade_result_free(result);
        saccade_model_close(model);
        ::malloc_trim(0);
    };
    const char* const asked = std::getenv("SACCADE_OPENS");
    const int opens = asked ? std::atoi(asked) : 8;
    for (int i = 0; i < 4; ++i) once();  // caches fill
    const size_t files = open_files(), bytes = allocated_bytes(), pages = resident_pages();
    for (int i = 0; i < opens; ++i) once();
    EXPECT_EQ(open_files(), files);
    EXPECT_LT(allocated_bytes(), bytes + 128 * 1024) << "of " << bytes;
#if !defined(__SANITIZE_ADDRESS__)  // which keeps what was freed, and reports leaks itself
    // Memory that malloc does not know. The model alone has 700 pages of weights.
    EXPECT_LT(resident_pages(), pages + 1500) << "of " << pages;
#endif
}

}  // namespace
}  // namespace saccade
