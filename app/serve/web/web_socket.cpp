#include "app/serve/web/web_socket.h"

#include <openssl/evp.h>

#include <vector>

#include "app/io/digest.h"

namespace saccade {

namespace {

constexpr size_t longest_control = 125;  // section 5.5

SocketFault broken(const char* reason) { return {CloseCode::protocol_error, reason}; }

bool is_control(Opcode opcode) { return opcode >= Opcode::close; }

bool is_known(Opcode opcode) {
    return opcode <= Opcode::binary || (is_control(opcode) && opcode <= Opcode::pong);
}

// Codes that a close frame may have.
bool is_close_code(unsigned code) {
    return (code >= 3000 && code <= 4999) ||
           (code >= 1000 && code <= 1014 && (code < 1004 || code > 1006));
}

// The fault of a frame by its first two bytes.
void check_first_bytes(uint8_t first, uint8_t second, bool joining) {
    const auto opcode = Opcode(first & 0x0f);
    if (first & 0x70) throw broken("reserved bits are set");
    if (!is_known(opcode)) throw broken("unknown opcode");
    if (!(second & 0x80)) throw broken("frames of clients are masked");
    if (is_control(opcode)) {
        if (!(first & 0x80)) throw broken("control frames are not split");
        if ((second & 0x7f) > longest_control) throw broken("control frames are short");
    } else if (joining != (opcode == Opcode::more)) {
        throw broken("fragments of different messages are mixed");
    }
}

}  // namespace

std::optional<SocketFrame> SocketReader::next() {
    const auto byte = [&](size_t i) { return uint8_t(bytes_[i]); };
    if (bytes_.size() < 2) return std::nullopt;
    check_first_bytes(byte(0), byte(1), joining_);
    uint64_t length = byte(1) & 0x7f;
    size_t at = 2;
    if (length >= 126) {
        const size_t extended = length == 126 ? 2 : 8;
        if (bytes_.size() < at + extended) return std::nullopt;
        length = 0;
        for (size_t i = 0; i < extended; ++i) length = length << 8 | byte(at + i);
        at += extended;
        if (length < (extended == 2 ? 126u : 65536u) || length >> 63)
            throw broken("the length is not written in the shortest way");
    }
    if (length > longest_) throw SocketFault{CloseCode::too_long, "message too long"};
    if (bytes_.size() < at + 4 + length) return std::nullopt;

    SocketFrame frame{Opcode(byte(0) & 0x0f), (byte(0) & 0x80) != 0, bytes_.substr(at + 4, length)};
    for (size_t i = 0; i < frame.payload.size(); ++i) frame.payload[i] ^= bytes_[at + i % 4];
    bytes_.erase(0, at + 4 + length);
    if (!is_control(frame.opcode)) joining_ = !frame.final;
    if (frame.opcode == Opcode::close && !frame.payload.empty()) {
        const auto code = [&](size_t i) { return unsigned(uint8_t(frame.payload[i])); };
        if (frame.payload.size() < 2 || !is_close_code(code(0) << 8 | code(1)))
            throw broken("unknown close code");
    }
    return frame;
}

std::string frame_header(Opcode opcode, size_t length) {
    std::string header(1, char(0x80 | uint8_t(opcode)));
    const size_t extended = length < 126 ? 0 : length < 65536 ? 2 : 8;
    header += char(extended == 0 ? length : extended == 2 ? 126 : 127);
    for (size_t i = extended; i-- > 0;) header += char(uint64_t(length) >> 8 * i);
    return header;
}

std::string close_payload(CloseCode code, std::string_view reason) {
    const auto number = uint16_t(code);
    return std::string{char(number >> 8), char(number)}.append(reason);
}

std::string accept_key(std::string_view key) {
    Digest digest = Digest::sha1();
    digest.update(key);
    digest.update("258EAFA5-E914-47DA-95CA-C5AB0DC85B11");  // section 1.3
    const std::vector<std::byte> sum = digest.finish();
    unsigned char text[32];
    const int length = ::EVP_EncodeBlock(text, reinterpret_cast<const unsigned char*>(sum.data()),
                                         int(sum.size()));
    return {reinterpret_cast<const char*>(text), size_t(length)};
}

}  // namespace saccade
