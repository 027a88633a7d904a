// saccade_api_cost FOLDER [RUNS]: what the C API costs over the engine itself. A classifier names a
// picture of 640x480 in memory, by both in turn; the figures are medians of the host's clock.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <span>
#include <stdexcept>
#include <vector>

#include "app/library/saccade.h"
#include "gpu/engine.h"
#include "gpu/transfer/frame.h"
#include "models/classifier.h"

namespace saccade {
namespace {

constexpr uint32_t width = 640, height = 480, most = 5, block = 50;

// Upload, preprocessing, model and answer, as a program of ours would record them.
class ByEngine {
public:
    explicit ByEngine(const char* folder)
        : engine_({}),
          classifier_(Classifier::open(engine_.device(), folder, engine_.precision())),
          frame_(engine_.device(), width, height, false),
          commands_(engine_.device(), engine_.scratch(), "engine") {
        classifier_.prepare({width, height});
        commands_.begin();
        frame_.record(commands_);
        classifier_.record(commands_, frame_.image(), nobody_, ranking_);
        commands_.end();
    }
    float operator()(std::span<const uint8_t> pixels) {
        frame_.write({pixels.data(), width, height, 3 * width});
        commands_.run();
        return ranking_.top(most).front().score;
    }

private:
    Engine engine_;
    Classifier classifier_;
    Frame frame_;
    Commands commands_;
    Tap nobody_;
    Ranking ranking_;
};

class ByLibrary {
public:
    explicit ByLibrary(const char* folder) {
        check(saccade_engine_open(nullptr, &engine_));
        check(saccade_model_open(engine_, folder, &model_));
    }
    ~ByLibrary() {
        saccade_model_close(model_);
        saccade_engine_close(engine_);
    }
    float operator()(std::span<const uint8_t> pixels) {
        saccade_picture picture{};
        picture.size = sizeof picture;
        picture.format = SACCADE_RGB;
        picture.width = width;
        picture.height = height;
        picture.planes[0] = pixels.data();
        saccade_result* result = nullptr;
        check(saccade_model_run(model_, &picture, 1, nullptr, &result));
        saccade_class best{};
        check(saccade_result_class(result, 0, &best));
        saccade_result_free(result);
        return best.score;
    }

private:
    static void check(saccade_status status) {
        if (status != SACCADE_OK) throw std::runtime_error(saccade_error());
    }
    saccade_engine* engine_ = nullptr;
    saccade_model* model_ = nullptr;
};

double median(std::vector<double>& values) {
    std::ranges::nth_element(values, values.begin() + values.size() / 2);
    return values[values.size() / 2];
}

template <typename Way>
void take_times(Way& way, std::span<const uint8_t> pixels, std::vector<double>& times,
                float& score) {
    using Clock = std::chrono::steady_clock;
    for (uint32_t i = 0; i < block; ++i) {
        const auto begin = Clock::now();
        score = way(pixels);
        times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
    }
}

int measure(const char* folder, uint32_t runs) {
    ByEngine engine(folder);
    ByLibrary library(folder);
    std::vector<uint8_t> pixels(size_t(3) * width * height);
    for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<uint8_t>(i * 7919 >> 8);
    std::vector<double> by_engine, by_library;
    float ours = 0, theirs = 0;
    take_times(engine, pixels, by_engine, ours);  // the first ones warm both up
    take_times(library, pixels, by_library, theirs);
    by_engine.clear();
    by_library.clear();
    for (uint32_t done = 0; done < runs; done += block) {
        take_times(engine, pixels, by_engine, ours);
        take_times(library, pixels, by_library, theirs);
    }
    const double one = median(by_engine), other = median(by_library);
    std::printf("engine %.4f ms, C API %.4f ms: %+.1f %%, medians of %zu runs each; %s scores\n",
                one, other, 100 * (other / one - 1), by_engine.size(),
                ours == theirs ? "equal" : "DIFFERENT");
    return ours == theirs ? 0 : 1;
}

}  // namespace
}  // namespace saccade

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "write: saccade_api_cost FOLDER [RUNS]\n");
        return 2;
    }
    try {
        return saccade::measure(argv[1], argc > 2 ? std::atoi(argv[2]) : 1000);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "saccade_api_cost: %s\n", error.what());
        return 1;
    }
}
