#pragma once

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "app/page/base64.h"
#include "app/serve/page/live_page.h"
#include "app/serve/page_switches.h"
#include "tests/app/page/browser.h"

namespace saccade {

// The live page in a browser, without a server: a stub takes the place of its WebSocket, and the
// test gives it messages. So a test depends on no model, and not on how fast the machine is.
class StubbedPage {
public:
    using Json = nlohmann::json;

    StubbedPage() {
        browser.call("Page.addScriptToEvaluateOnNewDocument", {{"source", R"(
            window.sent = [];
            window.WebSocket = class extends EventTarget {
                static OPEN = 1;
                readyState = 1;
                constructor() {
                    super();
                    window.give = (data) => this.dispatchEvent(Object.assign(new Event("message"), {data}));
                    setTimeout(() => this.dispatchEvent(new Event("open")));
                }
                send(text) { window.sent.push(JSON.parse(text)); }
            };)"}});
    }
    void open(int width, int height, bool phone = false) {
        browser.set_size(width, height, phone);
        browser.open(folder_.write("page.html", live_page("Saccade").html));
        // The font that the program itself draws with is on every machine that builds it.
        browser.evaluate("document.body.style.fontFamily = '\"DejaVu Sans\"'");
    }
    void give(const Json& message) {
        browser.evaluate("give(" + Json(message.dump()).dump() + ")");
    }
    // Returns when the page shows the picture. `about` has the message's keys besides "jpeg".
    void give(Json about, const cv::Mat& picture, const std::vector<uint8_t>& levels = {}) {
        std::vector<uint8_t> jpeg;
        cv::imencode(".jpg", picture, jpeg);
        about["jpeg"] = jpeg.size();
        const std::string json = about.dump();
        std::string bytes;
        for (int shift = 0; shift < 32; shift += 8) bytes += char(json.size() >> shift & 255);
        bytes += json;
        bytes.append(jpeg.begin(), jpeg.end());
        bytes.append(levels.begin(), levels.end());
        browser.evaluate("give(Uint8Array.from(atob('" + base64(std::as_bytes(std::span(bytes))) +
                         "'), (c) => c.charCodeAt(0)).buffer)");
        if (!browser.becomes("saccade.number() === " + about["number"].dump()))
            throw std::runtime_error("the page shows no picture");
    }
    cv::Mat screenshot() {
        // Two frames later everything is painted.
        browser.evaluate(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => "
            "done())))");
        const std::string png = browser.call("Page.captureScreenshot", {{"format", "png"}})["data"];
        const std::vector<uint8_t> bytes = from_base64(png);
        return cv::imdecode(bytes, cv::IMREAD_COLOR);
    }

    Browser browser;

private:
    static std::vector<uint8_t> from_base64(const std::string& text) {
        std::vector<uint8_t> bytes;
        uint32_t bits = 0;
        int count = 0;
        for (const char c : text) {
            static const std::string letters =
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
            const size_t value = letters.find(c);
            if (value == letters.npos) break;
            bits = bits << 6 | uint32_t(value);
            if ((count += 6) >= 8) bytes.push_back(uint8_t(bits >> (count -= 8)));
        }
        return bytes;
    }

    TempFolder folder_;
};

// A file that is played, with three models.
inline nlohmann::json state_message() {
    using Json = nlohmann::json;
    auto model = [](const char* name) {
        return Json{{"name", name},      {"loading", ""},           {"progress", 0},
                    {"error", ""},       {"known", {name, "none"}}, {"takes_words", false},
                    {"words_error", ""}, {"phrases", Json::array()}};
    };
    Json state = {
        {"kind", "live"},
        {"source", "clip.mp4"},
        {"sources", {"clip.mp4", "synth:"}},
        {"source_state", ""},
        {"frozen", false},
        {"player",
         {{"live", false}, {"still", false}, {"frames", 300}, {"rate", 25}, {"frame", 75}}},
        {"threshold", 0.5},
        {"strides", {{"detector", 1}, {"classifier", 1}}},
        {"detector", model("a-detector")},
        {"classifier", model("a-classifier")},
        {"captioner", model("a-captioner")},
        {"start", {{"mode", "mean"}, {"layer", nullptr}, {"head", 0}}},
        {"words", {{"find", ""}, {"labels", ""}, {"question", ""}}},
        {"track", false},
        {"tracks", nullptr},
        {"regions", nullptr},
        {"device", "a device"},
        {"frames", 120},
        {"dropped", 0},
        {"rate", 25},
        {"age", 20},
        {"idle", 0},
        {"memory", {{"device", 1 << 28}, {"host", 1 << 27}}},
        {"stages", Json::array({Json::array({"detector", 4.1})})},
        {"switches", page_switches()}};
    state["classifier"]["sure_above"] = 0.7;
    state["classifier"]["classes"] = 20;
    return {{"state", state},
            {"you", 1},
            {"viewers", Json::array({{{"number", 1}, {"looks", false}, {"seconds", 3}}})},
            {"frozen_by", 0},
            {"read_only", false}};
}

struct StubDetection {
    const char* label;
    double score;
    std::array<double, 4> box;
};
// A frame with these detections and the words of a caption.
inline nlohmann::json picture_message(int number, cv::Size size,
                                      const std::vector<StubDetection>& detections,
                                      const std::vector<std::pair<const char*, double>>& words) {
    using Json = nlohmann::json;
    static const char* const colours[] = {"#ffb3a0", "#9fd4ff", "#b5f0a5", "#ffe07a", "#e0b5ff"};
    Json line = {{"source", "clip.mp4"},
                 {"frame", 75 + number},
                 {"time", 3},
                 {"width", size.width},
                 {"height", size.height},
                 {"detections", Json::array()},
                 {"caption", {{"text", ""}, {"words", Json::array()}}},
                 {"classes", {{{"label", "cat"}, {"id", 1}, {"score", 0.71}}}}};
    Json found = {{"name", "folder/clip.mp4"},
                  {"queries", Json::array()},
                  {"colours", Json::array()},
                  {"repeated", false},
                  {"caption_freshness", 1}};
    for (size_t i = 0; i < detections.size(); ++i) {
        const auto& [label, score, box] = detections[i];
        line["detections"].push_back({{"label", label}, {"id", i}, {"score", score}, {"box", box}});
        found["queries"].push_back(i);
        found["colours"].push_back(colours[i % std::size(colours)]);
    }
    for (const auto& [text, p] : words)
        line["caption"]["words"].push_back({{"text", text}, {"p", p}});
    return {{"number", number}, {"captured", 0}, {"sent", 1},
            {"map", nullptr},   {"line", line},  {"found", found}};
}

}  // namespace saccade
