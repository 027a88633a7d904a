#include "app/io/digest.h"

#include <gtest/gtest.h>

namespace saccade {
namespace {

std::string digest_of(Digest digest, std::string_view text, size_t piece) {
    for (size_t i = 0; i < text.size(); i += piece) digest.update(text.substr(i, piece));
    return hex(digest.finish());
}

TEST(Digest, digests_are_those_of_the_standard_however_the_text_is_cut) {
    const std::string million(1'000'000, 'a');
    for (size_t piece : {1u, 7u, 64u, 1000u}) {
        auto sha1 = [&](std::string_view text) { return digest_of(Digest::sha1(), text, piece); };
        EXPECT_EQ(sha1(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
        EXPECT_EQ(sha1("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
        EXPECT_EQ(sha1(million), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
        auto sha256 = [&](std::string_view text) {
            return digest_of(Digest::sha256(), text, piece);
        };
        EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        EXPECT_EQ(sha256("abc"),
                  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        EXPECT_EQ(sha256(million),
                  "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }
}

}  // namespace
}  // namespace saccade
