#include "models/captioning/generation.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

namespace saccade {

namespace {

constexpr uint32_t most_length = 65536;

// Several JSON objects; a field is taken from the first that has it.
class Places {
public:
    explicit Places(uint32_t vocabulary) : vocabulary_(vocabulary) {}
    void add(JsonFields fields) { places_.push_back(std::move(fields)); }

    const JsonFields& with(std::string_view key) const {
        const auto found =
            std::ranges::find_if(places_, [&](const JsonFields& f) { return f.has(key); });
        return found == places_.end() ? places_.front() : *found;
    }
    uint32_t whole(std::string_view key, WholeRange range, uint32_t fallback) const {
        return with(key).whole(key, range, fallback);
    }
    double number(std::string_view key, double least, double most, double fallback) const {
        return with(key).number(key, least, most, fallback);
    }
    std::optional<uint32_t> id(std::string_view key) const {
        const std::vector<uint32_t> all = ids(key);
        return all.empty() ? std::nullopt : std::optional(all.front());
    }
    // 7, or [7, 8]; absent: empty.
    std::vector<uint32_t> ids(std::string_view key) const {
        const JsonFields& fields = with(key);
        const Json* value = fields.find(key);
        std::vector<uint32_t> result;
        auto take = [&](const Json& one) {
            if (!one.is_number_unsigned() || one.get<uint64_t>() >= vocabulary_)
                fields.refuse(key, "names an id that the vocabulary of " +
                                       std::to_string(vocabulary_) + " does not have");
            result.push_back(one.get<uint32_t>());
        };
        if (!value) return result;
        if (value->is_array())
            std::ranges::for_each(*value, take);
        else
            take(*value);
        return result;
    }
    // [[7], [8]]: words of one id each. Longer words are an Error.
    std::vector<uint32_t> one_id_words(std::string_view key) const {
        const JsonFields& fields = with(key);
        const Json* value = fields.find(key);
        std::vector<uint32_t> result;
        if (!value) return result;
        for (const Json& word : *value) {
            if (!value->is_array() || !word.is_array() || word.size() != 1 ||
                !word[0].is_number_unsigned() || word[0].get<uint64_t>() >= vocabulary_)
                fields.refuse(key,
                              "has a word that is not one id of the vocabulary, which is not "
                              "supported");
            result.push_back(word[0].get<uint32_t>());
        }
        return result;
    }
    void refuse_any(std::initializer_list<std::string_view> keys) const {
        for (std::string_view key : keys)
            if (with(key).has(key))
                with(key).refuse(key, "is set, which is not supported: captions would differ");
    }

private:
    uint32_t vocabulary_;
    std::vector<JsonFields> places_;
};

Generation::EarlyStopping early_stopping(const JsonFields& fields) {
    const Json* value = fields.find("early_stopping");
    if (!value) return Generation::EarlyStopping::no;
    if (value->is_boolean())
        return value->get<bool>() ? Generation::EarlyStopping::yes : Generation::EarlyStopping::no;
    if (*value == "never") return Generation::EarlyStopping::never;
    fields.refuse("early_stopping", "is neither true, false nor \"never\"");
}

Generation read(const Places& from) {
    Generation g;
    g.max_length = from.whole("max_length", {2, most_length}, g.max_length);
    g.max_length = from.whole("max_new_tokens", {1, most_length}, g.max_length - 1) + 1;
    g.min_length = from.whole("min_length", {0, most_length}, 0);
    g.beams = from.whole("num_beams", {1, 64}, 1);
    g.length_penalty = from.number("length_penalty", -100.0, 100.0, 1.0);
    g.early_stopping = early_stopping(from.with("early_stopping"));
    g.repetition_penalty = from.number("repetition_penalty", 1e-3, 1e3, 1.0);
    g.no_repeat = from.whole("no_repeat_ngram_size", {0, most_length}, 0);
    g.suppressed = from.ids("suppress_tokens");
    g.first_suppressed = from.ids("begin_suppress_tokens");
    g.forced_first = from.id("forced_bos_token_id");
    g.forced_last = from.id("forced_eos_token_id");
    from.refuse_any(
        {"sequence_bias", "exponential_decay_length_penalty", "force_words_ids", "constraints"});
    return g;
}

// Suppresses bad words, except those that end a sentence.
void forbid(Generation& g, const std::vector<uint32_t>& bad_words) {
    std::ranges::copy_if(bad_words, std::back_inserter(g.suppressed),
                         [&](uint32_t id) { return !g.ends(id); });
}

}  // namespace

bool Generation::ends(uint32_t id) const { return std::ranges::find(stops, id) != stops.end(); }

Generation read_generation(const Json& config, const std::string& where, const Json* file,
                           const std::string& file_where, uint32_t vocabulary) {
    Places from(vocabulary);
    if (file) from.add(JsonFields(*file, file_where));
    const JsonFields fields(config, where);
    from.add(fields);
    from.add(fields.object_if_any("decoder"));
    Generation g = read(from);
    std::optional<uint32_t> start = from.id("decoder_start_token_id");
    if (!start) start = from.id("bos_token_id");
    if (!start)
        fields.refuse("decoder_start_token_id",
                      "is missing, and so is bos_token_id: a sentence has no start token");
    g.start = *start;
    g.stops = from.ids("eos_token_id");
    forbid(g, from.one_id_words("bad_words_ids"));
    return g;
}

Generation read_text_generation(const Json& config, const std::string& where, const Json* file,
                                const std::string& file_where, uint32_t vocabulary) {
    Places from(vocabulary);
    if (file) from.add(JsonFields(*file, file_where));
    const JsonFields fields(config, where);
    from.add(fields);
    from.add(fields.object("text_config"));
    Generation g = read(from);
    g.stops = from.ids("eos_token_id");
    return g;
}

Generation read_blip_generation(const Json& config, const std::string& where, uint32_t vocabulary) {
    Places from(vocabulary);
    from.add(JsonFields(config, where).object("text_config"));
    Generation g = read(from);
    // The defaults of transformers' BlipTextConfig.
    g.start = from.whole("bos_token_id", {0, vocabulary - 1}, std::min(30522u, vocabulary - 1));
    g.stops = {from.whole("sep_token_id", {0, vocabulary - 1}, std::min(102u, vocabulary - 1))};
    forbid(g, from.one_id_words("bad_words_ids"));
    return g;
}

}  // namespace saccade
