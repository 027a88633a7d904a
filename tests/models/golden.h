#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gpu/core/error.h"
#include "gpu/transfer/frame.h"
#include "models/files/json.h"
#include "models/files/safetensors.h"
#include "models/files/synthetic.h"
#include "tests/golden_picture.h"
#include "tests/gpu_test.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {

// The picture of a golden case, by its golden.json.
inline PpmPicture golden_picture_of(const Json& info) {
    const std::filesystem::path image = info["image"].get<std::string>();
    return read_golden_picture(image.stem().string());
}

// A case of tests/golden: the tensors that transformers computed on deterministic weights.
struct Golden {
    explicit Golden(const std::string& name)
        : folder(golden_folder() / name),
          file(folder / "golden.safetensors"),
          config(read_json(folder / "config.json")),
          info(read_json(folder / "golden.json")),
          manifest(read_manifest(folder / "weights.json")) {
        if (const auto path = folder / "generation_config.json"; std::filesystem::exists(path))
            generation = read_json(path);
    }

    std::vector<float> operator[](const std::string& name) const {
        const StoredTensor* tensor = file.find(name);
        if (!tensor) throw Error("the golden has no " + name);
        std::vector<float> values(tensor->elements());
        read_floats(*tensor, 0, values);
        return values;
    }
    PpmPicture picture() const { return golden_picture_of(info); }
    std::vector<uint32_t> ids() const { return info["ids"]; }            // of a caption
    std::vector<uint32_t> best() const { return info["top5_queries"]; }  // of a detector

    std::filesystem::path folder;
    SafetensorsFile file;
    Json config, info;
    Json generation;  // generation_config.json, or null
    Manifest manifest;
};

// A golden case as the model folder that a user has, with its weights, and its picture.
struct GoldenFolder {
    explicit GoldenFolder(const std::string& name)
        : golden(golden_folder() / name),
          facts(read_json(golden / "golden.json")),
          picture(golden_picture_of(facts)) {
        write_checkpoint(folder.path(), read_manifest(golden / "weights.json"));
        for (const char* file :
             {"config.json", "preprocessor_config.json", "generation_config.json", "tokenizer.json",
              "tokenizer_config.json"})
            if (std::filesystem::exists(golden / file))
                std::filesystem::copy_file(golden / file, folder.path() / file);
    }
    PictureView view() const {
        return {picture.rgb.data(), picture.width, picture.height, 3 * picture.width, false};
    }
    Size size() const { return {picture.width, picture.height}; }

    std::filesystem::path golden;
    Json facts;
    TempFolder folder;
    PpmPicture picture;
};

}  // namespace saccade
