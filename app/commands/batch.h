#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/commands/options.h"
#include "app/pipeline/attention_choice.h"
#include "app/pipeline/models_in_use.h"

namespace CLI {
class App;
}

namespace saccade {

struct BatchOptions {
    CommonOptions common;
    ModelNames models;
    DetectionOptions wanted;
    AttentionChoice attention;
    std::vector<std::string> sources;
    std::string folder;

    uint64_t from = 0, to = UINT64_MAX, stride = 1, limit = UINT64_MAX;
    double rate = 0;  // of pictures and synth:; 0: their default
    bool video = true, frames = false, coco = false, csv = false;
    bool track = false, mot = false, heat = false;
    bool meter = false;   // what maps are worth, in every frame
    std::string zones;    // a file of lines and zones; empty: none
    uint32_t piece = 60;  // frames
    bool resume = false;
    std::string shard;    // "I/N" or "auto"; empty: all
    uint32_t shards = 0;  // how many there are, with "auto" and --plan; 0: not given
    bool plan = false;    // only plan
    ServeOptions serve;
};

// `saccade batch`: processes every frame of every source, and writes annotated videos, lines of
// JSON and tables. Returns the exit code: 1 if a source or an output failed, exit_code_again if the
// run was interrupted or a resource ran short.
int batch(const BatchOptions& options);

void add_batch_command(CLI::App& app, int& exit_code);

struct MergeOptions {
    CommonOptions common;
    std::string folder;
};

// `saccade merge`: joins what `saccade batch --shard` has written. Returns the exit code: 1 if a
// source had failed.
int merge(const MergeOptions& options);

void add_merge_command(CLI::App& app, int& exit_code);

}  // namespace saccade
