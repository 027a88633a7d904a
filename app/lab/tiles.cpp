#include "app/lab/tiles.h"

#include <charconv>
#include <cstdio>

#include "gpu/core/error.h"
#include "gpu/products/tiles.h"

namespace saccade {

namespace {

// Numbers from 1 to 65536 with an x between them.
std::vector<uint32_t> sizes_in(const std::string& text) {
    std::vector<uint32_t> sizes;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (true) {
        uint32_t size = 0;
        const auto [after, error] = std::from_chars(at, end, size);
        if (error != std::errc() || size == 0 || size > 65536) return {};
        sizes.push_back(size);
        if (after == end) return sizes;
        if (*after != 'x') return {};
        at = after + 1;
    }
}

std::string described(const std::string& what, double flops, const std::vector<TileTime>& times) {
    std::string text = what + "\n";
    for (const TileTime& t : times) {
        char expected[48] = "", line[200];
        if (t.expected_us > 0)
            std::snprintf(expected, sizeof expected, "  expected %9.1f us%s", t.expected_us,
                          t.fitted ? "" : ", a guess");
        std::snprintf(line, sizeof line, "  %-18s %-28s %9.1f us %7.1f TFLOP/s%s%s\n",
                      t.kernel.c_str(), t.tile.c_str(), t.us, flops / t.us * 1e-6, expected,
                      t.chosen ? "  <- chosen" : "");
        text += line;
    }
    return text;
}

}  // namespace

TileQuestion product_question(const std::string& text) {
    const std::vector<uint32_t> sizes = sizes_in(text);
    if (sizes.size() != 3)
        throw Error("--product takes ROWSxCOLUMNSxDEPTH, as 1576x768x3072, not '" + text + "'");
    return {text, sizes};
}

TileQuestion attention_question(const std::string& text) {
    const std::vector<uint32_t> sizes = sizes_in(text);
    if (sizes.size() != 5)
        throw Error("--attention takes BATCHxHEADSxQUERIESxKEYSxHEAD, as 1x12x1370x1370x64, not '" +
                    text + "'");
    return {text, sizes};
}

std::string describe_tiles(const EngineOptions& options, const std::vector<TileQuestion>& products,
                           const std::vector<TileQuestion>& attentions) {
    Engine engine(options);
    Device& device = engine.device();
    std::string text = device.info().name + "\n";
    for (const auto& [what, p] : products)
        text += described(what, 2.0 * p[0] * p[1] * p[2],
                          time_tiles(device, engine.precision(), 1, p[0], p[1], p[2]));
    for (const auto& [what, p] : attentions)
        text += described(what, 4.0 * p[0] * p[1] * p[2] * p[3] * p[4],
                          time_attention(device, {p[0], p[1], p[2], p[3], p[4]}));
    return text;
}

}  // namespace saccade
