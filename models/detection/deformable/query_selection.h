#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gpu/core/buffer.h"
#include "gpu/sampling.h"
#include "models/attention/parts.h"
#include "models/detection/detection_model.h"
#include "models/weights/weight_loader.h"

// How RT-DETR and its kin come to their queries (Zhao et al. 2023, section 4.3): every cell of every
// map is scored, and the best become queries, each with a box that begins around its cell.

namespace saccade {

// The cells that score best, and how every cell's box is moved: (batch, cells, 4) f32.
struct RatedCells {
    Selected best;
    Tensor deltas;
};
// Cells `unseen` (1, 1, n) u32, if any, get these scores instead of their own.
struct Unseen {
    Tensor cells, scores;
};
// The choice itself leaves nearly all of the device idle: `meanwhile` is recorded beside it.
using Meanwhile = std::function<void()>;
RatedCells rate_cells(Commands& c, const Tensor& features, const Linear& score_head,
                      const Perceptron& box_head, uint32_t count, const Meanwhile& meanwhile,
                      const Unseen& unseen = {});

struct QuerySelectionForm {
    uint32_t dim = 0, classes = 0, queries = 0;
    float norm_eps = 1e-5f;
};

class QuerySelection {
public:
    // model.enc_output, model.enc_score_head and model.enc_bbox_head.
    QuerySelection(WeightLoader& weights, const QuerySelectionForm& form);

    // Works out the boxes around the cells of maps of these sizes. Nothing that was recorded for
    // others may still run.
    void prepare(const std::vector<Size>& levels);
    bool prepared(const std::vector<Size>& levels) const { return levels == levels_; }

    struct Queries {
        Tensor content;   // (batch, queries, dim) f32
        Boxes reference;  // (batch, queries, 4): where they look first
    };
    // From the cells of all maps, one after the other: (batch, cells, dim).
    Queries choose(Commands& c, const Tensor& memory, Parts& parts,
                   const Meanwhile& meanwhile) const;
    double multiply_adds(uint32_t cells) const;

private:
    Device& device_;
    QuerySelectionForm form_;
    Linear output_;      // (dim, dim)
    Norm norm_;
    Linear score_head_;  // (classes, dim)
    Perceptron box_head_;
    std::vector<Size> levels_;
    Buffer memory_;
    Tensor anchors_;  // (1, cells, 4) f32: logits of the boxes around the cells
    Tensor outside_;  // (1, 1, n) u32: cells so near to the border that their features do not count
};

}  // namespace saccade
