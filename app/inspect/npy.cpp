#include "app/inspect/npy.h"

#include <bit>
#include <string>

#include "gpu/core/files.h"

namespace saccade {

static_assert(std::endian::native == std::endian::little, "files hold little-endian floats");

void write_npy(const std::filesystem::path& path, std::span<const uint64_t> shape,
               std::span<const float> values) {
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
    for (uint64_t side : shape) header += std::to_string(side) + ",";
    header += "), }";
    // Magic, version and header length take ten bytes; the values start at a multiple of 64.
    constexpr size_t before = 10, boundary = 64;
    header.append(boundary - 1 - (before + header.size()) % boundary, ' ');
    header += "\n";
    const std::string magic = {'\x93',
                               'N',
                               'U',
                               'M',
                               'P',
                               'Y',
                               1,
                               0,
                               static_cast<char>(header.size() & 0xffu),
                               static_cast<char>(header.size() >> 8)};
    NewFile file(path);
    file.write(magic);
    file.write(header);
    file.write(std::as_bytes(values));
    file.finish();
}

}  // namespace saccade
