#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/models/files/temp_folder.h"

namespace saccade {

// A headless Chromium with one page, driven over the DevTools protocol through a pipe: messages are
// JSON, each ended by a zero byte. It has no access to a network beyond this machine.
class Browser {
public:
    using Json = nlohmann::json;

    Browser() {
        int to_browser[2], from_browser[2];
        if (::pipe2(to_browser, O_CLOEXEC) != 0 || ::pipe2(from_browser, O_CLOEXEC) != 0)
            throw std::runtime_error("no pipe");
        const std::string profile = "--user-data-dir=" + (folder_ / "profile").string();
        std::vector<std::string> words{program(),
                                       "--headless",
                                       "--no-sandbox",
                                       "--remote-debugging-pipe",
                                       "--disable-gpu",
                                       "--disable-background-networking",
                                       "--disable-component-update",
                                       "--disable-sync",
                                       "--disable-breakpad",
                                       "--no-first-run",
                                       "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
                                       profile,
                                       "about:blank"};
        std::vector<char*> pointers;
        for (std::string& word : words) pointers.push_back(word.data());
        pointers.push_back(nullptr);
        posix_spawn_file_actions_t files;
        ::posix_spawn_file_actions_init(&files);
        ::posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
        ::posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
        ::posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
        // Through free descriptors first, so that neither pipe end is overwritten.
        ::posix_spawn_file_actions_adddup2(&files, to_browser[0], 100);
        ::posix_spawn_file_actions_adddup2(&files, from_browser[1], 101);
        ::posix_spawn_file_actions_adddup2(&files, 100, 3);
        ::posix_spawn_file_actions_adddup2(&files, 101, 4);
        posix_spawnattr_t attributes;
        ::posix_spawnattr_init(&attributes);
        ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        const int failed = ::posix_spawn(&process_, words[0].c_str(), &files, &attributes,
                                         pointers.data(), ::environ);
        ::posix_spawnattr_destroy(&attributes);
        ::posix_spawn_file_actions_destroy(&files);
        ::close(to_browser[0]);
        ::close(from_browser[1]);
        to_ = to_browser[1];
        from_ = from_browser[0];
        if (failed) throw std::runtime_error("cannot start " + words[0]);

        const Json target = call("Target.createTarget", {{"url", "about:blank"}});
        session_ = call("Target.attachToTarget",
                        {{"targetId", target["targetId"]}, {"flatten", true}})["sessionId"];
        for (const char* domain : {"Page", "Runtime", "Network", "Log", "Accessibility"})
            call(std::string(domain) + ".enable");
    }
    Browser(const Browser&) = delete;
    Browser& operator=(const Browser&) = delete;
    ~Browser() {
        ::close(to_);  // the browser ends when its pipe is closed
        ::close(from_);
        for (int i = 0; i < 100 && ::waitpid(process_, nullptr, WNOHANG) == 0; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        ::kill(-process_, SIGKILL);
        ::waitpid(process_, nullptr, 0);
    }

    // Loads a file and waits for its load event.
    void open(const std::filesystem::path& file) { visit("file://" + file.string()); }
    void visit(const std::string& address) {
        errors.clear();
        requests.clear();
        page_ = address;
        loaded_ = false;
        call("Page.navigate", {{"url", page_}});
        while (!loaded_) receive();
    }
    void set_size(int width, int height, bool phone = false) {
        call("Emulation.setDeviceMetricsOverride",
             {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", phone}});
    }
    // The value of a JavaScript expression.
    Json evaluate(const std::string& expression) {
        const Json result =
            call("Runtime.evaluate",
                 {{"expression", expression}, {"returnByValue", true}, {"awaitPromise", true}});
        if (result.contains("exceptionDetails"))
            throw std::runtime_error(expression + ": " + result["exceptionDetails"].dump());
        return result["result"].value("value", Json());
    }
    void move_pointer(double x, double y) { mouse("mouseMoved", x, y, 0); }
    void click(double x, double y) {
        mouse("mousePressed", x, y, 1);
        mouse("mouseReleased", x, y, 1);
    }
    void drag(double x, double y, double to_x, double to_y) {
        mouse("mousePressed", x, y, 1);
        for (int i = 1; i <= 4; ++i) {
            const double part = i / 4.0;
            call("Input.dispatchMouseEvent", {{"type", "mouseMoved"},
                                              {"x", x + part * (to_x - x)},
                                              {"y", y + part * (to_y - y)},
                                              {"button", "left"},
                                              {"buttons", 1}});
        }
        mouse("mouseReleased", to_x, to_y, 1);
    }
    void press(const std::string& key) {
        for (const char* type : {"keyDown", "keyUp"})
            call("Input.dispatchKeyEvent", {{"type", type}, {"key", key}});
    }
    // True if an expression becomes true within some seconds.
    bool becomes(const std::string& expression, int seconds = 60) {
        for (int i = 0; i < 20 * seconds; ++i) {
            if (evaluate(expression) == true) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
        return false;
    }
    // True if an expression keeps its value for a second, within some seconds.
    bool settles(const std::string& expression) {
        Json before = evaluate(expression);
        for (int i = 0; i < 30; ++i) {
            std::this_thread::sleep_for(std::chrono::seconds(1));
            Json now = evaluate(expression);
            if (now == before) return true;
            before = std::move(now);
        }
        return false;
    }
    // The accessibility tree: nodes with roles and names.
    Json accessibility() { return call("Accessibility.getFullAXTree")["nodes"]; }
    Json call(const std::string& method, const Json& parameters = Json::object()) {
        Json message = {{"id", ++last_id_}, {"method", method}, {"params", parameters}};
        if (!session_.empty()) message["sessionId"] = session_;
        const std::string text = message.dump() + '\0';
        for (size_t done = 0; done < text.size();) {
            const ssize_t count = ::write(to_, text.data() + done, text.size() - done);
            if (count <= 0) throw std::runtime_error("the browser is gone");
            done += size_t(count);
        }
        for (;;) {
            const Json answer = receive();
            if (answer.value("id", 0) != last_id_) continue;
            if (answer.contains("error"))
                throw std::runtime_error(method + ": " + answer["error"].dump());
            return answer["result"];
        }
    }

    std::vector<std::string> errors;    // exceptions and console errors since the page was loaded
    std::vector<std::string> requests;  // except for the page itself and data: URLs

private:
    static std::string program() {
        const char* path = std::getenv("PATH");
        for (const char* name : {"chromium", "chromium-headless-shell", "chromium-browser",
                                 "google-chrome", "google-chrome-stable"}) {
            std::istringstream folders(path ? path : "");
            for (std::string folder; std::getline(folders, folder, ':');)
                if (::access((folder + "/" + name).c_str(), X_OK) == 0) return folder + "/" + name;
        }
        throw std::runtime_error("there is no Chromium to open the page in: install chromium");
    }

    void mouse(const char* type, double x, double y, int clicks) {
        call("Input.dispatchMouseEvent", {{"type", type},
                                          {"x", x},
                                          {"y", y},
                                          {"button", clicks ? "left" : "none"},
                                          {"clickCount", clicks}});
    }

    // The next message; events are remembered.
    Json receive() {
        size_t end;
        while ((end = waiting_.find('\0')) == waiting_.npos) {
            pollfd ready{from_, POLLIN, 0};
            char piece[65536];
            ssize_t count = 0;
            if (::poll(&ready, 1, 30'000) > 0) count = ::read(from_, piece, sizeof piece);
            if (count <= 0) throw std::runtime_error("the browser does not answer");
            waiting_.append(piece, size_t(count));
        }
        const Json message = Json::parse(waiting_.substr(0, end));
        waiting_.erase(0, end + 1);
        const std::string event = message.value("method", "");
        if (event == "Page.loadEventFired") loaded_ = true;
        const Json about = message.value("params", Json::object());
        if (event == "Runtime.exceptionThrown" ||
            (event == "Log.entryAdded" && about["entry"]["level"] == "error") ||
            (event == "Runtime.consoleAPICalled" && about["type"] == "error"))
            errors.push_back(about.dump());
        if (event == "Network.requestWillBeSent") {
            const std::string url = about["request"]["url"];
            if (!url.starts_with("data:") && url != page_) requests.push_back(url);
        }
        return message;
    }

    TempFolder folder_;
    pid_t process_ = 0;
    int to_ = -1, from_ = -1, last_id_ = 0;
    std::string session_, waiting_, page_;
    bool loaded_ = false;
};

}  // namespace saccade
