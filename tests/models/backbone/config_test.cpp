#include "models/backbone/config.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "models/detection/detr_config.h"
#include "models/detection/yolos_config.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

ViTConfig vit(std::string_view text) {
    return read_vit_config(parse_json(text, "config.json"), "config.json");
}

// A field added to an otherwise valid config.
std::string error_with(std::string_view field) {
    return error_of([&] { vit(R"({"model_type":"vit",)" + std::string(field) + "}"); });
}

TEST(Config, the_golden_vit_reads_as_it_is) {
    auto path = golden_folder() / "vit-nano" / "config.json";
    ViTConfig config = read_vit_config(read_json(path), path.string());
    EXPECT_EQ(config.hidden, 64u);
    EXPECT_EQ(config.layers, 3u);
    EXPECT_EQ(config.heads, 4u);
    EXPECT_EQ(config.head_size(), 16u);
    EXPECT_EQ(config.intermediate, 160u);
    EXPECT_EQ(config.image_height, 64u);
    EXPECT_EQ(config.image_width, 64u);
    EXPECT_EQ(config.patch_height, 16u);
    EXPECT_EQ(config.patch_width, 16u);
    EXPECT_EQ(config.channels, 3u);
    EXPECT_EQ(config.tokens(), 17u);
    EXPECT_EQ(config.norm_eps, 1e-12f);
    EXPECT_TRUE(config.qkv_bias);
    EXPECT_EQ(config.activation, Activation::gelu_erf);
    EXPECT_FALSE(config.distilled);
    EXPECT_FALSE(config.teacher_head);
    ASSERT_EQ(config.labels.size(), 10u);
    EXPECT_EQ(config.labels[9], "LABEL_9");
}

TEST(Config, missing_fields_take_the_defaults_of_transformers) {
    ViTConfig config = vit(R"({"model_type":"vit"})");
    EXPECT_EQ(config.hidden, 768u);
    EXPECT_EQ(config.layers, 12u);
    EXPECT_EQ(config.heads, 12u);
    EXPECT_EQ(config.intermediate, 3072u);
    EXPECT_EQ(config.image_height, 224u);
    EXPECT_EQ(config.patch_width, 16u);
    EXPECT_EQ(config.tokens(), 197u);
    EXPECT_EQ(config.norm_eps, 1e-12f);
    EXPECT_TRUE(config.qkv_bias);
    EXPECT_EQ(config.labels, (std::vector<std::string>{"LABEL_0", "LABEL_1"}));
}

TEST(Config, null_is_as_good_as_missing) {
    EXPECT_EQ(vit(R"({"model_type":"vit","hidden_size":null,"id2label":null})").hidden, 768u);
}

TEST(Config, sizes_may_be_pairs_of_height_and_width) {
    ViTConfig config = vit(R"({"model_type":"vit","image_size":[32,96],"patch_size":[8,16]})");
    EXPECT_EQ(config.image_height, 32u);
    EXPECT_EQ(config.image_width, 96u);
    EXPECT_EQ(config.patch_height, 8u);
    EXPECT_EQ(config.patch_width, 16u);
    EXPECT_EQ(config.grid_height(), 4u);
    EXPECT_EQ(config.grid_width(), 6u);
}

TEST(Config, an_image_that_patches_do_not_tile_is_covered_as_far_as_they_go) {
    EXPECT_EQ(vit(R"({"model_type":"vit","image_size":100,"patch_size":16})").tokens(), 37u);
}

TEST(Config, deit_has_a_distillation_token_and_two_heads_only_with_its_teacher) {
    ViTConfig plain =
        vit(R"({"model_type":"deit","architectures":["DeiTForImageClassification"]})");
    EXPECT_TRUE(plain.distilled);
    EXPECT_FALSE(plain.teacher_head);
    EXPECT_EQ(plain.tokens(), 198u);
    ViTConfig teacher =
        vit(R"({"model_type":"deit","architectures":["DeiTForImageClassificationWithTeacher"]})");
    EXPECT_TRUE(teacher.teacher_head);
}

