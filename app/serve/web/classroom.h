#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/serve/web/connections.h"

namespace saccade {

// A class that follows a lecture: where the teacher is, by source. Whoever has the key teaches.
// Only the server's thread uses it.
class Classroom {
public:
    explicit Classroom(bool open);

    bool open() const { return !key_.empty(); }
    const std::string& key() const { return key_; }
    // Lets a client teach if the key is right.
    void let_teach(Connection& c, std::string_view key);
    void move(size_t source, std::vector<int32_t> place);
    uint64_t version() const { return version_; }  // goes up with every change
    // {"class": {"lecture": LectureNews, "at": the teacher's place or null, "teaches": of this
    // client, "here": how many there are besides teachers}}
    std::string message_for(const Connection& c, Connections& connections) const;

private:
    const std::string key_;  // empty: there is no class
    std::map<size_t, std::vector<int32_t>> places_;
    uint64_t version_ = 0;
};

}  // namespace saccade
