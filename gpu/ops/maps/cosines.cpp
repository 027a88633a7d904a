#include "gpu/ops/maps.h"

#include "gpu/ops/common.h"
#include "gpu/ops/maps/feature_maps.h"
#include "shaders/maps/params.h"

namespace saccade {

void cosines_into(Commands& c, const Tensor& y, const Tensor& features, uint32_t token,
                  uint32_t first) {
    constexpr const char* op = "cosines";
    require_features(op, features, first, y);
    require(y.batch == 1 && token < features.rows, op,
            "token " + std::to_string(token) + " of " + features.shape() + " into " + y.shape());
    const uint32_t threads = row_threads(c);
    const params::CosinesParams p{view(features), view(y),          token,
                                  first,          features.columns, y.columns};
    c.dispatch(Kernel(op, {threads}), {padded(y.columns) * threads, y.rows},
               {read(features), write(y)}, p);
}

}  // namespace saccade
