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

// A word of a caption: ids [first, first + count) of it.
struct CaptionWord {
    std::string text;
    double p = 0;  // the product of its pieces' probabilities
    size_t first = 0, count = 0;
};

struct Caption {
    std::vector<uint32_t> ids;  // the start token first, the end token last where it came
    std::vector<float> logs;    // logarithm of each one's probability, 0 where it was given
    std::string text;           // empty without a tokenizer
    // Those that the model wrote, not those of a prompt; without a tokenizer an id is a word.
    std::vector<CaptionWord> words;
    double score = 0;  // sum of logs over length ^ length_penalty
    bool answers = false;  // a question that somebody asked
};

// What a caption is asked for, where it is not what the model's files say.
struct CaptionOptions {
    std::string prompt;  // how the caption begins
    std::optional<uint32_t> beams;
    std::optional<uint32_t> max_length;  // ids, with the start token and the prompt
    std::optional<uint32_t> max_new = {};  // ids after these
    std::optional<uint32_t> no_repeat;
    std::optional<double> length_penalty;
};

// A group of pictures as the captioner's encoder leaves them on the device. Each group on its way
// needs one of its own, made by Captioner::make_group(). It must stay until its results() have been
// taken, and is of no use after take_together() or when the captioner is gone.
class PictureGroup {
public:
    PictureGroup() = default;
    PictureGroup(PictureGroup&&) = default;
    PictureGroup& operator=(PictureGroup&& other);
    ~PictureGroup();  // waits for what start() has submitted

    // (pictures, tokens, columns): what the encoder made of them.
    const Tensor& encoded() const { return encoded_; }

private:
    friend class Captioner;
    Buffer memory_;
    Tensor encoded_;
    std::vector<bool> filled_;            // which places have a picture
    std::unique_ptr<Commands> memorize_;  // from here to the decoder's own memory
    Ticket last_;
    bool submitted_ = false;
};

// A Hugging Face folder that says what a picture shows. A caption is written in
// steps, so that a live loop can take a few words a frame: submit what record() has recorded, then
//   start(), advance(words) until finished(), result().
// With one beam, and with more on devices that choose among them, nothing of this waits for the device
// but result().
//
// Pictures are captioned in groups, which take little longer than one picture does. Once:
//   captioner.take_together(4);
//   PictureGroup a = captioner.make_group(), b = captioner.make_group();
//   record(c_a, images_a, tap, a), record(c_b, images_b, tap, b)
// Then for each group, in turns:
//   c_a.submit(), start(a), advance(words) until finished(), results().
// One group is decoded at a time: start() of the next comes after results() of the one before. Its
// encoding may be submitted much earlier, while this one is still being decoded, as long as it is
// recorded into another PictureGroup. What the words looked at can be asked until the next start().
class Captioner {
public:
    // Opens a folder; matrices are stored as `precision`. Recordings take scratch memory from
    // `scratch`, which must outlive the captioner. `tokenizer` is Tokenizer::open, or no_tokenizer
    // if captions as ids are enough.
    static Captioner open(Device& device, Arena& scratch, const std::filesystem::path& folder,
                          OpenTokenizer tokenizer, Type precision, LoadProgress progress = {});

    // What config.json and generation_config.json say, and their names for errors.
    struct Files {
        const Json& config;
        std::string where;
        const Json* generation = nullptr;
        std::string generation_where = {};
    };
    // From any source of weights, for benchmarks and tests. Without a tokenizer captions are ids.
    Captioner(Device& device, Arena& scratch, const Files& files,
              std::unique_ptr<Tokenizer> tokenizer, Preprocessor preprocessor,
              WeightSource& weights, Type precision);

    const CaptionModel& model() const { return *model_; }
    const Tokenizer* tokenizer() const { return tokenizer_.get(); }
    const Generation& generation() const { return generation_; }
    const PictureInput& input() const { return input_; }
    Type precision() const { return precision_; }
    // Tensors of the file that the model has no use for.
    const std::vector<std::string>& unused() const { return unused_; }

    // Captions are as the folder says until something else is asked for. Records every step.
    void use(const CaptionOptions& options);

    // What a model that answers is asked until somebody asks it something else.
    static constexpr const char* any_question = "What is in the picture?";
    // Asks about the pictures from now on, of a model that answers: an Error if it only describes.
    // Records every step anew, and every PictureGroup has to be made anew. Nothing may be running.
    void ask(const std::string& question);
    void ask(std::span<const uint32_t> question);
    const std::string& question() const { return asked_; }  // in words; empty if there are none
    // Whether somebody has asked for something else than what it asks by itself.
    bool is_asked() const { return model_->answers() && asked_ != any_question; }

