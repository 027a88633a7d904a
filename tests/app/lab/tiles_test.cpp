// `saccade-lab tiles`.

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

TEST(Tiles, sizes_that_are_none_are_refused) {
    for (const char* text : {"", "40", "40x72", "40x72x64x1", "40x72x0", "x40x72x64", "40x72x64x",
                             "40x72x-4", "40x72x65537", "axbxc"})
        expect_refused(tiles({"--product", text}), 2, "ROWSxCOLUMNSxDEPTH", "saccade-lab");
    expect_refused(tiles({"--attention", "1x12x1370x64"}), 2, "BATCHxHEADS", "saccade-lab");
    expect_refused(tiles({}), 2, "--product is missing", "saccade-lab");
}

}  // namespace
}  // namespace saccade
