// Models that answer questions: prompts, length of answers, attention.

#include <nlohmann/json.hpp>

#include "models/captioner.h"
#include "tests/models/golden.h"

namespace saccade {
namespace {

using Floats = std::vector<float>;

// A tokenizer whose ids are bytes and the special tokens of SmolVLM's chat template.
Json byte_tokenizer() {
    Json vocabulary = Json::object(), added = Json::array();
    auto utf8 = [](uint32_t code) {
        std::string text;
        if (code < 0x80) return text + char(code);
        text += char(0xC0 | code >> 6);
        return text + char(0x80 | (code & 0x3F));
    };
    // GPT-2's byte-to-character table: printable bytes stand for themselves.
    uint32_t unseen = 256;
    for (uint32_t byte = 0; byte < 256; ++byte) {
        const bool seen = (byte >= 33 && byte <= 126) || (byte >= 161 && byte != 173);
        vocabulary[utf8(seen ? byte : unseen++)] = byte;
    }
    auto add = [&](uint32_t id, const std::string& text) {
        added.push_back({{"id", id},
                         {"content", text},
                         {"single_word", false},
                         {"lstrip", false},
                         {"rstrip", false},
                         {"normalized", false},
                         {"special", true}});
    };
    add(257, "<|im_start|>");
    add(290, "<image>");
    add(291, "<fake_token_around_image>");
    add(292, "<global-img>");
    for (uint32_t row = 1; row <= 4; ++row)
        for (uint32_t column = 1; column <= 4; ++column)
            add(289 + row * 4 + column - 1,
                "<row_" + std::to_string(row) + "_col_" + std::to_string(column) + ">");
    add(319, "<end_of_utterance>");
    const Json byte_level = {{"type", "ByteLevel"},
                             {"add_prefix_space", false},
                             {"trim_offsets", true},
                             {"use_regex", true}};
    return {{"version", "1.0"},
            {"truncation", nullptr},
            {"padding", nullptr},
            {"added_tokens", added},
            {"normalizer", nullptr},
            {"pre_tokenizer", byte_level},
            {"post_processor", nullptr},
            {"decoder", byte_level},
            {"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", Json::array()}}}};
}

class QuestionsTest : public GpuTest {
protected:
    static constexpr uint32_t words_each = 8;
    static void add_tokenizer(const GoldenFolder& to) {
        to.folder.write("tokenizer.json", byte_tokenizer().dump());
    }
    Captioner open(const GoldenFolder& from, OpenTokenizer tokenizer = Tokenizer::open) {
        return Captioner::open(device, arena, from.folder.path(), tokenizer, Type::f32);
    }
    Caption answer(Captioner& captioner, const GoldenFolder& from) {
        return answer_on(device, arena, captioner, from);
    }
    static Caption answer_on(Device& device, Arena& arena, Captioner& captioner,
                             const GoldenFolder& from) {
        Frame frame(device, from.picture.width, from.picture.height, false);
        frame.write(from.view());
        captioner.prepare(from.size());
        Commands c(device, arena, "answer");
        c.begin();
        frame.record(c);
        captioner.record(c, frame.image());
        c.end();
        c.run();
        captioner.start();
        Caption caption;
        while (!captioner.finished()) {
            captioner.advance(4);
            caption = captioner.result();
        }
        return caption;
    }
};

TEST_F(QuestionsTest, an_answer_is_what_transformers_generates_whatever_was_asked_before) {
    for (const char* name : {"smolvlm-nano", "smolvlm-nano-split", "blip-vqa-nano"}) {
        SCOPED_TRACE(name);
        const GoldenFolder from(name);
        const bool reads = from.facts.contains("prompt_ids");
        Captioner captioner = open(from, no_tokenizer);
        captioner.prepare(from.size());
        CaptionOptions few;
        few.max_new = 12;
        captioner.use(few);
        const std::vector<uint32_t> question = from.facts[reads ? "prompt_ids" : "question_ids"];
        std::vector<uint32_t> other = question;
        other.back() = 7;
        std::vector<uint32_t> want = from.facts["ids"];
        if (!reads) want.erase(want.begin());  // the start token
        auto ids_after = [&](const std::vector<uint32_t>& asked, size_t given) {
            captioner.ask(asked);
            std::vector<uint32_t> ids = answer(captioner, from).ids;
            ids.erase(ids.begin(), ids.begin() + std::ptrdiff_t(given));
            ids.resize(std::min(ids.size(), want.size()));
            return ids;
        };
        const size_t given = reads ? question.size() : 1;
        EXPECT_EQ(ids_after(question, given), want);
        EXPECT_NE(ids_after(other, given), want);
        EXPECT_EQ(ids_after(question, given), want);
    }
}

