#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gpu/transfer/download.h"
#include "models/captioner.h"
#include "tests/gpu_test.h"
#include "tests/models/golden.h"

namespace saccade {

// Runs golden cases of captioners.
class CaptionTest : public GpuTest {
protected:
    using Floats = std::vector<float>;
    using Ids = std::vector<uint32_t>;

    CaptionTest()
        : picture(read_golden_picture("chelsea")),
          frame(device, picture.width, picture.height, false) {
        frame.write(view(picture));
    }

    Captioner make(const Golden& golden, Type precision,
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

    // Encodes the picture and starts decoding.
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
