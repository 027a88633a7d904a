#include "gpu/ops/attention.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "gpu/chains/links.h"
#include "gpu/ops/attention/attention_tile.h"
#include "gpu/ops/attention/heads.h"
#include "gpu/ops/common.h"
#include "gpu/ops/products.h"
#include "shaders/attention/params.h"

namespace saccade {

namespace {

// The tile of attention on cooperative matrices, where the device and the tensors allow it.
std::optional<AttentionTile> attention_tile(const Commands& c, const Tensor& q, const Tensor& k,
                                            const Tensor& v, const Tensor& y, const Heads& heads) {
    if (c.plain_kernels() || q.type != Type::f16 || !loads_eights(q) || !loads_eights(k) ||
        !loads_eights(v) || !loads_eights(y))
        return std::nullopt;
    return choose_attention_tile(c.device().info(), {q.rows, k.rows, q.columns / heads.count},
                                 heads.count * q.batch);
}

// attention.row divides the keys of a chunk among its threads. On software Vulkan it is faster to
// share each key among several queries, unless there is only one.
constexpr uint32_t chunk_on_cpu = 256;

bool fits_row(const Commands& c, const Tensor& q) {
    if (c.device().is_cpu()) return q.rows == 1 && !loads_texels(c, q.type);
    return q.rows <= 8;
}

uint32_t row_kernel_threads(const Device& device, uint32_t keys) {
    if (device.is_cpu()) return 4;
    const uint32_t most = std::min(256u, std::bit_floor(device.limits().workgroup_threads));
    return std::clamp(std::bit_ceil(keys), 64u, most);
}

}  // namespace

Tensor attention(Commands& c, const Tensor& q, const Tensor& k, const Tensor& v, const Heads& heads,
                 bool causal) {
    constexpr const char* op = "attention";
    const uint32_t size = head_size(q, k, heads, op);
    require(v.columns == k.columns && v.rows == k.rows && v.batch == k.batch && v.type == k.type,
            op, "k " + k.shape() + " and v " + v.shape());
    require_wide(v, op);
    require(!causal || k.rows >= q.rows, op,
            "causal with more queries than keys: " + q.shape() + ", " + k.shape());

    Tensor y = c.scratch(q.batch, q.rows, q.columns, q.type);
    // One query is the last: it sees all keys.
    if ((!causal || q.rows == 1) &&
        link_attention(c, y, {q, k, v, heads.count, heads.scale, heads.sharing}))
        return y;
    const params::AttentionParams p{
        view(q),      view(k), view(v),     view(y),
        q.rows,       k.rows,  heads.scale, causal ? k.rows - q.rows : 0,
        heads.sharing};
    const Use uses[] = {read(q), read(k), read(v), write(y)};
    const auto push = std::as_bytes(std::span(&p, 1));
    std::optional<AttentionBlock> block;
    if (!c.plain_kernels() && !c.device().is_cpu())
        block = choose_attention_block(c.device().limits(), k.rows, size);
    const std::optional<AttentionTile> tile =
        causal ? std::nullopt : attention_tile(c, q, k, v, y, heads);
    if (tile) {
        attention_on_matrices(c, y, {q, k, v}, heads, *tile);
    } else if (fits_row(c, q)) {
        const uint32_t threads = row_kernel_threads(c.device(), k.rows);
        const uint32_t chunk = c.device().is_cpu() ? chunk_on_cpu : threads;
        c.dispatch(Kernel("attention.row", q.type, {threads, chunk, size / 4, causal ? 1u : 0u}),
                   {q.rows * threads, heads.count, q.batch}, uses, push);
    } else if (block) {
        attention_tiled(c, y, {q, k, v}, heads, causal, *block);
    } else {
        // Software Vulkan pays for loads: there a thread shares each key among several queries.
        const uint32_t queries = c.device().is_cpu() && q.rows > 1 ? 4 : 1;
        const uint32_t threads = c.device().is_cpu() ? 4 : 64;
        c.dispatch(Kernel("attention", q.type, {threads, queries, size / 4, causal ? 1u : 0u}),
                   {divide_up(q.rows, queries), heads.count, q.batch}, uses, push);
    }
    return y;
}

void attention_on_matrices(Commands& c, const Tensor& y, const QueryKeyValue& x, const Heads& heads,
                           const AttentionTile& t) {
    const auto& [q, k, v] = x;
    const uint32_t size = q.columns / heads.count;
    struct {
        params::AttentionParams attention;
        params::AttentionAddresses addresses;
    } p{{view(q), view(k), view(v), view(y), q.rows, k.rows, heads.scale, 0, heads.sharing}, {}};
    put_memory_address(p.addresses.k, c.device(), k);
    put_memory_address(p.addresses.v, c.device(), v);
    c.dispatch(Kernel("attention.coopmat", q.type,
                      {t.threads, t.query_groups, t.key_groups, size, t.chunks, t.chunk_blocks,
                       held_fragments(c.device()).alike ? 1u : 0u, t.online ? 1u : 0u}),
               {divide_up(q.rows, t.queries()) * t.threads, heads.count, q.batch},
               {read(q), read(k), read(v), write(y)}, p);
}

void attention_tiled(Commands& c, const Tensor& y, const QueryKeyValue& x, const Heads& heads,
                     bool causal, const AttentionBlock& block) {
    const auto& [q, k, v] = x;
    const uint32_t size = q.columns / heads.count;
    const params::AttentionParams p{
        view(q),      view(k), view(v),     view(y),
        q.rows,       k.rows,  heads.scale, causal ? k.rows - q.rows : 0,
        heads.sharing};
    c.dispatch(Kernel("attention.tiled", q.type,
                      {block.threads, block.queries, block.keys, size / 4, causal ? 1u : 0u}),
               {divide_up(q.rows, block.queries) * block.threads, heads.count, q.batch},
               {read(q), read(k), read(v), write(y)}, p);
}

}  // namespace saccade
