#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "app/frame/source.h"
#include "app/io/file_names.h"

namespace saccade {

// Several pictures as one text: one file per line.
std::string list_of_pictures(std::span<const std::string> files);
bool is_list_of_pictures(const std::string& text);
// A title for a source; for such a list, the first file's name and the number of others.
std::string title_of_source(const SourceName& name);

// The pictures that a text names: itself, those that it lists, or those that find_files finds. An
// Error if there are none.
std::vector<std::filesystem::path> find_pictures(const std::string& text);

// A sequence of pictures, which may differ in size. A picture that cannot be read is reported and
// skipped; the others keep their index in the list.
class Pictures : public Source {
public:
    Pictures(const std::string& text, const SourceOptions& options);
    // These files, in this order.
    Pictures(const SourceName& name, std::vector<std::filesystem::path> files,
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
