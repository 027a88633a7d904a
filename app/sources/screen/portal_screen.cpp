#include "app/sources/screen/portal_screen.h"

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <opencv2/imgproc.hpp>

#include "app/frame/slots.h"
#include "gpu/core/error.h"

#ifdef SACCADE_HAS_PORTAL
#include <pipewire/pipewire.h>
#include <spa/param/video/format-utils.h>
#include <systemd/sd-bus.h>
#include <unistd.h>
#endif

namespace saccade {

namespace {

constexpr const char* instead =
    "; to show one anyway, record it with OBS or ffmpeg and open that stream";

}  // namespace

bool is_wayland() {
    const char* display = std::getenv("WAYLAND_DISPLAY");
    return display && *display;
}

#ifdef SACCADE_HAS_PORTAL

namespace {

constexpr const char* portal_name = "org.freedesktop.portal.Desktop";
constexpr const char* portal_path = "/org/freedesktop/portal/desktop";
constexpr const char* screen_cast = "org.freedesktop.portal.ScreenCast";

struct Unref {
    void operator()(sd_bus* p) const { sd_bus_flush_close_unref(p); }
    void operator()(sd_bus_message* p) const { sd_bus_message_unref(p); }
    void operator()(sd_bus_slot* p) const { sd_bus_slot_unref(p); }
};
template <typename T>
using Bus = std::unique_ptr<T, Unref>;

// A D-Bus session with the portal, whose dialog asks the user for permission.
class Portal {
public:
    explicit Portal(std::stop_token stop) : stop_(std::move(stop)) {
        sd_bus* bus = nullptr;
        if (sd_bus_open_user(&bus) < 0)
            throw Error(
                "screen: needs the session's D-Bus, by which a Wayland desktop is asked: "
                "set DBUS_SESSION_BUS_ADDRESS");
        bus_.reset(bus);
        const char* unique = nullptr;
        sd_bus_get_unique_name(bus, &unique);
        sender_ = unique + 1;  // without the leading colon
        std::ranges::replace(sender_, '.', '_');
        choose();
    }

    uint32_t node() const { return node_; }
    int open_pipewire() {
        Bus<sd_bus_message> call = method("OpenPipeWireRemote");
        sd_bus_message_append(call.get(), "oa{sv}", session_.c_str(), 0);
        const Bus<sd_bus_message> answer = send(std::move(call));
        int file = -1;
        if (sd_bus_message_read(answer.get(), "h", &file) < 0)
            throw Error("the desktop's portal gave no access to PipeWire");
        return ::dup(file);  // the message closes its own
    }

private:
    static constexpr uint32_t monitors_and_windows = 3, cursor_in_picture = 2;
    static constexpr uint32_t cancelled = 1;  // response code of a request; 0: granted

    void choose() {
        Bus<sd_bus_message> call = method("CreateSession");
        append(call, {{"handle_token", next_token()}, {"session_handle_token", "saccade"}}, {});
        request(std::move(call));
        call = method("SelectSources");
        sd_bus_message_append(call.get(), "o", session_.c_str());
        append(call, {{"handle_token", next_token()}},
               {{"types", monitors_and_windows}, {"cursor_mode", cursor_in_picture}});
        request(std::move(call));
        call = method("Start");
        sd_bus_message_append(call.get(), "os", session_.c_str(), "");
        append(call, {{"handle_token", next_token()}}, {});
        request(std::move(call));
        if (!found_) throw Error("the desktop's portal shows nothing");
    }

    Bus<sd_bus_message> method(const char* name) const {
        sd_bus_message* call = nullptr;
        sd_bus_message_new_method_call(bus_.get(), &call, portal_name, portal_path, screen_cast,
                                       name);
        return Bus<sd_bus_message>(call);
    }
    std::string next_token() { return token_ = "saccade" + std::to_string(++requests_); }

    using Texts = std::vector<std::pair<const char*, std::string>>;
    using Numbers = std::vector<std::pair<const char*, uint32_t>>;
    static void append(const Bus<sd_bus_message>& call, const Texts& texts,
                       const Numbers& numbers) {
        sd_bus_message_open_container(call.get(), 'a', "{sv}");
        for (const auto& [name, text] : texts)
            sd_bus_message_append(call.get(), "{sv}", name, "s", text.c_str());
        for (const auto& [name, number] : numbers)
            sd_bus_message_append(call.get(), "{sv}", name, "u", number);
        sd_bus_message_close_container(call.get());
    }

