#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace saccade {

// A socket to a port of this machine. It sends any bytes, valid HTTP or not.
class Client {
public:
    explicit Client(uint16_t port, int receive_buffer = 0)
        : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        if (receive_buffer > 0)
            ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
        sockaddr_in to{};
        to.sin_family = AF_INET;
        to.sin_port = htons(port);
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (::connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0)
            throw std::runtime_error("cannot connect");
    }
    Client(Client&& other) noexcept
        : socket_(std::exchange(other.socket_, -1)), waiting_(std::move(other.waiting_)) {}
    Client& operator=(Client&&) = delete;
    ~Client() {
        if (socket_ >= 0) ::close(socket_);
    }

    // Returns false if the connection is closed.
    bool send(std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (count <= 0) return false;
            bytes.remove_prefix(size_t(count));
        }
        return true;
    }
    // Reads some more bytes. Returns false at the end, or after the timeout.
    bool receive(int timeout_ms = 5000) {
        pollfd ready{socket_, POLLIN, 0};
        char piece[65536];
        if (::poll(&ready, 1, timeout_ms) <= 0) return false;
        const ssize_t count = ::recv(socket_, piece, sizeof piece, 0);
        if (count <= 0) {
            closed_ = true;
            return false;
        }
        waiting_.append(piece, size_t(count));
        return true;
    }
    // True if the server closes the connection within the timeout.
    bool closed(int timeout_ms = 5000) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
        while (!closed_ && std::chrono::steady_clock::now() < end) receive(100);
        return closed_;
    }
    // Everything up to the end of the connection.
    std::string rest() {
        while (receive()) {
        }
        return std::exchange(waiting_, {});
    }
    std::string until(const std::string& mark) {
        size_t at;
        while ((at = waiting_.find(mark)) == waiting_.npos)
            if (!receive()) return std::exchange(waiting_, {});
        std::string result = waiting_.substr(0, at + mark.size());
        waiting_.erase(0, result.size());
        return result;
    }
    std::string take(size_t count) {
        while (waiting_.size() < count)
            if (!receive()) return {};
        std::string result = waiting_.substr(0, count);
        waiting_.erase(0, count);
        return result;
    }

private:
    int socket_;
    std::string waiting_;
    bool closed_ = false;
};

struct Reply {
    int status = 0;
    std::string headers, body;
};

inline Reply read_reply(Client& client) {
    Reply reply;
    reply.headers = client.until("\r\n\r\n");
    if (reply.headers.size() < 12) return reply;
    reply.status = std::atoi(reply.headers.c_str() + 9);
    const size_t at = reply.headers.find("content-length: ");
    if (at != std::string::npos)
        reply.body = client.take(size_t(std::atoi(&reply.headers[at + 16])));
    return reply;
}

inline std::string request(const std::string& path, const std::string& more = "",
                           const std::string& method = "GET",
                           const std::string& host = "localhost") {
    return method + " " + path + " HTTP/1.1\r\nHost: " + host + "\r\n" + more + "\r\n";
}
inline Reply get(uint16_t port, const std::string& path, const std::string& more = "") {
    Client client(port);
    client.send(request(path, more));
    return read_reply(client);
}

// A page's end of a WebSocket.
class TestViewer {
public:
    explicit TestViewer(uint16_t port, const std::string& more = "", int receive_buffer = 0,
                        const std::string& path = "/watch")
        : client_(port, receive_buffer) {
        client_.send(request(path,
                             "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                             "Sec-WebSocket-Version: 13\r\n"
                             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                             "Sec-WebSocket-Protocol: saccade\r\n" +
                                 more));
        status = read_reply(client_).status;
    }

    int status = 0;

    static std::string framed(std::string_view payload, int opcode = 1) {
        std::string frame(1, char(0x80 | opcode));
        if (payload.size() < 126) {
            frame += char(0x80 | payload.size());
        } else if (payload.size() < 65536) {
            frame += char(0x80 | 126);
            frame += char(payload.size() >> 8);
            frame += char(payload.size());
        } else {
            frame += char(0x80 | 127);
            for (int shift = 56; shift >= 0; shift -= 8) frame += char(payload.size() >> shift);
        }
        frame += std::string(4, '\0');  // a mask of zeros
        return frame + std::string(payload);
    }
    bool say(std::string_view payload, int opcode = 1) {
        return client_.send(framed(payload, opcode));
    }
    bool send(std::string_view bytes) { return client_.send(bytes); }
    bool take(uint64_t number) { return say("{\"taken\": " + std::to_string(number) + "}"); }

    struct Message {
        int opcode = -1;
        std::string payload;
    };
    // The next message; opcode -1 if there is none.
    Message next() {
        const std::string head = client_.take(2);
        if (head.size() < 2) return {};
        uint64_t length = uint8_t(head[1]) & 127u;
        if (length >= 126) {
            const std::string bytes = client_.take(length == 126 ? 2 : 8);
            length = 0;
            for (const char byte : bytes) length = length << 8 | uint8_t(byte);
        }
        Message message{head[0] & 15, client_.take(length)};
        if (message.opcode == 9) {
            say(message.payload, 10);
            return next();
        }
        return message;
    }
    // The next picture's JSON, with "bytes" of picture and map.
    nlohmann::json picture() {
        for (int i = 0; i < 200; ++i) {
            const Message message = next();
            if (message.opcode == -1 || message.opcode == 8) return nullptr;
            if (message.opcode != 2) continue;
            uint32_t length;
            std::memcpy(&length, message.payload.data(), 4);
            nlohmann::json json = nlohmann::json::parse(message.payload.substr(4, length));
            jpeg = message.payload.substr(4 + length, json["jpeg"]);
            levels = message.payload.substr(4 + length + size_t(json["jpeg"]));
            return json;
        }
        return nullptr;
    }
    // The next message with the shared state.
    nlohmann::json news() {
        for (int i = 0; i < 200; ++i) {
            const Message message = next();
            if (message.opcode == -1 || message.opcode == 8) return nullptr;
            if (message.opcode != 1) continue;
            nlohmann::json json = nlohmann::json::parse(message.payload);
            if (json.contains("you")) return json;
        }
        return nullptr;
    }
    bool closed() { return client_.closed(); }
    // The code of the close frame; 0 if there is none.
    int close_code() {
        for (int i = 0; i < 200; ++i) {
            const Message message = next();
            if (message.opcode == -1) return 0;
            if (message.opcode == 8)
                return message.payload.size() < 2
                           ? 0
                           : uint8_t(message.payload[0]) << 8 | uint8_t(message.payload[1]);
        }
        return 0;
    }

    std::string jpeg, levels;

private:
    Client client_;
};

}  // namespace saccade
