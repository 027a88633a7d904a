#include <algorithm>

#include "app/lab/dump/dump_parts.h"
#include "models/attention/attention_maps.h"
#include "models/captioner.h"

namespace saccade {

namespace {

constexpr uint32_t steps = 12;  // as in the references
constexpr uint32_t answer_steps = 8;
constexpr uint32_t best = 8;  // logits of each step

// A float holds any id exactly.
std::vector<float> as_floats(const std::vector<uint32_t>& ids) { return {ids.begin(), ids.end()}; }

// The encoded question, and the attention from its words to the picture.
void add_question(Engine& engine, const Captioner& captioner, Collection& out) {
    const Tap& tap = captioner.question_tap();
    const Tensor& words = tap.hidden_states().at(0);
    out.add("question_last", {words.rows, words.columns},
            read_back(engine, "question", [&](Commands&) { return words.at_batch(0); }));
    const Tap::Kept& last = tap.layer(captioner.model().question_layers() - 1);
    const AttentionRow row(engine.device());
    std::vector<float> all;
    for (uint32_t i = 0; i < words.rows; ++i) {
        const auto one = read_back(
            engine, "attention", [&](Commands& c) { return row.record(c, last, i, std::nullopt); });
        all.insert(all.end(), one.begin(), one.end());
    }
    out.add("question_attention", {words.rows, last.k.rows}, std::move(all));
}

}  // namespace

void dump_captioner(Engine& engine, const std::filesystem::path& model, const PictureView& picture,
                    const DumpInputs& inputs, Collection& out) {
    Captioner captioner =
        Captioner::open(engine.device(), engine.scratch(), model, no_tokenizer, engine.precision());
    const bool answers = captioner.model().answers();
    captioner.prepare({picture.width, picture.height});
    if (answers && !inputs.question_ids.empty()) captioner.ask(inputs.question_ids);
    if (answers && !inputs.prompt_ids.empty()) captioner.ask(inputs.prompt_ids);
    const bool reads_picture = !captioner.model().decoder().picture_words().empty();
    const TextDecoderForm& form = captioner.model().decoder().form();
    CaptionOptions options;
    options.beams = 1;
    if (reads_picture)
        options.max_new = steps;
    else
        options.max_length = std::min(1 + (answers ? answer_steps : steps), form.positions);
    captioner.use(options);
    Frame frame(engine.device(), picture.width, picture.height, picture.bgr);
    frame.write(picture);
    Commands c(engine.device(), engine.scratch(), "dump");
    c.begin();
    frame.record(c);
    Tap vision = reads_picture ? Tap({}, true) : Tap();
    captioner.record(c, frame.image(), vision);
    c.end();
    c.run();
    captioner.start();

    // Word by word, to read the logits of each step.
    std::vector<float> values, columns, attention;
    uint64_t taken = 0;
    const uint32_t wanted = std::min(best, form.vocabulary);
    for (; !captioner.finished(); ++taken) {
        captioner.advance(1);
        const Caption caption = captioner.result();
        Commands look(engine.device(), engine.scratch(), "dump step");
        Download top_values, top_columns, row;
        look.begin();
        {
            auto scope = look.scope("step");
            const Top top = topk(look, captioner.logits(), wanted);
            top_values.record(look, top.values);
            top_columns.record(look, top.columns);
            row.record(look, captioner.attention_of_word(look, {.layer = form.layers - 1},
                                                         caption.ids.size() - 1, 1));
        }
        look.end();
        look.run();
        auto append = [](std::vector<float>& all, const std::vector<float>& more) {
            all.insert(all.end(), more.begin(), more.end());
        };
        append(values, top_values.floats());
        append(columns, as_floats(top_columns.words()));
        append(attention, row.floats());
    }

    out.add("step_logits_top8", {taken, wanted}, std::move(values));
    out.add("step_ids_top8", {taken, wanted}, std::move(columns));
    const uint64_t seen = attention.size() / std::max<uint64_t>(taken, 1);
    out.add(reads_picture ? "attention_steps" : "cross_attention_steps", {taken, seen},
            std::move(attention));
    if (reads_picture) return dump_smolvlm(engine, captioner, frame, vision, out);
    add_pixel_values(engine, captioner.input(), frame, out);
    const Tensor encoded = captioner.encoded();
    const uint32_t first_tokens = std::min(8u, encoded.rows);
    out.add("encoder_last", {first_tokens, encoded.columns},
            read_back(engine, "encoded",
                      [&](Commands&) { return encoded.slice_rows(0, first_tokens); }));
    if (captioner.model().question_layers() > 0) add_question(engine, captioner, out);
}

}  // namespace saccade
