#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace saccade {

// Writes zeros into columns [first, first + count) of a tensor of model.safetensors, whose last
// dimension is the columns. With `count` 0, into all of it.
inline void zero_columns(const std::filesystem::path& folder, const std::string& name,
                         size_t first = 0, size_t count = 0) {
    std::fstream file(folder / "model.safetensors",
                      std::ios::in | std::ios::out | std::ios::binary);
    uint64_t header_bytes = 0;
    file.read(reinterpret_cast<char*>(&header_bytes), sizeof header_bytes);
    std::string header(header_bytes, ' ');
    file.read(header.data(), std::streamsize(header.size()));
    const nlohmann::json tensor = nlohmann::json::parse(header).at(name);
    const std::vector<size_t> shape = tensor.at("shape");
    const size_t begin = tensor.at("data_offsets")[0], end = tensor.at("data_offsets")[1];
    const size_t columns = shape.back();
    size_t elements = 1;
    for (const size_t side : shape) elements *= side;
    const size_t each = (end - begin) / elements;
    if (count == 0) count = columns;
    const std::string zeros(count * each, '\0');
    for (size_t row = 0; row < elements / columns; ++row) {
        file.seekp(std::streamoff(8 + header_bytes + begin + (row * columns + first) * each));
        file.write(zeros.data(), std::streamsize(zeros.size()));
    }
}

}  // namespace saccade
