#pragma once

#include <filesystem>
#include <vector>

#include "app/frame/source.h"

namespace saccade {

// Whether the file's ending is that of a picture.
bool is_picture_name(const std::filesystem::path& path);

// The pictures that a text means: itself, or those that find_files finds. An Error where there are
// none.
std::vector<std::filesystem::path> find_pictures(const std::string& text);

// Pictures one after the other, each of its own size. One that cannot be read is reported and left
// out; the others keep their index, the place in the list.
class Pictures : public Source {
public:
    Pictures(const std::string& text, const SourceOptions& options);
    // These, in this order.
    Pictures(const std::string& name, std::vector<std::filesystem::path> files,
             const SourceOptions& options);

    const SourceTraits& traits() const override { return traits_; }
    std::optional<FrameInfo> next(const GiveSlot& give) override;
    void seek(uint64_t index) override { next_ = index; }

private:
    std::vector<std::filesystem::path> files_;
    SourceTraits traits_;
    uint64_t next_ = 0;
};

}  // namespace saccade
