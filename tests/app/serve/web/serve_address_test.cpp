#include "app/serve/web/serve_address.h"

#include <gtest/gtest.h>

#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

TEST(ServeAddressTest, reads_addresses_and_refuses_everything_else) {
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

}  // namespace
}  // namespace saccade
