#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace saccade {

// The assignment of rows to columns with the least total cost (Hungarian algorithm, by shortest
// augmenting paths). It keeps its memory from one call to the next.
class Assignment {
public:
    static constexpr uint32_t unassigned = UINT32_MAX;

    // `costs` is (rows, columns). Returns the column of each row, or `unassigned`: a pair is
    // matched only at a cost below `limit`, which is the cost of an unassigned row.
    std::span<const uint32_t> solve(std::span<const float> costs, size_t rows, size_t columns,
                                    float limit);

private:
    void match(size_t row, std::span<const float> costs, float limit);

    size_t real_columns_ = 0;
    // After the real columns come one dummy column per row, for rows that stay unassigned, and the
    // column in which each augmenting path starts.
    std::vector<double> row_price_, column_price_, least_;
    std::vector<uint32_t> row_of_, before_, column_of_;
    std::vector<char> visited_;
};

}  // namespace saccade
