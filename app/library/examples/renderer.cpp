// renderer MODEL PICTURE.ppm OUT.ppm: a renderer without a window lends its Vulkan device. It draws
// a scene, here a picture, into an image; the model looks at that image and draws over a second
// one. Semaphores order the three, and nothing goes through the host's memory but the picture that
// is read in the beginning and the one written at the end.
#include <saccade_vulkan.h>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <saccade.hpp>

static void succeed(VkResult result, const char* what) {
    if (result != VK_SUCCESS) throw std::runtime_error(what + std::string(" failed"));
}

template <typename Structure>
Structure structure(VkStructureType type, void* next = nullptr) {
    Structure all{};
    all.sType = type;
    all.pNext = next;
    return all;
}

struct Renderer {
    VkInstance instance{};
    VkPhysicalDevice gpu{};
    VkDevice device{};
    VkQueue queue{};
    uint32_t family = 0;
    VkCommandPool pool{};
    VkCommandBuffer commands{};
    VkSemaphore timeline{};

    // What Saccade needs, see saccade_vulkan.h; and what makes it faster, where the device has it.
    VkPhysicalDeviceVulkan13Features f13 = structure<VkPhysicalDeviceVulkan13Features>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
    VkPhysicalDeviceVulkan12Features f12 = structure<VkPhysicalDeviceVulkan12Features>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &f13);
    VkPhysicalDeviceVulkan11Features f11 = structure<VkPhysicalDeviceVulkan11Features>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &f12);
    const char* extension = VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME;
    const float priority = 1;
    VkDeviceQueueCreateInfo one =
        structure<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
    VkDeviceCreateInfo made =
        structure<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &f11);

    Renderer() {
        auto application = structure<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
        application.apiVersion = VK_API_VERSION_1_3;
        auto info = structure<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
        info.pApplicationInfo = &application;
        succeed(vkCreateInstance(&info, nullptr, &instance), "starting Vulkan");
        uint32_t count = 1;
        const VkResult found = vkEnumeratePhysicalDevices(instance, &count, &gpu);
        if (count == 0 || found < 0) throw std::runtime_error("there is no Vulkan device");
        auto has12 = structure<VkPhysicalDeviceVulkan12Features>(
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
        auto has11 = structure<VkPhysicalDeviceVulkan11Features>(
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &has12);
        auto has = structure<VkPhysicalDeviceFeatures2>(
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &has11);
        vkGetPhysicalDeviceFeatures2(gpu, &has);
        f13.synchronization2 = f13.maintenance4 = VK_TRUE;
        f12.timelineSemaphore = f12.hostQueryReset = VK_TRUE;
        f12.shaderFloat16 = has12.shaderFloat16;
        f12.bufferDeviceAddress = has12.bufferDeviceAddress;
        f11.storageBuffer16BitAccess = has11.storageBuffer16BitAccess;
        one.queueCount = 1;  // of family 0, which has compute on all desktop GPUs
        one.pQueuePriorities = &priority;
        made.queueCreateInfoCount = made.enabledExtensionCount = 1;
        made.pQueueCreateInfos = &one;
        made.ppEnabledExtensionNames = &extension;
        succeed(vkCreateDevice(gpu, &made, nullptr, &device), "opening the device");
        vkGetDeviceQueue(device, family, 0, &queue);

        auto pools = structure<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
        pools.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
        succeed(vkCreateCommandPool(device, &pools, nullptr, &pool), "making a pool");
        VkCommandBufferAllocateInfo buffers{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr,
                                            pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
        succeed(vkAllocateCommandBuffers(device, &buffers, &commands), "making commands");
        VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr,
                                       VK_SEMAPHORE_TYPE_TIMELINE, 0};
        VkSemaphoreCreateInfo semaphore{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
        succeed(vkCreateSemaphore(device, &semaphore, nullptr, &timeline), "making a semaphore");
    }
    ~Renderer() {
        vkDeviceWaitIdle(device);
        vkDestroySemaphore(device, timeline, nullptr);
        vkDestroyCommandPool(device, pool, nullptr);
        vkDestroyDevice(device, nullptr);
        vkDestroyInstance(instance, nullptr);
    }

    VkDeviceMemory allocate(const VkMemoryRequirements& needs, VkMemoryPropertyFlags wanted) const {
        VkPhysicalDeviceMemoryProperties types;
        vkGetPhysicalDeviceMemoryProperties(gpu, &types);
        VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size, 0};
        while (!(needs.memoryTypeBits >> info.memoryTypeIndex & 1) ||
               (types.memoryTypes[info.memoryTypeIndex].propertyFlags & wanted) != wanted)
            if (++info.memoryTypeIndex == types.memoryTypeCount)
                throw std::runtime_error("no such memory");
        VkDeviceMemory memory{};
        succeed(vkAllocateMemory(device, &info, nullptr, &memory), "allocating");
        return memory;
    }
    void begin() const {
        auto info =
            structure<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
        succeed(vkBeginCommandBuffer(commands, &info), "recording");
    }
    // Waits on the device for `before`, and reaches `after`.
    void submit(uint64_t before, uint64_t after) const {
        succeed(vkEndCommandBuffer(commands), "recording");
        VkCommandBufferSubmitInfo all{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, nullptr,
                                      commands, 0};
        VkSemaphoreSubmitInfo points[2]{{VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, nullptr, timeline,
                                         before, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, 0},
                                        {VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, nullptr, timeline,
                                         after, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, 0}};
        VkSubmitInfo2 info{
            VK_STRUCTURE_TYPE_SUBMIT_INFO_2, nullptr, 0, 1, &points[0], 1, &all, 1, &points[1]};
        succeed(vkQueueSubmit2(queue, 1, &info, nullptr), "submitting");
    }
    void wait(uint64_t value) const {
        VkSemaphoreWaitInfo info{
            VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, nullptr, 0, 1, &timeline, &value};
        succeed(vkWaitSemaphores(device, &info, UINT64_MAX), "waiting");
    }
};

