// `saccade-lab tiles`.

#include <nlohmann/json.hpp>

#include "tests/app/program.h"
#include "tests/gpu_test.h"
#include "tests/places.h"

namespace saccade {
namespace {

Outcome tiles(const Words& options) {
    Words words{"tiles"};
    words.insert(words.end(), options.begin(), options.end());
    return run_program(places::lab_program(), on_test_device(words));
}

TEST(Tiles, every_way_to_do_a_product_is_timed) {
    const Outcome outcome = tiles({"--product", "40x72x64", "--precision", "fp32"});
    expect_done(outcome);
    for (const char* part : {"40x72x64", "linear.tiled", "64x128x16/1", "32x64x32/1", "TFLOP/s"})
        EXPECT_NE(outcome.out.find(part), std::string::npos) << part << " in " << outcome.out;
}

TEST(Tiles, products_are_timed_with_what_becomes_of_them) {
    const Outcome outcome =
        tiles({"--product", "40x72x64", "--activation", "gelu", "--add", "--json"});
    expect_done(outcome);
    const auto told = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(told.at("timed").size(), 1u);
    EXPECT_EQ(told["timed"][0].at("what"), "40x72x64, gelu, added");
    const auto& all = told["timed"][0].at("tiles");
    EXPECT_GE(all.size(), 3u);
    for (size_t i = 1; i < all.size(); ++i)
        EXPECT_LE(all[i - 1].at("us").get<double>(), all[i].at("us").get<double>());
}

TEST(Tiles, attention_is_timed_where_there_are_matrices_for_it) {
    const Outcome outcome = tiles({"--attention", "40x300x64x2", "--precision", "fp16"});
    expect_done(outcome);
    EXPECT_NE(outcome.out.find("attention 40x300x64, 1 times 2 heads"), std::string::npos);
    if (test_device().features().cooperative_matrix) {
        EXPECT_NE(outcome.out.find(", once"), std::string::npos) << outcome.out;
    }
}

TEST(Tiles, convolutions_are_timed_where_there_are_matrices_for_them) {
    const Outcome outcome = tiles({"--conv", "12x17x8x72x3x2", "--activation", "relu", "--add"});
    expect_done(outcome);
    EXPECT_NE(
        outcome.out.find("convolution of 12x17, 8 to 72 channels, kernel 3, stride 2, relu, added"),
        std::string::npos)
        << outcome.out;
    if (test_device().features().cooperative_matrix) {
        EXPECT_NE(outcome.out.find("conv2d.coopmat"), std::string::npos) << outcome.out;
    }
}

TEST(Tiles, sizes_that_are_none_are_refused) {
    for (const char* text : {"", "40", "40x72", "40x72x64x1", "40x72x0", "x40x72x64", "40x72x64x",
                             "40x72x-4", "40x72x65537", "axbxc"})
        expect_refused(tiles({"--product", text}), 2, "ROWSxCOLUMNSxDEPTH", "saccade-lab");
    for (const char* text :
         {"1370x64", "1370x1370x640", "1370x1370x63", "9x9x64x1025", "9x9x64x1x1x1"})
        expect_refused(tiles({"--attention", text}), 2, "QUERIESxKEYS", "saccade-lab");
    for (const char* text : {"12x17x8", "12x17x8x72x2", "12x17x8x72x9", "12x17x8x72x3x5",
                             "5000x17x8x72", "12x17x8x72x3x1x1"})
        expect_refused(tiles({"--conv", text}), 2, "HEIGHTxWIDTHxCHANNELS", "saccade-lab");
    expect_refused(tiles({"--product", "40x72x64", "--activation", "bump"}), 2,
                   "--activation takes one of none, gelu", "saccade-lab");
    expect_refused(tiles({}), 2, "--product, --conv or --attention is missing", "saccade-lab");
}

}  // namespace
}  // namespace saccade
