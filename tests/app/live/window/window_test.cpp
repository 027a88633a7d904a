// The window on an X server of the test's own, with the validation layers on.

#include "app/live/window/window.h"

#include <gtest/gtest.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <thread>

#include "app/live/state/controls.h"
#include "app/live/view/view.h"
#include "app/live/window/input_queue.h"
#include "app/live/window/screen.h"
#include "gpu/transfer/frame.h"
#include "tests/app/hub/golden_files.h"
#include "tests/app/live/window/display.h"
#include "tests/app/variable.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

constexpr const char* title = "saccade test";
constexpr uint32_t red = 0xff0000, green = 0x00ff00, blue = 0x0000ff, white = 0xffffff;

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

// One window for all tests: opening a device takes longer than most of them.
struct Desk {
    Desk() : display(1024, 768) {
        ::setenv("DISPLAY", display.name().c_str(), 1);
        ::unsetenv("WAYLAND_DISPLAY");
        window = std::make_unique<Window>(Window::Options{title, 640, 480});
        display.move_window(title, 0, 0);
        instance = std::make_unique<Instance>(
            Instance::Options{.validation = environment("SACCADE_NO_VALIDATION").empty(),
                              .on_message =
                                  [this](std::string_view text) {
                                      ++messages;
                                      ADD_FAILURE() << "validation: " << text;
                                  },
                              .extensions = window->instance_extensions()});
        Device::Options options;
        options.extensions = {Swapchain::extension};
        device = std::make_unique<Device>(
            *instance, instance->choose(environment("SACCADE_DEVICE")), std::move(options));
        screen = std::make_unique<Screen>(*device, *window, PresentMode::fifo, "");
    }

    TestDisplay display;
    int messages = 0;
    std::unique_ptr<Window> window;
    std::unique_ptr<Instance> instance;
    std::unique_ptr<Device> device;
    std::unique_ptr<Screen> screen;
};

class WindowTest : public ::testing::Test {
protected:
    static void SetUpTestSuite() { desk_ = new Desk; }
    static void TearDownTestSuite() {
        desk_->screen.reset();
        desk_->device.reset();
        desk_->instance.reset();
        EXPECT_EQ(desk_->messages, 0) << "of a leak, for one";
        delete std::exchange(desk_, nullptr);
    }

    WindowTest()
        : display(desk_->display),
          window(*desk_->window),
          device(*desk_->device),
          screen(*desk_->screen) {}

    void SetUp() override {
        display.move_mouse(1000, 760);
        resize(640, 480);
        window.events();
    }

    // Repeats an action until a condition holds.
    static bool eventually(const std::function<bool()>& holds) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (!holds()) {
            if (std::chrono::steady_clock::now() > end) return false;
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        return true;
    }
    void resize(uint32_t width, uint32_t height) {
        display.resize_window(title, width, height);
        EXPECT_TRUE(eventually([&] {
            window.events();
            return window.size() == Size{width, height};
        }));
    }
    bool show(
        const Image* picture, const std::function<void()>& panels = [] {}) {
        screen.give({.image = picture});
        if (!screen.begin(queue_.take())) return false;
        panels();
        return screen.show().has_value();
    }
    // Shows the picture until the display matches.
    bool shows(
        const Image* picture, const std::function<bool(const Screenshot&)>& expected,
        const std::function<void()>& panels = [] {}) {
        return eventually([&] {
            listen();
            show(picture, panels);
            return expected(display.screenshot());
        });
    }
    // Takes events until there is one of the kind.
    std::vector<WindowEvent> events_until(WindowEvent::Kind kind) {
        std::vector<WindowEvent> all;
        EXPECT_TRUE(eventually([&] {
            for (const WindowEvent& event : window.events()) all.push_back(event);
            return std::ranges::any_of(all, [&](const auto& e) { return e.kind == kind; });
        }));
        return all;
    }

