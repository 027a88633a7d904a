#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "gpu/core/error.h"
#include "models/files/is_there.h"
#include "models/files/json.h"
#include "models/text/bpe.h"
#include "models/text/sentence_pieces.h"
#include "models/text/tokenizer.h"
#include "models/text/tokenizer_settings.h"
#include "models/text/unicode.h"
#include "models/text/wordpiece.h"

// Tokenizer::open: the files of a tokenizer, none of which is trusted.
namespace saccade {
namespace {

constexpr std::uintmax_t max_file_bytes = 64u << 20;

// A text file's lines. Throws an Error if it is not UTF-8.
std::vector<std::string> read_lines(const std::filesystem::path& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) {
        throw Error(path.string() + ": is not a file");
    }
    auto size = std::filesystem::file_size(path, error);
    if (!error && size > max_file_bytes) {
        throw Error(path.string() + ": has " + std::to_string(size) +
                    " bytes, too many for a vocabulary");
    }
    std::ifstream file(path, std::ios::binary);
    std::string text(error ? 0 : static_cast<size_t>(size), '\0');
    if (error || !file.read(text.data(), static_cast<std::streamsize>(text.size()))) {
        throw Error(path.string() + ": cannot be read; check its permissions");
    }
    size_t bad = std::min(find_invalid_utf8(text), text.find('\0'));
    if (bad != text.npos) {
        auto line = std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(bad), '\n') + 1;
        throw Error(path.string() + ": is not UTF-8 text (line " + std::to_string(line) +
                    "); the file is damaged or not what its name says");
    }
    std::vector<std::string> lines;
    for (size_t at = 0; at < text.size();) {
        size_t end = std::min(text.find('\n', at), text.size());
        size_t next = end + 1;
        if (end > at && text[end - 1] == '\r') --end;
        lines.push_back(text.substr(at, end - at));
        at = next;
    }
    return lines;
}

[[noreturn]] void refuse_line(const std::filesystem::path& path, size_t index,
                              const std::string& problem) {
    throw Error(path.string() + ": line " + std::to_string(index + 1) + " " + problem);
}

constexpr std::array<TokenRole, 3> gpt2_roles{{
    {"bos_token", "<|endoftext|>"},
    {"eos_token", "<|endoftext|>"},
    {"unk_token", "<|endoftext|>"},
}};
constexpr std::array<TokenRole, 5> bert_roles{{
    {"unk_token", "[UNK]"},
    {"sep_token", "[SEP]"},
    {"pad_token", "[PAD]"},
    {"cls_token", "[CLS]"},
    {"mask_token", "[MASK]"},
}};

// ---- Byte-level BPE ----

void add_merge(Merges& merges, const Vocabulary& vocabulary, std::string_view left,
               std::string_view right, const auto& refuse) {
    if (left.empty() || right.empty()) refuse("is not two tokens with a space between them");
    if (auto missing = merges.add(vocabulary, left, right)) {
        refuse("makes " + token_in_quotes(std::string(left).append(right)) + " of " +
               token_in_quotes(left) + " and " + token_in_quotes(right) +
               ", but the vocabulary has no " + token_in_quotes(*missing));
    }
}

// "a b"
void add_merge(Merges& merges, const Vocabulary& vocabulary, std::string_view pair,
               const auto& refuse) {
    size_t space = std::min(pair.find(' '), pair.size());
    std::string_view right = pair.substr(std::min(space + 1, pair.size()));
    if (right.find(' ') != right.npos) right = {};
    add_merge(merges, vocabulary, pair.substr(0, space), right, refuse);
}

Merges merges_from(const Json& list, const Vocabulary& vocabulary, const std::string& where) {
    if (!list.is_array()) throw Error(where + ": is not a list");
    Merges merges;
    for (size_t i = 0; i < list.size(); ++i) {
        auto refuse = [&](const std::string& problem) {
            throw Error(where + ": entry " + std::to_string(i + 1) + " " + problem);
        };
        const Json& entry = list[i];
        if (entry.is_string()) {
            add_merge(merges, vocabulary, entry.get_ref<const std::string&>(), refuse);
        } else if (entry.is_array() && entry.size() == 2 && entry[0].is_string() &&
                   entry[1].is_string()) {
            add_merge(merges, vocabulary, entry[0].get_ref<const std::string&>(),
                      entry[1].get_ref<const std::string&>(), refuse);
        } else {
            refuse("is not two tokens");
        }
    }
    return merges;
}

