#include "app/lab/dump.h"

#include <nlohmann/json.hpp>

#include "app/lab/dump_parts.h"
#include "gpu/core/error.h"
#include "models/files/json.h"
#include "models/registry/registry.h"

namespace saccade {

DumpInputs DumpInputs::read(const std::filesystem::path& file) {
    const Json json = read_json(file);
    DumpInputs inputs;
    if (!json.is_object() || !json.contains("top5_queries")) return inputs;
    for (const Json& query : json["top5_queries"]) {
        if (!query.is_number_unsigned())
            throw Error("'" + file.string() + "': top5_queries must be whole numbers from 0 on");
        inputs.top5_queries.push_back(query.get<uint32_t>());
    }
    return inputs;
}

void dump(Engine& engine, const std::filesystem::path& model, const PictureView& picture,
          const DumpInputs& inputs, const std::filesystem::path& out) {
    Collection tensors;
    switch (family_of(model).task()) {
        case Task::classify:
            dump_classifier(engine, model, picture, tensors);
            break;
        case Task::detect:
            dump_detector(engine, model, picture, inputs, tensors);
            break;
        case Task::caption:
            dump_captioner(engine, model, picture, tensors);
            break;
    }
    tensors.write(out);
}

}  // namespace saccade
