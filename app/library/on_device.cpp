// The functions of saccade_vulkan.h.

#include "app/library/handles.h"
#include "app/library/saccade_vulkan.h"
#include "gpu/lent/lent_device.h"

using namespace saccade;

namespace {

DeviceJob::Picture picture_of(const saccade_vulkan_image& image) {
    require(image.image != nullptr, "the image is null");
    require(
        image.layout != VK_IMAGE_LAYOUT_UNDEFINED && image.layout != VK_IMAGE_LAYOUT_PREINITIALIZED,
        "the layout of the image is not one to leave it in");
    const bool rgba =
        image.format == VK_FORMAT_R8G8B8A8_UNORM || image.format == VK_FORMAT_R8G8B8A8_SRGB;
    const bool bgra =
        image.format == VK_FORMAT_B8G8R8A8_UNORM || image.format == VK_FORMAT_B8G8R8A8_SRGB;
    require(rgba || bgra, "the format of the image is neither R8G8B8A8 nor B8G8R8A8");
    return {{image.image, static_cast<int>(image.layout)}, bgra};
}

std::vector<SemaphorePoint> points_of(const saccade_vulkan_semaphore* all, uint32_t count) {
    require(all || count == 0, "the semaphores are null");
    std::vector<SemaphorePoint> points;
    for (uint32_t i = 0; i < count; ++i) {
        require(all[i].semaphore != nullptr, "a semaphore is null");
        points.push_back({all[i].semaphore, all[i].value});
    }
    return points;
}

DeviceJob job_of(const saccade_vulkan_job& given) {
    DeviceJob job{.size = {given.picture.width, given.picture.height},
                  .picture = picture_of(given.picture)};
    if (given.drawn) {
        require(given.drawn->width == job.size.x && given.drawn->height == job.size.y,
                "the image to draw into has another size than the picture");
        job.drawn = picture_of(*given.drawn);
    }
    if (given.look) job.look = over(given.look, usual_look);
    job.wait = points_of(given.wait, given.wait_count);
    job.signal = points_of(given.signal, given.signal_count);
    return job;
}

saccade_vulkan_table table_of(const Tensor& tensor) {
    if (!tensor) return {};
    return {tensor.buffer, tensor.base + uint64_t{4} * tensor.offset, tensor.rows, tensor.columns,
            4 * tensor.row_stride};
}

saccade_vulkan_output output_of(const LeftOnDevice& left) {
    return {.size = sizeof(saccade_vulkan_output),
            .detections = table_of(left.found),
            .class_scores = table_of(left.classes.values),
            .class_ids = table_of(left.classes.columns),
            .attention = table_of(left.attention),
            .left = left.geometry.corner.x,
            .top = left.geometry.corner.y,
            .cell_width = left.geometry.cell.x,
            .cell_height = left.geometry.cell.y};
}

}  // namespace

saccade_status saccade_engine_on_device(const saccade_vulkan_device* device,
                                        const saccade_engine_options* options,
                                        saccade_engine** engine) {
    return guarded([&] {
        require(device && engine, "the device or the engine's place is null");
        *engine = nullptr;
        const saccade_vulkan_device given = over(device, saccade_vulkan_device{});
        require(given.instance && given.physical_device && given.device && given.queue &&
                    given.created_with,
                "a part of the device is null");
        const LentDevice lent{given.instance, given.physical_device, given.device,
                              given.queue,    given.queue_family,    given.created_with};
        EngineOptions all = options_of(over(options, saccade_engine_options{}));
        all.device.clear();
        all.lent = &lent;
        *engine = new saccade_engine(all);
    });
}

saccade_status saccade_model_submit(saccade_model* model, const saccade_vulkan_job* job,
                                    const saccade_run_options* options,
                                    saccade_vulkan_output* output) {
    return guarded([&] {
        require(model && job, "the model or the job is null");
        const DeviceJob wanted = job_of(over(job, saccade_vulkan_job{}));
        const saccade_run_options how = over(options, usual_run);
        const std::lock_guard lock(model->engine->mutex);
        require(model->engine->lent, "the engine has a device of its own: it takes no images");
        const saccade_vulkan_output all = output_of(model->runner->submit(wanted, how));
        if (!output) return;
        const size_t size = output->size;  // of the caller's structure, which may be shorter
        require(size >= sizeof(size_t), "the size of a structure is missing");
        std::memcpy(output, &all, std::min(size, sizeof all));
        output->size = size;
    });
}

saccade_status saccade_model_collect(saccade_model* model, saccade_result** result) {
    return guarded([&] {
        require(model && result, "the model or the result's place is null");
        *result = nullptr;
        const std::lock_guard lock(model->engine->mutex);
        *result = result_of(*model, model->runner->collect());
    });
}
