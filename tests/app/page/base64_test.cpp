#include "app/page/base64.h"

#include <gtest/gtest.h>

#include <string_view>

namespace saccade {
namespace {

TEST(Base64, is_that_of_the_rfc) {
    auto encoded = [](std::string_view text) { return base64(std::as_bytes(std::span(text))); };
    EXPECT_EQ(encoded(""), "");
    EXPECT_EQ(encoded("f"), "Zg==");
    EXPECT_EQ(encoded("fo"), "Zm8=");
    EXPECT_EQ(encoded("foo"), "Zm9v");
    EXPECT_EQ(encoded("foobar"), "Zm9vYmFy");
    EXPECT_EQ(encoded("\xff\xfe\xfd"), "//79");
}

}  // namespace
}  // namespace saccade
