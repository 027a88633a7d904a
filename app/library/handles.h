#pragma once

// What the C functions of several files share: the handles, and how errors leave them.

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/library/runner.h"
#include "app/library/saccade.h"
#include "gpu/core/error.h"
#include "gpu/engine.h"

// Counted by its own handle and by its models: the last one that goes closes the device.
struct saccade_engine {
    explicit saccade_engine(const saccade::EngineOptions& options)
        : engine(options), lent(options.lent != nullptr) {}
    saccade::Engine engine;
    const bool lent;  // the device is the program's
    std::mutex mutex;
    std::atomic<int> users = 1;
};

struct saccade_model {
    uint64_t number;  // no two models of a process have the same
    saccade_engine* engine;
    std::unique_ptr<saccade::Runner> runner;
};

struct saccade_result {
    uint64_t model;  // its number
    saccade::Found found;
    std::vector<std::string> detection_labels, class_labels;
};

namespace saccade {

inline constexpr saccade_run_options usual_run{sizeof(saccade_run_options), -1, 0, 0, 0};
inline constexpr saccade_look usual_look{
    sizeof(saccade_look), SACCADE_LOOK_FROM_POINT, -1, -1, 0, 0, 0};

struct Misuse : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// What saccade_error() says.
void remember(const char* text);

template <typename Work>
saccade_status guarded(Work work) noexcept {
    try {
        work();
        return SACCADE_OK;
    } catch (const Misuse& error) {
        remember(error.what());
        return SACCADE_MISUSE;
    } catch (const TemporaryError& error) {
        remember(error.what());
        return SACCADE_TEMPORARY;
    } catch (const std::bad_alloc&) {
        remember("this machine is out of memory");
        return SACCADE_TEMPORARY;
    } catch (const std::exception& error) {
        remember(error.what());
        return SACCADE_FAILED;
    } catch (...) {
        remember("something went wrong that has no description");
        return SACCADE_FAILED;
    }
}

inline void require(bool holds, const char* otherwise) {
    if (!holds) throw Misuse(otherwise);
}

// The caller's structure over the defaults: it may be older and shorter, or newer and longer.
template <typename Options>
Options over(const Options* given, Options defaults) {
    if (!given) return defaults;
    require(given->size >= sizeof(size_t), "the size of a structure is missing");
    std::memcpy(&defaults, given, std::min(given->size, sizeof defaults));
    return defaults;
}

EngineOptions options_of(const saccade_engine_options& given);
saccade_result* result_of(const saccade_model& model, Found found);

}  // namespace saccade
