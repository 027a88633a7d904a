#pragma once

#include <map>
#include <string>

#include "gpu/core/buffer.h"
#include "gpu/core/geometry.h"
#include "gpu/recorder/commands.h"

namespace saccade {

// Tensors from inside a model, by name, for those who compare it with another: copies that outlast
// the recording. Unless somebody wants them nothing is recorded.
class Parts {
public:
    struct Part {
        Tensor x;
        Size size;  // of a feature map; none of other tensors
        Buffer memory = {};
    };

    Parts() = default;  // nobody is looking
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
