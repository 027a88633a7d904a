#include "models/knock_outs/cause_map.h"

#include <algorithm>
#include <cmath>

namespace saccade {

namespace {

constexpr uint32_t square_side = 2, block_side = 4;
constexpr double to_deviation = 1.4826;  // of a normal distribution, from the median deviation

double median(std::vector<double> values) {
    const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

// The cells of each square of side x side cells; fewer at the right and the lower edge.
std::vector<std::vector<uint32_t>> squares_of(Size grid, uint32_t side) {
    std::vector<std::vector<uint32_t>> squares;
    for (uint32_t top = 0; top < grid.y; top += side)
        for (uint32_t left = 0; left < grid.x; left += side) {
            std::vector<uint32_t>& cells = squares.emplace_back();
            for (uint32_t y = top; y < std::min(top + side, grid.y); ++y)
                for (uint32_t x = left; x < std::min(left + side, grid.x); ++x)
                    cells.push_back(y * grid.x + x);
        }
    return squares;
}

// What each of the knock-outs did to a target, cell by cell.
void spread(std::vector<float>& cells, const TrialList& list) {
    const std::vector<Reading>& readings = list.readings();
    for (size_t i = 1; i < readings.size(); ++i) {
        const std::vector<uint32_t>& square = list.all()[i].cells;
        const double effect = readings.front().value - readings[i].value;
        for (const uint32_t cell : square)
            cells[cell] = static_cast<float>(effect / double(square.size()));
    }
}

}  // namespace

CauseMap::CauseMap(Trials& trials, bool quick)
    : trials_(trials), grid_(trials.grid()), cells_(area(trials.grid())) {
    for (std::vector<uint32_t>& cells : squares_of(grid_, square_side))
        squares_.push_back({.cells = std::move(cells)});
    if (quick) {
        std::vector<KnockOut> blocks(1);
        for (std::vector<uint32_t>& cells : squares_of(grid_, block_side))
            blocks.push_back({.cells = std::move(cells)});
        blocks_ = TrialList(std::move(blocks));
    }
    std::vector<KnockOut> all(1);
    for (const Square& square : squares_) all.push_back({.cells = square.cells});
    coarse_ = TrialList(std::move(all));
}

bool CauseMap::knock_out_blocks(uint32_t most) {
    if (blocks_.run_some(trials_, most) == 0) return false;
    if (!blocks_.done()) return true;
    whole_ = blocks_.readings().front();
    knock_outs_ = static_cast<uint32_t>(blocks_.all().size() - 1);
    spread(cells_, blocks_);
    return true;
}

uint32_t CauseMap::squares_done() const {
    return static_cast<uint32_t>(std::max<size_t>(coarse_.readings().size(), 1) - 1);
}

void CauseMap::knock_out_squares(uint32_t most) {
    // The whole picture comes with the first ones.
    const bool first = coarse_.readings().empty();
    coarse_.run_some(trials_, most + (first && most < UINT32_MAX));
    knock_outs_ = std::max(knock_outs_, squares_done());
    spread(cells_, coarse_);
    if (coarse_.done()) take_coarse_map();
}

void CauseMap::take_coarse_map() {
    usable_ = true;
    knock_outs_ = squares();
    const std::vector<Reading>& readings = coarse_.readings();
    whole_ = readings.front();
    std::vector<double> effects, deviations;
    for (size_t i = 0; i < squares_.size(); ++i) {
        Square& square = squares_[i];
        square.effect = whole_.value - readings[i + 1].value;
        square.apart = square.cells.size() == 1;
        for (const uint32_t cell : square.cells)
            cells_[cell] = static_cast<float>(square.effect / double(square.cells.size()));
        effects.push_back(square.effect);
    }
    const double middle = median(effects);
    for (const double effect : effects) deviations.push_back(std::abs(effect - middle));
    noise_ = to_deviation * median(deviations) / (square_side * square_side);
    std::ranges::stable_sort(squares_, [](const Square& a, const Square& b) {
        return std::abs(a.effect) > std::abs(b.effect);
    });
}

bool CauseMap::take_apart(uint32_t most, double above) {
    std::vector<KnockOut> all;
    std::vector<Square*> chosen;
    for (Square& square : squares_) {
        if (square.apart) continue;
        const bool enough = !all.empty() && all.size() + square.cells.size() > most;
        if (std::abs(square.effect) <= above || enough) break;
        chosen.push_back(&square);
        for (const uint32_t cell : square.cells) all.push_back({.cells = {cell}});
    }
    if (all.empty()) return false;
    const std::vector<Reading> readings = trials_.run(all);
    for (size_t i = 0; i < all.size(); ++i)
        cells_[all[i].cells.front()] = static_cast<float>(whole_.value - readings[i].value);
    for (Square* square : chosen) square->apart = true;
    knock_outs_ += static_cast<uint32_t>(all.size());
    return true;
}

bool CauseMap::refine(uint32_t most) {
    if (usable_) return take_apart(most, -1);
    if (!knock_out_blocks(most)) knock_out_squares(most);
    return true;
}

bool CauseMap::refine_where_it_matters(uint32_t most) {
    if (usable_) return take_apart(most, noise_ * square_side * square_side);
    if (!knock_out_blocks(most)) knock_out_squares(most);
    return true;
}

uint32_t CauseMap::largest() const {
    return static_cast<uint32_t>(std::ranges::max_element(cells_) - cells_.begin());
}

HeadEffects::HeadEffects(Trials& trials) : trials_(trials) {
    const std::vector<uint32_t> heads = trials.heads();
    layers_ = heads.size();
    std::vector<KnockOut> all(1);
    for (uint32_t layer = 0; layer < heads.size(); ++layer)
        for (uint32_t head = 0; head < heads[layer]; ++head)
            all.push_back({.heads = {{layer, head}}});
    if (all.size() > 1) list_ = TrialList(std::move(all));
}

std::vector<std::vector<float>> HeadEffects::table() const {
    std::vector<std::vector<float>> table(layers_);
    const std::vector<Reading>& readings = list_.readings();
    for (size_t i = 1; i < readings.size(); ++i)
        table[list_.all()[i].heads.front().layer].push_back(
            static_cast<float>(readings.front().value - readings[i].value));
    return table;
}

std::vector<std::vector<float>> head_effects(Trials& trials) {
    HeadEffects effects(trials);
    while (effects.go_on()) continue;
    return effects.table();
}

}  // namespace saccade
