#pragma once

#include <string>
#include <vector>

#include "gpu/ops/products.h"
#include "gpu/recorder/commands.h"
#include "models/attention/map_geometry.h"
#include "models/attention/parts.h"
#include "models/attention/tap.h"
#include "models/picture/preprocessor.h"
#include "models/weights/weight_loader.h"

namespace saccade {
class Phrases;
}

// Detectors that predict a set: a fixed number of object queries, each of which is one object or
// "no object". There is no non-maximum suppression.

namespace saccade {

// Taps on a detector. `encoder` keeps the self-attention of the picture's tokens (in YOLOS, of all
// tokens). `decoder` keeps the cross-attention from the queries to the picture, and as its only
// hidden state the queries that the heads read. `queries` keeps the self-attention of the queries,
// `parts` inner tensors: for comparison, and the boxes after each layer of the decoder, in YOLOS of
// the encoder ("layer_boxes_0"; where all layers share the heads, "layer_logits_0").
struct DetectionTaps {
    Tap encoder, decoder, queries;
    Parts parts;
};

// The output of the heads. find() knows which columns are classes and how a logit becomes a score.
struct DetectionOutput {
    Tensor logits;  // (batch, queries, columns) f32
    Tensor boxes;   // (batch, queries, 4) f32: centre x, centre y, width, height, in 0 .. 1
    // The mask head's input, in models that have one, all (batch, ...); valid until the scope ends.
    std::vector<Tensor> for_masks = {};

    DetectionOutput at_batch(uint32_t index) const;
};

// Masks cost more than the rest of a model: only this many of the best objects get one.
constexpr uint32_t most_masks = 16;

class DetectionModel {
public:
    virtual ~DetectionModel() = default;

    virtual const std::vector<std::string>& labels() const = 0;
    // The phrases that an open-vocabulary model takes as classes; null if its classes are fixed.
    virtual Phrases* phrases() { return nullptr; }
    // For open-vocabulary models: the score of each query of one picture for each phrase, from the
    // queries that the heads read. (1, queries, phrases) f32.
    virtual Tensor likeness(Commands&, const Tensor&) const { return {}; }
    // The queries' embeddings, which can take the place of a phrase's: (1, queries, dim) f32, not
    // normalised.
    virtual Tensor query_vectors(Commands&, const Tensor&) const { return {}; }
    virtual uint32_t queries() const = 0;
    virtual uint32_t encoder_layers() const = 0;
    virtual uint32_t decoder_layers() const = 0;  // 0: queries are tokens of the encoder
    virtual uint32_t heads() const = 0;           // of the queries' attention to the picture

    // The input: patches of this size, (batch, patches, 3 * patch * patch), of type input_type().
    virtual Size patch() const = 0;
    virtual Type input_type() const = 0;
    // Prepares for pictures of this size. Nothing that was recorded for the ninth size before it
    // may still run.
    virtual void prepare(Size picture) = 0;
    virtual DetectionOutput forward(Commands& c, const Tensor& patches, Size picture,
                                    DetectionTaps& taps) const = 0;
    // Post-processing for one picture and a frame of this size. Each row of `found` is an object:
    // left, top, right and bottom in pixels of the frame, score, class, query. Unused rows have the
    // score 0.
    virtual void find(Commands& c, const Tensor& found, const DetectionOutput& out,
                      Size frame) const = 0;
    virtual uint32_t most_found() const { return queries(); }  // rows of `found`
    // The extent, in pixels of a frame of this size, that boxes of 0 .. 1 refer to.
    virtual glm::vec2 seen_of(Size frame) const { return glm::vec2(frame); }
    // The size of a mask; (0, 0): the model has no masks.
    virtual Size mask_size(Size) const { return {}; }
    // Whether the masks are panoptic: every pixel belongs to one segment, and each class of
    // "stuff", such as the sky, is one segment.
    virtual bool panoptic() const { return false; }
    // Mask logits (n, cells, 1) of at most `most_masks` queries of one picture, whose indices are
    // (1, 1, n) u32.
    virtual Tensor masks(Commands&, const DetectionOutput&, const Tensor&, Size, Parts&) const {
        return {};
    }
    // Changes the preprocessing where the weights are for another than the folder's files describe.
    // True if it did.
    virtual bool adapt(Preprocessor&) const { return false; }
    // One line where it was in doubt how to read the files: what was taken, and how to change it.
    // Empty: there was no doubt.
    virtual std::string remark() const { return {}; }
    // Whether values before the first norm exceed the range of half precision on a test picture;
    // that part is then loaded as fp32.
    virtual bool front_outgrows_half(Device&) const { return false; }

    // Whether the encoder's tap can leave tokens out: the model is a plain ViT.
    virtual bool leaves_tokens_out() const { return false; }
    // Whether the decoder's tap can leave out tokens of the encoder, so that the decoder alone does
    // not see them. A decoder that samples maps at points has no such tokens.
    virtual bool hides_tokens() const { return false; }

    // Whether forward() passes features of the tokens of layout() to the encoder's tap.
    virtual bool has_features() const { return false; }

    virtual TokenLayout layout(Size picture) const = 0;
    // The same for the map that the queries attend to, if it differs.
    virtual TokenLayout query_layout(Size picture) const { return layout(picture); }
    // Of one forward pass, for benchmarks.
    virtual double multiply_adds(Size picture) const = 0;
};

// find() for models with a column for each class and a last one for "no object": a query's score is
// the largest softmax of a class.
void find_by_softmax(Commands& c, const Tensor& found, const DetectionOutput& out,
                     const std::vector<std::string>& labels, Size frame);

// find() for models with independent classes (sigmoid): the top-k of all queries and classes, where
// k is the number of rows of `found`.
void find_by_sigmoid(Commands& c, const Tensor& found, const DetectionOutput& out, Size frame);

// A multi-layer perceptron: the heads that predict boxes, and YOLOS' classes.
struct Mlp {
    std::vector<Linear> layers;
    Activation between = Activation::relu;
};
// `prefix`.layers.0 and so on: in to hidden, hidden to hidden, ..., hidden to out.
Mlp load_mlp(WeightLoader& weights, const std::string& prefix, uint32_t in, uint32_t hidden,
             uint32_t out, uint32_t layers);
// y is f32, whatever the layers are stored as.
void mlp_into(Commands& c, const Tensor& y, const Tensor& x, const Mlp& w,
              Activation last = Activation::none);
// The input of the last layer.
Tensor all_but_last(Commands& c, const Tensor& x, const Mlp& w);
// y += MLP(x)
void mlp_add(Commands& c, const Tensor& y, const Tensor& x, const Mlp& w);

}  // namespace saccade
