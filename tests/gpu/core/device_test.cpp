#include "gpu/core/device.h"

#include <vulkan/vulkan.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <functional>
#include <memory>
#include <regex>
#include <set>

#include "gpu/core/buffer.h"
#include "gpu/core/check.h"
#include "gpu/core/image.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

const Instance& instance() { return test_device().instance(); }

std::string one_line_error(const std::function<void()>& act) {
    try {
        act();
    } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << "one line";
        return error.what();
    }
    return "no error";
}

void expect_says_all(const std::string& error, std::initializer_list<std::string> parts) {
    for (const std::string& part : parts)
        EXPECT_NE(error.find(part), std::string::npos) << error << "\n  does not say: " << part;
}

TEST(Device, is_chosen_by_its_number) {
    for (const DeviceInfo& info : instance().devices()) {
        if (!info.unusable.empty()) continue;
        EXPECT_EQ(instance().choose(std::to_string(info.index)).index, info.index);
    }
}

TEST(Device, is_chosen_by_a_part_of_its_name_in_any_case) {
    const DeviceInfo& info = test_device().info();
    std::string upper = info.name, part = info.name.substr(1, 5);
    std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
    EXPECT_EQ(instance().choose(info.name).name, info.name);
    EXPECT_EQ(instance().choose(upper).name, info.name);
    EXPECT_NE(instance().choose(part).name.find(part), std::string::npos);
}

TEST(Device, the_best_usable_one_is_chosen_where_none_is_asked_for) {
    const DeviceInfo& best = instance().choose("");
    EXPECT_TRUE(best.unusable.empty());
    for (const DeviceInfo& info : instance().devices())
        EXPECT_TRUE(!info.unusable.empty() || best.kind <= info.kind) << info.name;
}

TEST(Device, an_unknown_one_is_an_error_that_says_where_to_look) {
    for (const std::string wanted : {"no such device", "99", "-1", "99999999999999999999"})
        expect_says_all(
            one_line_error([&] { instance().choose(wanted); }),
            {"no Vulkan device is called '" + wanted + "'", "'saccade devices' lists them"});
}

TEST(Device, devices_are_listed_from_discrete_to_cpu_with_what_they_can_do) {
    const auto& devices = instance().devices();
    ASSERT_FALSE(devices.empty());
    for (size_t i = 0; i < devices.size(); ++i) {
        const DeviceInfo& info = devices[i];
        EXPECT_EQ(info.index, i);
        EXPECT_FALSE(info.name.empty());
        EXPECT_LE(devices[i ? i - 1 : 0].kind, info.kind);
        if (!info.unusable.empty()) continue;
        EXPECT_FALSE(info.driver.empty());
        EXPECT_GE(info.limits.storage_range, 1u << 27) << "the least that Vulkan promises";
        EXPECT_GE(info.limits.push_constant_bytes, 128u);
        EXPECT_GE(info.limits.workgroup_threads, 128u);
        EXPECT_GE(info.limits.workgroup_count[1], 65535u);
        EXPECT_GT(info.limits.buffer_bytes, 0u);
        EXPECT_GT(info.memory_bytes, 0u);
        EXPECT_EQ(info.features.cooperative_matrix,
                  !info.features.matrix_shapes.empty() && info.kind != DeviceKind::cpu);
    }
}

TEST(Device, cooperative_matrices_can_be_forced_off) {
    Device plain(instance(), test_device().info(),
                 {.cooperative_matrix = false, .extensions = {}, .pipeline_cache = {}});
    EXPECT_FALSE(plain.features().cooperative_matrix);
    EXPECT_TRUE(plain.features().matrix_shapes.empty());
}

TEST(Device, texel_loads_are_for_software_vulkan_and_can_be_forced_off) {
    EXPECT_LE(test_device().features().texel_loads, test_device().is_cpu());
    Device plain(instance(), test_device().info(),
                 {.texel_loads = false, .extensions = {}, .pipeline_cache = {}});
    EXPECT_FALSE(plain.features().texel_loads);
}

TEST(Device, memory_in_use_grows_and_shrinks_with_a_buffer) {
    constexpr uint64_t size = 64u << 20;
    const MemoryUse before = test_device().memory();
    {
        const Buffer buffer(test_device(), "large", size, Memory::device);
        EXPECT_GE(test_device().memory().device_bytes, before.device_bytes + size);
        EXPECT_LT(test_device().memory().device_bytes, before.device_bytes + size + (1u << 20));
    }
    EXPECT_EQ(test_device().memory().device_bytes, before.device_bytes);
    EXPECT_GT(before.host_bytes, 1u << 20);
}

TEST(Device, small_buffers_share_memory) {
    const uint64_t before = test_device().memory().device_bytes;
    std::vector<Buffer> buffers;
    for (int i = 0; i < 100; ++i)
        buffers.emplace_back(test_device(), "small", 1000, Memory::device);
    EXPECT_LE(test_device().memory().device_bytes, before + (8u << 20));
}

