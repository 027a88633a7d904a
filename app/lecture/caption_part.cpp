#include "app/inspect/attention_source.h"
#include "app/lecture/parts.h"
#include "app/pipeline/still_pictures.h"
#include "gpu/ops/norms.h"
#include "gpu/ops/rows.h"

namespace saccade {

namespace {

constexpr uint32_t likeliest = 5;  // words that are shown of each step

// The text of an id; empty for the tokens that begin and end a sentence.
std::string piece_of(const Captioner& captioner, uint32_t id) {
    const Tokenizer* const tokenizer = captioner.tokenizer();
    if (!tokenizer) return std::to_string(id);
    return tokenizer->is_special(id) ? "" : tokenizer->piece(id);
}

// What the captioner says at one step: the ids that it finds likeliest, and their probabilities.
LectureData step_of(Engine& engine, const Captioner& captioner) {
    Commands c(engine.device(), engine.scratch(), "words");
    Download values, columns;
    c.begin();
    {
        auto scope = c.scope("words");
        const Tensor p = softmax(c, captioner.logits());
        const Top top = topk(c, p, std::min(likeliest, p.columns));
        values.record(c, top.values);
        columns.record(c, top.columns);
    }
    c.end();
    c.run();
    LectureData step = LectureData::array();
    const std::vector<float> p = values.floats();
    const std::vector<uint32_t> ids = columns.words();
    for (size_t i = 0; i < ids.size(); ++i)
        step.push_back({piece_of(captioner, ids[i]), p[i], ids[i]});
    return step;
}

// The words' attention to the picture: (layers, steps, cells), averaged over heads. Id i + 1 was
// predicted at the place of id i.
void add_gazes(const LectureInput& in, const Captioner& captioner, uint32_t first, uint32_t steps,
               const std::string& prefix, PageTensors& tensors) {
    std::vector<AttentionLayer> layers;
    const uint32_t count = captioner.model().decoder().form().layers;
    for (uint32_t i = 0; i < count; ++i) layers.push_back(captioner.cross_attention_layer(i));
    const PictureTokens picture = captioner.model().picture();
    const AttentionSource source(in.engine, std::move(layers), picture.first_cell,
                                 captioner.geometry());
    std::vector<float> all;
    for (uint32_t layer = 0; layer < count; ++layer) {
        const std::vector<float> mean =
            of_head(source.rows(layer, first, steps), source.heads(), std::nullopt);
        const std::vector<float> cells = source.cells_of(mean);
        all.insert(all.end(), cells.begin(), cells.end());
    }
    tensors.add(prefix + "gazes", {count, steps, source.cells()}, all);
}

// Queries and keys of the words' self-attention, for the page to mask: (words, heads, size).
bool add_words(const LectureInput& in, const Captioner& captioner, uint32_t words,
               const std::string& prefix, PageTensors& tensors) {
    const TextDecoderForm& form = captioner.model().decoder().form();
    for (uint32_t i = 0; i < form.layers; ++i) {
        const AttentionLayer layer = captioner.self_attention_layer(i);
        if (!layer.q) return false;
        const uint64_t size = layer.q.columns / layer.heads.count;
        const std::string number = std::to_string(i);
        tensors.add(prefix + "q." + number, {words, layer.heads.count, size},
                    read_back(in.engine, "lecture", layer.q.slice_rows(0, words)));
        tensors.add(prefix + "k." + number, {words, layer.heads.count, size},
                    read_back(in.engine, "lecture", layer.k.slice_rows(0, words)));
    }
    return true;
}

}  // namespace

LectureData caption_part(const LectureInput& in, Captioner& captioner, const std::string& prefix,
                         PageTensors& tensors) {
    const CaptionModel& model = captioner.model();
    if (model.answers() || !model.decoder().picture_words().empty()) return nullptr;
    in.progress("a captioner");
    CaptionOptions greedy;
    greedy.beams = 1;
    captioner.use(greedy);
    StillPictures pictures(in.engine, "lecture", [&](Commands& c, const Image& image) {
        captioner.prepare({image.width(), image.height()});
        captioner.record(c, image);
    });
    pictures.run(in.picture);
    captioner.start();
    LectureData steps = LectureData::array();
    Caption caption;
    while (!captioner.finished()) {
        captioner.advance(1);
        caption = captioner.result();
        steps.push_back(step_of(in.engine, captioner));
    }
    if (caption.ids.size() < 2 || steps.empty()) return nullptr;
    // Steps may be submitted past the end.
    const auto words = static_cast<uint32_t>(caption.ids.size() - 1);
    const auto count = std::min(static_cast<uint32_t>(steps.size()), words);
    const uint32_t first = words - count;  // ids before it are the prompt
    LectureData said = LectureData::array();
    for (uint32_t i = 0; i <= words; ++i)
        said.push_back({piece_of(captioner, caption.ids[i]), std::exp(double(caption.log_probs[i])),
                        caption.ids[i]});
    while (steps.size() > count) steps.erase(steps.size() - 1);
    LectureData data = {{"text", caption.text},
                        {"ids", said},
                        {"first", first},
                        {"steps", steps},
                        {"layers", model.decoder().form().layers},
                        {"heads", model.decoder().form().heads},
                        {"head_size", model.decoder().form().head_size()},
                        {"hidden", model.decoder().form().hidden},
                        {"place", place_of(captioner.geometry())}};
    add_gazes(in, captioner, first, count, prefix, tensors);
    data["self_attention"] = add_words(in, captioner, words, prefix, tensors);
    return data;
}

}  // namespace saccade
