// `saccade inspect`: its sheets, its raw maps against what transformers computed, and its page in a
// browser.

#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <optional>

#include "models/files/json.h"
#include "models/files/safetensors.h"
#include "tests/app/page/browser.h"
#include "tests/app/program.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

using Floats = std::vector<float>;

Floats floats_of(const SafetensorsFile& file, const std::string& name) {
    const StoredTensor* tensor = file.find(name);
    if (!tensor) throw Error("there is no " + name);
    Floats values(tensor->elements());
    read_floats(*tensor, 0, values);
    return values;
}

Floats golden(const std::string& model, const std::string& name) {
    return floats_of(SafetensorsFile(golden_folder() / model / "golden.safetensors"), name);
}

Floats part(const Floats& all, size_t first, size_t count) {
    return {all.begin() + std::ptrdiff_t(first), all.begin() + std::ptrdiff_t(first + count)};
}

// The average of `count` rows.
Floats mean(const Floats& rows, size_t count) {
    Floats result(rows.size() / count);
    for (size_t i = 0; i < rows.size(); ++i)
        result[i % result.size()] += rows[i] / static_cast<float>(count);
    return result;
}

std::string text_of(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

// One run with all three kinds of models, which many tests look at.
class Inspect : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        shared_temp = new TempFolder;
        shared_classifier = new std::string(model_folder(*shared_temp, "vit-nano"));
        const std::string captioner = model_folder(*shared_temp, "vit-gpt2-nano");
        std::filesystem::copy_file(golden_folder() / "vit-gpt2-nano" / "generation_config.json",
                                   captioner + "/generation_config.json");
        all_files =
            new Outcome(saccade_program(on_test_device({"inspect",
                                                        golden_picture(),
                                                        "-o",
                                                        out(""),
                                                        "--classifier",
                                                        *shared_classifier,
                                                        "--detector",
                                                        model_folder(*shared_temp, "detr-thin"),
                                                        "--captioner",
                                                        captioner,
                                                        "--precision",
                                                        "fp32",
                                                        "--threshold",
                                                        "0",
                                                        "--max-detections",
                                                        "5",
                                                        "--at",
                                                        "100,80",
                                                        "--at",
                                                        "300.5,200",
                                                        "--raw"})));
    }
    static void TearDownTestSuite() {
        delete all_files;
        delete shared_classifier;
        delete shared_temp;
    }
    static std::string out(const std::string& file) {
        return (*shared_temp / "out").string() + "/" + file;
    }
    // With a classifier alone.
    static Outcome inspect(const Words& words, const std::string& classifier,
                           const std::string& to) {
        Words all{"inspect",    golden_picture(), "-o",          to,    "--classifier", classifier,
                  "--detector", "none",           "--captioner", "none"};
        all.insert(all.end(), words.begin(), words.end());
        return saccade_program(on_test_device(all));
    }
    static Outcome inspect(const Words& words) {
        return inspect(words, *shared_classifier, *shared_temp / "other");
    }

    static inline TempFolder* shared_temp = nullptr;
    static inline std::string* shared_classifier = nullptr;
    static inline Outcome* all_files = nullptr;
};

TEST_F(Inspect, says_which_files_it_has_written) {
    expect_done(*all_files);
    Words names;
    for (const std::string& line : lines_of(all_files->out)) {
        EXPECT_TRUE(std::filesystem::exists(line)) << line;
        names.push_back(std::filesystem::path(line).filename());
    }
    EXPECT_EQ(names,
              (Words{"class-token.png", "rollout.png", "points-classifier.png",
                     "points-detector.png", "points-captioner.png", "colours-classifier.png",
                     "similarity-classifier.png", "colours-detector.png", "similarity-detector.png",
                     "detections.png", "words.png", "report.html", "raw"}));
    for (const auto& entry : std::filesystem::recursive_directory_iterator(out("")))
        EXPECT_EQ(entry.path().string().find("-part-"), std::string::npos) << entry.path();
}