// An image that the renderer draws into, and a buffer that it shares with the host.
struct Target {
    Target(const Renderer& of, uint32_t width, uint32_t height) : r(of), extent{width, height, 1} {
        auto info = structure<VkImageCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO);
        info.imageType = VK_IMAGE_TYPE_2D;
        info.format = VK_FORMAT_B8G8R8A8_SRGB;  // as swapchains have it
        info.extent = extent;
        info.mipLevels = info.arrayLayers = 1;
        info.samples = VK_SAMPLE_COUNT_1_BIT;
        info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
        succeed(vkCreateImage(r.device, &info, nullptr, &image), "making an image");
        VkMemoryRequirements needs;
        vkGetImageMemoryRequirements(r.device, image, &needs);
        image_memory = r.allocate(needs, 0);
        succeed(vkBindImageMemory(r.device, image, image_memory, 0), "binding");
        auto bytes = structure<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
        bytes.size = VkDeviceSize{4} * width * height;
        bytes.usage = info.usage;
        succeed(vkCreateBuffer(r.device, &bytes, nullptr, &buffer), "making a buffer");
        vkGetBufferMemoryRequirements(r.device, buffer, &needs);
        buffer_memory = r.allocate(
            needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
        succeed(vkBindBufferMemory(r.device, buffer, buffer_memory, 0), "binding");
        void* start = nullptr;
        succeed(vkMapMemory(r.device, buffer_memory, 0, VK_WHOLE_SIZE, 0, &start), "mapping");
        pixels = static_cast<uint8_t*>(start);
    }
    ~Target() {
        vkDestroyImage(r.device, image, nullptr);
        vkDestroyBuffer(r.device, buffer, nullptr);
        vkFreeMemory(r.device, image_memory, nullptr);
        vkFreeMemory(r.device, buffer_memory, nullptr);
    }
    void enter(VkImageLayout from, VkImageLayout to) const {
        auto barrier = structure<VkImageMemoryBarrier2>(VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2);
        barrier.srcStageMask = barrier.dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
        barrier.srcAccessMask = barrier.dstAccessMask =
            VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;
        barrier.oldLayout = from;
        barrier.newLayout = to;
        barrier.image = image;
        barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
        auto info = structure<VkDependencyInfo>(VK_STRUCTURE_TYPE_DEPENDENCY_INFO);
        info.imageMemoryBarrierCount = 1;
        info.pImageMemoryBarriers = &barrier;
        vkCmdPipelineBarrier2(r.commands, &info);
    }
    saccade_vulkan_image shared(VkImageLayout layout) const {
        return {image, VK_FORMAT_B8G8R8A8_SRGB, extent.width, extent.height, layout};
    }