    Bus<sd_bus_message> send(Bus<sd_bus_message> call) const {
        sd_bus_error error = SD_BUS_ERROR_NULL;
        sd_bus_message* answer = nullptr;
        const int code = sd_bus_call(bus_.get(), call.get(), 0, &error, &answer);
        const std::string why = error.message ? error.message : std::strerror(-code);
        sd_bus_error_free(&error);
        if (code < 0)
            throw Error("screen: this Wayland desktop has no portal for screens (" + why +
                        "): install xdg-desktop-portal and the one of your desktop "
                        "(-gnome, -kde, -wlr)" +
                        instead);
        return Bus<sd_bus_message>(answer);
    }

    // The response to a request arrives as a signal, once the user has decided.
    void request(Bus<sd_bus_message> call) {
        const std::string path = std::string(portal_path) + "/request/" + sender_ + "/" + token_;
        answered_ = false;
        sd_bus_slot* slot = nullptr;
        sd_bus_match_signal(bus_.get(), &slot, portal_name, path.c_str(),
                            "org.freedesktop.portal.Request", "Response", on_response, this);
        const Bus<sd_bus_slot> listening(slot);
        send(std::move(call));
        while (!answered_) {
            if (stop_.stop_requested()) throw Error("the capture of the screen was stopped");
            const int code = sd_bus_process(bus_.get(), nullptr);
            if (code < 0) throw Error("the desktop's portal is gone");
            if (code == 0) sd_bus_wait(bus_.get(), 100'000);
        }
        if (result_ == cancelled)
            throw Error(
                "screen: permission was denied in the desktop's dialog; run it again and allow it");
        if (result_ != 0)
            throw Error(std::string("screen: the desktop's portal could not show it; 'journalctl "
                                    "--user' has its reasons") +
                        instead);
    }

    static int on_response(sd_bus_message* message, void* self, sd_bus_error*) {
        static_cast<Portal*>(self)->read(message);
        return 0;
    }
    void read(sd_bus_message* message) {
        answered_ = true;
        sd_bus_message_read(message, "u", &result_);
        sd_bus_message_enter_container(message, 'a', "{sv}");
        while (sd_bus_message_enter_container(message, 'e', "sv") > 0) {
            const char* name = nullptr;
            sd_bus_message_read(message, "s", &name);
            if (!std::strcmp(name, "session_handle")) {
                const char* handle = nullptr;
                if (sd_bus_message_read(message, "v", "s", &handle) > 0) session_ = handle;
            } else if (!std::strcmp(name, "streams")) {
                read_streams(message);
            } else {
                sd_bus_message_skip(message, "v");
            }
            sd_bus_message_exit_container(message);
        }
    }
    // Only the first: one stream was requested.
    void read_streams(sd_bus_message* message) {
        sd_bus_message_enter_container(message, 'v', "a(ua{sv})");
        sd_bus_message_enter_container(message, 'a', "(ua{sv})");
        while (sd_bus_message_enter_container(message, 'r', "ua{sv}") > 0) {
            uint32_t node = 0;
            sd_bus_message_read(message, "u", &node);
            if (!std::exchange(found_, true)) node_ = node;
            sd_bus_message_skip(message, "a{sv}");
            sd_bus_message_exit_container(message);
        }
        sd_bus_message_exit_container(message);
        sd_bus_message_exit_container(message);
    }

    const std::stop_token stop_;
    Bus<sd_bus> bus_;  // the session lasts as long as it is open
    std::string sender_, token_, session_;
    int requests_ = 0;
    bool answered_ = false, found_ = false;
    uint32_t result_ = 0, node_ = 0;
};

}  // namespace

// The PipeWire stream; it keeps the newest picture.
struct PortalScreen::Cast {
    explicit Cast(std::stop_token stop) : portal(std::move(stop)) {
        pw_init(nullptr, nullptr);
        loop = pw_thread_loop_new("saccade screen", nullptr);
        context = pw_context_new(pw_thread_loop_get_loop(loop), nullptr, 0);
        if (!context) refuse("finds no client.conf (Debian's package pipewire-bin has it)");
        pw_thread_loop_lock(loop);
        if (pw_thread_loop_start(loop) == 0)
            core = pw_context_connect_fd(context, portal.open_pipewire(), nullptr, 0);
        if (core) listen();
        pw_thread_loop_unlock(loop);
        if (!core) refuse("does not run");
    }
    ~Cast() { end(); }
    Cast(const Cast&) = delete;
    Cast& operator=(const Cast&) = delete;

