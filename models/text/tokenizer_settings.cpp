#include "models/text/tokenizer_settings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "gpu/core/error.h"
#include "models/files/is_there.h"

namespace saccade {
namespace {

constexpr size_t longest_added = 256;  // bytes

constexpr std::array<std::pair<std::string_view, std::optional<uint32_t> SpecialIds::*>, 7>
    role_members{{
        {"bos_token", &SpecialIds::bos},
        {"eos_token", &SpecialIds::eos},
        {"unk_token", &SpecialIds::unk},
        {"sep_token", &SpecialIds::sep},
        {"pad_token", &SpecialIds::pad},
        {"cls_token", &SpecialIds::cls},
        {"mask_token", &SpecialIds::mask},
    }};

std::string id_range() { return "; ids are whole numbers below " + std::to_string(max_token_ids); }

uint32_t id_from(const Json& value, const std::string& token, const std::string& where) {
    if (!value.is_number_unsigned() || value.get<uint64_t>() >= max_token_ids) {
        std::string id = value.is_primitive() ? in_quotes(value.dump()) : "something else";
        throw Error(where + ": gives " + token_in_quotes(token) + " the id " + id + id_range());
    }
    return value.get<uint32_t>();
}

}  // namespace

Vocabulary vocabulary_from(const Json& object, const std::string& where) {
    if (!object.is_object()) throw Error(where + ": is not an object of tokens and their ids");
    Vocabulary vocabulary;
    for (const auto& [token, id] : object.items()) {
        vocabulary.add(token, id_from(id, token, where), where);
    }
    if (vocabulary.size() == 0) throw Error(where + ": has no tokens; the file is damaged");
    return vocabulary;
}

AddedToken added_token_from(const Json& value, const std::string& where) {
    if (value.is_string()) return {.text = value.get<std::string>(), .special = true};
    JsonFields fields(value, where);
    AddedToken token{.text = fields.text("content")};
    token.special = fields.flag("special", false);
    token.normalized = fields.flag("normalized", !token.special);
    token.strip_left = fields.flag("lstrip", false);
    token.strip_right = fields.flag("rstrip", false);
    token.whole_word = fields.flag("single_word", false);
    return token;
}

void TokenizerSettings::read_roles(const JsonFields& fields) {
    for (const auto& [role, member] : role_members) {
        const Json* value = fields.find(role);
        if (!value) continue;
        std::string where = fields.where() + ": " + std::string(role);
        roles.insert_or_assign(std::string(role), added_token_from(*value, where).text);
    }
    for (std::string_view key : {"additional_special_tokens", "extra_special_tokens"}) {
        const Json* value = fields.find(key);
        if (!value || !value->is_structured()) continue;
        for (const Json& token : *value) {
            std::string where = fields.where() + ": " + std::string(key);
            extra_special.push_back(added_token_from(token, where).text);
        }
    }
}

TokenizerSettings read_tokenizer_settings(const std::filesystem::path& folder) {
    TokenizerSettings settings;
    bool has_decoder = false;
    if (auto path = folder / "tokenizer_config.json"; is_there(path)) {
        Json json = read_json(path);
        JsonFields fields(json, path.string());
        auto flag = [&](std::string_view key) {
            return fields.has(key) ? std::optional(fields.flag(key)) : std::nullopt;
        };
        settings.prefix_space = flag("add_prefix_space");
        settings.lowercase = flag("do_lower_case");
        settings.strip_accents = flag("strip_accents");
        settings.space_chinese = flag("tokenize_chinese_chars");
        settings.clean_up = flag("clean_up_tokenization_spaces");
        settings.add_end = flag("add_eos_token");
        const std::string type = fields.text("tokenizer_class", "");
        settings.siglip = type == "SiglipTokenizer";
        settings.siglip2 = type == "Siglip2Tokenizer";
        settings.read_roles(fields);
        if (fields.has("added_tokens_decoder")) {
            has_decoder = true;
            std::string where = fields.where() + ": added_tokens_decoder";
            JsonFields checked = fields.object("added_tokens_decoder");  // throws if it is none
            for (const auto& [key, value] : fields.find("added_tokens_decoder")->items()) {
                AddedToken token = added_token_from(value, where + ": " + token_in_quotes(key));
                auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), token.id);
                if (error != std::errc() || end != key.data() + key.size() ||
                    token.id >= max_token_ids) {
                    throw Error(where + ": has the id " + token_in_quotes(key) + id_range());
                }
                settings.added.push_back(std::move(token));
            }
        }
    }
    // SigLIP 2's folders name Gemma's tokenizer; transformers tells them apart by the model type.
    if (auto path = folder / "config.json"; is_there(path)) {
        Json json = read_json(path);
        if (JsonFields(json, path.string()).text("model_type", "") == "siglip2")
            settings.siglip2 = true;
    }
    // transformers reads the older files only where the newer list is missing.
    if (auto path = folder / "special_tokens_map.json"; !has_decoder && is_there(path)) {
        Json json = read_json(path);
        settings.read_roles(JsonFields(json, path.string()));
    }
    if (auto path = folder / "added_tokens.json"; !has_decoder && is_there(path)) {
        Json json = read_json(path);
        JsonFields checked(json, path.string());  // throws if it is no object
        for (const auto& [text, id] : json.items()) {
            settings.added.push_back(
                {.text = text, .id = id_from(id, text, path.string()), .normalized = true});
        }
    }
    return settings;
}

void add_special_tokens(TokenizerParts& parts, std::vector<AddedToken> added,
                        TokenizerSettings settings, std::span<const TokenRole> defaults) {
    TextMap<AddedToken> by_text;
    std::ranges::move(settings.added, std::back_inserter(added));
    for (const AddedToken& token : added) {
        if (token.text.size() > longest_added) {
            throw Error(parts.where + ": has an added token of " +
                        std::to_string(token.text.size()) + " bytes, more than the limit of " +
                        std::to_string(longest_added));
        }
        auto known = parts.vocabulary.find_any(token.text);
        if (known && *known != token.id) {
            throw Error(parts.where + ": " + token_in_quotes(token.text) + " has the id " +
                        std::to_string(*known) + " in one place and " + std::to_string(token.id) +
                        " in another; the tokenizer's files do not belong together");
        }
        if (!known) parts.vocabulary.add_added_token(token.text, token.id, parts.where);
        by_text.try_emplace(token.text, token);
    }
    auto mark_special = [&](const std::string& text) -> std::optional<uint32_t> {
        auto id = parts.vocabulary.find_any(text);
        if (!id) return std::nullopt;
        AddedToken named{.text = text, .id = *id};
        by_text.try_emplace(text, named).first->second.special = true;
        return id;
    };
    for (const TokenRole& role : defaults) {
        settings.roles.try_emplace(std::string(role.name), role.token);
    }
    for (const auto& [role, member] : role_members) {
        if (auto named = settings.roles.find(role); named != settings.roles.end()) {
            parts.special.*member = mark_special(named->second);
        }
    }
    for (const std::string& text : settings.extra_special) mark_special(text);
    for (auto& [text, token] : by_text) parts.added.push_back(std::move(token));
}

}  // namespace saccade
