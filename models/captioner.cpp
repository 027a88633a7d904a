#include "models/captioner.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <utility>

#include "gpu/core/error.h"
#include "gpu/ops/attention.h"
#include "gpu/ops/rows.h"
#include "models/attention/attention_maps.h"
#include "models/captioning/decoding_parts.h"
#include "models/files/checkpoint.h"
#include "models/registry/registry.h"
#include "models/weights/weight_loader.h"

namespace saccade {

namespace {

std::unique_ptr<Tap> tap_on(uint32_t layers) {
    std::set<uint32_t> all;
    for (uint32_t i = 0; i < layers; ++i) all.insert(i);
    return std::make_unique<Tap>(std::move(all), true);
}

// Byte-level BPE decodes the first word with a leading space.
std::string stripped(const std::string& text) {
    constexpr const char* spaces = " \t\r\n";
    const size_t first = text.find_first_not_of(spaces);
    return first == text.npos ? "" : text.substr(first, text.find_last_not_of(spaces) + 1 - first);
}

// The ids after the model's prompt: the question is not part of the answer.
std::span<const uint32_t> without_prompt(const Caption& caption, const CaptionModel& model) {
    const std::span<const uint32_t> ids(caption.ids);
    return ids.subspan(std::min(model.prompt().size(), ids.size()));
}

}  // namespace

Captioner Captioner::open(Device& device, Arena& scratch, const std::filesystem::path& folder,
                          OpenTokenizer tokenizer, Type precision, LoadProgress progress) {
    const std::filesystem::path file = config_in(folder);
    const Json config = read_json(file);
    Files files{.config = config, .where = file.string()};
    family_for(Task::caption, config, files.where);  // reports another kind of model first
    const std::filesystem::path generation_file = folder / "generation_config.json";
    Json generation;
    if (std::filesystem::is_regular_file(generation_file)) {
        generation = read_json(generation_file);
        files.generation = &generation;
        files.generation_where = generation_file.string();
    }
    std::unique_ptr<Tokenizer> text = tokenizer(folder);
    Preprocessor preprocessor = read_preprocessor(folder, config, files.where);
    Checkpoint checkpoint(folder);
    checkpoint.on_progress(std::move(progress));
    return Captioner(device, scratch, files, std::move(text), std::move(preprocessor), checkpoint,
                     precision);
}

Captioner::Captioner(Device& device, Arena& scratch, const Files& files,
                     std::unique_ptr<Tokenizer> tokenizer, Preprocessor preprocessor,
                     WeightSource& weights, Type precision)
    : Captioner(device, scratch, files, std::move(tokenizer),
                load(device, files, weights, precision), std::move(preprocessor), precision) {}

Captioner::Loaded Captioner::load(Device& device, const Files& files, WeightSource& weights,
                                  Type precision) {
    WeightLoader loader(device, weights, precision, "captioner");
    const Family& family = family_for(Task::caption, files.config, files.where);
    auto model =
        std::get<Family::Captioner>(family.make)({files.config, files.where, loader, loader});
    return {std::move(model), loader.finish(), weights.unused()};
}

Captioner::Captioner(Device& device, Arena& scratch, const Files& files,
                     std::unique_ptr<Tokenizer> tokenizer, Loaded loaded, Preprocessor preprocessor,
                     Type precision)
    : device_(device),
      scratch_(scratch),
      precision_(precision),
      model_(std::move(loaded.model)),
      memory_(std::move(loaded.memory)),
      unused_(std::move(loaded.unused)),
      tokenizer_(std::move(tokenizer)),
      input_(device, std::move(preprocessor), model_->picture().patch),
      question_tap_(std::make_unique<Tap>()) {
    const PictureTokens picture = model_->picture();
    const TextDecoderForm& form = model_->decoder().form();
    const std::optional<Size> makes = input_.preprocessor().fixed_size();
    if (!makes || *makes != picture.input)
        throw Error(
            "the model takes pictures of " + std::to_string(picture.input.x) + "x" +
            std::to_string(picture.input.y) + ", its preprocessor makes " +
            (makes ? std::to_string(makes->x) + "x" + std::to_string(makes->y) : "any size") +
            ": preprocessor_config.json does not match config.json");
    if (tokenizer_) tokenizer_->check_against(form.vocabulary, files.where);
    generation_ = model_->read_generation(files.config, files.where, files.generation,
                                          files.generation_where);
    generation_.max_length = std::min(generation_.max_length, form.positions);

    ones_memory_ =
        Buffer(device, "ones", tensor_bytes(1, 1, form.positions, Type::f32), Memory::upload);
    ones_ = make_tensor(ones_memory_.handle(), 0, 1, 1, form.positions, Type::f32);
    std::fill_n(reinterpret_cast<float*>(ones_memory_.mapped().data()), ones_.row_stride, 1.0f);
    ones_memory_.flush();
    if (const uint32_t layers = model_->question_layers()) question_tap_ = tap_on(layers);
    if (model_->answers() && tokenizer_)
        ask(default_question);
    else
        take_together(1);
}

void Captioner::ask(const std::string& question) {
    if (!model_->answers())
        throw Error(
            "the captioner describes pictures and takes no question; models that answer are "
            "Salesforce/blip-vqa-base and HuggingFaceTB/SmolVLM-256M-Instruct");
    if (stripped(question).empty()) throw Error("the question is empty");
    if (!tokenizer_)
        throw Error("a question needs a tokenizer, which the model's folder does not have");
    ask(tokenizer_->encode(model_->chat_prompt(question)));
    question_text_ = question;
}

void Captioner::ask(std::span<const uint32_t> question) {
    model_->ask(question);
    question_text_.clear();
    place_tokens();
    take_together(std::max(together(), 1u));
}

bool Captioner::prepare(Size frame) {
    const bool changed = input_.prepare(frame);
    if (changed && model_->cut_into(input_.tiles()) && !question_text_.empty())
        ask(std::string(question_text_));  // the prompt has a place for each tile
    return changed;
}

// Uploads three tables of indices in one buffer.
void Captioner::place_tokens() {
    const std::span<const uint32_t> words = model_->decoder().picture_words();
    if (words.empty()) return;
    const CaptionModel::TokenMap map = model_->token_map();
    struct Table {
        Tensor* to;
        std::span<const uint32_t> values;
        uint32_t rows, columns;
    };
    const Table tables[] = {
        {&places_, words, 1, static_cast<uint32_t>(words.size())},
        {&tile_cells_, map.tiles, map.grid.y, map.grid.x},
        {&whole_cells_, map.whole, map.whole.empty() ? 0 : map.grid.y, map.grid.x}};
    uint64_t bytes = 0;
    for (const Table& table : tables)
        bytes += (tensor_bytes(1, table.rows, table.columns, Type::u32) + 255) / 256 * 256;
    places_memory_ = Buffer(device_, "places of picture tokens", bytes, Memory::upload);
    uint64_t at = 0;
    for (const Table& table : tables) {
        *table.to = {};
        if (table.values.empty()) continue;
        *table.to =
            make_tensor(places_memory_.handle(), at, 1, table.rows, table.columns, Type::u32);
        auto* const out = reinterpret_cast<uint32_t*>(places_memory_.mapped().data() + at);
        for (size_t i = 0; i < table.values.size(); ++i)
            out[i / table.columns * table.to->row_stride + i % table.columns] = table.values[i];
        at += (table.to->bytes + 255) / 256 * 256;
    }
    places_memory_.flush();
}

std::vector<uint32_t> Captioner::prompt_ids(const std::string& prompt) const {
    std::vector<uint32_t> ids(model_->prompt().begin(), model_->prompt().end());
    if (ids.empty()) ids.push_back(generation_.start);
    if (prompt.empty()) return ids;
    if (!tokenizer_)
        throw Error("a prompt needs a tokenizer, which the model's folder does not have");
    const std::vector<uint32_t> more = tokenizer_->encode(prompt, false);
    ids.insert(ids.end(), more.begin(), more.end());
    return ids;
}

std::unique_ptr<Decoding> Captioner::make_decoding(const CaptionOptions& options,
                                                   const Tensor& memory,
                                                   std::span<const uint32_t> prompt) const {
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
    if (const uint32_t more = options.max_new.value_or(wanted.max_new);
        more > 0 && !options.max_length)
        wanted.max_length = std::min(static_cast<uint32_t>(prompt.size()) + more,
                                     model_->decoder().form().positions);
    return Decoding::make(device_, scratch_, *model_, memory, wanted, prompt, knock_outs_.get());
}

void Captioner::use(const CaptionOptions& options) {
    // An Error leaves the old state untouched.
    std::vector<uint32_t> begins = prompt_ids(options.prompt);
    decoding_ = make_decoding(options, picture_, begins);
    prompt_ids_ = std::move(begins);
    options_ = options;
}

void Captioner::keep_off(std::span<const HeadAt> heads) {
    if (std::ranges::equal(heads, off_)) return;
    std::unique_ptr<KnockOuts> wanted;
    if (!heads.empty()) {
        wanted = std::make_unique<KnockOuts>();
        wanted->keep_off(heads);
    }
    std::swap(knock_outs_, wanted);
    try {
        use(options_);  // the recordings before read the knock-outs before
    } catch (...) {
        std::swap(knock_outs_, wanted);
        throw;
    }
    off_.assign(heads.begin(), heads.end());
}

uint32_t Captioner::most_together() const {
    const uint64_t of_a_picture =
        tensor_bytes(1, model_->memory_tokens(), model_->memory_columns(), precision_);
    const uint64_t most = device_.limits().storage_range / of_a_picture;
    return static_cast<uint32_t>(std::clamp<uint64_t>(most, 1, UINT32_MAX));
}

void Captioner::take_together(uint32_t pictures) {
    if (pictures == 0 || pictures > most_together())
        throw Error(std::to_string(pictures) + " pictures cannot be captioned together on " +
                    device_.info().name + ": it takes 1 to " + std::to_string(most_together()));
    const uint32_t tokens = model_->memory_tokens(), columns = model_->memory_columns();
    Buffer memory(device_, "pictures as the decoder sees them",
                  tensor_bytes(pictures, tokens, columns, precision_), Memory::device);
    const Tensor picture = make_tensor(memory.handle(), 0, pictures, tokens, columns, precision_);
    std::vector<uint32_t> begins = prompt_ids(options_.prompt);
    std::unique_ptr<Decoding> decoding = make_decoding(options_, picture, begins);
    PictureGroup own = make_group(picture);
    decoding_ = std::move(decoding);
    own_ = std::move(own);
    prompt_ids_ = std::move(begins);
    picture_memory_ = std::move(memory);
    picture_ = picture;
    memorize_ = nullptr;
}

PictureGroup Captioner::make_group(const Tensor& memory) const {
    const PictureTokens picture = model_->picture();
    PictureGroup group;
    group.memory_ = Buffer(device_, "pictures as encoded",
                           tensor_bytes(memory.batch, picture.tokens, picture.columns, precision_),
                           Memory::device);
    group.encoded_ = make_tensor(group.memory_.handle(), 0, memory.batch, picture.tokens,
                                 picture.columns, precision_);
    group.filled_.assign(memory.batch, false);
    group.memorize_ = std::make_unique<Commands>(device_, scratch_, "pictures for the decoder");
    group.memorize_->begin();
    model_->memorize(*group.memorize_, memory, group.encoded_, *question_tap_);
    group.memorize_->end();
    return group;
}

PictureGroup& PictureGroup::operator=(PictureGroup&& other) {
    if (this == &other) return *this;
    PictureGroup before(std::move(*this));  // its destructor waits
    memory_ = std::move(other.memory_);
    encoded_ = other.encoded_;
    filled_ = std::move(other.filled_);
    memorize_ = std::move(other.memorize_);
    last_ = other.last_;
    submitted_ = other.submitted_;
    return *this;
}

PictureGroup::~PictureGroup() {
    if (memorize_ && submitted_) wait_unless_lost(memorize_->device(), last_);
}

void Captioner::record(Commands& c, std::span<const Image* const> images, Tap& encoder,
                       PictureGroup& group) const {
    if (images.size() > together() || group.encoded_.batch != together())
        throw Error("the captioner takes " + std::to_string(together()) +
                    " pictures together, these are " + std::to_string(images.size()) +
                    " in a group of " + std::to_string(group.encoded_.batch));
    auto scope = c.scope("captioner");
    const uint32_t tiles = input_.tile_count();
    const Tensor patches =
        c.scratch(together() * tiles, input_.patches(), input_.patch_columns(), precision_);
    group.filled_.assign(together(), false);
    for (uint32_t i = 0; i < images.size(); ++i) {
        if (!images[i]) continue;
        input_.record_tiles(c, patches, i * tiles, *images[i]);
        group.filled_[i] = true;
    }
    model_->encode(c, group.encoded_, patches, encoder);
}

void Captioner::start(PictureGroup& group) {
    if (!group.memorize_ || group.encoded_.batch != together())
        throw Error("a group of pictures was made before take_together() was called");
    group.last_ = group.memorize_->submit();
    group.submitted_ = true;
    memorize_ = group.memorize_.get();
    memorized_ = group.last_;
    memorized_ms_ = 0;
    decoding_->start(group.filled_);
}

std::vector<Caption> Captioner::results() {
    std::vector<Caption> captions;
    for (DecodedIds& decoded : decoding_->results())
        captions.push_back(caption_of(std::move(decoded)));
    if (Commands* memorize = std::exchange(memorize_, nullptr)) {
        memorize->wait(memorized_);
        memorized_ms_ = total_ms(memorize->times());
    }
    return captions;
}

Commands::Counts Captioner::counts() const {
    Commands::Counts all = decoding_->counts();
    all += own_.memorize_->counts();
    return all;
}

Caption Captioner::caption_of(DecodedIds decoded) const {
    Caption caption;
    caption.ids = std::move(decoded.ids);
    caption.log_probs = std::move(decoded.log_probs);
    caption.score = decoded.score;
    if (tokenizer_) caption.text = stripped(tokenizer_->decode(without_prompt(caption, *model_)));
    caption.words = words_of(caption);
    caption.answers = is_asked();
    return caption;
}

std::vector<CaptionWord> Captioner::words_of(const Caption& caption) const {
    std::vector<Word> all;
    const std::span<const uint32_t> said = without_prompt(caption, *model_);
    if (tokenizer_) {
        all = tokenizer_->words(said);
        for (Word& word : all) word.first += caption.ids.size() - said.size();
    } else {
        for (size_t i = 0; i < caption.ids.size(); ++i)
            if (!generation_.ends(caption.ids[i]))
                all.push_back({std::to_string(caption.ids[i]), i, 1});
    }
    std::vector<CaptionWord> words;
    for (Word& word : all) {
        const size_t end = word.first + word.count;
        if (end <= prompt_ids_.size()) continue;
        word.first =
            std::max(word.first, prompt_ids_.size());  // it may continue the prompt's last word
        word.count = end - word.first;
        const auto first = caption.log_probs.begin() + std::ptrdiff_t(word.first);
        const float log = std::accumulate(first, first + std::ptrdiff_t(word.count), 0.0f);
        words.push_back({word.text, std::exp(double(log)), word.first, word.count});
    }
    return words;
}

AttentionLayer Captioner::cross_attention_layer(uint32_t layer, uint32_t picture) const {
    AttentionLayer from = model_->decoder().cross_attention_layer(decoding_->state(), layer);
    from.q = from.q.at_batch(picture);
    from.k = from.k.at_batch(picture);
    return from;
}

AttentionLayer Captioner::self_attention_layer(uint32_t layer) const {
    AttentionLayer from = model_->decoder().self_attention_layer(decoding_->state(), layer);
    if (!from.q) return from;
    from.q = from.q.at_batch(0);
    from.k = from.k.at_batch(0);
    return from;
}

Tensor Captioner::attention_of_word(Commands& c, const Look& look, size_t first, size_t count,
                                    uint32_t picture) const {
    const TextDecoderForm& form = model_->decoder().form();
    if (look.layer >= form.layers)
        throw Error("there is no layer " + std::to_string(look.layer) + "; the decoder has " +
                    std::to_string(form.layers));
    if (look.head && *look.head >= form.heads)
        throw Error("there is no head " + std::to_string(*look.head) + "; the layer has " +
                    std::to_string(form.heads));
    if (!model_->decoder().picture_words().empty())
        return attention_in_past(c, look, first, count, picture);
    const AttentionLayer words = cross_attention_layer(look.layer, picture);
    if (first == 0 || count == 0 || first + count > words.q.rows + 1)
        throw Error("there is no word to look from at " + std::to_string(first));
    const auto rows = static_cast<uint32_t>(count);
    const uint32_t heads = look.head ? 1 : form.heads;
    const Tensor result = c.scratch(1, 1, words.k.rows, Type::f32);
    auto scope = c.scope("look");
    const Tensor map = c.scratch(1, heads * rows, words.k.rows, Type::f32);
    attention_rows(c, map, words,
                   {static_cast<uint32_t>(first) - 1, rows, look.head.value_or(0), heads});
    row_sum(c, result, ones_, map,
            {.heads = heads, .scale = 1.0f / static_cast<float>(heads * rows)});
    return result;
}

// For models that read the picture as words: attention to the picture's tokens among the words
// before.
Tensor Captioner::attention_in_past(Commands& c, const Look& look, size_t first, size_t count,
                                    uint32_t picture) const {
    const AttentionLayer words = cross_attention_layer(look.layer, picture);
    if (first <= places_.columns || count == 0 || first + count > words.q.rows + 1)
        throw Error("there is no word to look from at " + std::to_string(first));
    const uint32_t heads = look.head ? 1 : words.heads.count;
    const Tensor result = c.scratch(1, 1, places_.columns, Type::f32);
    auto scope = c.scope("look");
    for (size_t i = 0; i < count; ++i) {
        const auto keys = static_cast<uint32_t>(first + i);
        const Tensor map = c.scratch(1, heads, keys, Type::f32);
        const Tensor mean = c.scratch(1, 1, keys, Type::f32);
        attention_map(c, map, words.q, words.k.slice_rows(0, keys), words.heads,
                      {keys - 1, 1, look.head.value_or(0), heads});
        row_sum(c, mean, ones_, map, {.heads = heads, .scale = 1.0f / static_cast<float>(heads)});
        take(c, result, mean, places_,
             {.keep = i > 0 ? 1.0f : 0.0f, .scale = 1.0f / static_cast<float>(count)});
    }
    return result;
}

Tensor Captioner::look_from_word(Commands& c, const Look& look, size_t first, size_t count,
                                 uint32_t picture) const {
    const PictureTokens tokens = model_->picture();
    Tensor row = attention_of_word(c, look, first, count, picture);
    if (const uint32_t layers = model_->question_layers()) {
        // The word attends to the question, whose words attend to the picture.
        const Tap::Kept& question = question_tap_->layer(std::min(look.layer, layers - 1));
        const Tensor q = question.q.at_batch(picture), k = question.k.at_batch(picture);
        const uint32_t heads = question.heads.count;
        const Tensor composed = c.scratch(1, 1, k.rows, Type::f32);
        const Tensor map = c.scratch(1, heads * q.rows, k.rows, Type::f32);
        attention_map(c, map, q, k, question.heads, {0, q.rows, 0, heads});
        row_sum(c, composed, row, map, {.heads = heads, .scale = 1.0f / static_cast<float>(heads)});
        row = composed;
    }
    if (!tile_cells_) return cells_of(c, row, tokens.grid, tokens.first_cell);
    // Attention to the tiles, plus attention to the same place of the whole picture.
    const Tensor map = c.scratch(1, tile_cells_.rows, tile_cells_.columns, Type::f32);
    take(c, map, row, tile_cells_);
    if (whole_cells_) {
        const float cells = float(area(tokens.grid)) / float(map.rows * map.columns);
        take(c, map, row, whole_cells_, {.keep = 1.0f, .scale = cells});
    }
    return map;
}

MapGeometry Captioner::geometry() const {
    const PictureTokens picture = model_->picture();
    if (tile_cells_) {  // the frame is resized to fill its tiles
        const Size grid{tile_cells_.columns, tile_cells_.rows};
        return {.grid = grid, .corner = {}, .cell = glm::vec2(input_.frame()) / glm::vec2(grid)};
    }
    return geometry_of(input_.plan(), picture.layout());
}

}  // namespace saccade
