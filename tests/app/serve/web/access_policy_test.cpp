#include "app/serve/web/access_policy.h"

#include <gtest/gtest.h>

#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

TEST(AccessPolicyTest, on_loopback_only_names_of_loopback_are_allowed) {
    const AccessPolicy policy({"127.0.0.1", 8080}, "", "");
    for (const char* host :
         {"localhost:8080", "LOCALHOST:9000", "127.0.0.1:8080", "127.0.0.1", "[::1]:8080"})
        EXPECT_TRUE(policy.allows_host(host)) << host;
    // DNS rebinding: evil.example resolves to 127.0.0.1, and its page still sends its own name.
    for (const char* host : {"", "evil.example:8080", "127.0.0.1.evil.example", "192.168.0.7:8080",
                             "localhost.evil.example", "[", "[]", ":8080"})
        EXPECT_FALSE(policy.allows_host(host)) << host;
}

TEST(AccessPolicyTest, elsewhere_addresses_are_allowed_and_foreign_names_are_not) {
    const AccessPolicy policy({"0.0.0.0", 8080}, "https://cam.example.org", "token");
    for (const char* host : {"192.168.0.7:8080", "[fe80::1]:8080", "localhost", "cam.example.org"})
        EXPECT_TRUE(policy.allows_host(host)) << host;
    for (const char* host : {"evil.example", "cam.example.org.evil.example", "1.2.3.4.5"})
        EXPECT_FALSE(policy.allows_host(host)) << host;
}

TEST(AccessPolicyTest, only_pages_of_its_own_origin_are_allowed) {
    const AccessPolicy policy({"127.0.0.1", 8080}, "", "");
    EXPECT_TRUE(policy.allows_origin("", "localhost:8080")) << "not from a page";
    EXPECT_TRUE(policy.allows_origin("http://localhost:8080", "localhost:8080"));
    for (const char* origin : {"null", "http://localhost", "http://localhost:8081",
                               "https://localhost:8080", "http://evil.example"})
        EXPECT_FALSE(policy.allows_origin(origin, "localhost:8080")) << origin;
    const AccessPolicy behind({"127.0.0.1", 8080}, "https://cam.example.org", "token");
    EXPECT_TRUE(behind.allows_origin("https://cam.example.org", "127.0.0.1:8080"));
    EXPECT_FALSE(behind.allows_origin("http://cam.example.org", "127.0.0.1:8080"));
}

TEST(AccessPolicyTest, accepts_its_token_and_no_other) {
    const std::string token = make_token();
    EXPECT_EQ(token.size(), 32u);
    EXPECT_NE(token, make_token());
    const AccessPolicy policy({"0.0.0.0", 8080}, "", token);
    EXPECT_TRUE(policy.needs_token());
    EXPECT_TRUE(policy.accepts_token(token));
    for (const std::string& other : {std::string(), token.substr(1), token + "0", make_token()})
        EXPECT_FALSE(policy.accepts_token(other));
    EXPECT_TRUE(AccessPolicy({"127.0.0.1", 8080}, "", "").accepts_token(""));
}

}  // namespace
}  // namespace saccade
