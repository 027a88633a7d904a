#pragma once

#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace saccade {

// Things that a person asks for once.
struct SaveFrame {};  // the annotated frame as a picture
struct SaveView {};   // what the window shows as a picture
struct SaveMaps {};   // the maps that are shown as .npy files
struct MakePage {     // the page of `saccade inspect`, or of `lecture`, for the frame that is shown
    bool lecture = false;
    // Where the bare frame is written; empty: beside other pictures, with the next number.
    std::string file = {};
};
struct OpenSource {};  // Wishes::source, also if it is open already
struct Seek {
    uint64_t frame = 0;  // of the file, counted from 0
    int by = 0;          // if not 0: this many frames from the last one that was sought or shown
};
struct Quit {};
using Event = std::variant<SaveFrame, SaveView, SaveMaps, MakePage, OpenSource, Seek, Quit>;

// A queue of them. The window and the loop each take out the kinds that they handle.
class Events {
public:
    template <typename Kind>
    void add(Kind event) {
        queue_.emplace_back(std::move(event));
    }
    void add(Events&& others) {
        queue_.insert(queue_.end(), others.queue_.begin(), others.queue_.end());
        others.queue_.clear();
    }
    // All of one kind, oldest first.
    template <typename Kind>
    std::vector<Kind> take() {
        std::vector<Kind> taken;
        std::erase_if(queue_, [&](const Event& event) {
            const Kind* const one = std::get_if<Kind>(&event);
            if (one) taken.push_back(*one);
            return one != nullptr;
        });
        return taken;
    }
    bool empty() const { return queue_.empty(); }

private:
    std::vector<Event> queue_;
};

}  // namespace saccade
