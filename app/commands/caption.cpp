#include "app/commands/caption.h"

#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>

#include "app/draw/heat_map.h"
#include "app/hub/model_finder.h"
#include "app/inspect/sheets.h"
#include "app/io/clock.h"
#include "app/io/picture_file.h"
#include "app/io/text.h"
#include "app/pipeline/still_pictures.h"
#include "gpu/core/error.h"
#include "gpu/core/files.h"
#include "gpu/transfer/download.h"

namespace saccade {

namespace {

// Tokens that are decoded before the host checks whether the caption has ended.
constexpr uint32_t words_at_once = 8;

using Clock = std::chrono::steady_clock;

// A word as a part of a file's name.
std::string as_name(const std::string& word) {
    std::string name;
    for (unsigned char c : word)
        if (std::isalnum(c) && name.size() < 32) name.push_back(static_cast<char>(c));
    return name;
}

// Writes the attention maps of a caption's words into a folder: a heat map per word, and a sheet
// with all of them.
class Maps {
public:
    Maps(Engine& engine, const Captioner& captioner, const CaptionCommandOptions& options)
        : engine_(engine),
          captioner_(captioner),
          model_(title_of(options.captioner)),
          folder_(options.out) {
        const TextDecoderForm& form = captioner.model().decoder().form();
        look_ = {options.layer.value_or(form.layers - 1), options.head};
        if (look_.layer >= form.layers)
            throw Error("--layer " + std::to_string(look_.layer) + ": the model's decoder has " +
                        std::to_string(form.layers) + " layers, counted from 0");
        if (look_.head && *look_.head >= form.heads)
            throw Error("--head " + std::to_string(*look_.head) + ": the model's decoder has " +
                        std::to_string(form.heads) + " heads, counted from 0");
        make_folder(folder_);
    }

    void write(const std::filesystem::path& image, const PictureView& picture,
               const Caption& caption) {
        const std::string stem = stem_for(image);
        std::vector<WordMap> maps;
        for (const CaptionWord& word : caption.words) {
            maps.push_back({word.text, word.p, look(word)});
            char number[16];
            std::snprintf(number, sizeof number, "-%02zu", maps.size());
            const std::string name = as_name(word.text);
            write_picture(folder_ / (stem + number + (name.empty() ? "" : "-" + name) + ".png"),
                          with_heat(picture, maps.back().cells, captioner_.geometry()));
        }
        if (maps.empty()) return;
        const Sheet sheet = word_sheet(picture, caption.text,
                                       image.filename().string() + ", " + model_ +
                                           ": what each word looked at, " + text_of(look_),
                                       maps, captioner_.geometry());
        write_picture(folder_ / (stem + "-words.png"), sheet.draw(lettering_));
    }

private:
    // Named after the picture; pictures of the same name are numbered.
    std::string stem_for(const std::filesystem::path& image) {
        const std::string stem = image.stem().string();
        std::string name = stem;
        for (int i = 2; !taken_.insert(name).second; ++i) name = stem + "-" + std::to_string(i);
        return name;
    }

    std::vector<float> look(const CaptionWord& word) {
        Commands c(engine_.device(), engine_.scratch(), "look");
        Download map;
        c.begin();
        {
            auto scope = c.scope("look");
            map.record(c, captioner_.look_from_word(c, look_, word.first, word.count));
        }
        c.end();
        c.run();
        return map.floats();
    }

