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

// A classifier: a picture in, a logit for each class out.
class ClassificationModel {
public:
    virtual ~ClassificationModel() = default;

    virtual const std::vector<std::string>& labels() const = 0;
    // The size of pixel_values that it was trained on.
    virtual Size picture() const = 0;
    // Whether it takes other sizes. prepare() then prepares for one of them, and nothing that was
    // recorded for another may still be running.
    virtual bool takes_any_size() const { return false; }
    virtual void prepare(Size) {}
    virtual Remainder remainder() const { return Remainder::refused; }
    // Changes the preprocessing where the weights are for another than the folder's files describe.
    virtual void adapt(Preprocessor&) const {}
    // The input: patches of this size, (batch, patches, 3 * patch * patch), of type input_type().
    virtual Size patch() const = 0;
    virtual Type input_type() const = 0;
    // (batch, 1, classes) f32; empty for a model without a classifier, which has no labels.
    virtual Tensor logits(Commands& c, const Tensor& patches, Tap& tap) const = 0;
    // Softmax, unless the model's classes are independent.
    virtual Tensor probabilities(Commands& c, const Tensor& logits) const {
        return softmax(c, logits);
    }
    // Whether probabilities() are of each phrase by itself, and need not sum to one.
    virtual bool judges_phrases_alone() const { return false; }
    // The phrases that a zero-shot model takes as classes; null if its classes are fixed.
    virtual Phrases* phrases() { return nullptr; }
    // For zero-shot models: the probabilities of each token, as if it were the whole picture, from
    // a tap that kept hidden states. (1, tokens, phrases) f32.
    virtual Tensor likeness(Commands&, const Tap&) const { return {}; }

    // The logits that the head would give if the residual stream after some block were the last one
    // (the logit lens): (batch, 1, classes) f32. Empty: the head reads more than the stream.
    virtual Tensor lens(Commands&, const Tensor& /*stream*/) const { return {}; }
    // The logits when the stream before a layer is this one, which it overwrites; empty where the
    // model cannot begin there.
    virtual Tensor logits_from(Commands&, const Tensor& /*stream*/, uint32_t /*layer*/,
                               Tap&) const {
        return {};
    }
    // What is added to the tokens before the first block: (1, tokens, columns) f32; the class token
    // is part of its row. Empty: the model has no such positions.
    virtual Tensor positions() const { return {}; }
    // Whether KnockOuts can switch these positions off.
    virtual bool skips_positions() const { return false; }

    // Whether a tap can leave tokens out: every token goes through all layers by itself, and the
    // answer is read at a token that is not a patch.
    virtual bool leaves_tokens_out() const { return false; }

    // Layers and heads of attention. The number of heads may differ between stages.
    virtual uint32_t layers() const = 0;
    virtual uint32_t heads(uint32_t layer) const = 0;
    virtual std::vector<uint32_t> layers_of_stages() const { return {layers()}; }
    // Which of the layer's keys are cells of the picture. Its first query is the class token.
    virtual TokenLayout layout(uint32_t layer) const = 0;
    // The same for the layer's queries, whose grid may differ from that of the keys.
    virtual TokenLayout query_layout(uint32_t layer) const { return layout(layer); }
    // The same for the features (Tap::features).
    virtual TokenLayout feature_layout() const {
        return query_layout(pools_last() ? 0 : layers() - 1);
    }
    // Whether some tokens of uniform areas hold global information and get far more attention than
    // the rest (Darcet et al. 2023).
    virtual bool has_outliers() const { return false; }
    // Whether rollout is possible: all layers have the same tokens and global attention.
    virtual bool rolls_out() const { return true; }
    // Whether the last layer is attention pooling by a query that is not one of the tokens.
    virtual bool pools_last() const { return false; }

    // For one picture, for benchmarks.
    virtual double multiply_adds() const = 0;
};

}  // namespace saccade