Merges read_merges(const std::filesystem::path& path, const Vocabulary& vocabulary) {
    std::vector<std::string> lines = read_lines(path);
    Merges merges;
    for (size_t i = 0; i < lines.size(); ++i) {
        // The only comment that occurs; other lines that begin with # are merges, such as "# #".
        if (lines[i].starts_with("#version")) continue;
        add_merge(merges, vocabulary, lines[i],
                  [&](const std::string& problem) { refuse_line(path, i, problem); });
    }
    return merges;
}

std::unique_ptr<Tokenizer> open_bpe_files(const std::filesystem::path& folder,
                                          TokenizerSettings settings) {
    auto vocabulary_path = folder / "vocab.json";
    auto merges_path = folder / "merges.txt";
    if (!is_there(merges_path)) {
        throw Error(merges_path.string() + ": no such file; vocab.json needs it beside it");
    }
    TokenizerParts parts{.where = vocabulary_path.string()};
    parts.vocabulary = vocabulary_from(read_json(vocabulary_path), parts.where);
    Merges merges = read_merges(merges_path, parts.vocabulary);
    BpeOptions options{.prefix_space = settings.prefix_space.value_or(false)};
    add_special_tokens(parts, {}, std::move(settings), gpt2_roles);
    return std::make_unique<ByteLevelBpe>(std::move(parts), std::move(merges), options);
}

// ---- tokenizer.json ----

// A step of which only one type is supported. nullopt: the file has no such step.
std::optional<JsonFields> step_of_type(const JsonFields& file, std::string_view key,
                                       std::string_view type) {
    if (!file.has(key)) return std::nullopt;
    JsonFields step = file.object(key);
    if (std::string found = step.text("type"); found != type) {
        step.refuse("type",
                    "is " + in_quotes(found) + "; only " + in_quotes(type) + " is supported");
    }
    return step;
}

std::vector<AddedToken> added_tokens_from(const JsonFields& file) {
    std::vector<AddedToken> added;
    const Json* list = file.find("added_tokens");
    if (!list) return added;
    if (!list->is_array()) file.refuse("added_tokens", "is not a list");
    for (size_t i = 0; i < list->size(); ++i) {
        std::string where = file.where() + ": added_tokens: entry " + std::to_string(i + 1);
        JsonFields fields((*list)[i], where);
        AddedToken token = added_token_from((*list)[i], where);
        token.id = fields.whole("id", {.most = max_token_ids - 1});
        added.push_back(std::move(token));
    }
    return added;
}

// How byte-level BPE splits its text: by GPT-2's pattern, if wished at digits before, or by CLIP's.
struct PreTokenizer {
    std::optional<JsonFields> bytes;  // the step "ByteLevel"
    bool single_digits = false, clip = false;
};
PreTokenizer read_pre_tokenizer(const JsonFields& file) {
    PreTokenizer result;
    if (!file.has("pre_tokenizer")) return result;
    const JsonFields step = file.object("pre_tokenizer");
    if (step.text("type") != "Sequence") {
        result.bytes = step_of_type(file, "pre_tokenizer", "ByteLevel");
        return result;
    }
    const Json* const list = step.find("pretokenizers");
    if (!list || !list->is_array()) step.refuse("pretokenizers", "is not a list");
    for (const Json& one : *list) {
        const JsonFields fields(one, step.where() + ": pretokenizers");
        const std::string type = fields.text("type");
        if (type == "ByteLevel")
            result.bytes = fields;
        else if (type == "Digits" && fields.flag("individual_digits", false))
            result.single_digits = true;
        else if (type == "Split" && fields.flag("invert", false) &&
                 fields.text("behavior") == "Removed")
            result.clip = true;
        else
            fields.refuse("type", "is " + in_quotes(type) + ", which is not supported");
    }
    return result;
}

// NFC, white space to single spaces, lower case.
bool is_clip_normalizer(const JsonFields& file) {
    const JsonFields step = file.object("normalizer");
    const Json* const list = step.find("normalizers");
    if (step.text("type") != "Sequence" || !list || !list->is_array()) return false;
    std::vector<std::string> types;
    for (const Json& one : *list)
        types.push_back(JsonFields(one, step.where() + ": normalizers").text("type"));
    return types == std::vector<std::string>{"NFC", "Replace", "Lowercase"};
}

