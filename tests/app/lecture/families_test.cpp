// Lectures of the families of models: each has the sections that apply to it, and no other.

#include <nlohmann/json.hpp>

#include "models/files/json.h"
#include "models/files/safetensors.h"
#include "tests/app/page/browser.h"
#include "tests/app/program.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

using Floats = std::vector<float>;

struct Family {
    const char *classifier, *detector, *captioner;  // golden cases, or "none"
    Words more;
    Words sections;
    const char* extra = nullptr;  // the name of token 1 on the page
};

class LectureFamilies : public ::testing::Test {
protected:
    static void SetUpTestSuite() { browser = new Browser; }
    static void TearDownTestSuite() { delete browser; }

    static std::string model(const TempFolder& temp, const std::string& name) {
        if (name == "none") return name;
        const std::string folder = model_folder(temp, name);
        const auto file = golden_folder() / name / "generation_config.json";
        if (std::filesystem::exists(file))
            std::filesystem::copy_file(file, folder + "/generation_config.json");
        if (name == "siglip-nano")  // any tokenizer that fits into its vocabulary
            std::filesystem::copy_file(
                golden_folder() / "tokenizers" / "wordpiece-json" / "tokenizer.json",
                folder + "/tokenizer.json");
        return folder;
    }
    static void open(const TempFolder& temp, const Family& family) {
        expect_done(saccade_program(on_test_device(
            Words{"lecture", golden_picture(), "-o", temp.path().string(), "--precision", "fp32",
                  "--quiet", "--classifier", model(temp, family.classifier), "--detector",
                  model(temp, family.detector), "--captioner", model(temp, family.captioner)} +
            family.more)));
        browser->open(temp / "chelsea-lecture.html");
        ASSERT_TRUE(browser->becomes("'ready' in document.body.dataset"));
        browser->evaluate("lecture.draw_all()");
    }
    static Json evaluate(const std::string& expression) { return browser->evaluate(expression); }
    static Floats floats(const std::string& expression) {
        return evaluate("Array.from(" + expression + ")").get<Floats>();
    }
    static Floats golden(const std::string& model, const std::string& name) {
        const SafetensorsFile file(golden_folder() / model / "golden.safetensors");
        const StoredTensor* tensor = file.find(name);
        if (!tensor) throw Error("there is no " + name);
        Floats values(tensor->elements());
        read_floats(*tensor, 0, values);
        return values;
    }

    // The page has these sections, and nothing is missing in them.
    static void expect_whole(const Words& sections) {
        EXPECT_EQ(evaluate("[...document.querySelectorAll('#sections > section')].map(s => s.id)"),
                  Json(sections));
        EXPECT_EQ(browser->errors, Words());
        EXPECT_EQ(evaluate("document.body.innerText.match(/undefined|NaN|\\{\\d\\}|\\bnull\\b/)"),
                  nullptr)
            << "a number or a text is missing";
    }

    // A model without a class token, whose last layer pools the patches, and which judges each
    // phrase by itself.
    static void expect_a_probe() {
        EXPECT_EQ(evaluate("names.token(0)"), "patch in row 1, column 1");
        EXPECT_EQ(evaluate("attention.probabilities([0, 0])[0]"), 0.5);
        const auto caption = [] {
            evaluate("lecture.draw_all()");
            return evaluate("document.querySelector('#whole figcaption').textContent")
                .get<std::string>();
        };
        EXPECT_TRUE(caption().starts_with("Rollout to the patch")) << caption();
        evaluate(
            "[...document.querySelectorAll('#whole button')].find(b => b.textContent === 'the "
            "probe').click()");
        EXPECT_TRUE(caption().starts_with("Rollout to the probe")) << caption();
        evaluate("lecture.choose({token: 0})");
        EXPECT_TRUE(caption().starts_with("Rollout to the patch in row 1")) << caption();
    }

    static inline Browser* browser = nullptr;
};

TEST_F(LectureFamilies, have_the_sections_that_apply_to_them) {
    const std::vector<Family> families = {
        {"deit-distilled",
         "detr-dc5",
         "hybrid-gpt2-nano",
         {},
         {"tokens", "positions", "head", "heads", "block", "whole", "detector", "caption", "cost"},
         "distillation token"},
        {"dinov2-with-registers-nano",
         "rtdetr-nano",
         "blip-nano",
         {},
         {"tokens", "positions", "head", "heads", "block", "whole", "detector", "caption", "cost"},
         "register 0"},
        {"dinov3-nano",
         "rfdetr-nano-tiny",
         "none",
         {},
         {"tokens", "head", "heads", "block", "whole", "detector", "cost"},
         "register 0"},
        {"clip-nano",
         "dfine-nano-tiny",
         "none",
         {"--labels", "cat, dog"},
         {"tokens", "head", "heads", "block", "whole", "phrases", "detector", "cost"}},
        {"siglip-nano",
         "yolos-nano",
         "none",
         {"--labels", "cat, dog"},
         {"tokens", "head", "heads", "block", "whole", "phrases", "detector", "cost"}},
        {"dinov2-nano",
         "none",
         "none",
         {},
         {"tokens", "positions", "head", "heads", "block", "whole", "cost"}},
        {"swin-nano", "deimv2-lite-nano", "none", {}, {"windows", "detector"}},
    };
    for (const Family& family : families) {
        SCOPED_TRACE(family.classifier);
        const TempFolder temp;
        open(temp, family);
        expect_whole(family.sections);
        EXPECT_LE(evaluate("Math.max(...[...document.querySelectorAll('.words')].map(words => "
                           "[...words.querySelectorAll('p:not(.try)')].map(p => p.textContent)"
                           ".join(' ').split(/\\s+/).length))"),
                  120);
        if (family.extra) {
            EXPECT_EQ(evaluate("names.token(1)"), family.extra);
        }
        if (std::string_view(family.classifier) == "siglip-nano") expect_a_probe();
    }
}

