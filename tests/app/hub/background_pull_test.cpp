#include "app/hub/background_pull.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/app/hub/golden_files.h"
#include "tests/app/variable.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

using namespace std::chrono_literals;

class BackgroundPullTest : public ::testing::Test {
protected:
    BackgroundPullTest() {
        settings.endpoint = server.url();
        settings.first_backoff = 1ms;
        settings.stall_timeout = 1s;
        server.add("main", golden_files("vit-nano"));
    }
    static bool eventually(const std::function<bool()>& holds) {
        for (int i = 0; i < 1000; ++i) {
            if (holds()) return true;
            std::this_thread::sleep_for(10ms);
        }
        return false;
    }

    const TempFolder temp;
    const Variable cache{"HF_HUB_CACHE", (temp / "hub").c_str()};
    PiecePermits permits;  // before the server, which uses them
    HubServer server{"some/model"};
    HubSettings settings;
};

TEST_F(BackgroundPullTest, tells_how_much_has_come_and_then_that_it_is_here) {
    server.meddle([&](const WebRequest& request, WebAnswer& response) {
        if (request.method == "GET" && response.body.size() >= 1000) permits.require(response, 20);
    });
    BackgroundPull pull(settings);
    int came = 0;
    pull.start("some/model", [&] { ++came; });
    EXPECT_TRUE(pull.busy());
    EXPECT_EQ(pull.name(), "some/model");
    float before = 0;
    int steps = 0;
    EXPECT_TRUE(eventually([&] {
        pull.poll();
        permits.give(1);
        if (!pull.busy()) return true;
        // The config is downloaded first and alone: only it names the other files.
        const float share = pull.share();
        if (share == 1 && steps == 0) return false;
        EXPECT_GE(share, before) << "it only grows";
        EXPECT_LE(share, 1);
        steps += share > before && share < 1;
        before = share;
        return false;
    }));
    EXPECT_GT(steps, 2) << "on the way";
    EXPECT_EQ(came, 1);
    EXPECT_EQ(pull.error(), "");
    EXPECT_TRUE(pull.has("some/model"));
}

TEST_F(BackgroundPullTest, one_that_cannot_be_had_is_told_and_another_can_be_tried) {
    BackgroundPull pull(settings);
    int came = 0;
    pull.start("some/other", [&] { ++came; });
    EXPECT_TRUE(eventually([&] {
        pull.poll();
        return !pull.busy();
    }));
    EXPECT_NE(pull.error().find("some/other"), std::string::npos) << pull.error();
    EXPECT_FALSE(pull.has("some/other"));
    pull.start("some/model", [&] { ++came; });
    EXPECT_EQ(pull.error(), "");
    EXPECT_TRUE(eventually([&] {
        pull.poll();
        return !pull.busy();
    }));
    EXPECT_EQ(came, 1);
}

TEST_F(BackgroundPullTest, its_error_goes_when_another_model_is_chosen) {
    BackgroundPull pull(settings);
    pull.follow({"here", "none", ""});
    pull.start("some/other", [] {});
    EXPECT_TRUE(eventually([&] {
        pull.poll();
        pull.follow({"here", "none", ""});
        return !pull.busy();
    }));
    pull.follow({"here", "none", ""});
    EXPECT_NE(pull.error(), "") << "nothing else was chosen";
    pull.follow({"here", "none", "another"});
    EXPECT_EQ(pull.error(), "");
}

}  // namespace
}  // namespace saccade
