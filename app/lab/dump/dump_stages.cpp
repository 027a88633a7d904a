#include <algorithm>
#include <cmath>

#include "app/lab/dump/dump_parts.h"
#include "models/attention/attention_maps.h"

namespace saccade {

namespace {

// The mean of the rows.
std::vector<float> mean_of(const std::vector<float>& rows, size_t columns) {
    std::vector<float> mean(columns);
    for (size_t i = 0; i < rows.size(); ++i)
        mean[i % columns] += rows[i] / static_cast<float>(rows.size() / columns);
    return mean;
}

// About 16 cells and 64 channels of a stage's last block.
void add_block(Engine& engine, const std::string& name, const Tensor& cells, Collection& out) {
    const std::vector<float> all =
        read_back(engine, name.c_str(), [&](Commands&) { return cells; });
    std::vector<float> some;
    const uint32_t step = std::max(1u, cells.columns / 64);
    uint64_t rows = 0;
    for (uint32_t i = 0; i < cells.rows; i += std::max(1u, cells.rows / 16), ++rows)
        for (uint32_t c = 0; c < cells.columns; c += step)
            some.push_back(all[size_t(i) * cells.columns + c]);
    const uint64_t columns = some.size() / rows;
    out.add(name, {rows, columns}, std::move(some));
}

// Swin: attention of every cell of the last window, averaged over heads; of the first window's
// first cell, by head.
void add_windows(Engine& engine, const std::string& name, const Tap::Kept& kept, Collection& out) {
    const Windows& windows = *kept.windows;
    const uint32_t cells = windows.window * windows.window, heads = kept.heads.count;
    auto row_of = [&](uint32_t window, uint32_t cell) {
        return read_back(engine, "window", [&](Commands& c) {
            const Tensor map = c.scratch(1, heads, cells, Type::f32);
            window_map(c, map, kept.q, kept.k, kept.heads, windows,
                       {.from = {window, cell}, .whole = false});
            return map;
        });
    };
    std::vector<float> all;
    for (uint32_t cell = 0; cell < cells; ++cell) {
        const std::vector<float> mean = mean_of(row_of(area(windows.count()) - 1, cell), cells);
        all.insert(all.end(), mean.begin(), mean.end());
    }
    out.add(name, {cells, cells}, std::move(all));
    if (name.ends_with("_0")) out.add("window_attention_heads", {heads, cells}, row_of(0, 0));
}

void add_swin_stages(Engine& engine, const ClassificationModel& model, const Tap& tap,
                     Collection& out) {
    add_map(engine, "stage_0", tap.hidden_states().at(0), model.layout(0).grid, out);
    uint32_t end = 0, i = 0;
    for (const uint32_t depth : model.layers_of_stages()) {
        end += depth;
        const std::string number = std::to_string(i);
        add_block(engine, "block_" + number, tap.hidden_states().at(2 * i + 1), out);
        add_windows(engine, "window_attention_" + number, tap.layer(end - 1), out);
        ++i;
        add_map(engine, "stage_" + std::to_string(i), tap.hidden_states().at(2 * i),
                model.layout(std::min(end, model.layers() - 1)).grid, out);
    }
}

// MViT: attention of the first cell in the first block, by head; of all cells in the last block,
// averaged over heads.
void add_relative_maps(Engine& engine, const Tap& tap, uint32_t last, Collection& out) {
    auto rows_of = [&](const Tap::Kept& kept, uint32_t row) {
        return read_back(engine, "map", [&](Commands& c) {
            const uint32_t heads = kept.heads.count;
            const Tensor map = c.scratch(1, heads, kept.k.rows, Type::f32);
            relative_map(c, map, kept.q, kept.k, kept.heads, {*kept.places, kept.scores},
                         {row, 1, 0, heads});
            return map;
        });
    };
    const Tap::Kept &first = tap.layer(0), &end = tap.layer(last);
    out.add("attention_first_row0", {first.heads.count, first.k.rows}, rows_of(first, 0));
    std::vector<float> all;
    for (uint32_t row = 0; row < end.q.rows; ++row) {
        const std::vector<float> mean = mean_of(rows_of(end, row), end.k.rows);
        all.insert(all.end(), mean.begin(), mean.end());
    }
    out.add("attention_last", {end.q.rows, end.k.rows}, std::move(all));
}

// Attention of every cell, in a model with one layer of one head.
void add_whole_attention(Engine& engine, const Tap::Kept& kept, Collection& out) {
    const uint32_t queries = kept.q.rows, keys = kept.k.rows;
    out.add("attention", {queries, keys}, read_back(engine, "attention", [&](Commands& c) {
                const Tensor map = c.scratch(1, queries, keys, Type::f32);
                attention_map(c, map, kept.q, kept.k, kept.heads, {0, queries, 0, 1});
                return map;
            }));
}

}  // namespace

void add_stages(Engine& engine, const Classifier& classifier, const Tap& tap, Collection& out) {
    const ClassificationModel& model = classifier.model();
    const uint32_t layers = model.layers(), dim = tap.features().columns;
    const bool windows = tap.layer(0).windows.has_value();
    const bool class_token = model.layout(0).first_cell > 0;
    const uint32_t pooled = class_token ? 1 : tap.features().rows;
    out.add("pooled", {dim},
            mean_of(read_back(engine, "features",
                              [&](Commands&) { return tap.features().slice_rows(0, pooled); }),
                    dim));

    // Hidden states: the embedding, then the end of each stage; for Swin also the input of patch
    // merging.
    if (windows) {
        add_swin_stages(engine, model, tap, out);
        return;
    }
    if (!tap.layer(0).places) {
        add_whole_attention(engine, tap.layer(0), out);
        return;
    }
    for (const auto& [index, cells] : tap.hidden_states()) {
        const auto side = static_cast<uint32_t>(std::lround(std::sqrt(double(cells.rows))));
        add_map(engine, index == 0 ? "patch_embed" : "stage_" + std::to_string(index - 1), cells,
                {side, side}, out);
    }
    add_relative_maps(engine, tap, layers - 1, out);
}

}  // namespace saccade
