#include "app/serve/web/door.h"

#include <gtest/gtest.h>

#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

TEST(DoorTest, reads_addresses_and_refuses_everything_else) {
    EXPECT_EQ(parse_serve_address("8080"), (ServeAddress{"127.0.0.1", 8080}));
    EXPECT_EQ(parse_serve_address("localhost:1"), (ServeAddress{"127.0.0.1", 1}));
    EXPECT_EQ(parse_serve_address("0.0.0.0:65535"), (ServeAddress{"0.0.0.0", 65535}));
    EXPECT_EQ(parse_serve_address("[::1]:80"), (ServeAddress{"::1", 80}));
    EXPECT_TRUE(parse_serve_address("8080").loopback());
    EXPECT_TRUE(parse_serve_address("[::1]:80").loopback());
    EXPECT_FALSE(parse_serve_address("0.0.0.0:80").loopback());
    for (const char* text : {"", ":", "65536", "-1", "80x", "host:", ":80", "::1:80", "[::1]80"})
        expect_says(error_of([&] { parse_serve_address(text); }), "[HOST:]PORT");
    EXPECT_EQ(host_and_port("::1", 80), "[::1]:80");

    EXPECT_EQ(parse_origin("https://Cam.Example.org/"), "https://cam.example.org");
    EXPECT_EQ(parse_origin("http://cam:8443"), "http://cam:8443");
    for (const char* text :
         {"cam.example.org", "https://", "https://a/b", "ftp://a", "https://a b"})
        expect_says(error_of([&] { parse_origin(text); }), "--origin");
    expect_says(error_of([&] { parse_origin("two\nlines"); }), "two\\u000alines");
    expect_says(error_of([&] { parse_serve_address("two\nlines"); }), "two\\u000alines");
}

TEST(DoorTest, on_loopback_only_names_of_loopback_are_known) {
    const Door door({"127.0.0.1", 8080}, "", "");
    for (const char* host :
         {"localhost:8080", "LOCALHOST:9000", "127.0.0.1:8080", "127.0.0.1", "[::1]:8080"})
        EXPECT_TRUE(door.knows_host(host)) << host;
    // A page of evil.example whose name leads to 127.0.0.1 all of a sudden still says its name.
    for (const char* host : {"", "evil.example:8080", "127.0.0.1.evil.example", "192.168.0.7:8080",
                             "localhost.evil.example", "[", "[]", ":8080"})
        EXPECT_FALSE(door.knows_host(host)) << host;
}

TEST(DoorTest, elsewhere_addresses_are_known_and_names_of_others_are_not) {
    const Door door({"0.0.0.0", 8080}, "https://cam.example.org", "token");
    for (const char* host : {"192.168.0.7:8080", "[fe80::1]:8080", "localhost", "cam.example.org"})
        EXPECT_TRUE(door.knows_host(host)) << host;
    for (const char* host : {"evil.example", "cam.example.org.evil.example", "1.2.3.4.5"})
        EXPECT_FALSE(door.knows_host(host)) << host;
}

TEST(DoorTest, only_our_own_pages_may_ask) {
    const Door door({"127.0.0.1", 8080}, "", "");
    EXPECT_TRUE(door.knows_origin("", "localhost:8080")) << "no page asks";
    EXPECT_TRUE(door.knows_origin("http://localhost:8080", "localhost:8080"));
    for (const char* origin : {"null", "http://localhost", "http://localhost:8081",
                               "https://localhost:8080", "http://evil.example"})
        EXPECT_FALSE(door.knows_origin(origin, "localhost:8080")) << origin;
    const Door behind({"127.0.0.1", 8080}, "https://cam.example.org", "token");
    EXPECT_TRUE(behind.knows_origin("https://cam.example.org", "127.0.0.1:8080"));
    EXPECT_FALSE(behind.knows_origin("http://cam.example.org", "127.0.0.1:8080"));
}

TEST(DoorTest, opens_to_its_token_and_no_other) {
    const std::string token = make_token();
    EXPECT_EQ(token.size(), 32u);
    EXPECT_NE(token, make_token());
    const Door door({"0.0.0.0", 8080}, "", token);
    EXPECT_TRUE(door.locked());
    EXPECT_TRUE(door.opens_to(token));
    for (const std::string& other : {std::string(), token.substr(1), token + "0", make_token()})
        EXPECT_FALSE(door.opens_to(other));
    EXPECT_TRUE(Door({"127.0.0.1", 8080}, "", "").opens_to(""));
}

}  // namespace
}  // namespace saccade
