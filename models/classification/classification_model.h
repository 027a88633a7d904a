#pragma once

#include <string>
#include <vector>

#include "gpu/ops.h"
#include "gpu/recorder/commands.h"
#include "models/attention/map_geometry.h"
#include "models/attention/tap.h"
#include "models/picture/preprocessor.h"

namespace saccade {

class Phrases;

// What classifiers share: a picture of one size goes in, a logit for each class comes out.
class ClassificationModel {
public:
    virtual ~ClassificationModel() = default;

    virtual const std::vector<std::string>& labels() const = 0;
    virtual Size picture() const = 0;  // pixels of pixel_values; (0, 0): any size
    // Makes a model that takes any size ready for one. Nothing recorded for another may still run.
    virtual void prepare(Size) {}
    // The picture comes as patches of this size: (batch, patches, 3 * patch * patch), stored so.
    virtual Size patch() const = 0;
    virtual Type input_type() const = 0;
    // (batch, 1, classes) f32
    virtual Tensor logits(Commands& c, const Tensor& patches, Tap& tap) const = 0;
    // What the logits mean: one of the classes is right, unless the model says otherwise.
    virtual Tensor probabilities(Commands& c, const Tensor& logits) const {
        return softmax(c, logits);
    }
    // The classes, of a model that is told them in words; null if it was trained on its own.
    virtual Phrases* phrases() { return nullptr; }

    // What there is to look at: layers, each with its heads. Both may differ from layer to layer in
    // models that come in stages.
    virtual uint32_t layers() const = 0;
    virtual uint32_t heads(uint32_t layer) const = 0;
    // Which of the layer's tokens are cells of the picture. Its first query is the class token.
    virtual TokenLayout layout(uint32_t layer) const = 0;
    // Whether all layers have the same tokens and each looks at all of them, so that attention can
    // be followed from the last layer to the first.
    virtual bool rolls_out() const { return true; }

    // Of one picture, for benchmarks.
    virtual double multiply_adds() const = 0;
};

}  // namespace saccade
