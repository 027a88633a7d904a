// The library on a device that a program has made: here the tests' own.

#include <gtest/gtest.h>
#include <vulkan/vulkan.h>

#include <cmath>
#include <optional>

#include "app/library/saccade_vulkan.h"
#include "gpu/ops/pictures.h"
#include "gpu/transfer/readback.h"
#include "tests/app/program.h"
#include "tests/golden_picture.h"
#include "tests/gpu_test.h"

namespace saccade {
namespace {

// What the tests' device was made with, as the program says it.
struct MadeWith {
    explicit MadeWith(const Features& has) {
        f13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
        f12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
        f11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
        info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
        f12.pNext = &f13;
        f11.pNext = &f12;
        info.pNext = &f11;
        f13.synchronization2 = f13.maintenance4 = VK_TRUE;
        f13.subgroupSizeControl = f13.computeFullSubgroups = has.subgroup_size_control;
        f12.timelineSemaphore = f12.hostQueryReset = VK_TRUE;
        f12.shaderFloat16 = has.float16;
        f12.bufferDeviceAddress = has.addresses;
        f11.storageBuffer16BitAccess = has.storage16;
        info.enabledExtensionCount = 1;
        info.ppEnabledExtensionNames = &push;
    }
    MadeWith(const MadeWith&) = delete;
    MadeWith& operator=(const MadeWith&) = delete;

    const char* push = VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME;
    VkPhysicalDeviceVulkan13Features f13{};
    VkPhysicalDeviceVulkan12Features f12{};
    VkPhysicalDeviceVulkan11Features f11{};
    VkDeviceCreateInfo info{};
};

class OnDeviceTest : public GpuTest {
protected:
    OnDeviceTest() {
        VkSemaphoreTypeCreateInfo type{};
        type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
        type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
        VkSemaphoreCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
        info.pNext = &type;
        EXPECT_EQ(vkCreateSemaphore(device.handle(), &info, nullptr, &timeline), VK_SUCCESS);
    }
    ~OnDeviceTest() override {
        for (saccade_result* one : results) saccade_result_free(one);
        saccade_model_close(model);
        saccade_engine_close(engine);
        vkDestroySemaphore(device.handle(), timeline, nullptr);
    }

    saccade_vulkan_device lent(const MadeWith& made) const {
        return {sizeof(saccade_vulkan_device),
                device.instance().handle(),
                device.info().handle,
                device.handle(),
                device.queue(),
                device.queue_family(),
                &made.info};
    }
    void open(const std::string& name) {
        const MadeWith made(device.features());
        const saccade_vulkan_device all = lent(made);
        ASSERT_EQ(saccade_engine_on_device(&all, nullptr, &engine), SACCADE_OK) << saccade_error();
        ASSERT_EQ(saccade_model_open(engine, name.c_str(), &model), SACCADE_OK) << saccade_error();
    }

    // An image of the program, with the photograph on it; blue first if `bgr`.
    Image upload(bool bgr) {
        Frame frame(device, chelsea.width, chelsea.height, bgr);
        frame.write({chelsea.rgb.data(), chelsea.width, chelsea.height, 3 * chelsea.width, bgr});
        Image image(device, "the program's", chelsea.width, chelsea.height);
        begin();
        frame.record(commands);
        letterbox(commands, image, frame.image(), {0, 0, chelsea.width, chelsea.height});
        finish();
        return image;
    }
    static saccade_vulkan_image as_image(const Image& image, bool bgr = false) {
        return {image.handle(), bgr ? VK_FORMAT_B8G8R8A8_SRGB : VK_FORMAT_R8G8B8A8_UNORM,
                image.width(), image.height(), VK_IMAGE_LAYOUT_GENERAL};
    }
    std::vector<uint8_t> pixels(const Image& image) {
        const Readback back(device, image.width(), image.height(), false);
        begin();
        back.record(commands, image);
        finish();
        const PictureView view = back.picture();
        std::vector<uint8_t> all;
        for (uint32_t y = 0; y < view.height; ++y)
            all.insert(all.end(), view.pixels + size_t(y) * view.row_bytes,
                       view.pixels + size_t(y) * view.row_bytes + size_t{3} * view.width);
        return all;
    }