std::unique_ptr<Tokenizer> open_bpe_json(const JsonFields& file, const JsonFields& model,
                                         TokenizerSettings settings) {
    if (!model.text("continuing_subword_prefix", "").empty())
        model.refuse("continuing_subword_prefix", "is not empty; only byte-level BPE is supported");
    const PreTokenizer cut = read_pre_tokenizer(file);
    const bool clip = cut.clip;
    if (file.has("normalizer") != clip || (clip && !is_clip_normalizer(file)))
        file.refuse("normalizer",
                    "is not supported for byte-level BPE; GPT-2's (null) and CLIP's are");
    if (!clip && !model.text("end_of_word_suffix", "").empty())
        model.refuse("end_of_word_suffix", "is not empty; only CLIP's tokenizers have one");
    const auto splitter = cut.bytes;
    step_of_type(file, "decoder", "ByteLevel");

    TokenizerParts parts{.where = file.where()};
    parts.vocabulary = vocabulary_from(*model.find("vocab"), model.where() + ": vocab");
    if (!model.has("merges")) model.refuse("merges", "is missing");
    Merges merges =
        merges_from(*model.find("merges"), parts.vocabulary, model.where() + ": merges");
    BpeOptions options{.prefix_space = settings.prefix_space.value_or(false),
                       .whole_words = model.flag("ignore_merges", false),
                       .fuse_unk = model.flag("fuse_unk", false),
                       .clip = clip,
                       .suffix = model.text("end_of_word_suffix", ""),
                       .single_digits = cut.single_digits};
    if (splitter) {
        options.prefix_space = splitter->flag("add_prefix_space", true);
        options.split_words = splitter->flag("use_regex", true);
    }
    add_special_tokens(parts, added_tokens_from(file), std::move(settings), gpt2_roles);
    if (std::string unk = model.text("unk_token", ""); !unk.empty()) {
        options.unk = parts.vocabulary.find_any(unk);
        if (!options.unk) model.refuse("unk_token", "is not in the vocabulary");
    }
    if (clip) {  // adds <|startoftext|> before and <|endoftext|> after every text
        parts.special.cls = parts.special.bos;
        parts.special.sep = parts.special.eos;
        parts.enclose = true;
    }
    return std::make_unique<ByteLevelBpe>(std::move(parts), std::move(merges), options);
}

std::unique_ptr<Tokenizer> make_wordpiece(TokenizerParts parts, WordPieceOptions options,
                                          std::vector<AddedToken> added,
                                          TokenizerSettings settings) {
    // Two files say how to normalise; transformers follows tokenizer_config.json.
    BertNormalizer& normalizer = options.normalizer;
    normalizer.lowercase = settings.lowercase.value_or(normalizer.lowercase);
    normalizer.space_chinese = settings.space_chinese.value_or(normalizer.space_chinese);
    if (settings.strip_accents) normalizer.strip_accents = settings.strip_accents;
    // Cleaning up is the default of BERT's tokenizer, though no longer in transformers 5.
    options.clean_text = settings.clean_up.value_or(true);
    add_special_tokens(parts, std::move(added), std::move(settings), bert_roles);
    if (!parts.special.unk) {
        throw Error(parts.where + ": has no token for unknown words ([UNK]); it is not the " +
                    "vocabulary of a WordPiece tokenizer");
    }
    parts.enclose = true;
    return std::make_unique<WordPiece>(std::move(parts), options);
}

