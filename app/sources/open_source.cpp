#include "app/sources/open_source.h"

#include <algorithm>
#include <filesystem>

#include "app/sources/camera.h"
#include "app/sources/pictures.h"
#include "app/sources/screen/desktop.h"
#include "app/sources/screen/portal_screen.h"
#include "app/sources/stream.h"
#include "app/sources/synth/synth.h"
#include "app/sources/video_file.h"
#include "gpu/core/error.h"

namespace saccade {

namespace {

namespace fs = std::filesystem;

// "rtsp://" or another protocol that FFmpeg knows.
bool is_url(const std::string& text) {
    const size_t colon = text.find("://");
    return colon != text.npos && colon > 0 &&
           std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(colon), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '+';
           });
}

}  // namespace

SourceKind kind_of_source(const SourceName& name) {
    const std::string& text = name.unmasked();
    if (text.empty()) throw Error("a source without a name: give a camera's number or a file");
    if (is_synth(name)) return SourceKind::synth;
    if (is_desktop(text)) return SourceKind::screen;
    if (is_url(text)) return SourceKind::stream;
    if (std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; }))
        return SourceKind::camera;
    std::error_code error;
    if (fs::is_directory(text, error)) return SourceKind::pictures;
    if (fs::is_regular_file(text, error))
        return is_picture_name(text) ? SourceKind::pictures : SourceKind::video;
    if (is_list_of_pictures(text)) return SourceKind::pictures;
    // A missing device may be plugged in later.
    if (fs::is_character_file(text, error) || text.starts_with("/dev/")) return SourceKind::camera;
    if (text.find_first_of("*?[") != text.npos) return SourceKind::pictures;
    throw Error("there is no file or folder '" + name.text() + "': check its name");
}

std::unique_ptr<Source> open_source(const SourceName& name, const SourceOptions& options,
                                    const std::stop_token& stop) {
    const std::string& text = name.unmasked();
    switch (kind_of_source(name)) {
        case SourceKind::camera:
            return std::make_unique<Camera>(text, options);
        case SourceKind::stream:
            return std::make_unique<NetworkStream>(name, options);
        case SourceKind::video:
            return std::make_unique<VideoFile>(text);
        case SourceKind::pictures:
            return std::make_unique<Pictures>(text, options);
        case SourceKind::synth:
            return std::make_unique<Synth>(text, options);
        case SourceKind::screen:
            if (is_wayland()) return std::make_unique<PortalScreen>(text, options, stop);
            return std::make_unique<Desktop>(text, options);
    }
    throw Error("'" + name.text() + "' is no source");
}

}  // namespace saccade
