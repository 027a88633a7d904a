#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "app/hub/model_finder.h"
#include "app/library/handles.h"
#include "app/library/saccade.h"
#include "gpu/core/error.h"

using namespace saccade;

namespace {

void leave(saccade_engine* engine) {
    if (--engine->users == 0) delete engine;
}

// A map with the memory of its values.
struct OwnedMap : saccade_map {
    OwnedMap() : saccade_map{} {}
    std::vector<float> memory;
};

saccade_map* map_of(FoundMap found) {
    auto owned = std::make_unique<OwnedMap>();
    owned->memory = std::move(found.values);
    owned->rows = found.rows;
    owned->columns = found.columns;
    owned->values = owned->memory.data();
    if (found.geometry) {
        owned->left = found.geometry->corner.x;
        owned->top = found.geometry->corner.y;
        owned->cell_width = found.geometry->cell.x;
        owned->cell_height = found.geometry->cell.y;
    }
    return owned.release();
}

// Checks that a result is of this model, and holds its engine.
std::unique_lock<std::mutex> hold(const saccade_model* model, const saccade_result* result) {
    require(model && result, "a model or a result is null");
    require(result->model == model->number, "the result is another model's");
    return std::unique_lock(model->engine->mutex);
}

std::vector<saccade_picture> copied(const saccade_picture* pictures, size_t count) {
    require(pictures != nullptr, "the pictures are null");
    std::vector<saccade_picture> all;
    const auto* at = reinterpret_cast<const std::byte*>(pictures);
    for (size_t i = 0; i < count; ++i) {
        const auto* one = reinterpret_cast<const saccade_picture*>(at);
        all.push_back(over(one, saccade_picture{}));
        at += one->size;  // as long as the caller's header has it
    }
    return all;
}

}  // namespace

saccade_status saccade_engine_open(const saccade_engine_options* options, saccade_engine** engine) {
    return guarded([&] {
        require(engine != nullptr, "there is no place for the engine");
        *engine = nullptr;
        const EngineOptions all = options_of(over(options, saccade_engine_options{}));
        *engine = new saccade_engine(all);
    });
}

void saccade_engine_close(saccade_engine* engine) {
    if (engine) leave(engine);
}

const char* saccade_engine_device(const saccade_engine* engine) {
    return engine ? const_cast<saccade_engine*>(engine)->engine.device().info().name.c_str() : "";
}

int saccade_engine_is_gpu(const saccade_engine* engine) {
    return engine && !const_cast<saccade_engine*>(engine)->engine.device().is_cpu() ? 1 : 0;
}

saccade_status saccade_model_open(saccade_engine* engine, const char* name, saccade_model** model) {
    return guarded([&] {
        require(engine && name && model, "the engine, the name or the model's place is null");
        *model = nullptr;
        const std::filesystem::path folder = find_model(name);
        const std::lock_guard lock(engine->mutex);
        static std::atomic<uint64_t> models = 0;
        auto opened = std::make_unique<saccade_model>(
            saccade_model{++models, engine, Runner::open(engine->engine, folder)});
        ++engine->users;
        *model = opened.release();
    });
}

void saccade_model_close(saccade_model* model) {
    if (!model) return;
    saccade_engine* const engine = model->engine;
    {
        const std::lock_guard lock(engine->mutex);
        delete model;
    }
    leave(engine);
}

saccade_task saccade_model_task(const saccade_model* model) {
    return static_cast<saccade_task>(model->runner->task());
}

size_t saccade_model_labels(const saccade_model* model) { return model->runner->labels().size(); }

const char* saccade_model_label(const saccade_model* model, size_t id) {
    const std::vector<std::string>& labels = model->runner->labels();
    return id < labels.size() ? labels[id].c_str() : nullptr;
}

uint32_t saccade_model_encoder_layers(const saccade_model* model) {
    return model->runner->encoder_layers();
}

uint32_t saccade_model_decoder_layers(const saccade_model* model) {
    return model->runner->decoder_layers();
}

saccade_status saccade_model_tell(saccade_model* model, const char* const* phrases, size_t count) {
    return guarded([&] {
        require(model && phrases, "the model or the phrases are null");
        std::vector<std::string> all;
        for (size_t i = 0; i < count; ++i) {
            require(phrases[i] != nullptr, "a phrase is null");
            all.emplace_back(phrases[i]);
        }
        const std::lock_guard lock(model->engine->mutex);
        model->runner->settle();
        model->runner->tell(all);
    });
}

