#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/lab/ppm.h"
#include "gpu/transfer/download.h"
#include "models/captioner.h"
#include "models/files/synthetic.h"
#include "tests/gpu_test.h"
#include "tests/models/files/temp_folder.h"

// Golden cases of captioners, and a fixture that runs them.

namespace saccade {

// What transformers computed on deterministic weights.
struct CaptionGolden {
    explicit CaptionGolden(const std::string& name)
        : folder(golden_folder() / name),
          file(folder / "golden.safetensors"),
          config(read_json(folder / "config.json")),
          generation(read_json(folder / "generation_config.json")),
          info(read_json(folder / "golden.json")),
          manifest(read_manifest(folder / "weights.json")) {}

    std::vector<float> operator[](const std::string& name) const {
        const StoredTensor* tensor = file.find(name);
        if (!tensor) throw Error("the golden has no " + name);
        std::vector<float> values(tensor->elements());
        read_floats(*tensor, 0, values);
        return values;
    }
    std::vector<uint32_t> ids() const { return info["ids"]; }

    std::filesystem::path folder;
    SafetensorsFile file;
    Json config, generation, info;
    Manifest manifest;
};

class CaptionTest : public GpuTest {
protected:
    using Floats = std::vector<float>;
    using Ids = std::vector<uint32_t>;

    CaptionTest()
        : picture(read_ppm(golden_folder() / "images" / "chelsea.ppm")),
          frame(device, picture.width, picture.height, false) {
        frame.write(view(picture));
    }

    Captioner make(const CaptionGolden& golden, Type precision,
                   std::unique_ptr<Tokenizer> tokenizer = nullptr) {
        SyntheticWeights weights(golden.manifest);
        return Captioner(device, arena,
                         {.config = golden.config,
                          .where = "config.json",
                          .generation = &golden.generation,
                          .generation_where = "generation_config.json"},
                         std::move(tokenizer), Preprocessor::read(golden.folder), weights,
                         precision);
    }
    static CaptionOptions as_long_as(size_t ids) {
        CaptionOptions options;
        options.max_length = static_cast<uint32_t>(ids);
        return options;
    }

    // Hands the picture in; words come with advance().
    void see(Captioner& captioner) {
        captioner.prepare({frame.width(), frame.height()});
        begin();
        frame.record(commands);
        captioner.record(commands, frame.image());
        finish();
        captioner.start();
    }
    Caption caption(Captioner& captioner) {
        see(captioner);
        captioner.advance(UINT32_MAX);
        return captioner.result();
    }

    static PictureView view(const PpmPicture& p) {
        return {p.rgb.data(), p.width, p.height, 3 * p.width, false};
    }

    PpmPicture picture;
    Frame frame;
};

}  // namespace saccade
