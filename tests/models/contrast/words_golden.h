#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "app/lab/ppm.h"
#include "gpu/core/geometry.h"
#include "models/files/json.h"
#include "models/files/synthetic.h"
#include "tests/gpu_test.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {

// A golden case of a model that takes words, as the folder that a user would have, and its picture.
struct WordsCase {
    explicit WordsCase(const std::string& name)
        : golden(golden_folder() / name), facts(read_json(golden / "golden.json")) {
        write_checkpoint(folder.path(), read_manifest(golden / "weights.json"));
        for (const char* file : {"config.json", "preprocessor_config.json", "generation_config.json",
                                 "tokenizer.json", "tokenizer_config.json"})
            if (std::filesystem::exists(golden / file))
                std::filesystem::copy_file(golden / file, folder.path() / file);
        const std::string image = facts["image"];
        picture = read_ppm(golden_folder() / "images" /
                           std::filesystem::path(image).replace_extension(".ppm"));
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
