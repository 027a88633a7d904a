#pragma once

#include <optional>
#include <string>

#include "app/cause/head_off.h"
#include "app/frame/frame_result.h"
#include "app/pipeline/looker.h"

namespace saccade {

// What is explained: a detection, a class or a word.
struct CauseTarget {
    HeadOff::Of model = HeadOff::Of::detector;
    uint32_t id = 0;           // of a class
    Detection detection = {};  // of the detector
    CaptionWord word = {};     // of the captioner, in this caption
    Caption caption = {};
    std::string kind, label;

    // The same thing, perhaps of another picture.
    bool operator==(const CauseTarget& other) const;
};

// The target that is looked at, among what was found in a picture: of a patch the smallest box
// around it, else the likeliest class. None if nothing was found there.
std::optional<CauseTarget> target_of(const Looker& looker, const Models& models,
                                     const FrameResult& found, const Caption& caption);

}  // namespace saccade
