#include "app/io/line_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "gpu/core/files.h"

namespace saccade {

LineFile::LineFile(std::filesystem::path path, bool append) : path_(std::move(path)) {
    file_ = ::open(path_.c_str(),
                   O_WRONLY | O_CREAT | O_CLOEXEC | O_APPEND | (append ? 0 : O_TRUNC), 0666);
    if (file_ < 0) refuse_write(path_, errno);
}

LineFile::~LineFile() { ::close(file_); }

void LineFile::add(std::string line) {
    line += '\n';
    const off_t begin = ::lseek(file_, 0, SEEK_END);
    size_t written = 0;
    while (written < line.size()) {
        const ssize_t n = ::write(file_, line.data() + written, line.size() - written);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            const int why = n < 0 ? errno : ENOSPC;
            // Removes the part of a line that was written. If that fails too, readers drop a last
            // line without a newline.
            if (begin >= 0 && ::ftruncate(file_, begin) != 0) errno = 0;
            refuse_write(path_, why);
        }
        written += static_cast<size_t>(n);
    }
}

void LineFile::sync() {
    if (::fsync(file_) != 0 && errno != EINVAL) refuse_write(path_, errno);
}

}  // namespace saccade
