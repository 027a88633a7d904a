#include "models/knock_outs/word_trials.h"

#include <algorithm>
#include <cmath>

#include "gpu/core/error.h"
#include "gpu/ops/elementwise.h"
#include "gpu/ops/rows.h"
#include "models/captioning/decoding_parts.h"

namespace saccade {

namespace {

// The same ids for every picture: (batch, 1, ids) u32.
OwnTensor ids_for_all(Device& device, uint32_t batch, std::span<const uint32_t> ids) {
    OwnTensor all(device, "words before", batch, 1, count(ids), Type::u32, Memory::upload);
    for (uint32_t picture = 0; picture < batch; ++picture)
        std::ranges::copy(ids, &all.at<uint32_t>(picture, 0));
    all.memory.flush();
    return all;
}

// One column of x (batch, 1, columns) f32: (batch, 1, 1).
Tensor column_of(Commands& c, const Tensor& x, uint32_t column) {
    const Tensor y = c.scratch(x.batch, 1, 1, Type::f32);
    copy_strided(c, y, {{1, 1, y.batch, padded(1)}, {0, 0, y.batch_stride, 1}, y.offset}, x,
                 Stored::f32, {{1, 1, x.batch, 1}, {0, 0, x.batch_stride, 1}, x.offset + column});
    return y;
}

}  // namespace

struct WordTrials::Decoder {
    OwnTensor encoded, memory, past, logits;
    KnockOuts* knock_outs;
    std::vector<OwnTensor> ids;  // those before the word, then each of the word's but its last

    // Of one batch, and the heads that are off in it.
    struct Seen {
        uint32_t batch, encoded, seen;  // pictures, and tokens of each
        KnockOuts* knock_outs;
    };
    Decoder(Device& device, const CaptionModel& model, Type type, const Seen& of,
            std::span<const uint32_t> words, size_t first)
        : encoded(device, "pictures as encoded", of.batch, of.encoded, model.picture().columns,
                  type),
          memory(device, "pictures as the decoder sees them", of.batch, of.seen,
                 model.memory_columns(), type),
          past(make_past(device, model.decoder(), of.batch, count(words))),
          logits(device, "logits", of.batch, 1, model.decoder().form().vocabulary, Type::f32),
          knock_outs(of.knock_outs) {
        ids.push_back(ids_for_all(device, of.batch, words.first(first)));
        for (size_t i = first; i < words.size(); ++i)
            ids.push_back(ids_for_all(device, of.batch, words.subspan(i, 1)));
    }
    DecoderState state() const { return {memory.tensor, past.tensor, knock_outs}; }
};

WordTrials::WordTrials(Device& device, Arena& scratch, const Captioner& captioner,
                       const Caption& caption, const CaptionWord& word,
                       const MaskedPicture& picture, const TrialOptions& options)
    : Trials(device, scratch, captioner.input(), captioner.precision(),
             captioner.model().picture().layout(), picture, options),
      captioner_(captioner),
      first_(word.first) {
    require_tokens(options.instead, {.left_out = captioner.model().leaves_tokens_out(),
                                     .hidden = captioner.model().hides_tokens()});
    set_heads_of_decoder_to_zero();
    if (word.first == 0 || word.count == 0 || word.first + word.count > caption.ids.size())
        throw Error("there is no word at " + std::to_string(word.first) + " of the caption");
    ids_.assign(caption.ids.begin(), caption.ids.begin() + std::ptrdiff_t(word.first + word.count));
    probabilities_ = std::vector<Download>(word.count);
}

WordTrials::~WordTrials() = default;

std::string WordTrials::decoder_layer(uint32_t layer) const {
    const CaptionModel& model = captioner_.model();
    if (!model.decoder().picture_words().empty()) return Trials::decoder_layer(layer);
    const char* const to = layer % 2 == 0                ? ", to the words"
                           : model.question_layers() > 0 ? ", to the question"
                                                         : ", to the picture";
    return Trials::decoder_layer(layer / 2) + to;
}

void WordTrials::record(Commands& c, const Tensor& patches, const Parts& parts) {
    const CaptionModel& model = captioner_.model();
    tap_.knock_out(parts.encoder);
    tap_.leave_out(parts.left_out);
    const uint32_t out = parts.left_out ? parts.left_out->left_out() : 0;
    const uint32_t hidden = parts.hidden ? parts.hidden->left_out() : 0;
    // Where a question has read the picture, the decoder sees the question.
    const uint32_t unseen = model.question_layers() > 0 ? 0 : out + hidden;
    decoder_.reset();  // gives its memory back first
    decoder_ =
        std::make_unique<Decoder>(device(), model, captioner_.precision(),
                                  Decoder::Seen{patches.batch, model.picture().tokens - out,
                                                model.memory_tokens() - unseen, parts.decoder},
                                  std::span(ids_).first(ids_.size() - 1), first_);
    Tap keeps_nothing;
    const Tensor& encoded = decoder_->encoded.tensor;
    model.encode(c, encoded, patches, tap_);
    model.memorize(c, decoder_->memory.tensor,
                   parts.hidden ? parts.hidden->of(c, encoded) : encoded, keeps_nothing);
    uint32_t words = 0;  // that the decoder has read
    for (size_t i = 0; i < probabilities_.size(); ++i) {
        auto scope = c.scope("word");
        const Tensor& next = decoder_->ids[i].tensor;
        model.decoder().read(c, decoder_->logits.tensor, next, decoder_->state(), words);
        words += next.columns;
        const Tensor all = softmax(c, decoder_->logits.tensor);
        probabilities_[i].record(c, column_of(c, all, ids_[words]));
    }
}

std::vector<Reading> WordTrials::read(uint32_t count) {
    constexpr double least = 1e-30;  // a probability that half precision has lost is not nothing
    std::vector<Reading> result(count);
    for (const Download& token : probabilities_) {
        const std::vector<float> p = token.floats();
        for (uint32_t i = 0; i < count; ++i)
            result[i].value += std::log(std::max(double(p[i]), least));
    }
    for (Reading& one : result) one.score = std::exp(one.value);
    return result;
}

}  // namespace saccade
