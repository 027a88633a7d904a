#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/arena.h"
#include "gpu/frame.h"
#include "models/caption_model.h"
#include "models/checkpoint.h"
#include "models/decoding.h"
#include "models/generation.h"
#include "models/look.h"
#include "models/picture_input.h"
#include "models/tokenizer.h"

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
};

// What a caption is asked for, where it is not what the model's files say.
struct CaptionOptions {
    std::string prompt;  // how the caption begins
    std::optional<uint32_t> beams;
    std::optional<uint32_t> max_length;  // ids, with the start token and the prompt
    std::optional<uint32_t> no_repeat;
    std::optional<double> length_penalty;
};

// A Hugging Face folder that says what a picture shows: ViT-GPT2 and BLIP. A caption is written in
// steps, so that a live loop can take a few words a frame: submit what record() has recorded, then
//   start(), advance(words) until finished(), result().
// With one beam nothing of this waits for the device but result(). One caption at a time: the next
// picture may be submitted when result() has been called.
class Captioner {
public:
    // Opens a folder; matrices are stored as `precision`. Recordings take scratch memory from
    // `scratch`, which must outlive the captioner.
    static Captioner open(Device& device, Arena& scratch, const std::filesystem::path& folder,
                          Type precision, LoadProgress progress = {});

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

    // Makes ready for frames of this size. False when it was already. Nothing that was recorded for
    // another size may still be running.
    bool prepare(ImageSize frame) { return input_.prepare(frame); }

    // Records everything from the picture to what the decoder keeps of it. Its size must have been
    // prepared. `encoder` looks at how the picture's tokens see each other.
    void record(Commands& c, const Image& image, Tap& encoder) const;
    void record(Commands& c, const Image& image) const {
        Tap nobody;
        record(c, image, nobody);
    }

    // Begins a caption of the picture whose recording has been submitted, or is done.
    void start() { decoding_->start(); }
    // Up to `words` more ids.
    void advance(uint32_t words) { decoding_->advance(words); }
    // Whether the caption is known to be at its end.
    bool finished() const { return decoding_->finished(); }
    // Waits for what has been asked for.
    Caption result();
    // GPU time of the steps of that caption.
    double steps_ms() const { return decoding_->ms(); }
    Commands::Counts counts() const { return decoding_->counts(); }

    // What a word of the caption that result() gave looked at, averaged over its pieces:
    // (1, grid height, grid width) f32, valid until the scope ends. Each piece looks from the id
    // before it, which it was predicted from.
    Tensor look_from_word(Commands& c, const Look& look, size_t first, size_t count) const;
    // The same over all tokens of the picture: (1, 1, tokens) f32.
    Tensor attention_of_word(Commands& c, const Look& look, size_t first, size_t count) const;
    // What both are made from, for a layer: the query of id i predicted id i + 1.
    TextDecoder::Looking looking(uint32_t layer) const {
        return model_->decoder().looking(decoding_->state(), layer);
    }
    MapGeometry geometry() const;

    // (1, tokens, columns): what the encoder made of the picture.
    const Tensor& encoded() const { return encoded_; }
    // What the decoder keeps of the picture: see DecoderState.
    const Tensor& memory() const { return picture_; }
    // (beams, 1, vocabulary) f32: what the last step said may come next.
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
    std::vector<CaptionWord> words_of(const Caption& caption) const;

    Device& device_;
    Arena& scratch_;
    Type precision_;
    bool blip_;
    std::unique_ptr<CaptionModel> model_;
    std::vector<Buffer> memory_;
    std::vector<std::string> unused_;
    std::unique_ptr<Tokenizer> tokenizer_;
    Generation generation_;
    std::vector<uint32_t> given_;  // how every caption begins
    PictureInput input_;
    Buffer encoded_memory_, picture_memory_, ones_memory_;
    Tensor encoded_;  // (1, tokens, columns)
    Tensor picture_;  // DecoderState's memory
    Tensor ones_;     // (1, 1, positions) f32
    std::unique_ptr<Decoding> decoding_;
};

}  // namespace saccade
