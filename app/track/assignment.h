#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace saccade {

// Who belongs to whom, so that all costs together are least (the Hungarian method, by shortest
// paths). It keeps its memory from one call to the next.
class Assignment {
public:
    static constexpr uint32_t nobody = UINT32_MAX;

    // `costs` has a row for each of `rows`, one after the other. The column of each row, or nobody:
    // two belong together only at a cost below `limit`, which is what somebody left alone costs.
    std::span<const uint32_t> solve(std::span<const float> costs, size_t rows, size_t columns,
                                    float limit);

private:
    void match(size_t row, std::span<const float> costs, float limit);

    size_t real_columns_ = 0;
    // Behind the real columns there is one for each row that is left alone, and one to begin with.
    std::vector<double> row_price_, column_price_, least_;
    std::vector<uint32_t> row_of_, before_, column_of_;
    std::vector<char> visited_;
};

}  // namespace saccade