TEST(Buffer, one_beyond_the_devices_limits_is_an_error_that_names_it_and_says_what_to_do) {
    const DeviceInfo& info = test_device().info();
    const std::vector<std::string> parts = {"'weights of a giant'", info.name,
                                            "VK_ERROR_OUT_OF_DEVICE_MEMORY", "--precision fp16"};
    for (uint64_t bytes : {info.limits.buffer_bytes + 1, info.memory_bytes * 2, UINT64_MAX / 2})
        for (Memory memory : {Memory::device, Memory::upload}) {
            if (bytes <= info.limits.buffer_bytes && memory == Memory::upload) continue;
            const std::string error = one_line_error(
                [&] { const Buffer buffer(test_device(), "weights of a giant", bytes, memory); });
            for (const std::string& part : parts) expect_says_all(error, {part});
        }
    expect_says_all(
        one_line_error([] { const Buffer buffer(test_device(), "none", 0, Memory::device); }),
        {"'none'", "empty"});
}

TEST(Buffer, is_mapped_where_the_cpu_takes_part_and_keeps_its_name_when_it_moves) {
    Buffer upload(test_device(), "upload", 100, Memory::upload);
    EXPECT_EQ(upload.mapped().size(), 100u);
    upload.mapped()[99] = std::byte{7};
    upload.flush();
    const Buffer readback(test_device(), "readback", 100, Memory::readback);
    EXPECT_EQ(readback.mapped().size(), 100u);
    readback.invalidate();
    const Buffer device(test_device(), "device", 100, Memory::device);
    EXPECT_TRUE(device.mapped().empty());

    Buffer moved = std::move(upload);
    EXPECT_TRUE(moved);
    EXPECT_FALSE(upload);  // NOLINT(bugprone-use-after-move): it is to be empty
    EXPECT_EQ(moved.name(), "upload");
    EXPECT_EQ(moved.bytes(), 100u);
    EXPECT_EQ(moved.mapped()[99], std::byte{7});
    moved = Buffer(test_device(), "other", 50, Memory::device);
    EXPECT_EQ(moved.name(), "other");
}

TEST(Image, sides_of_nothing_or_too_much_are_refused_by_name) {
    const uint32_t most = test_device().limits().image_side;
    for (auto [width, height] : {std::pair{0u, 5u}, {5u, 0u}, {most + 1, 1u}, {1u, most + 1}})
        expect_says_all(
            one_line_error([&] { const Image image(test_device(), "frame", width, height); }),
            {"'frame'", std::to_string(width) + "x" + std::to_string(height) + " pixels",
             std::to_string(most)});
    Image image(test_device(), "frame", 3, 2);
    const Image moved = std::move(image);
    EXPECT_FALSE(image);  // NOLINT(bugprone-use-after-move): it is to be empty
    EXPECT_TRUE(moved);
    EXPECT_EQ(moved.width(), 3u);
    EXPECT_EQ(moved.height(), 2u);
    EXPECT_EQ(moved.name(), "frame");
}

TEST(Check, says_what_was_being_done_the_result_and_what_to_do_about_it) {
    EXPECT_NO_THROW(check(VK_SUCCESS, "nothing"));
    expect_says_all(
        one_line_error([] { check(VK_ERROR_DEVICE_LOST, "running 'frame' on X"); }),
        {"running 'frame' on X failed", "VK_ERROR_DEVICE_LOST", "stopped answering", "--device"});
    expect_says_all(one_line_error([] { check(VK_ERROR_OUT_OF_DEVICE_MEMORY, "loading"); }),
                    {"loading failed", "VK_ERROR_OUT_OF_DEVICE_MEMORY", "--precision fp16"});
    expect_says_all(one_line_error([] { check(VK_ERROR_OUT_OF_HOST_MEMORY, "loading"); }),
                    {"VK_ERROR_OUT_OF_HOST_MEMORY", "close other programs"});
    expect_says_all(one_line_error([] { check(VK_ERROR_INCOMPATIBLE_DRIVER, "starting Vulkan"); }),
                    {"starting Vulkan failed", "mesa-vulkan-drivers"});
    EXPECT_EQ(one_line_error([] { check(VK_ERROR_FRAGMENTED_POOL, "x"); }),
              "x failed: VK_ERROR_FRAGMENTED_POOL");
    EXPECT_EQ(one_line_error([] { check(static_cast<VkResult>(-12345), "x"); }),
              "x failed: an unknown VkResult (-12345)");
}

// Collects the messages of an instance of its own, to test that mistakes are noticed.
class ValidationTest : public ::testing::Test {
protected:
    std::string all_messages() const {
        std::string all;
        for (const std::string& message : messages) all += message + "\n";
        return all;
    }

