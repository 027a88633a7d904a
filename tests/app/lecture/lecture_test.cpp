// `saccade lecture`: its page in a browser. What the page computes and shows is held against dump,
// against what transformers computed, and against models that end earlier.

#include <cmath>
#include <nlohmann/json.hpp>

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

// A tensor of `saccade dump` on the golden picture.
Floats dumped(const TempFolder& temp, const std::string& model, const std::string& name) {
    const std::string out = temp / "dump.safetensors";
    expect_done(
        saccade_program(on_test_device({"dump", "--model", model, "--image", golden_picture(), "-o",
                                        out, "--precision", "fp32"})));
    return floats_of(SafetensorsFile(out), name);
}

// One page with all sections, which many tests look at in one browser.
class Lecture : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        shared_temp = new TempFolder;
        shared_classifier = new std::string(model_folder(*shared_temp, "vit-nano"));
        shared_detector = new std::string(model_folder(*shared_temp, "detr-thin"));
        const std::string captioner = model_folder(*shared_temp, "vit-gpt2-nano");
        const std::string recurrent = model_folder(*shared_temp, "show-attend-tell-nano");
        for (const std::string name : {"vit-gpt2-nano", "show-attend-tell-nano"})
            if (const auto file = golden_folder() / name / "generation_config.json";
                std::filesystem::exists(file))
                std::filesystem::copy_file(file, *shared_temp / name / "generation_config.json");
        shared_outcome =
            new Outcome(lecture({"--classifier", *shared_classifier, "--detector", *shared_detector,
                                 "--captioner", captioner, "--recurrent", recurrent}));
        shared_browser = new Browser;
        shared_browser->set_size(1280, 800);
        shared_browser->open(page());
        shared_browser->becomes("'ready' in document.body.dataset");
        shared_browser->evaluate("lecture.draw_all()");
    }
    static void TearDownTestSuite() {
        delete shared_browser;
        delete shared_outcome;
        delete shared_detector;
        delete shared_classifier;
        delete shared_temp;
    }
    static std::string page() { return *shared_temp / "out" / "chelsea-lecture.html"; }
    static Outcome lecture(const Words& words) {
        const std::string out = *shared_temp / "out";
        return saccade_program(on_test_device(
            Words{"lecture", golden_picture(), "-o", out, "--precision", "fp32", "--quiet"} +
            words));
    }
    static Json evaluate(const std::string& expression) {
        return shared_browser->evaluate(expression);
    }
    static Floats floats(const std::string& expression) {
        return evaluate("Array.from(" + expression + ")").get<Floats>();
    }

    static inline TempFolder* shared_temp = nullptr;
    static inline std::string *shared_classifier = nullptr, *shared_detector = nullptr;
    static inline Outcome* shared_outcome = nullptr;
    static inline Browser* shared_browser = nullptr;
};

TEST_F(Lecture, has_nine_sections_that_load_nothing) {
    expect_done(*shared_outcome);
    EXPECT_EQ(shared_outcome->out, page() + "\n");
    EXPECT_EQ(shared_browser->errors, Words());
    EXPECT_EQ(shared_browser->requests, Words());
    EXPECT_EQ(evaluate("[...document.querySelectorAll('#sections > section')].map(s => s.id)"),
              Json({"tokens", "positions", "head", "heads", "block", "whole", "detector", "caption",
                    "cost"}));
    for (const Json& id : evaluate("[...document.querySelectorAll('#sections > section')]"
                                   ".map(s => s.id)")) {
        const std::string in = "document.querySelector('#" + id.get<std::string>() + " ";
        EXPECT_EQ(evaluate(in + "').querySelectorAll('math').length"), 1) << id;
        EXPECT_EQ(evaluate(in + "').querySelectorAll('.try').length"), 1) << id;
        EXPECT_EQ(evaluate(in + ".figure').clientHeight > 100"), true) << id;
        EXPECT_LE(evaluate("[...document.querySelectorAll('#" + id.get<std::string>() +
                           " .words > p:not(.try)')].map(p => p.textContent).join(' ')"
                           ".split(/\\s+/).length")
                      .get<int>(),
                  120)
            << id;
    }
}

TEST_F(Lecture, computes_a_heads_weights_as_dump_does) {
    const Floats weights = floats(
        "[0, 1, 2].flatMap(layer => [0, 1, 2, 3].flatMap(head => "
        "[...head_section.compute(layer, head, 0).weights]))");
    EXPECT_LT(relative_error(weights, dumped(*shared_temp, *shared_classifier, "attention_cls")),
              1e-3);
    EXPECT_LT(relative_error(weights, golden("vit-nano", "attention_cls")), 1e-3);
    const Floats row = floats("[0, 1, 2, 3].flatMap(h => [...attention.weights(2, h, 7)])");
    EXPECT_LT(relative_error(row, golden("vit-nano", "attention_last_row7")), 1e-3);
}

