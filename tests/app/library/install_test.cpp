// Installs into a folder, moves it, and builds and runs the examples against it.

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "app/lab/ppm.h"
#include "tests/app/library/build_places.h"
#include "tests/app/program.h"
#include "tests/app/variable.h"
#include "tests/golden_picture.h"

namespace saccade {
namespace {

namespace fs = std::filesystem;

void expect_runs(const Words& words) {
    const Outcome outcome = run_program("/usr/bin/env", words);
    ASSERT_EQ(outcome.code, 0) << words.front() << "\n" << outcome.out << outcome.err;
}

std::string text_of(const fs::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
}

class InstallTest : public ::testing::Test {
protected:
    // One installation serves all tests. It lies elsewhere than where it was put.
    static void SetUpTestSuite() {
        temp = new TempFolder;
        const std::string first = *temp / "first";
        expect_runs({"cmake", "--install", places::build(), "--prefix", first});
        fs::rename(first, *temp / "moved");
        for (const fs::path& at : fs::recursive_directory_iterator(prefix()))
            if (at.filename() == "saccade.pc") package_folder = at.parent_path();
    }
    static void TearDownTestSuite() { delete std::exchange(temp, nullptr); }
    static fs::path prefix() { return *temp / "moved"; }
    static std::string library_folder() { return package_folder.parent_path(); }

    // The example that shares its device finds the same, and draws it.
    static void expect_renders(const std::string& build, const std::string& picture,
                               const std::string& found) {
        const std::string drawn = *temp / "drawn.ppm";
        const Outcome outcome =
            run_program(build + "/renderer", {"photo-detector", picture, drawn});
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_EQ(outcome.out, found);
        const PpmPicture before = read_ppm(picture), after = read_ppm(drawn);
        ASSERT_EQ(after.rgb.size(), before.rgb.size());
        EXPECT_NE(after.rgb, before.rgb);
        EXPECT_TRUE(std::equal(before.rgb.end() - 300, before.rgb.end(), after.rgb.end() - 300));
    }

