#include "models/files/safetensors.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>
#include <glm/gtc/packing.hpp>
#include <limits>

#include "models/files/half.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

// A file in the format's layout, with any header.
std::string file_of(std::string_view header, std::string_view data) {
    uint64_t length = header.size();
    std::string content(sizeof length, '\0');
    std::memcpy(content.data(), &length, sizeof length);
    return content.append(header).append(data);
}

std::string entry(std::string_view name, std::string_view type, std::string_view shape,
                  std::string_view offsets) {
    std::string text = "\"";
    text.append(name).append(R"(":{"dtype":")").append(type).append(R"(","shape":)");
    return text.append(shape).append(R"(,"data_offsets":)").append(offsets).append("}");
}

std::string header_of(const std::vector<std::string>& entries) {
    std::string header;
    for (const std::string& e : entries) header.append(header.empty() ? "{" : ",").append(e);
    return header.append("}");
}

class Safetensors : public ::testing::Test {
protected:
    // Opening a file with this content must fail for this reason, with the file's name.
    void expect_refused(std::string_view content, std::string_view part) {
        auto path = folder_.write("bad.safetensors", content);
        std::string error = error_of([&] { SafetensorsFile file(path); });
        expect_says(error, path.string() + ": ");
        expect_says(error, part);
    }
    void expect_refused_entry(std::string_view entry, std::string_view part) {
        std::string header = R"({"weight":)" + std::string(entry) + "}";
        expect_refused(file_of(header, std::string(16, 'x')), part);
    }

    TempFolder folder_;
};

TEST_F(Safetensors, tensors_are_found_by_name_with_their_type_shape_and_bytes) {
    std::string header =
        header_of({entry("b", "F32", "[2,1]", "[4,12]"), entry("a", "I32", "[1]", "[0,4]")}) +
        "   ";
    auto path = folder_.write("good.safetensors", file_of(header, "aaaabbbbBBBB"));
    SafetensorsFile file(path);

    EXPECT_EQ(file.path(), path);
    ASSERT_EQ(file.tensors().size(), 2u);
    EXPECT_EQ(file.tensors()[0].name, "a");  // in the order of the data
    const StoredTensor* b = file.find("b");
    ASSERT_NE(b, nullptr);
    EXPECT_EQ(b->type, StoredType::f32);
    EXPECT_EQ(b->shape, (std::vector<uint64_t>{2, 1}));
    EXPECT_EQ(b->elements(), 2u);
    EXPECT_EQ(std::memcmp(b->bytes.data(), "bbbbBBBB", 8), 0);
    EXPECT_EQ(file.find("c"), nullptr);
    EXPECT_EQ(file.find("__metadata__"), nullptr);
}

TEST_F(Safetensors, a_scalar_has_one_element_and_an_empty_tensor_none) {
    std::string header =
        header_of({entry("scalar", "F32", "[]", "[0,4]"),
                   entry("empty", "F32", "[3,0,9007199254740992,9007199254740992]", "[0,0]")});
    SafetensorsFile file(folder_.write("m.safetensors", file_of(header, "xxxx")));
    EXPECT_EQ(file.find("scalar")->elements(), 1u);
    EXPECT_EQ(file.find("scalar")->bytes.size(), 4u);
    EXPECT_EQ(file.find("empty")->elements(), 0u);
    EXPECT_TRUE(file.find("empty")->bytes.empty());
}

TEST_F(Safetensors, a_file_without_tensors_is_valid) {
    SafetensorsFile file(folder_.write("m.safetensors", file_of("{}", "")));
    EXPECT_TRUE(file.tensors().empty());
}

TEST_F(Safetensors, every_dtype_of_the_format_is_known_with_its_size) {
    const std::vector<std::pair<std::string, uint64_t>> sizes{
        {"F64", 8}, {"F32", 4}, {"F16", 2}, {"BF16", 2}, {"F8_E4M3", 1},
        {"I64", 8}, {"I32", 4}, {"I16", 2}, {"I8", 1},   {"F8_E5M2", 1},
        {"U64", 8}, {"U32", 4}, {"U16", 2}, {"U8", 1},   {"BOOL", 1}};
    for (const auto& [name, size] : sizes) {
        std::string offsets = std::string("[0,") + std::to_string(3 * size) + "]";
        std::string header = header_of({entry("t", name, "[3]", offsets)});
        SafetensorsFile file(
            folder_.write("m.safetensors", file_of(header, std::string(3 * size, 'x'))));
        EXPECT_EQ(name_of(file.find("t")->type), name);
        EXPECT_EQ(size_of(file.find("t")->type), size);
    }
}

TEST_F(Safetensors, data_need_not_be_aligned) {
    std::string header =
        header_of({entry("a", "U8", "[1]", "[0,1]"), entry("b", "F32", "[2]", "[1,9]")});
    float values[2] = {1.5f, -2.0f};
    std::string data(9, '\0');
    std::memcpy(data.data() + 1, values, 8);
    SafetensorsFile file(folder_.write("m.safetensors", file_of(header, data)));
    float read[2];
    read_floats(*file.find("b"), 0, read);
    EXPECT_EQ(read[0], 1.5f);
    EXPECT_EQ(read[1], -2.0f);
}

TEST_F(Safetensors, a_moved_file_keeps_its_tensors) {
    std::string header = header_of({entry("a", "U8", "[4]", "[0,4]")});
    SafetensorsFile first(folder_.write("m.safetensors", file_of(header, "abcd")));
    SafetensorsFile second = std::move(first);
    ASSERT_NE(second.find("a"), nullptr);
    EXPECT_EQ(std::memcmp(second.find("a")->bytes.data(), "abcd", 4), 0);
}

TEST_F(Safetensors, a_missing_file_is_refused_by_name) {
    auto path = folder_ / "none.safetensors";
    std::string error = error_of([&] { SafetensorsFile file(path); });
    expect_says(error, path.string());
    expect_says(error, "cannot be opened");
}

TEST_F(Safetensors, a_folder_is_not_a_file) {
    expect_says(error_of([&] { SafetensorsFile file(folder_.path()); }), "is not a file");
}

TEST_F(Safetensors, a_named_pipe_is_refused_without_waiting_for_a_writer) {
    ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
    expect_says(error_of([&] { SafetensorsFile file(folder_ / "pipe"); }), "is not a file");
}

TEST_F(Safetensors, an_unreadable_file_is_refused_by_name) {
    auto path = folder_.write("m.safetensors", file_of("{}", ""));
    ASSERT_EQ(::chmod(path.c_str(), 0), 0);
    // Root may read everything, so the test drops its privileges for a moment.
    bool root = ::geteuid() == 0;
    if (root) {
        ASSERT_EQ(::seteuid(65534), 0);
    }
    std::string error = error_of([&] { SafetensorsFile file(path); });
    if (root) {
        ASSERT_EQ(::seteuid(0), 0);
    }
    expect_says(error, path.string() + ": cannot be opened");
}

TEST_F(Safetensors, an_empty_file_is_refused) { expect_refused("", "is empty"); }

TEST_F(Safetensors, a_file_too_short_for_the_header_length_is_refused) {
    expect_refused("1234567", "too few");
}

TEST_F(Safetensors, a_header_longer_than_the_file_is_refused) {
    std::string content = file_of("{}", "");
    content[0] = 3;
    expect_refused(content, "header should have 3 bytes");
}

TEST_F(Safetensors, an_absurd_header_length_is_refused) {
    for (uint64_t length : {uint64_t{1} << 63, UINT64_MAX, UINT64_MAX - 7}) {
        std::string content = file_of("{}", "");
        std::memcpy(content.data(), &length, sizeof length);
        expect_refused(content, "header should have " + std::to_string(length));
    }
}

TEST_F(Safetensors, a_header_larger_than_the_format_allows_is_refused_unread) {
    auto path = folder_.write("bad.safetensors", file_of("{}", ""));
    uint64_t length = 100'000'001;
    std::fstream(path, std::ios::in | std::ios::out | std::ios::binary)
        .write(reinterpret_cast<const char*>(&length), sizeof length);
    std::filesystem::resize_file(path, length + 8);  // a hole on disk
    expect_says(error_of([&] { SafetensorsFile file(path); }), "more than the 100 MB");
}

TEST_F(Safetensors, a_header_that_is_not_json_is_refused) {
    expect_refused(file_of("hello", ""), "not valid JSON");
    expect_refused(file_of("", ""), "not valid JSON");
    expect_refused(file_of(R"({"a":)", ""), "not valid JSON");
    expect_refused(file_of("{}x", ""), "not valid JSON");
    expect_refused(file_of(std::string("{}\0\0", 4), ""), "not valid JSON");
    expect_refused(file_of("{\"\xff\xfe\":1}", ""), "not valid JSON");
}

TEST_F(Safetensors, a_header_that_is_not_an_object_is_refused) {
    for (const char* header : {"[]", "3", "null", "\"text\""}) {
        expect_refused(file_of(header, ""), "not a JSON object");
    }
}

TEST_F(Safetensors, a_header_nested_without_end_is_refused_and_does_not_overflow_the_stack) {
    expect_refused(file_of(std::string(2'000'000, '['), ""), "nested deeper");
    std::string objects;
    for (int i = 0; i < 400'000; ++i) objects += R"({"a":)";
    expect_refused(file_of(objects, ""), "nested deeper");
}

TEST_F(Safetensors, a_number_too_large_for_any_type_is_refused) {
    expect_refused(file_of(R"({"a":1e999})", ""), "out of range");
}

TEST_F(Safetensors, a_name_that_occurs_twice_is_refused) {
    std::string header =
        header_of({entry("same", "U8", "[1]", "[0,1]"), entry("same", "U8", "[1]", "[1,2]")});
    expect_refused(file_of(header, "xx"), "'same' twice");
}

TEST_F(Safetensors, an_entry_that_is_not_an_object_is_refused) {
    expect_refused_entry("7", "is not an object");
    expect_refused_entry("[]", "is not an object");
}

TEST_F(Safetensors, an_entry_without_dtype_is_refused) {
    expect_refused_entry(R"({"shape":[4],"data_offsets":[0,16]})", "'weight' has no dtype");
}

TEST_F(Safetensors, an_entry_without_shape_is_refused) {
    expect_refused_entry(R"({"dtype":"F32","data_offsets":[0,16]})", "has no shape");
}

TEST_F(Safetensors, an_entry_without_data_offsets_is_refused) {
    expect_refused_entry(R"({"dtype":"F32","shape":[4]})", "has no data_offsets");
}

TEST_F(Safetensors, an_unknown_dtype_is_refused_by_name) {
    expect_refused_entry(R"({"dtype":"F128","shape":[1],"data_offsets":[0,16]})",
                         "unknown dtype 'F128'");
    expect_refused_entry(R"({"dtype":"f32","shape":[4],"data_offsets":[0,16]})",
                         "unknown dtype 'f32'");
}

TEST_F(Safetensors, a_dtype_that_is_not_a_string_is_refused) {
    expect_refused_entry(R"({"dtype":4,"shape":[4],"data_offsets":[0,16]})", "not a string");
}

TEST_F(Safetensors, a_shape_that_is_not_a_list_of_whole_numbers_is_refused) {
    expect_refused_entry(R"({"dtype":"F32","shape":4,"data_offsets":[0,16]})", "not a list");
    for (const char* shape : {"[-4]", "[4.0]", "[1.5]", "[\"4\"]", "[null]", "[[4]]", "[true]",
                              "[9007199254740993]", "[18446744073709551616]"}) {
        expect_refused_entry(
            std::string(R"({"dtype":"F32","shape":)") + shape + R"(,"data_offsets":[0,16]})",
            "not a whole number");
    }
}

TEST_F(Safetensors, offsets_that_are_not_two_whole_numbers_are_refused) {
    for (const char* offsets : {"[0]", "[0,8,16]", "[]"}) {
        expect_refused_entry(
            std::string(R"({"dtype":"F32","shape":[4],"data_offsets":)") + offsets + "}",
            "not two numbers");
    }
    for (const char* offsets : {"[-1,15]", "[0,16.0]", "[0,1e1]", "[null,16]"}) {
        expect_refused_entry(
            std::string(R"({"dtype":"F32","shape":[4],"data_offsets":)") + offsets + "}",
            "not a whole number");
    }
    expect_refused_entry(R"({"dtype":"F32","shape":[4],"data_offsets":{"a":0}})", "not a list");
}

TEST_F(Safetensors, a_shape_whose_product_overflows_is_refused) {
    expect_refused_entry(R"({"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,16]})",
                         "impossible shape");
    // Exactly 2^64 bytes, which would wrap around to none.
    expect_refused_entry(R"({"dtype":"F32","shape":[4611686018427387904],"data_offsets":[0,0]})",
                         "not a whole number");
    expect_refused_entry(R"({"dtype":"F32","shape":[2147483648,2147483648],"data_offsets":[0,0]})",
                         "impossible shape");
}

