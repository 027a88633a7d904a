#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "models/files/mapped_file.h"

namespace saccade {

// The element types of the safetensors format.
enum class StoredType {
    f64,
    f32,
    f16,
    bf16,
    f8_e4m3,
    f8_e5m2,
    i64,
    i32,
    i16,
    i8,
    u64,
    u32,
    u16,
    u8,
    bool_,
};

uint64_t size_of(StoredType type);                        // bytes of one element
std::string_view name_of(StoredType type);                // as files spell it: "F32"
std::string shape_text(std::span<const uint64_t> shape);  // "[10, 64]"

// A tensor in a file: a view that does not own its bytes, which may be unaligned.
struct StoredTensor {
    std::string name;
    StoredType type = StoredType::f32;
    std::vector<uint64_t> shape;  // empty: a scalar
    std::span<const std::byte> bytes;

    uint64_t elements() const;
};

// Converts elements [first, first + out.size()) of an F32, F16 or BF16 tensor.
void read_floats(const StoredTensor& tensor, uint64_t first, std::span<float> out);

// A safetensors file, mapped read-only: eight bytes of header length, a JSON header, the data.
// Opening validates the whole header: every tensor lies inside the file, has as many bytes as its
// shape and type need, and shares them with no other.
class SafetensorsFile {
public:
    explicit SafetensorsFile(const std::filesystem::path& path);

    const std::filesystem::path& path() const { return file_.path(); }

    // In the order of their bytes in the file.
    std::span<const StoredTensor> tensors() const { return tensors_; }
    const StoredTensor* find(std::string_view name) const;  // nullptr if there is none

    // Releases the memory of these bytes after they have been read. Reading them again is allowed
    // and pages them in from the file.
    void release(std::span<const std::byte> bytes) const { file_.release(bytes); }

private:
    MappedFile file_;
    std::vector<StoredTensor> tensors_;
    std::unordered_map<std::string_view, size_t> by_name_;  // keys point into tensors_
};

// Writes the tensors in this order. The file appears under its name only when it is complete.
void write_safetensors(const std::filesystem::path& path, std::span<const StoredTensor> tensors);

// The same for tensors that do not fit into memory together: `bytes_of` is called for each in turn,
// and its result needs to live only until the next call.
using BytesOf = std::function<std::span<const std::byte>(const StoredTensor&)>;
void write_safetensors(const std::filesystem::path& path, std::span<const StoredTensor> tensors,
                       const BytesOf& bytes_of);

}  // namespace saccade
