/* Saccade on a Vulkan device of your own: of a game, a renderer, a compositor. Pictures are images
   of that device, and what is found stays there as buffers and images; nothing goes through the
   host's memory.

   The instance is made for Vulkan 1.3 or newer, and so is the device, with

     extension   VK_KHR_push_descriptor
     features    timelineSemaphore, hostQueryReset (VkPhysicalDeviceVulkan12Features),
                 synchronization2, maintenance4 (VkPhysicalDeviceVulkan13Features)

   A device without one of them is refused, with a line that names it. These are used where they
   were enabled, and make models faster or smaller:

     fp16        storageBuffer16BitAccess (VkPhysicalDeviceVulkan11Features), shaderFloat16
     matrices    VK_KHR_cooperative_matrix with cooperativeMatrix, vulkanMemoryModel,
                 subgroupSizeControl, computeFullSubgroups
     captions    bufferDeviceAddress
     others      shaderFloat64, VK_EXT_memory_budget

   Threads: what saccade.h says holds, and nobody else may submit to the queue while a call on its
   engine runs. */

#ifndef SACCADE_VULKAN_H
#define SACCADE_VULKAN_H

#include <vulkan/vulkan.h>

#include "saccade.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All of it stays the caller's, and outlives the engine and its models. */
typedef struct saccade_vulkan_device {
    size_t size; /* sizeof(saccade_vulkan_device) */
    VkInstance instance;
    VkPhysicalDevice physical_device;
    VkDevice device;
    VkQueue queue;                          /* with compute */
    uint32_t queue_family;                  /* that the queue is of */
    const VkDeviceCreateInfo* created_with; /* what vkCreateDevice was given; read in the call */
} saccade_vulkan_device;

/* An engine on that device; saccade_engine_close leaves the device as it was. Of `options`, which
   may be null, `device` does not count. */
SACCADE_API saccade_status saccade_engine_on_device(const saccade_vulkan_device* device,
                                                    const saccade_engine_options* options,
                                                    saccade_engine** engine);

/* A two-dimensional image of VK_FORMAT_R8G8B8A8_UNORM or _SRGB or VK_FORMAT_B8G8R8A8_UNORM or
   _SRGB; what its bytes are is what the model sees, so they are sRGB in all four. It belongs to the
   engine's queue family, or is shared with it, and was made with VK_IMAGE_USAGE_TRANSFER_SRC_BIT
   for pictures, VK_IMAGE_USAGE_TRANSFER_DST_BIT to draw into. */
typedef struct saccade_vulkan_image {
    VkImage image;
    VkFormat format;
    uint32_t width, height;
    VkImageLayout layout; /* before the run (of a picture) and after it */
} saccade_vulkan_image;

/* A binary semaphore, or a value of a timeline semaphore. */
typedef struct saccade_vulkan_semaphore {
    VkSemaphore semaphore;
    uint64_t value; /* of a timeline semaphore */
} saccade_vulkan_semaphore;

typedef struct saccade_vulkan_job {
    size_t size; /* sizeof(saccade_vulkan_job) */
    saccade_vulkan_image picture;
    /* The picture goes there with boxes, masks, classes and attention drawn over it; all that it
       held is lost. As large as the picture. Null: nothing is drawn. */
    const saccade_vulkan_image* drawn;
    const saccade_look* look;             /* attention; null: none */
    const saccade_vulkan_semaphore* wait; /* before the picture is read */
    uint32_t wait_count;
    const saccade_vulkan_semaphore* signal; /* after all of it */
    uint32_t signal_count;
} saccade_vulkan_job;

/* Numbers of 32 bits in a storage buffer, row by row; of no rows where a model makes none. */
typedef struct saccade_vulkan_table {
    VkBuffer buffer;
    VkDeviceSize offset; /* bytes to the first row */
    uint32_t rows, columns;
    uint32_t row_bytes; /* from row to row */
} saccade_vulkan_table;

/* What a run leaves on the device, from its signals on until the model runs again or is closed. */
typedef struct saccade_vulkan_output {
    size_t size; /* sizeof(saccade_vulkan_output); set by the caller */
    /* A row for each query, in any order and of any score: left, top, right, bottom in pixels of
       the picture, score, class and query; all are floats. */
    saccade_vulkan_table detections;
    /* The likeliest first: floats, and the ids of the classes as uint32_t. */
    saccade_vulkan_table class_scores, class_ids;
    /* A cell for each patch of the picture; the first begins at pixel (left, top). Floats. */
    saccade_vulkan_table attention;
    float left, top, cell_width, cell_height;
} saccade_vulkan_output;

/* Hands the device a run of a detector or classifier, and returns without waiting for it. A run of
   the same model that has not finished is waited for. `options` may be null; its threshold and
   `most` choose what is drawn and collected. Pictures of one size and format, with the same look,
   share a recording: another one takes milliseconds. */
SACCADE_API saccade_status saccade_model_submit(saccade_model* model, const saccade_vulkan_job* job,
                                                const saccade_run_options* options,
                                                saccade_vulkan_output* output);
/* Waits for that run, and gives what it found as saccade_model_run does: a few KB that were copied
   to the host beside. */
SACCADE_API saccade_status saccade_model_collect(saccade_model* model, saccade_result** result);

#ifdef __cplusplus
}
#endif

#endif