TEST(Config, labels_come_in_any_order) {
    Json map;
    for (int i = 11; i >= 0; --i)
        map[std::to_string(i)] = std::string("class ") + std::to_string(i);
    auto labels = vit(R"({"model_type":"vit","id2label":)" + map.dump() + "}").labels;
    ASSERT_EQ(labels.size(), 12u);
    EXPECT_EQ(labels[2], "class 2");
    EXPECT_EQ(labels[10], "class 10");
}

TEST(Config, gaps_between_labels_are_filled) {
    auto labels =
        vit(R"({"model_type":"vit","id2label":{"3":"d","0":"a","2":"N/A","7":"far"}})").labels;
    EXPECT_EQ(labels, (std::vector<std::string>{"a", "LABEL_1", "N/A", "d"}));
}

TEST(Config, a_count_without_names_gives_numbered_labels) {
    auto labels = vit(R"({"model_type":"vit","num_labels":3})").labels;
    EXPECT_EQ(labels, (std::vector<std::string>{"LABEL_0", "LABEL_1", "LABEL_2"}));
}

TEST(Config, labels_that_are_not_a_map_from_numbers_to_names_are_refused) {
    expect_says(error_with(R"("id2label":["a"])"), "config.json: id2label is not a map");
    expect_says(error_with(R"("id2label":{"x":"a"})"), "id2label has the key 'x'");
    expect_says(error_with(R"("id2label":{"-1":"a"})"), "id2label has the key '-1'");
    expect_says(error_with(R"("id2label":{"99999999999":"a"})"), "id2label has the key");
    expect_says(error_with(R"("id2label":{"0":1})"), "class 0 that is not a string");
    expect_says(error_with(R"("num_labels":4000000000)"), "num_labels is 4000000000");
}

TEST(Config, a_model_without_classes_is_refused_by_those_who_need_them) {
    EXPECT_TRUE(vit(R"({"model_type":"vit","id2label":{}})").labels.empty());
    expect_says(error_of([] { require_labels({}); }), "the model has no classes: id2label");
    EXPECT_NO_THROW(require_labels({"cat"}));
    const Json yolos = parse_json(R"({"model_type":"yolos","id2label":{}})", "config.json");
    expect_says(error_of([&] { read_yolos_config(yolos, "config.json"); }), "has no classes");
    const Json detr = parse_json(R"({"model_type":"detr","id2label":{}})", "config.json");
    expect_says(error_of([&] { read_detr_config(detr, "config.json"); }), "has no classes");
}

TEST(Config, activations_have_the_names_of_transformers) {
    auto named = [](std::string_view name) { return activation_named(name, "config.json"); };
    EXPECT_EQ(named("gelu"), Activation::gelu_erf);
    EXPECT_EQ(named("gelu_new"), Activation::gelu_tanh);
    EXPECT_EQ(named("gelu_pytorch_tanh"), Activation::gelu_tanh);
    EXPECT_EQ(named("gelu_fast"), Activation::gelu_tanh);
    EXPECT_EQ(named("quick_gelu"), Activation::quick_gelu);
    EXPECT_EQ(named("relu"), Activation::relu);
    EXPECT_EQ(named("tanh"), Activation::tanh);
    EXPECT_EQ(named("sigmoid"), Activation::sigmoid);
    EXPECT_EQ(named("linear"), Activation::none);
}

TEST(Config, an_unknown_activation_is_refused_by_name) {
    expect_says(error_with(R"("hidden_act":"mish")"),
                "config.json: the activation 'mish' is not supported");
}

TEST(Config, an_unsupported_model_type_is_refused_by_name) {
    expect_says(error_of([] { vit(R"({"model_type":"swin"})"); }),
                "config.json: model_type 'swin' is not supported; supported: vit, deit");
    expect_says(error_of([] { vit("{}"); }), "model_type is missing");
    expect_says(error_of([] { vit(R"({"model_type":3})"); }), "model_type is 3");
}

TEST(Config, what_the_engine_cannot_do_is_named) {
    expect_says(error_with(R"("num_channels":1)"), "num_channels is 1; only 3");
    expect_says(error_with(R"("quantization_config":{"bits":4})"), "quantised");
    expect_says(error_with(R"("hidden_size":100,"num_attention_heads":3)"),
                "hidden_size is 100, which num_attention_heads (3) does not divide");
    expect_says(error_with(R"("image_size":8)"), "patch_size is larger than image_size");
}