TEST_F(QuestionsTest, words_come_with_how_sure_the_model_was_and_where_it_looked) {
    const GoldenFolder from("smolvlm-nano-split");
    add_tokenizer(from);
    Captioner captioner = open(from);
    EXPECT_EQ(captioner.question(), Captioner::default_question);
    captioner.ask("How many?");
    EXPECT_EQ(captioner.question(), "How many?");
    const Caption said = answer(captioner, from);
    EXPECT_TRUE(said.answers);
    ASSERT_FALSE(said.words.empty());
    EXPECT_EQ(said.text.find("How many"), said.text.npos) << "the question is no part of it";
    const size_t given = captioner.model().prompt().size();
    EXPECT_LE(said.ids.size(), given + 64) << "long answers are capped";
    for (const CaptionWord& word : said.words) {
        EXPECT_GT(word.p, 0);
        EXPECT_LE(word.p, 1);
        EXPECT_GE(word.first, given);
        EXPECT_EQ(word.text.find("Assistant"), word.text.npos);
    }
    // The tiles cover the whole frame: two by two of one token each way, and the picture as a
    // whole.
    const MapGeometry map = captioner.geometry();
    EXPECT_EQ(map.grid, (Size{4, 4}));
    EXPECT_NEAR(map.cell.x * 4, float(from.size().x), 1e-3);
    EXPECT_NEAR(map.cell.y * 4, float(from.size().y), 1e-3);
    for (uint32_t layer = 0; layer < 3; ++layer) {
        const Floats cells = run([&](Commands& c) {
            return captioner.look_from_word(c, {layer}, said.words[0].first, said.words[0].count);
        });
        const Floats tokens = run([&](Commands& c) {
            return captioner.attention_of_word(c, {layer}, said.words[0].first,
                                               said.words[0].count);
        });
        double on_cells = 0, on_tokens = 0;
        for (float cell : cells) on_cells += double(cell);
        for (float token : tokens) on_tokens += double(token);
        EXPECT_GT(on_tokens, 0);
        EXPECT_LT(on_tokens, 1) << "words are looked at, too";
        EXPECT_NEAR(on_cells, on_tokens, 1e-5) << "what fell on the picture lies on its cells";
    }
}

TEST_F(QuestionsTest, a_chain_for_each_word_says_the_same_with_a_dispatch_or_two) {
    const GoldenFolder from("smolvlm-nano");
    const std::vector<uint32_t> question = from.facts["prompt_ids"];
    struct Said {
        Caption caption;
        uint32_t dispatches;
    };
    auto said_on = [&](Device& on, uint32_t beams) {
        Arena scratch(on, "answers");
        Captioner captioner =
            Captioner::open(on, scratch, from.folder.path(), no_tokenizer, Type::f16);
        captioner.prepare(from.size());
        CaptionOptions few;
        few.max_new = words_each;
        few.beams = beams;
        captioner.use(few);
        captioner.ask(question);
        Caption caption = answer_on(on, scratch, captioner, from);
        return Said{std::move(caption), captioner.counts().dispatches};
    };
    Device without(device.instance(), device.info(),
                   {.chains = false, .extensions = {}, .pipeline_cache = {}});
    for (uint32_t beams : {1u, 3u}) {
        const Said chained = said_on(device, beams), alone = said_on(without, beams);
        EXPECT_EQ(chained.caption.ids, alone.caption.ids) << beams;
        EXPECT_LT(relative_error(chained.caption.log_probs, alone.caption.log_probs), 1e-2)
            << beams;
        // Both read the prompt without a chain. Then each word takes one, or some twenty
        // operations.
        EXPECT_GT(alone.dispatches, chained.dispatches + (words_each - 1) * 20) << beams;
    }
}

TEST_F(QuestionsTest, what_cannot_be_asked_is_one_line) {
    const GoldenFolder from("smolvlm-nano");
    add_tokenizer(from);
    Captioner captioner = open(from);
    expect_says(error_of([&] { captioner.ask(" "); }), "the question is empty");
    expect_says(error_of([&] { captioner.ask(std::string(600, 'x')); }),
                "tokens; the model has positions for 512");
    EXPECT_EQ(captioner.question(), Captioner::default_question);
    EXPECT_FALSE(answer(captioner, from).words.empty()) << "it goes on as it was";

    const GoldenFolder describes("blip-vqa-nano");
    Captioner silent = open(describes);
    expect_says(error_of([&] { silent.ask("What?"); }), "needs a tokenizer");
}

}  // namespace
}  // namespace saccade
