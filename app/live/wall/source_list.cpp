#include "app/live/wall/source_list.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "app/io/text.h"
#include "app/sources/open_source.h"
#include "app/sources/pictures.h"
#include "gpu/core/error.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;

std::string trimmed(const std::string& text) {
    const size_t first = text.find_first_not_of(" \t\r");
    if (first == std::string::npos) return "";
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// Names are parts of addresses and files.
bool is_name(const std::string& text) {
    return !text.empty() && text.size() <= 60 && std::ranges::all_of(text, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) ||
               std::string_view("-_. ()").find(c) != std::string_view::npos;
    });
}

// What stands before the first '=', if it can be a name: URLs and globs have their own.
std::pair<std::string, std::string> name_and_source(const std::string& text) {
    const size_t equals = text.find('=');
    std::error_code none;
    if (equals == std::string::npos || fs::exists(text, none)) return {"", text};
    const std::string name = trimmed(text.substr(0, equals));
    if (!is_name(name)) return {"", text};
    return {name, trimmed(text.substr(equals + 1))};
}

std::string name_for(const SourceName& source) {
    std::string name = title_of_source(source);
    if (const size_t slash = name.find_last_of("/\\"); slash != std::string::npos)
        name = name.substr(slash + 1);
    for (char& c : name)
        if (!is_name(std::string(1, c))) c = '_';
    name = name.substr(0, 40);
    return name.empty() ? "source" : name;
}

class ListReader {
public:
    explicit ListReader(size_t most) : most_(most) {}

    void read(const std::string& text, const std::string& where, const fs::path& folder) {
        auto [name, source] = name_and_source(text);
        try {
            if (text.starts_with('=')) throw Error("there is no name before '='");
            if (source.empty())
                throw Error(name.empty() ? "an empty text names no source"
                                         : "there is no source after '='");
            std::error_code none;
            const fs::path beside = folder / source;
            if (!folder.empty() && fs::path(source).is_relative() && fs::exists(beside, none))
                source = beside.string();
            NamedSource one{name, source};
            kind_of_source(one.source);
            if (!folder.empty() && !name.empty())
                if (const fs::path zones = folder / (name + ".zones.json"); fs::exists(zones, none))
                    one.regions = read_regions(zones);
            add(std::move(one));
        } catch (const Error& error) {
            list_.troubles.push_back(std::string(error.what()) + "; " + where + " is left out");
        }
    }

    void read_file(const fs::path& file) {
        std::ifstream lines(file);
        if (!lines)
            throw Error("the list of sources '" + file.string() +
                        "' cannot be opened: check its name");
        const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
        std::string line;
        for (int number = 1; std::getline(lines, line); ++number) {
            const std::string where = file.string() + ":" + std::to_string(number);
            const std::string text = trimmed(line);
            if (text.empty() || text.front() == '#') continue;
            if (!is_utf8(text) || text.find('\0') != std::string::npos)
                list_.troubles.push_back(where + " is no text and is left out");
            else
                read(text, where, folder);
        }
    }

    SourceList finish() {
        if (too_many_ > 0)
            list_.troubles.push_back(std::to_string(list_.sources.size() + too_many_) +
                                     " sources are too many; those after the first " +
                                     std::to_string(most_) + " are left out");
        return std::move(list_);
    }

private:
    bool knows(const std::string& name) const {
        return std::ranges::find(list_.sources, name, &NamedSource::name) != list_.sources.end();
    }

    void add(NamedSource one) {
        if (knows(one.name)) throw Error("the name '" + one.name + "' is there twice");
        if (one.name.empty()) {
            const std::string name = name_for(one.source);
            one.name = name;
            for (int i = 2; knows(one.name); ++i) one.name = name + " (" + std::to_string(i) + ")";
        }
        if (list_.sources.size() == most_)
            ++too_many_;
        else
            list_.sources.push_back(std::move(one));
    }

    const size_t most_;
    SourceList list_;
    size_t too_many_ = 0;
};

}  // namespace

SourceList sources_from(std::span<const std::string> named, size_t most) {
    // One source is opened as it was named, and says itself what is wrong with it.
    if (named.size() == 1 && !named.front().starts_with('@') &&
        name_and_source(named.front()).first.empty())
        return {{{"", named.front()}}, {}};
    ListReader reader(most);
    for (size_t i = 0; i < named.size(); ++i) {
        const std::string& text = named[i];
        if (text.starts_with('@')) {
            reader.read_file(text.substr(1));
            continue;
        }
        const auto [name, source] = name_and_source(text);
        // A URL may hold a password.
        const std::string called = name.empty() ? SourceName(source).text() : name;
        reader.read(text, "source " + std::to_string(i + 1) + " ('" + called + "')", {});
    }
    SourceList list = reader.finish();
    if (list.sources.empty())
        throw Error(list.troubles.empty() ? "the list names no source" : list.troubles.front());
    return list;
}

}  // namespace saccade
