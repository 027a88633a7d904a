#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include "gpu/core/error.h"
#include "tests/places.h"

namespace saccade {

// A folder that is deleted when the test ends.
class TempFolder {
public:
    TempFolder() {
        std::string name =
            (std::filesystem::temp_directory_path() / "saccade-test-XXXXXX").string();
        if (!::mkdtemp(name.data())) throw std::runtime_error("cannot make " + name);
        path_ = name;
    }
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;
    ~TempFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

    std::filesystem::path write(std::string_view name, std::string_view content) const {
        std::ofstream(path_ / name, std::ios::binary) << content;
        return path_ / name;
    }

private:
    std::filesystem::path path_;
};

inline std::filesystem::path golden_folder() {
    return std::filesystem::path(places::tests()) / "golden";
}

// The text of the Error that `act` throws, which must be one line.
inline std::string error_of(const std::function<void()>& act) {
    try {
        act();
    } catch (const Error& e) {
        std::string text = e.what();
        EXPECT_EQ(text.find('\n'), text.npos) << text;
        EXPECT_LT(text.size(), 600u) << text;
        return text;
    }
    ADD_FAILURE() << "no Error was thrown";
    return "";
}

// The text must contain this part.
inline void expect_says(const std::string& error, std::string_view part) {
    EXPECT_NE(error.find(part), error.npos) << error << "\n  does not say: " << part;
}

}  // namespace saccade
