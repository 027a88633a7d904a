#include "app/page/page.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/io/assets.h"
#include "app/io/digest.h"
#include "app/page/base64.h"
#include "models/text/unicode.h"

namespace saccade {

std::string text_asset(std::string_view name) {
    const std::span<const std::byte> bytes = asset(name);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : valid_utf8(text)) {
        switch (c) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '"':
                result += "&quot;";
                break;
            case '\'':
                result += "&#39;";
                break;
            default:
                result.push_back(c);
        }
    }
    return result;
}

std::string for_script(const nlohmann::ordered_json& object) {
    std::string result;
    for (const char c :
         object.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace))
        c == '<' ? result += "\\u003c" : result += c;
    return result;
}

std::string hash_of(const std::string& text) {
    Digest digest = Digest::sha256();
    digest.update(text);
    return "sha256-" + base64(digest.finish());
}

std::string filled(const std::string& form, const std::map<std::string, std::string>& values) {
    std::string page;
    size_t at = 0;
    for (size_t open; (open = form.find("{{", at)) != form.npos;) {
        const size_t close = form.find("}}", open);
        page.append(form, at, open - at);
        page += values.at(form.substr(open + 2, close - open - 2));
        at = close + 2;
    }
    return page.append(form, at);
}

void add_shared_parts(std::map<std::string, std::string>& parts, const std::string& policy) {
    const std::string meta =
        policy.empty()
            ? ""
            : "<meta http-equiv=\"Content-Security-Policy\" content=\"" + policy + "\">\n";
    parts["head"] =
        filled(text_asset("head.html"),
               {{"policy", meta}, {"title", parts.at("title")}, {"style", parts.at("style")}});
    for (const char* part : {"found", "layers", "opacity", "scale"})
        parts[part] = text_asset(std::string(part) + ".html");
}

std::string css_colour(uint32_t colour) {
    char text[16];
    std::snprintf(text, sizeof text, "#%02x%02x%02x", colour & 0xffu, colour >> 8 & 0xffu,
                  colour >> 16 & 0xffu);
    return text;
}

}  // namespace saccade