TEST_F(Lecture, mixes_values_by_weights_that_sum_to_one) {
    EXPECT_NEAR(evaluate("attention.weights(1, 2, 5).reduce((a, b) => a + b)").get<double>(), 1,
                1e-5);
    // The output is the mean of the values: with all weight on one token it is that token's.
    EXPECT_EQ(evaluate("(() => { const w = new Float32Array(17); w[4] = 1;"
                       "return [...attention.output(1, 2, w)].join() === "
                       "[...attention.vector('v', 1, 2, 4)].join(); })()"),
              true);
}

TEST_F(Lecture, rolls_attention_out_as_transformers_attention_does) {
    EXPECT_LT(relative_error(floats("attention.rollout(0, 2)"), golden("vit-nano", "rollout_cls")),
              1e-3);
}

// LN, then the classifier, of transformers' hidden states of the class token.
TEST_F(Lecture, asks_for_the_answer_after_each_layer) {
    const SafetensorsFile weights(std::filesystem::path(*shared_classifier) / "model.safetensors");
    const Floats hidden = golden("vit-nano", "hidden_cls"),
                 gain = floats_of(weights, "vit.layernorm.weight"),
                 shift = floats_of(weights, "vit.layernorm.bias"),
                 matrix = floats_of(weights, "classifier.weight"),
                 bias = floats_of(weights, "classifier.bias");
    const size_t dim = gain.size(), classes = bias.size();
    const double eps =
        read_json(std::filesystem::path(*shared_classifier) / "config.json")["layer_norm_eps"];
    Floats want;
    for (size_t at = 0; at < hidden.size(); at += dim) {
        double mean = 0, variance = 0;
        for (size_t i = 0; i < dim; ++i) mean += double(hidden[at + i]) / double(dim);
        for (size_t i = 0; i < dim; ++i)
            variance += std::pow(double(hidden[at + i]) - mean, 2) / double(dim);
        for (size_t k = 0; k < classes; ++k) {
            double logit = bias[k];
            for (size_t i = 0; i < dim; ++i)
                logit +=
                    double(matrix[k * dim + i]) *
                    ((double(hidden[at + i]) - mean) / std::sqrt(variance + eps) * double(gain[i]) +
                     double(shift[i]));
            want.push_back(float(logit));
        }
    }
    EXPECT_LT(relative_error(floats("tensors.get('lens').values"), want), 1e-3);
    EXPECT_LT(relative_error(floats("tensors.get('logits').values"), golden("vit-nano", "logits")),
              1e-3);
}

TEST_F(Lecture, shows_that_without_positions_the_order_does_not_matter) {
    EXPECT_LT(
        relative_error(floats("tensors.row('orders', 1)"), floats("tensors.row('orders', 2)")),
        1e-3);
    EXPECT_GT(
        relative_error(floats("tensors.row('orders', 0)"), floats("tensors.get('logits').values")),
        1e-3);
}

// `explain` switches the same heads off, one by one.
TEST_F(Lecture, switches_heads_off_as_explain_does) {
    const Outcome explained = saccade_program(
        on_test_device({"explain", golden_picture(), "--json", "--classifier", *shared_classifier,
                        "--detector", "none", "--captioner", "none", "--precision", "fp32"}));
    expect_done(explained);
    const Json heads = Json::parse(explained.out)["heads"];
    ASSERT_EQ(heads.size(), 3u);
    for (int layer = 0; layer < 3; ++layer)
        for (int head = 0; head < 4; ++head)
            EXPECT_NEAR(
                heads[layer][head].get<double>(),
                evaluate("(() => { const whole = tensors.get('logits').values;"
                         "const best = attention.best_of(whole, 1)[0];"
                         "return whole[best] - tensors.row('off." +
                         std::to_string(layer) + "', " + std::to_string(head) + ")[best]; })()")
                    .get<double>(),
                2e-3)
                << layer << " " << head;
}

