#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "app/frame/source.h"
#include "app/io/file_names.h"

namespace saccade {

// Several pictures as one text: a file in each line.
std::string list_of_pictures(std::span<const std::string> files);
bool is_list_of_pictures(const std::string& text);
// What people call a source: of such a list, the first file's name and how many there are more.
std::string title_of_source(const std::string& text);

// The pictures that a text means: itself, those that it lists, or those that find_files finds. An
// Error where there are none.
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
