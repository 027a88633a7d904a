#include "models/backbone/vit.h"

#include <nlohmann/json.hpp>

#include "app/lab/dump/dump.h"
#include "app/lab/ppm.h"
#include "gpu/transfer/download.h"
#include "models/attention/attention_maps.h"
#include "models/classifier.h"
#include "models/files/synthetic.h"
#include "tests/gpu_test.h"
#include "tests/models/files/temp_folder.h"
#include "tests/models/golden.h"

namespace saccade {
namespace {

using Floats = std::vector<float>;

ViTConfig config_of(const Golden& golden) { return read_vit_config(golden.config, "config.json"); }

class ViTTest : public GpuTest {
protected:
    struct Run {
        Floats logits, rollout;
        std::vector<Floats> attention, hidden;  // by layer: class-token rows (heads, tokens); (dim)
        std::vector<std::string> trace;
    };
    // Runs the classifier on a picture, with or without a tap.
    Run classify(Classifier& classifier, const PpmPicture& picture, bool look) {
        const uint32_t layer_count = classifier.model().layers();
        Frame frame(device, picture.width, picture.height, false);
        frame.write({picture.rgb.data(), picture.width, picture.height, 3 * picture.width, false});
        classifier.prepare({picture.width, picture.height});
        std::set<uint32_t> layers;
        for (uint32_t i = 0; look && i < layer_count; ++i) layers.insert(i);
        Tap tap = look ? Tap(layers, true) : Tap();

        Run run;
        Commands c(device, arena, "classify");
        use_kernels_of_this_round(c);
        c.keep_trace(true);
        c.begin();
        frame.record(c);
        classifier.record(c, frame.image(), tap);
        c.end();
        c.run();
        run.trace = c.trace();
        run.logits = classifier.ranking().logits();
        if (!look) return run;

        std::vector<Download> maps(layer_count), states(layer_count + 1);
        Download rolled;
        Rollout rollout(device);
        Commands after(device, arena, "look");
        after.begin();
        {
            auto scope = after.scope("look");
            for (const auto& [layer, kept] : tap.layers()) {
                const uint32_t heads = kept.heads.count;
                const Tensor map = after.scratch(1, heads, kept.k.rows, Type::f32);
                attention_map(after, map, kept.q, kept.k, kept.heads, {0, 1, 0, heads});
                maps[layer].record(after, map);
            }
            for (const auto& [index, z] : tap.hidden_states())
                states[index].record(after, z.slice_rows(0, 1));
            rolled.record(after, rollout.record(after, tap, 0));
        }
        after.end();
        after.run();
        for (const Download& map : maps) run.attention.push_back(map.floats());
        for (const Download& state : states) run.hidden.push_back(state.floats());
        run.rollout = rolled.floats();
        return run;
    }
    Classifier make(const Golden& golden, Type precision, StoredType stored = StoredType::f32) {
        Manifest manifest = read_manifest(golden.folder / "weights.json");
        manifest.type = stored;
        SyntheticWeights weights(manifest);
        return Classifier(device, golden.config, "config.json", Preprocessor::read(golden.folder),
                          weights, precision);
    }
    static Floats joined(const std::vector<Floats>& parts) {
        Floats all;
        for (const Floats& part : parts) all.insert(all.end(), part.begin(), part.end());
        return all;
    }
};

class ViTParity : public ViTTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(ViTParity, every_tensor_is_what_transformers_computes) {
    const Golden golden(GetParam());
    for (Type precision : {Type::f32, Type::f16}) {
        SCOPED_TRACE(name_of(precision));
        const double tolerance = precision == Type::f32 ? 1e-4 : 1e-2;
        Classifier classifier =
            make(golden, precision, read_manifest(golden.folder / "weights.json").type);
        const Run run = classify(classifier, golden.picture(), true);
        EXPECT_LT(relative_error(run.logits, golden["logits"]), tolerance);
        EXPECT_LT(relative_error(joined(run.attention), golden["attention_cls"]), tolerance);
        EXPECT_LT(relative_error(joined(run.hidden), golden["hidden_cls"]), tolerance);
        EXPECT_LT(relative_error(run.rollout, golden["rollout_cls"]), tolerance);

        const auto top = classifier.ranking().top(5);
        const Json expected = read_json(golden.folder / "golden.json")["top5"];
        ASSERT_EQ(top.size(), expected.size());
        EXPECT_EQ(top[0].id, expected[0][0].get<uint32_t>());
        for (size_t i = 0; i < top.size(); ++i)
            EXPECT_NEAR(top[i].score, expected[i][1].get<float>(), 2 * tolerance);
    }
}

INSTANTIATE_TEST_SUITE_P(Golden, ViTParity,
                         ::testing::Values("vit-nano", "vit-odd", "deit-distilled"));

TEST_F(ViTTest, looking_changes_no_bit_of_the_answer) {
    const Golden golden("vit-nano");
    for (Type precision : {Type::f32, Type::f16}) {
        Classifier classifier = make(golden, precision);
        const Run alone = classify(classifier, golden.picture(), false);
        const Run watched = classify(classifier, golden.picture(), true);
        EXPECT_EQ(alone.logits, watched.logits);
        const Run again = classify(classifier, golden.picture(), false);
        EXPECT_EQ(alone.trace, again.trace) << "without a tap the commands are the same";
        EXPECT_GT(watched.trace.size(), alone.trace.size());
    }
}

TEST_F(ViTTest, maps_of_attention_are_the_cells_of_what_transformers_computes) {
    for (const char* name : {"vit-nano", "vit-odd", "deit-distilled"}) {
        SCOPED_TRACE(name);
        const Golden golden(name);
        const ViTConfig config = config_of(golden);
        const uint32_t last = config.layers - 1, tokens = config.tokens(), heads = config.heads;
        Classifier classifier =
            make(golden, Type::f32, read_manifest(golden.folder / "weights.json").type);
        const PpmPicture picture = golden.picture();
        Frame frame(device, picture.width, picture.height, false);
        frame.write({picture.rgb.data(), picture.width, picture.height, 3 * picture.width, false});
        classifier.prepare({picture.width, picture.height});
        std::set<uint32_t> layers;
        for (uint32_t i = 0; i < config.layers; ++i) layers.insert(i);
        Tap tap(layers);
        run([&](Commands& c) {
            frame.record(c);
            classifier.record(c, frame.image(), tap);
            return classifier.ranking().on_device().values;
        });

        // The cells of one head of rows (heads, tokens), or the mean of all heads.
        auto cells = [&](std::span<const float> rows, uint32_t first, uint32_t count) {
            Floats result(tokens - config.prefix_tokens());
            for (uint32_t head = first; head < first + count; ++head)
                for (size_t i = 0; i < result.size(); ++i)
                    result[i] += rows[head * tokens + config.prefix_tokens() + i] / float(count);
            return result;
        };
        const Floats of_class = golden["attention_cls"];
        const auto last_rows = std::span(of_class).subspan(size_t(last) * heads * tokens);
        auto class_token = [&](const Look& look) {
            return run([&](Commands& c) { return classifier.look_from_class_token(c, tap, look); });
        };
        EXPECT_LT(relative_error(class_token({last}), cells(last_rows, 0, heads)), 1e-4);
        EXPECT_LT(relative_error(class_token({last, 1}), cells(last_rows, 1, 1)), 1e-4);

        // The golden has the row of token 7, whose patch contains this pixel.
        const uint32_t cell = 7 - config.prefix_tokens();
        const MapGeometry map = classifier.geometry(last);
        const glm::vec2 place(cell % map.grid.x, cell / map.grid.x);
        const glm::vec2 point = map.corner + (place + 0.5f) * map.cell;
        const Floats from_point =
            run([&](Commands& c) { return classifier.look_from_point(c, tap, {last}, point); });
        EXPECT_LT(relative_error(from_point, cells(golden["attention_last_row7"], 0, heads)), 1e-4);

        Rollout rollout(device);
        const Floats rolled =
            run([&](Commands& c) { return classifier.rollout_from_class_token(c, tap, rollout); });
        EXPECT_LT(relative_error(rolled, cells(golden["rollout_cls"], 0, 1)), 1e-4);
    }
}

TEST_F(ViTTest, files_in_half_precision_load_as_well) {
    const Golden golden("vit-nano");
    for (StoredType stored : {StoredType::f16, StoredType::bf16}) {
        Classifier classifier = make(golden, Type::f32, stored);
        const Run run = classify(classifier, golden.picture(), false);
        // Only the rounding of the weights differs.
        EXPECT_LT(relative_error(run.logits, golden["logits"]),
                  stored == StoredType::f16 ? 3e-3 : 3e-2);
    }
}

TEST_F(ViTTest, a_batch_gives_what_its_pictures_give_alone) {
    const Golden golden("vit-nano");
    Classifier classifier = make(golden, Type::f32);
    const ViTConfig config = config_of(golden);
    const uint32_t grid = config.grid_width() * config.grid_height(), columns = 3 * 16 * 16;
    const Floats pixels = random(size_t(3) * grid * columns);
    Tap nobody;
    const Floats together = run([&](Commands& c) {
        return classifier.logits(c, tensor(3, grid, columns, Type::f32, pixels), nobody);
    });
    for (uint32_t i = 0; i < 3; ++i) {
        const auto one = std::span(pixels).subspan(size_t(i) * grid * columns, grid * columns);
        const Floats alone = run([&](Commands& c) {
            return classifier.logits(c, tensor(1, grid, columns, Type::f32, one), nobody);
        });
        const auto part = std::span(together).subspan(i * alone.size(), alone.size());
        EXPECT_LT(relative_error(part, alone), 1e-6) << "picture " << i;
    }
}

TEST_F(ViTTest, a_folder_loads_with_v5_tensor_names_and_in_shards) {
    const Golden golden("vit-nano");
    const Manifest manifest = read_manifest(golden.folder / "weights.json");
    Classifier reference = make(golden, Type::f32);
    const Run want = classify(reference, golden.picture(), false);

    // The same weights under the names that transformers v5 writes, half of them in each shard.
    TempFolder temp;
    std::vector<std::vector<std::byte>> bytes;
    std::vector<StoredTensor> shards[2];
    nlohmann::json map;
    for (size_t i = 0; i < manifest.tensors.size(); ++i) {
        const Manifest::Entry& entry = manifest.tensors[i];
        bytes.push_back(synthetic_bytes(manifest.seed, entry.name, entry.shape, StoredType::f32));
        const std::vector<std::string> others = aliases(entry.name);
        const std::string name = others.empty() ? entry.name : others.front();
        shards[i % 2].push_back({name, StoredType::f32, entry.shape, bytes.back()});
        map[name] = i % 2 ? "model-00002-of-00002.safetensors" : "model-00001-of-00002.safetensors";
    }
    write_safetensors(temp.path() / "model-00001-of-00002.safetensors", shards[0]);
    write_safetensors(temp.path() / "model-00002-of-00002.safetensors", shards[1]);
    std::ofstream(temp.path() / "model.safetensors.index.json")
        << nlohmann::json{{"metadata", {{"total_size", 0}}}, {"weight_map", map}};
    for (const char* file : {"config.json", "preprocessor_config.json"})
        std::filesystem::copy_file(golden.folder / file, temp.path() / file);

    Classifier classifier = Classifier::open(device, temp.path(), Type::f32);
    EXPECT_EQ(classify(classifier, golden.picture(), false).logits, want.logits);
    EXPECT_TRUE(classifier.unused().empty());
}

TEST_F(ViTTest, a_missing_tensor_is_named_with_its_file) {
    const Golden golden("vit-nano");
    Manifest manifest = read_manifest(golden.folder / "weights.json");
    std::erase_if(manifest.tensors, [](const Manifest::Entry& entry) {
        return entry.name == "vit.encoder.layer.1.output.dense.weight";
    });
    TempFolder temp;
    write_checkpoint(temp.path(), manifest);
    for (const char* file : {"config.json", "preprocessor_config.json"})
        std::filesystem::copy_file(golden.folder / file, temp.path() / file);
    const std::string error = error_of([&] { Classifier::open(device, temp.path(), Type::f32); });
    expect_says(error, "vit.encoder.layer.1.output.dense.weight");
    expect_says(error, "model.safetensors");
}

TEST_F(ViTTest, what_is_not_a_model_folder_is_refused_in_one_line) {
    TempFolder temp;
    expect_says(error_of([&] { Classifier::open(device, temp.path(), Type::f32); }),
                "is not a model folder");
    std::ofstream(temp.path() / "config.json") << R"({"model_type": "unheard"})";
    expect_says(error_of([&] { Classifier::open(device, temp.path(), Type::f32); }), "unheard");
}

TEST_F(ViTTest, a_preprocessor_that_makes_another_size_is_refused) {
    const Golden golden("vit-nano");
    SyntheticWeights weights(read_manifest(golden.folder / "weights.json"));
    Preprocessor preprocessor = Preprocessor::read(golden.folder);
    preprocessor.size = {80, 80};
    expect_says(error_of([&] {
                    Classifier(device, golden.config, "config.json", preprocessor, weights,
                               Type::f32);
                }),
                "does not match");
}

}  // namespace
}  // namespace saccade
