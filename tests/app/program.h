#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "app/program.h"
#include "models/files/synthetic.h"
#include "tests/models/files/temp_folder.h"
#include "tests/places.h"

namespace saccade {

using Words = std::vector<std::string>;

inline Words operator+(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

// The outcome of a program.
struct Outcome {
    int code = -1;   // -1 where a signal ended it
    int signal = 0;  // that signal
    std::string out, err;
};

// Runs one of the project's programs as a child process, without a shell.
class Program {
public:
    // `out` takes its standard output; by default that is kept for the outcome.
    Program(const std::string& path, const Words& words, int out = -1)
        : out_(::memfd_create("stdout", MFD_CLOEXEC)), err_(::memfd_create("stderr", MFD_CLOEXEC)) {
        // Kernels are compiled once for all programs that are started, and not into the user's
        // cache.
        Words environment{"XDG_CACHE_HOME=" + cache()};
        for (char** entry = ::environ; *entry; ++entry)
            if (!std::string_view(*entry).starts_with("XDG_CACHE_HOME="))
                environment.emplace_back(*entry);
        Words arguments{path};
        arguments.insert(arguments.end(), words.begin(), words.end());

        posix_spawn_file_actions_t files;
        ::posix_spawn_file_actions_init(&files);
        ::posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
        ::posix_spawn_file_actions_adddup2(&files, out < 0 ? out_ : out, 1);
        ::posix_spawn_file_actions_adddup2(&files, err_, 2);
        const int failed = ::posix_spawn(&process_, path.c_str(), &files, nullptr,
                                         pointers(arguments).data(), pointers(environment).data());
        ::posix_spawn_file_actions_destroy(&files);
        if (failed) throw std::runtime_error("cannot start " + path);
    }
    // Runs saccade in a fork of this process, which must have a single thread; an alarm ends it
    // after this many seconds. The fork has its hundred libraries loaded already, which takes
    // longer than many short runs.
    Program(Words words, unsigned seconds)
        : out_(::memfd_create("stdout", MFD_CLOEXEC)), err_(::memfd_create("stderr", MFD_CLOEXEC)) {
        std::fflush(nullptr);
        process_ = ::fork();
        if (process_ < 0) throw std::runtime_error("cannot fork");
        if (process_ > 0) return;
        ::dup2(out_, 1);
        ::dup2(err_, 2);
        ::setenv("XDG_CACHE_HOME", cache().c_str(), 1);
        ::alarm(seconds);
        words.insert(words.begin(), "saccade");
        std::exit(program(static_cast<int>(words.size()), pointers(words).data()));
    }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    ~Program() {
        if (process_ > 0) {
            ::kill(process_, SIGKILL);
            ::waitpid(process_, nullptr, 0);
        }
        ::close(out_);
        ::close(err_);
    }

    // Its standard output so far.
    std::string out() const { return read(out_); }
    void send(int signal) const { ::kill(process_, signal); }
    Outcome wait() {
        int status = 0;
        ::waitpid(process_, &status, 0);
        process_ = 0;
        Outcome outcome;
        if (WIFEXITED(status)) outcome.code = WEXITSTATUS(status);
        if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
        outcome.out = read(out_);
        // Some drivers print at their start that they are not conformant; such lines are removed.
        std::istringstream lines(read(err_));
        for (std::string line; std::getline(lines, line);)
            if (!line.starts_with("WARNING: ") && !line.starts_with("MESA"))
                outcome.err += line + (lines.eof() ? "" : "\n");
        return outcome;
    }

private:
    static std::string cache() {
        return std::filesystem::path(places::program()).parent_path() / "test-cache";
    }
    static std::vector<char*> pointers(Words& texts) {
        std::vector<char*> result;
        for (std::string& text : texts) result.push_back(text.data());
        result.push_back(nullptr);
        return result;
    }
    static std::string read(int file) {
        std::string all;
        char piece[4096];
        for (ssize_t count; (count = ::pread(file, piece, sizeof piece, off_t(all.size()))) > 0;)
            all.append(piece, size_t(count));
        return all;
    }

    int out_, err_;
    pid_t process_ = 0;
};

inline Outcome run_program(const std::string& path, const Words& words) {
    return Program(path, words).wait();
}
inline Outcome saccade_program(const Words& words) { return run_program(places::program(), words); }
inline Outcome lab_program(const Words& words) { return run_program(places::lab_program(), words); }

// For commands that run models: the device that the tests run on.
inline Words on_test_device(Words words) {
    const char* device = std::getenv("SACCADE_DEVICE");
    if (device && *device) words.insert(words.end(), {"--device", device});
    return words;
}

// The program succeeded, without any output on stderr.
inline void expect_done(const Outcome& outcome) {
    EXPECT_EQ(outcome.code, 0) << "signal " << outcome.signal << "\n" << outcome.out;
    EXPECT_EQ(outcome.err, "");
}

// The program failed with one line on stderr, which begins with its name and contains `part`.
inline void expect_refused(const Outcome& outcome, int code, std::string_view part,
                           std::string_view program = "saccade") {
    EXPECT_EQ(outcome.code, code) << "signal " << outcome.signal << "\n" << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with(std::string(program) + ": ")) << outcome.err;
    EXPECT_TRUE(outcome.err.ends_with("\n")) << outcome.err;
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    EXPECT_LT(outcome.err.size(), 600u) << outcome.err;
    expect_says(outcome.err, part);
}

inline Words lines_of(const std::string& text) {
    Words lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

// A small and quick live view.
inline Words small_live(const Words& more) {
    Words words{"live", "synth:160x120", "--classifier", "none", "--captioner", "none"};
    words.insert(words.end(), more.begin(), more.end());
    return on_test_device(words);
}

// A golden case as the model folder that a user would have.
inline std::string model_folder(const TempFolder& temp, const std::string& golden) {
    const std::filesystem::path from = golden_folder() / golden, to = temp / golden;
    write_checkpoint(to, read_manifest(from / "weights.json"));
    for (const char* file :
         {"config.json", "preprocessor_config.json", "tokenizer.json", "tokenizer_config.json"})
        if (std::filesystem::exists(from / file))
            std::filesystem::copy_file(from / file, to / file);
    return to.string();
}

inline std::string golden_picture() { return golden_folder() / "images" / "chelsea.png"; }

}  // namespace saccade