TEST(Config, numbers_of_the_wrong_kind_or_out_of_range_are_refused_by_key) {
    expect_says(error_with(R"("hidden_size":0)"),
                "hidden_size is 0; it must be a whole number from 1 to 65536");
    expect_says(error_with(R"("hidden_size":-768)"), "hidden_size is -768");
    expect_says(error_with(R"("hidden_size":768.0)"), "hidden_size is 768.0");
    expect_says(error_with(R"("hidden_size":"768")"), "hidden_size is '768'");
    expect_says(error_with(R"("hidden_size":99999999999999999999)"), "hidden_size is 1e+20");
    expect_says(error_with(R"("num_hidden_layers":[12])"), "num_hidden_layers is a list");
    expect_says(error_with(R"("num_attention_heads":0)"), "num_attention_heads is 0");
    expect_says(error_with(R"("intermediate_size":true)"), "intermediate_size is true");
    expect_says(error_with(R"("layer_norm_eps":-1)"), "layer_norm_eps is -1");
    expect_says(error_with(R"("layer_norm_eps":"tiny")"), "layer_norm_eps is 'tiny'");
    expect_says(error_with(R"("qkv_bias":1)"), "qkv_bias is 1; it must be true or false");
    expect_says(error_with(R"("image_size":[224])"), "image_size is a list");
    expect_says(error_with(R"("image_size":[224,0])"), "image_size is a list");
    expect_says(error_with(R"("patch_size":{"height":16})"), "patch_size is an object");
    expect_says(error_with(R"("hidden_act":null,"architectures":"x")"), "architectures is 'x'");
    expect_says(error_with(R"("hidden_act":7)"), "hidden_act is 7; it must be a string");
}

TEST(Config, a_config_that_is_not_an_object_is_refused) {
    expect_says(error_of([] { vit("[1,2,3,4,5]"); }), "config.json: holds a list of 5");
}

TEST(JsonFile, that_is_missing_says_so_and_asks_for_a_model_folder) {
    TempFolder folder;
    auto path = folder / "config.json";
    std::string error = error_of([&] { read_json(path); });
    expect_says(error, path.string() + ": no such file");
    expect_says(error, "Hugging Face model folder");
    expect_says(error_of([&] { read_json(folder.path()); }), "is not a file");
}

TEST(JsonFile, that_is_broken_is_refused_by_line_and_column) {
    TempFolder folder;
    auto path = folder.write("config.json", "{\n  \"a\": 1,\n  \"b\" 2\n}\n");
    expect_says(error_of([&] { read_json(path); }), "not valid JSON (line 3, column 7)");
    folder.write("config.json", "");
    expect_says(error_of([&] { read_json(path); }), "not valid JSON (line 1, column 1)");
}

TEST(JsonFile, that_is_huge_is_refused_unread) {
    TempFolder folder;
    auto path = folder.write("config.json", "{}");
    std::filesystem::resize_file(path, uint64_t{1} << 40);  // a hole on disk
    expect_says(error_of([&] { read_json(path); }), "too many");
}

TEST(JsonFile, that_is_nested_without_end_is_refused) {
    TempFolder folder;
    auto path = folder.write("config.json", std::string(1'000'000, '['));
    expect_says(error_of([&] { read_json(path); }), "nested deeper than 64");
}

TEST(JsonFile, that_has_a_key_twice_is_refused_but_not_over_the_same_key_elsewhere) {
    expect_says(error_of([] { parse_json(R"({"a":{"b":1},"b":[{"b":2}],"a":3})", "f"); }),
                "f: has 'a' twice");
    EXPECT_EQ(parse_json(R"({"a":{"b":1},"b":[{"b":2},{"b":3}]})", "f").size(), 2u);
}

TEST(JsonFile, nested_objects_say_where_they_lie) {
    Json json = parse_json(R"({"vision_config":{"hidden_size":0}})", "config.json");
    JsonFields vision = JsonFields(json, "config.json").object("vision_config");
    expect_says(error_of([&] {
                    vision.whole("hidden_size", {1, 10});
                }),
                "config.json: vision_config: hidden_size is 0");
    expect_says(error_of([&] { vision.whole("layers", {1, 10}); }), "layers is missing");
}

}  // namespace
}  // namespace saccade