    // Red, green, blue and white quarters.
    const Image& quarters(uint32_t width = 64, uint32_t height = 48) {
        frame_ = std::make_unique<Frame>(device, width, height, false);
        std::vector<uint8_t> rgb;
        for (uint32_t y = 0; y < height; ++y)
            for (uint32_t x = 0; x < width; ++x) {
                const uint32_t colour =
                    y < height / 2 ? (x < width / 2 ? red : green) : (x < width / 2 ? blue : white);
                for (int shift : {16, 8, 0}) rgb.push_back(uint8_t(colour >> shift));
            }
        frame_->write({rgb.data(), width, height, 3 * width, false});
        Arena arena(device, "test scratch");
        Commands commands(device, arena, "test");
        commands.begin();
        frame_->record(commands);
        commands.end();
        commands.run();
        return frame_->image();
    }
    static bool quarters_fill(const Screenshot& s, uint32_t width, uint32_t height) {
        return s.at(2, 2) == red && s.at(width - 3, 2) == green && s.at(2, height - 3) == blue &&
               s.at(width - 3, height - 3) == white;
    }

    TestDisplay& display;
    Window& window;
    Device& device;
    Screen& screen;

    // Passes the user's input on to the panels.
    void listen() { queue_.add(window.events()); }

private:
    static inline Desk* desk_ = nullptr;
    InputQueue queue_;
    std::unique_ptr<Frame> frame_;
};

TEST_F(WindowTest, shows_a_picture_in_its_right_colours_as_large_as_fits) {
    EXPECT_TRUE(shows(&quarters(), [](const Screenshot& s) { return quarters_fill(s, 640, 480); }));
    // A wide one leaves bars above and below: 640 x 160 in the middle of 480.
    EXPECT_TRUE(shows(&quarters(128, 32), [](const Screenshot& s) {
        return s.at(2, 2) == 0 && s.at(2, 158) == 0 && s.at(2, 163) == red &&
               s.at(637, 163) == green && s.at(2, 316) == blue && s.at(637, 316) == white &&
               s.at(637, 322) == 0;
    }));
    EXPECT_TRUE(shows(nullptr, [](const Screenshot& s) { return s.at(2, 163) == 0; }))
        << "no picture, no colour";
}

TEST_F(WindowTest, follows_the_windows_size) {
    const Image& picture = quarters();
    for (const auto& [width, height] : {std::pair{400u, 300u}, {801u, 602u}, {640u, 480u}}) {
        display.resize_window(title, width, height);
        EXPECT_TRUE(shows(&picture, [&](const Screenshot& s) {
            return window.size() == Size{width, height} && quarters_fill(s, width, height);
        })) << width;
    }
}

TEST_F(WindowTest, a_size_that_changes_between_frames_is_no_error) {
    const Image& picture = quarters();
    for (uint32_t i = 0; i < 12; ++i) {
        display.resize_window(title, 300 + 23 * i, 500 - 17 * i);
        listen();
        show(&picture);
    }
    // At last 553 x 313, of which the picture fills 417 in the middle.
    EXPECT_TRUE(shows(&picture, [](const Screenshot& s) {
        return s.at(60, 5) == 0 && s.at(74, 5) == red && s.at(478, 5) == green &&
               s.at(478, 308) == white && s.at(492, 308) == 0;
    }));
}

TEST_F(WindowTest, shows_nothing_while_minimised_and_goes_on_afterwards) {
    const Image& picture = quarters();
    ASSERT_TRUE(show(&picture));
    display.minimise_window(title, true);
    EXPECT_TRUE(eventually([&] {
        window.events();
        return window.size() == Size{};
    }));
    EXPECT_FALSE(show(&picture));
    display.minimise_window(title, false);
    EXPECT_TRUE(shows(&picture, [](const Screenshot& s) { return quarters_fill(s, 640, 480); }));
}

