#include "models/captioner.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "gpu/error.h"
#include "models/blip.h"
#include "models/checkpoint.h"
#include "models/vit_gpt2.h"

namespace saccade {

namespace {

bool is_blip(const Captioner::Files& files) {
    const JsonFields fields(files.config, files.where);
    const std::string type = fields.text("model_type");
    if (type != "blip" && type != "vision-encoder-decoder")
        fields.refuse("model_type", in_quotes(type) +
                                        " is not a captioner; supported: "
                                        "vision-encoder-decoder (ViT and GPT-2), blip");
    return type == "blip";
}

// A byte-level tokenizer's first word brings its space along.
std::string stripped(const std::string& text) {
    constexpr const char* spaces = " \t\r\n";
    const size_t first = text.find_first_not_of(spaces);
    return first == text.npos ? "" : text.substr(first, text.find_last_not_of(spaces) + 1 - first);
}

Tensor in(const Buffer& memory, uint32_t rows, uint32_t columns, Type type) {
    return make_tensor(memory.handle(), 0, 1, rows, columns, type);
}

}  // namespace

Captioner Captioner::open(Device& device, Arena& scratch, const std::filesystem::path& folder,
                          Type precision, LoadProgress progress) {
    const std::filesystem::path file = config_in(folder);
    const Json config = read_json(file);
    Files files{.config = config, .where = file.string()};
    is_blip(files);  // before anything else is said of a model of another task
    const std::filesystem::path generation_file = folder / "generation_config.json";
    Json generation;
    if (std::filesystem::is_regular_file(generation_file)) {
        generation = read_json(generation_file);
        files.generation = &generation;
        files.generation_where = generation_file.string();
    }
    std::unique_ptr<Tokenizer> tokenizer = Tokenizer::open(folder);
    Preprocessor preprocessor = Preprocessor::read(folder);
    Checkpoint checkpoint(folder);
    checkpoint.tell(std::move(progress));
    return Captioner(device, scratch, files, std::move(tokenizer), std::move(preprocessor),
                     checkpoint, precision);
}

Captioner::Captioner(Device& device, Arena& scratch, const Files& files,
                     std::unique_ptr<Tokenizer> tokenizer, Preprocessor preprocessor,
                     WeightSource& weights, Type precision)
    : Captioner(device, scratch, files, std::move(tokenizer),
                load(device, files, weights, precision), std::move(preprocessor), precision) {}

Captioner::Loaded Captioner::load(Device& device, const Files& files, WeightSource& weights,
                                  Type precision) {
    WeightLoader loader(device, weights, precision, "captioner");
    std::unique_ptr<CaptionModel> model;
    if (is_blip(files))
        model = std::make_unique<Blip>(loader, read_blip_config(files.config, files.where));
    else
        model = std::make_unique<VitGpt2>(loader, read_vit_gpt2_config(files.config, files.where));
    return {std::move(model), loader.finish(), weights.unused()};
}

Captioner::Captioner(Device& device, Arena& scratch, const Files& files,
                     std::unique_ptr<Tokenizer> tokenizer, Loaded loaded, Preprocessor preprocessor,
                     Type precision)
    : device_(device),
      scratch_(scratch),
      precision_(precision),
      blip_(is_blip(files)),
      model_(std::move(loaded.model)),
      memory_(std::move(loaded.memory)),
      unused_(std::move(loaded.unused)),
      tokenizer_(std::move(tokenizer)),
      input_(device, std::move(preprocessor), model_->picture().patch) {
    const PictureTokens picture = model_->picture();
    const TextDecoderForm& form = model_->decoder().form();
    const std::optional<ImageSize> makes = input_.preprocessor().fixed_size();
    if (!makes || *makes != picture.input)
        throw Error("the model takes pictures of " + std::to_string(picture.input.width) + "x" +
                    std::to_string(picture.input.height) + ", its preprocessor makes " +
                    (makes ? std::to_string(makes->width) + "x" + std::to_string(makes->height)
                           : "any size") +
                    ": preprocessor_config.json does not match config.json");
    if (tokenizer_) tokenizer_->check_against(form.vocabulary, files.where);
    generation_ = blip_ ? read_blip_generation(files.config, files.where, form.vocabulary)
                        : read_generation(files.config, files.where, files.generation,
                                          files.generation_where, form.vocabulary);
    generation_.max_length = std::min(generation_.max_length, form.positions);

    const uint32_t kept = 2 * form.layers * form.width();
    encoded_memory_ =
        Buffer(device, "picture as encoded",
               tensor_bytes(1, picture.tokens, picture.columns, precision), Memory::device);
    picture_memory_ = Buffer(device, "picture as the decoder sees it",
                             tensor_bytes(1, picture.tokens, kept, precision), Memory::device);
    ones_memory_ =
        Buffer(device, "ones", tensor_bytes(1, 1, form.positions, Type::f32), Memory::upload);
    encoded_ = in(encoded_memory_, picture.tokens, picture.columns, precision);
    picture_ = in(picture_memory_, picture.tokens, kept, precision);
    ones_ = in(ones_memory_, 1, form.positions, Type::f32);
    std::fill_n(reinterpret_cast<float*>(ones_memory_.mapped().data()), ones_.row_stride, 1.0f);
    ones_memory_.flush();
    use({});
}

std::vector<uint32_t> Captioner::given(const std::string& prompt) const {
    std::vector<uint32_t> ids = {generation_.start};
    if (prompt.empty()) return ids;
    if (!tokenizer_)
        throw Error("a prompt needs a tokenizer, which the model's folder does not have");
    const std::vector<uint32_t> more = tokenizer_->encode(prompt, false);
    ids.insert(ids.end(), more.begin(), more.end());
    return ids;
}

void Captioner::use(const CaptionOptions& options) {
    Generation wanted = generation_;
    if (options.beams) wanted.beams = *options.beams;
    if (options.no_repeat) wanted.no_repeat = *options.no_repeat;
    if (options.length_penalty) wanted.length_penalty = *options.length_penalty;
    if (options.max_length) {
        const uint32_t most = model_->decoder().form().positions;
        if (*options.max_length > most)
            throw Error("captions of " + std::to_string(*options.max_length) +
                        " tokens are longer than the " + std::to_string(most) +
                        " that the model has positions for");
        wanted.max_length = *options.max_length;
    }
    given_ = given(options.prompt);
    decoding_.reset();  // its memory goes before more is taken
    decoding_ = Decoding::make(device_, scratch_, *model_, picture_, wanted, given_);
}

void Captioner::record(Commands& c, const Image& image, Tap& encoder) const {
    auto scope = c.scope("captioner");
    const Tensor patches = c.scratch(1, input_.patches(), input_.patch_columns(), precision_);
    input_.record(c, patches, image);
    model_->encode(c, encoded_, patches, encoder);
    model_->memorize(c, picture_, encoded_);
}

Caption Captioner::result() {
    DecodedIds decoded = decoding_->result();
    Caption caption;
    caption.ids = std::move(decoded.ids);
    caption.logs = std::move(decoded.logs);
    caption.score = decoded.score;
    if (tokenizer_) caption.text = stripped(tokenizer_->decode(caption.ids));
    caption.words = words_of(caption);
    return caption;
}

std::vector<CaptionWord> Captioner::words_of(const Caption& caption) const {
    std::vector<Word> all;
    if (tokenizer_)
        all = tokenizer_->words(caption.ids);
    else
        for (size_t i = 0; i < caption.ids.size(); ++i)
            if (!generation_.ends(caption.ids[i]))
                all.push_back({std::to_string(caption.ids[i]), i, 1});
    std::vector<CaptionWord> words;
    for (Word& word : all) {
        const size_t end = word.first + word.count;
        if (end <= given_.size()) continue;
        word.first = std::max(word.first, given_.size());  // a prompt's last word may go on
        word.count = end - word.first;
        const auto first = caption.logs.begin() + std::ptrdiff_t(word.first);
        const float log = std::accumulate(first, first + std::ptrdiff_t(word.count), 0.0f);
        words.push_back({word.text, std::exp(double(log)), word.first, word.count});
    }
    return words;
}

Tensor Captioner::attention_of_word(Commands& c, const Look& look, size_t first,
                                    size_t count) const {
    const TextDecoderForm& form = model_->decoder().form();
    if (look.layer >= form.layers)
        throw Error("there is no layer " + std::to_string(look.layer) + "; the decoder has " +
                    std::to_string(form.layers));
    if (look.head && *look.head >= form.heads)
        throw Error("there is no head " + std::to_string(*look.head) + "; the layer has " +
                    std::to_string(form.heads));
    const TextDecoder::Looking words = model_->decoder().looking(decoding_->state(), look.layer);
    if (first == 0 || count == 0 || first + count > words.q.rows + 1)
        throw Error("there is no word to look from at " + std::to_string(first));
    const auto rows = static_cast<uint32_t>(count);
    const uint32_t heads = look.head ? 1 : form.heads;
    const Tensor result = c.scratch(1, 1, words.k.rows, Type::f32);
    auto scope = c.scope("look");
    const Tensor map = c.scratch(1, heads * rows, words.k.rows, Type::f32);
    attention_map(c, map, words.q, words.k, words.heads,
                  {static_cast<uint32_t>(first) - 1, rows, look.head.value_or(0), heads});
    row_sum(c, result, ones_, map,
            {.heads = heads, .scale = 1.0f / static_cast<float>(heads * rows)});
    return result;
}

Tensor Captioner::look_from_word(Commands& c, const Look& look, size_t first, size_t count) const {
    const PictureTokens picture = model_->picture();
    return cells_of(c, attention_of_word(c, look, first, count), picture.grid, picture.first_cell);
}

MapGeometry Captioner::geometry() const {
    const PictureTokens picture = model_->picture();
    return geometry_of(input_.plan(), picture.grid, static_cast<float>(picture.patch.width),
                       static_cast<float>(picture.patch.height));
}

}  // namespace saccade
