#include <vulkan/vulkan.h>

#include <algorithm>
#include <cstring>

#include "gpu/core/check.h"
#include "gpu/ops/pictures.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

class UnpackTest : public GpuTest {
protected:
    Tensor upload(const std::vector<uint8_t>& bytes) {
        std::vector<uint32_t> words((bytes.size() + 3) / 4);
        std::memcpy(words.data(), bytes.data(), bytes.size());
        return ids(words);
    }
    std::vector<uint8_t> random_bytes(size_t count) {
        std::vector<uint8_t> bytes(count);
        for (size_t i = 0; i < count; ++i) bytes[i] = uint8_t((i * 167 + i / 251 * 13) & 255);
        return bytes;
    }
    // The picture's RGBA bytes, copied by plain Vulkan calls.
    std::vector<uint8_t> bytes_of(const Image& image) {
        const Buffer host(device, "pixels", size_t(image.width()) * image.height() * 4,
                          Memory::readback);
        VkCommandPool pool = nullptr;
        VkCommandPoolCreateInfo pool_info{};
        pool_info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
        pool_info.queueFamilyIndex = device.queue_family();
        check(vkCreateCommandPool(device.handle(), &pool_info, nullptr, &pool), "testing");
        VkCommandBufferAllocateInfo allocate{};
        allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
        allocate.commandPool = pool;
        allocate.commandBufferCount = 1;
        VkCommandBuffer copy = nullptr;
        check(vkAllocateCommandBuffers(device.handle(), &allocate, &copy), "testing");
        VkCommandBufferBeginInfo begin_info{};
        begin_info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
        check(vkBeginCommandBuffer(copy, &begin_info), "testing");
        VkImageMemoryBarrier2 barrier{};
        barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2;
        barrier.srcStageMask = barrier.dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
        barrier.srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT;
        barrier.dstAccessMask = VK_ACCESS_2_TRANSFER_READ_BIT;
        barrier.oldLayout = VK_IMAGE_LAYOUT_GENERAL;
        barrier.newLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;  // the layers insist
        barrier.image = image.handle();
        barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
        VkDependencyInfo dependency{};
        dependency.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
        dependency.imageMemoryBarrierCount = 1;
        dependency.pImageMemoryBarriers = &barrier;
        vkCmdPipelineBarrier2(copy, &dependency);
        VkBufferImageCopy region{};
        region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
        region.imageExtent = {image.width(), image.height(), 1};
        vkCmdCopyImageToBuffer(copy, image.handle(), barrier.newLayout, host.handle(), 1, &region);
        std::swap(barrier.oldLayout, barrier.newLayout);
        vkCmdPipelineBarrier2(copy, &dependency);
        check(vkEndCommandBuffer(copy), "testing");
        device.wait(device.submit({&copy, 1}, "readback"), "readback");
        vkDestroyCommandPool(device.handle(), pool, nullptr);
        host.invalidate();
        std::vector<uint8_t> bytes(host.bytes());
        std::memcpy(bytes.data(), host.mapped().data(), bytes.size());
        return bytes;
    }
    std::vector<uint8_t> on_device(const std::vector<uint8_t>& bytes, uint32_t width,
                                   uint32_t height, uint32_t row_bytes, bool bgr) {
        const Image image(device, "frame", width, height);
        const Pixels pixels{
            .bytes = upload(bytes), .row_bytes = row_bytes, .rows = height, .bgr = bgr};
        begin();
        unpack(commands, image, pixels);
        finish();
        return bytes_of(image);
    }
    static std::vector<uint8_t> reference(const std::vector<uint8_t>& bytes, uint32_t width,
                                          uint32_t height, uint32_t row_bytes, bool bgr) {
        std::vector<uint8_t> rgba;
        for (size_t y = 0; y < height; ++y)
            for (size_t x = 0; x < width; ++x) {
                const uint8_t* pixel = &bytes[y * row_bytes + 3 * x];
                for (size_t c = 0; c < 3; ++c) rgba.push_back(pixel[bgr ? 2 - c : c]);
                rgba.push_back(255);
            }
        return rgba;
    }
};

TEST_F(UnpackTest, gives_every_pixel_of_rgb_and_bgr_pictures_of_odd_sizes) {
    struct Case {
        uint32_t width, height, padding;
    };
    for (const Case& c : {Case{1, 1, 0}, Case{7, 5, 0}, Case{7, 5, 3}, Case{197, 3, 1},
                          Case{1, 9, 5}, Case{64, 48, 0}})
        for (bool bgr : {false, true}) {
            const uint32_t row_bytes = 3 * c.width + c.padding;
            const auto bytes = random_bytes(size_t(row_bytes) * c.height);
            EXPECT_EQ(on_device(bytes, c.width, c.height, row_bytes, bgr),
                      reference(bytes, c.width, c.height, row_bytes, bgr))
                << c.width << "x" << c.height << " + " << c.padding << (bgr ? " BGR" : " RGB");
        }
}

TEST_F(UnpackTest, keeps_all_256_levels_of_each_channel) {
    std::vector<uint8_t> bytes;
    for (uint32_t i = 0; i < 256; ++i)
        for (uint32_t c = 0; c < 3; ++c) bytes.push_back(uint8_t((i + 85 * c) & 255));
    EXPECT_EQ(on_device(bytes, 256, 1, 768, false), reference(bytes, 256, 1, 768, false));
}

TEST_F(UnpackTest, the_last_row_need_not_be_padded) {
    const auto bytes = random_bytes(20 * 2 + 5 * 3);
    EXPECT_EQ(on_device(bytes, 5, 3, 20, false), reference(bytes, 5, 3, 20, false));
}

TEST_F(UnpackTest, fills_a_picture_some_rows_at_a_time) {
    const auto bytes = random_bytes(7 * 3 * 9);
    const Image image(device, "frame", 7, 9);
    const std::vector<uint8_t> first(bytes.begin(), bytes.begin() + 7 * 3 * 4);
    const std::vector<uint8_t> second(bytes.begin() + 7 * 3 * 4, bytes.end());
    begin();
    unpack(commands, image, {.bytes = upload(second), .row_bytes = 21, .first_row = 4, .rows = 5});
    unpack(commands, image, {.bytes = upload(first), .row_bytes = 21, .first_row = 0, .rows = 4});
    finish();
    EXPECT_EQ(bytes_of(image), reference(bytes, 7, 9, 21, false));
}

TEST_F(UnpackTest, refuses_a_buffer_that_is_too_small) {
    const Image image(device, "frame", 10, 4);
    const Pixels good{.bytes = upload(random_bytes(120)), .row_bytes = 30, .rows = 4};
    auto with = [&](auto change) {
        Pixels pixels = good;
        change(pixels);
        return pixels;
    };
    begin();
    unpack(commands, image, good);
    EXPECT_THROW(
        unpack(commands, image, with([&](Pixels& p) { p.bytes = upload(random_bytes(90)); })),
        Error);
    EXPECT_THROW(unpack(commands, image, with([](Pixels& p) { p.row_bytes = 29; })), Error)
        << "rows that overlap";
    EXPECT_THROW(unpack(commands, image, with([](Pixels& p) { p.first_row = 1; })), Error)
        << "rows below the picture";
    EXPECT_THROW(unpack(commands, image, with([](Pixels& p) { p.rows = 0; })), Error);
    EXPECT_THROW(unpack(commands, image, with([](Pixels& p) { p.bytes.type = Type::f32; })), Error);
    finish();
}

}  // namespace
}  // namespace saccade
