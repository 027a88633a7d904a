#pragma once

#include <cstdint>
#include <vector>

namespace saccade {

// A range of bytes of a buffer, or a whole image, that a command reads or writes.
struct Access {
    const void* object;
    uint64_t begin, end;
    bool write;
};

inline bool overlap(const Access& a, const Access& b) {
    return a.object == b.object && a.begin < b.end && b.begin < a.end;
}

// The accesses since the last barrier. The next command needs a barrier where it reads after a
// write or writes after a read or a write.
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
