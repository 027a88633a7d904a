#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>

#include <memory>

#include "app/sources/capture.h"
#include "tests/app/sources/clips.h"

// Network cameras on the loopback interface, and options with short timeouts for them.

namespace saccade {

using namespace std::chrono_literals;

// A port of this machine without a listener.
inline int free_port() {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(socket, reinterpret_cast<sockaddr*>(&address), size);
    ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
    ::close(socket);
    return ntohs(address.sin_port);
}

// A network camera that serves one viewer, endlessly.
class NetworkCamera {
public:
    NetworkCamera(std::string clip, Words how, std::string url)
        : words_{"-nostdin", "-v", "error", "-re", "-stream_loop", "-1", "-i", std::move(clip)} {
        words_.insert(words_.end(), how.begin(), how.end());
        words_.push_back(std::move(url));
    }
    void start() { program_ = std::make_unique<Program>(ffmpeg_program(), words_); }
    void cut() { program_.reset(); }
    void freeze() { program_->send(SIGSTOP); }

private:
    Words words_;
    std::unique_ptr<Program> program_;
};

inline const CaptureOptions impatient{.source = {.open_timeout = 4000ms, .read_timeout = 700ms},
                                      .first_retry = 50ms,
                                      .last_retry = 200ms};

}  // namespace saccade
