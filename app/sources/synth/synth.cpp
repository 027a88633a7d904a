#include "app/sources/synth/synth.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "gpu/core/error.h"

namespace saccade {

namespace {

constexpr std::string_view prefix = "synth:";
constexpr const char* example = "; it goes like synth:1280x720@30?seed=7&objects=4";

template <typename Number>
bool read(std::string_view text, Number& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
}

// "30", "29.97", "30000/1001"
bool read_rate(std::string_view text, double& rate) {
    const size_t slash = text.find('/');
    double over = 1;
    if (!read(text.substr(0, slash), rate)) return false;
    if (slash != text.npos && !read(text.substr(slash + 1), over)) return false;
    rate /= over;
    return rate >= 0.01 && rate <= 1000;
}

bool read_size(std::string_view text, Size& size) {
    const size_t x = text.find('x');
    return x != text.npos && read(text.substr(0, x), size.x) && read(text.substr(x + 1), size.y) &&
           size.x >= 16 && size.y >= 16 && size.x <= 8192 && size.y <= 8192;
}

}  // namespace

SynthOptions parse_synth(const std::string& text, const SourceOptions& defaults) {
    SynthOptions options;
    options.size = defaults.size.value_or(options.size);
    if (defaults.rate > 0) options.rate = defaults.rate;
    auto refuse = [&](const std::string& what) {
        throw Error("'" + text + "': " + what + example);
    };

    std::string_view rest = std::string_view(text).substr(prefix.size());
    const size_t question = rest.find('?');
    std::string_view settings = question == rest.npos ? "" : rest.substr(question + 1);
    rest = rest.substr(0, question);
    if (const size_t at = rest.find('@'); at != rest.npos) {
        if (!read_rate(rest.substr(at + 1), options.rate))
            refuse("'" + std::string(rest.substr(at + 1)) + "' is no rate from 0.01 to 1000");
        rest = rest.substr(0, at);
    }
    if (!rest.empty() && !read_size(rest, options.size))
        refuse("'" + std::string(rest) + "' is no size from 16x16 to 8192x8192");
    while (!settings.empty()) {
        const std::string_view setting = settings.substr(0, settings.find('&'));
        settings.remove_prefix(std::min(setting.size() + 1, settings.size()));
        const size_t equals = std::min(setting.find('='), setting.size());
        const std::string_view name = setting.substr(0, equals);
        const std::string_view value = setting.substr(std::min(equals + 1, setting.size()));
        bool good = false;
        if (name == "seed")
            good = read(value, options.seed);
        else if (name == "objects")
            good = read(value, options.objects.emplace()) && *options.objects <= 6;
        else if (name == "frames")
            good = read(value, options.frames.emplace());
        else if (setting == "hard")
            good = options.hard = true;
        else
            refuse("'" + std::string(name) + "' is none of seed, objects, frames, hard");
        if (!good)
            refuse("'" + std::string(value) + "' is no " +
                   (name == "objects" ? "number from 0 to 6" : "number"));
    }
    return options;
}

Synth::Synth(const std::string& text, const SourceOptions& defaults, unsigned painters)
    : options_(parse_synth(text, defaults)),
      sprites_(load_emoji_sprites()),
      photos_(load_backdrop_photos()),
      painters_(painters) {
    traits_.name = text;
    traits_.rate = options_.rate;
    traits_.frames = options_.frames;
    traits_.size = options_.size;
    canvas_.width = static_cast<int>(options_.size.x);
    canvas_.height = static_cast<int>(options_.size.y);
    canvas_.pixels.resize(size_t(options_.size.x) * options_.size.y);
}

const SynthScene& Synth::enter(uint64_t number) {
    if (scene_ && number == number_) return *scene_;
    scene_.emplace(options_.seed, number, options_.size, options_.objects, options_.hard);
    number_ = number;
    // Coarser than most frames, as if out of focus.
    constexpr double shorter_side = 384;
    const double width = options_.size.x, height = options_.size.y;
    const double margin = SynthScene::margin * std::sqrt(0.75 * width * height) * 2;
    const double scale = shorter_side / (std::min(width, height) + margin);
    backdrop_ =
        make_backdrop(scene_->backdrop(), scene_->backdrop_seed(),
                      static_cast<int>(std::lround((width + margin) * scale)),
                      static_cast<int>(std::lround((height + margin) * scale)), photos_, painters_);
    return *scene_;
}

void Synth::paint(const SynthView& view, uint64_t frame, const Slot& slot) {
    objects_.clear();
    for (const PlacedEmoji& object : view.objects)
        objects_.emplace_back(object, sprites_[object.id], options_.size);
    sensor_.set(view.light, frame, options_.size);
    painters_.paint(canvas_.height, [&](Rows rows) {
        paint_backdrop(canvas_, rows, backdrop_, view.to_backdrop);
        for (const EmojiPainter& object : objects_) object.paint(canvas_, rows);
        sensor_.expose(canvas_, rows, slot);
    });
}

std::optional<FrameInfo> Synth::next(const GiveSlot& give) {
    if (options_.frames && next_ >= *options_.frames) return std::nullopt;
    FrameInfo info;
    info.source = traits_.name;
    info.index = next_++;
    info.time = static_cast<double>(info.index) / options_.rate;
    info.size = options_.size;

    const auto number = static_cast<uint64_t>(info.time / SynthScene::duration);
    const SynthScene& scene = enter(number);
    const SynthView view = scene.at(info.time - static_cast<double>(number) * SynthScene::duration);
    paint(view, info.index, give(packed(info.size)));
    info.truth = truth_of(view, sprites_, info.size);
    info.captured = std::chrono::steady_clock::now();
    return info;
}

}  // namespace saccade
