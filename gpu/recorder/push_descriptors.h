#pragma once

#include <span>
#include <string>
#include <vector>

#include "gpu/core/device.h"
#include "gpu/core/pipelines.h"
#include "gpu/recorder/use.h"

namespace saccade {

// Pushes the descriptors of dispatches (VK_KHR_push_descriptor), and owns the buffer views of those
// that are texel buffers.
class PushDescriptors {
public:
    PushDescriptors(Device& device, std::string name);
    ~PushDescriptors() { clear(); }
    PushDescriptors(const PushDescriptors&) = delete;
    PushDescriptors& operator=(const PushDescriptors&) = delete;

    static constexpr size_t most = 16;  // bindings of a shader
    // One use for each binding of the shader. Throws, and pushes nothing, where one does not fit.
    void push(VkCommandBuffer commands, const Pipeline& pipeline, std::span<const Use> uses);
    // Destroys the views. No recording that uses them may be pending.
    void clear();

private:
    VkBufferView view_of(const Tensor& tensor, Reflection::Texel texel);

    Device& device_;
    std::string name_;
    void* push_ = nullptr;
    std::vector<VkBufferView> views_;
};

}  // namespace saccade