    Engine& engine_;
    const Captioner& captioner_;
    std::string model_;
    std::filesystem::path folder_;
    Look look_;
    Lettering lettering_;
    std::set<std::string> taken_;
};

std::string as_text(const std::string& image, const Caption& caption, bool has_tokenizer) {
    std::string text = caption.text;
    if (!has_tokenizer) {
        text = "ids";
        for (uint32_t id : caption.ids) text += " " + std::to_string(id);
    } else if (text.empty()) {
        text = "(nothing said)";
    }
    return one_line(image) + "\n  " + one_line(text) + "\n";
}

// The options for the maps of words.
std::shared_ptr<std::string> add_map_options(CLI::App& command, CaptionCommandOptions& options) {
    auto attention = std::make_shared<std::string>("none");
    command
        .add_option("--attention", *attention,
                    "word: write attention maps of each word into the folder of -o")
        ->check(CLI::IsMember({"none", "word"}).description(""))
        ->type_name("none|word")
        ->capture_default_str();
    command
        .add_option("--layer", options.layer,
                    "Layer of the decoder, counted from 0; the last if left out")
        ->type_name("L");
    command
        .add_option("--head", options.head,
                    "Head of that layer, counted from 0; the mean of all if left out")
        ->type_name("H");
    command
        .add_option("-o,--out", options.out,
                    "Folder for a heat map per word and a sheet with all of them")
        ->type_name("FOLDER");
    return attention;
}

void check_map_options(CaptionCommandOptions& options, const std::string& attention) {
    options.attention = attention == "word";
    if (options.attention && options.out.empty())
        throw CLI::ValidationError("--attention word",
                                   "needs a folder for its maps: add -o FOLDER");
    if (!options.attention && (!options.out.empty() || options.layer || options.head))
        throw CLI::ValidationError("-o, --layer, --head", "only work with --attention word");
}

}  // namespace

int caption(const CaptionCommandOptions& options) {
    Engine engine(options.common.engine());
    spdlog::info("running on {}", engine.device().info().name);
    auto begin = Clock::now();
    Captioner captioner =
        Captioner::open(engine.device(), engine.scratch(), find_model(options.captioner),
                        Tokenizer::open, engine.precision());
    spdlog::info("{} loaded in {:.0f} ms", options.captioner, ms_since(begin));
    for (const std::string& name : captioner.unused())
        spdlog::info("tensor '{}' is not used by this model", name);
    const bool has_tokenizer = captioner.tokenizer() != nullptr;
    if (!has_tokenizer)
        spdlog::warn(
            "'{}' has no tokenizer, so captions are printed as ids; add its tokenizer.json, or "
            "vocab.json and merges.txt, or vocab.txt",
            options.captioner);
    if (!options.question.empty()) captioner.ask(options.question);
    captioner.use(options.caption);
    std::optional<Maps> maps;
    if (options.attention) maps.emplace(engine, captioner, options);

    StillPictures pictures(engine, "caption", [&](Commands& c, const Image& image) {
        captioner.prepare({image.width(), image.height()});
        captioner.record(c, image);
    });
    return for_each_picture(options.images, [&](const std::string& image) {
        begin = Clock::now();
        const PictureFile file(image);
        const double decode_ms = ms_since(begin);
        pictures.run(image, file.view());
        captioner.start();
        Caption found;
        while (!captioner.finished()) {
            captioner.advance(words_at_once);
            found = captioner.result();
        }
        const double steps_ms = captioner.steps_ms();
        std::optional<double> draw_ms;
        if (maps) {
            begin = Clock::now();
            maps->write(image, file.view(), found);
            draw_ms = ms_since(begin);
        }
        if (!options.json) return as_text(image, found, has_tokenizer);
        FrameResult result = pictures.result(image, decode_ms);
        for (auto& [stage, ms] : result.ms)
            if (stage == "captioner") ms += steps_ms;
        if (draw_ms) result.ms.emplace_back("draw", *draw_ms);
        result.caption = std::move(found);
        return line_of(result, {}, CaptionScore::written) + "\n";
    });
}

void add_caption_command(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<CaptionCommandOptions>();
    CLI::App& command = *app.add_subcommand("caption", "Describe pictures in a sentence");
    command.add_option("images", options->images, "Picture files")->required()->type_name("IMAGE");
    add_model_option(command, Task::caption, options->captioner, Imagery::photographs);
    CaptionOptions& how = options->caption;
    command.add_option("--beams", how.beams, "Search with N beams; 1 is greedy")
        ->check(CLI::Range(1, 64).description(""))
        ->type_name("N");
    command.add_option("--prompt", how.prompt, "Begin every caption with TEXT")->type_name("TEXT");
    command
        .add_option("--max-length", how.max_length,
                    "At most N tokens per caption, counting the start token and the prompt")
        ->check(CLI::Range(2, 65536).description(""))
        ->type_name("N");
    command
        .add_option("--no-repeat", how.no_repeat,
                    "Let no sequence of N tokens occur twice; 0 allows any")
        ->check(CLI::Range(0, 65536).description(""))
        ->type_name("N");
    command
        .add_option("--length-penalty", how.length_penalty,
                    "With several beams: above 0 prefers long captions, below 0 short ones")
        ->check(within(-100.0, 100.0))
        ->type_name("X");
    const auto attention = add_map_options(command, *options);
    command.add_flag("--json", options->json, "Print one JSON object per picture");
    add_common_options(command, options->common);
    command.footer(
        "The defaults are those of the model's generation_config.json.\n"
        "Examples:\n"
        "  saccade caption beach.jpg --captioner blip-image-captioning-base\n"
        "  saccade caption *.jpg --captioner vit-gpt2-image-captioning --beams 4 --json\n"
        "  saccade caption dog.jpg --attention word -o dog-words");
    command.callback([options, attention, &exit_code] {
        check_map_options(*options, *attention);
        set_up_log(options->common);
        exit_code = caption(*options);
    });
}

void add_ask_command(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<CaptionCommandOptions>();
    CLI::App& command = *app.add_subcommand("ask", "Ask a question about pictures");
    command.add_option("words", options->images, "Picture files, and then the question")
        ->required()
        ->expected(2, 65536)
        ->type_name("IMAGE... QUESTION");
    command
        .add_option("--captioner", options->captioner,
                    "A model that answers: BLIP-VQA, SmolVLM; 'saccade models list' shows some")
        ->type_name("MODEL");
    command.add_option("--max-words", options->caption.max_new, "At most N tokens per answer")
        ->check(CLI::Range(1, 4096).description(""))
        ->type_name("N");
    const auto attention = add_map_options(command, *options);
    command.add_flag("--json", options->json, "Print one JSON object per picture");
    add_common_options(command, options->common);
    command.footer(
        "Examples:\n"
        "  saccade ask street.jpg \"How many people are there?\" --captioner "
        "Salesforce/blip-vqa-base\n"
        "  saccade ask *.jpg \"What is this?\" --captioner HuggingFaceTB/SmolVLM-256M-Instruct "
        "--json");
    command.callback([options, attention, &exit_code] {
        if (options->captioner.empty())
            throw CLI::ValidationError(
                "--captioner",
                "is missing: Salesforce/blip-vqa-base answers questions, and 'saccade models pull "
                "Salesforce/blip-vqa-base' gets it");
        options->question = options->images.back();
        options->images.pop_back();
        if (options->question.find_first_not_of(" \t\n") == std::string::npos)
            throw CLI::ValidationError("QUESTION", "is empty");
        check_map_options(*options, *attention);
        set_up_log(options->common);
        exit_code = caption(*options);
    });
}

}  // namespace saccade