    [[noreturn]] void refuse(const std::string& why) {
        end();
        throw Error("screen: PipeWire, which brings pictures of a Wayland desktop, " + why +
                    instead);
    }

    void end() {
        pw_thread_loop_stop(loop);
        if (stream) pw_stream_destroy(stream);
        if (core) pw_core_disconnect(core);
        if (context) pw_context_destroy(context);
        pw_thread_loop_destroy(loop);
        pw_deinit();
    }

    void listen() {
        stream = pw_stream_new(core, "saccade",
                               pw_properties_new(PW_KEY_MEDIA_TYPE, "Video", PW_KEY_MEDIA_CATEGORY,
                                                 "Capture", PW_KEY_MEDIA_ROLE, "Screen", nullptr));
        events.version = PW_VERSION_STREAM_EVENTS;
        events.state_changed = [](void* self, pw_stream_state, pw_stream_state state, const char*) {
            static_cast<Cast*>(self)->note(state);
        };
        events.param_changed = [](void* self, uint32_t id, const spa_pod* param) {
            static_cast<Cast*>(self)->agree(id, param);
        };
        events.process = [](void* self) { static_cast<Cast*>(self)->take(); };
        pw_stream_add_listener(stream, &listener, &events, this);
        uint8_t memory[1024];
        spa_pod_builder builder;
        spa_pod_builder_init(&builder, memory, sizeof memory);
        const spa_rectangle usual{1280, 720}, least{1, 1}, most{16384, 16384};
        const spa_fraction rate{30, 1}, slowest{0, 1}, fastest{240, 1};
        const void* formats = spa_pod_builder_add_object(
            &builder, SPA_TYPE_OBJECT_Format, SPA_PARAM_EnumFormat, SPA_FORMAT_mediaType,
            SPA_POD_Id(SPA_MEDIA_TYPE_video), SPA_FORMAT_mediaSubtype,
            SPA_POD_Id(SPA_MEDIA_SUBTYPE_raw), SPA_FORMAT_VIDEO_format,
            SPA_POD_CHOICE_ENUM_Id(5, SPA_VIDEO_FORMAT_BGRx, SPA_VIDEO_FORMAT_BGRx,
                                   SPA_VIDEO_FORMAT_BGRA, SPA_VIDEO_FORMAT_RGBx,
                                   SPA_VIDEO_FORMAT_RGBA),
            SPA_FORMAT_VIDEO_size, SPA_POD_CHOICE_RANGE_Rectangle(&usual, &least, &most),
            SPA_FORMAT_VIDEO_framerate, SPA_POD_CHOICE_RANGE_Fraction(&rate, &slowest, &fastest));
        const spa_pod* parameters[] = {static_cast<const spa_pod*>(formats)};
        pw_stream_connect(
            stream, PW_DIRECTION_INPUT, portal.node(),
            static_cast<pw_stream_flags>(PW_STREAM_FLAG_AUTOCONNECT | PW_STREAM_FLAG_MAP_BUFFERS),
            parameters, 1);
    }

