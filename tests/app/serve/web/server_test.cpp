// The server alone, with a loop without models: its responses, and how it withstands abuse.

#include "app/serve/web/server.h"

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <thread>

#include "tests/app/quiet_log.h"
#include "tests/app/serve/web/client.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr PlaneLayout layout{320, 240, Chroma::halved};

// Makes frames as the live loop does, one every `each`.
class Frames {
public:
    Frames(Exchange& exchange, std::chrono::milliseconds each = 5ms)
        : thread_([this, &exchange, each](const std::stop_token& stop) {
              std::vector<uint8_t> planes(layout.bytes());
              for (uint64_t number = 1; !stop.stop_requested(); ++number) {
                  const auto begin = Clock::now();
                  exchange.beat({.newest = number});
                  exchange.tell(R"({"kind": "live", "frames": )" + std::to_string(number) + "}",
                                "saccade_frames_total " + std::to_string(number) + "\n");
                  const Exchange::Wanted wanted = exchange.wanted(number);
                  const bool watched = exchange.watched();
                  if ((wanted.picture && watched) || wanted.line) {
                      ServedFrame frame;
                      frame.number = number;
                      frame.captured = begin;
                      frame.line = R"({"frame": )" + std::to_string(number) + "}";
                      for (const RemoteLook& look : exchange.looks())
                          frame.maps.push_back(map_for(look));
                      exchange.show(std::move(frame), {watched ? planes.data() : nullptr, layout});
                  }
                  if (Clock::now() - begin > 2ms) ++held_up;
                  ++made;
                  std::this_thread::sleep_until(begin + each);
              }
          }) {}

    std::atomic<uint64_t> made = 0;
    std::atomic<uint64_t> held_up = 0;  // frames that cost the loop more than 2 ms

private:
    // A map whose values name the viewer it is for.
    static MapOnHost map_for(const RemoteLook& look) {
        MapOnHost map;
        map.looker.token = Looker::Token::patch;
        map.looker.point = look.target.point.value_or(glm::vec2(0));
        map.whose = look.viewer;
        map.layers = map.heads = 3;
        map.geometry.grid = {2, 1};
        map.geometry.cell = glm::vec2(160, 240);
        map.count = 1;
        map.cells = {float(look.viewer), map.looker.point.x};
        return map;
    }
    std::jthread thread_;
};

class ServerTest : public ::testing::Test {
protected:
    void open(ServerOptions options = {}, const ServerLimits& limits = {}) {
        server = std::make_unique<Server>(options, limits);
        frames = std::make_unique<Frames>(server->exchange());
        port = server->port();
    }
    // A listener to the events of a server whose frames the test shows itself.
    Client listen() {
        server = std::make_unique<Server>(ServerOptions{});
        Client client(server->port());
        client.send(request("/events"));
        expect_says(client.until("\r\n\r\n"), "text/event-stream");
        return client;
    }
    bool is_alive() const { return get(port, "/healthz").status == 200; }
    double metric(const std::string& name) const {
        const std::string text = "\n" + get(port, "/metrics").body;
        const size_t at = text.find("\n" + name + " ");
        return at == text.npos ? -1 : std::atof(text.c_str() + at + name.size() + 2);
    }

    const QuietLog quiet;
    std::unique_ptr<Server> server;
    std::unique_ptr<Frames> frames;  // after the server, which it uses
    uint16_t port = 0;
};

// ---- addresses for scripts
// --------------------------------------------------------------------------

TEST_F(ServerTest, gives_the_newest_frame_its_line_and_metrics) {
    open();
    const Reply picture = get(port, "/frame.jpg");
    EXPECT_EQ(picture.status, 200);
    EXPECT_TRUE(picture.body.starts_with("\xff\xd8\xff")) << picture.headers;
    expect_says(picture.headers, "content-type: image/jpeg");
    const Reply line = get(port, "/frame.json");
    EXPECT_EQ(line.status, 200);
    const uint64_t number = nlohmann::json::parse(line.body)["frame"];
    EXPECT_GE(number + 20, frames->made) << "not an old one";
    expect_says(get(port, "/metrics").body, "saccade_frames_total");
    EXPECT_GE(metric("saccade_pictures_total"), 1);
    EXPECT_EQ(get(port, "/healthz").body, "ok\n");
    EXPECT_EQ(get(port, "/nothing").status, 404);
    EXPECT_EQ(get(port, "/../etc/passwd").status, 404);
}

