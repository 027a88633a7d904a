#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "gpu/transfer/download.h"
#include "models/detector.h"
#include "models/registry/registry.h"
#include "tests/gpu_test.h"
#include "tests/models/golden.h"

namespace saccade {

// Runs golden cases of detectors.
class DetectionTest : public GpuTest {
protected:
    using Floats = std::vector<float>;

    Detector make(const Golden& golden, Type precision) {
        SyntheticWeights weights(golden.manifest);
        return Detector::with_suitable_front(
            device, golden.config, "config.json",
            read_preprocessor(golden.folder, golden.config, "config.json"), weights, precision);
    }

    // Runs a detector on a picture. Returns the trace of the recording.
    std::vector<std::string> detect(Detector& detector, const PpmPicture& picture,
                                    DetectionTaps& taps) {
        Frame frame(device, picture.width, picture.height, false);
        frame.write({picture.rgb.data(), picture.width, picture.height, 3 * picture.width, false});
        detector.prepare({picture.width, picture.height});
        Commands c(device, arena, "detect");
        use_kernels_of_this_round(c);
        c.keep_trace(true);
        c.begin();
        frame.record(c);
        detector.record(c, frame.image(), taps);
        c.end();
        c.run();
        return c.trace();
    }
    std::vector<std::string> detect(Detector& detector, const PpmPicture& picture) {
        DetectionTaps no_taps;
        return detect(detector, picture, no_taps);
    }

    // Taps on all layers, and on the hidden states.
    static DetectionTaps look_at_all(const Detector& detector) {
        auto layers = [](uint32_t count) {
            std::set<uint32_t> all;
            for (uint32_t i = 0; i < count; ++i) all.insert(i);
            return all;
        };
        DetectionTaps taps;
        taps.encoder = Tap(layers(detector.model().encoder_layers()), true);
        taps.decoder = Tap(layers(detector.model().decoder_layers()), true);
        return taps;
    }

    Floats floats_of(const Tensor& x) {
        return run([&](Commands& c) {
            const Tensor y = c.scratch(x.batch, x.rows, x.columns, Type::f32);
            copy(c, y, x);
            return y;
        });
    }

    // Rows of attention over all keys.
    Floats rows_of(const Tap& tap, uint32_t layer, const std::vector<uint32_t>& rows,
                   std::optional<uint32_t> head = std::nullopt) {
        const AttentionRow attention(device);
        Floats all;
        for (uint32_t row : rows) {
            const Floats one =
                run([&](Commands& c) { return attention.record(c, tap.layer(layer), row, head); });
            all.insert(all.end(), one.begin(), one.end());
        }
        return all;
    }
    // The same detections as transformers: labels, and boxes within a pixel.
    static void expect_detections(const Detector& detector, const Golden& golden,
                                  double score_tolerance) {
        DetectionFilter filter;
        filter.threshold = golden.info["threshold"];
        filter.threshold -= static_cast<float>(score_tolerance);
        const std::vector<Detection> found = detector.findings().detections(filter);
        for (const Json& want : golden.info["detections"]) {
            const Floats box = want["box"];
            const auto same = std::ranges::find_if(found, [&](const Detection& d) {
                return d.id == want["label"].get<uint32_t>() &&
                       std::abs(d.score - want["score"].get<float>()) <= score_tolerance &&
                       std::abs(d.box.min.x - box[0]) <= 1 && std::abs(d.box.min.y - box[1]) <= 1 &&
                       std::abs(d.box.max.x - box[2]) <= 1 && std::abs(d.box.max.y - box[3]) <= 1;
            });
            EXPECT_NE(same, found.end()) << want.dump();
        }
    }
};

}  // namespace saccade
