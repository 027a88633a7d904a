#include "app/doctor/trial.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>

#include "gpu/core/buffer.h"
#include "gpu/core/device.h"
#include "gpu/core/error.h"
#include "gpu/ops/rows.h"
#include "gpu/recorder/commands.h"
#include "gpu/transfer/download.h"

namespace saccade {

namespace {

constexpr unsigned patience_seconds = 120;

void use_driver_files(const std::string& files) {
    if (files.empty()) return;
    ::setenv("VK_DRIVER_FILES", files.c_str(), 1);
    ::setenv("VK_ICD_FILENAMES", files.c_str(), 1);  // loaders before 1.3.207
}

std::string signal_text(int signal) {
    if (signal == SIGALRM)
        return "it gave no answer within " + std::to_string(patience_seconds) + " s";
    const char* const name = ::sigabbrev_np(signal);
    return "the driver crashed with " +
           (name ? "SIG" + std::string(name) : "signal " + std::to_string(signal)) + " (" +
           ::strsignal(signal) + ")";
}

struct ChildResult {
    std::string text;     // what `work` returned
    std::string failure;  // the text of its exception, or the signal that ended it
    bool crashed = false;
};

// The child: writes '+' and the result, or '-' and the failure.
[[noreturn]] void be_child(int out, const std::function<std::string()>& work) {
    const int null = ::open("/dev/null", O_RDWR);  // drivers print
    ::dup2(null, 1);
    ::dup2(null, 2);
    for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS, SIGALRM})
        ::signal(signal, SIG_DFL);
    ::alarm(patience_seconds);
    std::string text;
    try {
        text = "+" + work();
    } catch (const std::exception& error) {
        text = std::string("-") + error.what();
    }
    for (size_t begin = 0; begin < text.size();) {
        const ssize_t count = ::write(out, text.data() + begin, text.size() - begin);
        if (count <= 0) break;
        begin += static_cast<size_t>(count);
    }
    ::_exit(0);
}

ChildResult in_child(const std::function<std::string()>& work) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw Error("cannot make a pipe: too many files are open");
    const pid_t child = ::fork();
    if (child < 0) throw TemporaryError("cannot start a process to try the driver in");
    if (child == 0) be_child(ends[1], work);
    ::close(ends[1]);
    std::string text;
    char piece[4096];
    for (ssize_t count; (count = ::read(ends[0], piece, sizeof piece)) > 0;)
        text.append(piece, static_cast<size_t>(count));
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    ChildResult result;
    result.crashed = WIFSIGNALED(status);
    if (result.crashed)
        result.failure = signal_text(WTERMSIG(status));
    else if (text.starts_with("+"))
        result.text = text.substr(1);
    else
        result.failure = text.empty() ? "the driver ended the process" : text.substr(1);
    return result;
}

// What the report needs of each device; a child cannot hand over more than text.
std::string describe(const Instance& instance) {
    nlohmann::json all = nlohmann::json::array();
    for (const DeviceInfo& device : instance.devices())
        all.push_back({{"name", device.name},
                       {"driver", device.driver},
                       {"vulkan", device.api_version},
                       {"kind", static_cast<int>(device.kind)},
                       {"vendor", device.vendor_id},
                       {"memory", device.memory_bytes},
                       {"unusable", device.unusable}});
    return all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// The softmax of 1 to 8, which reads memory, exchanges sums among threads and writes memory.
void run_kernel(const Instance& instance, const DeviceInfo& info) {
    Device device(instance, info, {});
    Arena scratch(device, "scratch");
    Commands c(device, scratch, "trial");
    constexpr uint32_t count = 8;
    Buffer memory(device, "trial", count * sizeof(float), Memory::upload);
    float values[count];
    double sum = 0;
    for (uint32_t i = 0; i < count; ++i) sum += std::exp(double(values[i] = float(i + 1)));
    std::memcpy(memory.mapped().data(), values, sizeof values);
    memory.flush();
    Tensor x{memory.handle(), 0, sizeof values, Type::f32};
    x.batch = x.rows = 1;
    x.columns = x.row_stride = count;
    Download download;
    c.begin();
    {
        auto scope = c.scope("trial");
        download.record(c, softmax(c, x));
    }
    c.end();
    c.run();
    const std::vector<float> result = download.floats();
    for (uint32_t i = 0; i < count; ++i)
        if (!(std::abs(double(result[i]) - std::exp(double(values[i])) / sum) < 1e-4))
            throw Error("a small kernel gave wrong numbers");
}

}  // namespace

DeviceList list_devices(const std::string& driver_files) {
    const ChildResult child = in_child([&] {
        use_driver_files(driver_files);
        return describe(Instance({}));
    });
    DeviceList list{{}, child.failure, child.crashed};
    if (child.text.empty()) return list;
    for (const auto& one : nlohmann::json::parse(child.text)) {
        DeviceInfo& device = list.devices.emplace_back();
        device.index = static_cast<uint32_t>(list.devices.size() - 1);
        device.name = one["name"];
        device.driver = one["driver"];
        device.api_version = one["vulkan"];
        device.kind = static_cast<DeviceKind>(one["kind"].get<int>());
        device.vendor_id = one["vendor"];
        device.memory_bytes = one["memory"];
        device.unusable = one["unusable"];
    }
    return list;
}

std::string try_kernel(uint32_t device, const std::string& driver_files) {
    return in_child([&] {
               use_driver_files(driver_files);
               const Instance instance({});
               run_kernel(instance, instance.devices().at(device));
               return std::string();
           })
        .failure;
}

}  // namespace saccade
