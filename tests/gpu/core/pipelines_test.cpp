#include "gpu/core/pipelines.h"

#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "gpu/ops/elementwise.h"
#include "shaders/embedded.h"
#include "tests/gpu_test.h"
#include "tests/models/files/temp_folder.h"

namespace saccade {
namespace {

namespace fs = std::filesystem;

// A device with a cache file, as the program opens one.
class PipelinesTest : public ::testing::Test {
protected:
    static std::string content(const fs::path& path) {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    static Device::Options with_cache(const fs::path& path) {
        Device::Options options;
        options.pipeline_cache = path.string();
        return options;
    }
    // Opens a device, builds a pipeline, checks that it computes, and closes the device.
    static void use(const fs::path& cache) {
        Device device(test_device().instance(), test_device().info(), with_cache(cache));
        Arena arena(device, "scratch");
        Commands commands(device, arena, "test");
        const Buffer buffer(device, "numbers", 64, Memory::readback);
        const std::vector<float> numbers = {1, 2, 3, 4, 5, 6, 7, 8};
        std::memcpy(buffer.mapped().data(), numbers.data(), 32);
        buffer.flush();
        const Tensor x = make_tensor(buffer.handle(), 0, 1, 1, 8, Type::f32);
        commands.begin();
        add_into(commands, x, x, x);
        commands.end();
        commands.run();
        buffer.invalidate();
        std::vector<float> twice(8);
        std::memcpy(twice.data(), buffer.mapped().data(), 32);
        EXPECT_EQ(twice, (std::vector<float>{2, 4, 6, 8, 10, 12, 14, 16}));
        EXPECT_EQ(device.pipelines().count(), 1u);
    }
    static bool is_whole(const std::string& file) {
        if (file.size() < 24 || !file.starts_with("SACCADE1")) return false;
        uint64_t bytes;
        std::memcpy(&bytes, &file[8], 8);
        return bytes + 24 == file.size();
    }
    static uint64_t fnv1a(std::string_view text) {
        uint64_t hash = 0xcbf29ce484222325;
        for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
        return hash;
    }
    static size_t files_in(const fs::path& path) {
        return static_cast<size_t>(std::distance(fs::directory_iterator(path), {}));
    }

    TempFolder folder;
};

TEST_F(PipelinesTest, the_cache_file_is_written_on_close_with_the_folders_it_needs) {
    const fs::path path = folder / "a/b/pipelines.bin";
    use(path);
    EXPECT_TRUE(is_whole(content(path)));
    EXPECT_EQ(files_in(path.parent_path()), 1u) << "nothing else is left behind";
}

TEST_F(PipelinesTest, the_cache_file_is_read_back_and_written_only_when_there_is_more) {
    const fs::path path = folder / "pipelines.bin";
    use(path);
    const std::string first = content(path);
    const auto written = fs::last_write_time(path);
    { const Device idle(test_device().instance(), test_device().info(), with_cache(path)); }
    EXPECT_EQ(fs::last_write_time(path), written) << "no pipeline was made";
    use(path);
    EXPECT_TRUE(is_whole(content(path)));
    EXPECT_GE(content(path).size(), first.size()) << "what was read is kept";
}

TEST_F(PipelinesTest, a_damaged_cache_file_is_harmless_and_replaced) {
    const fs::path path = folder / "pipelines.bin";
    use(path);
    const std::string good = content(path);
    ASSERT_TRUE(is_whole(good));

    std::vector<std::pair<const char*, std::string>> damaged = {
        {"empty", ""},
        {"half a header", good.substr(0, 10)},
        {"only a header", good.substr(0, 24)},
        {"truncated", good.substr(0, good.size() - 1)},
        {"too long", good + "x"},
        {"text", "this is not a pipeline cache, but it is longer than a header"},
        {"zeros", std::string(1000, '\0')},
    };
    damaged.emplace_back("a flipped bit", good).second.back() ^= 1;
    damaged.emplace_back("another version", good).second[7] = '0';
    std::string& size = damaged.emplace_back("an absurd size", good).second;
    std::memset(&size[8], 0xff, 8);
    for (const auto& [what, text] : damaged) {
        SCOPED_TRACE(what);
        folder.write("pipelines.bin", text);
        use(path);
        EXPECT_TRUE(is_whole(content(path)));
    }
    EXPECT_EQ(files_in(folder.path()), 1u);
}

TEST_F(PipelinesTest, the_cache_of_another_device_or_driver_is_harmless) {
    // Our header is intact; the one that Vulkan prescribes is that of another device.
    auto file_with = [](const std::string& data) {
        std::string text = "SACCADE1";
        const uint64_t numbers[] = {data.size(), fnv1a(data)};
        text.append(reinterpret_cast<const char*>(numbers), 16);
        return text + data;
    };
    const uint32_t header[] = {32, 1, 0x1234, 0x5678, 1, 2, 3, 4};
    std::string foreign(reinterpret_cast<const char*>(header), 32);
    for (const std::string& data : {foreign + std::string(500, 'x'), foreign, std::string("junk"),
                                    std::string(4096, '\xff')}) {
        const fs::path path = folder.write("pipelines.bin", file_with(data));
        use(path);
        EXPECT_TRUE(is_whole(content(path)));
    }
}

TEST_F(PipelinesTest, a_cache_file_that_cannot_be_written_is_harmless) {
    const fs::path file = folder.write("file", "not a folder");
    use(file / "pipelines.bin");
    EXPECT_EQ(content(file), "not a folder");

    fs::create_directory(folder / "taken");
    folder.write("taken/inside", "");
    use(folder / "taken");
    EXPECT_TRUE(fs::is_directory(folder / "taken"));
    use("/proc/pipelines.bin");
    EXPECT_EQ(files_in(folder.path()), 2u) << "nothing is left behind";
}

TEST_F(PipelinesTest, a_named_pipe_in_the_place_of_the_cache_file_keeps_nobody_waiting) {
    const fs::path path = folder / "pipelines.bin";
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    use(path);
    EXPECT_TRUE(fs::is_fifo(path));
}

TEST_F(PipelinesTest, caches_that_killed_programs_left_half_written_are_removed) {
    const fs::path path = folder / "pipelines.bin";
    folder.write("pipelines.bin.saccade-part-999999999", "half");
    use(path);
    EXPECT_TRUE(is_whole(content(path)));
    EXPECT_EQ(files_in(folder.path()), 1u);
}

TEST_F(PipelinesTest, without_a_file_pipelines_live_in_memory_only) {
    const fs::path before = fs::current_path();
    fs::current_path(folder.path());
    use("");
    fs::current_path(before);
    EXPECT_EQ(files_in(folder.path()), 0u);
}

TEST_F(PipelinesTest, the_same_kernel_is_built_once_and_each_variant_apart) {
    Device device(test_device().instance(), test_device().info(), {});
    Pipelines& pipelines = device.pipelines();
    const Pipeline& four = pipelines.get(Kernel("row_sum", {4}));
    EXPECT_EQ(&pipelines.get(Kernel("row_sum", {4})), &four);
    EXPECT_EQ(pipelines.count(), 1u);
    const Pipeline& eight = pipelines.get(Kernel("row_sum", {8}));
    EXPECT_NE(&eight, &four);
    EXPECT_EQ(pipelines.count(), 2u);
    EXPECT_EQ(four.name, "row_sum");
    EXPECT_EQ(four.reflection.local_size[0], 4u);
    EXPECT_EQ(eight.reflection.local_size[0], 8u);
    EXPECT_THROW(pipelines.get(Kernel("row_sum", {0})), Error);
    EXPECT_EQ(pipelines.count(), 2u) << "what failed is not kept";
}

TEST(Kernel, is_named_after_its_shader_and_storage_types) {
    EXPECT_EQ(Kernel("unpack", {4}).name(), "unpack");
    EXPECT_EQ(Kernel("add", Type::f16, {4}).name(), "add.f16");
    EXPECT_EQ(Kernel("add", Type::f16, Type::f32, {4}).name(), "add.f16_f32");
    EXPECT_EQ(Kernel("add", Type::f32, Type::f32, {4}).name(), "add.f32");
    EXPECT_EQ(Kernel("add", Type::f32, {4, 5}).constants().size(), 2u);
    EXPECT_EQ(Kernel("add", Type::f32, {4, 5}), Kernel("add", Type::f32, Type::f32, {4, 5}));
    EXPECT_FALSE(Kernel("add", {4}) == Kernel("add", {5}));
    EXPECT_FALSE(Kernel("add", {0}) == Kernel("add")) << "a constant of zero is one all the same";
}

// add.f32 that subtracts: OpFAdd (129) becomes OpFSub (131).
std::vector<uint32_t> subtracting() {
    for (const EmbeddedShader& shader : embedded_shaders()) {
        if (shader.name != "add.f32") continue;
        std::vector<uint32_t> code(shader.code.begin(), shader.code.end());
        for (size_t at = 5; at < code.size(); at += code[at] >> 16)
            if ((code[at] & 0xffff) == 129) code[at] += 131 - 129;
        return code;
    }
    return {};
}

TEST(ReplacedShader, is_used_by_what_is_recorded_from_then_on) {
    Device device(test_device().instance(), test_device().info(), {});
    Arena arena(device, "scratch");
    Commands before(device, arena, "before"), after(device, arena, "after");
    const Buffer buffer(device, "numbers", 64, Memory::readback);
    const Tensor x = make_tensor(buffer.handle(), 0, 1, 1, 8, Type::f32);
    auto result_of = [&](Commands& commands) {
        const float three = 3;
        std::memcpy(buffer.mapped().data(), &three, sizeof three);
        buffer.flush();
        commands.run();
        buffer.invalidate();
        float result;
        std::memcpy(&result, buffer.mapped().data(), sizeof result);
        return result;
    };
    for (Commands* commands : {&before, &after}) {
        commands->use_plain_kernels(true);  // that the shader is called add.f32
        if (commands == &after) device.pipelines().replace("add.f32", subtracting());
        commands->begin();
        add_into(*commands, x, x, x);
        commands->end();
    }
    EXPECT_EQ(result_of(before), 6) << "the old recording is as good as ever";
    EXPECT_EQ(result_of(after), 0);
}

TEST(ReplacedShader, that_takes_other_parameters_is_refused_and_the_old_one_stays) {
    Pipelines& pipelines = test_device().pipelines();
    const Pipeline* old = &pipelines.get(Kernel("softmax.f32", {4}));
    EXPECT_THROW(pipelines.replace("softmax.f32", subtracting()), Error);
    EXPECT_THROW(pipelines.replace("softmax.f32", {1, 2, 3}), Error) << "no SPIR-V at all";
    EXPECT_THROW(pipelines.replace("no such shader", subtracting()), Error);
    EXPECT_EQ(&pipelines.get(Kernel("softmax.f32", {4})), old);
}

}  // namespace
}  // namespace saccade