TEST_F(ServerTest, of_several_sources_each_has_its_frames_events_and_metrics) {
    open({.address = {}, .sources = {"door", "the yard"}});
    Frames yard(server->exchange(1), 50ms);
    expect_says(get(port, "/").body, "id=\"wall\"");
    expect_says(get(port, "/?source=door").body, "id=\"stage\"");
    EXPECT_EQ(get(port, "/?source=cellar").status, 404);
    EXPECT_EQ(get(port, "/frame.jpg?source=cellar").status, 404);
    const uint64_t door = nlohmann::json::parse(get(port, "/frame.json").body)["frame"];
    EXPECT_GE(door + 20, frames->made);
    const uint64_t number =
        nlohmann::json::parse(get(port, "/frame.json?source=the%20yard").body)["frame"];
    EXPECT_LE(number, yard.made + 1) << "a frame is counted once it is shown";
    EXPECT_LT(yard.made * 2, frames->made) << "they are told apart";
    const Reply whole = get(port, "/frame.jpg?source=door");
    const Reply small = get(port, "/frame.jpg?source=door&small");
    EXPECT_EQ(small.status, 200);
    EXPECT_TRUE(small.body.starts_with("\xff\xd8\xff"));
    EXPECT_EQ(whole.status, 200) << "one size does not take the other's place";
    const std::string metrics = get(port, "/metrics").body;
    expect_says(metrics, "saccade_frame_age_seconds{source=\"door\"}");
    expect_says(metrics, "saccade_frame_age_seconds{source=\"the yard\"}");
    EXPECT_EQ(nlohmann::json::parse(get(port, "/sources.json").body).size(), 2u);
    expect_says(get(port, "/healthz").body, "2 of 2 sources");
}

TEST_F(ServerTest, its_page_loads_nothing_from_elsewhere_and_may_not) {
    open({.address = {}, .title = "<b>\"x\""});
    const Reply page = get(port, "/");
    EXPECT_EQ(page.status, 200);
    for (const char* part : {"default-src 'none'", "frame-ancestors 'none'", "script-src 'sha256-",
                             "nosniff", "no-referrer", "no-store", "same-origin"})
        expect_says(page.headers, part);
    expect_says(page.body, "<title>&lt;b&gt;&quot;x&quot;</title>");
    for (const char* address : {"http://", "https://", "src=\"", "@import"})
        EXPECT_EQ(page.body.find(address), page.body.npos) << address;
}

TEST_F(ServerTest, only_gets_are_answered) {
    open();
    Client head(port);
    head.send(request("/frame.jpg", "Connection: close\r\n", "HEAD"));
    const std::string reply = head.rest();
    expect_says(reply, "200 OK");
    EXPECT_TRUE(reply.ends_with("\r\n\r\n")) << "no body";
    for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS"}) {
        Client client(port);
        client.send(request("/", "Content-Length: 3\r\n", method) + "abc");
        const int status = read_reply(client).status;
        EXPECT_TRUE(status == 405 || status == 0) << method << " " << status;
    }
    EXPECT_TRUE(is_alive());
}

TEST_F(ServerTest, sends_a_line_for_every_frame_to_listeners) {
    open();
    Client client(port);
    client.send(request("/events"));
    expect_says(client.until("\r\n\r\n"), "text/event-stream");
    uint64_t last = 0;
    for (int i = 0; i < 20; ++i) {
        const std::string event = client.until("\n\n");
        ASSERT_TRUE(event.starts_with("data: {")) << event;
        const uint64_t number = nlohmann::json::parse(event.substr(6))["frame"];
        EXPECT_TRUE(last == 0 || number == last + 1) << number;
        last = number;
    }
}

