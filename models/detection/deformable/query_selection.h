#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gpu/core/buffer.h"
#include "gpu/ops/boxes.h"
#include "gpu/ops/norms.h"
#include "gpu/ops/products.h"
#include "gpu/ops/rows.h"
#include "gpu/recorder/recent.h"
#include "models/attention/parts.h"
#include "models/detection/detection_model.h"
#include "models/weights/weight_loader.h"

// Query selection of RT-DETR and its descendants (Zhao et al. 2023, section 4.3): every cell of
// every map is scored, and the top-k become queries, each with a reference box around its cell.

namespace saccade {

// The cells with the highest scores, and the box offsets of every cell: (batch, cells, 4) f32.
struct ScoredCells {
    Selected best;
    Tensor deltas;
};
// Cells (1, 1, n) u32 that get these scores instead of their own; none if empty.
struct MaskedCells {
    Tensor cells, scores;
};
// The top-k occupies little of the device, so `meanwhile` is recorded to run in parallel to it.
using Meanwhile = std::function<void()>;
ScoredCells score_cells(Commands& c, const Tensor& features, const Linear& score_head,
                        const Mlp& box_head, uint32_t count, const Meanwhile& meanwhile,
                        const MaskedCells& masked = {});

struct QuerySelectionForm {
    uint32_t dim = 0, classes = 0, queries = 0;
    float norm_eps = 1e-5f;
    bool projects = true;  // false: queries are chosen from the memory itself, without enc_output
    Activation box_activation = Activation::relu;  // of enc_bbox_head
    bool stored_anchors = false;  // model.anchors of the file, if it has them for these maps, count
};

class QuerySelection {
public:
    // model.enc_output if the form has it, model.enc_score_head and model.enc_bbox_head.
    QuerySelection(WeightLoader& weights, const QuerySelectionForm& form);

    // Computes the anchors for maps of these sizes, unless they are kept. Nothing that was recorded
    // for the ninth sizes before them may still run.
    void prepare(const std::vector<Size>& levels);
    bool prepared(const std::vector<Size>& levels) const { return at_.is(levels); }

    struct Queries {
        Tensor content;   // (batch, queries, dim) f32
        Boxes reference;  // (batch, queries, 4): reference boxes
    };
    // From the cells of all maps, concatenated: (batch, cells, dim).
    Queries choose(Commands& c, const Tensor& memory, Parts& parts,
                   const Meanwhile& meanwhile) const;
    double multiply_adds(uint32_t cells) const;

private:
    Tensor features_of(Commands& c, const Tensor& memory) const;

    Device& device_;
    QuerySelectionForm form_;
    Linear output_;  // (dim, dim), or none
    Norm norm_;
    Tensor at_border_;   // (1, dim) f32: the features of cells that are close to the border
    Linear score_head_;  // (classes, dim)
    Mlp box_head_;
    std::vector<float> stored_anchors_;  // (cells, 4) for one size of pictures, or none
    struct Places {
        Buffer memory;
        Tensor anchors;  // (1, cells, 4) f32: logits of the box around each cell
        Tensor outside;  // (1, 1, n) u32: cells so close to the border that features are zeroed
    };
    Recent<std::vector<Size>, Places> at_;
    Places places_for(const std::vector<Size>& levels) const;
};

}  // namespace saccade
