#pragma once

#include <map>
#include <string>

#include "gpu/core/buffer.h"
#include "gpu/core/geometry.h"
#include "gpu/recorder/commands.h"

namespace saccade {

// Named copies of a model's inner tensors, for comparison with a reference. They outlive the
// recording. Without `wanted`, nothing is recorded.
class Parts {
public:
    struct Part {
        Tensor x;
        Size size;  // of a feature map; (0, 0) for other tensors
        Buffer memory = {};
    };

    Parts() = default;  // keeps nothing
    explicit Parts(bool wanted) : wanted_(wanted) {}

    void keep(Commands& c, const std::string& name, const Tensor& x, Size size = {});
    bool wanted() const { return wanted_; }

    bool has(const std::string& name) const { return parts_.contains(name); }
    const Part& operator[](const std::string& name) const { return parts_.at(name); }

private:
    bool wanted_ = false;
    std::map<std::string, Part> parts_;
};

}  // namespace saccade