TEST_F(ServerTest, what_crosses_a_line_is_an_event_of_its_own) {
    Client client = listen();
    Exchange& exchange = server->exchange();
    ASSERT_TRUE(exchange.wanted(1).line);
    ServedFrame frame;
    frame.number = 1;
    frame.line = R"({"frame": 1})";
    frame.crossings = {R"({"region": "door", "event": "in"})"};
    exchange.show(frame, {});
    EXPECT_EQ(client.until("\n\n"),
              "event: crossing\ndata: {\"region\": \"door\", \"event\": \"in\"}\n\n");
    EXPECT_EQ(client.until("\n\n"), "data: {\"frame\": 1}\n\n");
}

TEST_F(ServerTest, a_listener_that_falls_behind_loses_the_oldest_events) {
    Client client = listen();
    Exchange& exchange = server->exchange();
    ASSERT_TRUE(exchange.wanted(1).line);
    ServedFrame frame;
    frame.number = 1;
    frame.line = "{}";
    for (int i = 0; i < 100; ++i) frame.crossings.push_back(std::to_string(i));
    exchange.show(frame, {});  // 101 events, of which 64 can wait
    EXPECT_EQ(client.until("\n\n"), "event: crossing\ndata: 37\n\n");
    for (int i = 38; i < 100; ++i) client.until("\n\n");
    EXPECT_EQ(client.until("\n\n"), "data: {}\n\n");
}

TEST_F(ServerTest, encodes_nothing_without_viewers) {
    open();
    while (frames->made < 20) std::this_thread::sleep_for(5ms);
    EXPECT_EQ(server->exchange().counts().encoded, 0u);
    EXPECT_FALSE(server->exchange().watched());
}

TEST_F(ServerTest, reports_that_there_is_no_picture_yet) {
    server = std::make_unique<Server>(ServerOptions{}, ServerLimits{.picture_seconds = 0.3});
    port = server->port();
    const Reply none = get(port, "/frame.jpg");
    EXPECT_EQ(none.status, 503);
    expect_says(none.body, "no picture yet");
}

TEST_F(ServerTest, a_port_in_use_is_reported_in_one_line) {
    open();
    const std::string error = error_of([&] { Server({.address = {"127.0.0.1", port}}); });
    expect_says(error, "127.0.0.1:" + std::to_string(port));
    expect_says(error, "choose another port");
}

// ---- viewers -----------------------------------------------------------------------------------

TEST_F(ServerTest, a_viewer_gets_the_newest_picture_when_it_has_taken_the_last_one) {
    open();
    TestViewer viewer(port);
    ASSERT_EQ(viewer.status, 101);
    const nlohmann::json first = viewer.picture();
    ASSERT_FALSE(first.is_null());
    EXPECT_TRUE(viewer.jpeg.starts_with("\xff\xd8\xff"));
    EXPECT_EQ(first["line"]["frame"], first["number"]);
    EXPECT_GE(first["sent"].get<double>(), first["captured"].get<double>());

    const double sent = metric("saccade_sent_total");
    std::this_thread::sleep_for(300ms);
    EXPECT_EQ(metric("saccade_sent_total"), sent) << "it has taken none";
    const uint64_t before = frames->made;
    viewer.take(first["number"]);
    EXPECT_GE(viewer.picture()["number"].get<uint64_t>(), before) << "the newest, not the next";
    viewer.take(1);
    std::this_thread::sleep_for(100ms);
    EXPECT_EQ(metric("saccade_sent_total"), sent + 1) << "that was not the last one";
}

