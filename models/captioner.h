#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpu/recorder/arena.h"
#include "gpu/transfer/frame.h"
#include "models/attention/map_geometry.h"
#include "models/captioning/caption_model.h"
#include "models/captioning/decoding.h"
#include "models/captioning/generation.h"
#include "models/files/checkpoint.h"
#include "models/picture/picture_input.h"
#include "models/text/tokenizer.h"

namespace saccade {

// A word of a caption: its ids are [first, first + count).
struct CaptionWord {
    std::string text;
    double p = 0;  // the product of its tokens' probabilities
    size_t first = 0, count = 0;
};

struct Caption {
    std::vector<uint32_t> ids;     // from the start token to the end token, if it was reached
    std::vector<float> log_probs;  // of each id; 0 for the prompt
    std::string text;              // empty without a tokenizer
    // The words that the model wrote, without the prompt; without a tokenizer every id is a word.
    std::vector<CaptionWord> words;
    double score = 0;      // sum of log_probs / length ^ length_penalty
    bool answers = false;  // a question other than the default one
};

// Generation parameters that override those of the model's files.
struct CaptionOptions {
    std::string prompt;  // how the caption begins
    std::optional<uint32_t> beams;
    std::optional<uint32_t> max_length;    // ids, including the start token and the prompt
    std::optional<uint32_t> max_new = {};  // ids after the prompt
    std::optional<uint32_t> no_repeat;
    std::optional<double> length_penalty;
};

// A group of pictures as encoded on the device. Each group in flight needs its own, made by
// Captioner::make_group(). It must live until its results() have been taken, and becomes invalid
// after take_together() or when the captioner is destroyed.
class PictureGroup {
public:
    PictureGroup() = default;
    PictureGroup(PictureGroup&&) = default;
    PictureGroup& operator=(PictureGroup&& other);
    ~PictureGroup();  // waits for the submission of start()

    // (pictures, tokens, columns): the encoder's output.
    const Tensor& encoded() const { return encoded_; }

private:
    friend class Captioner;
    Buffer memory_;
    Tensor encoded_;
    std::vector<bool> filled_;            // which places have a picture
    std::unique_ptr<Commands> memorize_;  // computes the decoder's memory
    Ticket last_;
    bool submitted_ = false;
};

// A captioning model from a Hugging Face folder. A caption is decoded in steps, so that a live loop
// can decode a few words per frame: submit the recording of record(), then
//   start(), advance(words) until finished(), result().
// Only result() waits for the device, except in beam search on devices where the host chooses the
// beams.
//
// Pictures are captioned in groups, which take little longer than a single picture. Once:
//   captioner.take_together(4);
//   PictureGroup a = captioner.make_group(), b = captioner.make_group();
//   record(c_a, images_a, tap, a), record(c_b, images_b, tap, b)
// Then for each group in turn:
//   c_a.submit(), start(a), advance(words) until finished(), results().
// One group is decoded at a time: start() of the next comes after results() of the one before. The
// next group may be encoded while this one is being decoded, as long as it is recorded into another
// PictureGroup. Attention of the words is available until the next start().
class Captioner {
public:
    // Opens a folder; matrices are stored as `precision`. Recordings take scratch memory from
    // `scratch`, which must outlive the captioner. `tokenizer` is Tokenizer::open, or no_tokenizer
    // where ids are enough.
    static Captioner open(Device& device, Arena& scratch, const std::filesystem::path& folder,
                          OpenTokenizer tokenizer, Type precision, LoadProgress progress = {});

    // config.json and generation_config.json, with their names for errors.
    struct Files {
        const Json& config;
        std::string where;
        const Json* generation = nullptr;
        std::string generation_where = {};
    };
    // From any source of weights, for benchmarks and tests. Without a tokenizer captions have ids
    // only.
    Captioner(Device& device, Arena& scratch, const Files& files,
              std::unique_ptr<Tokenizer> tokenizer, Preprocessor preprocessor,
              WeightSource& weights, Type precision);

    const CaptionModel& model() const { return *model_; }
    const Tokenizer* tokenizer() const { return tokenizer_.get(); }
    const Generation& generation() const { return generation_; }
    const PictureInput& input() const { return input_; }
    Type precision() const { return precision_; }
    // Tensors of the file that the model does not use.
    const std::vector<std::string>& unused() const { return unused_; }

    // Overrides the folder's generation parameters. Records every step anew.
    void use(const CaptionOptions& options);

    // The question of a model that answers, until ask() is called.
    static constexpr const char* default_question = "What is in the picture?";
    // These heads of the decoder stay off, for all following pictures: layers as in DecoderState.
    // Records every step anew; nothing may be running.
    void keep_off(std::span<const HeadAt> heads);

    // Sets the question for all following pictures; an Error if the model only describes. Records
    // every step anew, and every PictureGroup has to be made anew. Nothing may be running.
    void ask(const std::string& question);
    void ask(std::span<const uint32_t> question);
    const std::string& question() const { return question_text_; }  // empty if it was given as ids
    // Whether the question differs from the default one.
    bool is_asked() const { return model_->answers() && question_text_ != default_question; }

    // Sets the number of pictures in a group; it is one by default. Records every step anew, and
    // every PictureGroup has to be made anew. Nothing may be running. A group need not be full,
    // which saves no time. A picture's caption is the same to the bit at any place of a group of
    // this size, whatever the other pictures are. In a group of another size rounding may differ.
    void take_together(uint32_t pictures);
    uint32_t together() const { return picture_.batch; }
    // The largest group, limited by the device's largest binding.
    uint32_t most_together() const;
    PictureGroup make_group() const { return make_group(picture_); }

