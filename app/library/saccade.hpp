// The C++ face of saccade.h: owners, exceptions, vectors. Header-only; what saccade.h says of
// threads and lifetimes holds here.
//
//   saccade::Engine engine;
//   saccade::Model model(engine, "photo-detector");
//   for (const auto& found : model(saccade::rgb(pixels, width, height)).detections())
//       std::cout << found.label << "\n";

#ifndef SACCADE_HPP
#define SACCADE_HPP

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "saccade.h"

namespace saccade {

// What a call that failed says: one line, and what kind of failure it was.
class Failure : public std::runtime_error {
public:
    Failure(saccade_status status, const char* text) : std::runtime_error(text), status_(status) {}
    saccade_status status() const { return status_; }

private:
    saccade_status status_;
};

inline void check(saccade_status status) {
    if (status != SACCADE_OK) throw Failure(status, saccade_error());
}

template <auto Close>
struct Closer {
    template <typename Handle>
    void operator()(Handle* handle) const {
        Close(handle);
    }
};

inline saccade_picture picture(saccade_format format, const uint8_t* pixels, uint32_t width,
                               uint32_t height, uint32_t row_bytes = 0) {
    saccade_picture all{};
    all.size = sizeof all;
    all.format = format;
    all.width = width;
    all.height = height;
    all.planes[0] = pixels;
    all.row_bytes[0] = row_bytes;
    return all;
}
inline saccade_picture rgb(const uint8_t* pixels, uint32_t width, uint32_t height) {
    return picture(SACCADE_RGB, pixels, width, height);
}
inline saccade_picture bgr(const uint8_t* pixels, uint32_t width, uint32_t height) {
    return picture(SACCADE_BGR, pixels, width, height);
}

class Engine {
public:
    explicit Engine(const char* device = nullptr, saccade_precision precision = SACCADE_AUTO,
                    bool require_gpu = false) {
        saccade_engine_options options{sizeof options, device, precision, require_gpu ? 1 : 0};
        saccade_engine* engine = nullptr;
        check(saccade_engine_open(&options, &engine));
        handle_.reset(engine);
    }
    explicit Engine(saccade_engine* engine) : handle_(engine) {}  // closes it
    std::string device() const { return saccade_engine_device(handle_.get()); }
    bool is_gpu() const { return saccade_engine_is_gpu(handle_.get()) != 0; }
    saccade_engine* get() const { return handle_.get(); }

private:
    std::unique_ptr<saccade_engine, Closer<saccade_engine_close>> handle_;
};

struct Word {
    std::string text;
    double p = 0;
};

// One picture's result.
class Result {
public:
    explicit Result(saccade_result* result) : handle_(result) {}

