#pragma once

#include <string>

#include "gpu/ops/attention.h"
#include "gpu/ops/products.h"
#include "models/backbone/resnet.h"
#include "models/captioning/caption_model.h"
#include "models/captioning/text_decoder.h"
#include "models/files/json.h"
#include "models/weights/weight_loader.h"

// Show, Attend and Tell (Xu et al. 2015) with soft attention: an LSTM decodes word by word and
// attends to the cells of a convolutional map before each. The paper's notation: a_i are the cells
// (annotation vectors), E the word embeddings, y a word, h and c the LSTM's state, z the context
// vector.

namespace saccade {

struct ShowAttendTellConfig {
    ResNetConfig backbone;
    uint32_t image = 0;  // pixels of a side
    uint32_t embedding = 0, hidden = 0, attention = 0, vocabulary = 0;
};
ShowAttendTellConfig read_show_attend_tell_config(const Json& json, const std::string& where);

// DecoderState holds U a_i and a_i of each picture, and h, c and the query W h + b of each word.
class AttendingLstm : public TextDecoder {
public:
    AttendingLstm(WeightLoader& weights, const ShowAttendTellConfig& config);

    // The state is carried from word to word, where rounding would add up.
    Type type() const override { return Type::f32; }
    bool chains() const override { return false; }
    double multiply_adds() const override;
    uint32_t past_columns() const override { return query_at_ + padded(config_.attention); }
    uint32_t memory_columns() const { return map_at_ + channels_; }

    void memorize(Commands& c, const Tensor& memory, const Tensor& images) const override;
    void read(Commands& c, const Tensor& logits, const Tensor& ids, const DecoderState& state,
              uint32_t first) const override;
    AttentionLayer cross_attention_layer(const DecoderState& state, uint32_t layer) const override;
    AttentionLayer self_attention_layer(const DecoderState&, uint32_t) const override { return {}; }

private:
    // The input of a step's products, concatenated: E y, z and h.
    struct Inputs {
        Tensor all, word, context, hidden;
        Tensor output;  // z and h
    };
    Inputs make_inputs(Commands& c, uint32_t sentences) const;
    Tensor begin(Commands& c, const DecoderState& state) const;
    void attend(Commands& c, const Inputs& x, const DecoderState& state, uint32_t at) const;
    void step(Commands& c, const Inputs& x, const DecoderState& state, uint32_t at) const;

    ShowAttendTellConfig config_;
    uint32_t channels_;            // of a_i
    uint32_t cell_at_, query_at_;  // first columns of c and the query in DecoderState's past
    uint32_t map_at_;              // first column of a_i in DecoderState's memory
    Tensor words_;                 // E: (vocabulary, embedding)
    Tensor no_positions_;          // (1, embedding) f32: zeros
    Linear start_;                 // h_0 and c_0 from the mean of a_i: (2 * hidden, channels)
    Linear query_;                 // W and b: (attention, hidden)
    Linear beta_;                  // (1, hidden)
    Additive score_;               // v: (attention)
    Linear gates_;                 // i, f, g, o: (4 * hidden, embedding + channels + hidden)
    Linear output_;                // L_z and L_h: (embedding, channels + hidden)
    Linear head_;                  // tied to E
};

class ShowAttendTell : public CaptionModel {
public:
    ShowAttendTell(WeightLoader& weights, const ShowAttendTellConfig& config);

    const TextDecoder& decoder() const override { return decoder_; }
    PictureTokens picture() const override;
    void encode(Commands& c, const Tensor& encoded, const Tensor& pixels, Tap& tap) const override;
    uint32_t encoder_layers() const override { return 0; }  // convolutions have no attention
    uint32_t memory_columns() const override { return decoder_.memory_columns(); }
    Generation read_generation(const Json& config, const std::string& where, const Json* file,
                               const std::string& file_where) const override {
        return saccade::read_generation(config, where, file, file_where, config_.vocabulary);
    }
    double multiply_adds() const override;

private:
    ShowAttendTellConfig config_;
    ResNet backbone_;
    AttendingLstm decoder_;
};

}  // namespace saccade
