#pragma once

#include <cstdint>
#include <vector>

namespace saccade {

// What a command reads or writes: a range of bytes of a buffer, or the whole of an image.
struct Access {
    const void* object;
    uint64_t begin, end;
    bool write;
};

inline bool overlap(const Access& a, const Access& b) {
    return a.object == b.object && a.begin < b.end && b.begin < a.end;
}

// Remembers what has been read and written since the last barrier, and tells when the next command
// would meet something unfinished: a read after a write, or a write after either.
class Hazards {
public:
    bool conflicts(const Access& access) const {
        for (const Access& earlier : since_barrier_)
            if ((earlier.write || access.write) && overlap(earlier, access)) return true;
        return false;
    }
    void add(const Access& access) { since_barrier_.push_back(access); }
    void barrier() { since_barrier_.clear(); }

private:
    std::vector<Access> since_barrier_;
};

}  // namespace saccade
