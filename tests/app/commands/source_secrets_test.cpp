// Everything that leaves the program, with a source that holds secrets of three kinds: the login of
// a URL, values of its query, and one in its path.

#include <gtest/gtest.h>

#include <thread>

#include "tests/app/serve/page/served_page.h"
#include "tests/app/serve/web/client.h"
#include "tests/app/sources/network_camera.h"

namespace saccade {
namespace {

// Each secret has this word in it.
constexpr const char* secret = "SECRET";

std::string url_of(int port) {
    return "http://SECRET-user:SECRET-login@127.0.0.1:" + std::to_string(port) +
           "/key=SECRET-path/stream?password=SECRET-value&SECRET-token#SECRET-end";
}
std::string shown_url_of(int port) {
    return "http://127.0.0.1:" + std::to_string(port) + "/key=***/stream?password=***&***#***";
}

void expect_no_secret(const std::string& text, const std::string& where) {
    EXPECT_EQ(text.find(secret), text.npos) << where << ":\n" << text;
}

void expect_no_secret(const Outcome& outcome, const std::string& where) {
    expect_no_secret(outcome.out, where + ", standard output");
    expect_no_secret(outcome.err, where + ", standard error");
}

// The state that a page gets, once it holds `part`.
nlohmann::json state_with(TestViewer& viewer, const std::string& part) {
    for (int i = 0; i < 400; ++i) {
        const nlohmann::json news = viewer.news();
        if (news.is_null() || news["state"].dump().find(part) != std::string::npos) return news;
    }
    ADD_FAILURE() << "no state has '" << part << "'";
    return nullptr;
}

TEST(SourceSecrets, do_not_reach_viewers_or_the_log) {
    const TempFolder temp;
    const int port = free_port(), down_port = free_port();
    NetworkCamera camera(make_clip(temp, "clip.mp4", 25),
                         {"-c:v", "mjpeg", "-f", "mpjpeg", "-listen", "1"},
                         "http://127.0.0.1:" + std::to_string(port));
    camera.start();
    // Two offers that differ in their secrets alone.
    const std::string down = url_of(down_port);
    Program program(places::program(),
                    on_test_device({"live", url_of(port), "--headless", "--serve", "0", "--verbose",
                                    "--offer", down, "--offer", down + "2", "--detector", "none",
                                    "--classifier", "none", "--captioner", "none"}));
    const uint16_t at = port_of(address_of(program));
    TestViewer viewer(at);
    ASSERT_EQ(viewer.status, 101) << program.wait().err;
    const nlohmann::json picture = viewer.picture();
    ASSERT_FALSE(picture.is_null());
    EXPECT_EQ(picture["line"]["source"], shown_url_of(port));
    expect_no_secret(picture.dump(), "a picture's message");
    for (const char* path : {"/", "/frame.json", "/metrics", "/healthz"})
        expect_no_secret(get(at, path).body, path);
    expect_says(get(at, "/").body, "<title>Saccade: " + shown_url_of(port).substr(0, 20));
    Client listener(at);
    listener.send(request("/events"));
    listener.until("\r\n\r\n");
    expect_no_secret(listener.until("\n\n"), "/events");

    const nlohmann::json playing = viewer.news();
    expect_no_secret(playing.dump(), "the state while it plays");
    const std::string title = shown_url_of(down_port);
    EXPECT_EQ(playing["state"]["sources"],
              (std::vector<std::string>{shown_url_of(port), title, title + " (2)"}));
    viewer.say(nlohmann::json{{"set", {{"source", title + " (2)"}}}}.dump());
    const nlohmann::json opening = state_with(viewer, "cannot be opened");
    expect_no_secret(opening.dump(), "the state while it is down");
    EXPECT_EQ(opening["state"]["source"], title + " (2)");
    program.send(SIGTERM);
    const Outcome outcome = program.wait();
    expect_no_secret(outcome, "live");
    expect_says(outcome.err, "the stream '" + title + "' cannot be opened");
}

TEST(SourceSecrets, are_not_in_what_batch_writes_and_do_not_keep_it_from_resuming) {
    const TempFolder temp;
    const std::string url = url_of(free_port()), out = temp / "out";
    const Words words =
        on_test_device({"batch", url, url + "2", "synth:96x64?frames=2", "-o", out, "--csv",
                        "--detector", "none", "--classifier", "none", "--captioner", "none"});
    const Outcome first = saccade_program(words);
    expect_no_secret(first, "batch");
    expect_says(first.err, "/key=***/stream?password=***");
    expect_says(first.err, "is live, but batch reads files");
    Words again = words;
    again.emplace_back("--resume");
    const Outcome second = saccade_program(again);
    expect_no_secret(second, "batch --resume");
    EXPECT_EQ(second.code, first.code) << second.err;
    int files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(out)) {
        expect_no_secret(entry.path().string(), "the name of a file");
        if (!entry.is_regular_file()) continue;
        expect_no_secret(file_content(entry.path()), entry.path());
        ++files;
    }
    EXPECT_GE(files, 4) << "FRAMES.jsonl, frames.csv, run.json, synth.mp4";
}

TEST(SourceSecrets, are_not_in_errors_about_pictures_and_command_lines) {
    const std::string url = url_of(free_port()), bare = url.substr(7);
    const TempFolder temp;
    for (const Words& words :
         std::vector<Words>{{"classify", url},
                            {"detect", url},
                            {"caption", bare},
                            {"inspect", url, "-o", temp / "page"},
                            {"inspect", url, "--frame", "1", "-o", temp / "page"},
                            {"bench", "--pipeline", url},
                            {"live", bare, "--headless", "--detector", "none", "--classifier",
                             "none", "--captioner", "none"},
                            {url}}) {
        const Outcome outcome = saccade_program(
            words.size() > 2 || words[0] == "detect" ? on_test_device(words) : words);
        EXPECT_NE(outcome.code, 0) << words[0];
        expect_no_secret(outcome, words[0]);
        expect_says(outcome.err, "/key=***/stream?password=***&***");
    }
}

}  // namespace
}  // namespace saccade
