#include "models/files/pytorch.h"

#include <numeric>

#include "models/files/checkpoint.h"
#include "models/files/synthetic.h"
#include "tests/models/files/temp_folder.h"
#include "tests/models/files/torch_files.h"

namespace saccade {
namespace {

using namespace pickled;

std::string floats(std::initializer_list<float> values) {
    return {reinterpret_cast<const char*>(std::data(values)), values.size() * sizeof(float)};
}

std::vector<float> floats_of(std::span<const std::byte> bytes) {
    std::vector<float> values(bytes.size() / sizeof(float));
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

class PyTorch : public ::testing::Test {
protected:
    PyTorchFile open(const std::string& content) {
        return PyTorchFile(folder.write("pytorch_model.bin", content));
    }
    // One tensor, "w", in a storage of six floats.
    static std::string file_with(const std::string& tensor) {
        return torch_file(state_dict(text("w") + tensor), {floats({0, 1, 2, 3, 4, 5})});
    }
    void expect_refused(const std::string& content, std::string_view part) {
        SCOPED_TRACE(part);
        const auto path = folder.write("bad.bin", content);
        const std::string error = error_of([&] { PyTorchFile file(path); });
        expect_says(error, path.string() + ": ");
        expect_says(error, part);
    }
    void expect_refused_tensor(const std::string& tensor, std::string_view part) {
        expect_refused(file_with(tensor), part);
    }

    TempFolder folder;
    const std::string six = storage("FloatStorage", "0", 6);
};

TEST_F(PyTorch, tensors_come_out_by_name_with_type_shape_and_bytes) {
    for (bool zip64 : {false, true}) {
        PyTorchFile file = open(torch_file(
            state_dict(text("b.weight") + parameter(tensor(six, 0, {2, 3}, {3, 1})) +
                       text("a.steps") + tensor(storage("LongStorage", "1", 1), 0, {}, {})),
            {floats({0, 1, 2, 3, 4, 5}), little(42, 8)}, zip64));
        ASSERT_EQ(file.tensors().size(), 2u);
        EXPECT_EQ(file.tensors()[0].name, "a.steps");
        EXPECT_EQ(file.tensors()[0].type, StoredType::i64);
        EXPECT_EQ(file.tensors()[0].shape, std::vector<uint64_t>());
        EXPECT_EQ(file.bytes_of(0).size(), 8u);
        EXPECT_EQ(std::to_integer<int>(file.bytes_of(0)[0]), 42);
        EXPECT_EQ(file.tensors()[1].name, "b.weight");
        EXPECT_EQ(file.tensors()[1].shape, (std::vector<uint64_t>{2, 3}));
        EXPECT_EQ(floats_of(file.bytes_of(1)), (std::vector<float>{0, 1, 2, 3, 4, 5}));
    }
}

TEST_F(PyTorch, every_type_of_storage_has_its_name) {
    const std::pair<const char*, StoredType> types[] = {
        {"FloatStorage", StoredType::f32},     {"HalfStorage", StoredType::f16},
        {"BFloat16Storage", StoredType::bf16}, {"DoubleStorage", StoredType::f64},
        {"LongStorage", StoredType::i64},      {"IntStorage", StoredType::i32},
        {"ShortStorage", StoredType::i16},     {"CharStorage", StoredType::i8},
        {"ByteStorage", StoredType::u8},       {"BoolStorage", StoredType::bool_}};
    for (const auto& [name, type] : types) {
        const PyTorchFile file =
            open(torch_file(state_dict(text("w") + tensor(storage(name, "0", 3), 0, {3}, {1})),
                            {std::string(3 * size_of(type), '\0')}));
        EXPECT_EQ(file.tensors()[0].type, type) << name;
    }
}

TEST_F(PyTorch, views_of_a_storage_are_gathered_row_by_row) {
    const std::string storages = floats({0, 1, 2, 3, 4, 5});
    auto values = [&](int64_t offset, const std::vector<int64_t>& shape,
                      const std::vector<int64_t>& strides) {
        PyTorchFile file = open(file_with(tensor(six, offset, shape, strides)));
        return floats_of(file.bytes_of(0));
    };
    EXPECT_EQ(values(0, {3, 2}, {1, 3}), (std::vector<float>{0, 3, 1, 4, 2, 5})) << "transposed";
    EXPECT_EQ(values(2, {2, 2}, {2, 1}), (std::vector<float>{2, 3, 4, 5})) << "a part";
    EXPECT_EQ(values(1, {3}, {2}), (std::vector<float>{1, 3, 5})) << "every other";
    EXPECT_EQ(values(0, {1, 2, 1, 3}, {77, 3, 99, 1}), (std::vector<float>{0, 1, 2, 3, 4, 5}))
        << "strides of one element mean nothing";
    EXPECT_EQ(values(5, {}, {}), (std::vector<float>{5})) << "a scalar";
    EXPECT_EQ(values(6, {0, 4}, {4, 1}), (std::vector<float>{})) << "nothing";
}

TEST_F(PyTorch, tied_weights_are_both_there) {
    PyTorchFile file = open(torch_file(state_dict(text("wte") + tensor(six, 0, {6}, {1}) +
                                                  text("lm_head") + tensor(six, 0, {6}, {1})),
                                       {floats({0, 1, 2, 3, 4, 5})}));
    ASSERT_EQ(file.tensors().size(), 2u);
    EXPECT_EQ(floats_of(file.bytes_of(0)), floats_of(file.bytes_of(1)));
}

TEST_F(PyTorch, code_in_a_pickle_is_refused_by_name) {
    const std::string call = global("os", "system") + text("touch /tmp/owned") + "\x85R";
    expect_refused_tensor(call, "'os.system'");
    expect_refused(torch_file("\x80\x02" + call + ".", {}), "'os.system'");
    // Where training keeps its hooks, and among the attributes.
    expect_refused_tensor(global("torch._utils", "_rebuild_tensor_v2") +
                              tuple(six + whole(0) + wholes({6}) + wholes({1}) + "\x89" + call) +
                              "R",
                          "'os.system'");
    expect_refused(
        torch_file("\x80\x02" + ordered_dict() + "}" + text("_metadata") + call + "sb.", {}),
        "'os.system'");
    expect_refused_tensor(global("torch", "load") + ".", "'torch.load'");
    expect_refused_tensor(tensor(storage("UntypedStorage", "0", 6), 0, {6}, {1}),
                          "'torch.UntypedStorage'");
}

TEST_F(PyTorch, what_is_not_a_dictionary_of_tensors_is_refused) {
    expect_refused(torch_file("\x80\x02]" + tensor(six, 0, {6}, {1}) + "a.", {""}),
                   "holds a list, not a dictionary of tensors");
    expect_refused_tensor(whole(3), "'w' is a number, not a tensor");
    expect_refused_tensor("}" + text("inner") + tensor(six, 0, {6}, {1}) + "s",
                          "'w' is a dictionary, not a tensor");
    expect_refused_tensor(six, "'w' is a storage, not a tensor");
    expect_refused_tensor(parameter(whole(3)), "not a tensor");
    for (const std::string& key :
         {whole(1), text(""), text("__metadata__"), text("a b"), text("\xff"), std::string("N")})
        expect_refused(
            torch_file(state_dict(key + tensor(six, 0, {6}, {1})), {floats({0, 1, 2, 3, 4, 5})}),
            "has an entry whose name is");
    expect_refused(torch_file(state_dict(text("w") + tensor(six, 0, {6}, {1}) + text("w") +
                                         tensor(six, 0, {6}, {1})),
                              {floats({0, 1, 2, 3, 4, 5})}),
                   "'w' twice");
}

TEST_F(PyTorch, tensors_that_reach_beyond_their_storage_are_refused) {
    expect_refused_tensor(tensor(six, 0, {7}, {1}), "beyond its storage");
    expect_refused_tensor(tensor(six, 1, {6}, {1}), "beyond its storage");
    expect_refused_tensor(tensor(six, 0, {2, 3}, {4, 1}), "beyond its storage");
    expect_refused_tensor(tensor(six, INT64_MAX, {1}, {1}), "beyond its storage");
    expect_refused_tensor(tensor(six, 0, {INT64_MAX, INT64_MAX}, {INT64_MAX, INT64_MAX}),
                          "beyond its storage");
    expect_refused_tensor(tensor(six, 0, {INT64_MAX, 4}, {0, 0}), "beyond its storage");
    // A storage of four bytes that a tensor of a thousand billion elements shares.
    expect_refused_tensor(tensor(six, 0, {1'000'000, 1'000'000}, {0, 0}), "beyond its storage");
    expect_refused_tensor(tensor(six, -1, {1}, {1}), "whole number");
    expect_refused_tensor(tensor(six, 0, {-1}, {1}), "whole number");
    expect_refused_tensor(tensor(six, 0, {2}, {-1}), "whole number");
    expect_refused_tensor(tensor(six, 0, {2, 3}, {1}), "a shape of 2 and strides of 1");
    expect_refused_tensor(tensor(six, 0, std::vector<int64_t>(40, 1), std::vector<int64_t>(40, 1)),
                          "a shape of 40");
    expect_refused_tensor(global("torch._utils", "_rebuild_tensor_v2") + tuple(six) + "R",
                          "too few arguments");
    expect_refused_tensor(global("torch._utils", "_rebuild_tensor_v2") +
                              tuple(six + whole(0) + whole(6) + whole(1)) + "R",
                          "where a shape should be");
}

TEST_F(PyTorch, storages_that_are_not_there_are_refused) {
    auto with = [&](const std::string& storage) { return tensor(storage, 0, {6}, {1}); };
    expect_refused_tensor(with(storage("FloatStorage", "7", 6)), "has no file 'archive/data/7'");
    expect_refused_tensor(with(storage("FloatStorage", "../data.pkl", 6)), "has no file");
    expect_refused_tensor(with(storage("FloatStorage", "0", 5)), "not as long as it should be");
    expect_refused_tensor(with(storage("DoubleStorage", "0", 6)), "not as long as it should be");
    expect_refused_tensor(with(storage("FloatStorage", "0", INT64_MAX)), "not as long");
    expect_refused_tensor(with(whole(0)), "has no storage");
    expect_refused_tensor(with(tuple(text("storage")) + "Q"), "has no storage");
    expect_refused_tensor(with(text("0") + "Q"), "has no storage");
}

TEST_F(PyTorch, a_storage_shared_by_very_many_tensors_is_refused) {
    std::string items;
    for (int i = 0; i < 400; ++i)
        items += text("w" + std::to_string(i)) + tensor("h\7", 0, {20000}, {1});
    expect_refused(
        torch_file("\x80\x02}(" + text("w") +
                       tensor(storage("FloatStorage", "0", 20000) + "q\7", 0, {20000}, {1}) +
                       items + "u.",
                   {std::string(80000, '\0')}),
        "more in its tensors than in its storages");
}

TEST_F(PyTorch, archives_that_are_not_pytorchs_are_refused) {
    expect_refused(zip_of({{"a/b", "x"}}), "has no data.pkl");
    expect_refused(zip_of({{"a/data.pkl", "x"}, {"b/data.pkl", "x"}}), "more than once");
    expect_refused(zip_of({{"a/data.pkl", state_dict("")}, {"a/byteorder", "big"}}),
                   "is not little-endian");
    // The format before PyTorch 1.6: concatenated pickles.
    expect_refused("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.",
                   "is not a zip archive");
}

TEST_F(PyTorch, a_damaged_file_is_refused_or_read_within_its_bounds) {
    const std::string good = torch_file(state_dict(text("w") + tensor(six, 0, {3, 2}, {1, 3})),
                                        {floats({0, 1, 2, 3, 4, 5})});
    for (size_t i = 0; i < good.size(); i += 2) {
        std::string changed = good;
        changed[i] = static_cast<char>(changed[i] ^ (1 << i / 2 % 8));
        try {
            PyTorchFile file = open(changed);
            for (size_t t = 0; t < file.tensors().size(); ++t)
                EXPECT_LE(file.bytes_of(t).size(), good.size());
        } catch (const Error&) {
        }
    }
}

TEST_F(PyTorch, a_folder_is_converted_to_the_same_tensors) {
    const Manifest manifest = read_manifest(golden_folder() / "vit-nano" / "weights.json");
    write_checkpoint(folder / "plain", manifest);
    const SafetensorsFile plain(folder / "plain/model.safetensors");
    const auto tensors = plain.tensors();
    std::filesystem::create_directory(folder / "one");
    folder.write("one/pytorch_model.bin", torch_file(tensors));
    // In two files, as large models are.
    std::filesystem::create_directory(folder / "two");
    folder.write("two/a.bin", torch_file(tensors.first(tensors.size() / 2)));
    folder.write("two/b.bin", torch_file(tensors.subspan(tensors.size() / 2)));
    std::string map;
    for (size_t i = 0; i < tensors.size(); ++i)
        map += (i ? ",\"" : "\"") + tensors[i].name + "\":\"" +
               (i < tensors.size() / 2 ? "a" : "b") + ".bin\"";
    folder.write("two/pytorch_model.bin.index.json", "{\"weight_map\":{" + map + "}}");
    for (const char* name : {"one", "two"}) {
        EXPECT_EQ(weights_in(folder / name), StoredWeights::pickle);
        convert_pytorch(folder / name);
        EXPECT_EQ(weights_in(folder / name), StoredWeights::safetensors);
        Checkpoint converted(folder / name);
        EXPECT_EQ(converted.tensors().size(), tensors.size());
        for (const StoredTensor& want : tensors) {
            const StoredTensor got = converted.required(want.name, want.shape);
            EXPECT_EQ(got.type, want.type);
            EXPECT_TRUE(std::ranges::equal(got.bytes, want.bytes)) << want.name;
        }
    }
}

TEST_F(PyTorch, a_conversion_that_fails_leaves_nothing_behind) {
    folder.write("pytorch_model.bin", file_with(global("os", "system")));
    expect_says(error_of([&] { convert_pytorch(folder.path()); }), "'os.system'");
    std::filesystem::remove(folder / "pytorch_model.bin");
    folder.write("pytorch_model.bin.index.json", R"({"weight_map":{"w":"../x.bin"}})");
    expect_says(error_of([&] { convert_pytorch(folder.path()); }), "not a file of this folder");
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
        EXPECT_EQ(entry.path().filename(), "pytorch_model.bin.index.json");
}

}  // namespace
}  // namespace saccade
