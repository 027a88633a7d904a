#include "gpu/recorder/upload.h"

#include <algorithm>

#include "gpu/core/device.h"
#include "gpu/recorder/commands.h"

namespace saccade {

void upload(Device& device, const Tensor& to,
            const std::function<void(std::span<std::byte>)>& write) {
    if (!device.executes()) return;
    const uint64_t bytes = tensor_bytes(to.batch, to.rows, to.columns, to.type);
    const Buffer staging(device, "staging", bytes, Memory::upload);
    std::ranges::fill(staging.mapped(), std::byte{0});
    write(staging.mapped());
    staging.flush();
    Arena none(device, "no scratch");
    Commands c(device, none, "upload", 0);
    c.begin();
    c.copy_bytes(make_tensor(staging.handle(), 0, to.batch, to.rows, to.columns, to.type), to);
    c.end();
    c.run();
}

Buffer upload(Device& device, const std::string& name, std::span<const std::byte> bytes) {
    const auto words = static_cast<uint32_t>(bytes.size() / sizeof(uint32_t));
    Buffer kept(device, name, tensor_bytes(1, 1, words, Type::u32), Memory::device);
    upload(device, make_tensor(kept.handle(), 0, 1, 1, words, Type::u32),
           [&](std::span<std::byte> staged) { std::ranges::copy(bytes, staged.begin()); });
    return kept;
}

}  // namespace saccade