TEST_F(WindowTest, fills_the_screen_and_comes_back) {
    const Image& picture = quarters();
    window.set_full_screen(true);
    EXPECT_TRUE(shows(&picture, [](const Screenshot& s) { return quarters_fill(s, 1024, 768); }));
    window.set_full_screen(false);
    EXPECT_TRUE(shows(&picture, [&](const Screenshot& s) {
        return window.size() == Size{640, 480} && s.at(1000, 700) == 0 &&
               quarters_fill(s, 640, 480);
    }));
    display.move_window(title, 0, 0);
}

TEST_F(WindowTest, every_present_mode_that_the_device_has_shows_pictures) {
    const Image& picture = quarters();
    const std::vector<PresentMode> modes = screen.swapchain().modes();
    EXPECT_EQ(modes.front(), PresentMode::fifo);
    for (PresentMode mode : modes) {
        screen.swapchain().set_mode(mode);
        for (int i = 0; i < 5; ++i) EXPECT_TRUE(show(&picture)) << name_of(mode);
        EXPECT_EQ(screen.swapchain().mode(), mode);
    }
    screen.swapchain().set_mode(PresentMode::fifo);
    EXPECT_TRUE(show(&picture));
}

TEST_F(WindowTest, keys_arrive_as_what_they_type_and_whether_they_are_held_is_told) {
    display.move_mouse(300, 200);
    display.press("a");
    display.press("bracketleft");
    display.hold("space", 5);
    display.press("Escape");
    std::u32string typed;
    EXPECT_TRUE(eventually([&] {
        for (const WindowEvent& event : window.events())
            if (event.kind == WindowEvent::Kind::key && !event.repeated) typed += event.key;
        return typed.ends_with(escape_key);
    }));
    EXPECT_EQ(typed, U"a[ \x1b");
}

TEST_F(WindowTest, the_mouse_is_told_in_pixels_of_the_window) {
    display.click(123, 45);
    const std::vector<WindowEvent> events = events_until(WindowEvent::Kind::release);
    const auto press = std::ranges::find(events, WindowEvent::Kind::press, &WindowEvent::kind);
    ASSERT_NE(press, events.end());
    EXPECT_EQ(press->place.x, 123);
    EXPECT_EQ(press->place.y, 45);
    EXPECT_EQ(press->button, 0);
    display.move_mouse(1000, 700);
    events_until(WindowEvent::Kind::leave);
}

TEST_F(WindowTest, panels_lie_over_the_picture_and_take_the_mouse_there) {
    const Image& picture = quarters();
    int pressed = 0;
    auto panel = [&] {
        ImGui::SetNextWindowPos({20, 30});
        ImGui::SetNextWindowSize({200, 100});
        ImGui::Begin("panel", nullptr, ImGuiWindowFlags_NoSavedSettings);
        ImGui::SetCursorScreenPos({30, 60});
        if (ImGui::Button("press", {100, 30})) ++pressed;
        ImGui::End();
    };
    EXPECT_TRUE(shows(
        &picture,
        [](const Screenshot& s) { return s.at(200, 110) != red && s.at(300, 110) == red; }, panel));
    display.move_mouse(400, 300);
    EXPECT_TRUE(eventually([&] {
        listen();
        show(&picture, panel);
        return !screen.ui().has_mouse();
    }));
    display.move_mouse(80, 75);
    EXPECT_TRUE(eventually([&] {
        listen();
        show(&picture, panel);
        return screen.ui().has_mouse();
    }));
    display.click(80, 75);
    EXPECT_TRUE(eventually([&] {
        listen();
        show(&picture, panel);
        return pressed == 1;
    }));
}

TEST_F(WindowTest, a_text_that_is_typed_into_a_panel_is_not_meant_as_keys) {
    display.move_mouse(300, 200);
    char text[32] = "";
    auto panel = [&] {
        ImGui::SetNextWindowPos({0, 0});
        ImGui::Begin("panel", nullptr, ImGuiWindowFlags_NoSavedSettings);
        ImGui::SetKeyboardFocusHere();
        ImGui::InputText("text", text, sizeof text);
        ImGui::End();
    };
    EXPECT_TRUE(eventually([&] {
        listen();
        show(nullptr, panel);
        return screen.ui().has_keyboard();
    }));
    display.press("q");
    EXPECT_TRUE(eventually([&] {
        listen();
        show(nullptr, panel);
        return std::string(text) == "q";
    }));
    EXPECT_TRUE(eventually([&] {
        listen();
        show(nullptr);
        return !screen.ui().has_keyboard();
    }));
}

