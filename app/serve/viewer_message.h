#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "app/live/state.h"

namespace saccade {

// What a viewer wants changed of what all of them share; names are among those offered, or nothing
// comes of it.
struct SharedWish {
    std::optional<std::string> detector = {}, classifier = {}, captioner = {}, source = {};
    std::optional<float> threshold = {};
    std::optional<uint32_t> detector_stride = {}, classifier_stride = {};
    std::optional<bool> frozen = {}, track = {};
    std::optional<uint64_t> seek = {};  // the frame of the file to go to
    std::optional<Regions> regions = {};  // lines and zones of the source
    // For models that take words: phrases to find, names to choose from, a question.
    std::optional<std::string> find = {}, labels = {}, question = {};
    std::map<std::string, float> least_scores = {};  // of phrases that are to be found

    bool operator==(const SharedWish&) const = default;
};

// What a viewer's page says, one thing or several at a time:
//   {"taken": 12}                the picture of this number has been shown; the next, please
//   {"clock": 1234.5}            the page's time, to be sent back with ours
//   {"look": {"mode": "mean", "layer": 3, "head": 0, "point": [x, y]}}
//                                the attention it wants to see, of the patch at a point of the
//                                frame, of a "query" of the detector or of a "word" of the caption;
//                                without any of these the strongest detection's. "track" is the
//                                number of the query's detection, which is followed; "phrase" is one
//                                of those that the asked model knows, by its number. "ask":
//                                "classifier" asks that one's patches, and its class token. null:
//                                none
//   {"set": {"threshold": 0.4}}  what all viewers share; see SharedWish
struct ViewerMessage {
    std::optional<uint64_t> taken = {};
    std::optional<double> clock = {};
    bool looks = false;  // `look` is what it wants from now on
    std::optional<RemoteLook> look = {};
    SharedWish wish = {};
};

constexpr size_t longest_message = 4096;

// Nothing where it is not one of these: who sends that is no page of ours.
std::optional<ViewerMessage> read_viewer_message(std::string_view json);

}  // namespace saccade