    std::vector<saccade_detection> detections() const {
        std::vector<saccade_detection> all(saccade_result_detections(handle_.get()));
        for (size_t i = 0; i < all.size(); ++i)
            check(saccade_result_detection(handle_.get(), i, &all[i]));
        return all;
    }
    // width() * height() bytes: 1 inside, 0 outside.
    std::vector<uint8_t> mask(size_t detection) const {
        std::vector<uint8_t> all(size_t(width()) * height());
        check(saccade_result_mask(handle_.get(), detection, all.data()));
        return all;
    }
    std::vector<saccade_class> classes() const {
        std::vector<saccade_class> all(saccade_result_classes(handle_.get()));
        for (size_t i = 0; i < all.size(); ++i)
            check(saccade_result_class(handle_.get(), i, &all[i]));
        return all;
    }
    std::optional<std::string> caption() const {
        const char* const text = saccade_result_caption(handle_.get());
        return text ? std::optional<std::string>(text) : std::nullopt;
    }
    std::vector<Word> words() const {
        std::vector<Word> all;
        for (size_t i = 0; i < saccade_result_words(handle_.get()); ++i) {
            saccade_word word{};
            check(saccade_result_word(handle_.get(), i, &word));
            all.push_back({word.text, word.p});
        }
        return all;
    }
    uint32_t width() const { return saccade_result_width(handle_.get()); }
    uint32_t height() const { return saccade_result_height(handle_.get()); }
    saccade_result* get() const { return handle_.get(); }

private:
    std::unique_ptr<saccade_result, Closer<saccade_result_free>> handle_;
};

// A table of numbers, see saccade_map.
class Map {
public:
    explicit Map(saccade_map* map) : handle_(map) {}
    const saccade_map* operator->() const { return handle_.get(); }
    float at(uint32_t row, uint32_t column) const {
        return handle_->values[size_t(row) * handle_->columns + column];
    }

private:
    std::unique_ptr<saccade_map, Closer<saccade_map_free>> handle_;
};

// Where to look from; layer and head may be left out: the last one, and the mean of all.
struct Look {
    static saccade_look from_point(float x, float y, int layer = -1, int head = -1) {
        return {sizeof(saccade_look), SACCADE_LOOK_FROM_POINT, layer, head, x, y, 0};
    }
    static saccade_look from_query(uint32_t query, int layer = -1, int head = -1) {
        return {sizeof(saccade_look), SACCADE_LOOK_FROM_QUERY, layer, head, 0, 0, query};
    }
    static saccade_look from_class(int layer = -1, int head = -1) {
        return {sizeof(saccade_look), SACCADE_LOOK_FROM_CLASS, layer, head, 0, 0, 0};
    }
    static saccade_look from_word(uint32_t word, int layer = -1, int head = -1) {
        return {sizeof(saccade_look), SACCADE_LOOK_FROM_WORD, layer, head, 0, 0, word};
    }
};

class Model {
public:
    Model(const Engine& engine, const std::string& name) {
        saccade_model* model = nullptr;
        check(saccade_model_open(engine.get(), name.c_str(), &model));
        handle_.reset(model);
    }

    saccade_task task() const { return saccade_model_task(handle_.get()); }
    std::vector<std::string> labels() const {
        std::vector<std::string> all;
        for (size_t i = 0; i < saccade_model_labels(handle_.get()); ++i)
            all.emplace_back(saccade_model_label(handle_.get(), i));
        return all;
    }
    uint32_t encoder_layers() const { return saccade_model_encoder_layers(handle_.get()); }
    uint32_t decoder_layers() const { return saccade_model_decoder_layers(handle_.get()); }

    void tell(const std::vector<std::string>& phrases) {
        std::vector<const char*> all;
        for (const std::string& phrase : phrases) all.push_back(phrase.c_str());
        check(saccade_model_tell(handle_.get(), all.data(), all.size()));
    }
    void ask(const std::string& question) {
        check(saccade_model_ask(handle_.get(), question.c_str()));
    }

    static saccade_run_options usual() { return {sizeof(saccade_run_options), -1.0f, 0, 0, 0}; }
    std::vector<Result> operator()(const std::vector<saccade_picture>& pictures,
                                   const saccade_run_options& options = usual()) {
        std::vector<saccade_result*> raw(pictures.size());
        check(saccade_model_run(handle_.get(), pictures.data(), pictures.size(), &options,
                                raw.data()));
        std::vector<Result> results;
        results.reserve(raw.size());
        for (saccade_result* one : raw) results.emplace_back(one);
        return results;
    }
    Result operator()(const saccade_picture& picture,
                      const saccade_run_options& options = usual()) {
        saccade_result* raw = nullptr;
        check(saccade_model_run(handle_.get(), &picture, 1, &options, &raw));
        return Result(raw);
    }

    saccade_model* get() const { return handle_.get(); }

    // Of this model's last run.
    Map attention(const Result& result, const saccade_look& look) {
        saccade_map* map = nullptr;
        check(saccade_model_attention(handle_.get(), result.get(), &look, &map));
        return Map(map);
    }
    Map features(const Result& result, int layer = -1) {
        saccade_map* map = nullptr;
        check(saccade_model_features(handle_.get(), result.get(), layer, &map));
        return Map(map);
    }

private:
    std::unique_ptr<saccade_model, Closer<saccade_model_close>> handle_;
};

}  // namespace saccade

#endif
