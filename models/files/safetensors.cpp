#include "models/files/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <glm/gtc/packing.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "gpu/core/error.h"
#include "gpu/core/files.h"
#include "models/files/half.h"
#include "models/files/json.h"

namespace saccade {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors data is little-endian");

constexpr uint64_t length_bytes = 8;
constexpr uint64_t max_header_bytes = 100'000'000;        // the format's own limit
constexpr uint64_t max_whole_number = uint64_t{1} << 53;  // exact in every JSON reader

struct TypeInfo {
    StoredType type;
    std::string_view name;
    uint64_t size;
};
constexpr std::array<TypeInfo, 15> types{{
    {StoredType::f64, "F64", 8},
    {StoredType::f32, "F32", 4},
    {StoredType::f16, "F16", 2},
    {StoredType::bf16, "BF16", 2},
    {StoredType::f8_e4m3, "F8_E4M3", 1},
    {StoredType::f8_e5m2, "F8_E5M2", 1},
    {StoredType::i64, "I64", 8},
    {StoredType::i32, "I32", 4},
    {StoredType::i16, "I16", 2},
    {StoredType::i8, "I8", 1},
    {StoredType::u64, "U64", 8},
    {StoredType::u32, "U32", 4},
    {StoredType::u16, "U16", 2},
    {StoredType::u8, "U8", 1},
    {StoredType::bool_, "BOOL", 1},
}};

const TypeInfo& info(StoredType type) { return types[static_cast<size_t>(type)]; }

std::optional<uint64_t> product(std::span<const uint64_t> shape, uint64_t start) {
    // A zero makes the product zero, even if the rest would overflow.
    if (std::ranges::find(shape, uint64_t{0}) != shape.end()) return 0;
    uint64_t result = start;
    for (uint64_t extent : shape) {
        if (__builtin_mul_overflow(result, extent, &result)) return std::nullopt;
    }
    return result;
}

// One entry of the header; its errors name the file and the tensor.
class Entry {
public:
    Entry(const std::string& file, const std::string& name, const Json& entry)
        : file_(file), name_(name), entry_(entry) {
        if (!entry.is_object()) refuse("is not an object");
    }

    StoredType type() const {
        const Json& value = field("dtype");
        if (!value.is_string()) refuse("has a dtype that is not a string");
        const auto& name = value.get_ref<const std::string&>();
        auto found = std::ranges::find(types, name, &TypeInfo::name);
        if (found == types.end()) refuse("has the unknown dtype " + in_quotes(name));
        return found->type;
    }

    std::vector<uint64_t> whole_numbers(const char* key) const {
        const Json& value = field(key);
        if (!value.is_array()) refuse(std::string("has a ") + key + " that is not a list");
        std::vector<uint64_t> numbers;
        numbers.reserve(value.size());
        for (const Json& number : value) {
            bool whole = number.is_number_unsigned();
            if (!whole || number.get<uint64_t>() > max_whole_number) {
                refuse(std::string("has a ") + key + " with an entry that is not a whole number");
            }
            numbers.push_back(number.get<uint64_t>());
        }
        return numbers;
    }

    [[noreturn]] void refuse(const std::string& problem) const {
        throw Error(file_ + ": tensor " + in_quotes(name_) + " " + problem +
                    "; the file is damaged, fetch it again");
    }

private:
    const Json& field(const char* key) const {
        auto found = entry_.find(key);
        if (found == entry_.end()) refuse(std::string("has no ") + key);
        return *found;
    }

    const std::string& file_;
    const std::string& name_;
    const Json& entry_;
};

StoredTensor parse_tensor(const std::string& file, const std::string& name, const Json& json,
                          std::span<const std::byte> data) {
    Entry entry(file, name, json);
    StoredTensor tensor{name, entry.type(), entry.whole_numbers("shape"), {}};
    auto offsets = entry.whole_numbers("data_offsets");
    if (offsets.size() != 2) entry.refuse("has data_offsets that are not two numbers");
    auto [begin, end] = std::pair(offsets[0], offsets[1]);
    if (begin > end) entry.refuse("ends before it begins");
    if (end > data.size()) {
        entry.refuse("ends at byte " + std::to_string(end) +
                     " of the data, of which the file has " + std::to_string(data.size()));
    }
    auto needed = product(tensor.shape, size_of(tensor.type));
    if (!needed) entry.refuse("has the impossible shape " + shape_text(tensor.shape));
    if (*needed != end - begin) {
        entry.refuse("of shape " + shape_text(tensor.shape) + " and type " +
                     std::string(name_of(tensor.type)) + " needs " + std::to_string(*needed) +
                     " bytes and has " + std::to_string(end - begin));
    }
    tensor.bytes = data.subspan(begin, end - begin);
    return tensor;
}

void check_metadata(const std::string& file, const Json& metadata) {
    bool strings = metadata.is_object() &&
                   std::ranges::all_of(metadata, [](const Json& v) { return v.is_string(); });
    if (!strings) throw Error(file + ": __metadata__ is not a map of strings; fetch it again");
}

// The format requires that tensors cover the data exactly: no overlap, no hole, no rest.
void check_layout(const std::string& file, std::span<const StoredTensor> tensors,
                  std::span<const std::byte> data) {
    const std::byte* next = data.data();
    for (const StoredTensor& tensor : tensors) {
        if (tensor.bytes.data() < next) {
            throw Error(file + ": tensor " + in_quotes(tensor.name) +
                        " overlaps another; the file is damaged, fetch it again");
        }
        if (tensor.bytes.data() > next) {
            throw Error(file + ": there is a hole in the data before tensor " +
                        in_quotes(tensor.name) + "; the file is damaged, fetch it again");
        }
        next += tensor.bytes.size();
    }
    auto rest = data.data() + data.size() - next;
    if (rest != 0) {
        throw Error(file + ": " + std::to_string(rest) +
                    " bytes after the last tensor; the file is damaged, fetch it again");
    }
}

}  // namespace

