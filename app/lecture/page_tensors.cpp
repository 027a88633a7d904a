#include "app/lecture/page_tensors.h"

#include <span>

#include "app/page/base64.h"
#include "models/files/half.h"

namespace saccade {

void PageTensors::add(const std::string& name, const std::vector<uint64_t>& shape,
                      const std::vector<float>& values) {
    std::vector<uint16_t> halves;
    halves.reserve(values.size());
    for (const float value : values) halves.push_back(half_from_float(value));
    std::string sizes;
    for (const uint64_t size : shape) sizes += (sizes.empty() ? "" : " ") + std::to_string(size);
    elements_ += "<script id=\"tensor-" + name +
                 "\" type=\"application/octet-stream\" data-shape=\"" + sizes + "\">" +
                 base64_of(halves) + "</script>\n";
}

}  // namespace saccade
