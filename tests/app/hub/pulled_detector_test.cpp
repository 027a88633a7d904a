// A detector from a Hub, from its name to its detections.

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "models/files/json.h"
#include "tests/app/hub/hub_server.h"
#include "tests/app/program.h"
#include "tests/app/variable.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

TEST(PulledDetector, finds_what_transformers_finds) {
    const TempFolder temp;
    HubServer::Files files;
    for (const auto& entry :
         std::filesystem::directory_iterator(model_folder(temp, "dfine-nano-tiny"))) {
        std::ifstream in(entry.path(), std::ios::binary);
        files[entry.path().filename()] = {std::istreambuf_iterator<char>(in), {}};
    }
    HubServer server("ustc-community/dfine-nano-coco");
    server.add("main", files);
    const Variable endpoint("HF_ENDPOINT", server.url().c_str()),
        hub("HF_HUB_CACHE", (temp / "hub").c_str()), token("HF_TOKEN", nullptr),
        online("HF_HUB_OFFLINE", nullptr);
    const std::string name = "ustc-community/dfine-nano-coco";
    expect_done(saccade_program({"models", "pull", name, "--quiet"}));

    const Json golden = read_json(golden_folder() / "dfine-nano-tiny" / "golden.json");
    const std::string picture = golden_folder() / "images" / "coffee.png";
    const std::string threshold = std::to_string(golden["threshold"].get<double>());
    const Outcome outcome =
        saccade_program(on_test_device({"detect", "--detector", name, picture, "--json",
                                        "--threshold", threshold, "--precision", "fp32"}));
    expect_done(outcome);
    const Json line = Json::parse(outcome.out);
    ASSERT_EQ(line["detections"].size(), golden["detections"].size());
    for (size_t i = 0; i < line["detections"].size(); ++i) {
        const Json &found = line["detections"][i], &want = golden["detections"][i];
        EXPECT_EQ(found["id"], want["label"]);
        EXPECT_NEAR(found["score"].get<double>(), want["score"].get<double>(), 1e-4);
        for (size_t side = 0; side < 4; ++side)
            EXPECT_NEAR(found["box"][side].get<double>(), want["box"][side].get<double>(), 0.5);
    }
}

}  // namespace
}  // namespace saccade
