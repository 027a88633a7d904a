#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace saccade {

// Tensors that a page carries: half precision, as base64 in elements of their own, which the page
// decodes when it first needs them.
class PageTensors {
public:
    // Names are unique, of letters, digits and dots.
    void add(const std::string& name, const std::vector<uint64_t>& shape,
             const std::vector<float>& values);

    uint64_t bytes() const { return elements_.size(); }
    const std::string& elements() const { return elements_; }  // HTML

private:
    std::string elements_;
};

// The length of a tensor's text in the page, for this number of values.
constexpr uint64_t page_bytes_of(uint64_t values) { return (2 * values + 2) / 3 * 4 + 100; }

}  // namespace saccade
