// The runners of the three tasks.

#include <algorithm>

#include "app/library/runner.h"
#include "gpu/core/error.h"
#include "models/attention/attention_maps.h"
#include "models/contrast/phrases.h"
#include "models/text/tokenizer.h"

namespace saccade {

namespace {

constexpr size_t pictures_together = 16;

std::optional<uint32_t> head_of(const saccade_look& look) {
    if (look.head < 0) return std::nullopt;
    return static_cast<uint32_t>(look.head);
}

[[noreturn]] void refuse(const char* what) {
    throw Error(std::string("this model cannot look from ") + what);
}

class DetectorRunner : public Runner {
public:
    DetectorRunner(Engine& engine, const std::filesystem::path& folder)
        : Runner(engine),
          detector_(
              Detector::open(engine.device(), folder, engine.precision(), {}, Tokenizer::open)) {}

    Task task() const override { return Task::detect; }
    const std::vector<std::string>& labels() const override { return detector_.labels(); }
    uint32_t encoder_layers() const override { return detector_.model().encoder_layers(); }
    uint32_t decoder_layers() const override { return detector_.model().decoder_layers(); }
    void tell(const std::vector<std::string>& phrases) override {
        detector_.look_for(phrases);
        record_anew();
    }

private:
    size_t most_together() const override { return pictures_together; }

    bool use(const saccade_run_options& options) override {
        if (detector_.phrases() && detector_.phrases()->empty())
            throw Error("the detector finds what you name: tell it phrases first");
        const float usual = detector_.phrases() ? phrase_threshold : detector_.sure_above();
        filter_ = {.threshold = options.threshold < 0 ? usual : options.threshold,
                   .most = options.most > 0 ? options.most : 100,
                   .masks = true};
        return false;
    }

    void record(Commands& c, std::span<const Image* const> images) override {
        detector_.prepare({images.front()->width(), images.front()->height()});
        findings_ = std::vector<Findings>(images.size());
        std::vector<Findings*> all;
        for (Findings& one : findings_) all.push_back(&one);
        DetectionTaps none;
        detector_.record(c, images, none, all);
    }

    void collect(std::span<Found> found) override {
        for (size_t i = 0; i < found.size(); ++i)
            found[i].detections = findings_[i].detections(filter_);
    }

    LeftOnDevice record_left(Commands& c, const Image& image, const saccade_look* look) override {
        detector_.prepare({image.width(), image.height()});
        findings_ = std::vector<Findings>(1);
        taps_ = {};
        if (look) tap_for(*look);
        const Findings& findings = findings_.front();
        detector_.record(c, image, taps_, findings_.front());
        LeftOnDevice left{.found = findings.found(),
                          .masks = {findings.masks(), findings.masked(), findings.mask_size()}};
        if (look) left.attention = map_for(c, *look, left.geometry);
        return left;
    }
    OverlayLabels overlay_labels() const override { return {.detector = detector_.labels()}; }
    OverlaySettings overlay_settings() const override {
        OverlaySettings settings;
        settings.filter = filter_;
        return settings;
    }

    Tensor look(Commands& c, const Image& image, const saccade_look& look, const Found&,
                MapGeometry& geometry) override {
        taps_ = {};
        tap_for(look);
        detector_.record(c, image, taps_);
        return map_for(c, look, geometry);
    }

    bool decodes() const { return decoder_layers() > 0; }
    uint32_t layer_for(const saccade_look& look) const {
        if (look.from == SACCADE_LOOK_FROM_POINT || !decodes())
            return layer_of(look.layer, encoder_layers(), "the encoder");
        return layer_of(look.layer, decoder_layers(), "the decoder");
    }
    void tap_for(const saccade_look& look) {
        const bool from_point = look.from == SACCADE_LOOK_FROM_POINT;
        if (!from_point && look.from != SACCADE_LOOK_FROM_QUERY) refuse("a word or a class token");
        if (!from_point && look.index >= detector_.model().queries())
            throw Error("there is no query " + std::to_string(look.index) + ": the model has " +
                        std::to_string(detector_.model().queries()));
        (!from_point && decodes() ? taps_.decoder : taps_.encoder) = Tap({layer_for(look)});
    }
    Tensor map_for(Commands& c, const saccade_look& look, MapGeometry& geometry) {
        const Look at{layer_for(look), head_of(look)};
        if (look.from == SACCADE_LOOK_FROM_POINT) {
            geometry = detector_.geometry();
            return detector_.look_from_point(c, taps_, at, {look.x, look.y});
        }
        geometry = detector_.query_geometry();
        return detector_.look_from_query(c, taps_, at, look.index);
    }