TEST_F(Inspect, raw_maps_are_what_transformers_computes) {
    const SafetensorsFile raw(out("raw/maps.safetensors"));
    auto expect = [&](const Floats& got, const std::string& model, const std::string& name) {
        EXPECT_LT(relative_error(got, golden(model, name)), 1e-4) << model << " " << name;
    };
    // A classifier of 3 layers, 4 heads and 17 tokens.
    Floats class_token, row7;
    for (int layer = 0; layer < 3; ++layer) {
        const Floats all = floats_of(raw, "classifier.self_attention." + std::to_string(layer));
        ASSERT_EQ(all.size(), 4u * 17 * 17);
        for (size_t head = 0; head < 4; ++head) {
            const Floats map = part(all, head * 17 * 17, 17 * 17);
            class_token.insert(class_token.end(), map.begin(), map.begin() + 17);
            if (layer == 2) row7.insert(row7.end(), map.begin() + 7 * 17, map.begin() + 8 * 17);
        }
    }
    expect(class_token, "vit-nano", "attention_cls");
    expect(row7, "vit-nano", "attention_last_row7");
    expect(floats_of(raw, "classifier.rollout"), "vit-nano", "rollout_cls");

    // Detections and words in the last layer, averaged over heads.
    auto last_layer = [&](const std::string& name) {
        const StoredTensor* tensor = raw.find(name);
        const Floats all = floats_of(raw, name);
        const size_t layers = tensor->shape[1], heads = tensor->shape[2], keys = tensor->shape[3];
        Floats result;
        for (size_t i = 0; i < tensor->shape[0]; ++i) {
            const Floats one =
                mean(part(all, ((i + 1) * layers - 1) * heads * keys, heads * keys), heads);
            result.insert(result.end(), one.begin(), one.end());
        }
        return result;
    };
    expect(last_layer("detector.detections"), "detr-thin", "cross_attention_top5");
    const Floats words = last_layer("captioner.words");
    ASSERT_GE(words.size(), 12u * 17);
    expect(part(words, 0, 12 * 17), "vit-gpt2-nano", "cross_attention_steps");
    const Json about = read_json(out("raw/maps.json"));
    EXPECT_EQ(about["detections"]["found"].size(), 5u);
    EXPECT_EQ(about["detections"]["grid"], (Json{{"height", 5}, {"width", 8}}));
    EXPECT_EQ(about["words"]["said"].size() + 1, about["words"]["ids"].size());
}