TEST_F(Safetensors, a_shape_that_does_not_fit_its_bytes_is_refused) {
    expect_refused_entry(R"({"dtype":"F32","shape":[5],"data_offsets":[0,16]})",
                         "needs 20 bytes and has 16");
    expect_refused_entry(R"({"dtype":"F16","shape":[2,2],"data_offsets":[0,16]})",
                         "shape [2, 2] and type F16 needs 8 bytes and has 16");
}

TEST_F(Safetensors, a_tensor_that_ends_before_it_begins_is_refused) {
    expect_refused_entry(R"({"dtype":"F32","shape":[4],"data_offsets":[16,0]})",
                         "ends before it begins");
}

TEST_F(Safetensors, a_tensor_outside_the_data_is_refused) {
    expect_refused_entry(R"({"dtype":"F32","shape":[5],"data_offsets":[0,20]})",
                         "ends at byte 20 of the data, of which the file has 16");
    expect_refused_entry(
        R"({"dtype":"U8","shape":[1],"data_offsets":[9007199254740991,9007199254740992]})",
        "of which the file has 16");
}

TEST_F(Safetensors, a_truncated_file_is_refused_by_name) {
    std::string header =
        header_of({entry("a", "F32", "[4]", "[0,16]"), entry("b", "F32", "[4]", "[16,32]")});
    expect_refused(file_of(header, std::string(31, 'x')), "'b' ends at byte 32");
}

