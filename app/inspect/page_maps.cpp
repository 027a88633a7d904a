#include "app/inspect/page_maps.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace saccade {

namespace {

constexpr size_t few_layers = 4;  // fewer are not embedded before patches are left out

// `count` evenly spaced layers, including the last.
std::vector<uint32_t> evenly(const std::vector<uint32_t>& layers, size_t count) {
    std::vector<uint32_t> result;
    for (size_t i = 1; i <= count; ++i) result.push_back(layers[i * layers.size() / count - 1]);
    return result;
}

uint32_t steps(uint32_t length, uint32_t stride) { return (length + stride - 1) / stride; }

// The embedded patches, by their index in the grid.
std::vector<uint32_t> patches_of(Size grid, const PageForm& form) {
    auto middle = [&](uint32_t step, uint32_t count) {
        return std::min(step * form.stride + form.stride / 2, count - 1);
    };
    std::vector<uint32_t> patches;
    for (uint32_t row = 0; row < steps(grid.y, form.stride); ++row)
        for (uint32_t column = 0; column < steps(grid.x, form.stride); ++column)
            patches.push_back(middle(row, grid.y) * grid.x + middle(column, grid.x));
    return patches;
}

}  // namespace

void PageMaps::add(const std::vector<float>& maps) {
    levels.reserve(levels.size() + maps.size());
    for (size_t at = 0; at < maps.size(); at += cells) {
        const auto map = maps.begin() + std::ptrdiff_t(at);
        const float largest = *std::max_element(map, map + cells);
        scales.push_back(largest);
        std::transform(map, map + cells, std::back_inserter(levels), [largest](float value) {
            return static_cast<uint8_t>(
                largest > 0 && value > 0 ? std::lround(255 * value / largest) : 0);
        });
    }
}

uint32_t PageDemand::rows(uint32_t stride) const {
    return others + steps(patches.y, stride) * steps(patches.x, stride);
}

uint64_t PageDemand::bytes(const PageForm& form) const {
    return uint64_t(form.layers.size()) * heads * rows(form.stride) * (cells + sizeof(float));
}

PageForm thinned(const PageDemand& demand, uint64_t bytes) {
    const uint32_t longest = std::max({demand.patches.y, demand.patches.x, 1u});
    const uint32_t widest = (longest + 3) / 4;  // at least four patches stay along the longer side
    PageForm form;
    auto fits_with = [&](size_t layers) {
        form.layers = evenly(demand.layers, layers);
        return demand.bytes(form) <= bytes;
    };
    const size_t all = demand.layers.size(), few = std::min(all, few_layers);
    for (form.stride = 1; form.stride <= widest; ++form.stride)
        for (size_t count = all; count >= few; --count)
            if (fits_with(count)) return form;
    form.stride = widest;
    for (size_t count = few; count > 0 && !fits_with(count);) --count;
    return form;
}

std::vector<PageForm> thinned(const std::vector<PageDemand>& demands, uint64_t bytes) {
    std::vector<size_t> order(demands.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {},
                             [&](size_t i) { return demands[i].bytes({demands[i].layers}); });
    std::vector<PageForm> forms(demands.size());
    for (size_t done = 0; done < order.size(); ++done) {
        const PageDemand& demand = demands[order[done]];
        PageForm& form = forms[order[done]] = thinned(demand, bytes / (order.size() - done));
        bytes -= std::min(bytes, demand.bytes(form));
    }
    return forms;
}

PageMaps page_maps(const EncoderView& encoder, const PageForm& form) {
    const AttentionSource& attention = encoder.attention;
    std::vector<uint32_t> tokens;
    if (encoder.class_token) tokens.push_back(0);
    for (uint32_t patch : patches_of(attention.geometry().grid, form))
        tokens.push_back(attention.first_cell() + patch);

    PageMaps maps{.rows = static_cast<uint32_t>(tokens.size()), .cells = attention.cells()};
    const size_t keys = attention.keys();
    for (uint32_t layer : form.layers) {
        const std::vector<float> all = attention.rows(layer, 0, attention.tokens());
        for (size_t head = 0; head < attention.heads(); ++head)
            for (uint32_t token : tokens) {
                const auto row =
                    all.begin() + std::ptrdiff_t((head * attention.tokens() + token) * keys);
                maps.add(encoder.drawn(attention.cells_of({row, row + std::ptrdiff_t(keys)})));
            }
    }
    return maps;
}

PageMaps page_maps(const FeatureView& view, const PageForm& form) {
    const std::vector<uint32_t> patches = patches_of(view.geometry.grid, form);
    PageMaps maps{.rows = static_cast<uint32_t>(patches.size()), .cells = view.cells()};
    for (uint32_t patch : patches) {
        const auto row = view.similarity.begin() + std::ptrdiff_t(size_t(patch) * view.cells());
        maps.add({row, row + view.cells()});
    }
    return maps;
}

PageMaps page_colours(const FeatureView& view) {
    PageMaps maps{.rows = 3, .cells = view.cells()};
    maps.add(view.colours);
    return maps;
}

PageMaps page_maps(const GazeView& view, const PageForm& form) {
    const AttentionSource& attention = view.attention;
    PageMaps maps{.rows = static_cast<uint32_t>(view.all.size()), .cells = attention.cells()};
    std::vector<std::vector<float>> all(view.all.size());
    for (uint32_t layer : form.layers) {
        for (size_t i = 0; i < all.size(); ++i) all[i] = view.cells(i, layer);
        for (uint32_t head = 0; head < attention.heads(); ++head)
            for (const std::vector<float>& heads : all)
                maps.add(of_head(heads, attention.heads(), head));
    }
    return maps;
}

}  // namespace saccade
