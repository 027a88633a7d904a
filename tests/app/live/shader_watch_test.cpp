#include "app/live/shader_watch.h"

#include <chrono>
#include <fstream>
#include <thread>

#include "shaders/embedded.h"
#include "tests/gpu_test.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

using namespace std::chrono_literals;

// Saves shaders, with a compiler that prints what the test wants.
class ShaderWatchTest : public ::testing::Test {
protected:
    ShaderWatchTest() : device(test_device().instance(), test_device().info(), {}) {
        std::filesystem::create_directories(temp / "sources");
        std::filesystem::create_directories(temp / "spirv");
        save();
        compiler("exit 0");
        watch.emplace(device,
                      ShaderBuild{temp / "sources", "sh '" + (temp / "compiler").string() + "'",
                                  temp / "spirv"});
        std::this_thread::sleep_for(300ms);  // it has seen what is there
    }
    void save() const {
        std::ofstream(temp / "sources/add.comp") << "saved";
        // Whatever the file system's clock counts in.
        static auto time = std::filesystem::file_time_type::clock::now();
        std::filesystem::last_write_time(temp / "sources/add.comp", time += 10s);
    }
    void compiler(const std::string& script) const { std::ofstream(temp / "compiler") << script; }
    // add.f32 with another instruction: OpFAdd (129) becomes OpFSub (131).
    void compile_another_add() const {
        for (const EmbeddedShader& shader : embedded_shaders()) {
            if (shader.name != "add.f32") continue;
            std::vector<uint32_t> code(shader.code.begin(), shader.code.end());
            for (size_t at = 5; at < code.size(); at += code[at] >> 16)
                if ((code[at] & 0xffff) == 129) code[at] += 131 - 129;
            std::ofstream(temp / "spirv/add.f32.spv", std::ios::binary)
                .write(reinterpret_cast<const char*>(code.data()),
                       std::streamsize(code.size() * sizeof code[0]));
        }
    }
    bool eventually(const std::function<bool()>& holds) const {
        for (int i = 0; i < 1000; ++i) {
            if (holds()) return true;
            std::this_thread::sleep_for(10ms);
        }
        return false;
    }

    TempFolder temp;
    Device device;
    std::optional<ShaderWatch> watch;
};

TEST_F(ShaderWatchTest, a_shader_that_is_saved_takes_the_place_of_the_old_one) {
    const Kernel add("add.f32", {4});
    const Pipeline* old = &device.pipelines().get(add);
    EXPECT_FALSE(watch->poll());
    compile_another_add();
    EXPECT_FALSE(watch->poll()) << "nothing was saved";
    save();
    EXPECT_TRUE(eventually([&] { return watch->poll(); }));
    EXPECT_EQ(watch->error(), "");
    EXPECT_NE(&device.pipelines().get(add), old);
}

TEST_F(ShaderWatchTest, an_error_is_told_until_it_is_mended_and_the_old_shader_stays) {
    const Kernel add("add.f32", {4});
    const Pipeline* old = &device.pipelines().get(add);
    compile_another_add();
    compiler("echo add.comp; echo 'ERROR: add.comp:7: what is this'; exit 1");
    save();
    EXPECT_TRUE(eventually([&] { return !watch->poll() && !watch->error().empty(); }));
    EXPECT_EQ(watch->error(), "ERROR: add.comp:7: what is this\n");
    EXPECT_EQ(&device.pipelines().get(add), old);
    compiler("exit 0");
    save();
    EXPECT_TRUE(eventually([&] { return watch->poll(); }));
    EXPECT_EQ(watch->error(), "");
    EXPECT_NE(&device.pipelines().get(add), old);
}

}  // namespace
}  // namespace saccade
