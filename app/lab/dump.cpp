#include "app/lab/dump.h"

#include <nlohmann/json.hpp>

#include "app/lab/dump_parts.h"
#include "models/json.h"

namespace saccade {

namespace {

// Empty where there is no telling: then the model's own reader says what is wrong.
std::string model_type(const std::filesystem::path& model) {
    const std::filesystem::path file = model / "config.json";
    if (!std::filesystem::is_regular_file(file)) return {};
    const Json config = read_json(file);
    return JsonFields(config, file.string()).text("model_type", "");
}

}  // namespace

void dump(Engine& engine, const std::filesystem::path& model, const PictureView& picture,
          const std::filesystem::path& out) {
    Collection tensors;
    const std::string type = model_type(model);
    if (type == "detr" || type == "yolos")
        dump_detector(engine, model, picture, tensors);
    else if (type == "vision-encoder-decoder" || type == "blip")
        dump_captioner(engine, model, picture, tensors);
    else
        dump_classifier(engine, model, picture, tensors);
    tensors.write(out);
}

}  // namespace saccade
