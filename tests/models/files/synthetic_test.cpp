#include "models/files/synthetic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "models/files/sha256.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

std::string hex(const std::array<uint8_t, 32>& digest) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (uint8_t byte : digest) text += {digits[byte >> 4], digits[byte & 15]};
    return text;
}

std::string hash_of(std::span<const std::byte> bytes) { return hex(sha256(bytes)).substr(0, 16); }

// Expected bits come from the parity kit's weights.py, seed 1: the first 16 digits of the SHA-256
// of each tensor's bytes.
struct Known {
    std::string name;
    std::vector<uint64_t> shape;
    std::string f32, f16, bf16;
};
const Known known[] = {
    // convolution, query (gain 2), plain linear, bias, layer norm
    {"vit.embeddings.patch_embeddings.projection.weight",
     {64, 3, 16, 16},
     "d23a6740ae8dd671",
     "0272eebd7f5e8232",
     "dad5fba25134b0c8"},
    {"vit.encoder.layer.0.attention.attention.query.weight",
     {64, 64},
     "fd85c9ca76523435",
     "227023651c1be00a",
     "0b3186ef6c0b51de"},
    {"vit.encoder.layer.0.intermediate.dense.weight",
     {160, 64},
     "2ca0dc44fb0f694a",
     "6979fe683b6574af",
     "17ef33779719e736"},
    {"classifier.bias", {10}, "8d565c3b2fb77f09", "553bb2cb06b7d3f7", "65b80c7a1fdb340a"},
    {"vit.layernorm.weight", {64}, "75dc2bf877fb825b", "f346af7192eaa0d7", "1fdb906a9493adae"},
    // batch norm
    {"model.backbone.conv_encoder.model.bn1.running_var",
     {64},
     "5f5754b90157c663",
     "6265180dd1e98add",
     "1dfb89b9b062a102"},
    {"model.backbone.conv_encoder.model.bn1.running_mean",
     {64},
     "516e5ef948b4252c",
     "1a7ad86e1a14b961",
     "7112d9a4b7c3e799"},
    // embeddings
    {"model.query_position_embeddings.weight",
     {20, 32},
     "ac613a1bd409a463",
     "c771e78fc01d9b45",
     "bbf8cdcff9fff307"},
    {"decoder.transformer.wte.weight",
     {97, 48},
     "b3bbff2eab3f2f18",
     "d082ed488df779e5",
     "ca7002223617e85d"},
    {"decoder.transformer.wpe.weight",
     {33, 48},
     "d27ec7a3642db1a3",
     "9922836e81c45a59",
     "373ba68b68799eb3"},
    {"text_decoder.bert.embeddings.word_embeddings.weight",
     {99, 24},
     "2f68379ccb2b7c16",
     "138ae31b870f6b9d",
     "02d44f517dcea35f"},
    {"vit.embeddings.cls_token",
     {1, 1, 64},
     "78e00d0f31d4e614",
     "8754269c673285a4",
     "30445103670b7306"},
    // GPT-2's Conv1D, and a scalar
    {"decoder.transformer.h.0.attn.c_attn.weight",
     {48, 144},
     "d902b911633f1c0e",
     "0e9902fbeb8eb3f4",
     "1250eabdc9daba14"},
    {"scalar", {}, "3610d8659abaffea", "e1800370fa850391", "807bbb8ddfe6b0d1"},
};

