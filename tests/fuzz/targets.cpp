// Readers of files from outside, fed by libFuzzer. SACCADE_FUZZ names the reader. Whatever the bytes
// are, a reader takes them or throws an Error of one line; all else is a finding: another exception,
// what the sanitizers see, a minute without an answer, two gigabytes.

#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/batch/lines/frame_lines.h"
#include "app/batch/plan.h"
#include "app/batch/lines/seal.h"
#include "app/batch/lines/tables.h"
#include "app/io/text.h"
#include "app/lab/ppm.h"
#include "app/live/settings.h"
#include "app/serve/web/door.h"
#include "app/serve/viewer_message.h"
#include "gpu/core/error.h"
#include "models/backbone/config.h"
#include "models/captioning/blip.h"
#include "models/captioning/generation.h"
#include "models/captioning/vit_gpt2.h"
#include "models/detection/detr_config.h"
#include "models/detection/yolos_config.h"
#include "models/files/checkpoint.h"
#include "models/files/pickle.h"
#include "models/files/pytorch.h"
#include "models/files/safetensors.h"
#include "models/picture/preprocessor.h"
#include "models/text/tokenizer.h"

namespace saccade {
namespace {

namespace fs = std::filesystem;
using Bytes = std::span<const uint8_t>;

// Files of the run, in memory.
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
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), std::ptrdiff_t(bytes.size()));
    return path;
}

std::string_view text_of(Bytes bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Refusals are as good as answers, if they are one line.
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
    for (const StoredTensor& tensor : file.tensors()) attempt([&] {
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
    attempt([&] { read_vit_gpt2_config(json, "config.json"); });
    attempt([&] { read_blip_config(json, "config.json"); });
    attempt([&] { read_generation(json, "config.json", &json, "generation_config.json", 1000); });
    attempt([&] { read_blip_generation(json, "config.json", 1000); });
}

void preprocessor(Bytes bytes) {
    const Json json = parse_json(text_of(bytes), "preprocessor_config.json");
    for (const char* family : {"", "ViT", "Detr", "Yolos"}) attempt([&] {
            const Preprocessor read = Preprocessor::parse(json, "preprocessor_config.json", family);
            for (const Size frame : {Size{640, 480}, Size{1, 3000}}) attempt([&] {
                    const Size size = read.resized(frame);
                    if (size.x == 0 || size.y == 0) std::abort();
                });
        });
}

void index(Bytes bytes) { read_shard_index(write("model.safetensors.index.json", bytes)); }

// Three files, with a zero byte between: tokenizer.json, or vocab.json and merges.txt, or vocab.txt.
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
    attempt([&] { sum_lines(path, names, [](uint64_t frame) { return frame / 4; }); });
    attempt([&] {
        gather_lines({path}, folder() / "gathered", names, [](size_t, uint64_t) { return true; });
    });
    attempt([&] { write_csv(path, folder() / "frames.csv"); });
    attempt([&] { write_coco(path, folder() / "coco.json"); });
}

void run_json(Bytes bytes) {
    const auto json = nlohmann::ordered_json::parse(text_of(bytes), nullptr, false);
    const BatchPlan plan = plan_from(json);
    plan.line_names();
    share_of(plan, {1, 3});
    if (plan_from(json_of(plan)).sources.size() != plan.sources.size()) std::abort();
}

void seal(Bytes bytes) {
    if (const auto read = Seal::read(write("000000.whole", bytes))) read->write(folder() / "again");
}

void settings(Bytes bytes) {
    const Settings read = read_settings(write("settings.json", bytes));
    if (!std::isfinite(read.state.threshold)) std::abort();
    write_settings(folder() / "written.json", read);
}

void text(Bytes bytes) {
    const std::string name(text_of(bytes)), as_text = text_of_name(name);
    if (name_of_text(as_text) != name) std::abort();
    nlohmann::json(as_text).dump();  // throws if it is not UTF-8
    for (const char c : one_line(name))
        if (static_cast<uint8_t>(c) < 0x20 || c == 0x7f) std::abort();
}

// What comes over a socket: a message, and what is checked of a request.
void viewer(Bytes bytes) {
    const std::string sent(text_of(bytes));
    const auto message = read_viewer_message(sent);
    if (message && message->wish.threshold && !(*message->wish.threshold <= 1)) std::abort();
    const Door door({"127.0.0.1", 8080}, "https://cam.example.org", "token");
    if (door.opens_to(sent) != (sent == "token")) std::abort();
    if (door.knows_host(sent) && door.knows_origin("http://evil.example", sent) &&
        sent != "evil.example")
        std::abort();
    attempt([&] { parse_origin(sent); });
}

const std::map<std::string, void (*)(Bytes)> targets{
    {"safetensors", safetensors}, {"config", config}, {"preprocessor", preprocessor},
    {"index", index},             {"tokenizer", tokenizer}, {"pickle", pickle},
    {"torch", torch},             {"ppm", ppm},             {"lines", lines},
    {"run_json", run_json},       {"seal", seal},           {"settings", settings},
    {"text", text},               {"viewer", viewer}};

}  // namespace
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
