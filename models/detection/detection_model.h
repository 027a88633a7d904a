#pragma once

#include <string>
#include <vector>

#include "gpu/ops.h"
#include "gpu/recorder/commands.h"
#include "models/attention/map_geometry.h"
#include "models/attention/parts.h"
#include "models/attention/tap.h"
#include "models/weights/weight_loader.h"
#include "models/picture/preprocessor.h"

namespace saccade {
class Phrases;
}

// What detectors that predict a set share: a picture goes in, a fixed number of queries comes out,
// and each of them is one object or none. No anchors, no suppression afterwards.

namespace saccade {

// Who looks: `encoder` at the self-attention of the picture's tokens (all of YOLOS), `decoder` at
// the cross-attention from queries to the picture (DETR alone), and at the queries as the heads see
// them, its only hidden state.
// `queries` looks at how queries look at each other, and `parts` keeps what is compared.
struct DetectionTaps {
    Tap encoder, decoder, queries;
    Parts parts;
};

// What the heads leave. Which columns are classes, and how a logit becomes a score, knows find().
struct DetectionOutput {
    Tensor logits;  // (batch, queries, columns) f32
    Tensor boxes;   // (batch, queries, 4) f32: centre x, centre y, width, height, in 0 .. 1
    // What masks are made from, for the models that make them, all (batch, ...); valid until the
    // scope ends.
    std::vector<Tensor> for_masks = {};

    DetectionOutput at_batch(uint32_t index) const;
};

// Masks cost more than all the rest: only this many of the best objects get one.
constexpr uint32_t most_masks = 16;

class DetectionModel {
public:
    virtual ~DetectionModel() = default;

    virtual const std::vector<std::string>& labels() const = 0;
    // The classes, of a model that is told them in words; null if it was trained on its own.
    virtual Phrases* phrases() { return nullptr; }
    // Of such a model: how much each query of one picture, as the heads see it, is like each phrase.
    // (1, queries, phrases) f32, as the scores.
    virtual Tensor likeness(Commands&, const Tensor&) const { return {}; }
    // The queries' own vectors, each of which could be looked for instead of a phrase:
    // (1, queries, dim) f32, of any length.
    virtual Tensor query_vectors(Commands&, const Tensor&) const { return {}; }
    virtual uint32_t queries() const = 0;
    virtual uint32_t encoder_layers() const = 0;
    virtual uint32_t decoder_layers() const = 0;  // 0: queries are tokens of the encoder
    virtual uint32_t heads() const = 0;           // of the attention that queries look with

    // The picture comes as patches of this size: (batch, patches, 3 * patch * patch), stored so.
    virtual Size patch() const = 0;
    virtual Type input_type() const = 0;
    // Makes ready for pictures of this size. Nothing that was recorded for another may still run.
    virtual void prepare(Size picture) = 0;
    virtual DetectionOutput forward(Commands& c, const Tensor& patches, Size picture,
                                    DetectionTaps& taps) const = 0;
    // What the heads found in one picture, for a frame of that size, as rows of `found`: left, top,
    // right and bottom in pixels of the frame, the score, the class, the query. A row that is none
    // has the score 0.
    virtual void find(Commands& c, const Tensor& found, const DetectionOutput& out,
                      Size frame) const = 0;
    virtual uint32_t most_found() const { return queries(); }  // rows of `found`
    // Pixels of a frame of this size that its boxes are parts of.
    virtual glm::vec2 seen_of(Size frame) const { return glm::vec2(frame); }
    // The size of a mask, for models that make one for each object; none where they do not.
    virtual Size mask_size(Size) const { return {}; }
    // Whether the masks are panoptic: a pixel belongs to one object only, and all of the sky, or of
    // another class that has no parts one could count, is one.
    virtual bool panoptic() const { return false; }
    // Masks of some queries of one picture, at most `most_masks`, whose numbers are (1, 1, n) u32:
    // logits, (n, cells, 1).
    virtual Tensor masks(Commands&, const DetectionOutput&, const Tensor&, Size, Parts&) const {
        return {};
    }
    // Whether what lies before the first norm grows larger, on a test picture, than half precision
    // can tell apart; it is then loaded as fp32.
    virtual bool front_outgrows_half(Device&) const { return false; }

    // Whether forward() tells the encoder's tap what it knows of each token of layout() at its end.
    virtual bool tells_features() const { return false; }

    virtual TokenLayout layout(Size picture) const = 0;
    // The same of what queries look at, where that has other cells.
    virtual TokenLayout query_layout(Size picture) const { return layout(picture); }
    // Of one forward pass, for benchmarks.
    virtual double multiply_adds(Size picture) const = 0;
};

// find() of models with one column for each class and one, the last, for "no object": a query's
// score is the largest softmax of a class.
void find_by_softmax(Commands& c, const Tensor& found, const DetectionOutput& out,
                     const std::vector<std::string>& labels, Size frame);

// find() of models whose every class of every query is an object or none: the best of all scores,
// each the sigmoid of a logit, as many as `found` has rows.
void find_by_sigmoid(Commands& c, const Tensor& found, const DetectionOutput& out, Size frame);

// A perceptron: the heads that predict boxes, and YOLOS' classes.
struct Perceptron {
    std::vector<Linear> layers;
    Activation between = Activation::relu;
};
// `prefix`.layers.0 and so on: in to hidden, hidden to hidden, ..., hidden to out.
Perceptron load_perceptron(WeightLoader& weights, const std::string& prefix, uint32_t in,
                           uint32_t hidden, uint32_t out, uint32_t layers, Rows rows = Rows::many);
// y is f32, whatever the layers are stored as.
void perceptron_into(Commands& c, const Tensor& y, const Tensor& x, const Perceptron& w,
                     Activation last = Activation::none);
// What the last layer reads.
Tensor all_but_last(Commands& c, const Tensor& x, const Perceptron& w);
// y += the perceptron of x
void perceptron_add(Commands& c, const Tensor& y, const Tensor& x, const Perceptron& w);

}  // namespace saccade