TEST_F(ServerTest, every_viewer_has_its_own_pointer) {
    open();
    TestViewer one(port), two(port), none(port);
    one.say(R"({"look": {"mode": "mean", "point": [10, 5]}})");
    two.say(R"({"look": {"mode": "mean", "point": [200, 5]}})");
    const int you = one.news()["you"], you_too = two.news()["you"];
    EXPECT_NE(you, you_too);
    auto map_of = [](TestViewer& viewer) {
        for (int i = 0; i < 50; ++i) {
            const nlohmann::json picture = viewer.picture();
            viewer.take(picture["number"]);
            if (!picture["map"].is_null()) return picture["map"];
        }
        return nlohmann::json();
    };
    const nlohmann::json first = map_of(one), second = map_of(two);
    EXPECT_EQ(first["patch"]["column"], 0);
    EXPECT_EQ(second["patch"]["column"], 1);
    EXPECT_EQ(first["largest"][0], std::max(you, 10));
    EXPECT_EQ(second["largest"][0], 200);
    EXPECT_EQ(uint8_t(two.levels[1]), 255);
    EXPECT_TRUE(none.picture()["map"].is_null());
}

TEST_F(ServerTest, lists_the_viewers_and_passes_wishes_on) {
    open();
    TestViewer one(port);
    EXPECT_EQ(one.news()["viewers"].size(), 1u);
    {
        TestViewer two(port);
        while (one.news()["viewers"].size() != 2) {
        }
        two.say(R"({"set": {"threshold": 0.25}})");
        std::vector<SharedWish> wishes;
        for (int i = 0; i < 100 && wishes.empty(); ++i) {
            wishes = server->exchange().take_wishes();
            std::this_thread::sleep_for(10ms);
        }
        ASSERT_EQ(wishes.size(), 1u);
        EXPECT_EQ(wishes[0].threshold, 0.25f);
    }
    while (one.news()["viewers"].size() != 1) {
    }
}

TEST_F(ServerTest, read_only_viewers_change_nothing) {
    open({.address = {}, .read_only = true});
    TestViewer viewer(port);
    EXPECT_EQ(viewer.news()["read_only"], true);
    viewer.say(R"({"set": {"frozen": true}, "clock": 1})");
    while (viewer.next().payload.find("\"clock\"") == std::string::npos) {
    }
    EXPECT_TRUE(server->exchange().take_wishes().empty());
}

size_t resident_bytes() {
    size_t total = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> total >> resident;
    return resident * size_t(::sysconf(_SC_PAGESIZE));
}

TEST_F(ServerTest, stalled_viewers_hold_up_neither_the_loop_nor_the_others_nor_memory) {
    open();
    while (frames->made < 100) std::this_thread::sleep_for(5ms);
    std::vector<std::unique_ptr<TestViewer>> stalled;
    for (int i = 0; i < 3; ++i) {
        stalled.push_back(std::make_unique<TestViewer>(port, "", 4096));  // reads nothing
        for (int n = 0; n < 50; ++n) stalled.back()->say(R"({"taken": 1, "clock": 2})");
    }
    std::atomic<uint64_t> taken = 0;
    std::vector<std::jthread> others;
    for (int i = 0; i < 7; ++i)
        others.emplace_back([&](const std::stop_token& stop) {
            TestViewer viewer(port);
            while (!stop.stop_requested()) {
                const nlohmann::json picture = viewer.picture();
                if (picture.is_null()) return;
                viewer.take(picture["number"]);
                ++taken;
            }
        });
    std::this_thread::sleep_for(1s);
    const size_t memory = resident_bytes();
    const uint64_t made = frames->made, held_up = frames->held_up, had = taken;
    const Clock::time_point patience = Clock::now() + 20s;  // the machine may be busy
    std::this_thread::sleep_for(2s);
    while ((frames->made - made < 80 || taken - had < 7 * 10) && Clock::now() < patience)
        std::this_thread::sleep_for(10ms);
    EXPECT_GE(frames->made - made, 80u);
    EXPECT_GE(taken - had, 7u * 10);
    EXPECT_LT(double(frames->held_up - held_up), 0.5 * double(frames->made - made));
    EXPECT_LT(resident_bytes(), memory + (8u << 20));
}

