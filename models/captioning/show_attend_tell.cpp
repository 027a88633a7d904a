#include "models/captioning/show_attend_tell.h"

#include <array>
#include <nlohmann/json.hpp>

#include "gpu/ops/elementwise.h"
#include "gpu/ops/rows.h"
#include "gpu/ops/words.h"
#include "models/backbone/config.h"
#include "models/backbone/resnet_config.h"

namespace saccade {

namespace {

constexpr uint32_t most_words = 1024;  // an LSTM has no position embeddings that would limit it

// Concatenates matrices of the same number of rows along their columns, which are padded as
// activations are.
HostConvolution side_by_side(const std::vector<std::vector<float>>& matrices,
                             const std::vector<uint32_t>& columns, std::vector<float> bias) {
    HostConvolution all{{}, std::move(bias)};
    for (size_t row = 0; row < all.bias.size(); ++row)
        for (size_t i = 0; i < columns.size(); ++i) {
            const auto first = matrices[i].begin() + std::ptrdiff_t(row * columns[i]);
            all.weight.insert(all.weight.end(), first, first + columns[i]);
        }
    return with_gaps(all, columns, 1);
}

// Groups of `each` rows, each padded with zeros to a multiple of eight.
HostConvolution rows_with_gaps(const HostConvolution& from, uint32_t each) {
    const size_t columns = from.weight.size() / from.bias.size(), groups = from.bias.size() / each;
    HostConvolution to{std::vector<float>(groups * padded(each) * columns),
                       std::vector<float>(groups * padded(each))};
    for (size_t group = 0; group < groups; ++group) {
        std::copy_n(&from.bias[group * each], each, &to.bias[group * padded(each)]);
        std::copy_n(&from.weight[group * each * columns], each * columns,
                    &to.weight[group * padded(each) * columns]);
    }
    return to;
}

// The columns [first, first + count) of a matrix.
std::vector<float> columns_of(const std::vector<float>& matrix, size_t wide, size_t first,
                              size_t count) {
    std::vector<float> result;
    for (size_t row = 0; row < matrix.size(); row += wide)
        result.insert(result.end(), matrix.begin() + std::ptrdiff_t(row + first),
                      matrix.begin() + std::ptrdiff_t(row + first + count));
    return result;
}

// PyTorch's LSTMCell: weight_ih reads E y and z, weight_hh reads h.
Linear load_gates(WeightLoader& weights, const std::string& name, uint32_t embedding,
                  uint32_t channels, uint32_t hidden) {
    const uint32_t in = embedding + channels, out = 4 * hidden;
    const std::vector<float> input = weights.floats(name + ".weight_ih", {out, in});
    std::vector<float> bias = weights.floats(name + ".bias_ih", {out});
    const std::vector<float> more = weights.floats(name + ".bias_hh", {out});
    for (size_t i = 0; i < bias.size(); ++i) bias[i] += more[i];
    const std::vector<uint32_t> parts = {embedding, channels, hidden};
    const HostConvolution all = side_by_side(
        {columns_of(input, in, 0, embedding), columns_of(input, in, embedding, channels),
         weights.floats(name + ".weight_hh", {out, hidden})},
        parts, std::move(bias));
    return weights.linear(rows_with_gaps(all, hidden), merged(parts));
}

}  // namespace

ShowAttendTellConfig read_show_attend_tell_config(const Json& json, const std::string& where) {
    const JsonFields fields(json, where);
    require_architecture(fields, read_model_config(fields), "show_attend_tell", "ShowAttendTell");
    ShowAttendTellConfig config;
    const JsonFields backbone = fields.object("backbone_config");
    config.backbone = read_resnet_d(backbone);
    keep_stages(backbone, config.backbone);
    config.image = fields.whole("image_size", {32, 8192});
    config.embedding = fields.whole("embedding_size", {1, 65536});
    config.hidden = fields.whole("hidden_size", {1, 65536});
    config.attention = fields.whole("attention_size", {1, 65536});
    config.vocabulary = fields.whole("vocab_size", {2, 10'000'000});
    return config;
}

AttendingLstm::AttendingLstm(WeightLoader& weights, const ShowAttendTellConfig& config)
    : TextDecoder({.layers = 1,
                   .hidden = config.hidden,
                   .heads = 1,
                   .intermediate = 0,
                   .vocabulary = config.vocabulary,
                   .positions = most_words}),
      config_(config),
      channels_(config.backbone.channels()),
      cell_at_(padded(config.hidden)),
      query_at_(2 * padded(config.hidden)),
      map_at_(padded(config.attention)) {
    const std::string in = "decoder.";
    const uint32_t words = config.vocabulary, dim = config.embedding, hidden = config.hidden;
    words_ = weights.tensor(in + "words.weight", {words, dim}, words, dim, weights.type());
    head_ = {words_, {}};
    no_positions_ = weights.table(std::vector<float>(dim), 1, dim);
    const std::array<std::string, 2> start = {in + "first_hidden", in + "first_cell"};
    start_ = weights.stacked(start, {.out = hidden, .in = channels_, .out_head = hidden});
    memory_ = weights.linear(in + "attend_place",
                             {.out = config.attention, .in = channels_, .bias = false});
    query_ = weights.linear(in + "attend_hidden",
                            {.out = config.attention, .in = hidden, .rows = Rows::few});
    score_.weight = weights.tensor(in + "attend_score.weight", {1, config.attention}, 1,
                                   config.attention, Type::f32);
    beta_ = weights.linear(in + "gate", {.out = 1, .in = hidden, .rows = Rows::few});
    gates_ = load_gates(weights, in + "lstm", dim, channels_, hidden);
    const std::vector<uint32_t> parts = {channels_, hidden};
    output_ =
        weights.linear(side_by_side({weights.floats(in + "tell_seen.weight", {dim, channels_}),
                                     weights.floats(in + "tell_hidden.weight", {dim, hidden})},
                                    parts, weights.floats(in + "tell_hidden.bias", {dim})),
                       merged(parts));
}

double AttendingLstm::multiply_adds() const {
    const double dim = config_.embedding, hidden = config_.hidden, map = channels_;
    return hidden * (config_.attention + 1) + 4 * hidden * (dim + map + hidden) +
           dim * (map + hidden) + dim * config_.vocabulary;
}

void AttendingLstm::memorize(Commands& c, const Tensor& memory, const Tensor& images) const {
    auto scope = c.scope("memorize");
    linear_into(c, memory.slice_columns(0, config_.attention), images, memory_);
    copy(c, memory.slice_columns(map_at_, channels_), images);
}

AttentionLayer AttendingLstm::cross_attention_layer(const DecoderState& state, uint32_t) const {
    AttentionLayer layer{state.past.slice_columns(query_at_, config_.attention),
                         state.memory.slice_columns(0, config_.attention),
                         {}};
    layer.additive = score_.weight;
    return layer;
}

AttendingLstm::Inputs AttendingLstm::make_inputs(Commands& c, uint32_t sentences) const {
    const uint32_t context_at = padded(config_.embedding),
                   hidden_at = context_at + padded(channels_);
    const Tensor all = c.scratch(sentences, 1, gates_.weight.columns, gates_.weight.type);
    return {all, all.slice_columns(0, config_.embedding), all.slice_columns(context_at, channels_),
            all.slice_columns(hidden_at, config_.hidden),
            all.slice_columns(context_at, all.columns - context_at)};
}

// h_0 = tanh(W_h mean(a) + b_h), c_0 = tanh(W_c mean(a) + b_c), side by side.   (section 3.1.2)
Tensor AttendingLstm::begin(Commands& c, const DecoderState& state) const {
    const Tensor start = c.scratch(state.memory.batch, 1, start_.weight.rows, Type::f32);
    auto scope = c.scope("begin");
    const Tensor mean = c.scratch(state.memory.batch, 1, channels_, start_.weight.type);
    mean_rows_into(c, mean, state.memory.slice_columns(map_at_, channels_));
    linear_into(c, start, mean, start_, Activation::tanh);
    return start;
}

// e_i = v . tanh(U a_i + W h + b), alpha = softmax(e), z = beta sum_i alpha_i a_i with
// beta = sigmoid(w . h + b).                                              (eqs. 4, 5 and 13; 4.2.1)
void AttendingLstm::attend(Commands& c, const Inputs& x, const DecoderState& state,
                           uint32_t at) const {
    auto scope = c.scope("attend");
    const AttentionLayer look = cross_attention_layer(state, 0);
    const Tensor q = look.q.slice_rows(at, 1);
    linear_into(c, q, x.hidden, query_);
    const Tensor beta = c.scratch(q.batch, 1, 1, Type::f32);
    linear_into(c, beta, x.hidden, beta_, Activation::sigmoid);
    const uint32_t each = q.batch / look.k.batch;  // sentences of a picture share its map
    additive_attention_into(c, x.context.batches_as_rows(each), q.batches_as_rows(each), look.k,
                            state.memory.slice_columns(map_at_, channels_),
                            beta.batches_as_rows(each), score_);
}

// Word `at` of each sentence: h and c from those of the word before.               (eqs. 1 to 3)
void AttendingLstm::step(Commands& c, const Inputs& x, const DecoderState& state,
                         uint32_t at) const {
    const uint32_t hidden = config_.hidden;
    const Tensor before = at > 0 ? state.past.slice_rows(at - 1, 1) : begin(c, state);
    const Tensor now = state.past.slice_rows(at, 1);
    copy(c, x.hidden, before.slice_columns(0, hidden));
    attend(c, x, state, at);
    const Tensor gates = c.scratch(now.batch, 1, gates_.weight.rows, Type::f32);
    linear_into(c, gates, x.all, gates_);
    lstm_cell(c, {now.slice_columns(cell_at_, hidden), now.slice_columns(0, hidden), x.hidden},
              gates, before.slice_columns(cell_at_, hidden));
}

void AttendingLstm::read(Commands& c, const Tensor& logits, const Tensor& ids,
                         const DecoderState& state, uint32_t first) const {
    auto scope = c.scope("LSTM");
    Tensor nowhere = no_positions_;  // the same row for every word
    nowhere.rows = ids.columns;
    nowhere.row_stride = 0;
    const Tensor words = embedding(c, ids, words_, nowhere);
    const Inputs x = make_inputs(c, ids.batch);
    for (uint32_t i = 0; i < ids.columns; ++i) {
        auto word = c.scope("word");
        copy(c, x.word, words.slice_rows(i, 1));
        step(c, x, state, first + i);
    }
    // Deep output: E (L_h h + L_z z + E y + b)                                         (eq. 7)
    const Tensor o = words.slice_rows(ids.columns - 1, 1);
    linear_add(c, o, x.output, output_);
    copy(c, x.word, o);
    linear_into(c, logits, x.word, head_);
}

ShowAttendTell::ShowAttendTell(WeightLoader& weights, const ShowAttendTellConfig& config)
    : config_(config),
      backbone_(weights, config.backbone, "backbone.model"),
      decoder_(weights, config) {}

PictureTokens ShowAttendTell::picture() const {
    const Size input(config_.image), grid = backbone_.out_size(input);
    const auto cell = static_cast<float>(backbone_.stride());
    // A cell is centred on the pixel that its convolutions are centred on.
    return {.input = input,
            .patch = {1, 1},
            .grid = grid,
            .first_cell = 0,
            .tokens = area(grid),
            .columns = config_.backbone.channels(),
            .cell = glm::vec2(cell),
            .origin = 0.5f - cell / 2};
}

void ShowAttendTell::encode(Commands& c, const Tensor& encoded, const Tensor& pixels, Tap&) const {
    auto scope = c.scope("ResNet");
    copy(c, encoded, backbone_.forward(c, pixels, Size(config_.image)));
}

double ShowAttendTell::multiply_adds() const {
    const double cells = area(backbone_.out_size(Size(config_.image)));
    return backbone_.multiply_adds(Size(config_.image)) +
           cells * config_.backbone.channels() * config_.attention;
}

}  // namespace saccade