TEST_F(Safetensors, overlapping_tensors_are_refused) {
    std::string header =
        header_of({entry("a", "U8", "[8]", "[0,8]"), entry("b", "U8", "[8]", "[4,12]")});
    expect_refused(file_of(header, std::string(12, 'x')), "'b' overlaps another");
    header = header_of({entry("a", "U8", "[8]", "[0,8]"), entry("b", "U8", "[8]", "[0,8]")});
    expect_refused(file_of(header, std::string(8, 'x')), "overlaps another");
}

TEST_F(Safetensors, a_hole_between_tensors_is_refused) {
    std::string header =
        header_of({entry("a", "U8", "[4]", "[0,4]"), entry("b", "U8", "[4]", "[8,12]")});
    expect_refused(file_of(header, std::string(12, 'x')), "hole in the data before tensor 'b'");
}

TEST_F(Safetensors, bytes_after_the_last_tensor_are_refused) {
    std::string header = header_of({entry("a", "U8", "[4]", "[0,4]")});
    expect_refused(file_of(header, std::string(12, 'x')), "8 bytes after the last tensor");
}

TEST_F(Safetensors, metadata_must_be_a_map_of_strings) {
    SafetensorsFile file(
        folder_.write("m.safetensors", file_of(R"({"__metadata__":{"format":"pt"}})", "")));
    EXPECT_TRUE(file.tensors().empty());
    expect_refused(file_of(R"({"__metadata__":{"format":1}})", ""), "__metadata__");
    expect_refused(file_of(R"({"__metadata__":"pt"})", ""), "__metadata__");
}

