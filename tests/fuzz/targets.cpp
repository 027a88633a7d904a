// Fuzz targets for the parsers of untrusted input, run by libFuzzer. SACCADE_FUZZ names the target.
// Whatever the bytes are, a parser accepts them or throws an Error of one line. Findings are any
// other exception, reports of the sanitizers, a run of over a minute, and over two gigabytes of
// memory.

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/batch/lines/frame_lines.h"
#include "app/batch/lines/manifest.h"
#include "app/batch/lines/region_tables.h"
#include "app/batch/lines/tables.h"
#include "app/batch/lines/track_lines.h"
#include "app/batch/plan/run_file.h"
#include "app/io/assets.h"
#include "app/io/text.h"
#include "app/lab/ppm.h"
#include "app/live/state/settings.h"
#include "app/serve/viewer_message.h"
#include "app/serve/web/access_policy.h"
#include "app/serve/web/server.h"
#include "app/track/regions.h"
#include "gpu/core/error.h"
#include "gpu/core/files.h"
#include "models/backbone/config.h"
#include "models/backbone/dino_config.h"
#include "models/captioning/blip.h"
#include "models/captioning/blip_vqa.h"
#include "models/captioning/generation.h"
#include "models/captioning/show_attend_tell.h"
#include "models/captioning/vision_encoder_decoder.h"
#include "models/classification/mvit_config.h"
#include "models/classification/swin_config.h"
#include "models/contrast/clip.h"
#include "models/contrast/owl.h"
#include "models/contrast/siglip.h"
#include "models/detection/deformable/rf_detr.h"
#include "models/detection/deformable/rt_detr.h"
#include "models/detection/detr_config.h"
#include "models/detection/fine/d_fine.h"
#include "models/detection/fine/deimv2.h"
#include "models/detection/yolos_config.h"
#include "models/files/checkpoint.h"
#include "models/files/pickle.h"
#include "models/files/pytorch.h"
#include "models/files/safetensors.h"
#include "models/language/smolvlm.h"
#include "models/picture/preprocessor.h"
#include "models/text/tokenizer.h"
#include "models/timm/timm_config.h"