TEST_F(WindowTest, keys_that_come_and_go_between_two_frames_are_not_lost) {
    display.move_mouse(300, 200);
    char text[32] = "";
    int entered = 0;
    auto panel = [&] {
        ImGui::SetNextWindowPos({0, 0});
        ImGui::Begin("panel", nullptr, ImGuiWindowFlags_NoSavedSettings);
        ImGui::SetKeyboardFocusHere();
        if (ImGui::InputText("text", text, sizeof text, ImGuiInputTextFlags_EnterReturnsTrue))
            ++entered;
        ImGui::End();
    };
    EXPECT_TRUE(eventually([&] {
        listen();
        show(nullptr, panel);
        return screen.ui().has_keyboard();
    }));
    for (const char* key : {"a", "b", "BackSpace", "c", "Return"}) display.press(key);
    std::this_thread::sleep_for(
        std::chrono::milliseconds(300));  // all events arrive before the next frame
    EXPECT_TRUE(eventually([&] {
        listen();
        show(nullptr, panel);
        return entered > 0;
    }));
    EXPECT_EQ(std::string(text), "ac");
    EXPECT_TRUE(eventually([&] {
        listen();
        show(nullptr);
        return !screen.ui().has_keyboard();
    }));
}

TEST_F(WindowTest, a_picture_of_the_hosts_keeps_to_the_view_and_the_view_can_be_read) {
    std::vector<uint8_t> bgr(size_t{32} * 24 * 3);
    for (size_t i = 0; i < bgr.size(); i += 3) bgr[i + 2] = 255;
    screen.set_view({200, 0, 640, 400});
    screen.give({.host = PictureView{bgr.data(), 32, 24, 96, true}});
    EXPECT_EQ(screen.placement({32, 24}), (Placement{200, 35, 440, 330}));
    std::optional<PictureView> seen;
    EXPECT_TRUE(eventually([&] {
        listen();
        if (!screen.begin()) return false;
        screen.read_next();
        screen.show();
        seen = screen.read();
        const Screenshot s = display.screenshot();
        return s.at(210, 200) == red && s.at(630, 200) == red && s.at(190, 200) == 0 &&
               s.at(400, 30) == 0 && s.at(400, 405) == 0;
    }));
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->width, 440u);
    EXPECT_EQ(seen->height, 400u);
    EXPECT_EQ(seen->pixels[size_t(200) * seen->row_bytes + 2], 255);
    EXPECT_EQ(seen->pixels[size_t(10) * seen->row_bytes + 2], 0);
    EXPECT_FALSE(screen.read()) << "once";
    screen.give({});
    screen.set_view({0, 0, 640, 480});
}