    // Prepares for frames of this size; false if it is already prepared. Nothing that was recorded
    // for another size may still be running.
    bool prepare(Size frame);

    // Records preprocessing and encoding of at most together() pictures of the prepared size; null
    // leaves a place empty. `encoder` keeps the encoder's self-attention: batch i belongs to
    // picture i.
    void record(Commands& c, std::span<const Image* const> images, Tap& encoder,
                PictureGroup& group) const;
    // The same for one picture, in the captioner's own group.
    void record(Commands& c, const Image& image, Tap& encoder) {
        const Image* const images[] = {&image};
        record(c, images, encoder, own_);
    }
    void record(Commands& c, const Image& image) {
        Tap no_tap;
        record(c, image, no_tap);
    }

    // Starts decoding a group whose recording has been submitted.
    void start(PictureGroup& group);
    void start() { start(own_); }
    // Decodes up to `words` more ids of each caption.
    void advance(uint32_t words) { decoding_->advance(words); }
    // Whether all captions of the group are known to be at their ends.
    bool finished() const { return decoding_->finished(); }
    // Waits for the device. A caption for each place of the group; an empty place has no ids.
    std::vector<Caption> results();
    // The first place's.
    Caption result() { return std::move(results().front()); }
    // GPU time of the group's steps, after results().
    double steps_ms() const { return memorized_ms_ + decoding_->ms(); }
    Commands::Counts counts() const;

    // Cross-attention of a word of results(), averaged over its tokens: (1, grid height, grid
    // width) f32, valid until the scope ends. The query of a token is that of the id before it,
    // from which it was predicted. `picture` is the place in the group.
    Tensor look_from_word(Commands& c, const Look& look, size_t first, size_t count,
                          uint32_t picture = 0) const;
    // The same over all tokens of the picture: (1, 1, tokens) f32.
    Tensor attention_of_word(Commands& c, const Look& look, size_t first, size_t count,
                             uint32_t picture = 0) const;
    // The queries and keys of a layer: the query of id i predicted id i + 1.
    AttentionLayer cross_attention_layer(uint32_t layer, uint32_t picture = 0) const;
    // The same among the words; an empty q where the model has no self-attention.
    AttentionLayer self_attention_layer(uint32_t layer) const;
    MapGeometry geometry() const;
    // The same for self-attention in a layer of the encoder.
    MapGeometry encoder_geometry(uint32_t layer) const {
        return geometry_of(input_.plan(), model_->encoder_layout(layer));
    }
    // Attention from the question to the pictures that were started last, see question_layers().
    const Tap& question_tap() const { return *question_tap_; }

    // (1, tokens, columns): the encoder's output for a picture that was recorded alone.
    Tensor encoded() const { return own_.encoded().at_batch(0); }
    // The decoder's memory of the pictures, after start(): see DecoderState.
    const Tensor& memory() const { return picture_; }
    // (pictures * beams, 1, vocabulary) f32: logits of the last step.
    const Tensor& logits() const { return decoding_->logits(); }

private:
    struct Loaded {
        std::unique_ptr<CaptionModel> model;
        std::vector<Buffer> memory;
        std::vector<std::string> unused;
    };
    static Loaded load(Device& device, const Files& files, WeightSource& weights, Type precision);
    Captioner(Device& device, Arena& scratch, const Files& files,
              std::unique_ptr<Tokenizer> tokenizer, Loaded loaded, Preprocessor preprocessor,
              Type precision);

    std::vector<uint32_t> prompt_ids(const std::string& prompt) const;
    std::unique_ptr<Decoding> make_decoding(const CaptionOptions& options, const Tensor& memory,
                                            std::span<const uint32_t> prompt) const;
    PictureGroup make_group(const Tensor& memory) const;
    Caption caption_of(DecodedIds decoded) const;
    void place_tokens();
    Tensor attention_in_past(Commands& c, const Look& look, size_t first, size_t count,
                             uint32_t picture) const;
    std::vector<CaptionWord> words_of(const Caption& caption) const;

    Device& device_;
    Arena& scratch_;
    Type precision_;
    std::unique_ptr<CaptionModel> model_;
    std::vector<Buffer> memory_;
    std::vector<std::string> unused_;
    std::unique_ptr<Tokenizer> tokenizer_;
    Generation generation_;
    CaptionOptions options_;
    std::vector<uint32_t> prompt_ids_;  // that every caption begins with
    std::vector<HeadAt> off_;
    std::unique_ptr<KnockOuts> knock_outs_;  // of the decoder; null: no head is off
    PictureInput input_;
    std::unique_ptr<Tap> question_tap_;
    std::string question_text_;  // empty if the question was given as ids
    Buffer places_memory_;  // positions of the picture's tokens, for models that read it as words
    Tensor places_, tile_cells_, whole_cells_;
    Buffer picture_memory_, ones_memory_;
    Tensor picture_;    // DecoderState's memory
    Tensor ones_;       // (1, 1, positions) f32
    PictureGroup own_;  // for pictures that are recorded alone
    // The started group's computation of the decoder's memory; null once it is known to be done.
    Commands* memorize_ = nullptr;
    Ticket memorized_;
    double memorized_ms_ = 0;
    std::unique_ptr<Decoding> decoding_;
};

}  // namespace saccade
