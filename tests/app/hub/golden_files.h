#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/app/hub/hub_server.h"
#include "tests/app/program.h"

namespace saccade {

inline std::string bytes_in(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

// A golden case's files, as the Hub would have them.
inline HubServer::Files golden_files(const std::string& golden) {
    const TempFolder temp;
    HubServer::Files files;
    for (const auto& entry : std::filesystem::directory_iterator(model_folder(temp, golden)))
        files[entry.path().filename()] = bytes_in(entry.path());
    return files;
}

}  // namespace saccade