TEST_F(WindowTest, panels_lie_beside_the_picture_and_the_legend_on_it_says_what_is_seen) {
    Session session;
    session.wishes.look.attention.mode = AttentionMode::head;
    LiveView view;
    Status& report = session.status;
    report.device = "a device";
    report.source_state = "the camera is gone";
    report.detector.name = "detr";
    report.detector.loading = "yolos";
    report.detector.progress = 0.4f;
    report.detector.error = "it is damaged";
    report.detector.known = {{"detr", true, {}}};
    report.labels = {"cat", "dog"};
    report.notice = "saved saccade-1.png";
    report.score.emplace();
    for (int i = 0; i < 200; ++i) report.stages.add("detector", float(4 + i % 3));
    view.scene.picture = {64, 48};
    SourceOffers offers;
    BackgroundPull pull;
    ViewLayout layout;
    auto draw = [&] {
        layout = layout_for(session);
        RegionEditor editor;
        ViewInput input{session, view, offers, pull, editor, {layout.picture, layout.picture}, {}};
        draw_view(input, layout);
    };
    auto lit = [](const Screenshot& s, const Rectangle& part) {
        size_t count = 0;
        for (auto y = uint32_t(part.min.y); y < uint32_t(part.max.y); ++y)
            for (auto x = uint32_t(part.min.x); x < uint32_t(part.max.x); ++x)
                count += (s.at(x, y) & 0xff) > 0xc0;
        return count;
    };
    EXPECT_TRUE(shows(
        nullptr,
        [&](const Screenshot& s) {
            return lit(s, layout.panel) > 1000 && lit(s, layout.status) > 50;
        },
        draw))
        << "the panel is full of text";
    EXPECT_EQ(lit(display.screenshot(), layout.picture), 0u) << "nothing lies over the picture";

    view.attention.emplace();
    view.attention->looker = {.token = Looker::Token::patch, .of_detector = true, .point = {}};
    view.attention->geometry = {.grid = {8, 6}, .corner = {}, .cell = glm::vec2(8)};
    view.attention->largest = 0.14f;
    EXPECT_TRUE(shows(
        nullptr, [&](const Screenshot& s) { return lit(s, layout.picture) > 200; }, draw))
        << "the legend";
    view.attention.reset();
    session.wishes.window.help = true;
    EXPECT_TRUE(shows(
        nullptr, [&](const Screenshot& s) { return lit(s, layout.picture) > 500; }, draw));
    session.wishes.window.help = session.wishes.window.panels = false;
    EXPECT_TRUE(shows(
        nullptr,
        [&](const Screenshot& s) {
            return layout.panel.area() == 0 && lit(s, layout.picture) == 0 &&
                   lit(s, layout.status) > 50;
        },
        draw))
        << "only what there is to notice is left";
    view.scene.picture = {};
    EXPECT_TRUE(shows(
        nullptr, [&](const Screenshot& s) { return lit(s, layout.picture) > 200; }, draw))
        << "what can be opened";
}

// The colour of a bar that fills.
size_t in_bars(const Screenshot& s) {
    return static_cast<size_t>(std::ranges::count(s.pixels, 0xe6b300u));
}