    void submit(const saccade_vulkan_job& job, saccade_vulkan_output* output = nullptr) {
        ASSERT_EQ(saccade_model_submit(model, &job, &options, output), SACCADE_OK)
            << saccade_error();
    }
    std::vector<saccade_detection> collected() {
        saccade_result* result = nullptr;
        EXPECT_EQ(saccade_model_collect(model, &result), SACCADE_OK) << saccade_error();
        return detections(result);
    }
    std::vector<saccade_detection> from_memory() {
        saccade_picture picture{};
        picture.size = sizeof picture;
        picture.width = chelsea.width;
        picture.height = chelsea.height;
        picture.planes[0] = chelsea.rgb.data();
        saccade_result* result = nullptr;
        EXPECT_EQ(saccade_model_run(model, &picture, 1, &options, &result), SACCADE_OK);
        return detections(result);
    }
    std::vector<saccade_detection> detections(saccade_result* result) {
        if (!result) return {};
        results.push_back(result);
        std::vector<saccade_detection> found(saccade_result_detections(result));
        for (size_t i = 0; i < found.size(); ++i)
            EXPECT_EQ(saccade_result_detection(result, i, &found[i]), SACCADE_OK);
        return found;
    }
    // It is the attention in the same picture in memory.
    void expect_attention(const saccade_look& look, const std::vector<float>& map) {
        from_memory();
        saccade_map* expected = nullptr;
        ASSERT_EQ(saccade_model_attention(model, results.back(), &look, &expected), SACCADE_OK)
            << saccade_error();
        EXPECT_EQ(map, std::vector<float>(expected->values, expected->values + map.size()));
        saccade_map_free(expected);
    }
    // The numbers of a table, by the program's own commands.
    std::vector<float> read(const saccade_vulkan_table& table) {
        const Tensor there =
            make_tensor(table.buffer, table.offset, 1, table.rows, table.columns, Type::f32);
        EXPECT_EQ(there.row_stride * 4, table.row_bytes);
        const Tensor here = poisoned(1, table.rows, table.columns, Type::f32);
        begin();
        commands.copy_bytes(there, here);
        finish();
        return values(here);
    }

    PpmPicture chelsea = read_golden_picture("chelsea");
    saccade_run_options options{sizeof options, 0.02f, 10, 0, 0};
    VkSemaphore timeline = nullptr;
    saccade_engine* engine = nullptr;
    saccade_model* model = nullptr;
    std::vector<saccade_result*> results;
};

void expect_same(const std::vector<saccade_detection>& found,
                 const std::vector<saccade_detection>& expected) {
    ASSERT_FALSE(expected.empty());
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].id, expected[i].id);
        EXPECT_EQ(found[i].score, expected[i].score);
        for (size_t side = 0; side < 4; ++side)
            EXPECT_EQ(found[i].box[side], expected[i].box[side]);
    }
}

TEST_F(OnDeviceTest, finds_in_images_what_it_finds_in_memory) {
    open("emoji-detector");
    const std::vector<saccade_detection> expected = from_memory();
    for (const bool bgr : {false, true, false}) {
        const Image image = upload(bgr);
        const std::vector<uint8_t> before = pixels(image);
        saccade_vulkan_job job{};
        job.size = sizeof job;
        job.picture = as_image(image, bgr);
        saccade_vulkan_output output{};
        output.size = sizeof output;
        submit(job, &output);
        expect_same(collected(), expected);
        const std::vector<float> rows = read(output.detections);
        ASSERT_EQ(output.detections.columns, 7u);
        const float* const best = &rows[7 * size_t(expected[0].query)];
        EXPECT_EQ(best[0], expected[0].box[0]);
        EXPECT_EQ(best[4], expected[0].score);
        EXPECT_EQ(best[5], static_cast<float>(expected[0].id));
        EXPECT_EQ(output.attention.rows, 0u);
        EXPECT_EQ(pixels(image), before);
    }
    expect_same(from_memory(), expected);  // and the other way round
}

