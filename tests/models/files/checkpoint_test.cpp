#include "models/files/checkpoint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

const std::vector<float> four{1, 2, 3, 4};

StoredTensor floats(std::string name, std::vector<uint64_t> shape = {4}) {
    return {std::move(name), StoredType::f32, std::move(shape), std::as_bytes(std::span(four))};
}

class CheckpointTest : public ::testing::Test {
protected:
    void write(std::string_view file, std::vector<StoredTensor> tensors) {
        write_safetensors(folder_ / file, tensors);
    }
    Checkpoint single(std::vector<StoredTensor> tensors) {
        write("model.safetensors", std::move(tensors));
        return Checkpoint(folder_.path());
    }
    void write_index(std::string_view weight_map) {
        folder_.write(
            "model.safetensors.index.json",
            R"({"metadata":{"total_size":1},"weight_map":)" + std::string(weight_map) + "}");
    }
    std::string error_of_opening() {
        return error_of([&] { Checkpoint checkpoint(folder_.path()); });
    }

    TempFolder folder_;
};

TEST_F(CheckpointTest, a_single_file_is_found_and_counted) {
    Checkpoint checkpoint = single({floats("b"), floats("a", {2, 2})});
    EXPECT_EQ(checkpoint.folder(), folder_.path());
    EXPECT_EQ(checkpoint.bytes(), 32u);
    EXPECT_EQ(checkpoint.elements(), 8u);
    ASSERT_EQ(checkpoint.tensors().size(), 2u);
    EXPECT_EQ(checkpoint.tensors()[0]->name, "a");
    EXPECT_EQ(checkpoint.where("a"), (folder_ / "model.safetensors").string());
    StoredTensor a = checkpoint.required("a", {2, 2});
    EXPECT_EQ(std::memcmp(a.bytes.data(), four.data(), 16), 0);
    checkpoint.release(a.bytes);
    EXPECT_EQ(std::memcmp(a.bytes.data(), four.data(), 16), 0);
}

TEST_F(CheckpointTest, shards_are_found_through_their_index) {
    write("model-00001-of-00002.safetensors", {floats("a"), floats("not listed")});
    write("model-00002-of-00002.safetensors", {floats("b", {2, 2})});
    write_index(
        R"({"a":"model-00001-of-00002.safetensors","b":"model-00002-of-00002.safetensors"})");
    Checkpoint checkpoint(folder_.path());
    EXPECT_EQ(checkpoint.required("a", {4}).name, "a");
    EXPECT_EQ(checkpoint.required("b", {2, 2}).bytes.size(), 16u);
    EXPECT_FALSE(checkpoint.find("not listed"));
    EXPECT_EQ(checkpoint.where("b"), (folder_ / "model-00002-of-00002.safetensors").string());
    EXPECT_EQ(checkpoint.where("c"), folder_.path().string());
    checkpoint.release(checkpoint.required("b", {2, 2}).bytes);
}

TEST_F(CheckpointTest, a_single_file_wins_over_an_index) {
    write_index(R"({"a":"missing.safetensors"})");
    EXPECT_TRUE(single({floats("b")}).find("b"));
}

TEST_F(CheckpointTest, a_folder_that_is_not_there_is_refused) {
    expect_says(error_of([&] { Checkpoint checkpoint(folder_ / "none"); }), "no such folder");
}

TEST_F(CheckpointTest, a_file_in_place_of_the_folder_is_refused) {
    auto path = folder_.write("config.json", "{}");
    expect_says(error_of([&] { Checkpoint checkpoint(path); }), "is not a folder");
}

TEST_F(CheckpointTest, a_folder_without_weights_is_refused) {
    expect_says(error_of_opening(), folder_.path().string() + ": has no model.safetensors");
}

TEST_F(CheckpointTest, a_folder_with_a_pickle_only_says_what_to_do) {
    folder_.write("pytorch_model.bin", "x");
    std::string error = error_of_opening();
    expect_says(error, "pytorch_model.bin");
    expect_says(error, "save_pretrained");
}

TEST_F(CheckpointTest, an_index_that_is_not_json_is_refused) {
    folder_.write("model.safetensors.index.json", "{\n  \"weight_map\": oops}");
    std::string error = error_of_opening();
    expect_says(error, "model.safetensors.index.json: is not valid JSON (line 2, column ");
}

