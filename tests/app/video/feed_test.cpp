#include "app/video/feed.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <thread>

#include "app/sources/video_file.h"
#include "tests/app/sources/frames.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

using namespace std::chrono_literals;

TEST(Feed, sends_a_stream_that_others_can_read) {
    const TempFolder temp;
    const std::string file = temp / "feed.ts";
    std::vector<uint8_t> bgr(size_t{65} * 48 * 3);
    for (size_t i = 0; i < bgr.size(); i += 3) bgr[i + 2] = 220;  // red
    {
        Feed feed(file);
        for (int i = 0; i < 20; ++i) {
            feed.show({bgr.data(), 65, 48, 195, true});
            std::this_thread::sleep_for(40ms);
        }
        EXPECT_FALSE(feed.trouble());
    }
    VideoFile video(file);
    EXPECT_EQ(video.traits().size, (Size{64, 48})) << "sides are even";
    const std::optional<Shot> shot = next_shot(video);
    ASSERT_TRUE(shot);
}

// Sends red pictures until a condition holds; false if it does not within ten seconds.
bool show_until(Feed& feed, const std::function<bool()>& done) {
    std::vector<uint8_t> bgr(size_t{64} * 48 * 3);
    for (size_t i = 0; i < bgr.size(); i += 3) bgr[i + 2] = 220;
    for (int i = 0; i < 400; ++i) {
        if (done()) return true;
        feed.show({bgr.data(), 64, 48, 192, true});
        std::this_thread::sleep_for(25ms);
    }
    return false;
}

// The received bytes are a stream of red pictures.
void expect_red(const std::string& received, const TempFolder& temp) {
    const std::string file = temp / "received.ts";
    std::ofstream(file, std::ios::binary) << received;
    VideoFile video(file);
    EXPECT_EQ(video.traits().size, (Size{64, 48}));
    EXPECT_TRUE(next_shot(video));
}

// Reads the available bytes from a non-blocking pipe or socket.
void take_all(int file, std::string& to) {
    char bytes[65536];
    for (ssize_t count; (count = ::read(file, bytes, sizeof bytes)) > 0;)
        to.append(bytes, static_cast<size_t>(count));
}

TEST(Feed, sends_whole_packets_over_udp) {
    const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    ASSERT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&address), length), 0);
    ASSERT_EQ(::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length), 0);
    std::string received;
    {
        Feed feed("udp://127.0.0.1:" + std::to_string(ntohs(address.sin_port)));
        char bytes[65536];
        EXPECT_TRUE(show_until(feed, [&] {
            for (ssize_t count; (count = ::recv(socket, bytes, sizeof bytes, 0)) > 0;) {
                EXPECT_EQ(count % 188, 0);
                EXPECT_LE(count, 1316);
                EXPECT_EQ(bytes[0], 0x47) << "a packet of MPEG-TS begins";
                received.append(bytes, static_cast<size_t>(count));
            }
            return received.size() > 20000;
        }));
        EXPECT_FALSE(feed.trouble());
    }
    ::close(socket);
    expect_red(received, TempFolder());
}

TEST(Feed, a_pipe_is_waited_for_and_may_be_read_by_one_after_the_other) {
    const TempFolder temp;
    const std::string pipe = temp / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    Feed feed(pipe);
    for (int i = 0; i < 5; ++i) show_until(feed, [n = 0]() mutable { return ++n > 2; });
    EXPECT_FALSE(feed.trouble()) << "nobody reads yet";
    for (int reader = 0; reader < 2; ++reader) {
        const int file = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
        ASSERT_GE(file, 0);
        std::string received;
        EXPECT_TRUE(show_until(feed, [&] {
            take_all(file, received);
            return received.size() > 20000;
        })) << reader;
        ::close(file);  // the feed goes on
        expect_red(received, temp);
        show_until(feed, [n = 0]() mutable { return ++n > 10; });
        EXPECT_FALSE(feed.trouble());
    }
}

TEST(Feed, ends_at_once_though_nobody_reads_its_pipe_or_somebody_has_stopped_reading) {
    const TempFolder temp;
    const std::string pipe = temp / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    for (bool stalled : {false, true}) {
        const int file = stalled ? ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK) : -1;
        const auto start = std::chrono::steady_clock::now();
        {
            Feed feed(pipe);
            show_until(feed, [n = 0]() mutable { return ++n > 60; });
        }
        EXPECT_LT(std::chrono::steady_clock::now() - start, 5s) << stalled;
        if (stalled) ::close(file);
    }
}

TEST(Feed, what_cannot_be_reached_is_told_in_one_line) {
    const std::vector<uint8_t> bgr(size_t{16} * 16 * 3, 90);
    for (const char* target : {"/dev/video-of-nobody", "/nowhere/at/all.ts"}) {
        Feed feed(target);
        feed.show({bgr.data(), 16, 16, 48, true});
        std::optional<std::string> trouble;
        for (int i = 0; i < 400 && !trouble; ++i) {
            std::this_thread::sleep_for(10ms);
            trouble = feed.trouble();
        }
        ASSERT_TRUE(trouble) << target;
        EXPECT_NE(trouble->find(target), std::string::npos) << *trouble;
    }
}

}  // namespace
}  // namespace saccade
