#include "app/io/devices.h"

#include <sstream>

#include "gpu/core/instance.h"

namespace saccade {

namespace {

std::string matrix_text(const Features& features) {
    if (!features.cooperative_matrix) return "no";
    std::string text = "yes, fp16 to fp32 as";
    for (const MatrixShape& shape : features.matrix_shapes)
        text += " " + std::to_string(shape.m) + "x" + std::to_string(shape.n) + "x" +
                std::to_string(shape.k);
    return text;
}

}  // namespace

std::string describe_devices() {
    const Instance instance({});
    instance.choose("");  // throws an Error if there is no device at all
    std::ostringstream out;
    for (const DeviceInfo& device : instance.devices()) {
        const Features& has = device.features;
        const Limits& limits = device.limits;
        auto yes = [](bool there) { return there ? "yes" : "no"; };
        out << device.index << ": " << device.name << " (" << name_of(device.kind) << ")\n";
        if (!device.unusable.empty()) {
            out << "   cannot be used: " << device.unusable << "\n";
            continue;
        }
        out << "   driver               " << device.driver << ", Vulkan " << device.api_version
            << "\n"
            << "   memory               " << (device.memory_bytes >> 20) << " MiB, buffers of "
            << (limits.buffer_bytes >> 20) << " MiB, bindings of " << (limits.storage_range >> 20)
            << " MiB\n"
            << "   workgroups           " << limits.workgroup_threads << " threads, "
            << (limits.shared_bytes >> 10) << " KiB shared memory, subgroups of "
            << limits.subgroup_size << "\n"
            << "   fp16 storage         " << yes(has.storage16) << "\n"
            << "   fp16 arithmetic      " << yes(has.float16) << "\n"
            << "   subgroup arithmetic  " << yes(has.subgroup_arithmetic) << "\n"
            << "   subgroup size choice " << yes(has.subgroup_size_control) << "\n"
            << "   cooperative matrix   " << matrix_text(has) << "\n"
            << "   chains               "
            << (has.chains ? "of " + std::to_string(limits.cores) + " workgroups" : "no") << "\n"
            << "   texel loads          " << yes(has.texel_loads) << "\n"
            << "   memory budget        " << yes(has.memory_budget) << "\n"
            << "   timestamps           " << yes(limits.timestamp_ns > 0) << "\n";
    }
    return out.str();
}

}  // namespace saccade