saccade_status saccade_model_ask(saccade_model* model, const char* question) {
    return guarded([&] {
        require(model && question, "the model or the question is null");
        const std::lock_guard lock(model->engine->mutex);
        model->runner->settle();
        model->runner->ask(question);
    });
}

saccade_status saccade_model_run(saccade_model* model, const saccade_picture* pictures,
                                 size_t count, const saccade_run_options* options,
                                 saccade_result** results) {
    return guarded([&] {
        require(model && results, "the model or the results' place is null");
        std::fill_n(results, count, nullptr);
        const std::vector<saccade_picture> all = copied(pictures, count);
        const saccade_run_options how = over(options, usual_run);
        const std::lock_guard lock(model->engine->mutex);
        std::vector<Found> found = model->runner->run(all, how);
        try {
            for (size_t i = 0; i < count; ++i) results[i] = result_of(*model, std::move(found[i]));
        } catch (...) {
            for (size_t i = 0; i < count; ++i) delete std::exchange(results[i], nullptr);
            throw;
        }
    });
}

void saccade_result_free(saccade_result* result) { delete result; }

uint32_t saccade_result_width(const saccade_result* result) { return result->found.size.x; }
uint32_t saccade_result_height(const saccade_result* result) { return result->found.size.y; }

size_t saccade_result_detections(const saccade_result* result) {
    return result->found.detections.size();
}

saccade_status saccade_result_detection(const saccade_result* result, size_t index,
                                        saccade_detection* detection) {
    return guarded([&] {
        require(index < result->found.detections.size(), "there are not so many detections");
        const Detection& one = result->found.detections[index];
        *detection = {.label = result->detection_labels[index].c_str(),
                      .id = one.id,
                      .score = one.score,
                      .box = {one.box.min.x, one.box.min.y, one.box.max.x, one.box.max.y},
                      .query = one.query,
                      .has_mask = one.mask.empty() ? 0 : 1};
    });
}

saccade_status saccade_result_mask(const saccade_result* result, size_t index, uint8_t* mask) {
    return guarded([&] {
        require(index < result->found.detections.size(), "there are not so many detections");
        const std::vector<uint32_t>& runs = result->found.detections[index].mask;
        require(!runs.empty(), "the detection has no mask");
        const size_t width = result->found.size.x, height = result->found.size.y;
        size_t at = 0;  // runs go down the columns, and begin outside
        for (size_t run = 0; run < runs.size(); ++run)
            for (uint32_t i = 0; i < runs[run] && at < width * height; ++i, ++at)
                mask[at % height * width + at / height] = run % 2;
    });
}

size_t saccade_result_classes(const saccade_result* result) { return result->found.classes.size(); }

saccade_status saccade_result_class(const saccade_result* result, size_t index,
                                    saccade_class* one) {
    return guarded([&] {
        require(index < result->found.classes.size(), "there are not so many classes");
        const ClassScore& score = result->found.classes[index];
        *one = {result->class_labels[index].c_str(), score.id, score.score};
    });
}

const char* saccade_result_caption(const saccade_result* result) {
    return result->found.caption ? result->found.caption->text.c_str() : nullptr;
}

size_t saccade_result_words(const saccade_result* result) {
    return result->found.caption ? result->found.caption->words.size() : 0;
}

saccade_status saccade_result_word(const saccade_result* result, size_t index, saccade_word* word) {
    return guarded([&] {
        require(index < saccade_result_words(result), "there are not so many words");
        const CaptionWord& one = result->found.caption->words[index];
        *word = {one.text.c_str(), one.p};
    });
}

saccade_status saccade_model_attention(saccade_model* model, const saccade_result* result,
                                       const saccade_look* look, saccade_map** map) {
    return guarded([&] {
        require(look && map, "the look or the map's place is null");
        *map = nullptr;
        const saccade_look wanted = over(look, usual_look);
        const auto lock = hold(model, result);
        *map = map_of(model->runner->attention(result->found, wanted));
    });
}

saccade_status saccade_model_features(saccade_model* model, const saccade_result* result,
                                      int32_t layer, saccade_map** map) {
    return guarded([&] {
        require(map != nullptr, "there is no place for the map");
        *map = nullptr;
        const auto lock = hold(model, result);
        *map = map_of(model->runner->features(result->found, layer));
    });
}

void saccade_map_free(saccade_map* map) { delete static_cast<OwnedMap*>(map); }