    // How many pictures a group has: one until something else is asked for. Records every step
    // anew; every PictureGroup has to be made anew, too. Nothing may be running. A group need not
    // be full, and takes as long then: a picture's caption is the same to the bit wherever it lies
    // in a group of this size, and whatever the others are. In a group of another size it may
    // differ in rounding.
    void take_together(uint32_t pictures);
    uint32_t together() const { return picture_.batch; }
    // As many as the device can see of the decoder's memory in one binding.
    uint32_t most_together() const;
    PictureGroup make_group() const { return make_group(picture_); }

    // Makes ready for frames of this size. False when it was already. Nothing that was recorded for
    // another size may still be running.
    bool prepare(Size frame);

    // Records everything from the pictures to what the encoder makes of them. Their size must have
    // been prepared. At most together() pictures; null is a place that stays empty. `encoder` looks
    // at how a picture's tokens see each other: batch i of what it keeps is picture i's.
    void record(Commands& c, std::span<const Image* const> images, Tap& encoder,
                PictureGroup& group) const;
    // The same for one picture, in a group of the captioner's own.
    void record(Commands& c, const Image& image, Tap& encoder) {
        const Image* const images[] = {&image};
        record(c, images, encoder, own_);
    }
    void record(Commands& c, const Image& image) {
        Tap nobody;
        record(c, image, nobody);
    }

    // Begins captions of the group whose recording has been submitted, or is done.
    void start(PictureGroup& group);
    void start() { start(own_); }
    // Up to `words` more ids of each caption.
    void advance(uint32_t words) { decoding_->advance(words); }
    // Whether all captions of the group are known to be at their ends.
    bool finished() const { return decoding_->finished(); }
    // Waits for what has been asked for: a caption for each place of the group, without ids if that
    // is empty.
    std::vector<Caption> results();
    // The first place's.
    Caption result() { return std::move(results().front()); }
    // GPU time of the steps of that group, after results().
    double steps_ms() const { return memorized_ms_ + decoding_->ms(); }
    Commands::Counts counts() const;

    // What a word of a caption that results() gave looked at, averaged over its pieces:
    // (1, grid height, grid width) f32, valid until the scope ends. Each piece looks from the id
    // before it, which it was predicted from. `picture` is its place in the group.
    Tensor look_from_word(Commands& c, const Look& look, size_t first, size_t count,
                          uint32_t picture = 0) const;
    // The same over all tokens of the picture: (1, 1, tokens) f32.
    Tensor attention_of_word(Commands& c, const Look& look, size_t first, size_t count,
                             uint32_t picture = 0) const;
    // What both are made from, for a layer: the query of id i predicted id i + 1.
    AttentionLayer cross_attention_layer(uint32_t layer, uint32_t picture = 0) const;
    MapGeometry geometry() const;
    // The same of how the picture's tokens look at each other in a layer of the encoder.
    MapGeometry encoder_geometry(uint32_t layer) const {
        return geometry_of(input_.plan(), model_->encoder_layout(layer));
    }
    // How the question looked at the pictures that were started last, if the model answers so.
    const Tap& question_tap() const { return *question_; }

    // (1, tokens, columns): what the encoder made of a picture that was recorded alone.
    Tensor encoded() const { return own_.encoded().at_batch(0); }
    // What the decoder keeps of the pictures, after start(): see DecoderState.
    const Tensor& memory() const { return picture_; }
    // (pictures * beams, 1, vocabulary) f32: what the last step said may come next.
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

    std::vector<uint32_t> given(const std::string& prompt) const;
    std::unique_ptr<Decoding> make_decoding(const CaptionOptions& options, const Tensor& memory,
                                            std::span<const uint32_t> given) const;
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
    CaptionOptions options_;       // what has been asked for
    std::vector<uint32_t> given_;  // how every caption begins
    PictureInput input_;
    std::unique_ptr<Tap> question_;
    std::string asked_;     // the question, in words; empty if it was given as ids
    Buffer places_memory_;  // where the picture's tokens are, for maps of models that read it as words
    Tensor places_, tile_cells_, whole_cells_;
    Buffer picture_memory_, ones_memory_;
    Tensor picture_;    // DecoderState's memory
    Tensor ones_;       // (1, 1, positions) f32
    PictureGroup own_;  // of pictures that are recorded alone
    // How the group that has been started gets to the decoder; null when that is known to be done.
    Commands* memorize_ = nullptr;
    Ticket memorized_;
    double memorized_ms_ = 0;
    std::unique_ptr<Decoding> decoding_;
};

}  // namespace saccade
