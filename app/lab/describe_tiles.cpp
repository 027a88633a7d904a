#include "app/lab/describe_tiles.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/lab/fit_tiles.h"
#include "gpu/core/error.h"

namespace saccade {

namespace {

constexpr std::pair<const char*, Activation> activations[] = {
    {"none", Activation::none},           {"gelu", Activation::gelu_erf},
    {"gelu_tanh", Activation::gelu_tanh}, {"quick_gelu", Activation::quick_gelu},
    {"relu", Activation::relu},           {"silu", Activation::silu},
};

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

// The four products of a layer of ViT-B.
std::vector<ProductSizes> products_of_vit_base() {
    constexpr uint32_t tokens = 197, dim = 768, hidden = 3072;
    std::vector<ProductSizes> products;
    for (const uint32_t pictures : {1u, 8u, 64u}) {
        const uint32_t rows = pictures * tokens;
        products.push_back({1, rows, 3 * dim, dim});
        products.push_back({1, rows, dim, dim, Activation::none, true});
        products.push_back({1, rows, hidden, dim, Activation::gelu_erf});
        products.push_back({1, rows, dim, hidden, Activation::none, true});
    }
    return products;
}

// What was asked, how much there is to compute, and the answer.
struct Answer {
    std::string what;
    double flops;
    std::vector<TileTime> times;
};

// What becomes of a product or a convolution.
std::string ending(Activation of, bool add) {
    std::string text;
    for (const auto& [name, activation] : activations)
        if (activation == of && of != Activation::none) text += std::string(", ") + name;
    return text + (add ? ", added" : "");
}

std::string name_of(const ProductSizes& p) {
    return std::to_string(p.rows) + "x" + std::to_string(p.columns) + "x" +
           std::to_string(p.depth) + ending(p.activation, p.add);
}

std::string name_of(const ConvolutionSizes& s) {
    return "convolution of " + std::to_string(s.size.y) + "x" + std::to_string(s.size.x) + ", " +
           std::to_string(s.channels) + " to " + std::to_string(s.columns) + " channels, kernel " +
           std::to_string(s.kernel) + ", stride " + std::to_string(s.stride) +
           ending(s.activation, s.add);
}

std::string name_of(const AttentionSizes& a) {
    return "attention " + std::to_string(a.queries) + "x" + std::to_string(a.keys) + "x" +
           std::to_string(a.head) + ", " + std::to_string(a.batch) + " times " +
           std::to_string(a.heads) + " heads";
}

std::string table(const Answer& answer) {
    std::string text = answer.what + "\n";
    for (const TileTime& t : answer.times) {
        char expected[48] = "", line[200];
        if (t.expected_us > 0)
            std::snprintf(expected, sizeof expected, "  expected %9.1f us%s", t.expected_us,
                          t.fitted ? "" : ", a guess");
        std::snprintf(line, sizeof line, "  %-18s %-28s %9.1f us %7.1f TFLOP/s%s%s\n",
                      t.kernel.c_str(), t.tile.c_str(), t.us, answer.flops / t.us * 1e-6, expected,
                      t.chosen ? "  <- chosen" : "");
        text += line;
    }
    return text;
}

nlohmann::json as_json(const Answer& answer) {
    nlohmann::json tiles = nlohmann::json::array();
    for (const TileTime& t : answer.times)
        tiles.push_back({{"kernel", t.kernel},
                         {"tile", t.tile},
                         {"us", t.us},
                         {"expected_us", t.expected_us},
                         {"fitted", t.fitted},
                         {"chosen", t.chosen}});
    return {{"what", answer.what}, {"flops", answer.flops}, {"tiles", std::move(tiles)}};
}

}  // namespace

ProductSizes product_sizes(const std::string& text) {
    const std::vector<uint32_t> sizes = sizes_in(text);
    if (sizes.size() != 3)
        throw Error("--product takes ROWSxCOLUMNSxDEPTH, as 1576x768x3072, not '" + text + "'");
    return {1, sizes[0], sizes[1], sizes[2]};
}

ConvolutionSizes convolution_sizes(const std::string& text) {
    constexpr uint32_t largest_side = 4096, largest_kernel = 7, largest_stride = 4;
    std::vector<uint32_t> sizes = sizes_in(text);
    if (sizes.size() == 4) sizes.push_back(1);
    if (sizes.size() == 5) sizes.push_back(1);
    if (sizes.size() != 6 || std::max(sizes[0], sizes[1]) > largest_side ||
        sizes[4] > largest_kernel || sizes[4] % 2 == 0 || sizes[5] > largest_stride)
        throw Error(
            "--conv takes HEIGHTxWIDTHxCHANNELSxCOLUMNS[xKERNEL[xSTRIDE]], as 50x67x256x256x3, "
            "with an odd kernel up to 7, not '" +
            text + "'");
    return {{sizes[1], sizes[0]}, sizes[2], sizes[3], sizes[4], sizes[5]};
}

AttentionSizes attention_sizes(const std::string& text) {
    constexpr uint32_t largest_head = 128, most_heads = 1024;
    std::vector<uint32_t> sizes = sizes_in(text);
    if (sizes.size() == 3) sizes.push_back(12);
    if (sizes.size() == 4) sizes.push_back(1);
    if (sizes.size() != 5 || sizes[2] > largest_head || sizes[2] % 8 != 0 || sizes[3] > most_heads)
        throw Error(
            "--attention takes QUERIESxKEYSxHEAD[xHEADS[xBATCH]], as 1370x1370x64x12, not '" +
            text + "'");
    return {sizes[4], sizes[3], sizes[0], sizes[1], sizes[2]};
}

Activation activation_of_products(const std::string& name) {
    std::string known;
    for (const auto& [text, activation] : activations) {
        if (name == text) return activation;
        known += (known.empty() ? "" : ", ") + std::string(text);
    }
    throw Error("--activation takes one of " + known + ", not '" + name + "'");
}

std::string describe_tiles(const EngineOptions& options, const TilesOptions& asked) {
    Engine engine(options);
    Device& device = engine.device();
    std::vector<ProductSizes> products = asked.products;
    if (asked.fit)
        for (const ProductSizes& p : products_of_vit_base()) products.push_back(p);

    std::vector<Answer> answers;
    for (const ProductSizes& p : products)
        answers.push_back({name_of(p), 2.0 * p.rows * p.columns * p.depth,
                           time_tiles(device, engine.precision(), p)});
    for (const ConvolutionSizes& s : asked.convolutions)
        answers.push_back({name_of(s),
                           2.0 * area(s.out_size()) * s.columns * s.kernel * s.kernel * s.channels,
                           time_convolution(device, s)});
    std::vector<TileTime> of_products;
    for (const Answer& answer : answers)
        of_products.insert(of_products.end(), answer.times.begin(), answer.times.end());
    for (const AttentionSizes& a : asked.attentions)
        answers.push_back({name_of(a), 4.0 * a.batch * a.heads * a.queries * a.keys * a.head,
                           time_attention(device, a)});
    std::vector<std::string> rows;
    if (asked.fit) rows = fitted_rows(of_products);

    if (asked.json) {
        nlohmann::json all = nlohmann::json::array();
        for (const Answer& answer : answers) all.push_back(as_json(answer));
        return nlohmann::json{{"device", device.info().name},
                              {"driver", device.info().driver},
                              {"timed", std::move(all)},
                              {"rows", rows}}
                   .dump(1) +
               "\n";
    }
    std::string text = device.info().name + "\n";
    for (const Answer& answer : answers) text += table(answer);
    for (const std::string& row : rows) text += "    " + row + "\n";
    return text;
}

}  // namespace saccade