uint64_t size_of(StoredType type) { return info(type).size; }

std::string_view name_of(StoredType type) { return info(type).name; }

std::string shape_text(std::span<const uint64_t> shape) {
    constexpr size_t longest = 8;
    std::string text = "[";
    for (size_t i = 0; i < shape.size() && i < longest; ++i) {
        text += (i ? ", " : "") + std::to_string(shape[i]);
    }
    return text + (shape.size() > longest ? ", ...]" : "]");
}

uint64_t StoredTensor::elements() const { return product(shape, 1).value_or(UINT64_MAX); }

void read_floats(const StoredTensor& tensor, uint64_t first, std::span<float> out) {
    uint64_t size = size_of(tensor.type);
    uint64_t count = tensor.bytes.size() / size;
    if (first > count || out.size() > count - first) {
        throw Error("tensor " + in_quotes(tensor.name) + ": read past its end");
    }
    const std::byte* from = tensor.bytes.data() + first * size;
    auto convert = [&](auto float_from) {
        for (size_t i = 0; i < out.size(); ++i) {
            uint16_t bits;
            std::memcpy(&bits, from + i * sizeof bits, sizeof bits);
            out[i] = float_from(bits);
        }
    };
    switch (tensor.type) {
        case StoredType::f32:
            if (!out.empty()) std::memcpy(out.data(), from, out.size_bytes());
            break;
        case StoredType::f16:
            convert(glm::unpackHalf1x16);
            break;
        case StoredType::bf16:
            convert(float_from_bfloat);
            break;
        default:
            throw Error("tensor " + in_quotes(tensor.name) + ": is " +
                        std::string(name_of(tensor.type)) + ", not F32, F16 or BF16");
    }
}

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path) : file_(path) {
    std::string file = path.string();
    std::span<const std::byte> all = file_.bytes();
    uint64_t size = all.size();
    if (size < length_bytes) {
        throw Error(file + ": has " + std::to_string(size) +
                    " bytes, too few for a safetensors file; fetch it again");
    }

    uint64_t header_bytes;
    std::memcpy(&header_bytes, all.data(), length_bytes);
    if (header_bytes > size - length_bytes) {
        throw Error(file + ": its header should have " + std::to_string(header_bytes) +
                    " bytes, the file has " + std::to_string(size) +
                    "; it is truncated or not a safetensors file, fetch it again");
    }
    if (header_bytes > max_header_bytes) {
        throw Error(file + ": its header has " + std::to_string(header_bytes) +
                    " bytes, more than the 100 MB that safetensors allows");
    }
    auto header = all.subspan(length_bytes, header_bytes);
    auto data = all.subspan(length_bytes + header_bytes);

    std::string_view text(reinterpret_cast<const char*>(header.data()), header.size());
    const Json json = parse_json(text, file + ": header");
    file_.release(header);  // throws if the file was truncated meanwhile
    if (!json.is_object())
        throw Error(file + ": header is not a JSON object; fetch the file again");
    for (const auto& [name, entry] : json.items()) {
        if (name == "__metadata__") {
            check_metadata(file, entry);
        } else {
            tensors_.push_back(parse_tensor(file, name, entry, data));
        }
    }
    std::ranges::sort(tensors_, {}, [](const StoredTensor& t) {
        return std::pair(t.bytes.data(), t.bytes.size());
    });
    check_layout(file, tensors_, data);
    for (size_t i = 0; i < tensors_.size(); ++i) by_name_.emplace(tensors_[i].name, i);
}

const StoredTensor* SafetensorsFile::find(std::string_view name) const {
    auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : &tensors_[found->second];
}

void write_safetensors(const std::filesystem::path& path, std::span<const StoredTensor> tensors) {
    write_safetensors(path, tensors, [](const StoredTensor& tensor) { return tensor.bytes; });
}

void write_safetensors(const std::filesystem::path& path, std::span<const StoredTensor> tensors,
                       const BytesOf& bytes_of) {
    // Not written as a Json object, which would sort the names.
    std::string header = R"({"__metadata__":{"format":"pt"})";
    uint64_t offset = 0;
    for (const StoredTensor& tensor : tensors) {
        uint64_t end = offset + tensor.elements() * size_of(tensor.type);
        header.append(",").append(Json(tensor.name).dump(-1, ' ', true));
        header.append(R"(:{"dtype":")").append(name_of(tensor.type));
        header.append(R"(","shape":)").append(Json(tensor.shape).dump());
        header.append(R"(,"data_offsets":)").append(Json({offset, end}).dump()).append("}");
        offset = end;
    }
    header += "}";
    header.append((8 - header.size() % 8) % 8, ' ');  // aligns the data

    NewFile file(path);
    uint64_t header_bytes = header.size();
    file.write(std::as_bytes(std::span(&header_bytes, 1)));
    file.write(header);
    for (const StoredTensor& tensor : tensors) {
        auto bytes = bytes_of(tensor);
        if (bytes.size() != tensor.elements() * size_of(tensor.type)) {
            throw Error(path.string() + ": tensor " + in_quotes(tensor.name) + " of shape " +
                        shape_text(tensor.shape) + " was given " + std::to_string(bytes.size()) +
                        " bytes");
        }
        file.write(bytes);
    }
    file.finish();
}

}  // namespace saccade