    void note(pw_stream_state state) {
        const std::scoped_lock lock(mutex);
        gone = state == PW_STREAM_STATE_ERROR ||
               (state == PW_STREAM_STATE_UNCONNECTED && !newest.empty());
        wake.notify_all();
    }
    void agree(uint32_t id, const spa_pod* param) {
        if (!param || id != SPA_PARAM_Format || spa_format_video_raw_parse(param, &format) < 0)
            return;
        // In host memory.
        uint8_t memory[256];
        spa_pod_builder builder;
        spa_pod_builder_init(&builder, memory, sizeof memory);
        const void* buffers = spa_pod_builder_add_object(
            &builder, SPA_TYPE_OBJECT_ParamBuffers, SPA_PARAM_Buffers, SPA_PARAM_BUFFERS_dataType,
            SPA_POD_CHOICE_FLAGS_Int((1 << SPA_DATA_MemPtr) | (1 << SPA_DATA_MemFd)));
        const spa_pod* parameters[] = {static_cast<const spa_pod*>(buffers)};
        pw_stream_update_params(stream, parameters, 1);
    }
    void take() {
        pw_buffer* last = nullptr;
        while (pw_buffer* buffer = pw_stream_dequeue_buffer(stream)) {
            if (last) pw_stream_queue_buffer(stream, last);
            last = buffer;
        }
        if (!last) return;
        const spa_data& data = last->buffer->datas[0];
        const int width = int(format.size.width), height = int(format.size.height);
        const size_t row = data.chunk->stride > 0 ? size_t(data.chunk->stride) : size_t(width) * 4;
        const bool whole = data.data && width > 0 && height > 0 && row >= size_t(width) * 4 &&
                           data.chunk->offset + row * size_t(height) <= data.maxsize &&
                           data.chunk->size > 0;
        if (whole) {
            const bool rgb =
                format.format == SPA_VIDEO_FORMAT_RGBx || format.format == SPA_VIDEO_FORMAT_RGBA;
            const cv::Mat picture(height, width, CV_8UC4,
                                  static_cast<uint8_t*>(data.data) + data.chunk->offset, row);
            const std::scoped_lock lock(mutex);
            cv::cvtColor(picture, newest, rgb ? cv::COLOR_RGBA2BGR : cv::COLOR_BGRA2BGR);
            wake.notify_all();
        }
        pw_stream_queue_buffer(stream, last);
    }

    Portal portal;
    pw_thread_loop* loop = nullptr;
    pw_context* context = nullptr;
    pw_core* core = nullptr;
    pw_stream* stream = nullptr;
    spa_hook listener{};
    pw_stream_events events{};
    spa_video_info_raw format{};
    std::mutex mutex;
    std::condition_variable wake;
    cv::Mat newest;  // BGR
    bool gone = false;
};

PortalScreen::PortalScreen(const std::string& text, const SourceOptions& options,
                           std::stop_token stop)
    : part_(Desktop::part_of(text)),
      cast_(std::make_unique<Cast>(std::move(stop))),
      clock_(text, options) {
    std::unique_lock lock(cast_->mutex);
    if (!cast_->wake.wait_for(lock, options.open_timeout,
                              [&] { return !cast_->newest.empty() || cast_->gone; }) ||
        cast_->newest.empty())
        throw Error(
            "screen: the desktop allowed the capture, but sends no picture; it may do so when "
            "something on the screen changes");
}

PortalScreen::~PortalScreen() = default;

std::optional<FrameInfo> PortalScreen::next(const GiveSlot& give) {
    clock_.wait();
    cv::Mat picture;
    {
        // An unchanged screen sends no frames: the last picture is still current.
        const std::scoped_lock lock(cast_->mutex);
        if (cast_->gone) throw Error("the desktop has ended the capture of the screen");
        picture = cast_->newest.clone();
    }
    const Size all{uint32_t(picture.cols), uint32_t(picture.rows)};
    const Desktop::Part part = within(part_.value_or(Desktop::Part{all, {}}), all);
    const FrameInfo info = clock_.stamp(part.size);
    const Slot slot = give(packed(part.size));
    picture(cv::Rect(int(part.corner.x), int(part.corner.y), int(part.size.x), int(part.size.y)))
        .copyTo(mat_of(slot));
    return info;
}

#else  // the libraries were not there when this was built

struct PortalScreen::Cast {};

PortalScreen::PortalScreen(const std::string& text, const SourceOptions& options, std::stop_token)
    : clock_(text, options) {
    throw Error(std::string("screen: this Saccade was built without PipeWire and sd-bus, which "
                            "Wayland desktops show themselves by: install libpipewire-0.3-dev and "
                            "libsystemd-dev, and build it again") +
                instead);
}
PortalScreen::~PortalScreen() = default;
std::optional<FrameInfo> PortalScreen::next(const GiveSlot&) { return std::nullopt; }

#endif

}  // namespace saccade