TEST_F(Inspect, every_raw_map_is_also_a_file_that_numpy_reads) {
    const SafetensorsFile raw(out("raw/maps.safetensors"));
    for (const StoredTensor& tensor : raw.tensors()) {
        const std::string file = text_of(out("raw/" + tensor.name + ".npy"));
        ASSERT_GT(file.size(), 10u) << tensor.name;
        EXPECT_EQ(file.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
        const size_t header = 10 + size_t(uint8_t(file[8])) + 256 * size_t(uint8_t(file[9]));
        EXPECT_EQ(header % 64, 0u);
        std::string shape;
        for (uint64_t side : tensor.shape) shape += std::to_string(side) + ",";
        expect_says(file.substr(0, header), "'shape': (" + shape + ")");
        EXPECT_EQ(
            file.substr(header),
            std::string(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size()));
    }
}

TEST_F(Inspect, detection_tokens_of_yolos_are_looked_from_in_its_encoder) {
    const std::string detector = model_folder(*shared_temp, "yolos-mid");
    expect_done(saccade_program(
        on_test_device({"inspect", golden_picture(), "-o", *shared_temp / "yolos", "--classifier",
                        "none", "--captioner", "none", "--detector", detector, "--precision",
                        "fp32", "--threshold", "0", "--max-detections", "5", "--raw"})));
    const SafetensorsFile raw(*shared_temp / "yolos/raw/maps.safetensors");
    const StoredTensor* tensor = raw.find("detector.detections");
    ASSERT_TRUE(tensor);
    const size_t layers = tensor->shape[1], heads = tensor->shape[2], keys = tensor->shape[3];
    const Floats all = floats_of(raw, "detector.detections");
    Floats top;
    for (size_t i = 0; i < 5; ++i) {
        const Floats one =
            mean(part(all, ((i + 1) * layers - 1) * heads * keys, heads * keys), heads);
        top.insert(top.end(), one.begin(), one.end());
    }
    EXPECT_LT(relative_error(top, golden("yolos-mid", "attention_top5")), 1e-4);
}

// Its encoder is convolutional, so the only attention is that of the words.
TEST_F(Inspect, words_of_show_attend_and_tell_show_its_weights_over_the_map) {
    const std::string captioner = model_folder(*shared_temp, "show-attend-tell-nano");
    expect_done(saccade_program(on_test_device(
        {"inspect", golden_picture(), "-o", *shared_temp / "lstm", "--classifier", "none",
         "--detector", "none", "--captioner", captioner, "--precision", "fp32", "--raw"})));
    const SafetensorsFile raw(*shared_temp / "lstm/raw/maps.safetensors");
    const Floats want = golden("show-attend-tell-nano", "cross_attention_steps");
    const Floats words = floats_of(raw, "captioner.words");
    ASSERT_GE(words.size(), want.size());
    EXPECT_LT(relative_error(part(words, 0, want.size()), want), 1e-4);
    const Json about = read_json(*shared_temp / "lstm/raw/maps.json");
    EXPECT_EQ(about["words"]["grid"], (Json{{"height", 4}, {"width", 4}}));
    EXPECT_TRUE(about["self_attention"].empty());
    EXPECT_TRUE(std::filesystem::exists(*shared_temp / "lstm/words.png"));
    expect_says(text_of(*shared_temp / "lstm/report.html"), "captioner show-attend-tell-nano");
}

TEST_F(Inspect, sheets_have_a_tile_for_everything) {
    auto size = [](const std::string& name) { return cv::imread(out(name)).size(); };
    // 3 layers of 4 heads, their average, and that over the picture; two points in 3 layers.
    EXPECT_GT(size("class-token.png").width, 6 * 160);
    EXPECT_GT(size("class-token.png").height, 3 * 106);
    EXPECT_GT(size("rollout.png").width, 3 * 480);
    EXPECT_GT(size("points-classifier.png").height, 2 * 160);
    EXPECT_GT(size("detections.png").width, 3 * 400);
    EXPECT_GT(size("words.png").width, 5 * 360);
}

TEST_F(Inspect, layers_are_chosen_for_the_page_and_for_raw_maps) {
    expect_done(inspect({"--layers", "2,0", "--raw"}));
    const SafetensorsFile raw(*shared_temp / "other/raw/maps.safetensors");
    EXPECT_TRUE(raw.find("classifier.self_attention.0"));
    EXPECT_FALSE(raw.find("classifier.self_attention.1"));
    EXPECT_TRUE(raw.find("classifier.self_attention.2"));
    expect_says(text_of(*shared_temp / "other/report.html"), "layers 0 and 2 of 3");
}

TEST_F(Inspect, says_which_layers_of_mvit_it_leaves_out) {
    const std::string classifier = model_folder(*shared_temp, "mvitv2-nano");
    expect_done(saccade_program(
        on_test_device({"inspect", golden_picture(), "-o", *shared_temp / "mvit", "--classifier",
                        classifier, "--detector", "none", "--captioner", "none"})));
    expect_says(text_of(*shared_temp / "mvit/report.html"), "have grids of different sizes");
    EXPECT_EQ(text_of(out("report.html")).find("have grids of different sizes"), std::string::npos);
}

TEST_F(Inspect, says_what_classes_need_where_that_is_asked_for) {
    const std::filesystem::path to = *shared_temp / "causes";
    const Outcome outcome = inspect({"--cause", "--quiet"}, *shared_classifier, to);
    expect_done(outcome);
    std::ifstream lines(to / "cause" / "causes.jsonl");
    std::string line;
    ASSERT_TRUE(std::getline(lines, line));
    const Json first = Json::parse(line);
    EXPECT_EQ(first["target"]["kind"], "class");
    EXPECT_TRUE(first["meter"].contains("attention"));
    EXPECT_TRUE(std::filesystem::exists(to / "cause" / "0-class.npy"));
    EXPECT_TRUE(std::filesystem::exists(to / "cause" / "0-class.png"));
    const std::string page = text_of(to / "report.html");
    EXPECT_NE(page.find("\"knock_outs\":"), std::string::npos);
    EXPECT_EQ(text_of(out("report.html")).find("\"knock_outs\":"), std::string::npos);
}

TEST_F(Inspect, takes_frames_of_sources_too) {
    expect_done(saccade_program(on_test_device(
        {"inspect", "synth:64x48?seed=3", "--frame", "5", "-o", *shared_temp / "frame",
         "--classifier", *shared_classifier, "--detector", "none", "--captioner", "none"})));
    expect_says(text_of(*shared_temp / "frame/report.html"), "frame 5");
}

TEST_F(Inspect, what_cannot_be_done_gets_one_line) {
    expect_refused(inspect({"--layers", "3"}), 1, "3 layers");
    expect_refused(inspect({"--at", "451,10"}), 1, "451x300");
    expect_refused(inspect({"--at", "1,2", "--head", "4"}), 1, "4 heads");
    expect_refused(inspect({"--at", "1;2"}), 2, "X,Y");
    expect_refused(inspect({}, "none", *shared_temp / "other"), 2, "name at least one model");
    expect_refused(inspect({}, *shared_classifier, golden_picture()), 1, "folder");
    expect_refused(inspect({}, *shared_temp / "nosuch", *shared_temp / "other"), 1, "nosuch");
    expect_refused(
        saccade_program({"inspect", *shared_temp / "nosuch.png", "-o", *shared_temp / "other"}), 1,
        "nosuch.png");
    expect_refused(saccade_program({"inspect", golden_picture()}), 2, "--out");
    expect_refused(saccade_program(on_test_device({"inspect", golden_picture(), "--detector",
                                                   model_folder(*shared_temp, "deimv2-lite-nano"),
                                                   "--classifier", "none", "--captioner", "none",
                                                   "--at", "1,2", "-o", *shared_temp / "other"})),
                   1, "no self-attention");
}

// ---- the page
// --------------------------------------------------------------------------------------

class InspectPage : public Inspect {
protected:
    static void TearDownTestSuite() {
        shared_browser.reset();
        Inspect::TearDownTestSuite();
    }
    // One browser for all tests; without one, every test fails.
    InspectPage() : browser(shared_browser ? *shared_browser : shared_browser.emplace()) {
        browser.set_size(1280, 900);
        open_for_patches();
    }
    // The page must have no errors and make no network requests.
    ~InspectPage() override {
        EXPECT_EQ(browser.errors, Words{});
        EXPECT_EQ(browser.requests, Words{});
    }

    // Hides words and labels, which lie above the patches and would get the pointer's events; the
    // patches are the classifier's.
    void open_for_patches() {
        browser.open(out("report.html"));
        browser.evaluate(
            "for (const id of ['show-caption', 'show-boxes'])"
            "document.getElementById(id).click();"
            "document.querySelector('#encoders input').click()");
    }
    // Moves the pointer to a position relative to the picture's size.
    void point_at(double x, double y) {
        const auto area = area_of("document.getElementById('picture')");
        browser.move_pointer(area[0] + x * area[2], area[1] + y * area[3]);
    }
    void point_at(const std::string& element) {
        const auto area = area_of(element);
        browser.move_pointer(area[0] + area[2] / 2, area[1] + area[3] / 2);
    }
    std::vector<double> area_of(const std::string& element) {
        return browser.evaluate(
            "(() => { const e = " + element +
            "; e.scrollIntoView({block: 'center'}); const r = "
            "e.getBoundingClientRect(); return [r.x, r.y, r.width, r.height]; })()");
    }
    void set(const std::string& slider, int value) {
        browser.evaluate("(() => { const s = document.getElementById('" + slider +
                         "'); s.value = " + std::to_string(value) +
                         "; s.dispatchEvent(new Event('input')); })()");
    }
    Floats map() { return browser.evaluate("saccade.map()"); }
    Json shown() { return browser.evaluate("saccade.shown()"); }
    static void expect_map(const Floats& got, const Floats& want, const std::string& what) {
        ASSERT_EQ(got.size(), want.size()) << what;
        EXPECT_LT(relative_error(got, want), 1e-2) << what;  // eight bits of each head
    }

    Browser& browser;

private:
    static inline std::optional<Browser> shared_browser = {};
};

TEST_F(InspectPage, hovering_shows_the_attention_of_the_patch_under_the_pointer_as_dump_has_it) {
    const std::string file = *shared_temp / "dump.safetensors";
    expect_done(
        saccade_program(on_test_device({"dump", "--model", *shared_classifier, "--image",
                                        golden_picture(), "-o", file, "--precision", "fp32"})));
    const Floats rows = floats_of(SafetensorsFile(file), "attention_last_row7");
    // Token 7 is the patch in the second row and the third column of 4 x 4.
    point_at(2.5 / 4, 1.5 / 4);
    EXPECT_EQ(shown()["patch"], (Json{{"row", 1}, {"column", 2}}));
    EXPECT_EQ(shown()["layer"], 2);
    expect_map(map(), part(mean(rows, 4), 1, 16), "average of heads");
    for (int head = 0; head < 4; ++head) {
        set("head", head + 1);
        expect_map(map(), part(rows, size_t(head) * 17 + 1, 16), "head " + std::to_string(head));
    }
    const Floats before = map();
    point_at(0.5 / 4, 3.5 / 4);
    EXPECT_EQ(shown()["patch"], (Json{{"row", 3}, {"column", 0}}));
    EXPECT_GT(relative_error(map(), before), 1e-2) << "another patch looks elsewhere";
}

TEST_F(InspectPage, the_class_token_can_be_seen_in_every_layer_and_head_and_as_rollout) {
    const std::string button = "document.querySelectorAll('#whole button')";
    browser.evaluate(button + "[0].click()");
    const Floats all = golden("vit-nano", "attention_cls");
    for (int layer = 0; layer < 3; ++layer)
        for (int head = 0; head < 4; ++head) {
            set("layer", layer);
            set("head", head + 1);
            expect_map(map(), part(all, size_t(layer * 4 + head) * 17 + 1, 16),
                       std::to_string(layer) + ", " + std::to_string(head));
        }
    browser.evaluate(button + "[1].click()");
    expect_map(map(), part(golden("vit-nano", "rollout_cls"), 1, 16), "rollout");
}

TEST_F(InspectPage, detections_and_words_show_what_they_looked_at) {
    const Floats detections = golden("detr-thin", "cross_attention_top5");
    // Near-duplicates have one box and one label, and a button each.
    for (size_t i = 0; i < 5; ++i) {
        point_at("document.querySelectorAll('#detections button')[" + std::to_string(i) + "]");
        EXPECT_EQ(shown()["kind"], "detections");
        expect_map(map(), part(detections, i * 40, 40), "detection " + std::to_string(i));
    }
    const Floats words = golden("vit-gpt2-nano", "cross_attention_steps");
    for (size_t i = 0; i < 12; ++i) {
        // By keyboard.
        browser.evaluate("document.querySelectorAll('#caption button')[" + std::to_string(i) +
                         "].focus()");
        EXPECT_EQ(shown()["kind"], "words");
        expect_map(map(), part(words, i * 17 + 1, 16), "word " + std::to_string(i));
    }
}

TEST_F(InspectPage, opens_with_the_strongest_detection_and_words_on_the_picture_act_like_the_list) {
    browser.open(out("report.html"));
    EXPECT_EQ(shown()["kind"], "detections");
    EXPECT_EQ(shown()["row"], 0);
    const std::string words = "document.querySelectorAll('#said .word')";
    EXPECT_EQ(browser.evaluate(words + ".length"),
              browser.evaluate("document.querySelectorAll('#caption .word').length"));
    // Classes are those that score as much as is needed by default.
    EXPECT_EQ(browser.evaluate(
                  "[...document.querySelectorAll('#classes meter')]"
                  ".every((one) => one.value >= 0.25) &&"
                  "document.querySelectorAll('#classes li').length > 0 !=="
                  "!document.getElementById('not-sure').hidden &&"
                  "/^out of [0-9]+$/.test(document.getElementById('classes-of').textContent)"),
              true);
    point_at(words + "[2]");
    EXPECT_EQ(shown()["kind"], "words");
    EXPECT_EQ(shown()["row"], 2);
    EXPECT_EQ(browser.evaluate(words + "[2].classList.contains('lit')"), true);
    // A word is as opaque as it is probable, and says its probability.
    EXPECT_EQ(browser.evaluate(
                  "(() => { const all = [..." + words +
                  "]; return all.every((one) => /^[0-9.]+\\u00a0%$/.test(one.dataset.p) &&"
                  "Number(getComputedStyle(one.firstChild).opacity) >= 0.4 &&"
                  "one.classList.contains('unsure') === parseFloat(one.dataset.p) < 10); })()"),
              true);
}

TEST_F(InspectPage, a_detection_of_deformable_attention_shows_its_points) {
    expect_done(saccade_program(on_test_device(
        {"inspect", golden_picture(), "-o", *shared_temp / "points", "--classifier", "none",
         "--captioner", "none", "--detector", model_folder(*shared_temp, "rtdetr-nano"),
         "--precision", "fp32", "--threshold", "0", "--max-detections", "2"})));
    browser.open(*shared_temp / "points/report.html");
    point_at("document.querySelectorAll('#detections button')[1]");
    EXPECT_EQ(shown()["kind"], "detections");
    auto sum_of_shares = [&] {
        double sum = 0;
        const Json now = shown();
        for (const Json& point : now["points"]) sum += point["share"].get<double>();
        return sum;
    };
    const size_t all = shown()["points"].size();
    EXPECT_NEAR(sum_of_shares(), 1, 1e-3);
    // A click keeps the map while the pointer moves elsewhere.
    const auto first = area_of("document.querySelectorAll('#detections button')[0]");
    browser.click(first[0] + first[2] / 2, first[1] + first[3] / 2);
    const Json clicked = shown();
    browser.move_pointer(2, 2);
    EXPECT_EQ(shown(), clicked);
    EXPECT_EQ(clicked["points"].size(), all);
    EXPECT_NEAR(sum_of_shares(), 1, 1e-3);
    set("head", 1);
    EXPECT_LT(shown()["points"].size(), all);
    EXPECT_NEAR(sum_of_shares(), 1, 1e-3);
    EXPECT_EQ(browser.evaluate("document.querySelectorAll('#point-levels .dot').length"), 3);
}

TEST_F(InspectPage, the_encoder_of_another_model_can_be_looked_into) {
    browser.evaluate("document.querySelectorAll('#encoders input')[1].click()");
    // The cell in the middle, as the golden has it: 2, 4 of 5 x 8.
    point_at(4.5 * 32 / 225, 2.5 * 32 / 150);
    EXPECT_EQ(shown()["task"], "detector");
    EXPECT_EQ(shown()["patch"], (Json{{"row", 2}, {"column", 4}}));
    expect_map(map(), golden("detr-thin", "encoder_attention_center"), "centre");
}

TEST_F(InspectPage, patches_are_compared_and_coloured_by_their_features) {
    const SafetensorsFile raw(out("raw/maps.safetensors"));
    auto floats = [&](const char* name) {
        const StoredTensor* tensor = raw.find(name);
        Floats values(tensor ? tensor->elements() : 0);
        if (tensor) read_floats(*tensor, 0, values);
        return values;
    };
    browser.evaluate("document.querySelectorAll('#encoders input')[3].click()");
    point_at(2.5 / 4, 1.5 / 4);
    EXPECT_EQ(shown()["kind"], "similarity");
    EXPECT_EQ(shown()["patch"], (Json{{"row", 1}, {"column", 2}}));
    Floats cosines = part(floats("classifier.similarity"), 6 * 16, 16);
    EXPECT_NEAR(cosines[6], 1, 1e-5) << "like itself";
    for (float& cosine : cosines) cosine = std::max(cosine, 0.0f);  // the page's scale begins at 0
    expect_map(map(), cosines, "similarity");
    browser.evaluate("document.querySelectorAll('#whole button')[2].click()");
    EXPECT_EQ(shown()["kind"], "colours");
    expect_map(map(), part(floats("classifier.colours"), 0, 16), "red");
    EXPECT_EQ(browser.evaluate(
                  "(() => { const c = document.getElementById('heat'); const p = c.getContext('2d')"
                  ".getImageData(0, 0, c.width, c.height).data; return new Set(p).size > 20; })()"),
              true);
}

TEST_F(InspectPage, what_is_hot_on_the_picture_is_what_the_map_says) {
    point_at(2.5 / 4, 1.5 / 4);
    set("opacity", 100);
    browser.evaluate("document.getElementById('smooth').click()");
    auto alpha = [&](size_t cell) {
        return browser
            .evaluate(
                "(() => { const c = document.getElementById('heat'); return c.getContext('2d')"
                ".getImageData(c.width * " +
                std::to_string((double(cell % 4) + 0.5) / 4) + ", c.height * " +
                std::to_string((double(cell / 4) + 0.5) / 4) + ", 1, 1).data[3]; })()")
            .get<int>();
    };
    const Floats cells = map();
    const auto [low, high] = std::ranges::minmax_element(cells);
    const auto coldest = size_t(low - cells.begin()), hottest = size_t(high - cells.begin());
    EXPECT_EQ(alpha(hottest), 255);
    EXPECT_NEAR(alpha(coldest), 255 * std::sqrt(*low / *high), 3);
    set("share", 5);
    EXPECT_EQ(alpha(hottest), 255);
    EXPECT_EQ(alpha(coldest), 0);
    set("opacity", 50);
    EXPECT_NEAR(alpha(hottest), 128, 1);
}

TEST_F(InspectPage, works_by_keys_alone) {
    browser.evaluate("document.getElementById('view').focus()");
    browser.press("ArrowRight");
    EXPECT_EQ(shown()["patch"], (Json{{"row", 2}, {"column", 3}}));
    browser.press("ArrowUp");
    browser.press("ArrowLeft");
    EXPECT_EQ(shown()["patch"], (Json{{"row", 1}, {"column", 2}}));
    browser.press("PageDown");
    EXPECT_EQ(shown()["layer"], 1);
    browser.press("]");
    EXPECT_EQ(shown()["head"], 0);
    browser.press("[");
    EXPECT_EQ(shown()["head"], nullptr);
    browser.press("Enter");
    point_at(0.1, 0.1);
    EXPECT_EQ(shown()["patch"], (Json{{"row", 1}, {"column", 2}})) << "it is held";
    browser.press("Escape");
    point_at(0.12, 0.1);
    EXPECT_EQ(shown()["patch"], (Json{{"row", 0}, {"column", 0}}));
    browser.press("Home");
    EXPECT_EQ(shown()["kind"], "detections") << "the report opens with the strongest one";
}

TEST_F(InspectPage, tells_assistive_technology_what_is_what) {
    size_t operable = 0;
    for (const Json& node : browser.accessibility()) {
        const std::string role = node.contains("role") ? node["role"].value("value", "") : "";
        if (node.value("ignored", false)) continue;
        if (role != "button" && role != "slider" && role != "checkbox" && role != "radio" &&
            role != "application" && role != "image" && role != "meter")
            continue;
        ++operable;
        EXPECT_FALSE(node["name"].value("value", "").empty()) << node.dump();
    }
    EXPECT_GT(operable, 25u);
    point_at(2.5 / 4, 1.5 / 4);
    const std::string said = browser.evaluate(
        "new Promise(done => setTimeout(() => done(document.getElementById('summary')"
        ".textContent), 600))");
    expect_says(said,
                "Classifier\u2019s patch in row 2, column 3: layer 2 of 0-2, mean of 4 heads. "
                "Looks most at row");
}

TEST_F(InspectPage, fits_a_phone) {
    browser.set_size(360, 740, true);
    open_for_patches();
    EXPECT_LE(browser.evaluate("document.documentElement.scrollWidth"), 360);
    const auto area = area_of("document.getElementById('picture')");
    EXPECT_GE(area[0], 0);
    EXPECT_GT(area[2], 280);
    EXPECT_LE(area[0] + area[2], 360);
    browser.click(area[0] + area[2] * 2.5 / 4, area[1] + area[3] * 1.5 / 4);
    EXPECT_EQ(shown()["patch"], (Json{{"row", 1}, {"column", 2}}));
    EXPECT_EQ(shown()["held"], true);
}

TEST_F(InspectPage, names_from_files_stay_text) {
    const std::string evil = "</script><img src=x onerror=fail()>\"'&";
    const std::string model = model_folder(*shared_temp, "yolos-nano");
    nlohmann::json config = read_json(model + "/config.json");
    for (auto& label : config["id2label"]) label = evil;
    std::ofstream(model + "/config.json") << config;
    const std::string picture = *shared_temp / "<img src=y> \"'&.png";
    cv::imwrite(picture, cv::imread(golden_picture()));
    expect_done(saccade_program(on_test_device(
        {"inspect", picture, "-o", *shared_temp / "evil", "--classifier", "none", "--captioner",
         "none", "--detector", model, "--threshold", "0", "--max-detections", "3"})));
    browser.open(*shared_temp / "evil/report.html");
    EXPECT_EQ(browser.evaluate("document.images.length"), 1);
    EXPECT_EQ(browser.evaluate("document.title"), "Attention in <img src=y> \"'&.png");
    EXPECT_TRUE(browser.evaluate("document.querySelector('.box span').textContent")
                    .get<std::string>()
                    .starts_with(evil));
    std::ifstream file(*shared_temp / "evil/report.html");
    const std::string page(std::istreambuf_iterator<char>(file), {});
    expect_says(page, "default-src 'none'");
    expect_says(page, "base-uri 'none'; form-action 'none'");
}

}  // namespace
}  // namespace saccade
