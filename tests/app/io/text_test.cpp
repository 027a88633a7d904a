#include "app/io/text.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

namespace saccade {
namespace {

TEST(Text, what_commands_a_terminal_is_written_out) {
    EXPECT_EQ(one_line("a dog"), "a dog");
    EXPECT_EQ(one_line("\x1b[31mred\x1b]0;title\x07"), "\\u001b[31mred\\u001b]0;title\\u0007");
    EXPECT_EQ(one_line("two\nlines\tand\r"), "two\\u000alines\\u0009and\\u000d");
    EXPECT_EQ(for_terminal("two\nlines\tand\r"), "two\nlines\tand\\u000d");
    EXPECT_EQ(one_line("\x7f\xc2\x9b"
                       "2J"),
              "\\u007f\\u009b2J")
        << "DEL, and CSI as one character";
    EXPECT_EQ(one_line("a\xe2\x80\xae"
                       "b\xe2\x80\xa8"),
              "a\\u202eb\\u2028");
    EXPECT_EQ(one_line("caf\xe9 \xff\xc3"), "caf\\xe9 \\xff\\xc3");
    EXPECT_EQ(one_line("caf\xc3\xa9 \xf0\x9f\x90\xb1"), "caf\xc3\xa9 \xf0\x9f\x90\xb1");
    EXPECT_EQ(one_line(std::string_view("\0", 1)), "\\u0000");
}

TEST(Text, json_for_a_terminal_means_the_same) {
    const nlohmann::json before = {{"label", "\x1b[2J\x7f\xc2\x9b\n\xe2\x80\xae"}};
    const std::string printed = for_terminal(before.dump());
    EXPECT_EQ(printed.find('\x1b'), printed.npos);
    EXPECT_EQ(printed.find('\x7f'), printed.npos);
    EXPECT_EQ(nlohmann::json::parse(printed), before);
}

TEST(Text, names_become_utf8_and_come_back) {
    EXPECT_EQ(text_of_name("plain caf\xc3\xa9.mp4"), "plain caf\xc3\xa9.mp4");
    EXPECT_EQ(text_of_name("\xff"), "\xee\xbf\xbf");
    EXPECT_EQ(text_of_name("\x80"), "\xee\xbe\x80");
    // A name that has such a character differs from one that has the byte.
    EXPECT_NE(text_of_name("\xee\xbf\xbf"), text_of_name("\xff"));
    EXPECT_EQ(name_of_text(text_of_name("\xee\xbf\xbf")), "\xee\xbf\xbf");
    std::mt19937 random(1);
    for (int i = 0; i < 20'000; ++i) {
        std::string name(random() % 9, ' ');
        for (char& byte : name) byte = "ab\x80\xbe\xbf\xc3\xee\xed\xa0\xf4\x90\xff"[random() % 12];
        const std::string text = text_of_name(name);
        EXPECT_EQ(name_of_text(text), name);
        EXPECT_TRUE(is_utf8(text));
        EXPECT_EQ(is_utf8(name), nlohmann::json::accept("\"" + name + "\""));
        EXPECT_NO_THROW(nlohmann::json(text).dump()) << "it is UTF-8";
    }
}

TEST(Text, lower_case_changes_letters_of_ascii_only) {
    EXPECT_EQ(in_lower_case("Content-Length: ÄÖ Z[@"), "content-length: ÄÖ z[@");
    EXPECT_EQ(in_lower_case(""), "");
}

TEST(Text, the_closest_word_is_one_that_somebody_may_have_meant) {
    const std::vector<std::string> words{"--detector", "--device", "--classifier"};
    EXPECT_EQ(closest("--detecter", words), "--detector");
    EXPECT_EQ(closest("--devise", words), "--device");
    EXPECT_EQ(closest("--clasifier", words), "--classifier");
    EXPECT_EQ(closest("--zebra", words), "");
    EXPECT_EQ(closest("", words), "");
}

TEST(Text, a_url_is_told_without_its_login) {
    EXPECT_EQ(without_secrets("rtsp://me:secret@camera/stream"), "rtsp://camera/stream");
    EXPECT_EQ(without_secrets("rtsp://secret@camera:554"), "rtsp://camera:554");
    EXPECT_EQ(without_secrets("rtsp://me:se@cret@camera:554/a/b"), "rtsp://camera:554/a/b");
    EXPECT_EQ(without_secrets("rtsp://me:se/cret@camera/a"), "rtsp://camera/a");
    EXPECT_EQ(without_secrets("rtsp://me:12/cret@camera/a"), "rtsp://camera/a");
    EXPECT_EQ(without_secrets("rtsp://me:secret?@camera/a"), "rtsp://me:***?***");
    EXPECT_EQ(without_secrets("http://me:secret@[::1]:80/a"), "http://[::1]:80/a");
    EXPECT_EQ(without_secrets("async:rtsp://me:secret@camera/a"), "async:rtsp://camera/a");
    EXPECT_EQ(without_secrets("http://proxy/rtsp://me:secret@camera/a"), "http://camera/a");
    EXPECT_EQ(without_secrets("me:secret@camera/a"), "camera/a") << "its scheme was forgotten";
}

TEST(Text, a_url_is_told_without_the_values_of_its_query) {
    EXPECT_EQ(without_secrets("http://camera/a?user=me&password=secret"),
              "http://camera/a?user=***&password=***");
    EXPECT_EQ(without_secrets("http://camera/a?key=a=b;secret#secret"),
              "http://camera/a?key=***;***#***");
    EXPECT_EQ(without_secrets("http://camera?secret"), "http://camera?***");
    EXPECT_EQ(without_secrets("http://camera/a?url=rtsp://me:secret@other/b"),
              "http://camera/a?url=***");
    EXPECT_EQ(without_secrets("rtsp://camera/user=me&password=secret/0.sdp"),
              "rtsp://camera/user=***&password=***/0.sdp");
    EXPECT_EQ(without_secrets("camera/a.cgi?pwd=secret"), "camera/a.cgi?pwd=***");
}

TEST(Text, what_holds_no_secret_is_told_as_it_is) {
    const std::filesystem::path file = std::filesystem::temp_directory_path() / "7:30@home?k=v.mp4";
    std::ofstream(file).put('x');
    for (const std::string& name :
         {std::string("rtsp://camera/a@b"), std::string("rtsp://[fe80::1]/a?"),
          std::string("http://camera:8080/a//b"), std::string("synth:640x480@30?seed=1&objects=2"),
          std::string("screen:800x600+100+50"), std::string("me@home.mp4"), std::string("a=b.mp4"),
          std::string("/photos/img?.jpg"), std::string("a:b/c"), std::string("0"),
          std::string("/a/b@c.jpg\n/a/d:e@f.jpg"), std::string(""), file.string()})
        EXPECT_EQ(without_secrets(name), name);
    std::filesystem::remove(file);
    EXPECT_NE(without_secrets(file.string()), file.string()) << "now it may be a login";
}

TEST(Text, all_urls_in_an_error_are_told_without_secrets) {
    EXPECT_EQ(without_secrets_in("the stream 'rtsp://me:secret@camera/a?k=secret' has ended"),
              "the stream 'rtsp://camera/a?k=***' has ended");
    EXPECT_EQ(without_secrets_in("http://a:b@c/ and\nhttps://d:e@f?g"),
              "http://c/ and\nhttps://f?***");
    EXPECT_EQ(without_secrets_in("me@home: no :// and no user:name@host"),
              "me@home: no :// and no user:name@host");
    const std::string told = without_secrets_in("see 'http://camera:80/a?b=c#d' or http://x:y?z@w");
    EXPECT_EQ(without_secrets_in(told), told);
}

}  // namespace
}  // namespace saccade
