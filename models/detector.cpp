#include "models/detector.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gpu/error.h"
#include "models/detr.h"
#include "models/yolos.h"

namespace saccade {

namespace {

constexpr uint32_t found_columns = 6;  // left, top, right, bottom, score, class

// Nothing is normalised before DETR's first attention. Where its scores are larger than this, the
// eleven bits of half precision tell them apart by whole numbers at best, and any rounding may tip
// the softmax. Those of trained weights are far below.
constexpr float half_range = 2048;

std::string detector_type(const Json& config, const std::string& where) {
    const JsonFields fields(config, where);
    const std::string type = fields.text("model_type");
    if (type != "detr" && type != "yolos")
        fields.refuse("model_type", in_quotes(type) + " is not a detector; supported: detr, yolos");
    return type;
}

}  // namespace

Detector Detector::open(Device& device, const std::filesystem::path& folder, Type precision,
                        LoadProgress progress) {
    const std::filesystem::path file = config_in(folder);
    const Json config = read_json(file);
    detector_type(config,
                  file.string());  // before anything else is said of a model of another task
    const Preprocessor preprocessor = Preprocessor::read(folder);
    Checkpoint checkpoint(folder);
    checkpoint.tell(std::move(progress));
    return with_suitable_front(device, config, file.string(), preprocessor, checkpoint, precision);
}

Detector Detector::with_suitable_front(Device& device, const Json& config, const std::string& where,
                                       const Preprocessor& preprocessor, WeightSource& weights,
                                       Type precision) {
    Detector detector(device, config, where, preprocessor, weights, precision);
    const auto* detr = dynamic_cast<const Detr*>(detector.model_.get());
    if (detr && precision == Type::f16 && !(detr->first_attention_range(device) < half_range))
        return Detector(device, config, where, preprocessor, weights, precision, Type::f32);
    return detector;
}

Detector::Detector(Device& device, const Json& config, const std::string& where,
                   Preprocessor preprocessor, WeightSource& weights, Type precision,
                   std::optional<Type> front)
    : Detector(device, load(device, config, where, weights, precision, front.value_or(precision)),
               std::move(preprocessor), precision) {}

Detector::Detector(Device& device, Loaded loaded, Preprocessor preprocessor, Type precision)
    : precision_(precision),
      model_(std::move(loaded.model)),
      memory_(std::move(loaded.memory)),
      unused_(std::move(loaded.unused)),
      input_(device, std::move(preprocessor), model_->patch()),
      attention_row_(device) {}

Detector::Loaded Detector::load(Device& device, const Json& config, const std::string& where,
                                WeightSource& weights, Type precision, Type front) {
    WeightLoader loader(device, weights, precision, "detector");
    std::optional<WeightLoader> precise;
    if (front != precision) precise.emplace(device, weights, front, "detector's front");
    std::unique_ptr<DetectionModel> model;
    if (detector_type(config, where) == "detr")
        model = std::make_unique<Detr>(precise ? *precise : loader, loader,
                                       read_detr_config(config, where));
    else
        model = std::make_unique<Yolos>(loader, read_yolos_config(config, where));
    std::vector<Buffer> memory = loader.finish();
    if (precise) std::ranges::move(precise->finish(), std::back_inserter(memory));
    return {std::move(model), std::move(memory), weights.unused()};
}

bool Detector::prepare(ImageSize frame, std::optional<ImageSize> within) {
    const bool changed = input_.prepare(frame, within);
    model_->prepare(picture());
    return changed;
}

void Findings::prepare(Device& device, uint32_t queries) {
    if (memory_) return;
    memory_ = Buffer(device, "detections", tensor_bytes(1, queries, found_columns, Type::f32),
                     Memory::device);
    found_ = make_tensor(memory_.handle(), 0, 1, queries, found_columns, Type::f32);
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
        found.prepare(c.device(), model_->queries());
        const Tensor logits = out.logits.at_batch(i), boxes = out.boxes.at_batch(i);
        detections_into(c, found.found_, logits, boxes, {images[i]->height(), images[i]->width()});
        found.download_.record(c, found.found_);
        found.logits_.record(c, logits);
        found.boxes_.record(c, boxes);
    }
}

std::vector<Detection> Findings::detections(const DetectionFilter& filter) const {
    const std::vector<float> rows = download_.floats();
    std::vector<Detection> result;
    for (uint32_t query = 0; query < found_.rows; ++query) {
        const float* row = &rows[size_t(query) * found_columns];
        if (!(row[4] > filter.threshold)) continue;
        const auto id = static_cast<uint32_t>(row[5]);
        if (!filter.classes.empty() && !filter.classes.contains(id)) continue;
        result.push_back({id, row[4], row[0], row[1], row[2], row[3], query});
    }
    std::ranges::stable_sort(result, std::greater(), &Detection::score);
    if (result.size() > filter.most) result.resize(filter.most);
    return result;
}

Tensor Detector::look_from_point(Commands& c, const DetectionTaps& taps, const Look& look, float x,
                                 float y) const {
    const auto [row, column] = geometry().cell_at(x, y);
    const TokenLayout tokens = layout();
    return look_from(c, taps.encoder.layer(look.layer),
                     tokens.first_cell + row * tokens.grid.width + column, look.head);
}

Tensor Detector::look_from_query(Commands& c, const DetectionTaps& taps, const Look& look,
                                 uint32_t query) const {
    if (query >= model_->queries())
        throw Error("there is no query " + std::to_string(query) + "; the model has " +
                    std::to_string(model_->queries()));
    const TokenLayout tokens = layout();
    const Tap& tap = tokens.cross ? taps.decoder : taps.encoder;
    return look_from(c, tap.layer(look.layer), tokens.first_query + query, look.head);
}

// Of a row of attention, what falls on the picture.
Tensor Detector::look_from(Commands& c, const Tap::Kept& kept, uint32_t row,
                           std::optional<uint32_t> head) const {
    const TokenLayout tokens = layout();
    return cells_of(c, attention_row_.record(c, kept, row, head), tokens.grid, tokens.first_cell);
}

MapGeometry Detector::geometry() const {
    const TokenLayout tokens = layout();
    return geometry_of(input_.plan(), tokens.grid, tokens.stride, tokens.stride, tokens.origin);
}

}  // namespace saccade
