// Help, and errors of the command line, of both programs.

#include "tests/app/program.h"
#include "tests/places.h"

namespace saccade {
namespace {

TEST(Cli, help_is_there_at_every_level_with_examples) {
    for (const Words& command :
         {Words{}, Words{"demo"}, Words{"live"}, Words{"batch"}, Words{"devices"}, Words{"doctor"},
          Words{"classify"}, Words{"detect"}, Words{"dump"}, Words{"bench"}, Words{"models"},
          Words{"models", "list"}, Words{"models", "path"}, Words{"models", "pull"},
          Words{"models", "verify"}})
        for (const char* program : {places::program(), places::lab_program()}) {
            if (program == std::string(places::lab_program()) &&
                (command == Words{"demo"} || command == Words{"live"} ||
                 command == Words{"batch"} || command == Words{"classify"} ||
                 command == Words{"detect"} || command == Words{"doctor"} ||
                 (!command.empty() && command[0] == "models")))
                continue;
            for (const char* help : {"--help", "-h"}) {
                Words words = command;
                words.push_back(help);
                const Outcome outcome = run_program(program, words);
                expect_done(outcome);
                expect_says(outcome.out, "Examples:");
                EXPECT_EQ(outcome.out.find("{false}"), std::string::npos) << outcome.out;
                for (const std::string& name : command) expect_says(outcome.out, name);
            }
        }
    const Outcome outcome = saccade_program({"--help"});
    for (const char* command : {"devices", "classify", "detect", "models", "dump", "bench"})
        expect_says(outcome.out, command);
}

TEST(Cli, the_version_is_one_line) {
    Outcome outcome = saccade_program({"--version"});
    expect_done(outcome);
    EXPECT_EQ(outcome.out, "saccade " SACCADE_VERSION "\n");
    outcome = lab_program({"--version"});
    expect_done(outcome);
    EXPECT_EQ(outcome.out, "saccade-lab " SACCADE_VERSION "\n");
}

struct Wrong {
    Words words;
    const char* says;
};

TEST(Cli, a_wrong_command_line_is_refused_in_one_line) {
    const Wrong all[] = {
        {{}, "no command; see saccade --help"},
        {{"nosuch"}, "unknown command 'nosuch'; see saccade --help"},
        {{"--nosuch"}, "unknown option '--nosuch'; see saccade --help"},
        {{"detct"}, "unknown command 'detct': did you mean 'detect'?; see saccade --help"},
        {{"detect", "--detecter", "x", "a.png"}, "did you mean '--detector'?"},
        {{""}, "unknown command ''"},
        {{"classify"}, "see saccade classify --help"},
        {{"classify", "--classifier", "m"}, "images"},
        {{"classify", "a.png", "--classifier"}, "--classifier"},
        {{"classify", "a.png", "--classifier", "m", "--nosuch"}, "--nosuch"},
        {{"classify", "a.png", "--classifier", "m", "--top", "0"}, "--top"},
        {{"classify", "a.png", "--classifier", "m", "--top", "17"}, "--top"},
        {{"classify", "a.png", "--classifier", "m", "--top", "five"}, "--top"},
        {{"classify", "a.png", "--classifier", "m", "--precision", "fp8"}, "fp8"},
        {{"classify", "a.png", "--classifier", "m", "--preprocess", "own"}, "own"},
        {{"batch", "-o", "out"}, "sources"},
        {{"batch", "a.mp4"}, "--out"},
        {{"batch", "a.mp4", "-o", "out", "--stride", "0"}, "--stride"},
        {{"batch", "a.mp4", "-o", "out", "--shard", "3/3"}, "from 0/N to N-1/N"},
        {{"batch", "a.mp4", "-o", "out", "--attention", "mean"}, "--attention"},
        {{"merge"}, "folder"},
        {{"devices", "all"}, "all"},
        {{"dump", "--image", "a.png", "-o", "b"}, "--model"},
        {{"dump", "--model", "m", "-o", "b"}, "--image"},
        {{"dump", "--model", "m", "--image", "a.png"}, "--out"},
        {{"dump", "--model", "m", "--image", "a.png", "-o"}, "--out"},
        {{"bench", "--runs", "-1"}, "--runs"},
        {{"bench", "--batch", "0"}, "--batch"},
        {{"models"}, "see saccade models --help"},
        {{"models", "nosuch"}, "see saccade models --help"},
        {{"models", "pull"}, "see saccade models pull --help"},
        {{"models", "path", "a", "b"}, "see saccade models path --help"},
        {{"bench", "--precision", "fp8"}, "see saccade bench --help"},
    };
    for (const Wrong& wrong : all) {
        SCOPED_TRACE(wrong.says);
        const Outcome outcome = saccade_program(wrong.words);
        expect_refused(outcome, 2, wrong.says);
        EXPECT_EQ(outcome.out, "");
    }
}

TEST(Cli, the_lab_refuses_a_wrong_command_line_in_one_line_too) {
    const Wrong all[] = {
        {{}, "no command; see saccade-lab --help"},
        {{"nosuch"}, "unknown command 'nosuch'"},
        {{"--nosuch"}, "unknown command '--nosuch'"},
        {{"classify"}, "unknown command 'classify'"},
        {{"devices", "all"}, "'all'"},
        {{"devices", "--nosuch", "1"}, "--nosuch"},
        {{"dump", "--image", "a.ppm", "-o", "b"}, "--model"},
        {{"dump", "--model", "m", "-o", "b"}, "--image"},
        {{"dump", "--model", "m", "--image", "a.ppm"}, "--out"},
        {{"dump", "--model", "m", "--image", "a.ppm", "-o"}, "--out"},
        {{"bench", "--runs", "x"}, "--runs"},
        {{"bench", "--runs", "-1"}, "--runs"},
        {{"bench", "--batch", "0"}, "--batch"},
        {{"bench", "--model"}, "--model"},
        {{"bench", "--precision", "fp8"}, "fp8"},
    };
    for (const Wrong& wrong : all) {
        SCOPED_TRACE(wrong.says);
        const Outcome outcome = lab_program(wrong.words);
        expect_refused(outcome, 2, wrong.says, "saccade-lab");
        EXPECT_EQ(outcome.out, "");
    }
}

TEST(Cli, devices_are_listed_with_what_they_can_do) {
    for (const char* program : {places::program(), places::lab_program()}) {
        const Outcome outcome = run_program(program, {"devices"});
        expect_done(outcome);
        EXPECT_TRUE(outcome.out.starts_with("0: ")) << outcome.out;
        for (const char* what : {"driver", "MiB", "fp16 storage", "cooperative matrix"})
            expect_says(outcome.out, what);
    }
}

TEST(Cli, output_that_cannot_be_written_is_an_error) {
    const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
    ASSERT_GE(full, 0);
    expect_refused(Program(places::program(), {"devices"}, full).wait(), 75, "standard output");
    expect_refused(Program(places::lab_program(), {"devices"}, full).wait(), 1, "standard output",
                   "saccade-lab");
    ::close(full);
}

}  // namespace
}  // namespace saccade
