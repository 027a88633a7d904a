// A class on a server without a loop, and in a browser.

#include <gtest/gtest.h>

#include <thread>

#include "app/serve/web/server.h"
#include "tests/app/page/browser.h"
#include "tests/app/program.h"
#include "tests/app/quiet_log.h"
#include "tests/app/serve/web/client.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

using Json = nlohmann::json;
using namespace std::chrono_literals;

class Student : public TestViewer {
public:
    explicit Student(uint16_t port) : TestViewer(port, "", 0, "/watch?class") {}
    // The first message of the class that `is_meant`; null if there is none for long.
    template <typename IsMeant>
    Json hears(const IsMeant& is_meant) {
        for (int i = 0; i < 50; ++i) {
            const Message message = next();
            if (message.opcode == -1 || message.opcode == 8) return nullptr;
            EXPECT_EQ(message.opcode, 1) << "a student gets no picture";
            Json json = Json::parse(message.payload);
            longest = std::max(longest, message.payload.size());
            if (json.contains("class") && is_meant(json["class"])) return json["class"];
        }
        return nullptr;
    }
    Json hears_place(const Json& at) {
        return hears([&](const Json& news) { return news["at"] == at; });
    }

    size_t longest = 0;  // bytes of a message
};

class ClassroomTest : public ::testing::Test {
protected:
    explicit ClassroomTest(ServerOptions options = {.classroom = true})
        : server_(options), port_(server_.port()) {
        const std::string address = server_.teacher_address();
        const size_t at = address.find("#teach=");
        if (at != address.npos) key_ = address.substr(at + 7);
    }
    void show_page(std::string html, uint64_t number = 1) {
        server_.exchange().tell_lecture(
            {.number = number, .page = std::make_shared<const std::string>(std::move(html))});
    }
    std::string teach_message() const { return Json{{"teach", key_}}.dump(); }
    // The wishes that the loop gets within a while; at least one if `wanted`.
    std::vector<SharedWish> wishes(bool wanted) {
        std::vector<SharedWish> all;
        for (int i = 0; i < (wanted ? 1000 : 10) && all.empty(); ++i) {
            all = server_.exchange().take_wishes();
            std::this_thread::sleep_for(10ms);
        }
        return all;
    }

    const QuietLog quiet_;
    Server server_;
    const uint16_t port_;
    std::string key_;
};

TEST_F(ClassroomTest, places_of_whoever_has_the_key_reach_everybody_else) {
    EXPECT_EQ(server_.class_address() + "#teach=" + key_, server_.teacher_address());
    EXPECT_EQ(key_.size(), 32u);
    Student teacher(port_), student(port_), cheat(port_);
    EXPECT_EQ(student.hears([](const Json& news) { return news["here"] == 3; })["at"], nullptr);
    cheat.say(R"({"teach": "0123456789abcdef0123456789abcdef"})");
    cheat.say(R"({"at": [6, 6, 6]})");
    teacher.say(teach_message());
    EXPECT_FALSE(teacher.hears([](const Json& news) { return news["teaches"] == true; }).is_null());
    teacher.say(R"({"at": [2, 5, -1]})");
    const Json news = student.hears_place({2, 5, -1});
    EXPECT_EQ(news["teaches"], false);
    EXPECT_EQ(news["here"], 2) << "teachers do not count";
    EXPECT_FALSE(cheat.hears_place({2, 5, -1}).is_null());
    EXPECT_LT(student.longest, 300u);
    Student late(port_);
    EXPECT_FALSE(late.hears_place({2, 5, -1}).is_null());
    // What no page of ours sends ends the connection.
    student.say(R"({"at": ["x"]})");
    EXPECT_EQ(student.close_code(), 1008);
}

TEST_F(ClassroomTest, students_ask_the_loop_for_nothing) {
    Student student(port_);
    student.say(R"({"taken": 0})");
    student.say(R"({"look": {"mode": "mean"}})");
    student.say(R"({"set": {"frozen": true}})");
    student.say(R"({"set": {"lecture": true}})");
    EXPECT_TRUE(wishes(false).empty());
    EXPECT_FALSE(server_.exchange().watched());
    EXPECT_TRUE(server_.exchange().looks().empty());
    // They are not counted among the viewers of pictures either.
    std::vector<std::unique_ptr<Student>> others;
    for (int i = 0; i < 40; ++i) others.push_back(std::make_unique<Student>(port_));
    EXPECT_EQ(others.back()->status, 101);
    EXPECT_EQ(TestViewer(port_).status, 101);
}

TEST_F(ClassroomTest, lectures_are_made_for_whoever_teaches) {
    TestViewer viewer(port_);
    viewer.say(R"({"set": {"lecture": true}})");
    EXPECT_TRUE(wishes(false).empty()) << "of a class, only the teacher may";
    Student teacher(port_);
    teacher.say(teach_message());
    teacher.say(R"({"set": {"lecture": true, "frozen": true}})");
    EXPECT_TRUE(wishes(false).empty());
    teacher.say(R"({"set": {"lecture": true}})");
    const std::vector<SharedWish> wish = wishes(true);
    ASSERT_EQ(wish.size(), 1u);
    EXPECT_TRUE(wish[0].lecture);
    show_page("<!doctype html>");
    EXPECT_FALSE(
        teacher.hears([](const Json& n) { return n["lecture"]["number"] == 1; }).is_null());
}

