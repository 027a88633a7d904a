#include "app/file_beside.h"

#include <unistd.h>

#include <string>
#include <system_error>
#include <vector>

#include "gpu/error.h"

namespace saccade {

namespace {

constexpr const char* mark = ".saccade-part-";

}  // namespace

void make_folder(const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (!std::filesystem::is_directory(folder))
        throw Error("'" + folder.string() + "' cannot be made a folder");
}

FileBeside::FileBeside(std::filesystem::path path, const std::filesystem::path& folder)
    : path_(std::move(path)), beside_(folder / path_.filename()) {
    beside_ += mark + std::to_string(::getpid());
}

FileBeside::FileBeside(std::filesystem::path path) : FileBeside(path, path.parent_path()) {}

FileBeside::~FileBeside() {
    std::error_code ignored;
    std::filesystem::remove(beside_, ignored);
}

void FileBeside::finish() {
    std::error_code error;
    std::filesystem::rename(beside_, path_, error);
    if (error) throw Error("'" + path_.string() + "' cannot be written: " + error.message());
}

void FileBeside::remove_leftovers(const std::filesystem::path& folder) {
    std::error_code ignored;
    std::vector<std::filesystem::path> leftovers;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
        if (entry.path().filename().string().find(mark) != std::string::npos)
            leftovers.push_back(entry.path());
    for (const auto& file : leftovers) std::filesystem::remove(file, ignored);
}

}  // namespace saccade
