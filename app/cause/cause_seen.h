#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "app/cause/head_off.h"
#include "models/attention/map_geometry.h"

namespace saccade {

// What is known of what a target needs, while more is being found out.
struct CauseSeen {
    HeadOff::Of model = HeadOff::Of::detector;
    std::string kind = {}, label = {};  // of the target: "detection", "dog"
    double score = 0;
    std::string unit = {};  // of effects and noise
    std::string does =
        {};  // what is being done: "coarse map", "finer", "heads", "meter"; empty: done
    std::string trouble = {};  // why it cannot be known
    // When the picture was taken: on a moving picture, a little earlier than the shown one.
    std::chrono::steady_clock::time_point captured = {};

    MapGeometry geometry = {};
    std::vector<float> cells = {};  // empty: not known yet
    double noise = 0;
    uint32_t knock_outs = 0;  // that the map is made of

    // How many heads each layer has, the encoder's first, what the layers are called, and what each
    // head does, as far as it is known.
    std::vector<uint32_t> heads = {};
    std::vector<std::string> layers = {};
    std::vector<std::vector<float>> effects = {};

    // What maps are worth.
    struct Method {
        std::string name = {}, words = {};
        std::vector<float> deletion = {}, insertion = {};
        double deletion_area = 0, insertion_area = 0;
    };
    std::vector<Method> methods = {};
    std::vector<std::vector<float>> random_deletion = {};
    double random_deletion_area = 0, random_insertion_area = 0;
};

}  // namespace saccade
