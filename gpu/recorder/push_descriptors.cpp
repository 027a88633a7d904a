#include "gpu/recorder/push_descriptors.h"

#include <array>
#include <utility>

#include "gpu/core/check.h"

namespace saccade {

namespace {

VkFormat format_of(Reflection::Texel texel) {
    switch (texel) {
        case Reflection::Texel::none:
            break;
        case Reflection::Texel::float4:
            return VK_FORMAT_R32G32B32A32_SFLOAT;
        case Reflection::Texel::uint1:
            return VK_FORMAT_R32_UINT;
        case Reflection::Texel::uint4:
            return VK_FORMAT_R32G32B32A32_UINT;
    }
    return VK_FORMAT_UNDEFINED;
}

std::string where(const Pipeline& pipeline) { return "shader '" + pipeline.name + "'"; }

void check_binding(const Device& device, const Pipeline& pipeline, size_t binding, const Use& use) {
    const bool image = pipeline.reflection.bindings[binding] == Reflection::Binding::image;
    if (image != (use.image != nullptr) || (!image && !use.tensor))
        throw Error(where(pipeline) + " binding " + std::to_string(binding) +
                    " is of another kind");
    const Tensor& t = use.tensor;
    const Limits& limits = device.limits();
    if (!image && (t.bytes > limits.storage_range || t.base % limits.storage_alignment != 0))
        throw Error(where(pipeline) + " cannot bind " + std::to_string(t.bytes >> 20) + " MiB at " +
                    std::to_string(t.base) + " on " + device.info().name);
}

}  // namespace

PushDescriptors::PushDescriptors(Device& device, std::string name)
    : device_(device), name_(std::move(name)) {
    push_ =
        reinterpret_cast<void*>(vkGetDeviceProcAddr(device.handle(), "vkCmdPushDescriptorSetKHR"));
}

void PushDescriptors::clear() {
    for (VkBufferView view : views_) vkDestroyBufferView(device_.handle(), view, nullptr);
    views_.clear();
}

VkBufferView PushDescriptors::view_of(const Tensor& tensor, Reflection::Texel texel) {
    VkBufferViewCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO};
    info.buffer = tensor.buffer;
    info.format = format_of(texel);
    info.offset = tensor.base;
    info.range = tensor.bytes;
    VkBufferView view = nullptr;
    check(vkCreateBufferView(device_.handle(), &info, nullptr, &view), "recording '" + name_ + "'");
    views_.push_back(view);
    device_.name(view, VK_OBJECT_TYPE_BUFFER_VIEW, name_);
    return view;
}

void PushDescriptors::push(VkCommandBuffer commands, const Pipeline& pipeline,
                           std::span<const Use> uses) {
    const Reflection& shader = pipeline.reflection;
    std::array<VkDescriptorBufferInfo, most> buffers;
    std::array<VkDescriptorImageInfo, most> images;
    std::array<VkBufferView, most> views;
    std::array<VkWriteDescriptorSet, most> writes;
    for (size_t i = 0; i < uses.size(); ++i) {
        const Use& use = uses[i];
        check_binding(device_, pipeline, i, use);
        VkWriteDescriptorSet& write = writes[i];
        write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
        write.dstBinding = static_cast<uint32_t>(i);
        write.descriptorCount = 1;
        if (use.image) {
            images[i] = {nullptr, use.image->view(), VK_IMAGE_LAYOUT_GENERAL};
            write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
            write.pImageInfo = &images[i];
        } else if (shader.bindings[i] == Reflection::Binding::texels) {
            views[i] = view_of(use.tensor, shader.texels[i]);
            write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
            write.pTexelBufferView = &views[i];
        } else {
            buffers[i] = {use.tensor.buffer, use.tensor.base, use.tensor.bytes};
            write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
            write.pBufferInfo = &buffers[i];
        }
    }
    reinterpret_cast<PFN_vkCmdPushDescriptorSetKHR>(push_)(
        commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.layout, 0,
        static_cast<uint32_t>(uses.size()), writes.data());
}

}  // namespace saccade
