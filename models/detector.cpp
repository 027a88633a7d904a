#include "models/detector.h"

#include <algorithm>
#include <glm/common.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "gpu/core/error.h"
#include "gpu/ops/boxes.h"
#include "gpu/ops/elementwise.h"
#include "models/contrast/phrases.h"
#include "models/detection/coco_stuff.h"
#include "models/detection/fine/authors_names.h"
#include "models/detection/mask_runs.h"
#include "models/registry/registry.h"

namespace saccade {

namespace {

constexpr uint32_t found_columns = 7;  // left, top, right, bottom, score, class, query

float overlap_of(const Rectangle& a, const Rectangle& b) {
    const glm::vec2 size = glm::max(glm::min(a.max, b.max) - glm::max(a.min, b.min), glm::vec2(0));
    const float both = size.x * size.y;
    return both > 0 ? both / (a.area() + b.area() - both) : 0;
}

// Non-maximum suppression; `found` is sorted by score.
void drop_overlapping(std::vector<Detection>& found, float most) {
    std::vector<Detection> kept;
    for (Detection& one : found)
        if (std::ranges::none_of(kept, [&](const Detection& better) {
                return overlap_of(better.box, one.box) > most;
            }))
            kept.push_back(std::move(one));
    found = std::move(kept);
}

float sure_above_of(const Json& config, const std::string& where) {
    return static_cast<float>(JsonFields(config, where).number("sure_above", 0, 1, 0.5));
}

}  // namespace

float sure_above_in(const std::filesystem::path& folder) {
    const std::filesystem::path file = config_in(folder);
    return sure_above_of(read_json(file), file.string());
}

Detector Detector::open(Device& device, const std::filesystem::path& folder, Type precision,
                        LoadProgress progress, OpenTokenizer tokenizer, Implementation as) {
    const std::filesystem::path file = config_in(folder);
    const Json config = read_json(file);
    family_for(Task::detect, config, file.string());  // reports another kind of model first
    const Preprocessor preprocessor = read_preprocessor(folder, config, file.string());
    Checkpoint checkpoint(folder);
    checkpoint.on_progress(std::move(progress));
    Detector detector =
        with_suitable_front(device, config, file.string(), preprocessor, checkpoint, precision, as);
    detector.sure_above_ = sure_above_of(config, file.string());
    if (detector.phrases()) detector.tokenizer_ = tokenizer(folder);
    return detector;
}

void Detector::look_for(const std::vector<std::string>& phrases) {
    if (!model_->phrases())
        throw Error(
            "the detector has fixed classes and takes no --find; a model that does is "
            "google/owlv2-base-patch16-ensemble");
    if (!tokenizer_) throw Error("the detector's folder has no tokenizer.json, which --find needs");
    model_->phrases()->use(phrases, *tokenizer_);
}

void Detector::look_for(std::vector<Example> examples) {
    if (!model_->phrases())
        throw Error(
            "the detector has fixed classes and takes no examples; a model that does is "
            "google/owlv2-base-patch16-ensemble");
    model_->phrases()->use_examples(std::move(examples));
}

Example Detector::example_in(Arena& scratch, const std::function<void(Commands&)>& upload,
                             const Image& image, const std::optional<Rectangle>& box,
                             const std::string& label) {
    Phrases* const phrases = model_->phrases();
    if (!phrases) look_for(std::vector<Example>());  // throws an Error that names a model that can
    const uint32_t dim = phrases->tower().config().projected;
    // The model needs at least one phrase or example to run.
    if (phrases->empty()) phrases->use_examples({{label, std::vector<float>(dim, 1.0f)}});
    DetectionTaps taps;
    taps.decoder = Tap({}, true);
    Findings found;
    Download vectors;
    Commands c(device_, scratch, "example");
    c.begin();
    upload(c);
    record(c, image, taps, found);
    {
        auto scope = c.scope("vectors");
        vectors.record(c, model_->query_vectors(c, taps.decoder.hidden_states().at(0)));
    }
    c.end();
    c.run();
    // Boxes are relative to the model's input, of which the frame may be a part.
    const glm::vec2 whole = model_->seen_of({image.width(), image.height()});
    const std::vector<float> all = vectors.floats();
    const Rectangle wanted =
        box ? Rectangle(box->min / whole, box->max / whole) : Rectangle(0, 0, 1, 1);
    const size_t best = best_example(all, dim, found.boxes(), wanted);
    const auto first = all.begin() + std::ptrdiff_t(best * dim);
    return {label, {first, first + std::ptrdiff_t(dim)}};
}

Detector Detector::with_suitable_front(Device& device, const Json& config, const std::string& where,
                                       const Preprocessor& preprocessor, WeightSource& weights,
                                       Type precision, Implementation as) {
    Detector detector(device, config, where, preprocessor, weights, precision, {.as = as});
    if (precision == Type::f16 && detector.model_->front_outgrows_half(device))
        return Detector(device, config, where, preprocessor, weights, precision,
                        {.as = as, .front = Type::f32});
    return detector;
}

Detector::Detector(Device& device, const Json& config, const std::string& where,
                   Preprocessor preprocessor, WeightSource& weights, Type precision, const Use& use)
    : Detector(device, load(device, config, where, weights, precision, use),
               std::move(preprocessor), precision) {}

// The preprocessor as the model wants it; `remark` says what people should know of both.
static Preprocessor fitted(Preprocessor preprocessor, const DetectionModel& model,
                           std::string& remark) {
    remark = model.remark();
    if (model.adapt(preprocessor) && preprocessor.resize == Preprocessor::Resize::fixed)
        remark += (remark.empty() ? "" : "; ") +
                  ("pictures become " + std::to_string(preprocessor.size.x)) + "x" +
                  std::to_string(preprocessor.size.y) +
                  " by its config.json, not by its preprocessor_config.json";
    return preprocessor;
}

Detector::Detector(Device& device, Loaded loaded, Preprocessor preprocessor, Type precision)
    : device_(device),
      precision_(precision),
      model_(std::move(loaded.model)),
      memory_(std::move(loaded.memory)),
      unused_(std::move(loaded.unused)),
      input_(device, fitted(std::move(preprocessor), *model_, remark_), model_->patch()),
      attention_row_(device) {}

Detector::Loaded Detector::load(Device& device, const Json& config, const std::string& where,
                                WeightSource& weights, Type precision, const Use& use) {
    const Family& family = family_for(Task::detect, config, where);
    AuthorsNames of_authors(weights);
    WeightSource& source =
        family.authors.empty() ? weights : static_cast<WeightSource&>(of_authors);
    WeightLoader loader(device, source, precision, "detector");
    std::optional<WeightLoader> precise;
    if (use.front.value_or(precision) != precision)
        precise.emplace(device, source, *use.front, "detector's front");
    const auto make = std::get<Family::Detector>(family.make);
    auto model = make({config, where, loader, precise ? *precise : loader, use.as});
    std::vector<Buffer> memory = loader.finish();
    if (precise) std::ranges::move(precise->finish(), std::back_inserter(memory));
    return {std::move(model), std::move(memory), weights.unused()};
}

bool Detector::prepare(Size frame, std::optional<Size> within) {
    const bool changed = input_.prepare(frame, within);
    model_->prepare(picture());
    return changed;
}

void Findings::prepare(Device& device, uint32_t most) {
    if (memory_) return;
    memory_ = Buffer(device, "detections", tensor_bytes(1, most, found_columns, Type::f32),
                     Memory::device);
    found_ = make_tensor(memory_.handle(), 0, 1, most, found_columns, Type::f32);
}

void Detector::record(Commands& c, std::span<const Image* const> images, DetectionTaps& taps,
                      std::span<Findings* const> findings) const {
    auto scope = c.scope("detector");
    const auto count = static_cast<uint32_t>(images.size());
    const Tensor patches = c.scratch(count, input_.patches(), input_.patch_columns(), input_type());
    for (uint32_t i = 0; i < count; ++i)
        if (images[i]) input_.record(c, patches.at_batch(i), *images[i]);
    const DetectionOutput out = forward(c, patches, taps);
    for (uint32_t i = 0; i < count; ++i) {
        if (!images[i]) continue;
        Findings& found = *findings[i];
        found.prepare(c.device(), model_->most_found());
        const DetectionOutput one = out.at_batch(i);
        model_->find(c, found.found_, one, {images[i]->width(), images[i]->height()});
        found.download_.record(c, found.found_);
        found.logits_.record(c, one.logits);
        found.boxes_.record(c, one.boxes);
        const std::map<uint32_t, Tensor>& states = taps.decoder.hidden_states();
        found.has_states_ = !states.empty();
        if (found.has_states_) found.states_.record(c, states.begin()->second.at_batch(i));
        found.frame_ = {images[i]->width(), images[i]->height()};
        record_masks(c, one, taps, found);
    }
}

void Detector::record_masks(Commands& c, const DetectionOutput& out, DetectionTaps& taps,
                            Findings& findings) const {
    const Size size = model_->mask_size(picture());
    findings.mask_size_ = size;
    if (area(size) == 0) return;
    findings.stuff_.clear();
    if (model_->panoptic())
        for (const std::string& label : labels()) findings.stuff_.push_back(is_stuff(label));
    auto scope = c.scope("masks");
    const uint32_t count = std::min(most_masks, model_->queries());
    findings.prepare_masks(c.device(), count, size);
    best_queries_into(c, findings.masked_, findings.found_);
    const Tensor masks =
        model_->masks(c, out, findings.masked_.slice_rows(0, 1), picture(), taps.parts);
    // (n, cells, 1) as rows of cells.
    const Tensor& to = findings.masks_;
    copy_strided(
        c, to, {{1, 1, count, padded(to.columns)}, {0, 0, to.row_stride, 1}, to.offset}, masks,
        masks.type == Type::f16 ? Stored::f16 : Stored::f32,
        {{1, 1, count, to.columns}, {0, 0, masks.batch_stride, masks.row_stride}, masks.offset});
    findings.masked_download_.record(c, findings.masked_);
    findings.masks_download_.record(c, to);
}

void Findings::prepare_masks(Device& device, uint32_t count, Size size) {
    const uint64_t list_bytes = (tensor_bytes(1, 2, count, Type::u32) + 255) / 256 * 256;
    const uint64_t bytes = list_bytes + tensor_bytes(1, count, area(size), Type::f32);
    if (mask_memory_.bytes() < bytes) mask_memory_ = Buffer(device, "masks", bytes, Memory::device);
    masked_ = make_tensor(mask_memory_.handle(), 0, 1, 2, count, Type::u32);
    masks_ = make_tensor(mask_memory_.handle(), list_bytes, 1, count, area(size), Type::f32);
}

std::vector<uint32_t> Findings::masked_queries() const {
    if (area(mask_size_) == 0) return {};
    std::vector<uint32_t> both = masked_download_.words();
    both.resize(masked_.columns);
    return both;
}

std::vector<float> Findings::query_states() const {
    return has_states_ ? states_.floats() : std::vector<float>();
}

std::vector<Detection> Findings::detections(const DetectionFilter& filter) const {
    const std::vector<float> rows = download_.floats();
    std::vector<Detection> result;
    for (size_t i = 0; i < found_.rows; ++i) {
        const float* row = &rows[i * found_columns];
        const auto id = static_cast<uint32_t>(row[5]), query = static_cast<uint32_t>(row[6]);
        if (!(row[4] > filter.least_score(id))) continue;
        if (!filter.classes.empty() && !filter.classes.contains(id)) continue;
        result.push_back({id, row[4], {row[0], row[1], row[2], row[3]}, query, {}});
    }
    std::ranges::stable_sort(result, std::greater(), &Detection::score);
    if (filter.overlap < 1) drop_overlapping(result, filter.overlap);
    if (result.size() > filter.most) result.resize(filter.most);
    if (filter.masks && area(mask_size_) > 0)
        stuff_.empty() ? add_masks(result) : add_panoptic_masks(result);
    return result;
}

float Findings::best_score() const {
    const std::vector<float> rows = download_.floats();
    float best = 0;
    for (size_t i = 0; i < found_.rows; ++i) best = std::max(best, rows[i * found_columns + 4]);
    return best;
}

void Findings::add_masks(std::vector<Detection>& to) const {
    const std::vector<uint32_t> masked = masked_queries();
    const std::vector<float> logits = mask_logits();
    const size_t each = area(mask_size_);
    for (Detection& d : to) {
        const auto place = std::ranges::find(masked, d.query);
        if (place == masked.end()) continue;
        const auto index = static_cast<size_t>(place - masked.begin());
        d.mask = mask_runs(std::span(logits).subspan(index * each, each), mask_size_, frame_);
    }
}

// All "stuff" of one class becomes one detection, the best; objects without pixels of their own
// have no mask.
void Findings::add_panoptic_masks(std::vector<Detection>& to) const {
    const std::vector<uint32_t> masked = masked_queries();
    const std::vector<float> logits = mask_logits();
    const size_t each = area(mask_size_);
    std::vector<Detection> objects;
    std::vector<PanopticMask> masks;
    std::map<uint32_t, uint32_t> of_stuff;
    for (const Detection& d : to) {
        const auto place = std::ranges::find(masked, d.query);
        auto object = static_cast<uint32_t>(objects.size());
        if (place != masked.end()) {
            if (stuff_[d.id]) object = of_stuff.try_emplace(d.id, object).first->second;
            const auto index = static_cast<size_t>(place - masked.begin());
            masks.push_back({std::span(logits).subspan(index * each, each), d.score, object});
        }
        if (object == objects.size()) {
            objects.push_back(d);
        } else {
            Rectangle& box = objects[object].box;
            box = {glm::min(box.min, d.box.min), glm::max(box.max, d.box.max)};
        }
    }
    const std::vector<std::vector<uint32_t>> runs =
        panoptic_runs(masks, static_cast<uint32_t>(objects.size()), mask_size_, frame_);
    for (size_t i = 0; i < objects.size(); ++i) objects[i].mask = runs[i];
    to = std::move(objects);
}

Tensor Detector::look_from_phrase(Commands& c, const DetectionTaps& taps, uint32_t phrase) const {
    const Tensor states = taps.decoder.hidden_states().at(0).at_batch(0);
    TokenLayout patches = layout();
    patches.first_cell = 0;  // the queries are the patches, without a class token
    return cells_of_column(c, model_->likeness(c, states), phrase, patches);
}

Tensor Detector::similarity_to_point(Commands& c, const DetectionTaps& taps,
                                     glm::vec2 point) const {
    const TokenLayout tokens = layout();
    return similarity_map(c, taps.encoder, tokens, token_at(tokens, geometry(), point));
}

Tensor Detector::colours(Commands& c, const DetectionTaps& taps, PatchColours& from) const {
    return from.record(c, taps.encoder, layout());
}

uint32_t Detector::token_of(uint32_t query) const {
    if (query >= model_->queries())
        throw Error("there is no query " + std::to_string(query) + "; the model has " +
                    std::to_string(model_->queries()));
    return layout().first_query + query;
}

Tensor Detector::look_from(Commands& c, const Tap& tap, const Look& look, uint32_t token,
                           const TokenLayout& keys) const {
    return cells_of(c, attention_row_.record(c, tap.layer(look.layer), token, look.head), keys);
}

Tensor Detector::look_from_point(Commands& c, const DetectionTaps& taps, const Look& look,
                                 glm::vec2 point) const {
    return look_from(c, taps.encoder, look, token_at(layout(), geometry(), point), layout());
}

Tensor Detector::look_from_query(Commands& c, const DetectionTaps& taps, const Look& look,
                                 uint32_t query) const {
    return look_from(c, layout().cross ? taps.decoder : taps.encoder, look, token_of(query),
                     query_layout());
}

Tensor Detector::rollout_from_point(Commands& c, const DetectionTaps& taps, Rollout& rollout,
                                    glm::vec2 point) const {
    const uint32_t token = token_at(layout(), geometry(), point);
    return cells_of(c, rollout.record(c, taps.encoder, token), layout());
}

Tensor Detector::rollout_from_query(Commands& c, const DetectionTaps& taps, Rollout& rollout,
                                    uint32_t query) const {
    if (layout().cross)
        throw Error(
            "rollout needs queries that are tokens of the encoder; this model's queries are in a "
            "decoder");
    return cells_of(c, rollout.record(c, taps.encoder, token_of(query)), layout());
}

}  // namespace saccade
