#include "gpu/ops/products/fragments.h"

#include <cstring>
#include <optional>

#include "gpu/ops/common.h"
#include "gpu/ops/elementwise.h"
#include "gpu/ops/products/tile_table.h"
#include "gpu/ops/products/weight_copies.h"

namespace saccade {

namespace {

Kernel kernel_for(const Device& device, const MatrixShape& fragment, const HeldFragments& held) {
    return {"fragments.coopmat",
            {device.limits().subgroup_size, fragment.m, fragment.n, fragment.k, held.eights,
             held.in_fours ? 1u : 0u}};
}

HeldFragments ask_how_fragments_are_held(Device& device) {
    const std::optional<MatrixShape> fragment = choose_fragment(device.features());
    if (!fragment || !device.features().addresses) return {};
    if (!device.executes()) return {fragment->n * fragment->k / device.limits().subgroup_size / 8};
    Arena scratch(device, "fragments");
    Commands c(device, scratch, "asking how threads hold fragments", 0);
    const uint64_t bytes = tensor_bytes(1, 1, 8, Type::u32);
    const Buffer words(device, "how threads hold fragments", bytes, Memory::readback);
    c.begin();
    const Tensor answer = c.scratch(1, 1, 8, Type::u32);
    c.dispatch(kernel_for(device, *fragment, {}), {device.limits().subgroup_size},
               {read(answer), write(answer)}, params::FragmentsParams{});
    c.copy_bytes(answer, make_tensor(words.handle(), 0, 1, 1, 8, Type::u32));
    c.end();
    c.run();
    words.invalidate();
    struct {
        uint32_t halves, alike, in_fours;
    } told{};
    std::memcpy(&told, words.mapped().data(), sizeof told);
    return {told.halves % 8 == 0 ? told.halves / 8 : 0, told.alike != 0,
            told.in_fours != 0 && device.features().sums_in_fours};
}

FragmentsSize size_on(const DeviceInfo& device, const HeldFragments& held, const Tensor& weight) {
    const std::optional<MatrixShape> fragment = choose_fragment(device.features);
    if (!fragment || weight.type != Type::f16 || !loads_eights(weight)) return {};
    const uint32_t across = divide_up(weight.rows, fragment->n);
    const uint32_t each = held.eights * device.limits.subgroup_size * 8;
    const uint32_t columns = across * each;
    // A tile that reaches past the rows of the weight reads past its last fragments.
    const uint32_t room = divide_up(widest_tile / fragment->n, across);
    const uint32_t rows = divide_up(weight.columns, fragment->k) + room;
    if (columns == 0 || tensor_bytes(1, rows, columns, Type::f16) > device.limits.storage_range)
        return {};
    return {rows, columns};
}

}  // namespace

const HeldFragments& held_fragments(Device& device) {
    return device.held_fragments(ask_how_fragments_are_held);
}

params::ProductAddresses product_addresses(const Device& device, const Tensor& x,
                                           const Tensor& fragments) {
    params::ProductAddresses addresses{};
    put_memory_address(addresses.x, device, x);
    put_address(addresses.w, device, fragments);
    return addresses;
}

Tensor loadable(Commands& c, const Tensor& x) {
    if (loads_eights(x)) return x;
    const Tensor whole = c.scratch(x.batch, x.rows, x.columns, x.type);
    copy(c, whole, x);
    return whole;
}

FragmentsSize fragments_size(Device& device, const Tensor& weight) {
    if (weight.type != Type::f16) return {};
    return size_on(device.info(), held_fragments(device), weight);
}

WeightCopies weight_copies(const DeviceInfo& device, const HeldFragments& held,
                           const Tensor& weight, Rows rows) {
    // Any number of rows gives the same answer: it changes a tile's time, not whether there is one.
    const Product product{1, fewest_matrix_rows, weight.rows, weight.columns};
    if (!size_on(device, held, weight) || !choose_matrix_tile(device, held, product)) return {};
    return {.by_rows = rows != Rows::many, .fragments = rows != Rows::few};
}

void fragments_into(Commands& c, const Tensor& fragments, const Tensor& weight) {
    constexpr const char* op = "fragments";
    const FragmentsSize size = fragments_size(c.device(), weight);
    require(size && fragments.rows == size.rows && fragments.columns == size.columns &&
                fragments.type == Type::f16 && fragments.batch == 1 && fragments.offset == 0 &&
                weight.batch == 1 && weight.offset == 0,
            op, weight.shape() + " into " + fragments.shape());
    const MatrixShape fragment = *choose_fragment(c.device().features());
    const params::FragmentsParams p{weight.rows, weight.columns, weight.row_stride};
    c.dispatch(kernel_for(c.device(), fragment, held_fragments(c.device())),
               {divide_up(weight.rows, fragment.n) * c.device().limits().subgroup_size,
                divide_up(weight.columns, fragment.k)},
               {read(weight), write(fragments)}, p);
}

}  // namespace saccade