std::unique_ptr<Tokenizer> open_wordpiece_json(const JsonFields& file, const JsonFields& model,
                                               TokenizerSettings settings) {
    step_of_type(file, "pre_tokenizer", "BertPreTokenizer");
    auto normalizer = step_of_type(file, "normalizer", "BertNormalizer");
    auto decoder = step_of_type(file, "decoder", "WordPiece");

    WordPieceOptions options;
    if (normalizer) {
        options.normalizer.clean_text = normalizer->flag("clean_text", true);
        options.normalizer.space_chinese = normalizer->flag("handle_chinese_chars", true);
        options.normalizer.lowercase = normalizer->flag("lowercase", true);
        if (normalizer->has("strip_accents")) {
            options.normalizer.strip_accents = normalizer->flag("strip_accents");
        }
    }
    options.prefix = model.text("continuing_subword_prefix", options.prefix);
    options.longest_word =
        model.whole("max_input_chars_per_word", {.least = 1, .most = 1000}, options.longest_word);
    if (decoder) options.clean_tokens = decoder->flag("cleanup", true);

    TokenizerParts parts{.where = file.where()};
    parts.vocabulary = vocabulary_from(*model.find("vocab"), model.where() + ": vocab");
    settings.roles.insert_or_assign("unk_token", model.text("unk_token", "[UNK]"));
    return make_wordpiece(std::move(parts), options, added_tokens_from(file), std::move(settings));
}

// ---- SentencePiece ----

// The special tokens before and after every text, at most one each in such tokenizers.
void read_template(const JsonFields& file, TokenizerParts& parts) {
    if (!file.has("post_processor")) return;
    const JsonFields step = *step_of_type(file, "post_processor", "TemplateProcessing");
    const Json* const list = step.find("single");
    if (!list || !list->is_array()) step.refuse("single", "is not a list");
    bool after_text = false;
    parts.special.cls = parts.special.sep = std::nullopt;
    for (const Json& one : *list) {
        const JsonFields entry(one, step.where() + ": single");
        if (!entry.has("SpecialToken")) {
            after_text = true;
            continue;
        }
        const JsonFields token = entry.object("SpecialToken");
        const auto id = parts.vocabulary.find_any(token.text("id"));
        if (!id) token.refuse("id", "is not in the vocabulary");
        (after_text ? parts.special.sep : parts.special.cls) = id;
    }
    parts.enclose = true;
}

SentencePieceOptions sentence_options(const JsonFields& file, const JsonFields& model,
                                      const TokenizerSettings& settings) {
    using Prepend = SentencePieceOptions::Prepend;
    SentencePieceOptions options;
    if (file.has("normalizer"))
        options.normalizer = TextNormalizer::parse(file.object("normalizer"));
    options.byte_fallback = model.flag("byte_fallback", false);
    options.fuse_unk = model.flag("fuse_unk", true);
    if (settings.siglip || settings.siglip2) {
        TextNormalizer own;
        if (settings.siglip) own.add_siglip();
        if (settings.siglip2) own.add_lower_case();
        own.add(options.normalizer);
        options.normalizer = std::move(own);
    }
    if (!file.has("pre_tokenizer")) return options;
    const JsonFields step = file.object("pre_tokenizer");
    const std::string type = step.text("type");
    if (type == "Metaspace") {
        if (step.text("replacement", "\u2581") != "\u2581")
            step.refuse("replacement", "is not \u2581, the only one that is supported");
        const std::string scheme =
            step.text("prepend_scheme", step.flag("add_prefix_space", true) ? "always" : "never");
        options.prepend = scheme == "always"  ? Prepend::always
                          : scheme == "first" ? Prepend::first
                                              : Prepend::never;
        options.split_words = step.flag("split", true);
    } else if (type != "Split" || step.object("pattern").text("String", "") != " ") {
        // Splitting at spaces has no effect, because the normalizer has replaced them.
        step.refuse("type", "is " + in_quotes(type) + ", which is not supported");
    }
    return options;
}

void finish_sentence_parts(const JsonFields& file, TokenizerParts& parts,
                           TokenizerSettings settings) {
    const bool add_end = settings.add_end.value_or(settings.siglip || settings.siglip2);
    add_special_tokens(parts, added_tokens_from(file), std::move(settings), {});
    read_template(file, parts);
    if (add_end && !parts.special.sep) parts.special.sep = parts.special.eos;
    parts.enclose = parts.enclose || add_end;
}