    std::vector<std::string> messages;
    Instance watched{{.validation = true,
                      .on_message = [this](std::string_view text) { messages.emplace_back(text); },
                      .extensions = {}}};
    std::unique_ptr<Device> device = std::make_unique<Device>(
        watched, watched.choose(std::to_string(test_device().info().index)), Device::Options{});
};

TEST_F(ValidationTest, nothing_is_said_of_a_device_that_is_opened_and_closed) {
    { const Buffer buffer(*device, "small", 100, Memory::device); }
    device.reset();
    EXPECT_EQ(all_messages(), "");
}

TEST_F(ValidationTest, a_misuse_of_vulkan_is_heard_of_at_once) {
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = 0;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    VkBuffer buffer = nullptr;
    const VkResult result = vkCreateBuffer(device->handle(), &info, nullptr, &buffer);
    if (result == VK_SUCCESS) vkDestroyBuffer(device->handle(), buffer, nullptr);
    EXPECT_NE(all_messages().find("VUID-VkBufferCreateInfo-size"), std::string::npos)
        << all_messages();
}

TEST_F(ValidationTest, a_missing_barrier_is_heard_of) {
    const Buffer buffer(*device, "contested", 1024, Memory::device);
    VkCommandPool pool = nullptr;
    VkCommandPoolCreateInfo pool_info{};
    pool_info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    pool_info.queueFamilyIndex = device->queue_family();
    check(vkCreateCommandPool(device->handle(), &pool_info, nullptr, &pool), "testing");
    VkCommandBufferAllocateInfo allocate{};
    allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    allocate.commandPool = pool;
    allocate.commandBufferCount = 1;
    VkCommandBuffer commands = nullptr;
    check(vkAllocateCommandBuffers(device->handle(), &allocate, &commands), "testing");
    VkCommandBufferBeginInfo begin{};
    begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    check(vkBeginCommandBuffer(commands, &begin), "testing");
    vkCmdFillBuffer(commands, buffer.handle(), 0, 1024, 1);
    EXPECT_EQ(all_messages(), "");
    vkCmdFillBuffer(commands, buffer.handle(), 512, 256, 2);
    // The wording depends on the version of the layers.
    EXPECT_TRUE(std::regex_search(
        all_messages(),
        std::regex("SYNC-HAZARD-WRITE-AFTER-WRITE|WRITE_AFTER_WRITE hazard detected")))
        << all_messages();
    EXPECT_NE(all_messages().find("contested"), std::string::npos) << "objects have names";
    check(vkEndCommandBuffer(commands), "testing");
    vkDestroyCommandPool(device->handle(), pool, nullptr);
}

// Host memory that Vulkan objects are made in, so that this test can free what it leaks.
std::set<void*>& leaked() {
    static std::set<void*> blocks;
    return blocks;
}
void* VKAPI_PTR take(void*, size_t size, size_t alignment, VkSystemAllocationScope) {
    void* block = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    leaked().insert(block);
    return block;
}
void* VKAPI_PTR take_more(void*, void*, size_t, size_t, VkSystemAllocationScope) { return nullptr; }
void VKAPI_PTR give(void*, void* block) {
    leaked().erase(block);
    std::free(block);
}

TEST_F(ValidationTest, a_leaked_object_is_heard_of_when_the_device_is_closed) {
    VkAllocationCallbacks callbacks{};
    callbacks.pfnAllocation = take;
    callbacks.pfnReallocation = take_more;
    callbacks.pfnFree = give;
    VkEventCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO;
    VkEvent event = nullptr;
    check(vkCreateEvent(device->handle(), &info, &callbacks, &event), "leaking");
    EXPECT_EQ(all_messages(), "");
    device.reset();
    EXPECT_TRUE(std::regex_search(all_messages(), std::regex("(has|have) not been destroyed")))
        << all_messages();
    EXPECT_TRUE(std::regex_search(all_messages(), std::regex("VK_OBJECT_TYPE_EVENT|VkEvent")))
        << all_messages();
    for (void* block : leaked()) std::free(block);
    leaked().clear();
}

// Where waiting fails for lack of memory, the device is polled, and some polls fail, too.
TEST(Reaches, waits_for_as_long_as_it_hears_something) {
    using namespace std::chrono_literals;
    const auto begin = std::chrono::steady_clock::now();
    uint64_t looks = 0;
    const auto slow = [&]() -> std::optional<uint64_t> {
        if (++looks % 20 != 0) return {};
        return looks / 20;
    };
    EXPECT_TRUE(reaches(10, slow, 500ms));  // 200 looks, a millisecond apart or more
    EXPECT_EQ(looks, 200u);
    looks = 0;
    EXPECT_TRUE(reaches(1, slow, 500ms));
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 200ms);
}

TEST(Reaches, gives_up_on_a_device_that_says_nothing) {
    using namespace std::chrono_literals;
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_FALSE(reaches(
        1, [] { return std::optional<uint64_t>(); }, 50ms));
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 50ms);
}

}  // namespace
}  // namespace saccade