TEST(Sha256, agrees_with_the_standard) {
    EXPECT_EQ(hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(hex(sha256("abc")),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(hex(sha256(std::string(1'000'000, 'a'))),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, pads_texts_of_every_length_around_a_block) {
    // By Python's hashlib: the SHA-256 of the digests of "", "a", "aa" and so on, up to 130
    // letters.
    std::string digests;
    for (size_t length = 0; length <= 130; ++length) {
        const auto digest = sha256(std::string(length, 'a'));
        digests.append(digest.begin(), digest.end());
    }
    EXPECT_EQ(hex(sha256(digests)),
              "f908a43fc8456c583aacde0fb2627959f8513dc76d0c03979b7f945a7dd78f22");
}

TEST(Synthetic, every_kind_of_tensor_has_the_bits_of_the_parity_kit) {
    for (const Known& k : known) {
        EXPECT_EQ(hash_of(synthetic_bytes(1, k.name, k.shape, StoredType::f32)), k.f32) << k.name;
        EXPECT_EQ(hash_of(synthetic_bytes(1, k.name, k.shape, StoredType::f16)), k.f16) << k.name;
        EXPECT_EQ(hash_of(synthetic_bytes(1, k.name, k.shape, StoredType::bf16)), k.bf16) << k.name;
    }
}

TEST(Synthetic, first_values_are_those_of_the_parity_kit) {
    auto first = [](std::string_view name, std::vector<uint64_t> shape) {
        auto bytes = synthetic_bytes(1, name, shape, StoredType::f32);
        float value;
        std::memcpy(&value, bytes.data(), sizeof value);
        return value;
    };
    EXPECT_EQ(first("classifier.bias", {10}), -0x1.b1fc86p-5f);
    EXPECT_EQ(first("vit.layernorm.weight", {64}), 0x1.d5779ap-1f);
    EXPECT_EQ(first("vit.embeddings.patch_embeddings.projection.weight", {64, 3, 16, 16}),
              0x1.27db8ep-4f);
}

TEST(Synthetic, another_seed_gives_other_values) {
    std::vector<uint64_t> shape{10};
    EXPECT_NE(synthetic_bytes(1, "classifier.bias", shape, StoredType::f32),
              synthetic_bytes(2, "classifier.bias", shape, StoredType::f32));
}

TEST(Synthetic, integers_are_refused) {
    std::vector<uint64_t> shape{10};
    expect_says(error_of([&] { synthetic_bytes(1, "a", shape, StoredType::i32); }),
                "F32, F16 or BF16");
}

TEST(Synthetic, a_written_checkpoint_is_the_parity_kits_byte_for_byte) {
    Manifest manifest = read_manifest(golden_folder() / "vit-nano" / "weights.json");
    const std::pair<StoredType, std::string> files[] = {
        {StoredType::f32, "bd91ecf3114809a7eaeb36a58271371e4f60c8f2311d146ef03666bbadea4e9f"},
        {StoredType::f16, "a415f098d4c495bd083e96dab4cb7f4dc20622eea52f3e033cf0e761fa45fce3"},
        {StoredType::bf16, "74f7daadbe6177a8c0b953132f7a8f784387be009bee56ca4efde2a1917b2690"}};
    for (const auto& [type, hash] : files) {
        TempFolder folder;
        manifest.type = type;
        write_checkpoint(folder / "model", manifest);
        std::ifstream file(folder / "model/model.safetensors", std::ios::binary);
        std::string content(std::istreambuf_iterator<char>(file), {});
        EXPECT_EQ(hex(sha256(content)), hash) << name_of(type);
    }
}

TEST(Synthetic, a_manifest_decides_which_tensors_there_are_and_their_shapes) {
    Manifest manifest = read_manifest(golden_folder() / "vit-nano" / "weights.json");
    EXPECT_EQ(manifest.seed, 1u);
    EXPECT_EQ(manifest.tensors.size(), 56u);
    SyntheticWeights weights(manifest);
    EXPECT_EQ(weights.unused().size(), 56u);
    EXPECT_EQ(weights.elements(), 163946u);
    StoredTensor bias = weights.required("classifier.bias", {10});
    EXPECT_EQ(hash_of(bias.bytes), "8d565c3b2fb77f09");
    EXPECT_EQ(weights.unused().size(), 55u);
    EXPECT_FALSE(weights.optional("vit.pooler.dense.weight", {64, 64}));
    std::string error = error_of([&] { weights.required("vit.pooler.dense.weight", {64, 64}); });
    expect_says(error, "synthetic weights, seed 1: tensor 'vit.pooler.dense.weight'");
    error = error_of([&] { weights.required("classifier.weight", {11, 64}); });
    expect_says(error, "has shape [10, 64], config.json asks for [11, 64]");
}

TEST(Synthetic, a_manifest_of_v5_names_answers_to_v4_names) {
    SyntheticWeights weights(Manifest{1, StoredType::f32, {{"vit.layers.0.mlp.fc1.bias", {8}}}});
    auto tensor = weights.required("vit.encoder.layer.0.intermediate.dense.bias", {8});
    EXPECT_EQ(tensor.name, "vit.layers.0.mlp.fc1.bias");
}

TEST(Synthetic, without_a_manifest_every_tensor_is_there_in_the_shape_asked_for) {
    SyntheticWeights all(1, StoredType::bf16);
    EXPECT_EQ(hash_of(all.required("classifier.bias", {10}).bytes), "65b80c7a1fdb340a");
    EXPECT_EQ(all.required("classifier.bias", {7}).bytes.size(), 14u);
    EXPECT_TRUE(all.unused().empty());
    EXPECT_EQ(all.elements(), 0u);

    SyntheticWeights some(1, StoredType::f32,
                          [](std::string_view name) { return !name.ends_with("query.bias"); });
    EXPECT_TRUE(some.optional("a.key.bias", {4}));
    EXPECT_FALSE(some.optional("a.query.bias", {4}));
}

TEST(Synthetic, a_tensor_lives_until_its_last_byte_is_released) {
    SyntheticWeights weights(1, StoredType::f32);
    StoredTensor a = weights.required("a.weight", {100});
    StoredTensor b = weights.required("b.weight", {100});
    std::string hash = hash_of(a.bytes);
    weights.release(a.bytes.first(200));
    weights.release(b.bytes);
    for (int i = 0; i < 100; ++i) weights.required(std::to_string(i), {3});
    EXPECT_EQ(hash_of(a.bytes), hash);
    weights.release(a.bytes.subspan(200));
}

TEST(Synthetic, a_broken_manifest_is_refused_by_name) {
    TempFolder folder;
    auto error = [&](std::string_view text) {
        auto path = folder.write("weights.json", text);
        return error_of([&] { read_manifest(path); });
    };
    expect_says(error(R"({"dtype":"F32","tensors":[]})"), "weights.json: seed is missing");
    expect_says(error(R"({"seed":1,"dtype":"I8","tensors":[]})"), "dtype is not F32");
    expect_says(error(R"({"seed":1,"dtype":"F32"})"), "tensors is not a list");
    expect_says(error(R"({"seed":1,"dtype":"F32","tensors":[["a","b"]]})"),
                "tensors is not a list");
}

}  // namespace
}  // namespace saccade