std::unique_ptr<Tokenizer> open_unigram_json(const JsonFields& file, const JsonFields& model,
                                             TokenizerSettings settings) {
    SentencePieceOptions options = sentence_options(file, model, settings);
    TokenizerParts parts{.where = file.where()};
    std::vector<double> scores;
    const Json& list = *model.find("vocab");
    if (!list.is_array() || list.empty() || list.size() > max_token_ids)
        model.refuse("vocab", "is not a list of tokens and their scores");
    for (const Json& entry : list) {
        if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() ||
            !entry[1].is_number())
            model.refuse("vocab", "has an entry (" + std::to_string(scores.size()) +
                                      ") that is not a token and its score");
        parts.vocabulary.add(entry[0].get<std::string>(), static_cast<uint32_t>(scores.size()),
                             model.where() + ": vocab");
        scores.push_back(entry[1].get<double>());
    }
    if (model.has("unk_id"))
        options.unk = model.whole("unk_id", {.most = static_cast<uint32_t>(scores.size() - 1)});
    finish_sentence_parts(file, parts, std::move(settings));
    return std::make_unique<Unigram>(std::move(parts), std::move(options), std::move(scores));
}

std::unique_ptr<Tokenizer> open_sentence_bpe_json(const JsonFields& file, const JsonFields& model,
                                                  TokenizerSettings settings) {
    SentencePieceOptions options = sentence_options(file, model, settings);
    TokenizerParts parts{.where = file.where()};
    parts.vocabulary = vocabulary_from(*model.find("vocab"), model.where() + ": vocab");
    if (!model.has("merges")) model.refuse("merges", "is missing");
    Merges merges =
        merges_from(*model.find("merges"), parts.vocabulary, model.where() + ": merges");
    if (const std::string unk = model.text("unk_token", ""); !unk.empty())
        options.unk = parts.vocabulary.find(unk);
    finish_sentence_parts(file, parts, std::move(settings));
    return std::make_unique<SentenceBpe>(std::move(parts), std::move(options), std::move(merges));
}

std::unique_ptr<Tokenizer> open_json(const std::filesystem::path& path,
                                     TokenizerSettings settings) {
    Json json = read_json(path);
    JsonFields file(json, path.string());
    JsonFields model = file.object("model");
    // Older files have no field "type"; their other fields distinguish them.
    std::string type = model.text("type", model.has("merges") ? "BPE" : "WordPiece");
    if (type != "BPE" && type != "WordPiece" && type != "Unigram") {
        model.refuse("type",
                     "is " + in_quotes(type) + "; BPE, Unigram and WordPiece are supported");
    }
    if (!model.has("vocab")) model.refuse("vocab", "is missing");
    if (type == "Unigram") return open_unigram_json(file, model, std::move(settings));
    if (type == "BPE" && model.flag("byte_fallback", false))
        return open_sentence_bpe_json(file, model, std::move(settings));
    return type == "BPE" ? open_bpe_json(file, model, std::move(settings))
                         : open_wordpiece_json(file, model, std::move(settings));
}

// ---- vocab.txt ----

std::unique_ptr<Tokenizer> open_wordpiece_file(const std::filesystem::path& path,
                                               TokenizerSettings settings) {
    TokenizerParts parts{.where = path.string()};
    std::vector<std::string> lines = read_lines(path);
    if (lines.size() > max_token_ids) throw Error(parts.where + ": has too many lines");
    for (size_t i = 0; i < lines.size(); ++i) {
        std::string& token = lines[i];
        while (!token.empty() && is_ascii_space(token.back())) token.pop_back();
        if (token.empty()) refuse_line(path, i, "is empty; every line must hold a token");
        if (auto other = parts.vocabulary.find(token)) {
            refuse_line(path, i,
                        "has the token " + token_in_quotes(token) + " of line " +
                            std::to_string(*other + 1) + " again");
        }
        parts.vocabulary.add(token, static_cast<uint32_t>(i), parts.where);
    }
    if (lines.empty()) throw Error(parts.where + ": is empty");
    return make_wordpiece(std::move(parts), {}, {}, std::move(settings));
}

}  // namespace

std::unique_ptr<Tokenizer> Tokenizer::open(const std::filesystem::path& folder) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored)) {
        throw Error(folder.string() + ": is not a folder");
    }
    if (auto path = folder / "tokenizer.json"; is_there(path)) {
        return open_json(path, read_tokenizer_settings(folder));
    }
    if (is_there(folder / "vocab.json"))
        return open_bpe_files(folder, read_tokenizer_settings(folder));
    if (auto path = folder / "vocab.txt"; is_there(path)) {
        return open_wordpiece_file(path, read_tokenizer_settings(folder));
    }
    return nullptr;
}

}  // namespace saccade