TEST_F(Safetensors, a_hostile_name_cannot_break_the_error_line) {
    std::string name = R"(line\nbreak\u001b[31m)" + std::string(5000, 'x');
    std::string header = R"({")" + name + R"(":7})";
    expect_refused(file_of(header, ""), R"('line\x0abreak\x1b[31mxxx)");
}

TEST_F(Safetensors, released_pages_leave_memory_and_come_back_when_read) {
    constexpr size_t size = 16 << 20;
    std::string header = header_of({entry("a", "U8", "[16777216]", "[0,16777216]")});
    SafetensorsFile file(folder_.write("m.safetensors", file_of(header, std::string(size, 'x'))));
    const StoredTensor& a = *file.find("a");
    auto count = [&] { return static_cast<size_t>(std::ranges::count(a.bytes, std::byte{'x'})); };
    auto resident_kilobytes = [] {
        std::ifstream status("/proc/self/status");
        std::string word;
        while (status >> word && word != "VmRSS:") {
        }
        size_t kilobytes = 0;
        status >> kilobytes;
        return kilobytes;
    };
    EXPECT_EQ(count(), size);
    size_t before = resident_kilobytes();
    file.release(a.bytes);
    size_t after = resident_kilobytes();
    EXPECT_LE(after + size / 1024 * 3 / 4, before);
    EXPECT_EQ(count(), size);

    file.release(a.bytes.subspan(100, 10'000));  // a part, across pages
    file.release({});
    std::byte stranger{};
    file.release(std::span(&stranger, 1));  // not of this file: ignored
    EXPECT_EQ(count(), size);
}

TEST_F(Safetensors, half_and_bfloat_elements_become_the_floats_they_stand_for) {
    const uint16_t halves[] = {0x3C00, 0xC000, 0x0001, 0x7BFF, 0x8000, 0x3555};
    StoredTensor half{"h", StoredType::f16, {6}, std::as_bytes(std::span(halves))};
    float out[6];
    read_floats(half, 0, out);
    EXPECT_EQ(out[0], 1.0f);
    EXPECT_EQ(out[1], -2.0f);
    EXPECT_EQ(out[2], 0x1p-24f);
    EXPECT_EQ(out[3], 65504.0f);
    EXPECT_TRUE(out[4] == 0.0f && std::signbit(out[4]));
    EXPECT_EQ(out[5], 0x1.554p-2f);

    const uint16_t bfloats[] = {0x3F80, 0xC000, 0x4049};
    StoredTensor bfloat{"b", StoredType::bf16, {3}, std::as_bytes(std::span(bfloats))};
    read_floats(bfloat, 1, std::span(out).first(2));
    EXPECT_EQ(out[0], -2.0f);
    EXPECT_EQ(out[1], 3.140625f);
}

TEST_F(Safetensors, floats_are_not_read_past_the_end_or_from_integers) {
    const int32_t ints[] = {1, 2};
    StoredTensor tensor{"t", StoredType::f32, {2}, std::as_bytes(std::span(ints))};
    float out[3];
    expect_says(error_of([&] { read_floats(tensor, 0, out); }), "past its end");
    expect_says(error_of([&] { read_floats(tensor, UINT64_MAX, std::span(out).first(1)); }),
                "past its end");
    tensor.type = StoredType::i32;
    expect_says(error_of([&] { read_floats(tensor, 0, std::span(out).first(2)); }), "is I32");
}

TEST(Half, every_half_survives_the_way_to_float_and_back) {
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
        auto half = static_cast<uint16_t>(bits);
        float value = glm::unpackHalf1x16(half);
        if (std::isnan(value)) {
            EXPECT_TRUE(std::isnan(glm::unpackHalf1x16(half_from_float(value))));
        } else {
            ASSERT_EQ(half_from_float(value), half);
        }
    }
}

TEST(Half, rounding_is_to_nearest_with_ties_to_even) {
    EXPECT_EQ(half_from_float(1.0f + 0x1p-11f), 0x3C00);  // a tie, down to even
    EXPECT_EQ(half_from_float(1.0f + 0x3p-11f), 0x3C02);  // a tie, up to even
    EXPECT_EQ(half_from_float(1.0f + 0x1.004p-11f), 0x3C01);
    EXPECT_EQ(half_from_float(0x1p-25f), 0x0000);
    EXPECT_EQ(half_from_float(0x1.8p-25f), 0x0001);
    EXPECT_EQ(half_from_float(-0x1.8p-24f), 0x8002);
    EXPECT_EQ(half_from_float(65519.0f), 0x7BFF);
    EXPECT_EQ(half_from_float(65520.0f), 0x7C00);
    EXPECT_EQ(half_from_float(1e30f), 0x7C00);
    EXPECT_EQ(half_from_float(-std::numeric_limits<float>::infinity()), 0xFC00);
    EXPECT_EQ(bfloat_from_float(1.0f + 0x1p-8f), 0x3F80);
    EXPECT_EQ(bfloat_from_float(1.0f + 0x3p-8f), 0x3F82);
    EXPECT_TRUE(std::isnan(float_from_bfloat(bfloat_from_float(std::nanf("")))));
}

// --- writing ---

class SafetensorsWriter : public Safetensors {
protected:
    size_t files_in_folder() const {
        auto files = std::filesystem::directory_iterator(folder_.path());
        return static_cast<size_t>(std::distance(begin(files), end(files)));
    }

    const std::vector<float> logits_{0.5f, -1.25f, 3.0f};
    const std::vector<int32_t> ids_{7, -9};
    const std::vector<StoredTensor> tensors_{
        {"logits", StoredType::f32, {3}, std::as_bytes(std::span(logits_))},
        {"ids", StoredType::i32, {1, 2}, std::as_bytes(std::span(ids_))},
        {"empty", StoredType::f32, {0, 4}, {}}};
};

TEST_F(SafetensorsWriter, what_is_written_reads_back) {
    auto path = folder_ / "dump.safetensors";
    write_safetensors(path, tensors_);
    SafetensorsFile file(path);
    ASSERT_EQ(file.tensors().size(), 3u);
    for (const StoredTensor& written : tensors_) {
        const StoredTensor* read = file.find(written.name);
        ASSERT_NE(read, nullptr);
        EXPECT_EQ(read->type, written.type);
        EXPECT_EQ(read->shape, written.shape);
        EXPECT_TRUE(std::ranges::equal(read->bytes, written.bytes));
    }
    EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(SafetensorsWriter, the_data_begins_at_a_multiple_of_eight) {
    for (std::string name : {"a", "ab", "abc", "abcdefgh", "\u00e9\"\n"}) {
        auto path = folder_ / "dump.safetensors";
        StoredTensor tensor = tensors_[0];
        tensor.name = name;
        write_safetensors(path, std::span(&tensor, 1));
        EXPECT_EQ(std::filesystem::file_size(path) % 8, 12u % 8);
        EXPECT_NE(SafetensorsFile(path).find(name), nullptr);
    }
}

TEST_F(SafetensorsWriter, a_golden_file_of_transformers_reads_and_copies_byte_for_byte) {
    SafetensorsFile golden(golden_folder() / "vit-nano" / "golden.safetensors");
    auto path = folder_ / "copy.safetensors";
    write_safetensors(path, golden.tensors());
    SafetensorsFile copy(path);
    ASSERT_EQ(copy.tensors().size(), golden.tensors().size());
    ASSERT_NE(golden.find("logits"), nullptr);
    for (const StoredTensor& tensor : golden.tensors()) {
        EXPECT_TRUE(std::ranges::equal(copy.find(tensor.name)->bytes, tensor.bytes));
    }
}

TEST_F(SafetensorsWriter, an_old_file_is_replaced) {
    auto path = folder_.write("dump.safetensors", "old");
    write_safetensors(path, tensors_);
    EXPECT_EQ(SafetensorsFile(path).tensors().size(), 3u);
}

TEST_F(SafetensorsWriter, a_full_disk_is_an_error_and_the_old_file_stays) {
    auto path = folder_.write("dump.safetensors", "old");
    std::vector<float> large(100'000);
    StoredTensor tensor{"t", StoredType::f32, {100'000}, std::as_bytes(std::span(large))};
    // A limit on file sizes fails a write just as a full disk does.
    rlimit old_limit{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old_limit), 0);
    auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{65536, old_limit.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
    std::string error = error_of([&] { write_safetensors(path, std::span(&tensor, 1)); });
    ::setrlimit(RLIMIT_FSIZE, &old_limit);
    std::signal(SIGXFSZ, old_handler);

    expect_says(error, "'" + path.string() + "' cannot be written");
    EXPECT_EQ(files_in_folder(), 1u);
    EXPECT_EQ(std::filesystem::file_size(path), 3u);
}

TEST_F(SafetensorsWriter, a_folder_that_is_not_there_is_an_error) {
    auto path = folder_ / "none" / "dump.safetensors";
    expect_says(error_of([&] { write_safetensors(path, tensors_); }), "cannot be written");
}

TEST_F(SafetensorsWriter, a_device_is_not_replaced_by_a_file) {
    expect_says(error_of([&] { write_safetensors("/dev/null", tensors_); }), "is not a file");
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(SafetensorsWriter, bytes_that_do_not_fit_the_shape_are_refused_and_leave_nothing_behind) {
    StoredTensor tensor = tensors_[0];
    tensor.shape = {4};
    auto path = folder_ / "dump.safetensors";
    expect_says(error_of([&] { write_safetensors(path, std::span(&tensor, 1)); }), "12 bytes");
    EXPECT_EQ(files_in_folder(), 0u);
}

}  // namespace
}  // namespace saccade
