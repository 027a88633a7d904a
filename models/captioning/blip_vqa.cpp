#include "models/captioning/blip_vqa.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gpu/core/error.h"
#include "gpu/ops/words.h"

namespace saccade {

BlipVqaConfig read_blip_vqa_config(const Json& json, const std::string& where) {
    BlipVqaConfig config{.blip = read_blip_config(json, where, "BlipForQuestionAnswering")};
    const JsonFields text = JsonFields(json, where).object("text_config");
    const uint32_t most = config.blip.text.vocabulary - 1;
    config.start = text.whole("bos_token_id", {0, most}, std::min(30522u, most));
    return config;
}

BlipVqa::BlipVqa(WeightLoader& weights, const BlipVqaConfig& config)
    : Blip(weights, config.blip, config.blip.text.hidden),
      device_(weights.device()),
      activation_(config.blip.text_activation),
      encoder_(load_blip_bert(weights, "text_encoder.", config.blip, config.blip.vision.hidden)),
      question_{config.start} {}

void BlipVqa::ask(std::span<const uint32_t> question) {
    const TextDecoderForm& form = decoder().form();
    if (question.empty() || question.size() > form.positions)
        throw Error("a question of " + std::to_string(question.size()) +
                    " tokens; the model reads 1 to " + std::to_string(form.positions));
    if (std::ranges::any_of(question, [&](uint32_t id) { return id >= form.vocabulary; }))
        throw Error("the question has an id that the model's vocabulary does not have");
    question_.assign(question.begin(), question.end());
    ids_ = {};
}

void BlipVqa::memorize(Commands& c, const Tensor& memory, const Tensor& encoded, Tap& tap) const {
    auto scope = c.scope("question");
    decoder().memorize(c, memory, read_question(c, encoded, tap));
}

// As BlipText::read, but self-attention is bidirectional and there is no prediction head.
Tensor BlipVqa::read_question(Commands& c, const Tensor& encoded, Tap& tap) const {
    const auto words = static_cast<uint32_t>(question_.size());
    const uint64_t bytes = tensor_bytes(encoded.batch, 1, words, Type::u32);
    if (ids_.bytes() < bytes) {
        ids_ = Buffer(device_, "question", bytes, Memory::upload);
        auto* const rows = reinterpret_cast<uint32_t*>(ids_.mapped().data());
        for (uint32_t i = 0; i < encoded.batch; ++i)
            std::ranges::copy(question_, rows + size_t(i) * padded(words));
        ids_.flush();
    }
    const Tensor ids = make_tensor(ids_.handle(), 0, encoded.batch, 1, words, Type::u32);
    const TextDecoderForm& form = decoder().form();
    const uint32_t width = form.width();
    const Heads heads{form.heads, 1.0f / std::sqrt(static_cast<float>(form.head_size()))};
    const Tensor picture = linear(c, encoded, encoder_.memory);

    Tensor x = embedding(c, ids, encoder_.words, encoder_.positions.slice_rows(0, words));
    Tensor next = c.scratch(x.batch, x.rows, x.columns, Type::f32);
    const Norm* norm = &encoder_.embedding_norm;
    auto add = [&](const Tensor& part, const Linear& out, const Norm& then) {
        layer_norm_into(c, next, x, *norm);
        linear_add(c, next, part, out);
        std::swap(x, next);
        norm = &then;
    };
    for (uint32_t i = 0; i < encoder_.layers.size(); ++i) {
        auto layer = c.scope("layer");
        const BlipBert::Layer& w = encoder_.layers[i];
        const Tensor qkv = norm_linear(c, x, *norm, w.qkv);
        add(attention(c, qkv.slice_columns(0, width), qkv.slice_columns(width, width),
                      qkv.slice_columns(2 * width, width), heads),
            w.out, w.norm1);
        const Tensor q = norm_linear(c, x, *norm, w.cross_q);
        const Tensor k = picture.slice_columns(2 * i * width, width);
        tap.attention(c, i, q, k, heads);
        add(attention(c, q, k, picture.slice_columns((2 * i + 1) * width, width), heads),
            w.cross_out, w.norm_cross);
        add(norm_linear(c, x, *norm, w.fc1, activation_), w.fc2, w.norm2);
    }
    const Tensor question = layer_norm(c, x, *norm, encoder_.memory.weight.type);
    tap.hidden(c, 0, question);
    return question;
}

}  // namespace saccade
