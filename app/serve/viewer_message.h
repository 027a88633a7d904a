#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cause/head_off.h"
#include "app/live/state/wishes.h"

namespace saccade {

// A change of the state that all viewers share. Names that are not offered change nothing.
struct SharedWish {
    uint32_t viewer = 0;  // its number; 0: the server itself
    std::optional<std::string> detector = {}, classifier = {}, captioner = {}, source = {};
    std::optional<float> threshold = {};
    std::optional<uint32_t> detector_stride = {}, classifier_stride = {};
    std::map<std::string, bool> switches = {};  // by their names in the table of controls
    std::optional<uint64_t> seek = {};          // the frame of the file to go to
    std::optional<Regions> regions = {};        // lines and zones of the source
    // Prompts: phrases to find, labels to choose from, a question.
    std::optional<std::string> find = {}, labels = {}, question = {};
    bool lecture = false;                            // a lecture of the newest frame is to be made
    std::map<std::string, float> least_scores = {};  // of phrases that are to be found
    bool heads_on = false;                           // all heads are on again, and then
    std::map<HeadOff, bool> heads = {};              // whether each of these is off

    bool operator==(const SharedWish&) const = default;
};

// A message of a viewer's page, with one or several of these:
//   {"taken": 12}                the picture of this number is on screen; the page wants the next
//   {"clock": 1234.5}            the page's time, to be sent back with the server's
//   {"look": {"mode": "mean", "layer": 3, "head": 0, "point": [x, y]}}
//                                the attention maps that it wants: of the patch at a point of the
//                                frame, of a "query" of the detector, of a "word" of the caption,
//                                or of a "phrase", by their indices; without any of these, of the
//                                strongest detection. "track" is the number of the query's
//                                detection, which is followed. "ask": "classifier" shows maps of
//                                that model's patches, or of its class token. null: no maps
//   {"teach": "KEY"}             the page belongs to who teaches the class
//   {"at": [3, 12, ...]}         where the teacher is in the lecture: see follow.js
//   {"set": {"threshold": 0.4, "track": true}}
//                                a change of the shared state; see SharedWish. "heads":
//                                [["detector", layer, head, true]] keeps heads off, false puts
//                                them back, "heads_on": true all of them
struct ViewerMessage {
    std::optional<uint64_t> taken = {};
    std::optional<double> clock = {};
    bool looks = false;  // the message has a `look`, or null for it
    std::optional<RemoteLook> look = {};
    SharedWish wish = {};
    std::string key = {};          // the teacher's
    std::vector<int32_t> at = {};  // the teacher's place
};

constexpr size_t longest_message = 4096;

// None for any other text: it does not come from our page.
std::optional<ViewerMessage> read_viewer_message(std::string_view json);

}  // namespace saccade
