#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <semaphore>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "app/io/digest.h"

namespace saccade {

struct WebRequest {
    std::string method, path;
    std::map<std::string, std::string> headers;  // names in lower case

    std::string header(const std::string& name) const {
        const auto found = headers.find(name);
        return found == headers.end() ? "" : found->second;
    }
};

struct WebAnswer {
    int status = 200;
    std::map<std::string, std::string> headers = {};
    std::string body = {};
    size_t cut = SIZE_MAX;               // the connection ends after this many bytes of the body
    std::chrono::milliseconds delay{0};  // before the body
    bool unannounced = false;            // without a Content-Length
    bool endless = false;                // the body is repeated for ever
    std::chrono::milliseconds between_bytes{0};  // of the body, or between pieces of it
    size_t piece = 1;
    std::function<void()> before_piece = {};  // may wait
};

// An HTTP server on the loopback interface: one request per connection, one thread per connection.
class WebServer {
public:
    using Handler = std::function<WebAnswer(const WebRequest&)>;

    explicit WebServer(Handler handler) : handler_(std::move(handler)) {
        listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), length) != 0 ||
            ::listen(listener_, 64) != 0 ||
            ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length) != 0)
            throw std::runtime_error("no loopback server");
        port_ = ntohs(address.sin_port);
        acceptor_ = std::thread([this] { accept_all(); });
    }
    WebServer(const WebServer&) = delete;
    WebServer& operator=(const WebServer&) = delete;
    ~WebServer() {
        ::shutdown(listener_, SHUT_RDWR);
        acceptor_.join();
        ::close(listener_);
        for (std::thread& thread : connections_) thread.join();
    }

    std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
    // The requests so far.
    std::vector<WebRequest> requests() const {
        const std::lock_guard lock(mutex_);
        return requests_;
    }
    void forget() {
        const std::lock_guard lock(mutex_);
        requests_.clear();
    }

