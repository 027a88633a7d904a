#include "app/serve/web/web_socket.h"

#include <gtest/gtest.h>

namespace saccade {
namespace {

constexpr size_t longest = 4096;
const std::string mask = "\x37\xfa\x21\x3d";

// A client's frame, with a length of its own where that is to be wrong.
std::string framed(std::string payload, int first, std::string length = "") {
    if (length.empty()) length = std::string(1, char(0x80 | payload.size()));
    for (size_t i = 0; i < payload.size(); ++i) payload[i] ^= mask[i % 4];
    return std::string(1, char(first)) + length + mask + payload;
}

CloseCode fault_of(const std::string& bytes) {
    SocketReader reader(longest);
    reader.add(bytes);
    try {
        while (reader.next()) {
        }
    } catch (const SocketFault& fault) {
        return fault.code;
    }
    return CloseCode::normal;
}

TEST(WebSocketTest, a_masked_frame_is_read_however_its_bytes_come) {
    // Section 5.7 of RFC 6455.
    const std::string hello = "\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58";
    EXPECT_EQ(framed("Hello", 0x81), hello);
    for (size_t cut = 0; cut <= hello.size(); ++cut) {
        SocketReader reader(longest);
        reader.add(hello.substr(0, cut));
        if (cut < hello.size()) {
            EXPECT_FALSE(reader.next()) << cut;
        }
        reader.add(hello.substr(cut) + framed("again", 0x82));
        const auto first = reader.next(), second = reader.next();
        ASSERT_TRUE(first && second);
        EXPECT_EQ(first->payload, "Hello");
        EXPECT_EQ(first->opcode, Opcode::text);
        EXPECT_TRUE(first->final);
        EXPECT_EQ(second->opcode, Opcode::binary);
        EXPECT_EQ(second->payload, "again");
        EXPECT_FALSE(reader.next());
    }
}

TEST(WebSocketTest, lengths_of_two_and_eight_bytes_are_read_up_to_the_longest) {
    SocketReader reader(70000);
    using namespace std::string_literals;
    reader.add(framed(std::string(126, 'a'), 0x81, "\xfe\x00\x7e"s));
    reader.add(framed(std::string(65536, 'b'), 0x81, "\xff\0\0\0\0\0\x01\0\0"s));
    EXPECT_EQ(reader.next()->payload, std::string(126, 'a'));
    EXPECT_EQ(reader.next()->payload, std::string(65536, 'b'));
    SocketReader exact(126);
    exact.add(framed(std::string(126, 'a'), 0x81, "\xfe\x00\x7e"s));
    EXPECT_TRUE(exact.next());
    exact.add("\x81\xfe\x00\x7f"s);
    EXPECT_THROW(exact.next(), SocketFault) << "before the payload comes";
}

TEST(WebSocketTest, control_frames_may_come_between_fragments) {
    SocketReader reader(longest);
    reader.add(framed("a", 0x01) + framed("p", 0x89) + framed("b", 0x00) + framed("c", 0x80) +
               framed("d", 0x81));
    std::string opcodes;
    while (const auto frame = reader.next()) opcodes += char('0' + int(frame->opcode));
    EXPECT_EQ(opcodes, "19001");
}

TEST(WebSocketTest, what_the_protocol_forbids_is_a_fault) {
    using namespace std::string_literals;
    EXPECT_EQ(fault_of("\x81\x05Hello"), CloseCode::protocol_error) << "no mask";
    EXPECT_EQ(fault_of("\x89\x00"s), CloseCode::protocol_error) << "an empty ping without a mask";
    for (const int reserved : {0x10, 0x20, 0x40})
        EXPECT_EQ(fault_of(framed("a", 0x81 | reserved)), CloseCode::protocol_error) << reserved;
    for (const int opcode : {3, 7, 11, 15})
        EXPECT_EQ(fault_of(framed("a", 0x80 | opcode)), CloseCode::protocol_error) << opcode;
    EXPECT_EQ(fault_of(framed("a", 0x80)), CloseCode::protocol_error) << "continues nothing";
    EXPECT_EQ(fault_of(framed("a", 0x01) + framed("b", 0x81)), CloseCode::protocol_error);
    EXPECT_EQ(fault_of(framed("a", 0x09)), CloseCode::protocol_error) << "a ping in parts";
    EXPECT_EQ(fault_of(framed(std::string(126, 'a'), 0x89, "\xfe\x00\x7e"s)),
              CloseCode::protocol_error)
        << "a long ping";
    EXPECT_EQ(fault_of(framed(std::string(125, 'a'), 0x89)), CloseCode::normal);
    EXPECT_EQ(fault_of(framed("a", 0x81, "\xfe\x00\x01"s)), CloseCode::protocol_error)
        << "a length in two bytes that fits into one";
    EXPECT_EQ(fault_of("\x81\xff\x80\0\0\0\0\0\0\0"s), CloseCode::protocol_error);
    EXPECT_EQ(fault_of("\x81\xff\0\0\0\0\x01\0\0\0"s), CloseCode::too_long);
    EXPECT_EQ(fault_of(framed("x", 0x88)), CloseCode::protocol_error) << "half a close code";
    for (const int code : {999, 1004, 1005, 1006, 1015, 2999, 5000})
        EXPECT_EQ(fault_of(framed({char(code >> 8), char(code)}, 0x88)), CloseCode::protocol_error)
            << code;
    EXPECT_EQ(fault_of(framed("\x03\xe8", 0x88)), CloseCode::normal) << "1000";
    EXPECT_EQ(fault_of(framed("", 0x88)), CloseCode::normal);
}

TEST(WebSocketTest, writes_headers_and_keys_as_the_standard_has_them) {
    using namespace std::string_literals;
    EXPECT_EQ(frame_header(Opcode::text, 5), "\x81\x05");
    EXPECT_EQ(frame_header(Opcode::binary, 256), "\x82\x7e\x01\x00"s);
    EXPECT_EQ(frame_header(Opcode::binary, 65536), "\x82\x7f\0\0\0\0\0\x01\0\0"s);
    EXPECT_EQ(frame_header(Opcode::pong, 125), "\x8a\x7d");
    EXPECT_EQ(close_payload(CloseCode::policy, "why"), "\x03\xf0why");
    EXPECT_EQ(accept_key("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

}  // namespace
}  // namespace saccade
