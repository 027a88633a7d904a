#include "app/live/models/swapped_model.h"

#include <gtest/gtest.h>

#include <latch>

namespace saccade {
namespace {

using SwappedText = SwappedModel<std::string>;

std::unique_ptr<std::string> open_at_once(const std::string& name, const LoadProgress& = {}) {
    if (name == "damaged") throw Error("it is damaged");
    return std::make_unique<std::string>("the model " + name);
}

void wait(const SwappedText& slot) {
    while (!slot.ready()) std::this_thread::yield();
}

TEST(SwappedModel, the_old_model_works_until_the_new_one_is_there) {
    std::latch half_way(1), loaded(1);
    SwappedText slot([&](const std::string& name, const LoadProgress& progress) {
        if (name == "large") {
            progress(0.25f);
            half_way.count_down();
            loaded.wait();
        }
        return open_at_once(name);
    });
    EXPECT_EQ(slot.model(), nullptr);
    EXPECT_FALSE(slot.ready()) << "nothing was asked for";
    slot.want("small");
    wait(slot);
    EXPECT_TRUE(slot.swap());
    EXPECT_EQ(*slot.model(), "the model small");

    slot.want("large");
    slot.want("large");
    EXPECT_EQ(slot.loading(), "large");
    half_way.wait();
    EXPECT_EQ(slot.progress(), 0.25f);
    EXPECT_FALSE(slot.ready());
    EXPECT_EQ(slot.name(), "small");
    loaded.count_down();
    wait(slot);
    EXPECT_EQ(*slot.model(), "the model small") << "the old one stays until swap()";
    EXPECT_TRUE(slot.swap());
    EXPECT_EQ(*slot.model(), "the model large");
    EXPECT_EQ(slot.loading(), "");
    EXPECT_FALSE(slot.ready());
}

TEST(SwappedModel, one_that_does_not_work_gives_way_to_the_one_before) {
    SwappedText slot(open_at_once);
    EXPECT_FALSE(slot.undo("nothing was swapped"));
    auto become = [&](const std::string& name) {
        slot.want(name);
        wait(slot);
        EXPECT_TRUE(slot.swap());
    };
    become("small");
    slot.settle();
    EXPECT_FALSE(slot.undo("it has worked"));
    become("large");
    EXPECT_TRUE(slot.undo("it does not fit"));
    EXPECT_EQ(*slot.model(), "the model small");
    EXPECT_EQ(slot.name(), "small");
    EXPECT_EQ(slot.error(), "it does not fit");
    slot.want("large");  // as before: it is not tried again
    EXPECT_EQ(slot.loading(), "");
    become("other");
    EXPECT_EQ(slot.error(), "");
    EXPECT_EQ(*slot.model(), "the model other");
}

TEST(SwappedModel, a_lost_device_is_no_matter_of_the_model) {
    SwappedText slot([](const std::string&, const LoadProgress&) -> std::unique_ptr<std::string> {
        throw DeviceLost("the device is lost");
    });
    slot.want("any");
    wait(slot);
    EXPECT_THROW(slot.swap(), DeviceLost);
    EXPECT_EQ(slot.error(), "");
}

TEST(SwappedModel, one_that_cannot_be_opened_is_told_and_changes_nothing) {
    SwappedText slot(open_at_once);
    slot.want("good");
    wait(slot);
    slot.swap();
    slot.want("damaged");
    wait(slot);
    EXPECT_FALSE(slot.swap());
    EXPECT_EQ(slot.error(), "it is damaged");
    EXPECT_EQ(slot.name(), "good");
    slot.want("damaged");
    EXPECT_FALSE(slot.ready()) << "not again and again";
    slot.want("another");
    EXPECT_EQ(slot.error(), "");
    wait(slot);
    EXPECT_TRUE(slot.swap());
    EXPECT_EQ(*slot.model(), "the model another");
}

TEST(SwappedModel, the_last_wish_counts) {
    std::latch begun(1), go(1);
    SwappedText slot([&](const std::string& name, const LoadProgress&) {
        if (name == "first") {
            begun.count_down();
            go.wait();
        }
        return open_at_once(name);
    });
    slot.want("first");
    begun.wait();
    slot.want("second");
    slot.want("third");
    go.count_down();
    wait(slot);
    EXPECT_FALSE(slot.swap()) << "the first is no longer wanted";
    EXPECT_EQ(slot.loading(), "third");
    wait(slot);
    EXPECT_TRUE(slot.swap());
    EXPECT_EQ(*slot.model(), "the model third");
}

TEST(SwappedModel, none_is_a_wish_too) {
    SwappedText slot(open_at_once);
    slot.want("good");
    wait(slot);
    slot.swap();
    slot.want("none");
    wait(slot);
    EXPECT_TRUE(slot.swap());
    EXPECT_EQ(slot.model(), nullptr);
    EXPECT_EQ(slot.name(), "none");
}

}  // namespace
}  // namespace saccade