private:
    void accept_all() {
        for (int socket; (socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;)
            connections_.emplace_back([this, socket] {
                serve(socket);
                ::close(socket);
            });
    }

    void serve(int socket) {
        std::string text;
        while (text.find("\r\n\r\n") == text.npos) {
            char piece[4096];
            const ssize_t count = ::recv(socket, piece, sizeof piece, 0);
            if (count <= 0) return;
            text.append(piece, size_t(count));
        }
        WebRequest request;
        const size_t first = text.find(' '), second = text.find(' ', first + 1);
        request.method = text.substr(0, first);
        request.path = text.substr(first + 1, second - first - 1);
        for (size_t line = text.find("\r\n") + 2, end; (end = text.find("\r\n", line)) != line;
             line = end + 2) {
            const size_t colon = text.find(':', line);
            std::string name = text.substr(line, colon - line);
            std::ranges::transform(name, name.begin(), ::tolower);
            request.headers[name] = text.substr(colon + 2, end - colon - 2);
        }
        {
            const std::lock_guard lock(mutex_);
            requests_.push_back(request);
        }
        const WebAnswer response = handler_(request);
        std::string head =
            "HTTP/1.1 " + std::to_string(response.status) + " x\r\nConnection: close\r\n";
        for (const auto& [name, value] : response.headers) head += name + ": " + value + "\r\n";
        if (!response.unannounced && !response.headers.contains("Content-Length"))
            head += "Content-Length: " + std::to_string(response.body.size()) + "\r\n";
        send(socket, head + "\r\n");
        if (request.method == "HEAD") return;
        std::this_thread::sleep_for(response.delay);
        const std::string body = response.body.substr(0, response.cut);
        if (response.between_bytes.count() > 0 || response.before_piece) {
            for (size_t at = 0; at < body.size(); at += response.piece) {
                if (response.before_piece) response.before_piece();
                if (!send(socket, body.substr(at, response.piece))) return;
                std::this_thread::sleep_for(response.between_bytes);
            }
            return;
        }
        while (send(socket, body) && response.endless) {
        }
    }

    static bool send(int socket, const std::string& text) {
        for (size_t sent = 0; sent < text.size();) {
            const ssize_t count =
                ::send(socket, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
            if (count <= 0) return false;
            sent += size_t(count);
        }
        return true;
    }

    Handler handler_;
    int listener_ = -1;
    uint16_t port_ = 0;
    std::thread acceptor_;
    std::vector<std::thread> connections_;  // the acceptor's, then the destructor's
    mutable std::mutex mutex_;
    std::vector<WebRequest> requests_;
};

// Lets a server send its pieces one by one, when the test permits it.
class PiecePermits {
public:
    void give(ptrdiff_t pieces) { permits_.release(pieces); }
    // Sends the body in that many pieces, each with a permit.
    void require(WebAnswer& answer, size_t pieces) {
        answer.piece = answer.body.size() / pieces;
        answer.before_piece = [this] { (void)permits_.try_acquire_for(std::chrono::seconds(30)); };
    }

private:
    std::counting_semaphore<> permits_{0};
};

// A Hub with one model, which keeps large files on another server, as the real one does. `meddle`
// may spoil any response of either.
class HubServer {
public:
    using Files = std::map<std::string, std::string>;  // name -> content
    using Meddle = std::function<void(const WebRequest&, WebAnswer&)>;

    explicit HubServer(std::string model) : model_(std::move(model)) {}

    // A revision of the model; each has a commit of its own.
    std::string add(const std::string& revision, const Files& files) {
        const std::string commit = std::string(39, 'c') + std::to_string(revisions_.size());
        revisions_[revision] = {commit, files};
        return commit;
    }
    void meddle(Meddle how) {
        const std::lock_guard lock(mutex_);
        meddle_ = std::move(how);
    }
    std::string url() const { return hub_.url(); }

    WebServer& hub() { return hub_; }
    WebServer& store() { return store_; }
    // The number of requests with this method for paths with this ending, at both servers.
    size_t count(const std::string& method, const std::string& ending) const {
        size_t found = 0;
        for (const WebServer* server : {&hub_, &store_})
            for (const WebRequest& request : server->requests())
                found += request.method == method && request.path.ends_with(ending);
        return found;
    }

    static bool is_large(const std::string& name) {
        return name.ends_with(".safetensors") || name.ends_with(".bin");
    }
    static std::string etag(const std::string& name, const std::string& content) {
        Digest digest = is_large(name) ? Digest::sha256() : Digest::sha1();
        if (!is_large(name)) digest.update("blob " + std::to_string(content.size()) + '\0');
        digest.update(content);
        return hex(digest.finish());
    }

private:
    struct Revision {
        std::string commit;
        Files files;
    };

    WebAnswer spoiled(const WebRequest& request, WebAnswer response) {
        Meddle how;
        {
            const std::lock_guard lock(mutex_);
            how = meddle_;
        }
        if (how) how(request, response);
        return response;
    }

    // Files are named by what follows the commit in the path.
    const std::string* find(const std::string& path, const std::string& prefix,
                            std::string& name) const {
        for (const auto& [revision, known] : revisions_) {
            const std::string folder = prefix + known.commit + "/";
            if (!path.starts_with(folder)) continue;
            name = path.substr(folder.size());
            const auto found = known.files.find(name);
            return found == known.files.end() ? nullptr : &found->second;
        }
        return nullptr;
    }

    static WebAnswer content(const WebRequest& request, const std::string& content) {
        WebAnswer response{.body = content};
        const std::string range = request.header("range");
        if (range.empty()) return response;
        const size_t from = std::stoull(range.substr(range.find('=') + 1));
        if (from >= content.size()) return {.status = 416};
        response.status = 206;
        response.body = content.substr(from);
        response.headers["Content-Range"] = "bytes " + std::to_string(from) + "-" +
                                            std::to_string(content.size() - 1) + "/" +
                                            std::to_string(content.size());
        return response;
    }

    WebAnswer at_hub(const WebRequest& request) const {
        const std::string api = "/api/models/" + model_ + "/revision/";
        for (const auto& [revision, known] : revisions_) {
            std::string encoded;
            for (char c : revision) encoded += c == '/' ? "%2F" : std::string(1, c);
            if (request.path != api + encoded && request.path != api + known.commit) continue;
            nlohmann::json siblings = nlohmann::json::array();
            for (const auto& [name, ignored] : known.files)
                siblings.push_back({{"rfilename", name}});
            return {.body = nlohmann::json{{"sha", known.commit}, {"siblings", siblings}}.dump(
                        -1, ' ', true)};
        }
        std::string name;
        const std::string* const file = find(request.path, "/" + model_ + "/resolve/", name);
        if (!file) return {.status = 404, .headers = {{"X-Error-Code", "EntryNotFound"}}};
        const std::string commit = request.path.substr(model_.size() + 10, 40);
        if (!is_large(name)) {
            WebAnswer response = content(request, *file);
            response.headers["ETag"] = "\"" + etag(name, *file) + "\"";
            response.headers["X-Repo-Commit"] = commit;
            return response;
        }
        return {.status = 302,
                .headers = {{"Location", store_.url() + "/" + commit + "/" + name},
                            {"X-Repo-Commit", commit},
                            {"ETag", "W/\"of-the-redirect\""},
                            {"X-Linked-Etag", "\"" + etag(name, *file) + "\""},
                            {"X-Linked-Size", std::to_string(file->size())}}};
    }

    WebAnswer at_store(const WebRequest& request) const {
        std::string name;
        const std::string* const file = find(request.path, "/", name);
        return file ? content(request, *file) : WebAnswer{.status = 404};
    }

    std::string model_;
    std::map<std::string, Revision> revisions_;
    std::mutex mutex_;
    Meddle meddle_;
    WebServer store_{[this](const WebRequest& r) { return spoiled(r, at_store(r)); }};
    WebServer hub_{[this](const WebRequest& r) { return spoiled(r, at_hub(r)); }};
};

}  // namespace saccade
