#pragma once

#include <algorithm>
#include <cstdint>

#include "gpu/core/instance.h"
#include "shaders/chains/params.h"

namespace saccade {

// How a chain of many rows is shared out in a workgroup: see chain.coopmat.comp. `fragment` is the
// side of what the device multiplies at once, `head` the columns of an attention's heads, `keys`
// the most that one of these sees, `query_blocks` the most fragments of queries that all of its
// heads have; 0 where there is no attention.
struct MatrixChain {
    uint32_t subgroups;
    uint32_t query_groups;      // fragments of queries that a workgroup has of a head
    uint32_t chunk_blocks = 1;  // fragments of keys that a subgroup takes at a time
    uint32_t chunks = 1;        // how often it does
    uint32_t shared_bytes;

    // With one fragment a workgroup most subgroups share the keys, which is fastest unless the
    // workgroups have to go round twice for it.
    MatrixChain(const Limits& limits, uint32_t fragment, uint32_t head, uint32_t keys,
                uint32_t query_blocks)
        : subgroups(std::max(8u, fewest_threads / limits.subgroup_size)),
          query_groups(query_blocks > limits.cores ? 2 : 1) {
        const uint32_t key_groups = subgroups / query_groups;
        constexpr uint32_t most_blocks = 12;  // whose scores stay in registers
        auto bytes = [&](uint32_t blocks) {
            const uint32_t product = std::max(2 * 32 * 33u, subgroups * 32 * 9);
            const uint32_t numbers = fragment * (fragment / 4 + 1);
            const uint32_t keys_tile = key_groups * blocks * fragment * (head / 8 + 1) + numbers;
            const uint32_t sums = subgroups * fragment * (head / 4 + 1);
            const uint32_t own = subgroups * 2 * fragment * (fragment / 8 + 1);
            return std::max(product, std::max(keys_tile, sums) + own) * 16 +
                   subgroups * limits.subgroup_size * 4 + held_links * sizeof(params::LinkParams) +
                   params::link_most_points * 16;
        };
        const uint32_t round = key_groups * fragment;
        const uint32_t needed = (keys + round - 1) / round;  // blocks of each subgroup
        while (chunk_blocks < needed && chunk_blocks < most_blocks &&
               bytes(chunk_blocks + 1) <= limits.shared_bytes)
            ++chunk_blocks;
        chunks = std::clamp((needed + chunk_blocks - 1) / chunk_blocks, 1u,
                            std::max(1u, most_blocks / chunk_blocks));
        shared_bytes = static_cast<uint32_t>(bytes(chunk_blocks));
    }

private:
    static constexpr uint32_t fewest_threads = 64, held_links = 16;
};

}  // namespace saccade
