#include "models/text/bpe.h"

#include <algorithm>
#include <array>
#include <queue>
#include <tuple>
#include <utility>

#include "models/text/unicode.h"

namespace saccade {
namespace {

constexpr size_t none = static_cast<size_t>(-1);

// GPT-2's byte-to-character table (bytes_to_unicode): printable bytes stand for themselves, the
// others are mapped to the characters from U+0100 on, in order.
constexpr bool prints(unsigned byte) {
    return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

constexpr std::array<char32_t, 256> characters_of_bytes = [] {
    std::array<char32_t, 256> characters{};
    char32_t next = 0x100;
    for (unsigned byte = 0; byte < 256; ++byte) characters[byte] = prints(byte) ? byte : next++;
    return characters;
}();

// The inverse; -1: the character stands for no byte.
constexpr std::array<int, 0x144> bytes_of_characters = [] {
    std::array<int, 0x144> bytes{};
    bytes.fill(-1);
    for (unsigned byte = 0; byte < 256; ++byte) {
        bytes[characters_of_bytes[byte]] = static_cast<int>(byte);
    }
    return bytes;
}();

std::string token_of_byte(unsigned char byte) {
    std::string token;
    append_utf8(token, characters_of_bytes[byte]);
    return token;
}

// A token with a character outside the table, as added tokens may have, stands for its own UTF-8.
std::string bytes_of_token(std::string_view token) {
    std::string bytes;
    for (size_t at = 0; at < token.size();) {
        char32_t character = next_character(token, at);
        int byte = character < bytes_of_characters.size() ? bytes_of_characters[character] : -1;
        if (byte < 0) return std::string(token);
        bytes += static_cast<char>(static_cast<unsigned char>(byte));
    }
    return bytes;
}

// The end of the run of characters of this kind that starts at `at`.
template <typename Kind>
size_t run_end(std::string_view text, size_t at, Kind kind) {
    while (at < text.size()) {
        size_t next = at;
        if (!kind(next_character(text, next))) break;
        at = next;
    }
    return at;
}

bool is_sign(char32_t character) {
    return !is_space(character) && !is_letter(character) && !is_number(character);
}

}  // namespace

std::optional<std::string> Merges::add(const Vocabulary& vocabulary, std::string_view left,
                                       std::string_view right) {
    auto left_id = vocabulary.find(left);
    if (!left_id) return std::string(left);
    auto right_id = vocabulary.find(right);
    if (!right_id) return std::string(right);
    std::string both = std::string(left).append(right);
    auto id = vocabulary.find(both);
    if (!id) return both;
    merges_.insert_or_assign(uint64_t{*left_id} << 32 | *right_id, Merge{next_rank_++, *id});
    return std::nullopt;
}

const Merges::Merge* Merges::find(uint32_t left, uint32_t right) const {
    auto found = merges_.find(uint64_t{left} << 32 | right);
    return found == merges_.end() ? nullptr : &found->second;
}

void Merges::apply(std::vector<uint32_t>& ids) const {
    // The tokens as a linked list, which each merge shortens.
    struct Link {
        uint32_t id;
        size_t before;
        size_t after;
        bool merged_away = false;
    };
    std::vector<Link> chain;
    chain.reserve(ids.size());
    for (uint32_t id : ids)
        chain.push_back({id, chain.size() - 1, chain.size() + 1});  // 0 - 1: none
    if (chain.empty()) return;
    chain.back().after = none;

    // Lowest rank first, then leftmost. A candidate may be stale when it is popped. Every merge
    // pushes at most two new candidates, so a word of n bytes takes O(n log n).
    using Candidate = std::tuple<uint32_t, size_t, uint32_t>;  // rank, position, merged id
    std::vector<Candidate> first_candidates;
    auto candidate_at = [&](size_t at) -> std::optional<Candidate> {
        if (at == none || chain[at].after == none) return std::nullopt;
        const Merge* merge = find(chain[at].id, chain[chain[at].after].id);
        if (!merge) return std::nullopt;
        return Candidate{merge->rank, at, merge->id};
    };
    for (size_t at = 0; at < chain.size(); ++at) {
        if (auto candidate = candidate_at(at)) first_candidates.push_back(*candidate);
    }
    std::priority_queue queue(std::greater<Candidate>(), std::move(first_candidates));
    while (!queue.empty()) {
        auto [rank, at, id] = queue.top();
        queue.pop();
        Link& left = chain[at];
        if (left.merged_away || left.after == none) continue;
        Link& right = chain[left.after];
        const Merge* merge = find(left.id, right.id);
        if (!merge || merge->id != id) continue;
        left.id = id;
        left.after = right.after;
        right.merged_away = true;
        if (left.after != none) chain[left.after].before = at;
        if (auto candidate = candidate_at(left.before)) queue.push(*candidate);
        if (auto candidate = candidate_at(at)) queue.push(*candidate);
    }
    ids.clear();
    for (size_t at = 0; at != none; at = chain[at].after) ids.push_back(chain[at].id);
}

// GPT-2's pattern; at each position its alternatives are tried in this order:
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
std::vector<std::string_view> split_gpt2_words(std::string_view text) {
    static constexpr std::array<std::string_view, 7> endings{"'s", "'t",  "'re", "'ve",
                                                             "'m", "'ll", "'d"};
    auto end_of_word = [&](size_t at) {
        for (std::string_view ending : endings) {
            if (text.substr(at).starts_with(ending)) return at + ending.size();
        }
        size_t start = text[at] == ' ' ? at + 1 : at;
        if (size_t end = run_end(text, start, is_letter); end > start) return end;
        if (size_t end = run_end(text, start, is_number); end > start) return end;
        if (size_t end = run_end(text, start, is_sign); end > start) return end;
        // White space. Its last character belongs to the next word, if there is one.
        size_t last = at;
        size_t end = at;
        while (end < text.size()) {
            size_t next = end;
            if (!is_space(next_character(text, next))) break;
            last = end;
            end = next;
        }
        return end == text.size() || last == at ? end : last;
    };
    std::vector<std::string_view> words;
    for (size_t at = 0; at < text.size();) {
        size_t end = end_of_word(at);
        words.push_back(text.substr(at, end - at));
        at = end;
    }
    return words;
}

// CLIP's pattern; at each position its alternatives are tried in this order. Characters that match
// none are dropped:
//   's|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+
std::vector<std::string_view> split_clip_words(std::string_view text) {
    static constexpr std::array<std::string_view, 7> endings{"'s", "'t",  "'re", "'ve",
                                                             "'m", "'ll", "'d"};
    std::vector<std::string_view> words;
    for (size_t at = 0; at < text.size();) {
        size_t end = at;
        const char32_t first = next_character(text, end);
        if (is_space(first)) {
            at = end;
            continue;
        }
        const auto ending = std::ranges::find_if(
            endings, [&](std::string_view e) { return text.substr(at).starts_with(e); });
        if (ending != endings.end())
            end = at + ending->size();
        else if (is_letter(first))
            end = run_end(text, at, is_letter);
        else if (!is_number(first))
            end = run_end(text, at, is_sign);
        words.push_back(text.substr(at, end - at));
        at = end;
    }
    return words;
}

namespace {

// Splits a text such that each digit is a piece of its own.
std::vector<std::string_view> cut_at_digits(std::string_view text) {
    std::vector<std::string_view> pieces;
    size_t done = 0;
    for (size_t at = 0; at < text.size();) {
        size_t end = at;
        if (is_number(next_character(text, end))) {
            if (at > done) pieces.push_back(text.substr(done, at - done));
            pieces.push_back(text.substr(at, end - at));
            done = end;
        }
        at = end;
    }
    if (done < text.size()) pieces.push_back(text.substr(done));
    return pieces;
}

}  // namespace

ByteLevelBpe::ByteLevelBpe(TokenizerParts parts, Merges merges, const BpeOptions& options)
    : VocabularyTokenizer(std::move(parts)), merges_(std::move(merges)), options_(options) {
    for (unsigned byte = 0; byte < 256; ++byte) {
        const std::string token = token_of_byte(static_cast<unsigned char>(byte));
        byte_ids_.push_back(vocabulary().find(token));
        last_ids_.push_back(vocabulary().find(token + options_.suffix));
    }
}

std::string ByteLevelBpe::normalize(std::string_view text) const {
    return options_.clip ? lower_utf8(nfc(text)) : std::string(text);
}

void ByteLevelBpe::encode_plain(std::string_view text, std::vector<uint32_t>& ids) const {
    std::string spaced;
    if (options_.prefix_space && !text.starts_with(' ')) {
        spaced = " ";
        text = spaced.append(text);
    }
    if (options_.clip) {
        for (std::string_view word : split_clip_words(text)) encode_word(word, ids);
        return;
    }
    const std::vector<std::string_view> pieces =
        options_.single_digits ? cut_at_digits(text) : std::vector<std::string_view>{text};
    for (std::string_view piece : pieces) {
        if (!options_.split_words) {
            encode_word(piece, ids);
            continue;
        }
        for (std::string_view word : split_gpt2_words(piece)) encode_word(word, ids);
    }
}

void ByteLevelBpe::encode_word(std::string_view word, std::vector<uint32_t>& ids) const {
    if (options_.whole_words) {
        std::string token;
        for (char byte : word) token += token_of_byte(static_cast<unsigned char>(byte));
        token += options_.suffix;
        if (auto id = vocabulary().find(token)) return ids.push_back(*id);
    }

    std::vector<uint32_t> chain;
    chain.reserve(word.size());
    bool after_unk = false;
    for (const char& byte : word) {
        const auto& known = &byte == &word.back() ? last_ids_ : byte_ids_;
        auto id = known[static_cast<unsigned char>(byte)];
        bool is_unk = !id && options_.unk;
        if (is_unk && !(after_unk && options_.fuse_unk)) id = options_.unk;
        after_unk = is_unk;
        if (id) chain.push_back(*id);
    }
    merges_.apply(chain);
    ids.insert(ids.end(), chain.begin(), chain.end());
}

std::string ByteLevelBpe::join(std::span<const std::string_view> tokens) const {
    // A character's bytes may be spread over several tokens.
    std::string bytes;
    for (std::string_view token : tokens) bytes += piece_of(token).bytes;
    return valid_utf8(bytes);
}

VocabularyTokenizer::Piece ByteLevelBpe::piece_of(std::string_view token) const {
    const std::string& suffix = options_.suffix;
    if (!suffix.empty()) {
        const bool ends = token.ends_with(suffix);
        if (ends) token.remove_suffix(suffix.size());
        return {bytes_of_token(token) + (ends ? " " : ""), true};
    }
    std::string bytes = bytes_of_token(token);
    bool continues = !bytes.empty() && !is_ascii_space(bytes.front());
    return {std::move(bytes), continues};
}

}  // namespace saccade
