#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// The framing of RFC 6455, for a server. libwebsockets before version 5 also takes frames without a
// mask, and its users never learn of pings; so it serves HTTP only.

namespace saccade {

enum class Opcode : uint8_t { more = 0, text = 1, binary = 2, close = 8, ping = 9, pong = 10 };

// Why a connection is closed, as section 7.4.1 numbers it.
enum class CloseCode : uint16_t {
    normal = 1000,
    protocol_error = 1002,
    unsupported = 1003,  // a binary message
    not_utf8 = 1007,
    policy = 1008,
    too_long = 1009,
};

struct SocketFrame {
    Opcode opcode = Opcode::text;
    bool final = true;
    std::string payload;  // unmasked
};

// Thrown where a client breaks the rules: the connection is to be closed.
struct SocketFault {
    CloseCode code;
    const char* reason;
};

// Splits the bytes of a client into frames.
class SocketReader {
public:
    // `longest`: the most bytes of a payload.
    explicit SocketReader(size_t longest) : longest_(longest) {}

    void add(std::string_view bytes) { bytes_ += bytes; }
    // The next frame; nothing if there is no whole one yet. Throws a SocketFault.
    std::optional<SocketFrame> next();

private:
    const size_t longest_;
    std::string bytes_;     // that are in no frame yet
    bool joining_ = false;  // the next frame continues a message
};

constexpr size_t longest_frame_header = 10;
// The header of a frame, which the payload follows. Servers do not mask.
std::string frame_header(Opcode opcode, size_t length);
std::string close_payload(CloseCode code, std::string_view reason);

// The value of Sec-WebSocket-Accept for a client's Sec-WebSocket-Key.
std::string accept_key(std::string_view key);

}  // namespace saccade
