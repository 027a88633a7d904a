#include "app/live_attention.h"

#include <algorithm>

#include "gpu/ops.h"

namespace saccade {

namespace {

using Token = Looker::Token;

std::set<uint32_t> all_layers(uint32_t count) {
    std::set<uint32_t> layers;
    for (uint32_t i = 0; i < count; ++i) layers.insert(i);
    return layers;
}

bool cross(const Looker& looker, const LiveModels& models) {
    return looker.token == Token::query && models.detector->model().decoder_layers() > 0;
}

// Rollout follows tokens that look at each other; a decoder's look at somebody else's.
bool rolls_out(const Looker& looker, const AttentionState& attention, const LiveModels& models) {
    return attention.mode == AttentionMode::rollout && looker.token != Token::word &&
           !cross(looker, models);
}

uint32_t layer_of(const Looker& looker, const AttentionState& attention, const LiveModels& models) {
    return std::min(attention.layer, looked_into(looker, models).layers - 1);
}

}  // namespace

Looker choose_looker(const LiveState& state, const LiveModels& models, const Caption& caption,
                     ImageSize frame) {
    Looker looker;
    if (state.word && models.captioner && *state.word < caption.words.size()) {
        looker.token = Token::word;
        looker.first_id = caption.words[*state.word].first;
        looker.ids = caption.words[*state.word].count;
        return looker;
    }
    if (state.query && models.detector && *state.query < models.detector->model().queries()) {
        looker.token = Token::query;
        looker.query = *state.query;
        return looker;
    }
    looker.of_detector = models.detector != nullptr;
    if (!models.detector && !models.classifier) return looker;
    if (!state.pointer && models.classifier) {
        looker.of_detector = false;
        looker.token = Token::class_token;
        return looker;
    }
    looker.token = Token::patch;
    looker.point = state.pointer.value_or(
        PicturePoint{static_cast<float>(frame.width) / 2, static_cast<float>(frame.height) / 2});
    return looker;
}

LookedInto looked_into(const Looker& looker, const LiveModels& models) {
    switch (looker.token) {
        case Token::word: {
            const TextDecoderForm& form = models.captioner->model().decoder().form();
            return {form.layers, form.heads};
        }
        case Token::query:
        case Token::patch:
            if (looker.token == Token::query || looker.of_detector) {
                const DetectionModel& model = models.detector->model();
                return {cross(looker, models) ? model.decoder_layers() : model.encoder_layers(),
                        model.heads()};
            }
            [[fallthrough]];
        case Token::class_token:
            return {models.classifier->config().layers, models.classifier->config().heads};
        case Token::none:
            break;
    }
    return {};
}

LiveAttention::LiveAttention(Engine& engine, const LiveModels& models)
    : engine_(engine),
      models_(models),
      attention_row_(engine.device()),
      commands_(engine.device(), engine.scratch(), "attention") {}

LiveAttention::Kept LiveAttention::kept_for(const Looker& looker, const AttentionState& attention,
                                            const LiveModels& models) {
    Kept kept;
    if (looker.token == Token::none || looker.token == Token::word) return kept;
    std::set<uint32_t>& layers = cross(looker, models) ? kept.decoder
                                 : looker.token == Token::query || looker.of_detector
                                     ? kept.encoder
                                     : kept.classifier;
    layers = rolls_out(looker, attention, models)
                 ? all_layers(looked_into(looker, models).layers)
                 : std::set<uint32_t>{layer_of(looker, attention, models)};
    return kept;
}

MapGeometry LiveAttention::geometry_of_looker(const Looker& looker) const {
    if (looker.token == Token::word) return models_.captioner->geometry();
    if (looker.token == Token::query || looker.of_detector) return models_.detector->geometry();
    const ViTConfig& config = models_.classifier->config();
    return geometry_of(
        models_.classifier->input().plan(), {config.grid_height(), config.grid_width()},
        static_cast<float>(config.patch_width), static_cast<float>(config.patch_height));
}

bool LiveAttention::prepare(const Looker& looker, const AttentionState& attention) {
    const MapGeometry before = geometry_;
    geometry_ = geometry_of_looker(looker);
    const bool same_place = before.left == geometry_.left && before.top == geometry_.top &&
                            before.cell_width == geometry_.cell_width &&
                            before.cell_height == geometry_.cell_height;
    const uint32_t count =
        attention.mode == AttentionMode::grid ? looked_into(looker, models_).heads : 1;
    const auto [height, width] = geometry_.grid;
    if (same_place && maps_ && maps_.batch == count && maps_.rows == height &&
        maps_.columns == width)
        return false;
    const uint64_t bytes = tensor_bytes(count, height, width, Type::f32);
    if (memory_.bytes() < bytes)
        memory_ = Buffer(engine_.device(), "attention maps", bytes, Memory::device);
    maps_ = make_tensor(memory_.handle(), 0, count, height, width, Type::f32);
    return true;
}

std::vector<std::string> LiveAttention::names() const {
    std::vector<std::string> names;
    if (maps_.batch > 1)
        for (uint32_t i = 0; i < maps_.batch; ++i) names.push_back(std::to_string(i + 1));
    return names;
}

uint32_t LiveAttention::row_of(const Looker& looker) const {
    if (looker.token == Token::class_token) return 0;
    if (looker.token == Token::query) return models_.detector->layout().first_query + looker.query;
    const auto [row, column] = geometry_.cell_at(looker.point.x, looker.point.y);
    const uint32_t cell = row * geometry_.grid.width + column;
    if (looker.of_detector) return models_.detector->layout().first_cell + cell;
    // Of a classifier's tokens the patches come last.
    return models_.classifier->config().tokens() - geometry_.grid.area() + cell;
}

Tensor LiveAttention::map(Commands& c, const DetectionTaps& detection, const Tap& classification,
                          const Looker& looker, const Look& look) const {
    if (looker.token == Token::word)
        return models_.captioner->look_from_word(c, look, looker.first_id, looker.ids);
    if (looker.token == Token::query)
        return models_.detector->look_from_query(c, detection, look, looker.query);
    if (looker.of_detector)
        return models_.detector->look_from_point(c, detection, look, looker.point.x,
                                                 looker.point.y);
    const Tensor row =
        attention_row_.record(c, classification.layer(look.layer), row_of(looker), look.head);
    return cells_of(c, row, geometry_.grid, row.columns - geometry_.grid.area());
}

Tensor LiveAttention::rollout(Commands& c, const DetectionTaps& detection,
                              const Tap& classification, const Looker& looker) {
    const bool of_detector = looker.token == Token::query || looker.of_detector;
    const Tap& tap = of_detector ? detection.encoder : classification;
    const uint32_t tokens = tap.layer(0).k.rows;
    if (!rollout_ || rollout_tokens_ != tokens) {
        rollout_.emplace(engine_.device(), tokens);
        rollout_tokens_ = tokens;
    }
    const Tensor row = rollout_->record(c, tap, row_of(looker));
    const uint32_t first =
        of_detector ? models_.detector->layout().first_cell : tokens - geometry_.grid.area();
    return cells_of(c, row, geometry_.grid, first);
}

void LiveAttention::look(const DetectionTaps& detection, const Tap& classification,
                         const Looker& looker, const AttentionState& attention) {
    const uint32_t layer = layer_of(looker, attention, models_);
    const uint32_t heads = looked_into(looker, models_).heads;
    Commands& c = commands_;
    c.begin();
    {
        auto scope = c.scope("attention");
        auto of_head = [&](std::optional<uint32_t> head) {
            return map(c, detection, classification, looker, {layer, head});
        };
        if (rolls_out(looker, attention, models_)) {
            copy(c, maps_, rollout(c, detection, classification, looker));
        } else if (attention.mode == AttentionMode::grid) {
            for (uint32_t head = 0; head < heads; ++head) {
                auto one = c.scope("head");
                copy(c, maps_.at_batch(head), of_head(head));
            }
        } else if (attention.mode == AttentionMode::max) {
            // Heads below each other as the rows of a picture of one column, whose channels are the
            // cells; a window that reaches beyond both ends holds them all.
            const uint32_t height = maps_.rows, width = maps_.row_stride;  // padding and all
            const Tensor all = c.scratch(1, heads, height * width, Type::f32);
            const Layout rows{{1, 1, height, width}, {0, 0, width, 1}, 0};
            auto from = [&](Layout layout, uint32_t offset) {
                layout.offset = offset;
                return layout;
            };
            for (uint32_t head = 0; head < heads; ++head) {
                auto one = c.scope("head");
                const Tensor map = of_head(head);
                copy_strided(c, all, from(rows, all.offset + head * all.row_stride), map,
                             Stored::f32, from(rows, map.offset));
            }
            const Tensor most = max_pool(c, all, {heads, 1}, {2 * heads - 1, 1, heads - 1});
            copy_strided(c, maps_, from(rows, maps_.offset), most, Stored::f32,
                         from(rows, most.offset));
        } else {
            copy(c, maps_,
                 of_head(attention.mode == AttentionMode::head
                             ? std::optional(std::min(attention.head, heads - 1))
                             : std::nullopt));
        }
    }
    c.end();
    c.submit();
}

}  // namespace saccade