// ---- abuse -------------------------------------------------------------------------

TEST_F(ServerTest, requests_for_other_hosts_and_from_other_pages_are_refused) {
    open();
    Client rebound(port);
    rebound.send(request("/frame.json", "", "GET", "evil.example:" + std::to_string(port)));
    EXPECT_EQ(read_reply(rebound).status, 421);
    Client nameless(port);
    nameless.send("GET /frame.json HTTP/1.1\r\n\r\n");
    EXPECT_NE(read_reply(nameless).status, 200);
    EXPECT_EQ(get(port, "/frame.json", "Origin: http://evil.example\r\n").status, 403);
    EXPECT_EQ(get(port, "/frame.json", "Origin: http://localhost\r\n").status, 200);
    EXPECT_EQ(TestViewer(port, "Origin: http://evil.example\r\n").status, 403);
    EXPECT_EQ(TestViewer(port, "Origin: null\r\n").status, 403);
    EXPECT_EQ(TestViewer(port, "Origin: http://localhost\r\n").status, 101);
}

TEST_F(ServerTest, without_the_token_every_address_but_health_is_refused) {
    std::ostringstream log;
    const auto before = spdlog::default_logger();
    spdlog::set_default_logger(std::make_shared<spdlog::logger>(
        "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(log)));
    spdlog::set_level(spdlog::level::trace);
    open({.address = {}, .origin = "https://cam.example.org"});
    const std::string address = server->address();
    const std::string token = address.substr(address.find("token=") + 6);
    EXPECT_TRUE(address.starts_with("https://cam.example.org/?token=")) << address;
    for (const char* path : {"/", "/frame.jpg", "/frame.json", "/events", "/metrics"}) {
        EXPECT_EQ(get(port, path).status, 401) << path;
        EXPECT_EQ(get(port, std::string(path) + "?token=" + std::string(32, '0')).status, 401);
    }
    EXPECT_EQ(get(port, "/healthz").status, 200) << "health is public";
    EXPECT_EQ(TestViewer(port).status, 401);
    EXPECT_EQ(get(port, "/frame.json?token=" + token).status, 200);
    EXPECT_EQ(get(port, "/frame.json", "Authorization: Bearer " + token + "\r\n").status, 200);
    EXPECT_EQ(get(port, "/frame.json", "Authorization: Bearer x\r\n").status, 401);

    const Reply moved = get(port, "/?token=" + token);
    EXPECT_EQ(moved.status, 303) << "the token leaves the address bar";
    expect_says(moved.headers, "HttpOnly; SameSite=Lax; Secure");
    const std::string cookie =
        "Cookie: a=b; saccade-" + std::to_string(port) + "=" + token + "\r\n";
    EXPECT_EQ(get(port, "/", cookie).status, 200);
    EXPECT_EQ(TestViewer(port, cookie).status, 101);
    EXPECT_EQ(TestViewer(port, cookie + "Origin: https://cam.example.org\r\n").status, 101);
    EXPECT_EQ(TestViewer(port, cookie + "Origin: https://evil.example\r\n").status, 403);
    frames.reset();
    server.reset();
    EXPECT_EQ(log.str().find(token), std::string::npos) << log.str();
    spdlog::set_default_logger(before);
}

TEST_F(ServerTest, refusals_do_not_use_up_what_those_with_the_token_may_ask) {
    open({.address = {}, .origin = "http://cam"}, {.refusals_per_second = 5});
    const std::string token = server->address().substr(server->address().find("token=") + 6);
    std::map<int, int> replies;
    Client stranger(port);
    for (int i = 0; i < 200; ++i) {
        stranger.send(request("/frame.json"));
        ++replies[read_reply(stranger).status];
    }
    EXPECT_GE(replies[401], 10);
    EXPECT_GE(replies[429], 150);
    for (int i = 0; i < 30; ++i)
        EXPECT_EQ(get(port, "/frame.json?token=" + token).status, 200) << "from the same address";
    EXPECT_EQ(get(port, "/healthz").status, 200) << "it has a limit of its own";
    EXPECT_EQ(TestViewer(port, "Authorization: Bearer " + token + "\r\n").status, 101);
}

TEST_F(ServerTest, health_checks_have_a_small_limit_of_their_own) {
    open({.address = {}, .origin = "http://cam"}, {.health_checks_per_second = 2});
    const std::string token = server->address().substr(server->address().find("token=") + 6);
    std::map<int, int> replies;
    Client stranger(port);
    for (int i = 0; i < 40; ++i) {
        stranger.send(request(i % 2 ? "/healthz" : "/livez"));
        ++replies[read_reply(stranger).status];
    }
    EXPECT_GE(replies[200], 4);
    EXPECT_GE(replies[429], 20);
    EXPECT_EQ(get(port, "/frame.json").status, 401) << "not 429";
    EXPECT_EQ(get(port, "/healthz?token=" + token).status, 200);
    EXPECT_EQ(get(port, "/livez?token=" + token).body, "ok\n");
}

TEST_F(ServerTest, connections_without_the_token_are_few_and_short_and_make_room) {
    open({.address = {}, .origin = "http://cam"},
         {.stranger_seconds = 1.5, .silence_seconds = 600});
    const std::string token = server->address().substr(server->address().find("token=") + 6);
    const std::string bearer = "Authorization: Bearer " + token + "\r\n";
    TestViewer viewer(port, bearer);
    const uint64_t first = viewer.picture()["number"];
    // They ask again and again and never read.
    std::string many;
    for (int i = 0; i < 50; ++i) many += request("/");
    std::vector<std::unique_ptr<Client>> strangers;
    for (int i = 0; i < 300; ++i) {
        strangers.push_back(std::make_unique<Client>(port, 4096));
        strangers.back()->send(many);
    }
    const Reply reply = get(port, "/metrics", bearer);
    EXPECT_EQ(reply.status, 200);
    const size_t at = reply.body.find("\nsaccade_connections ");
    ASSERT_NE(at, reply.body.npos);
    EXPECT_LE(std::atof(&reply.body[at + 21]), 32 + 2);
    viewer.take(first);
    const nlohmann::json second = viewer.picture();
    ASSERT_FALSE(second.is_null());
    EXPECT_GT(second["number"].get<uint64_t>(), first);
    for (const auto& client : strangers) ASSERT_TRUE(client->closed(8000));
    viewer.take(second["number"]);
    EXPECT_FALSE(viewer.picture().is_null()) << "it has been here for longer";
}

TEST_F(ServerTest, one_stranger_too_many_takes_the_place_of_the_oldest) {
    open({.address = {}, .origin = "http://cam"}, {.strangers = 2, .stranger_seconds = 600});
    Client first(port), second(port);
    for (Client* const client : {&first, &second}) {
        client->send(request("/"));
        EXPECT_EQ(read_reply(*client).status, 401);
    }
    Client third(port);
    EXPECT_TRUE(first.closed());
    for (Client* const client : {&second, &third}) {
        client->send(request("/"));
        EXPECT_EQ(read_reply(*client).status, 401);
    }
}

TEST_F(ServerTest, a_body_of_doubtful_length_ends_the_connection) {
    open();
    for (const char* headers :
         {"Content-Length: 5\r\nContent-Length: 6\r\n",
          "Content-Length: 5\r\nContent-Length: 5\r\n", "Content-Length: 5, 5\r\n",
          "Content-Length:\r\nContent-Length: 5\r\n", "Content-Length: +5\r\n",
          "Content-Length: -1\r\n", "Transfer-Encoding: chunked\r\n",
          "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "Content-Length : 5\r\n",
          "Transfer-Encoding : chunked\r\n"}) {
        Client client(port);
        client.send(request("/frame.json", headers) + "0\r\n\r\n" + request("/metrics"));
        const std::string all = client.rest();
        EXPECT_TRUE(all.empty() || all.starts_with("HTTP/1.1 400 ")) << headers << all;
        EXPECT_EQ(all.find("200 OK"), all.npos) << headers;
        EXPECT_EQ(TestViewer(port, headers).status, 400) << headers;
    }
}

TEST_F(ServerTest, health_and_age_are_of_the_newest_frame) {
    server = std::make_unique<Server>(ServerOptions{.address = {}, .stale_seconds = 5});
    port = server->port();
    server->exchange().beat({.newest = 3, .captured = Clock::now() - 4s});
    EXPECT_EQ(get(port, "/healthz").status, 200);
    server->exchange().beat({.newest = 3, .captured = Clock::now() - 6s});
    const Reply health = get(port, "/healthz");
    EXPECT_EQ(health.status, 503);
    EXPECT_EQ(health.body, "the newest frame is 6 s old\n");
    EXPECT_EQ(get(port, "/livez").status, 200);
    EXPECT_NEAR(metric("saccade_frame_age_seconds"), 6, 1);
    std::this_thread::sleep_for(1100ms);
    EXPECT_GE(metric("saccade_frame_age_seconds"), 7) << "nothing has been told since";
}

TEST_F(ServerTest, headers_that_are_too_long_or_never_end_end_the_connection) {
    open();
    Client large(port);
    large.send(request("/", "X-Large: " + std::string(100'000, 'x') + "\r\n"));
    EXPECT_TRUE(large.closed());
    Client endless(port);
    endless.send("GET / HTTP/1.1\r\n");
    bool open_still = true;
    for (int i = 0; open_still && i < 100'000; ++i)
        open_still = endless.send("X-" + std::to_string(i) + ": yes\r\n");
    EXPECT_FALSE(open_still);
    Client path(port);
    path.send("GET /" + std::string(100'000, 'a') + " HTTP/1.1\r\n\r\n");
    EXPECT_TRUE(path.closed());
    for (const char* noise :
         {"\r\n\r\n\r\n", "\x16\x03\x01\x02", "GET\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"}) {
        Client client(port);
        client.send(noise);
    }
    EXPECT_TRUE(is_alive());
}

TEST_F(ServerTest, hundreds_of_silent_connections_do_not_block_others) {
    open({}, {.header_seconds = 1.5});
    TestViewer viewer(port);
    const uint64_t first = viewer.picture()["number"];
    std::vector<std::unique_ptr<Client>> silent;
    for (int i = 0; i < 400; ++i) {
        silent.push_back(std::make_unique<Client>(port));
        silent.back()->send("GET /fra");
    }
    const auto begin = Clock::now();
    EXPECT_TRUE(is_alive());
    EXPECT_LT(Clock::now() - begin, 20s);
    EXPECT_LE(metric("saccade_connections"), 256);
    viewer.take(first);
    EXPECT_GT(viewer.picture()["number"].get<uint64_t>(), first)
        << "an open viewer is still served";
    for (const auto& client : silent) ASSERT_TRUE(client->closed(8000));
}

TEST_F(ServerTest, invalid_messages_close_the_connection) {
    open();
    auto code_for = [&](const std::function<void(TestViewer&)>& speak) {
        TestViewer viewer(port);
        EXPECT_EQ(viewer.status, 101);
        speak(viewer);
        return viewer.close_code();
    };
    EXPECT_EQ(code_for([](TestViewer& v) { v.say("{\"taken\": \"\xc3\x28\"}"); }), 1007)
        << "no UTF-8";
    EXPECT_EQ(code_for([](TestViewer& v) { v.say(std::string(100'000, ' ')); }), 1009);
    EXPECT_EQ(code_for([](TestViewer& v) { v.say("bytes", 2); }), 1003);
    EXPECT_EQ(code_for([](TestViewer& v) { v.say("no JSON"); }), 1008);
    EXPECT_EQ(code_for([](TestViewer& v) { v.say(R"({"set": {"detector": {"a": 1}}})"); }), 1008);
    TestViewer unmasked(port);
    unmasked.send("\x81\x0b{\"clock\":1}");
    EXPECT_EQ(unmasked.close_code(), 1002) << "RFC 6455, section 5.1";
    EXPECT_EQ(code_for([](TestViewer& v) { v.say("\x03\xe8", 8); }), 1000) << "it says goodbye";
    // With much unread input, the connection may be reset before the close frame is read.
    TestViewer flood(port);
    for (int i = 0; i < 2000; ++i)
        if (!flood.say(R"({"clock": 1})")) break;
    const int code = flood.close_code();
    EXPECT_TRUE(code == 1008 || code == 0) << code;
    EXPECT_TRUE(flood.closed());
    EXPECT_TRUE(is_alive());
}

TEST_F(ServerTest, pings_are_answered_and_limited) {
    open({}, {.messages_per_second = 20});
    TestViewer viewer(port);
    viewer.say("are you there?", 9);
    TestViewer::Message message;
    do message = viewer.next();
    while (message.opcode != 10 && message.opcode != -1);
    EXPECT_EQ(message.payload, "are you there?");
    for (int i = 0; i < 60; ++i) viewer.say("", 9);
    EXPECT_EQ(viewer.close_code(), 1008);
}

TEST_F(ServerTest, a_viewer_that_does_not_answer_a_ping_is_gone) {
    open({}, {.ping_seconds = 0.3, .silence_seconds = 1});
    TestViewer there(port), gone(port);
    const auto begin = Clock::now();
    // next() answers pings.
    while (Clock::now() - begin < 2s) ASSERT_NE(there.next().opcode, -1);
    EXPECT_TRUE(gone.closed());
    EXPECT_EQ(metric("saccade_viewers"), 1);
}

TEST_F(ServerTest, a_web_socket_begins_as_the_standard_has_it) {
    open();
    const auto upgrade = [&](const std::string& headers) {
        Client client(port);
        client.send(request("/watch", headers));
        return read_reply(client);
    };
    const std::string key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
                      to = "Upgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n",
                      version = "Sec-WebSocket-Version: 13\r\n",
                      protocol = "Sec-WebSocket-Protocol: saccade\r\n";
    const Reply begun = upgrade(to + key + version + protocol);
    EXPECT_EQ(begun.status, 101);
    expect_says(begun.headers, "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n");
    expect_says(begun.headers, "Sec-WebSocket-Protocol: saccade\r\n");
    EXPECT_EQ(upgrade(to + key + protocol).status, 400);
    EXPECT_EQ(upgrade(to + key + "Sec-WebSocket-Version: 8\r\n" + protocol).status, 400);
    EXPECT_EQ(upgrade(to + version + protocol).status, 400);
    EXPECT_EQ(upgrade(to + key + version).status, 400);
    EXPECT_EQ(upgrade("Upgrade: h2c\r\nConnection: Upgrade\r\nHTTP2-Settings: AA\r\n").status, 0);
    EXPECT_TRUE(is_alive());
}

TEST_F(ServerTest, requests_viewers_and_listeners_over_their_limits_are_refused) {
    open({}, {.viewers = 2, .listeners = 1, .requests_per_second = 20});
    int refused = 0;
    Client client(port);
    for (int i = 0; i < 100; ++i) {
        client.send(request("/metrics"));
        refused += read_reply(client).status == 429;
    }
    EXPECT_GT(refused, 20);
    std::this_thread::sleep_for(1s);
    TestViewer one(port), two(port), three(port);
    EXPECT_EQ(one.status, 101);
    EXPECT_EQ(two.status, 101);
    EXPECT_EQ(three.status, 503);
    Client listener(port), other(port);
    listener.send(request("/events"));
    expect_says(listener.until("\n\n"), "200 OK");
    other.send(request("/events"));
    EXPECT_EQ(read_reply(other).status, 503);
}

}  // namespace
}  // namespace saccade