    const Tap& keep_hidden(Commands& c, const Image& image) override {
        taps_ = {};
        taps_.encoder = Tap({}, true);
        detector_.record(c, image, taps_);
        return taps_.encoder;
    }

    Detector detector_;
    DetectionFilter filter_;
    std::vector<Findings> findings_;
    DetectionTaps taps_;
};

class ClassifierRunner : public Runner {
public:
    ClassifierRunner(Engine& engine, const std::filesystem::path& folder)
        : Runner(engine),
          classifier_(
              Classifier::open(engine.device(), folder, engine.precision(), {}, Tokenizer::open)) {}

    Task task() const override { return Task::classify; }
    const std::vector<std::string>& labels() const override { return classifier_.labels(); }
    uint32_t encoder_layers() const override { return classifier_.model().layers(); }
    uint32_t decoder_layers() const override { return 0; }
    void tell(const std::vector<std::string>& phrases) override {
        classifier_.look_for(phrases);
        record_anew();
    }

private:
    size_t most_together() const override { return pictures_together; }

    bool use(const saccade_run_options& options) override {
        if (classifier_.phrases() && classifier_.phrases()->empty())
            throw Error("the classifier names what you tell it to: tell it phrases first");
        most_ = options.most > 0 ? options.most : 5;
        return false;
    }

    void record(Commands& c, std::span<const Image* const> images) override {
        classifier_.prepare({images.front()->width(), images.front()->height()});
        rankings_ = std::vector<Ranking>(images.size());
        std::vector<Ranking*> all;
        for (Ranking& one : rankings_) all.push_back(&one);
        Tap none;
        classifier_.record(c, images, none, all);
    }

    void collect(std::span<Found> found) override {
        for (size_t i = 0; i < found.size(); ++i) found[i].classes = rankings_[i].top(most_);
    }

    LeftOnDevice record_left(Commands& c, const Image& image, const saccade_look* look) override {
        classifier_.prepare({image.width(), image.height()});
        rankings_ = std::vector<Ranking>(1);
        tap_ = look ? Tap({layer_for(*look)}) : Tap();
        classifier_.record(c, image, tap_, rankings_.front());
        LeftOnDevice left{.classes = rankings_.front().on_device()};
        if (look) left.attention = map_for(c, *look, left.geometry);
        return left;
    }
    OverlayLabels overlay_labels() const override { return {.classifier = classifier_.labels()}; }
    OverlaySettings overlay_settings() const override {
        OverlaySettings settings;
        settings.most_classes = most_;
        return settings;
    }

    Tensor look(Commands& c, const Image& image, const saccade_look& look, const Found&,
                MapGeometry& geometry) override {
        tap_ = Tap({layer_for(look)});
        classifier_.record(c, image, tap_);
        return map_for(c, look, geometry);
    }

    uint32_t layer_for(const saccade_look& look) const {
        return layer_of(look.layer, encoder_layers(), "attention");
    }
    Tensor map_for(Commands& c, const saccade_look& look, MapGeometry& geometry) {
        const Look at{layer_for(look), head_of(look)};
        geometry = classifier_.geometry(at.layer);
        if (look.from == SACCADE_LOOK_FROM_POINT)
            return classifier_.look_from_point(c, tap_, at, {look.x, look.y});
        if (look.from != SACCADE_LOOK_FROM_CLASS) refuse("a query or a word");
        return classifier_.look_from_class_token(c, tap_, at);
    }

    const Tap& keep_hidden(Commands& c, const Image& image) override {
        tap_ = Tap({}, true);
        classifier_.record(c, image, tap_);
        return tap_;
    }

