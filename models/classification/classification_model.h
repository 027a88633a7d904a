#pragma once

#include <string>
#include <vector>

#include "gpu/ops/rows.h"
#include "gpu/recorder/commands.h"
#include "models/attention/map_geometry.h"
#include "models/attention/tap.h"
#include "models/picture/picture_input.h"

namespace saccade {

class Phrases;

// What classifiers share: a picture goes in, a logit for each class comes out.
class ClassificationModel {
public:
    virtual ~ClassificationModel() = default;

    virtual const std::vector<std::string>& labels() const = 0;
    // Pixels of pixel_values that it was made for.
    virtual Size picture() const = 0;
    // Whether it takes others. Then prepare() makes it ready for those of one size, and nothing
    // that was recorded for another may still be running.
    virtual bool takes_any_size() const { return false; }
    virtual void prepare(Size) {}
    virtual Remainder remainder() const { return Remainder::refused; }
    // The picture comes as patches of this size: (batch, patches, 3 * patch * patch), stored so.
    virtual Size patch() const = 0;
    virtual Type input_type() const = 0;
    // (batch, 1, classes) f32; none from a model without a classifier, which has no labels.
    virtual Tensor logits(Commands& c, const Tensor& patches, Tap& tap) const = 0;
    // What the logits mean: one of the classes is right, unless the model says otherwise.
    virtual Tensor probabilities(Commands& c, const Tensor& logits) const {
        return softmax(c, logits);
    }
    // The classes, of a model that is told them in words; null if it was trained on its own.
    virtual Phrases* phrases() { return nullptr; }
    // Of such a model: what each token of a picture that the tap kept with its hidden states would be
    // taken for if it were the whole picture. (1, tokens, phrases) f32, as the probabilities.
    virtual Tensor likeness(Commands&, const Tap&) const { return {}; }

    // What there is to look at: layers, each with its heads. Both may differ from layer to layer in
    // models that come in stages.
    virtual uint32_t layers() const = 0;
    virtual uint32_t heads(uint32_t layer) const = 0;
    virtual std::vector<uint32_t> layers_of_stages() const { return {layers()}; }
    // Which of the layer's tokens are cells of the picture. Its first query is the class token.
    virtual TokenLayout layout(uint32_t layer) const = 0;
    // The same of the tokens that look, which may lie on another grid than what they look at.
    virtual TokenLayout query_layout(uint32_t layer) const { return layout(layer); }
    // The same of the features that every model tells its tap at its end.
    virtual TokenLayout feature_layout() const {
        return query_layout(pools_last() ? 0 : layers() - 1);
    }
    // Whether some tokens of the picture's emptier parts are used for something else, and are
    // looked at far more than the rest (Darcet et al. 2023).
    virtual bool has_outliers() const { return false; }
    // Whether all layers have the same tokens and each looks at all of them, so that attention can
    // be followed from the last layer to the first.
    virtual bool rolls_out() const { return true; }
    // Whether the last layer is one query that pools the tokens, and not one of them.
    virtual bool pools_last() const { return false; }

    // Of one picture, for benchmarks.
    virtual double multiply_adds() const = 0;
};

}  // namespace saccade