TEST_F(CheckpointTest, an_index_without_a_weight_map_is_refused) {
    folder_.write("model.safetensors.index.json", "{}");
    expect_says(error_of_opening(), "weight_map is missing");
    folder_.write("model.safetensors.index.json", "[]");
    expect_says(error_of_opening(), "not an object");
    write_index("[1]");
    expect_says(error_of_opening(), "weight_map is a list; it must be an object");
}

TEST_F(CheckpointTest, a_shard_outside_the_folder_is_refused) {
    for (const char* shard : {"../x.safetensors", "/etc/passwd", "sub/x.safetensors", "..", ".", "",
                              R"(x\u0000.safetensors)"}) {
        write_index(R"({"a":")" + std::string(shard) + R"("})");
        expect_says(error_of_opening(), "'a' names '");
        expect_says(error_of_opening(), "not a file of this folder");
    }
    write_index(R"({"a":7})");
    expect_says(error_of_opening(), "'a' does not name a file");
}

TEST_F(CheckpointTest, a_shard_that_is_not_there_is_refused_by_name) {
    write_index(R"({"a":"model-00001-of-00001.safetensors"})");
    expect_says(error_of_opening(), "model-00001-of-00001.safetensors: cannot be opened");
}

TEST_F(CheckpointTest, a_tensor_that_its_shard_does_not_hold_is_refused) {
    write("s.safetensors", {floats("a")});
    write_index(R"({"a":"s.safetensors","b":"s.safetensors"})");
    std::string error = error_of_opening();
    expect_says(error, "'b' is not in ");
    expect_says(error, "s.safetensors");
}

TEST_F(CheckpointTest, a_missing_tensor_is_an_error_that_names_it_and_the_file) {
    Checkpoint checkpoint = single({floats("a")});
    std::string error = error_of([&] { checkpoint.required("classifier.weight", {10, 64}); });
    expect_says(error, (folder_ / "model.safetensors").string());
    expect_says(error, "'classifier.weight' of shape [10, 64] is missing");
    EXPECT_FALSE(checkpoint.optional("classifier.weight", {10, 64}));
}

TEST_F(CheckpointTest, a_misshapen_tensor_is_an_error_that_prints_both_shapes) {
    Checkpoint checkpoint = single({floats("a", {2, 2})});
    for (bool required : {true, false}) {
        std::string error = error_of([&] {
            required ? (void)checkpoint.required("a", {4}) : (void)checkpoint.optional("a", {4});
        });
        expect_says(error, (folder_ / "model.safetensors").string());
        expect_says(error, "'a' has shape [2, 2], config.json asks for [4]");
    }
}

TEST_F(CheckpointTest, a_tensor_of_integers_is_not_a_weight) {
    StoredTensor ids = floats("position_ids");
    ids.type = StoredType::i32;
    Checkpoint checkpoint = single({ids});
    EXPECT_TRUE(checkpoint.find("position_ids"));
    expect_says(error_of([&] { checkpoint.required("position_ids", {4}); }),
                "'position_ids' is I32");
}

TEST_F(CheckpointTest, a_file_that_becomes_shorter_while_it_is_read_is_an_error) {
    constexpr size_t elements = 1 << 16;  // many pages
    const std::vector<float> values(elements, 2.0f);
    const StoredTensor stored{"t", StoredType::f32, {elements}, std::as_bytes(std::span(values))};
    const std::filesystem::path file = folder_ / "model.safetensors";
    Checkpoint checkpoint = single({stored});
    const StoredTensor tensor = checkpoint.required("t", {elements});
    std::vector<float> read(elements);
    read_floats(tensor, 0, read);
    EXPECT_EQ(read, values);
    checkpoint.release(tensor.bytes);
    std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
    read_floats(tensor, 0, read);  // reads zeros without an error
    EXPECT_EQ(read.front(), 2.0f);
    EXPECT_EQ(read.back(), 0.0f);
    expect_says(error_of([&] { checkpoint.release(tensor.bytes); }),
                "model.safetensors: became shorter while it was read");
}

TEST_F(CheckpointTest, tensors_never_asked_for_are_listed) {
    Checkpoint checkpoint = single({floats("pooler.weight"), floats("a"), floats("extra")});
    checkpoint.required("a", {4});
    EXPECT_EQ(checkpoint.unused(), (std::vector<std::string>{"extra", "pooler.weight"}));
}