TEST_F(WindowTest, a_model_that_is_pulled_has_a_bar_that_grows) {
    const TempFolder temp;
    const Variable cache("HF_HUB_CACHE", (temp / "hub").c_str());
    PiecePermits permits;
    HubServer server("some/model");
    server.add("main", golden_files("vit-nano"));
    server.meddle([&](const WebRequest& request, WebAnswer& answer) {
        if (request.method == "GET" && answer.body.size() > 10'000) permits.require(answer, 20);
    });
    HubSettings settings;
    settings.endpoint = server.url();
    BackgroundPull pull(settings);
    Session session;
    LiveView view;
    view.scene.picture = {64, 48};
    SourceOffers offers;
    auto draw = [&] {
        pull.poll();
        const ViewLayout layout = layout_for(session);
        RegionEditor editor;
        ViewInput input{session, view, offers, pull, editor, {layout.picture, layout.picture}, {}};
        draw_view(input, layout);
    };
    EXPECT_TRUE(shows(
        nullptr, [](const Screenshot& s) { return in_bars(s) == 0; }, draw));
    pull.start("some/model", [] {});
    size_t first = 0;
    permits.give(6);
    EXPECT_TRUE(shows(
        nullptr, [&](const Screenshot& s) { return (first = in_bars(s)) > 20; }, draw));
    permits.give(8);
    EXPECT_TRUE(shows(
        nullptr, [&](const Screenshot& s) { return in_bars(s) > first + 20; }, draw));
    permits.give(100);
    EXPECT_TRUE(shows(
        nullptr, [&](const Screenshot& s) { return !pull.busy() && in_bars(s) == 0; }, draw));
    EXPECT_TRUE(pull.has("some/model"));
}

TEST_F(WindowTest, two_views_have_a_legend_each_and_the_pointer_is_seen_in_both) {
    Session session;
    choose_second_view(session.wishes, SecondView::Kind::maps);
    session.wishes.window.panels = false;
    session.pointer.target.point = glm::vec2(32, 40);
    LiveView view;
    view.scene.picture = {64, 48};
    view.scene.second.emplace();
    view.attention.emplace();
    view.attention->looker = {.token = Looker::Token::patch, .of_detector = true, .point = {}};
    view.attention->geometry = {.grid = {8, 6}, .corner = {}, .cell = glm::vec2(8)};
    view.second_attention = view.attention;
    SourceOffers offers;
    BackgroundPull pull;
    ViewInput::Place first, second;
    auto draw = [&] {
        const ViewLayout layout = layout_for(session);
        screen.set_view(layout.picture);
        view.scene.place = screen.placement(size_of(view.scene));
        const auto places = places_of(view.scene, layout.picture, {1, 1});
        first = places.first;
        second = places.second.value();
        RegionEditor editor;
        ViewInput input{session, view, offers, pull, editor, first, second};
        draw_view(input, layout);
    };
    auto lit = [](const Screenshot& s, glm::vec2 from, glm::vec2 to) {
        size_t count = 0;
        for (auto y = uint32_t(from.y); y < uint32_t(to.y); ++y)
            for (auto x = uint32_t(from.x); x < uint32_t(to.x); ++x)
                count += (s.at(x, y) & 0xff) > 0xc0;
        return count;
    };
    auto cross = [&](const Screenshot& s, const ViewInput::Place& place) {
        const glm::vec2 at = place.picture.min + *session.pointer.target.point / glm::vec2(64, 48) *
                                                     place.picture.size();
        return lit(s, at - 8.0f, at + 8.0f) > 10;
    };
    EXPECT_TRUE(shows(
        nullptr,
        [&](const Screenshot& s) {
            const glm::vec2 legend(300, 60);
            return lit(s, first.room.min, first.room.min + legend) > 100 &&
                   lit(s, second.room.min, second.room.min + legend) > 100 && cross(s, second) &&
                   !cross(s, first);
        },
        draw));
    EXPECT_LE(first.picture.max.x, second.picture.min.x);
    session.pointer.over_second = true;
    EXPECT_TRUE(shows(
        nullptr, [&](const Screenshot& s) { return cross(s, first) && !cross(s, second); }, draw))
        << "where the mouse is not";
    screen.set_view({0, 0, 640, 480});
}

TEST_F(WindowTest, closing_it_is_noticed) {
    EXPECT_FALSE(window.closing());
    display.close_window(title);
    EXPECT_TRUE(eventually([&] {
        window.events();
        return window.closing();
    }));
}

TEST(HiDpiWindow, everything_is_twice_as_large_on_a_display_with_twice_the_dots) {
    const TestDisplay display(1024, 768);
    display.set_dpi(192);
    ::setenv("DISPLAY", display.name().c_str(), 1);
    const Window window({title, 300, 200});
    EXPECT_EQ(window.scale(), 2);
    EXPECT_EQ(window.size(), (Size{600, 400}));
    EXPECT_EQ(window.size_to_open(), (Size{300, 200})) << "it does not grow from run to run";
}

TEST(NoWindow, without_a_display_there_is_an_error_that_says_so) {
    const std::string display = environment("DISPLAY");
    ::unsetenv("DISPLAY");
    ::unsetenv("WAYLAND_DISPLAY");
    EXPECT_THROW(Window({title, 640, 480}), NoDisplay);
    ::setenv("DISPLAY", ":4711", 1);
    EXPECT_THROW(Window({title, 640, 480}), NoDisplay);
    if (display.empty())
        ::unsetenv("DISPLAY");
    else
        ::setenv("DISPLAY", display.c_str(), 1);
}

}  // namespace
}  // namespace saccade
