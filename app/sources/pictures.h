#pragma once

#include <filesystem>
#include <vector>

#include "app/sources/source.h"

namespace saccade {

// Whether the file's ending is that of a picture.
bool is_picture_name(const std::filesystem::path& path);

// The pictures that a text means: itself, all in a folder (not below), or all that a glob matches;
// in the order of a person, who puts frame9 before frame10. An Error where there are none.
std::vector<std::filesystem::path> find_pictures(const std::string& text);

// Pictures one after the other, each of its own size. One that cannot be read is reported and left
// out; the others keep their index, the place in the list.
class Pictures : public Source {
public:
    Pictures(const std::string& text, const SourceOptions& options);

    const SourceTraits& traits() const override { return traits_; }
    std::optional<FrameInfo> next(const GiveSlot& give) override;
    void seek(uint64_t index) override { next_ = index; }

private:
    std::vector<std::filesystem::path> files_;
    SourceTraits traits_;
    uint64_t next_ = 0;
};

}  // namespace saccade