// The weights of the last block's last window, and of the first window of a block, as transformers
// computed them.
TEST_F(LectureFamilies, attention_in_windows_is_computed_as_transformers_does) {
    for (const char* name : {"swin-nano", "swinv2-nano"}) {
        SCOPED_TRACE(name);
        const TempFolder temp;
        open(temp, {name, "none", "none", {}, {}});
        const Json stages = evaluate("lesson.cells.stages");
        int last = -1;
        for (size_t stage = 0; stage < stages.size(); ++stage) {
            last += stages[stage].get<int>();
            // All queries of the last window that are cells; the heads' mean.
            const std::string number = std::to_string(last);
            const Json found = evaluate(
                "(() => { const one = lesson.cells.layers.find(l => l.layer === " + number +
                "), {window, shift, heads, place: {grid}} = one;"
                "const padded = grid.map(n => Math.ceil(n / window) * window), rows = [];"
                "for (let i = 0; i < window * window; ++i) {"
                "  const at = [i % window, Math.floor(i / window)].map((inside, k) =>"
                "    (padded[k] - window + inside + shift) % padded[k]);"
                "  if (at[0] >= grid[0] || at[1] >= grid[1]) { rows.push(null); continue; }"
                "  const mean = new Float32Array(window * window);"
                "  for (let h = 0; h < heads; ++h)"
                "    cells_section.compute(one, h, at[1] * grid[0] + at[0]).weights"
                "      .forEach((w, j) => { mean[j] += w / heads; });"
                "  rows.push([...mean]);"
                "} return rows; })()");
            const Floats want = golden(name, "window_attention_" + std::to_string(stage));
            const size_t cells = found.size();
            ASSERT_EQ(want.size(), cells * cells);
            size_t compared = 0;
            for (size_t i = 0; i < cells; ++i) {
                if (found[i].is_null()) continue;
                ++compared;
                for (size_t j = 0; j < cells; ++j)
                    EXPECT_NEAR(found[i][j].get<float>(), want[i * cells + j], 1e-3)
                        << "stage " << stage << ", " << i << ", " << j;
            }
            EXPECT_GT(compared, 0u);
        }
    }
}

// The mean of the heads, of every query. MViT's are timm's, those of the CNN its authors'.
TEST_F(LectureFamilies, attention_between_maps_is_computed_as_the_models_do) {
    const auto expect_weights = [](const Floats& want, int layer, size_t queries, float within) {
        const Json found =
            evaluate("(() => { const one = lesson.cells.layers.find(l => l.layer === " +
                     std::to_string(layer) +
                     ");"
                     "return Array.from({length: " +
                     std::to_string(queries) +
                     "}, (_, cell) => {"
                     "  const all = Array.from({length: one.heads}, (_, h) =>"
                     "    cells_section.compute(one, h, cell).weights);"
                     "  return Array.from(all[0], (_, j) =>"
                     "    all.reduce((sum, w) => sum + w[j], 0) / one.heads); }).flat(); })()");
        ASSERT_EQ(found.size(), want.size());
        for (size_t i = 0; i < want.size(); ++i)
            EXPECT_NEAR(found[i].get<float>(), want[i], within) << layer << ", " << i;
    };
    const TempFolder temp;
    open(temp, {"mvitv2-nano", "none", "none", {}, {}});
    expect_weights(golden("mvitv2-nano", "attention_first_row0"), 0, 1, 1e-3f);
    const int last = evaluate("lesson.cells.all_layers - 1");
    expect_weights(golden("mvitv2-nano", "attention_last"), last, 36, 1e-3f);
    expect_whole({"pooled"});

    open(temp, {"attention-cnn-nano", "none", "none", {}, {}});
    // Its scores are not divided, and half precision makes large ones coarse.
    expect_weights(golden("attention-cnn-nano", "attention"), 0, 64, 3e-3f);
    expect_whole({"map"});
}

// Cosines times the scale are the model's own logits.
TEST_F(LectureFamilies, phrases_are_compared_with_the_picture_as_the_model_does) {
    const TempFolder temp;
    open(temp, {"clip-nano", "none", "none", {"--labels", "cat, dog, a red mug"}, {}});
    const Floats cosines = floats("[0, 1, 2].map(i => phrases_section.cosine(i))");
    const Json about = evaluate("lesson.classifier.phrases");
    const Floats logits = floats("tensors.get('logits').values");
    ASSERT_EQ(logits.size(), 3u);
    EXPECT_NE(logits[0], logits[1]);
    for (size_t i = 0; i < logits.size(); ++i)
        EXPECT_NEAR(about["scale"].get<float>() * cosines[i] + about["bias"].get<float>(),
                    logits[i], 2e-2 * std::abs(logits[i]) + 2e-2);
    EXPECT_EQ(about["prompts"][2], "a photo of a a red mug.");
    // Choosing a phrase shows its map.
    evaluate("document.querySelectorAll('#phrases .phrase-list button')[1].click()");
    EXPECT_EQ(evaluate("document.querySelectorAll('#phrases [aria-pressed=true]').length"), 1);
}

}  // namespace
}  // namespace saccade
