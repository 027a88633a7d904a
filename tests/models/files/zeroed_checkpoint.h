#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace saccade {

// A part of a tensor whose last dimension is the columns. A count of 0 means all of them.
struct PartOfTensor {
    size_t first_column = 0, columns = 0;
    size_t first_row = 0, rows = 0;
};

// Writes zeros into a part of a tensor of model.safetensors.
inline void zero_part(const std::filesystem::path& folder, const std::string& name,
                      const PartOfTensor& part) {
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
    const size_t each = (end - begin) / elements, all_rows = elements / columns;
    const std::string zeros((part.columns > 0 ? part.columns : columns) * each, '\0');
    const size_t last = part.rows > 0 ? part.first_row + part.rows : all_rows;
    for (size_t row = part.first_row; row < last; ++row) {
        const size_t at = row * columns + part.first_column;
        file.seekp(std::streamoff(8 + header_bytes + begin + at * each));
        file.write(zeros.data(), std::streamsize(zeros.size()));
    }
}

// Columns [first, first + count); with `count` 0, all of the tensor.
inline void zero_columns(const std::filesystem::path& folder, const std::string& name,
                         size_t first = 0, size_t count = 0) {
    zero_part(folder, name, {.first_column = count > 0 ? first : 0, .columns = count});
}

}  // namespace saccade
