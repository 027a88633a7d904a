#pragma once

#include <string>
#include <vector>

#include "gpu/commands.h"
#include "gpu/ops.h"
#include "models/preprocessor.h"
#include "models/tap.h"
#include "models/weights.h"

// What detectors that predict a set share: a picture goes in, a fixed number of queries comes out,
// and each of them is one object or none. No anchors, no suppression afterwards.

namespace saccade {

// Who looks: `encoder` at the self-attention of the picture's tokens (all of YOLOS), `decoder` at
// the cross-attention from queries to the picture (DETR alone), and at the queries as the heads see
// them, its only hidden state.
struct DetectionTaps {
    Tap encoder, decoder;
};

struct DetectionOutput {
    Tensor logits;  // (batch, queries, classes + 1) f32, "no object" last
    Tensor boxes;   // (batch, queries, 4) f32: centre x, centre y, width, height, in 0 .. 1
};

// Which tokens of an attention map are cells of the picture, and which are queries.
struct TokenLayout {
    Extent grid;              // of the cells, row after row
    uint32_t first_cell = 0;  // their first token
    bool cross = false;       // queries look from taps.decoder; else they are tokens like the cells
    uint32_t first_query = 0;
    // Cell i covers `stride` pixels of the model's input from origin + i * stride on.
    float stride = 1, origin = 0;
};

class DetectionModel {
public:
    virtual ~DetectionModel() = default;

    virtual const std::vector<std::string>& labels() const = 0;
    virtual uint32_t queries() const = 0;
    virtual uint32_t encoder_layers() const = 0;
    virtual uint32_t decoder_layers() const = 0;  // 0: queries are tokens of the encoder
    virtual uint32_t heads() const = 0;           // of the attention that queries look with

    // The picture comes as patches of this size: (batch, patches, 3 * patch * patch), stored so.
    virtual ImageSize patch() const = 0;
    virtual Type input_type() const = 0;
    // Makes ready for pictures of this size. Nothing that was recorded for another may still run.
    virtual void prepare(Extent picture) = 0;
    virtual DetectionOutput forward(Commands& c, const Tensor& patches, Extent picture,
                                    DetectionTaps& taps) const = 0;
    virtual TokenLayout layout(Extent picture) const = 0;
    // Of one forward pass, for benchmarks.
    virtual double multiply_adds(Extent picture) const = 0;
};

// A perceptron with ReLU between its layers: the heads that predict boxes, and YOLOS' classes.
struct Perceptron {
    std::vector<Linear> layers;
};
// `prefix`.layers.0 and so on: in to hidden, hidden to hidden, ..., hidden to out.
Perceptron load_perceptron(WeightLoader& weights, const std::string& prefix, uint32_t in,
                           uint32_t hidden, uint32_t out, uint32_t layers);
// y is f32, whatever the layers are stored as.
void perceptron_into(Commands& c, const Tensor& y, const Tensor& x, const Perceptron& w,
                     Activation last = Activation::none);

}  // namespace saccade
