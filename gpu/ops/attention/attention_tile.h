#pragma once

#include <optional>
#include <vector>

#include "gpu/core/device.h"
#include "gpu/ops/attention.h"

// The tiles that attention can be cut into, and the kernels with a tile of the caller's choice:
// `attention` chooses one for GPUs, and the tests try every tile on every device.

namespace saccade {

// The work of a workgroup of attention.coopmat: 16 queries for each query group, against rounds of
// keys. A round comes in chunks, whose blocks of 16 keys the key groups share. See the kernel.
struct AttentionTile {
    uint32_t threads, query_groups, key_groups, chunks, chunk_blocks;
    bool online = false;  // an online softmax: one pass over the keys, although in several rounds

    uint32_t queries() const { return 16 * query_groups; }
    uint32_t blocks() const { return key_groups * chunks * chunk_blocks; }  // of a round
    uint32_t shared_bytes(uint32_t head) const;
    bool operator==(const AttentionTile&) const = default;
};
// The sizes of attention of one head and one batch.
struct AttentionShape {
    uint32_t queries, keys, head;
};
// All tiles that the device can run.
std::vector<AttentionTile> attention_tiles(const DeviceInfo& device, const AttentionShape& shape);
// None where the device cannot run attention.coopmat. `heads` counts those of all batches.
std::optional<AttentionTile> choose_attention_tile(const DeviceInfo& device,
                                                   const AttentionShape& shape, uint32_t heads);
struct QueryKeyValue {
    const Tensor &q, &k, &v;
};
void attention_on_matrices(Commands& c, const Tensor& y, const QueryKeyValue& x, const Heads& heads,
                           const AttentionTile& tile);

struct AttentionBlock {
    uint32_t threads, queries, keys;

    uint32_t shared_bytes(uint32_t head) const;
};
// The one for heads of that many columns. None if the device has too little shared memory.
std::optional<AttentionBlock> choose_attention_block(const Limits& limits, uint32_t keys,
                                                     uint32_t head);
void attention_tiled(Commands& c, const Tensor& y, const QueryKeyValue& x, const Heads& heads,
                     bool causal, const AttentionBlock& block);

}  // namespace saccade