    static TempFolder* temp;
    static fs::path package_folder;
};
TempFolder* InstallTest::temp = nullptr;
fs::path InstallTest::package_folder;

TEST_F(InstallTest, puts_everything_where_a_distribution_expects_it) {
    for (const char* file :
         {"bin/saccade", "bin/saccade-lab", "include/saccade.h", "include/saccade.hpp",
          "include/saccade_vulkan.h", "share/saccade/models/emoji-detector/config.json",
          "share/doc/saccade/LICENSE", "share/doc/saccade/NOTICE", "share/man/man1/saccade.1",
          "share/man/man1/saccade-lab.1", "share/bash-completion/completions/saccade",
          "share/zsh/vendor-completions/_saccade", "share/fish/vendor_completions.d/saccade.fish",
          "share/applications/saccade.desktop", "share/icons/hicolor/scalable/apps/saccade.svg",
          "share/metainfo/saccade.metainfo.xml"})
        EXPECT_TRUE(fs::exists(prefix() / file)) << file;
    EXPECT_TRUE(fs::exists(library_folder() + "/libsaccade.so.0"));
    EXPECT_FALSE(fs::exists(prefix() / "share/saccade/models/training"));
}

TEST_F(InstallTest, links_neither_opencv_nor_ffmpeg_nor_a_window) {
    const Outcome outcome =
        run_program("/usr/bin/env", {"ldd", library_folder() + "/libsaccade.so"});
    expect_says(outcome.out, "libvulkan");
    for (const char* other : {"opencv", "avcodec", "glfw", "curl", "libX", "xcb", "not found"})
        EXPECT_EQ(outcome.out.find(other), std::string::npos) << outcome.out;
}

TEST_F(InstallTest, exports_only_the_c_api) {
    const Outcome outcome = run_program(
        "/usr/bin/env", {"nm", "-D", "--defined-only", library_folder() + "/libsaccade.so"});
    size_t functions = 0;
    for (const std::string& line : lines_of(outcome.out)) {
        if (line.find(" A ") != std::string::npos) continue;  // the version itself
        EXPECT_NE(line.find(" T saccade_"), std::string::npos) << line;
        ++functions;
    }
    EXPECT_GT(functions, 25u);
}

TEST_F(InstallTest, finds_its_models_where_it_was_moved_to) {
    const fs::path decoy = prefix() / "share/saccade/models/here-only";
    fs::copy(prefix() / "share/saccade/models/emoji-detector", decoy);
    const Outcome outcome =
        run_program(prefix() / "bin/saccade", {"models", "path", "emoji-detector"});
    EXPECT_EQ(outcome.out, (prefix() / "share/saccade/models/emoji-detector").string() + "\n");
    EXPECT_EQ(run_program(prefix() / "bin/saccade", {"models", "path", "here-only"}).code, 0);
}

TEST_F(InstallTest, builds_and_runs_the_examples) {
    const std::string source = fs::path(places::tests()).parent_path() / "app/library/examples";
    const std::string build = *temp / "examples";
    expect_runs({"cmake", "-S", source, "-B", build, "-DCMAKE_BUILD_TYPE=Debug",
                 "-DCMAKE_PREFIX_PATH=" + prefix().string(),
                 "-DCMAKE_C_FLAGS=-Wall -Wextra -Werror",
                 "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wpedantic -Werror"});
    expect_runs({"cmake", "--build", build});
    const std::string picture = *temp / "chelsea.ppm";
    write_ppm(picture, read_golden_picture("chelsea"));
    const Outcome found = run_program(build + "/detect", {"photo-detector", picture});
    EXPECT_EQ(found.code, 0) << found.err;
    const auto told = nlohmann::json::parse(
        saccade_program({"detect", golden_picture(), "--json"}).out)["detections"];
    const Words lines = lines_of(found.out);
    ASSERT_EQ(lines.size(), told.size());
    for (size_t i = 0; i < lines.size(); ++i)
        EXPECT_TRUE(lines[i].starts_with(told[i]["label"].get<std::string>() + " ")) << lines[i];
    EXPECT_FALSE(lines.empty());
    expect_renders(build, picture, found.out);

    const Outcome looked = run_program(build + "/look", {"emoji-detector"});
    EXPECT_EQ(looked.code, 0) << looked.err;
    EXPECT_GT(lines_of(looked.out).size(), 4u);
    const Outcome missing = run_program(build + "/look", {"no-such-model"});
    EXPECT_EQ(missing.code, 1);
    expect_says(missing.err, "look: 'no-such-model' is not a model folder");
}

TEST_F(InstallTest, is_found_by_pkg_config) {
    const Variable path("PKG_CONFIG_PATH", package_folder.c_str());
    const std::string program = *temp / "detect";
    const std::string source =
        fs::path(places::tests()).parent_path() / "app/library/examples/detect.c";
    expect_runs({"sh", "-c",
                 "cc -o " + program + " " + source +
                     " $(pkg-config --cflags --libs saccade) -Wl,-rpath," + library_folder()});
    const Outcome outcome = run_program(program, {"emoji-detector", "/nowhere.ppm"});
    expect_says(outcome.err, "not a binary PPM");
}

// For Python programs: the module lies in the moved prefix, outside of where Python searches.
class PythonTest : public InstallTest {
protected:
    PythonTest() : path("PYTHONPATH", (prefix() / "lib/python3/dist-packages").c_str()) {}
    Outcome run(const Words& words) {
        EXPECT_STRNE(places::python(), "") << "install pybind11-dev and python3-dev";
        return run_program("/usr/bin/env", Words{places::python()} + words);
    }
    static std::string examples() {
        return fs::path(places::tests()).parent_path() / "app/library/examples";
    }
    Variable path;
};

TEST_F(PythonTest, does_what_the_docstrings_show) {
    const Outcome outcome = run({"-c",
                                 "import doctest, saccade, sys; sys.exit(doctest.testmod(saccade, "
                                 "optionflags=doctest.ELLIPSIS).failed)"});
    EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
}

TEST_F(PythonTest, gives_the_same_bits_as_the_program) {
    const Outcome outcome = run({"-c",
                                 "import json, saccade, sys\n"
                                 "r = saccade.open('emoji-detector')(sys.argv[1], threshold=0.02)\n"
                                 "print(json.dumps([r.scores.tolist(), r.boxes.tolist()]))",
                                 golden_picture()});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto told =
        nlohmann::json::parse(saccade_program({"detect", golden_picture(), "--detector",
                                               "emoji-detector", "--threshold", "0.02", "--json"})
                                  .out)["detections"];
    const auto found = nlohmann::json::parse(outcome.out);
    ASSERT_GT(told.size(), 0u);
    ASSERT_EQ(found[0].size(), told.size());
    for (size_t i = 0; i < told.size(); ++i) {
        EXPECT_EQ(found[0][i].get<float>(), told[i]["score"].get<float>());
        for (size_t side = 0; side < 4; ++side)
            EXPECT_EQ(found[1][i][side].get<float>(), told[i]["box"][side].get<float>());
    }
}

TEST_F(PythonTest, draws_an_attention_map) {
    const std::string out = *temp / "attention.png";
    const Outcome outcome =
        run({examples() + "/attention.py", "emoji-detector", golden_picture(), out});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_GT(fs::file_size(out), 10000u);
}

TEST_F(PythonTest, runs_the_cells_of_the_notebook) {
    const Variable model("MODEL", "emoji-detector"), picture("PICTURE", golden_picture().c_str());
    const Outcome outcome =
        run({"-c",
             "import json, sys\n"
             "for cell in json.load(open(sys.argv[1]))['cells']:\n"
             "    if cell['cell_type'] == 'code': exec(''.join(cell['source']))\n"
             "assert len(maps) == layers and maps[0].ndim == 2",
             examples() + "/attention.ipynb"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(lines_of(outcome.out).size(), 5u);
}

// A thread counts while the device works.
TEST_F(PythonTest, lets_other_threads_run_while_the_device_works) {
    const Outcome outcome = run({"-c",
                                 "import numpy, saccade, threading\n"
                                 "model = saccade.open('emoji-detector')\n"
                                 "count, done = 0, threading.Event()\n"
                                 "def counting():\n"
                                 "    global count\n"
                                 "    while not done.wait(0.0005): count += 1\n"
                                 "thread = threading.Thread(target=counting)\n"
                                 "picture = numpy.zeros((480, 640, 3), numpy.uint8)\n"
                                 "import sys; sys.setswitchinterval(100)\n"
                                 "thread.start()\n"
                                 "while count == 0: done.wait(0.001)\n"
                                 "before = count\n"
                                 "model(picture)\n"
                                 "during = count - before\n"
                                 "done.set(); thread.join()\n"
                                 "assert during > 0, during"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST_F(InstallTest, completes_commands_and_describes_them) {
    const std::string script = prefix() / "share/bash-completion/completions/saccade";
    const Outcome words =
        run_program("/bin/bash",
                    {"-c", ". " + script +
                               "; COMP_WORDS=(saccade doc); COMP_CWORD=1; _saccade; echo "
                               "${COMPREPLY[@]}; COMP_WORDS=(saccade detect --requ); COMP_CWORD=2; "
                               "_saccade; echo ${COMPREPLY[@]}"});
    EXPECT_EQ(words.out, "doctor\n--require-gpu\n") << words.err;
    const std::string man = text_of(prefix() / "share/man/man1/saccade.1");
    expect_says(man, ".SS detect");
    expect_says(man, "\\-\\-require\\-gpu");
    expect_says(text_of(prefix() / "share/fish/vendor_completions.d/saccade.fish"),
                "-l require-gpu");
    expect_says(text_of(prefix() / "share/zsh/vendor-completions/_saccade"), "#compdef saccade");
}

}  // namespace
}  // namespace saccade
