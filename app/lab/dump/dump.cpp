#include "app/lab/dump/dump.h"

#include <nlohmann/json.hpp>

#include "app/lab/dump/dump_parts.h"
#include "gpu/core/error.h"
#include "models/files/json.h"
#include "models/registry/registry.h"

namespace saccade {

namespace {

// A list of unsigned integers; null: empty.
std::vector<uint32_t> numbers(const Json& list, const std::string& where) {
    std::vector<uint32_t> result;
    if (list.is_null()) return result;
    if (!list.is_array()) throw Error(where + " must be a list");
    for (const Json& number : list) {
        if (!number.is_number_unsigned() || number.get<uint64_t>() > UINT32_MAX)
            throw Error(where + " must be a list of unsigned integers");
        result.push_back(number.get<uint32_t>());
    }
    return result;
}

// One such list, or several.
std::vector<std::vector<uint32_t>> rows_of_numbers(const Json& list, const std::string& where) {
    if (list.is_null()) return {};
    if (!list.is_array()) throw Error(where + " must be a list");
    if (!list.empty() && !list.front().is_array()) return {numbers(list, where)};
    std::vector<std::vector<uint32_t>> rows;
    for (const Json& row : list) rows.push_back(numbers(row, where));
    return rows;
}

}  // namespace

DumpInputs DumpInputs::read(const std::filesystem::path& file) {
    const Json json = read_json(file);
    if (!json.is_object()) return {};
    auto field = [&](const char* key) { return json.contains(key) ? json[key] : Json(); };
    auto where = [&](const char* key) { return "'" + file.string() + "': " + key; };
    auto list = [&](const char* key) { return numbers(field(key), where(key)); };
    auto rows = [&](const char* key) { return rows_of_numbers(field(key), where(key)); };
    return {.top5_queries = list("top5_queries"),
            .top5_patches = list("top5_patches"),
            .input_ids = rows("input_ids"),
            .attention_mask = rows("attention_mask"),
            .question_ids = list("question_ids"),
            .prompt_ids = list("prompt_ids")};
}

void dump(Engine& engine, const std::filesystem::path& model, const PictureView& picture,
          const DumpInputs& inputs, const std::filesystem::path& out) {
    Collection tensors;
    switch (family_of(model).task()) {
        case Task::classify:
            dump_classifier(engine, model, picture, inputs, tensors);
            break;
        case Task::detect:
            dump_detector(engine, model, picture, inputs, tensors);
            break;
        case Task::caption:
            dump_captioner(engine, model, picture, inputs, tensors);
            break;
    }
    tensors.write(out);
}

}  // namespace saccade
