#pragma once

#include <string>
#include <vector>

#include "gpu/chains/chain.h"
#include "tests/gpu/ops/products/every_tile.h"

namespace saccade {

// Operations in a chain, against the plain kernels.
class Chained : public EveryTile {
protected:
    // work(commands) has the same result in a chain, which is one dispatch, as without one.
    template <typename Work>
    void expect_alike(const std::string& what, double most, Work work) {
        const std::vector<float> alone = plain(work);
        const std::vector<float> chained = run([&](Commands& c) {
            auto scope = c.scope("chained");  // a timed scope ends a chain
            const Chain chain(c);
            return work(c);
        });
        EXPECT_LT(relative_error(chained, alone), most) << what;
        EXPECT_EQ(commands.counts().dispatches, 1u) << what;
    }
};

}  // namespace saccade