TEST_F(OnDeviceTest, waits_and_signals_and_draws) {
    open("emoji-detector");
    const std::vector<saccade_detection> expected = from_memory();
    const Image image = upload(false), drawn = upload(true);
    const saccade_look look{sizeof look, SACCADE_LOOK_FROM_QUERY, -1, -1, 0, 0, expected[0].query};
    const saccade_vulkan_image target = as_image(drawn);
    const saccade_vulkan_semaphore one{timeline, 1}, two{timeline, 2};
    saccade_vulkan_job job{};
    job.size = sizeof job;
    job.picture = as_image(image);
    job.drawn = &target;
    job.look = &look;
    job.wait = &one;
    job.signal = &two;
    job.wait_count = job.signal_count = 1;
    saccade_vulkan_output output{};
    output.size = sizeof output;
    submit(job, &output);  // and does not wait for the semaphore

    VkSemaphoreSignalInfo signal{};
    signal.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO;
    signal.semaphore = timeline;
    signal.value = 1;
    ASSERT_EQ(vkSignalSemaphore(device.handle(), &signal), VK_SUCCESS);
    VkSemaphoreWaitInfo wait{};
    wait.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
    wait.semaphoreCount = 1;
    wait.pSemaphores = &timeline;
    wait.pValues = &two.value;
    ASSERT_EQ(vkWaitSemaphores(device.handle(), &wait, UINT64_MAX), VK_SUCCESS);
    expect_same(collected(), expected);

    // Boxes are drawn where detections are.
    const std::vector<float> map = read(output.attention);
    EXPECT_GT(output.cell_width, 1);
    const std::vector<uint8_t> before = pixels(image), after = pixels(drawn);
    const auto differ = [&](int x, int y) {
        const size_t at = 3 * (size_t(y) * chelsea.width + size_t(x));
        return std::abs(before[at] - after[at]) + std::abs(before[at + 1] - after[at + 1]) +
               std::abs(before[at + 2] - after[at + 2]);
    };
    const float* const box = expected[0].box;
    EXPECT_GT(differ(std::max(0, int(box[0])) + 1, int(box[1] + box[3]) / 2), 0);
    size_t changed = 0;
    for (uint32_t y = 0; y < chelsea.height; ++y)
        for (uint32_t x = 0; x < chelsea.width; ++x) changed += differ(int(x), int(y)) > 0;
    EXPECT_GT(changed, size_t(chelsea.width));

    // The same into an image with blue first; the caller's structure is an older, shorter one.
    const Image swapped = upload(false);
    saccade_vulkan_image other = as_image(swapped, true);
    job.drawn = &other;
    job.wait_count = job.signal_count = 0;
    output.size = offsetof(saccade_vulkan_output, attention);
    submit(job, &output);
    collected();
    std::vector<uint8_t> turned = pixels(swapped);
    for (size_t i = 0; i < turned.size(); i += 3) std::swap(turned[i], turned[i + 2]);
    EXPECT_EQ(turned, after);
    expect_attention(look, map);
}

TEST_F(OnDeviceTest, leaves_the_likeliest_classes_on_the_device) {
    open("emoji-classifier");
    const Image image = upload(false);
    const saccade_look look{sizeof look, SACCADE_LOOK_FROM_CLASS, 1, 0, 0, 0, 0};
    saccade_vulkan_job job{};
    job.size = sizeof job;
    job.picture = as_image(image);
    job.look = &look;
    saccade_vulkan_output output{};
    output.size = sizeof output;
    submit(job, &output);
    saccade_result* result = nullptr;
    ASSERT_EQ(saccade_model_collect(model, &result), SACCADE_OK) << saccade_error();
    results.push_back(result);
    saccade_class best{};
    ASSERT_EQ(saccade_result_class(result, 0, &best), SACCADE_OK);
    EXPECT_EQ(read(output.class_scores)[0], best.score);
    const std::vector<float> map = read(output.attention);

    expect_attention(look, map);
}

TEST_F(OnDeviceTest, refuses_in_one_line_what_it_cannot_use) {
    MadeWith made(device.features());
    const saccade_vulkan_device all_of_it = lent(made);
    const auto expect_refused = [&](const char* why) {
        EXPECT_EQ(saccade_engine_on_device(&all_of_it, nullptr, &engine), SACCADE_FAILED);
        EXPECT_EQ(engine, nullptr);
        expect_says(saccade_error(), why);
    };
    made.f13.synchronization2 = VK_FALSE;
    expect_refused("made without the feature synchronization2: enable it in vkCreateDevice");
    made.info.enabledExtensionCount = 0;
    expect_refused("made without VK_KHR_push_descriptor");
    EXPECT_EQ(saccade_engine_on_device(nullptr, nullptr, &engine), SACCADE_MISUSE);

    open("emoji-captioner");
    const Image image = upload(false);
    saccade_vulkan_job job{};
    job.size = sizeof job;
    job.picture = as_image(image);
    EXPECT_EQ(saccade_model_submit(model, &job, nullptr, nullptr), SACCADE_FAILED);
    expect_says(saccade_error(), "a captioner takes no images of the device");
    job.picture.format = VK_FORMAT_R32G32B32A32_SFLOAT;
    EXPECT_EQ(saccade_model_submit(model, &job, nullptr, nullptr), SACCADE_MISUSE);
    expect_says(saccade_error(), "neither R8G8B8A8 nor B8G8R8A8");
    saccade_result* result = nullptr;
    EXPECT_EQ(saccade_model_collect(model, &result), SACCADE_FAILED);
    expect_says(saccade_error(), "has not run on an image of the device");
}

}  // namespace
}  // namespace saccade