TEST_F(CheckpointTest, a_v5_name_answers_to_its_v4_name_and_counts_as_used) {
    Checkpoint checkpoint = single({floats("vit.layers.11.attention.q_proj.weight")});
    std::string v4 = "vit.encoder.layer.11.attention.attention.query.weight";
    EXPECT_EQ(checkpoint.required(v4, {4}).name, "vit.layers.11.attention.q_proj.weight");
    EXPECT_TRUE(checkpoint.unused().empty());
}

TEST_F(CheckpointTest, a_half_renamed_file_works_too) {
    Checkpoint checkpoint = single({floats("vit.encoder.layer.0.attention.q_proj.weight"),
                                    floats("vit.layers.0.output.dense.bias")});
    EXPECT_TRUE(checkpoint.find("vit.encoder.layer.0.attention.attention.query.weight"));
    EXPECT_TRUE(checkpoint.find("vit.encoder.layer.0.output.dense.bias"));
}

TEST_F(CheckpointTest, the_v4_name_wins_where_a_file_has_both) {
    Checkpoint checkpoint = single({floats("model.encoder.layers.0.fc1.weight"),
                                    floats("model.encoder.layers.0.mlp.fc1.weight")});
    EXPECT_EQ(checkpoint.find("model.encoder.layers.0.fc1.weight")->name,
              "model.encoder.layers.0.fc1.weight");
}

std::string v5(std::string_view v4) {
    auto names = aliases(v4);
    return names.empty() ? std::string(v4) : names.front();
}

TEST(Aliases, follow_the_renames_of_vit) {
    EXPECT_EQ(v5("vit.encoder.layer.7.attention.attention.query.weight"),
              "vit.layers.7.attention.q_proj.weight");
    EXPECT_EQ(v5("vit.encoder.layer.7.attention.attention.key.bias"),
              "vit.layers.7.attention.k_proj.bias");
    EXPECT_EQ(v5("deit.encoder.layer.10.attention.attention.value.bias"),
              "deit.layers.10.attention.v_proj.bias");
    EXPECT_EQ(v5("vit.encoder.layer.7.attention.output.dense.weight"),
              "vit.layers.7.attention.o_proj.weight");
    EXPECT_EQ(v5("vit.encoder.layer.7.intermediate.dense.weight"), "vit.layers.7.mlp.fc1.weight");
    EXPECT_EQ(v5("vit.encoder.layer.7.output.dense.weight"), "vit.layers.7.mlp.fc2.weight");
    EXPECT_EQ(v5("vit.encoder.layer.7.layernorm_before.bias"),
              "vit.layers.7.layernorm_before.bias");
    EXPECT_EQ(v5("encoder.encoder.layer.0.output.dense.bias"), "encoder.layers.0.mlp.fc2.bias");
    EXPECT_EQ(v5("vit.embeddings.cls_token"), "vit.embeddings.cls_token");
    EXPECT_EQ(v5("classifier.weight"), "classifier.weight");
}

TEST(Aliases, follow_the_renames_of_detr) {
    EXPECT_EQ(v5("model.backbone.conv_encoder.model.layer1.0.conv1.weight"),
              "model.backbone.model.layer1.0.conv1.weight");
    EXPECT_EQ(v5("model.encoder.layers.3.self_attn.out_proj.bias"),
              "model.encoder.layers.3.self_attn.o_proj.bias");
    EXPECT_EQ(v5("model.decoder.layers.3.encoder_attn.out_proj.weight"),
              "model.decoder.layers.3.encoder_attn.o_proj.weight");
    EXPECT_EQ(v5("model.decoder.layers.5.fc1.weight"), "model.decoder.layers.5.mlp.fc1.weight");
    EXPECT_EQ(v5("model.decoder.layers.5.fc2.bias"), "model.decoder.layers.5.mlp.fc2.bias");
    EXPECT_EQ(v5("bbox_predictor.layers.0.weight"), "bbox_predictor.layers.0.weight");
    EXPECT_EQ(v5("model.encoder.layers.3.self_attn.q_proj.bias"),
              "model.encoder.layers.3.self_attn.q_proj.bias");
}

TEST(Aliases, never_hold_the_name_itself_or_one_twice) {
    for (std::string name : {"vit.encoder.layer.0.attention.output.dense.weight",
                             "model.encoder.layers.0.fc1.weight", "", ".", "..", "1.fc1", "a"}) {
        auto names = aliases(name);
        EXPECT_EQ(std::ranges::find(names, name), names.end());
        std::ranges::sort(names);
        EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
    }
}

}  // namespace
}  // namespace saccade