namespace saccade {
namespace {

namespace fs = std::filesystem;
using Bytes = std::span<const uint8_t>;

// Temporary files in memory, written by system calls: a std::ofstream costs more than many parsers.
const fs::path& folder() {
    static const fs::path it = [] {
        const fs::path shared("/dev/shm");
        const fs::path path = (fs::is_directory(shared) ? shared : fs::temp_directory_path()) /
                              ("saccade-fuzz-" + std::to_string(::getpid()));
        fs::create_directories(path);
        std::atexit([] {
            std::error_code ignored;
            fs::remove_all(folder(), ignored);
        });
        return path;
    }();
    return it;
}

fs::path write(const std::string& name, Bytes bytes) {
    const fs::path path = folder() / name;
    const Descriptor fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (::write(fd.get(), bytes.data(), bytes.size()) != ssize_t(bytes.size())) std::abort();
    return path;
}

std::string_view text_of(Bytes bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// An Error is a valid result if its message is one line.
template <typename Act>
void attempt(Act act) {
    try {
        act();
    } catch (const Error& error) {
        const std::string_view line = error.what();
        if (line.empty() || line.find('\n') != line.npos) std::abort();
    }
}

void safetensors(Bytes bytes) {
    const SafetensorsFile file(write("model.safetensors", bytes));
    std::vector<float> values;
    for (const StoredTensor& tensor : file.tensors())
        attempt([&] {
            values.resize(std::min<uint64_t>(tensor.elements(), 64));
            read_floats(tensor, 0, values);
        });
    file.release({});
}

void config(Bytes bytes) {
    const Json json = parse_json(text_of(bytes), "config.json");
    attempt([&] { read_vit_config(json, "config.json"); });
    attempt([&] { read_yolos_config(json, "config.json"); });
    attempt([&] { read_detr_config(json, "config.json"); });
    attempt([&] { read_vision_encoder_decoder_config(json, "config.json"); });
    attempt([&] { read_show_attend_tell_config(json, "config.json"); });
    attempt([&] { read_blip_config(json, "config.json"); });
    attempt([&] { read_blip_vqa_config(json, "config.json"); });
    attempt([&] { read_smolvlm_config(json, "config.json"); });
    attempt([&] { read_rt_detr_config(json, "config.json"); });
    attempt([&] { read_d_fine_config(json, "config.json"); });
    attempt([&] { read_deimv2_config(json, "config.json"); });
    attempt([&] { read_rf_detr_config(json, "config.json"); });
    attempt([&] { read_swin_config(json, "config.json"); });
    attempt([&] { read_mvit_config(json, "config.json"); });
    attempt([&] { read_dino_config(json, "config.json"); });
    attempt([&] { read_clip_config(json, "config.json"); });
    attempt([&] { read_siglip_config(json, "config.json"); });
    attempt([&] { read_owl_config(json, "config.json"); });
    attempt([&] { timm_preprocessor(json, "config.json"); });
    attempt([&] { read_vit_config(vit_config_of_timm(json, "config.json"), "config.json"); });
    attempt([&] { read_swin_config(swin_config_of_timm(json, "config.json"), "config.json"); });
    attempt([&] { read_generation(json, "config.json", &json, "generation_config.json", 1000); });
    attempt([&] { read_blip_generation(json, "config.json", 1000); });
}

void preprocessor(Bytes bytes) {
    const Json json = parse_json(text_of(bytes), "preprocessor_config.json");
    for (const char* family : {"", "ViT", "Detr", "Yolos"})
        attempt([&] {
            const Preprocessor read = Preprocessor::parse(json, "preprocessor_config.json", family);
            for (const Size frame : {Size{640, 480}, Size{1, 3000}})
                attempt([&] {
                    const Size size = read.resized(frame);
                    if (size.x == 0 || size.y == 0) std::abort();
                });
        });
}

void index(Bytes bytes) { read_shard_index(write("model.safetensors.index.json", bytes)); }

// Three files, with a zero byte between: tokenizer.json, or vocab.json and merges.txt, or
// vocab.txt.
void tokenizer(Bytes bytes) {
    if (bytes.empty()) return;
    static constexpr const char* names[3][3] = {
        {"tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"},
        {"vocab.json", "merges.txt", "tokenizer_config.json"},
        {"vocab.txt", "tokenizer_config.json", "added_tokens.json"}};
    for (const auto& kind : names)
        for (const char* name : kind) fs::remove(folder() / name);
    const auto& kind = names[bytes[0] % 3];
    bytes = bytes.subspan(1);
    for (const char* name : kind) {
        const auto end = std::find(bytes.begin(), bytes.end(), 0);
        const auto size = static_cast<size_t>(end - bytes.begin());
        if (size > 0) write(name, bytes.first(size));
        bytes = bytes.subspan(std::min(bytes.size(), size + 1));
    }
    const std::unique_ptr<Tokenizer> opened = Tokenizer::open(folder());
    if (!opened) return;
    const std::vector<uint32_t> ids = opened->encode("a cat's naïve 猫 [CLS] \xff");
    opened->decode(ids);
    opened->words(ids);
    std::vector<uint32_t> all;
    for (uint32_t id = 0; id < std::min(opened->size(), 64u) + 2; ++id) all.push_back(id);
    opened->decode(all, false);
    opened->words(all);
    opened->piece(all.back());
}

void pickle(Bytes bytes) {
    constexpr std::string_view allowed[] = {"collections.OrderedDict", "torch.FloatStorage",
                                            "torch._utils._rebuild_tensor_v2"};
    read_pickle(std::as_bytes(bytes), allowed, "data.pkl");
}

void torch(Bytes bytes) {
    PyTorchFile file(write("pytorch_model.bin", bytes));
    for (size_t i = 0; i < file.tensors().size(); ++i) attempt([&] { file.bytes_of(i); });
}

void ppm(Bytes bytes) { read_ppm(write("picture.ppm", bytes)); }

void lines(Bytes bytes) {
    const fs::path path = write("FRAMES.jsonl", bytes);
    const std::map<std::string, size_t> names{{"a.mp4", 0}, {"b", 1}};
    attempt([&] { checksum_lines(path, names, [](uint64_t frame) { return frame / 4; }); });
    attempt([&] {
        gather_lines({path}, folder() / "gathered", names, [](size_t, uint64_t) { return true; });
    });
    attempt([&] { write_csv(path, folder() / "frames.csv"); });
    attempt([&] { write_coco(path, folder() / "coco.json"); });
    attempt([&] { write_mot(path, names, [](size_t) { return folder() / "mot.txt"; }); });
    static const Regions regions{
        std::nullopt,
        {{"line", false, {{0, 0}, {9, 9}}}, {"zone", true, {{0, 0}, {9, 0}, {9, 9}}}}};
    attempt([&] {
        write_region_tables(path, names, regions, [](size_t) { return "a"; },
                            {folder() / "events.jsonl", folder() / "counts.csv"});
    });
    attempt([&] {
        track_lines(path, names, {}, regions, [](size_t, uint64_t) { return Observations(); });
    });
}

void run_json(Bytes bytes) {
    const auto json = nlohmann::ordered_json::parse(text_of(bytes), nullptr, false);
    const BatchPlan plan = plan_from(json);
    line_names(plan);
    shares_of(plan, 3);
    if (plan_from(json_of(plan)).sources.size() != plan.sources.size()) std::abort();
}

void manifest(Bytes bytes) {
    if (const auto read = PieceManifest::read(write("000000.whole", bytes)))
        read->write(folder() / "again");
}

void settings(Bytes bytes) {
    const Settings read = read_settings(write("settings.json", bytes));
    if (read.wishes.look.filter.threshold && !std::isfinite(*read.wishes.look.filter.threshold))
        std::abort();
    write_settings(folder() / "written.json", read);
}

void text(Bytes bytes) {
    const std::string name(text_of(bytes)), as_text = text_of_name(name);
    if (name_of_text(as_text) != name) std::abort();
    nlohmann::json(as_text).dump();  // throws if it is not UTF-8
    for (const char c : one_line(name))
        if (static_cast<uint8_t>(c) < 0x20 || c == 0x7f) std::abort();
}

// Input from a socket: a viewer's message, and the checks of a request's headers.
void viewer(Bytes bytes) {
    const std::string sent(text_of(bytes));
    const auto message = read_viewer_message(sent);
    if (message && message->wish.threshold && !(*message->wish.threshold <= 1)) std::abort();
    const AccessPolicy policy({"127.0.0.1", 8080}, "https://cam.example.org", "token");
    if (policy.accepts_token(sent) != (sent == "token")) std::abort();
    if (policy.allows_host(sent) && policy.allows_origin("http://evil.example", sent) &&
        sent != "evil.example")
        std::abort();
    attempt([&] { parse_origin(sent); });
}

void zones(Bytes bytes) {
    const Regions read = read_regions(write("zones.json", bytes));
    if (regions_from(json_of(read), "again") != read) std::abort();
    for (const Region& region : read.all)
        if (!std::isfinite(region.zone ? depth_in(region, {64, 48}) : side_of(region, {64, 48})))
            std::abort();
}

// A server with one frame to show.
Server& server() {
    static Server it = [] {
        spdlog::set_level(spdlog::level::off);
        ServerLimits limits;
        limits.requests_per_second = limits.messages_per_second = 1e9;
        limits.refusals_per_second = limits.health_checks_per_second = 1e9;
        return Server({.address = {"127.0.0.1", 0}, .origin = "http://cam", .title = "fuzz"},
                      limits);
    }();
    static const bool shown = [] {
        constexpr PlaneLayout layout{16, 16, Chroma::halved};
        const std::vector<uint8_t> planes(layout.bytes());
        ServedFrame frame;
        frame.number = 1;
        frame.line = "{}";
        it.exchange().beat({.newest = 1});
        it.exchange().tell("{}", "");
        it.exchange().show(std::move(frame), {planes.data(), layout});
        return true;
    }();
    static_cast<void>(shown);
    return it;
}

// A socket to a server on this machine. Ports may run out for a moment, because those of closed
// connections stay in TIME_WAIT for a minute, and the fuzzer's alarm may interrupt the call. A
// server that does not accept a connection is a finding.
int connected(uint16_t port) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int seconds = 0;; ++seconds) {
        const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (::connect(socket, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0) return socket;
        const bool no_port = errno == EADDRNOTAVAIL, passes = no_port || errno == EINTR;
        if (!passes || seconds == 70) std::perror("the server does not take a connection");
        ::close(socket);
        if (!passes || seconds == 70) std::abort();
        if (no_port) ::sleep(1);
    }
}

// Requests over a socket, and the messages of a page after one. The word TOKEN is replaced by the
// server's token, so that some requests are authorized.
void http(Bytes bytes) {
    const std::string address = server().address(), word = "TOKEN";
    const std::string token = address.substr(address.find("token=") + 6);
    std::string sent(text_of(bytes));
    for (size_t at = 0; (at = sent.find(word, at)) != sent.npos; at += token.size())
        sent.replace(at, word.size(), token);
    const int socket = connected(server().port());
    static_cast<void>(!::send(socket, sent.data(), sent.size(), MSG_NOSIGNAL));
    // The response, if there is one; then the end of the connection, after the server has read all.
    pollfd ready{socket, POLLIN, 0};
    char piece[65536];
    ssize_t count = 1;
    timespec wait{0, sent.find("\r\n\r\n") == sent.npos ? 0 : 300'000};
    for (; count > 0 && ::ppoll(&ready, 1, &wait, nullptr) > 0; wait.tv_nsec = 0)
        count = ::recv(socket, piece, sizeof piece, 0);
    ::shutdown(socket, SHUT_WR);
    // Some responses wait for a picture, or never end: they are abandoned.
    while (count > 0 && ::poll(&ready, 1, 1) > 0) count = ::recv(socket, piece, sizeof piece, 0);
    const linger at_once{1, 0};  // no TIME_WAIT, or the machine's ports are soon used up
    ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    ::close(socket);
}

const std::map<std::string, void (*)(Bytes)> targets{{"safetensors", safetensors},
                                                     {"config", config},
                                                     {"preprocessor", preprocessor},
                                                     {"index", index},
                                                     {"tokenizer", tokenizer},
                                                     {"pickle", pickle},
                                                     {"torch", torch},
                                                     {"ppm", ppm},
                                                     {"lines", lines},
                                                     {"run_json", run_json},
                                                     {"manifest", manifest},
                                                     {"settings", settings},
                                                     {"text", text},
                                                     {"viewer", viewer},
                                                     {"zones", zones},
                                                     {"http", http}};

}  // namespace

// The pages are short here.
std::span<const std::byte> asset(std::string_view) { return {}; }

}  // namespace saccade

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static void (*const target)(saccade::Bytes) = [] {
        const char* name = std::getenv("SACCADE_FUZZ");
        const auto found = saccade::targets.find(name ? name : "");
        if (found == saccade::targets.end()) std::abort();
        return found->second;
    }();
    saccade::attempt([&] { target({data, size}); });
    return 0;
}
