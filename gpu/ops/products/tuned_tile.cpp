#include "gpu/ops/products/tuned_tile.h"

#include <algorithm>
#include <functional>

#include "gpu/ops/common.h"
#include "gpu/ops/products/kernels.h"
#include "gpu/ops/products/tile_trial.h"
#include "gpu/recorder/measure.h"

namespace saccade {

namespace {

constexpr size_t most_candidates = 3;  // those with the lowest expected times

// The first few of these tiles by the tables.
template <typename AnyTile>
std::vector<AnyTile> best_of(std::vector<AnyTile> tiles) {
    std::ranges::stable_sort(tiles, {}, &AnyTile::cost);
    tiles.resize(std::min(tiles.size(), most_candidates));
    return tiles;
}

template <typename AnyTile>
std::optional<AnyTile> fastest(Device& device, const std::string& question,
                               const std::vector<AnyTile>& tiles,
                               const std::function<Factors()>& make) {
    if (tiles.empty()) return std::nullopt;
    std::vector<std::string> names;
    for (const AnyTile& tile : tiles) names.push_back(name_of_tile(tile));
    std::optional<Factors> factors;  // made if something is measured
    return tiles[device.choices().choose(question, names, [&](size_t i) {
        if (!factors) factors = make();
        return microseconds_of(device,
                               [&](Commands& c) { multiply_by_tile(c, *factors, tiles[i]); });
    })];
}

}  // namespace

std::optional<MatrixTile> best_matrix_tile(Device& device, const Product& p) {
    if (!device.choices().measures() || p.rows < fewest_matrix_rows ||
        !can_be_measured(p, Type::f16))
        return choose_matrix_tile(device.info(), held_fragments(device), p);
    std::vector<MatrixTile> tiles = best_of(matrix_tiles(device.info(), held_fragments(device), p));
    for (const MatrixTile& tile :
         best_of(matrix_tiles(device.info(), held_fragments(device), p, Fitted::no)))
        tiles.push_back(tile);
    return fastest(device, "matrix f16 " + text(p), tiles,
                   [&] { return factors_of(device, p, Type::f16, Type::f16, true); });
}

std::optional<ProductTile> best_product_tile(Device& device, const Product& p, Type type) {
    if (!device.choices().measures() || !can_be_measured(p, type))
        return choose_product_tile(device.info(), p);
    return fastest(device, std::string("tiled ") + name_of(type) + " " + text(p),
                   best_of(product_tiles(device.info(), p)),
                   [&] { return factors_of(device, p, type, type, false); });
}

}  // namespace saccade
