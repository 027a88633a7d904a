#include "models/contrast/phrases.h"

#include <algorithm>
#include <cstring>

#include "gpu/core/error.h"
#include "gpu/ops/norms.h"

namespace saccade {

namespace {

constexpr uint32_t at_a_time = 64;  // texts in one recording
constexpr size_t most_phrases = 10'000;
constexpr const char* place = "{}";

uint64_t aligned(uint64_t bytes) { return (bytes + 255) / 256 * 256; }

std::string trimmed(const std::string& text) {
    constexpr const char* spaces = " \t\r\n";
    const size_t first = text.find_first_not_of(spaces);
    return first == text.npos ? "" : text.substr(first, text.find_last_not_of(spaces) + 1 - first);
}

}  // namespace

std::vector<std::string> phrases_in(const std::string& text, const std::string& option) {
    std::vector<std::string> phrases;
    for (size_t at = 0; at <= text.size();) {
        const size_t end = std::min(text.find(',', at), text.size());
        phrases.push_back(trimmed(text.substr(at, end - at)));
        if (phrases.back().empty())
            throw Error(option + ": " +
                        (trimmed(text).empty() ? "there is nothing" : "a phrase is empty") +
                        "; separate phrases by commas, as in \"red mug, my cat\"");
        at = end + 1;
    }
    return phrases;
}

Phrases::Phrases(Device& device, TextTower tower, const Measure& measure, std::string pattern)
    : device_(&device), tower_(std::move(tower)), measure_(measure), pattern_(std::move(pattern)) {}

void Phrases::set_pattern(const std::string& pattern) {
    if (pattern.find(place) == pattern.npos)
        throw Error("the template '" + pattern + "' has no {} where the label goes");
    pattern_ = pattern;
}

std::string Phrases::prompt(const std::string& label) const {
    std::string text = pattern_;
    text.replace(text.find(place), std::strlen(place), label);
    return text;
}

const Linear& Phrases::layer() const {
    if (empty())
        throw Error(
            "the model finds what you name: give it words, as in --labels \"cat, dog\" for a "
            "classifier or --find \"red mug, my cat\" for a detector");
    return layer_;
}

std::vector<uint32_t> Phrases::ids_of(const std::string& label, const Tokenizer& tokenizer) const {
    const TextTowerConfig& config = tower_.config();
    if (trimmed(label).empty()) throw Error("a phrase is empty; name something to look for");
    std::vector<uint32_t> ids = tokenizer.encode(prompt(label));
    if (ids.size() > config.positions)
        throw Error("'" + prompt(label) + "' has " + std::to_string(ids.size()) +
                    " tokens; the model reads at most " + std::to_string(config.positions) +
                    ": use fewer words");
    return ids;
}

void Phrases::use(std::vector<std::string> labels, const Tokenizer& tokenizer) {
    if (labels.empty() || labels.size() > most_phrases)
        throw Error("a model looks for 1 to " + std::to_string(most_phrases) + " phrases, not " +
                    std::to_string(labels.size()));
    TextIds texts;
    size_t longest = 0;
    for (const std::string& label : labels) {
        texts.rows.push_back(ids_of(label, tokenizer));
        longest = std::max(longest, texts.rows.back().size());
    }
    // Padding after the end of a text does not matter in causal attention.
    const TextTowerConfig& config = tower_.config();
    const uint32_t padding = tokenizer.special().pad.value_or(config.pad.value_or(0));
    if (config.pad) longest = config.positions;
    for (std::vector<uint32_t>& row : texts.rows) row.resize(longest, config.pad ? padding : 0);
    use(std::move(labels), texts);
}

void Phrases::use(std::vector<std::string> labels, const TextIds& ids) {
    const TextTowerConfig& config = tower_.config();
    const size_t length = ids.rows.empty() ? 0 : ids.rows.front().size();
    for (const std::vector<uint32_t>& row : ids.rows) {
        if (row.size() != length || length == 0 || length > config.positions)
            throw Error("texts must have 1 to " + std::to_string(config.positions) +
                        " ids, and all the same number");
        if (std::ranges::any_of(row, [&](uint32_t id) { return id >= config.vocabulary; }))
            throw Error("a text has an id that the vocabulary of " +
                        std::to_string(config.vocabulary) + " does not have");
    }
    if (labels.size() != ids.rows.size()) throw Error("each text needs a label");
    ids_ = ids;
    labels_ = std::move(labels);
    for (const Example& example : examples_) labels_.push_back(example.label);
    encode();
}

void Phrases::forget_words() {
    labels_.erase(labels_.begin(), labels_.begin() + std::ptrdiff_t(ids_.rows.size()));
    ids_ = {};
    encode();
}

void Phrases::use_examples(std::vector<Example> examples) {
    for (const Example& example : examples)
        if (example.vector.size() != tower_.config().projected)
            throw Error("the example '" + example.label + "' comes from another model");
    labels_.resize(ids_.rows.size());
    examples_ = std::move(examples);
    for (const Example& example : examples_) labels_.push_back(example.label);
    encode();
}

void Phrases::make_room(uint32_t count) {
    const uint32_t dim = tower_.config().projected;
    const Type type = Type::f32;
    const uint64_t vectors = aligned(tensor_bytes(1, count, dim, Type::f32));
    const uint64_t layer = aligned(tensor_bytes(1, count, dim, type));
    const uint64_t bias = tensor_bytes(1, 1, count, Type::f32);
    memory_ = Buffer(*device_, "phrases", vectors + layer + bias, Memory::device);
    vectors_ = make_tensor(memory_.handle(), 0, 1, count, dim, Type::f32);
    layer_ = {make_tensor(memory_.handle(), vectors, 1, count, dim, type),
              make_tensor(memory_.handle(), vectors + layer, 1, 1, count, Type::f32)};
}

// Normalises the examples' embeddings and appends them to those of the phrases.
void Phrases::add_examples(Commands& c) {
    const auto count = static_cast<uint32_t>(examples_.size());
    const auto first = static_cast<uint32_t>(ids_.rows.size());
    if (count == 0) return;
    const uint32_t dim = tower_.config().projected;
    example_memory_ =
        Buffer(*device_, "examples", tensor_bytes(1, count, dim, Type::f32), Memory::upload);
    const Tensor rows = make_tensor(example_memory_.handle(), 0, 1, count, dim, Type::f32);
    auto* const to = reinterpret_cast<float*>(example_memory_.mapped().data());
    std::fill_n(to, size_t(count) * rows.row_stride, 0.0f);
    for (size_t i = 0; i < count; ++i)
        std::ranges::copy(examples_[i].vector, to + i * rows.row_stride);
    example_memory_.flush();
    c.begin();
    {
        auto scope = c.scope("examples");
        unit_rows_into(c, vectors_.slice_rows(first, count), rows, measure_.eps);
        unit_rows_into(c, layer_.weight.slice_rows(first, count), rows, measure_.eps,
                       measure_.scale);
    }
    c.end();
    c.run();
}

void Phrases::encode() {
    if (labels_.empty()) return;
    const TextIds& ids = ids_;
    const auto count = static_cast<uint32_t>(labels_.size());
    const auto texts = static_cast<uint32_t>(ids.rows.size());
    const auto length = texts > 0 ? static_cast<uint32_t>(ids.rows.front().size()) : 1u;
    make_room(count);
    Arena scratch(*device_, "phrases");
    Commands c(*device_, scratch, "phrases", 0);
    add_examples(c);
    const uint32_t stride = padded(length);
    Buffer staged(*device_, "phrase ids",
                  aligned(uint64_t(count) * stride * 4) + aligned(uint64_t(padded(at_a_time)) * 4) +
                      tensor_bytes(1, 1, count, Type::f32),
                  Memory::upload);
    const uint64_t places = aligned(uint64_t(count) * stride * 4);
    const uint64_t biases = places + aligned(uint64_t(padded(at_a_time)) * 4);
    auto* const words = reinterpret_cast<uint32_t*>(staged.mapped().data());
    auto* const from = reinterpret_cast<uint32_t*>(staged.mapped().data() + places);
    auto* const bias = reinterpret_cast<float*>(staged.mapped().data() + biases);
    std::fill_n(bias, padded(count), 0.0f);
    std::fill_n(bias, count, measure_.bias);
    for (uint32_t i = 0; i < texts; ++i) std::ranges::copy(ids.rows[i], words + size_t(i) * stride);

    Tap no_tap;
    staged.flush();
    c.begin();
    c.copy_bytes(make_tensor(staged.handle(), biases, 1, 1, count, Type::f32), layer_.bias);
    c.end();
    c.run();
    for (uint32_t first = 0; first < texts; first += at_a_time) {
        const uint32_t some = std::min(at_a_time, texts - first);
        for (uint32_t i = 0; i < some; ++i)
            from[i] = i * length + tower_.read_at(ids.rows[first + i]);
        staged.flush();
        c.begin();
        {
            auto scope = c.scope("phrases");
            const Tensor all = make_tensor(staged.handle(), 0, texts, 1, length, Type::u32);
            Tensor part = all;
            part.batch = some;
            part.offset += first * all.batch_stride;
            const Tensor y =
                tower_.encode(c, part, make_tensor(staged.handle(), places, 1, 1, some, Type::u32),
                              ids.unpadded, no_tap);
            const Tensor rows = y.batches_as_rows();
            unit_rows_into(c, vectors_.slice_rows(first, some), rows, measure_.eps);
            unit_rows_into(c, layer_.weight.slice_rows(first, some), rows, measure_.eps,
                           measure_.scale);
        }
        c.end();
        c.run();
    }
}

}  // namespace saccade
