#pragma once

#include <vector>

#include "gpu/engine.h"
#include "gpu/transfer/download.h"

namespace saccade {

// Runs what `record` records, waits, and reads back the tensor that it returns. `name` tells the
// recording apart in errors and captures.
template <typename Record>
std::vector<float> read_back(Engine& engine, const char* name, const Record& record) {
    Commands c(engine.device(), engine.scratch(), name);
    Download download;
    c.begin();
    {
        auto scope = c.scope(name);
        download.record(c, record(c));
    }
    c.end();
    c.run();
    return download.floats();
}

inline std::vector<float> read_back(Engine& engine, const char* name, const Tensor& tensor) {
    return read_back(engine, name, [&](Commands&) { return tensor; });
}

}  // namespace saccade