    const Renderer& r;
    const VkExtent3D extent;
    const VkBufferImageCopy whole{0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {}, extent};
    VkImage image{};
    VkBuffer buffer{};
    VkDeviceMemory image_memory{}, buffer_memory{};
    uint8_t* pixels = nullptr;
};

int main(int count, char** words) try {
    if (count != 4) throw std::runtime_error("write: renderer MODEL PICTURE.ppm OUT.ppm");
    uint32_t width = 0, height = 0;
    std::string kind, most;
    std::ifstream file(words[2], std::ios::binary);
    if (!(file >> kind >> width >> height >> most) || kind != "P6" || file.get() < 0)
        throw std::runtime_error("this is not a binary PPM");
    std::vector<char> rgb(size_t{3} * width * height);
    file.read(rgb.data(), std::streamsize(rgb.size()));

    Renderer renderer;
    const Target scene(renderer, width, height), shown(renderer, width, height);
    for (size_t i = 0; i < rgb.size(); ++i)
        scene.pixels[i / 3 * 4 + 2 - i % 3] = static_cast<uint8_t>(rgb[i]);

    // The scene is drawn: 1 on the timeline.
    renderer.begin();
    scene.enter(VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdCopyBufferToImage(renderer.commands, scene.buffer, scene.image,
                           VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &scene.whole);
    scene.enter(VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    renderer.submit(0, 1);

    // The model looks at it, after 1, and draws: 2.
    const saccade_vulkan_device lent{sizeof lent,     renderer.instance, renderer.gpu,
                                     renderer.device, renderer.queue,    renderer.family,
                                     &renderer.made};
    saccade_engine* opened = nullptr;
    saccade::check(saccade_engine_on_device(&lent, nullptr, &opened));
    const saccade::Engine engine(opened);
    saccade::Model model(engine, words[1]);
    const saccade_vulkan_image target = shown.shared(VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    const saccade_vulkan_semaphore drawn{renderer.timeline, 1}, seen{renderer.timeline, 2};
    saccade_vulkan_job job{};
    job.size = sizeof job;
    job.picture = scene.shared(VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    job.drawn = &target;
    job.wait = &drawn;
    job.signal = &seen;
    job.wait_count = job.signal_count = 1;
    saccade::check(saccade_model_submit(model.get(), &job, nullptr, nullptr));

    // The renderer goes on with what the model drew, after 2; here it takes a screenshot: 3.
    renderer.wait(1);  // the commands are recorded anew
    renderer.begin();
    vkCmdCopyImageToBuffer(renderer.commands, shown.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                           shown.buffer, 1, &shown.whole);
    renderer.submit(2, 3);
    renderer.wait(3);
    for (size_t i = 0; i < rgb.size(); ++i)
        rgb[i] = static_cast<char>(shown.pixels[i / 3 * 4 + 2 - i % 3]);
    std::ofstream(words[3], std::ios::binary) << "P6\n"
                                              << width << " " << height << "\n255\n"
                                              << std::string_view(rgb.data(), rgb.size());

    saccade_result* result = nullptr;
    saccade::check(saccade_model_collect(model.get(), &result));
    for (const saccade_detection& found : saccade::Result(result).detections())
        std::printf("%s %.9g [%.9g, %.9g, %.9g, %.9g]\n", found.label, double(found.score),
                    double(found.box[0]), double(found.box[1]), double(found.box[2]),
                    double(found.box[3]));
} catch (const std::exception& error) {
    std::fprintf(stderr, "renderer: %s\n", error.what());
    return 1;
}