TEST_F(ClassroomTest, a_page_of_megabytes_comes_whole) {
    EXPECT_EQ(get(port_, "/lecture/page").status, 404);
    EXPECT_EQ(get(port_, "/lecture").status, 200);
    std::string html(5'000'001, 'x');
    for (size_t i = 0; i < html.size(); i += 997) html[i] = char('a' + i % 23);
    show_page(html);
    const Reply reply = get(port_, "/lecture/page");
    EXPECT_EQ(reply.status, 200);
    EXPECT_TRUE(reply.body == html);
    EXPECT_NE(reply.headers.find("frame-ancestors 'self'"), std::string::npos);
    EXPECT_NE(reply.headers.find("default-src 'none'"), std::string::npos);
}

class NoClassroomTest : public ClassroomTest {
protected:
    NoClassroomTest() : ClassroomTest({.read_only = true}) {}
};

TEST_F(NoClassroomTest, has_no_teacher) {
    EXPECT_EQ(server_.teacher_address(), "");
    EXPECT_EQ(get(port_, "/lecture").status, 404);
    Student student(port_);  // a viewer as any other
    student.say(R"({"teach": ""})");
    student.say(R"({"at": [1]})");
    student.say(R"({"set": {"lecture": true}})");
    EXPECT_TRUE(wishes(false).empty()) << "viewers may only look";
    EXPECT_EQ(student.news()["read_only"], true);
}

// The page of a class, with a real lecture in it.
TEST_F(ClassroomTest, whoever_follows_sees_what_the_teacher_sees_or_looks_around_alone) {
    const TempFolder temp;
    expect_done(saccade_program(
        on_test_device({"lecture", golden_picture(), "-o", temp.path().string(), "--quiet",
                        "--precision", "fp32", "--classifier", model_folder(temp, "vit-nano"),
                        "--detector", "none", "--captioner", "none"})));
    std::ifstream file(temp / "chelsea-lecture.html");
    show_page({std::istreambuf_iterator<char>(file), {}});
    Browser page;
    page.set_size(1280, 800);
    const auto in_lecture = [](const std::string& expression) {
        return "document.getElementById('lesson').contentWindow.document.querySelector('#summary')"
               " && (() => { const d = document.getElementById('lesson').contentWindow.document;"
               "return " +
               expression + "; })()";
    };
    const auto says = [](const std::string& text) {
        return "document.getElementById('class-now').textContent === '" + text + "'";
    };

    // A student.
    Student teacher(port_);
    teacher.say(teach_message());
    teacher.say(R"({"at": [2, 6, 2, 6, 500, 250, 7, 2, 1, 100, 0]})");
    page.visit(server_.class_address());
    ASSERT_TRUE(page.becomes(says("You follow the teacher.")));
    ASSERT_TRUE(
        page.becomes(in_lecture("d.getElementById('summary').textContent === "
                                "'patch in row 2, column 3, layer 2 of 0–2 · head 1 of 0–3'")));
    EXPECT_TRUE(page.becomes(in_lecture("!d.getElementById('teacher').hidden")));
    EXPECT_TRUE(page.becomes(in_lecture(
        "(({top}) => top > -100 && top < 700)(d.getElementById('head').getBoundingClientRect())")));
    teacher.say(R"({"at": [2, 6, -1, -1, 0, 0, 99999, 77, 3, 100, 0]})");
    EXPECT_TRUE(page.becomes(in_lecture(
        "d.getElementById('summary').textContent.startsWith('patch in row 2, column 3, layer 2 of "
        "0–2 · head 3')")))
        << "what a page does not have is left as it is";
    EXPECT_TRUE(page.becomes(in_lecture("d.getElementById('teacher').hidden")));
    page.evaluate("document.getElementById('follow').click()");
    EXPECT_EQ(page.evaluate(says("You look around alone.")), true);
    teacher.say(R"({"at": [0, 0, -1, -1, 0, 0, 1, 0, 0, 100, 0]})");
    Student other(port_);
    EXPECT_FALSE(other.hears_place({0, 0, -1, -1, 0, 0, 1, 0, 0, 100, 0}).is_null());
    EXPECT_EQ(
        page.evaluate(in_lecture("d.getElementById('summary').textContent.includes('head 3')")),
        true);
    page.evaluate("document.getElementById('follow').click()");
    EXPECT_TRUE(
        page.becomes(in_lecture("d.getElementById('summary').textContent.startsWith('patch in row "
                                "1, column 1, layer 0')")));

    // The teacher. The address differs from that of the class after '#' alone, so another page is
    // in between: without one nothing is loaded, and visit() would wait for it.
    page.visit("about:blank");
    page.visit(server_.teacher_address());
    ASSERT_TRUE(
        page.becomes("document.getElementById('class-now').textContent.startsWith('You teach.')"));
    EXPECT_EQ(page.evaluate("location.href"), server_.class_address()) << "the key is not shown";
    ASSERT_TRUE(page.becomes(in_lecture("'ready' in d.body.dataset")));
    page.evaluate(in_lecture("d.getElementById('head').scrollIntoView()"));
    const Json news =
        other.hears([](const Json& n) { return n["at"].is_array() && n["at"][0] == 2; });
    EXPECT_FALSE(news.is_null());
    page.evaluate("document.getElementById('make').click()");
    ASSERT_EQ(wishes(true).size(), 1u);
    EXPECT_EQ(page.errors, Words());
}

}  // namespace
}  // namespace saccade
