// Fault injection: tests/faults/layer.cpp makes single Vulkan calls fail. Commands that run with it
// must end with exit code 0, 1 or 75 and an error of one line, and leave no partial file.
// SACCADE_FAULTS=1/1 tries every call with every code that it may return (tests/faults/sweep), 2/8
// the second of eight shares of them; otherwise a few of each are tried.

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "gpu/core/instance.h"
#include "tests/app/live/window/display.h"
#include "tests/app/sources/clips.h"
#include "tests/app/variable.h"

namespace saccade {
namespace {

namespace fs = std::filesystem;

// The calls to try: all, a share of them, or the first, the last, and some between.
std::set<uint64_t> chosen(uint64_t calls, uint64_t few) {
    std::set<uint64_t> numbers;
    const char* const share = std::getenv("SACCADE_FAULTS");
    unsigned first = 1, step = 1;
    if (share && (std::sscanf(share, "%u/%u", &first, &step) != 2 || first == 0 || first > step))
        ADD_FAILURE() << "SACCADE_FAULTS is a share of the calls, like 1/1 or 2/8";
    else if (share)
        for (uint64_t i = first; i <= calls; i += step) numbers.insert(i);
    else if (calls > 0)
        for (uint64_t i = 0; i < few; ++i) numbers.insert(1 + i * (calls - 1) / (few - 1));
    return numbers;
}

// Keeps the drivers loaded in this process, and so in its forks: loading takes longer than a run.
void keep_drivers() {
    const Instance instance({});
    instance.choose("");
    ::dl_iterate_phdr(
        [](dl_phdr_info* library, size_t, void*) {
            if (std::strstr(library->dlpi_name, "libvulkan_"))
                ::dlopen(library->dlpi_name, RTLD_NOW);
            return 0;
        },
        nullptr);
}

// The CPU time of child processes that have ended.
double processor_seconds() {
    rusage used{};
    ::getrusage(RUSAGE_CHILDREN, &used);
    return double(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           double(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
}

class Faults : public ::testing::Test {
protected:
    Faults()
        : layers("VK_INSTANCE_LAYERS", (with_validation() + "VK_LAYER_SACCADE_faults").c_str()),
          path("VK_ADD_LAYER_PATH", places::faults()),
          settings("XDG_CONFIG_HOME", (temp / "config").c_str()),
          detector(model_folder(temp, "yolos-nano")) {}

    static std::string with_validation() {
        return std::getenv("SACCADE_FAULTS_VALIDATED") ? "VK_LAYER_KHRONOS_validation:" : "";
    }

    static void SetUpTestSuite() { keep_drivers(); }

    Outcome run(const Words& words, const std::string& fault) {
        const Variable what("SACCADE_FAULT", fault.c_str());
        return Program(on_test_device(words), 120).wait();
    }

    // Runs the command without a fault, and counts the calls that may return each code: of all
    // functions, or of one.
    std::map<std::string, uint64_t> count(const Words& words, const std::string& function = "") {
        const Variable counts("SACCADE_FAULT_COUNTS", (temp / "counts").c_str());
        const Outcome outcome = run(words, function.empty() ? "" : "lost 0 once " + function);
        EXPECT_EQ(outcome.code, 0) << outcome.err << outcome.out;
        std::map<std::string, uint64_t> result;
        std::ifstream file(temp / "counts");
        std::string code;
        for (uint64_t number; file >> code >> number;) result[code] = number;
        EXPECT_GT(result["device-memory"], 20u) << "the layer was not loaded";
        return result;
    }

    // Runs the command again and again, each time with one fault. `after` checks what a run left.
    // Some fault must end a run: otherwise none was injected, and the sweep has tested nothing.
    void sweep(
        const Words& words, size_t most_lines, uint64_t few,
        const std::function<void(const Outcome&)>& after = [](const Outcome&) {}) {
        size_t runs = 0, ended = 0;
        for (const auto& [code, calls] : count(words))
            for (const std::string mode : {"once", code == "lost" ? "device" : "always"}) {
                for (const uint64_t number : chosen(calls, few)) {
                    const std::string fault = code + " " + std::to_string(number) + " " + mode;
                    SCOPED_TRACE(fault);
                    const Outcome outcome = run(words, fault);
                    check(outcome, most_lines);
                    after(outcome);
                    ++runs;
                    ended += outcome.code != 0;
                }
                std::printf("%s, %s: %zu calls may fail so, %zu runs up to here\n", code.c_str(),
                            mode.c_str(), size_t(calls), runs);
                std::fflush(stdout);
            }
        std::printf("%zu runs with a fault, %zu of them ended by it\n", runs, ended);
        EXPECT_GT(ended, 0u) << "no fault ended any of " << runs << " runs";
    }

    void check(const Outcome& outcome, size_t most_lines) {
        EXPECT_EQ(outcome.signal, 0);
        EXPECT_TRUE(outcome.code == 0 || outcome.code == 1 || outcome.code == 75)
            << outcome.code << "\n"
            << outcome.err;
        const Words lines = lines_of(outcome.err);
        EXPECT_LE(lines.size(), most_lines) << outcome.err;
        if (outcome.code != 0) {
            EXPECT_GE(lines.size(), 1u) << "it failed without an error line";
        }
        for (const std::string& line : lines) EXPECT_TRUE(line.starts_with("saccade: ")) << line;
        for (const std::string* text : {&outcome.out, &outcome.err})
            EXPECT_EQ(text->find("VUID"), text->npos) << *text;
        for (const auto& entry : fs::recursive_directory_iterator(temp.path()))
            EXPECT_EQ(entry.path().filename().string().find("-part-"), std::string::npos)
                << entry.path();
    }

    TempFolder temp;
    const Variable layers, path, settings;
    std::string detector;
    const Words no_others{"--classifier", "none", "--captioner", "none", "--threshold", "0"};
};

TEST_F(Faults, detect_ends_in_one_line) {
    sweep({"detect", golden_picture(), golden_picture(), "--detector", detector, "-o",
           temp / "found"},
          2, 3);
}

TEST_F(Faults, memory_that_lacks_for_a_moment_does_not_end_the_live_view) {
    const Words words =
        Words{"live", "synth:64x48@60", "--headless", "--frames", "40", "--detector", detector} +
        no_others;
    // Every frame is submitted, so these faults hit frames in the middle of the run.
    const std::string submits = "vkQueueSubmit2";
    double start = processor_seconds();
    const uint64_t calls = count(words, submits)["device-memory"];
    const double usual = processor_seconds() - start;
    size_t told = 0;
    double least_more = 0;  // CPU time of the second that it waits
    for (uint64_t before = 20; before < 30 && told < 2; ++before) {
        start = processor_seconds();
        const Outcome outcome =
            run(words, "device-memory " + std::to_string(calls - before) + " once " + submits);
        const double more = processor_seconds() - start - usual;
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        expect_says(outcome.out, "40 frames");
        if (outcome.err.find("trying again every second") != outcome.err.npos)
            least_more = told++ == 0 ? more : std::min(least_more, more);
        check(outcome, 1);
    }
    EXPECT_GT(told, 0u) << "no fault hit a frame";
    EXPECT_LT(least_more, 0.7) << "it is busy while it waits";
}

TEST_F(Faults, a_crash_is_told_and_stays_a_crash) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitizers report crashes themselves";
#endif
    Outcome outcome;
    // On a busy machine the handlers may not be installed after a second.
    for (const char* seconds : {"1", "4", "16"}) {
        const Words words{"--preserve-status", "-s",   "SEGV",         seconds,
                          places::program(),   "live", "synth:",       "--headless",
                          "--detector",        "none", "--classifier", "none",
                          "--captioner",       "none"};
        outcome = run_program("/usr/bin/timeout", on_test_device(words));
        ASSERT_EQ(outcome.code, 128 + SIGSEGV);
        if (!outcome.err.empty()) break;
    }
    ASSERT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
    expect_says(outcome.err, "saccade: crashed");
}

TEST_F(Faults, caption_ends_in_one_line) {
    const std::string captioner = model_folder(temp, "vit-gpt2-nano");
    sweep({"caption", golden_picture(), "--captioner", captioner, "--max-length", "5", "--quiet"},
          1, 3);
}

TEST_F(Faults, batch_saves_what_is_done_and_goes_on_from_there) {
    const Words words = Words{"batch",
                              "synth:64x48@30?frames=3",
                              "synth:48x64@30?seed=2&frames=1",
                              "--detector",
                              detector,
                              "--piece",
                              "2",
                              "--quiet"} +
                        no_others;
    const Words reference = words + Words{"-o", temp / "whole"};
    ASSERT_EQ(run(reference, "").code, 0);
    auto content = [&](const std::string& folder, const std::string& name) {
        return file_content(temp / folder / name);
    };
    auto lines = [&](const std::string& folder) {
        std::string all;
        for (const std::string& text : lines_of(content(folder, "FRAMES.jsonl"))) {
            nlohmann::json line = nlohmann::json::parse(text);
            line.erase("ms");
            all += line.dump() + "\n";
        }
        return all;
    };
    sweep(words + Words{"-o", temp / "out"}, 2, 3, [&](const Outcome& outcome) {
        // A device that is lost or short of memory is worth another try.
        const bool passes = outcome.err.find("too little free memory") != outcome.err.npos ||
                            outcome.err.find("stopped answering") != outcome.err.npos;
        EXPECT_EQ(outcome.code == 75, passes) << outcome.code << outcome.err;
        const Outcome again = run(words + Words{"-o", temp / "out", "--resume"}, "");
        EXPECT_EQ(again.code, 0) << again.err;
        EXPECT_EQ(lines("out"), lines("whole"));
        for (const char* name : {"synth.mp4", "synth-2.mp4"})
            EXPECT_TRUE(content("out", name) == content("whole", name)) << name;
        fs::remove_all(temp / "out");
    });
}

TEST_F(Faults, demo_ends_in_one_line) {
    sweep({"demo", "--headless", "--seconds", "0.2", "-o", temp / "demo", "--detector", detector,
           "--classifier", "none", "--captioner", "none", "--quiet"},
          1, 3);
}

TEST_F(Faults, live_goes_on_with_another_device) {
    const Words words =
        Words{"live", "synth:64x48@60", "--headless", "--frames", "3", "--detector", detector} +
        no_others;
    sweep(words, 3, 3);
    const uint64_t calls = count(words).at("lost");
    // A device that is lost in the middle of the run is opened again, and no frame is missing.
    const Outcome once = run(words, "lost " + std::to_string(calls * 2 / 3) + " device");
    EXPECT_EQ(once.code, 0) << once.err;
    expect_says(once.err, "it is opened again");
    expect_says(once.out, "3 frames in ");
    const Outcome always = run(words, "lost " + std::to_string(calls * 2 / 3) + " always");
    EXPECT_EQ(always.code, 75);
}

TEST_F(Faults, the_window_goes_on_with_another_device) {
    const TestDisplay display(640, 480);
    const Variable shown("DISPLAY", display.name().c_str());
    const Words words =
        Words{"live", "synth:64x48@60", "--frames", "3", "--detector", detector, "--quiet"} +
        no_others;
    sweep(words, 3, 2);
}

}  // namespace
}  // namespace saccade
