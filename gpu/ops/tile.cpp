#include "gpu/ops/tile.h"

namespace saccade {

Tile choose_tile(const Device& device, uint32_t rows) {
    if (!device.is_cpu()) return rows == 1 ? Tile{64, 1, 1, 4} : Tile{16, 8, 4, 4};
    if (rows <= 4) return {4, 1, 4, 16};
    return {4, 1, 20, 16};
}

}  // namespace saccade