    Classifier classifier_;
    uint32_t most_ = 5;
    std::vector<Ranking> rankings_;
    Tap tap_;
};

// Captions are written one after another, so that each is the same to the bit as one alone.
class CaptionerRunner : public Runner {
public:
    CaptionerRunner(Engine& engine, const std::filesystem::path& folder)
        : Runner(engine),
          captioner_(Captioner::open(engine.device(), engine.scratch(), folder, Tokenizer::open,
                                     engine.precision())) {}

    Task task() const override { return Task::caption; }
    const std::vector<std::string>& labels() const override { return none_; }
    uint32_t encoder_layers() const override { return captioner_.model().encoder_layers(); }
    uint32_t decoder_layers() const override { return captioner_.model().decoder().form().layers; }
    void ask(const std::string& question) override {
        captioner_.ask(question);
        record_anew();
    }

private:
    static constexpr uint32_t words_at_once = 8;

    size_t most_together() const override { return 1; }

    bool use(const saccade_run_options& options) override {
        if (options.beams == beams_ && options.max_words == max_words_) return false;
        beams_ = options.beams;
        max_words_ = options.max_words;
        CaptionOptions how;
        if (beams_ > 0) how.beams = beams_;
        if (max_words_ > 0) how.max_new = max_words_;
        captioner_.use(how);
        return true;
    }

    void record(Commands& c, std::span<const Image* const> images) override {
        captioner_.prepare({images.front()->width(), images.front()->height()});
        captioner_.record(c, *images.front());
    }

    void collect(std::span<Found> found) override {
        captioner_.start();
        while (!captioner_.finished()) {
            captioner_.advance(words_at_once);
            found.front().caption = captioner_.result();
        }
    }

    // Words are chosen one by one, on both sides of the bus.
    LeftOnDevice record_left(Commands&, const Image&, const saccade_look*) override {
        throw Error("a captioner takes no images of the device: give it the picture in memory");
    }
    OverlayLabels overlay_labels() const override { return {}; }
    OverlaySettings overlay_settings() const override { return {}; }

    // The words of the last caption are still on the device; the encoder runs again.
    Tensor look(Commands& c, const Image& image, const saccade_look& look, const Found& found,
                MapGeometry& geometry) override {
        Look at{.head = head_of(look)};
        if (look.from == SACCADE_LOOK_FROM_WORD) {
            const std::vector<CaptionWord>& words = found.caption.value().words;
            if (look.index >= words.size())
                throw Error("there is no word " + std::to_string(look.index) +
                            ": the caption has " + std::to_string(words.size()));
            at.layer = layer_of(look.layer, decoder_layers(), "the decoder");
            geometry = captioner_.geometry();
            const CaptionWord& word = words[look.index];
            return captioner_.look_from_word(c, at, word.first, word.count);
        }
        if (look.from != SACCADE_LOOK_FROM_POINT) refuse("a query or a class token");
        at.layer = layer_of(look.layer, encoder_layers(), "the encoder");
        tap_ = Tap({at.layer});
        captioner_.record(c, image, tap_);
        geometry = captioner_.encoder_geometry(at.layer);
        const TokenLayout tokens = captioner_.model().encoder_layout(at.layer);
        const AttentionRow row(engine_.device());
        return cells_of(c,
                        row.record(c, tap_.layer(at.layer),
                                   token_at(tokens, geometry, {look.x, look.y}), at.head),
                        tokens);
    }

    const Tap& keep_hidden(Commands& c, const Image& image) override {
        tap_ = Tap({}, true);
        captioner_.record(c, image, tap_);
        return tap_;
    }

    Captioner captioner_;
    uint32_t beams_ = 0, max_words_ = 0;
    std::vector<std::string> none_;
    Tap tap_;
};

}  // namespace

std::unique_ptr<Runner> Runner::open(Engine& engine, const std::filesystem::path& folder) {
    switch (family_of(folder).task()) {
        case Task::classify:
            return std::make_unique<ClassifierRunner>(engine, folder);
        case Task::detect:
            return std::make_unique<DetectorRunner>(engine, folder);
        case Task::caption:
            break;
    }
    return std::make_unique<CaptionerRunner>(engine, folder);
}

}  // namespace saccade
