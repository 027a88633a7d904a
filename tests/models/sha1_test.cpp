#include "models/sha1.h"

#include <gtest/gtest.h>

#include <string_view>

namespace saccade {
namespace {

std::string sha1(std::string_view text, size_t piece) {
    Sha1 hash;
    for (size_t i = 0; i < text.size(); i += piece)
        hash.update(std::as_bytes(std::span(text.substr(i, piece))));
    return hex(hash.finish());
}

TEST(Sha1, digests_are_those_of_the_standard_however_the_text_is_cut) {
    for (size_t piece : {1u, 7u, 64u, 1000u}) {
        EXPECT_EQ(sha1("", piece), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
        EXPECT_EQ(sha1("abc", piece), "a9993e364706816aba3e25717850c26c9cd0d89d");
        EXPECT_EQ(sha1("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", piece),
                  "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
        EXPECT_EQ(sha1(std::string(1'000'000, 'a'), piece),
                  "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
    }
}

}  // namespace
}  // namespace saccade