// The auxiliary outputs of DETR: a decoder that ends after one layer answers what the whole one
// would answer after it.
TEST_F(Lecture, shows_the_boxes_after_each_layer_of_the_decoder) {
    const Floats all = floats("tensors.get('boxes').values"), last = golden("detr-thin", "boxes");
    ASSERT_EQ(all.size(), 2 * last.size());
    const std::ptrdiff_t each = std::ptrdiff_t(last.size());
    EXPECT_LT(relative_error(Floats(all.begin() + each, all.end()), last), 1e-3);

    const TempFolder other;
    const std::string shorter = model_folder(other, "detr-thin");
    Json config = read_json(shorter + "/config.json");
    config["decoder_layers"] = 1;
    other.write("detr-thin/config.json", config.dump());
    EXPECT_LT(
        relative_error(Floats(all.begin(), all.begin() + each), dumped(other, shorter, "boxes")),
        1e-3);
}

TEST_F(Lecture, masks_words_that_are_not_written_yet) {
    const Json masked = evaluate("caption_section.compute(1, 0, true).map(row => [...row])");
    ASSERT_GT(masked.size(), 2u);
    for (size_t i = 0; i < masked.size(); ++i)
        for (size_t j = i + 1; j < masked.size(); ++j) EXPECT_EQ(masked[i][j], 0);
    const Json whole = evaluate("caption_section.compute(1, 0, false)[0][1]");
    EXPECT_GT(whole.get<double>(), 0);
    // Each step's likeliest word is the one that was said: the search is greedy.
    EXPECT_EQ(evaluate("lesson.caption.steps.every((step, i) => "
                       "step[0][2] === lesson.caption.ids[lesson.caption.first + 1 + i][2])"),
              true);
    // The weights of the recurrent captioner over the picture sum to one.
    EXPECT_NEAR(evaluate("(() => { const {shape, values} = tensors.get('recurrent.gazes');"
                         "return values.slice(0, shape[2]).reduce((a, b) => a + b); })()")
                    .get<double>(),
                1, 2e-3);
}

TEST_F(Lecture, is_worked_by_keys_and_says_what_is_chosen) {
    evaluate("lecture.choose({token: 1, layer: 0, head: 0})");
    for (const char* key : {"ArrowRight", "ArrowDown", "PageUp", "]"}) shared_browser->press(key);
    EXPECT_EQ(evaluate("document.getElementById('summary').textContent"),
              "patch in row 2, column 2, layer 1 of 0–2 · head 1 of 0–3");
    shared_browser->press("c");
    EXPECT_EQ(evaluate("lecture.state.token"), 0);
    shared_browser->press("3");
    EXPECT_EQ(evaluate("document.activeElement.id"), "head");
    EXPECT_EQ(evaluate("[...document.querySelectorAll('canvas')].every(c => "
                       "c.getAttribute('aria-label') || c.className === 'scale' || c.className === "
                       "'pixels')"),
              true)
        << "every picture has a name for screen readers";
}

TEST_F(Lecture, leaves_out_what_a_model_does_not_have_and_takes_a_translation) {
    const auto texts =
        shared_temp->write("german.json", R"({"title": "Aufmerksamkeit", "language": "de",
        "sections": {"detector": {"title": "Ein Detektor, der fragt"}}})");
    const Outcome german = saccade_program(
        on_test_device({"lecture", golden_picture(), "-o", (*shared_temp / "german").string(),
                        "--classifier", "none", "--detector", *shared_detector, "--captioner",
                        "none", "--texts", texts, "--quiet"}));
    expect_done(german);
    shared_browser->open(*shared_temp / "german" / "chelsea-lecture.html");
    EXPECT_TRUE(shared_browser->becomes("'ready' in document.body.dataset"));
    EXPECT_EQ(evaluate("[...document.querySelectorAll('#sections h2')].map(h => h.textContent)"),
              Json({"1. Ein Detektor, der fragt"}));
    EXPECT_EQ(evaluate("document.documentElement.lang"), "de");
    EXPECT_EQ(shared_browser->errors, Words());
}

TEST(LectureCommandTest, refuses_what_it_cannot_explain) {
    const TempFolder temp;
    const Outcome none = saccade_program(on_test_device(
        {"lecture", golden_picture(), "-o", temp.path().string(), "--classifier", "none",
         "--detector", model_folder(temp, "owlv2-nano"), "--find", "cat", "--captioner", "none"}));
    EXPECT_EQ(none.code, 1);
    EXPECT_NE(none.err.find("a lecture needs a classifier"), none.err.npos) << none.err;
    const Outcome empty =
        saccade_program({"lecture", golden_picture(), "-o", temp.path().string(), "--classifier",
                         "none", "--detector", "none", "--captioner", "none"});
    EXPECT_EQ(empty.code, 2);
}

}  // namespace
}  // namespace saccade
