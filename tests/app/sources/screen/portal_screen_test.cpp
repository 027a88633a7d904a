// The screen of a Wayland desktop: a fake portal on a private D-Bus.

#include "app/sources/screen/portal_screen.h"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>

#include "tests/app/program.h"
#include "tests/app/variable.h"
#include "tests/models/files/temp_folder.h"

#ifdef SACCADE_HAS_PORTAL
#include <systemd/sd-bus.h>
#endif

namespace saccade {
namespace {

#ifdef SACCADE_HAS_PORTAL

// A private bus, which ends with the test and activates none of this machine's portals.
class PrivateBus {
public:
    PrivateBus() {
        const std::string config = temp_.write(
            "bus.conf",
            "<busconfig><type>session</type><listen>unix:tmpdir=" + temp_.path().string() +
                "</listen>"
                "<policy context='default'><allow send_destination='*' eavesdrop='true'/>"
                "<allow eavesdrop='true'/><allow own='*'/></policy></busconfig>");
        const std::string option = "--config-file=" + config;
        int ends[2];
        if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
        process_ = ::fork();
        if (process_ == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            ::dup2(ends[1], 3);
            ::execlp("dbus-daemon", "dbus-daemon", option.c_str(), "--nofork", "--nopidfile",
                     "--print-address=3", nullptr);
            ::_exit(127);
        }
        ::close(ends[1]);
        char line[512] = "";
        const ssize_t count = ::read(ends[0], line, sizeof line - 1);
        ::close(ends[0]);
        if (count > 1) address_.assign(line, size_t(count) - 1);
    }
    ~PrivateBus() {
        ::kill(process_, SIGKILL);
        ::waitpid(process_, nullptr, 0);
    }
    const std::string& address() const { return address_; }

private:
    const TempFolder temp_;
    int process_ = 0;
    std::string address_;
};

// A fake portal: it answers requests for a screen cast.
class TestPortal {
public:
    // `result`: the portal's response code; 1: the user refused, 2: the desktop failed. Its
    // PipeWire closes the connection.
    explicit TestPortal(uint32_t result = 0, bool silent = false)
        : result_(result), silent_(silent) {
        if (sd_bus_open_user(&bus_) < 0) throw std::runtime_error("no bus");
        static const sd_bus_vtable table[] = {
            SD_BUS_VTABLE_START(0),
            SD_BUS_METHOD("CreateSession", "a{sv}", "o", on_create, SD_BUS_VTABLE_UNPRIVILEGED),
            SD_BUS_METHOD("SelectSources", "oa{sv}", "o", on_select, SD_BUS_VTABLE_UNPRIVILEGED),
            SD_BUS_METHOD("Start", "osa{sv}", "o", on_start, SD_BUS_VTABLE_UNPRIVILEGED),
            SD_BUS_METHOD("OpenPipeWireRemote", "oa{sv}", "h", on_open, SD_BUS_VTABLE_UNPRIVILEGED),
            SD_BUS_VTABLE_END};
        sd_bus_add_object_vtable(bus_, nullptr, "/org/freedesktop/portal/desktop",
                                 "org.freedesktop.portal.ScreenCast", table, this);
        sd_bus_request_name(bus_, "org.freedesktop.portal.Desktop", 0);
        thread_ = std::jthread([this](const std::stop_token& stop) {
            while (!stop.stop_requested())
                if (sd_bus_process(bus_, nullptr) <= 0) sd_bus_wait(bus_, 20'000);
        });
    }
    ~TestPortal() {
        thread_.request_stop();
        thread_.join();
        sd_bus_flush_close_unref(bus_);
    }

    std::string asked;  // "CreateSession SelectSources ...", to be read when this has ended
    uint32_t types = 0, node = 77;

private:
    static TestPortal& self(void* data) { return *static_cast<TestPortal*>(data); }

    // Reads the options, and returns the object that will send the response.
    std::string path_of(sd_bus_message* call) {
        std::string token = "none";
        sd_bus_message_enter_container(call, 'a', "{sv}");
        while (sd_bus_message_enter_container(call, 'e', "sv") > 0) {
            const char *name = nullptr, *text = nullptr;
            sd_bus_message_read(call, "s", &name);
            if (std::string(name) == "handle_token") {
                sd_bus_message_read(call, "v", "s", &text);
                token = text;
            } else if (std::string(name) == "types") {
                sd_bus_message_read(call, "v", "u", &types);
            } else {
                sd_bus_message_skip(call, "v");
            }
            sd_bus_message_exit_container(call);
        }
        std::string sender = sd_bus_message_get_sender(call) + 1;
        for (char& c : sender)
            if (c == '.') c = '_';
        return "/org/freedesktop/portal/desktop/request/" + sender + "/" + token;
    }
    sd_bus_message* answer_to(const std::string& path, uint32_t result) {
        sd_bus_message* signal = nullptr;
        sd_bus_message_new_signal(bus_, &signal, path.c_str(), "org.freedesktop.portal.Request",
                                  "Response");
        sd_bus_message_append(signal, "u", result);
        return signal;
    }
    void send(sd_bus_message* signal) {
        sd_bus_send(bus_, signal, nullptr);
        sd_bus_message_unref(signal);
    }
    static int on_create(sd_bus_message* call, void* data, sd_bus_error*) {
        TestPortal& portal = self(data);
        portal.asked += "CreateSession ";
        const std::string path = portal.path_of(call);
        sd_bus_reply_method_return(call, "o", path.c_str());
        sd_bus_message* signal = portal.answer_to(path, 0);
        sd_bus_message_append(signal, "a{sv}", 2, "strange", "u", 5u, "session_handle", "s",
                              "/org/freedesktop/portal/desktop/session/test");
        portal.send(signal);
        return 1;
    }
    static int on_select(sd_bus_message* call, void* data, sd_bus_error*) {
        TestPortal& portal = self(data);
        portal.asked += "SelectSources ";
        sd_bus_message_skip(call, "o");
        const std::string path = portal.path_of(call);
        sd_bus_reply_method_return(call, "o", path.c_str());
        if (portal.silent_) return 1;  // the dialog stays open
        sd_bus_message* signal = portal.answer_to(path, portal.result_);
        sd_bus_message_append(signal, "a{sv}", 0);
        portal.send(signal);
        return 1;
    }
    static int on_start(sd_bus_message* call, void* data, sd_bus_error*) {
        TestPortal& portal = self(data);
        portal.asked += "Start ";
        sd_bus_message_skip(call, "os");
        const std::string path = portal.path_of(call);
        sd_bus_reply_method_return(call, "o", path.c_str());
        sd_bus_message* signal = portal.answer_to(path, 0);
        sd_bus_message_append(signal, "a{sv}", 1, "streams", "a(ua{sv})", 1, portal.node, 1,
                              "source_type", "u", 1u);
        portal.send(signal);
        return 1;
    }
    static int on_open(sd_bus_message* call, void* data, sd_bus_error*) {
        TestPortal& portal = self(data);
        portal.asked += "OpenPipeWireRemote ";
        int ends[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return -1;
        sd_bus_reply_method_return(call, "h", ends[0]);
        ::close(ends[0]);
        ::close(ends[1]);
        return 1;
    }

    const uint32_t result_;
    const bool silent_;
    sd_bus* bus_ = nullptr;
    std::jthread thread_;
};

class PortalScreenTest : public ::testing::Test {
protected:
    static SourceOptions hasty() {
        SourceOptions options;
        options.open_timeout = std::chrono::milliseconds(500);
        return options;
    }
    static std::string refusal(const std::string& text = "screen:",
                               const std::stop_token& stop = {}) {
        return error_of([&] { PortalScreen(text, hasty(), stop); });
    }
    PrivateBus bus;
    const Variable address{"DBUS_SESSION_BUS_ADDRESS", bus.address().c_str()};
};

TEST_F(PortalScreenTest, asks_for_a_session_sources_and_a_start_and_then_for_pipewire) {
    std::string asked;
    uint32_t types = 0;
    {
        TestPortal portal;
        expect_says(refusal(), "sends no picture");
        asked = portal.asked;
        types = portal.types;
    }
    EXPECT_EQ(asked, "CreateSession SelectSources Start OpenPipeWireRemote ");
    EXPECT_EQ(types, 3u) << "monitors and windows";
}

TEST_F(PortalScreenTest, somebody_who_refuses_is_believed) {
    const TestPortal portal(1);
    expect_says(refusal(), "permission was denied");
}

TEST_F(PortalScreenTest, a_desktop_that_fails_is_not_taken_for_a_refusal) {
    const TestPortal portal(2);
    expect_says(refusal(), "could not show it");
}

TEST_F(PortalScreenTest, a_dialog_that_nobody_answers_does_not_keep_the_program_from_ending) {
    const TestPortal portal(0, true);
    std::stop_source stop;
    const std::jthread person([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        stop.request_stop();
    });
    EXPECT_NE(refusal("screen:", stop.get_token()), "");
}

TEST_F(PortalScreenTest, a_desktop_without_a_portal_is_told_what_to_install) {
    expect_says(refusal(), "xdg-desktop-portal");
}

TEST_F(PortalScreenTest, pipewire_without_its_settings_is_one_line) {
    const Variable settings("PIPEWIRE_CONFIG_DIR", "/nowhere");
    const TestPortal portal;
    expect_says(refusal(), "client.conf");
}

TEST_F(PortalScreenTest, a_part_that_is_none_is_told_before_anybody_is_asked) {
    expect_says(refusal("screen:10x10"), "WIDTHxHEIGHT+LEFT+TOP");
}

TEST(PortalScreen, without_a_bus_there_is_one_line) {
    const Variable address("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/at/all");
    expect_says(error_of([] { PortalScreen("screen:", {}, {}); }), "DBUS_SESSION_BUS_ADDRESS");
}

#else

TEST(PortalScreen, a_build_without_the_libraries_says_so) {
    expect_says(error_of([] { PortalScreen("screen:", {}, {}); }), "libpipewire-0.3-dev");
}

#endif

}  // namespace
}  // namespace saccade
