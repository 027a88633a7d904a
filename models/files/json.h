#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace saccade {

using Json = nlohmann::json;

// Parses untrusted text. Invalid JSON, excessive nesting and duplicate keys (of which the parser
// would silently keep the last) are Errors. `where`, a file name, starts the message.
Json parse_json(std::string_view text, const std::string& where);

// Reads and parses a whole file of at most 64 MB.
Json read_json(const std::filesystem::path& path);

// A string from a file for an error message: quoted, with control characters escaped, truncated if
// it is long.
std::string in_quotes(std::string_view text);

struct WholeRange {
    uint32_t least = 0;
    uint32_t most = UINT32_MAX;
};

struct HeightWidth {
    uint32_t height = 0;
    uint32_t width = 0;
};

// Reads the fields of a JSON object. Every getter checks the field's type and range; its error
// names the file and the key. A field that is absent or null takes the fallback; without a fallback
// it is required. The object must outlive this view.
class JsonFields {
public:
    JsonFields(const Json& object, std::string where);

    bool has(std::string_view key) const { return find(key) != nullptr; }

    uint32_t whole(std::string_view key, WholeRange range,
                   std::optional<uint32_t> fallback = std::nullopt) const;
    double number(std::string_view key, double least, double most,
                  std::optional<double> fallback = std::nullopt) const;
    bool flag(std::string_view key, std::optional<bool> fallback = std::nullopt) const;
    std::string text(std::string_view key,
                     std::optional<std::string> fallback = std::nullopt) const;

    // 224, or [height, width]
    HeightWidth extent(std::string_view key, WholeRange range,
                       std::optional<HeightWidth> fallback = std::nullopt) const;

    // A non-empty list of whole numbers.
    std::vector<uint32_t> wholes(
        std::string_view key, WholeRange range,
        std::optional<std::vector<uint32_t>> fallback = std::nullopt) const;

    // Absent: empty.
    std::vector<std::string> texts(std::string_view key) const;

    // A nested object, required; its errors name its path.
    JsonFields object(std::string_view key) const;
    // The same, optional; absent: an object without fields.
    JsonFields object_if_any(std::string_view key) const;

    // The field itself; nullptr if it is absent or null.
    const Json* find(std::string_view key) const;

    const std::string& where() const { return where_; }

    // Throws the Error "FILE: KEY PROBLEM".
    [[noreturn]] void refuse(std::string_view key, const std::string& problem) const;

private:
    const Json& required(std::string_view key) const;

    const Json* object_;
    std::string where_;
};

}  // namespace saccade
