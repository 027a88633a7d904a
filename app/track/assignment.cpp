#include "app/track/assignment.h"

#include <algorithm>
#include <limits>

namespace saccade {

std::span<const uint32_t> Assignment::solve(std::span<const float> costs, size_t rows,
                                            size_t columns, float limit) {
    real_columns_ = columns;
    const size_t all = columns + rows;  // also the index of the start column
    row_price_.assign(rows, 0);
    column_price_.assign(all + 1, 0);
    row_of_.assign(all + 1, unassigned);
    before_.resize(all + 1);
    least_.resize(all + 1);
    visited_.resize(all + 1);
    for (size_t row = 0; row < rows; ++row) match(row, costs, limit);
    column_of_.assign(rows, unassigned);
    for (size_t column = 0; column < columns; ++column) {
        const uint32_t row = row_of_[column];
        if (row != unassigned && costs[row * columns + column] < limit)
            column_of_[row] = static_cast<uint32_t>(column);
    }
    return column_of_;
}

// Adds a row by the shortest augmenting path to a free column.
void Assignment::match(size_t row, std::span<const float> costs, float limit) {
    const size_t all = row_of_.size() - 1;
    std::ranges::fill(least_, std::numeric_limits<double>::infinity());
    std::ranges::fill(visited_, 0);
    size_t at = all;
    row_of_[at] = static_cast<uint32_t>(row);
    do {
        visited_[at] = 1;
        const size_t from = row_of_[at];
        const float* const paid = costs.data() + from * real_columns_;
        double shortest = std::numeric_limits<double>::infinity();
        size_t next = all;
        for (size_t column = 0; column < all; ++column) {
            if (visited_[column]) continue;
            // A pair that costs more than `limit` is no better than an unassigned row.
            const float cost = column < real_columns_ ? std::min(paid[column], limit) : limit;
            const double way = cost - row_price_[from] - column_price_[column];
            if (way < least_[column]) {
                least_[column] = way;
                before_[column] = static_cast<uint32_t>(at);
            }
            if (least_[column] < shortest) {
                shortest = least_[column];
                next = column;
            }
        }
        for (size_t column = 0; column <= all; ++column) {
            if (visited_[column]) {
                row_price_[row_of_[column]] += shortest;
                column_price_[column] -= shortest;
            } else {
                least_[column] -= shortest;
            }
        }
        at = next;
    } while (row_of_[at] != unassigned);
    while (at != all) {
        const size_t from = before_[at];
        row_of_[at] = row_of_[from];
        at = from;
    }
}

}  // namespace saccade
