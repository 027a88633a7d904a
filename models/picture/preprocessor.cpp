#include "models/picture/preprocessor.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "gpu/core/error.h"
#include "models/files/json.h"

namespace saccade {
namespace {

// Far above any real configuration or camera; a plan for more would take gigabytes.
constexpr uint32_t max_side = 32768;
constexpr uint32_t max_side_before_crop = 1u << 23;
constexpr WholeRange one_side{1, max_side};

using Triple = std::array<double, 3>;
constexpr Triple imagenet_mean{0.485, 0.456, 0.406}, imagenet_std{0.229, 0.224, 0.225};
constexpr Triple half{0.5, 0.5, 0.5};
constexpr Triple clip_mean{0.48145466, 0.4578275, 0.40821073};
constexpr Triple clip_std{0.26862954, 0.26130258, 0.27577711};

using Resize = Preprocessor::Resize;

// The defaults of transformers' classes.
struct ProcessorClass {
    std::string_view name;
    Resize resize = Resize::fixed;
    uint32_t size = 0;          // both sides, or the shortest edge
    uint32_t longest = 0;       // 0: no limit
    uint32_t crop = 0;          // 0: none
    uint32_t multiple = 1;      // of both sides
    bool int_is_square = true;  // an integer size is a square, else the shortest edge
    bool exact = false;         // resizes after rescaling
    bool is_detector = false;   // max_size beside an integer size, never a centre crop
    bool blurs = false;         // before it shrinks, in floats
    bool normalizes = true;
    Filter filter = Filter::bilinear;
    Triple mean = half, std_dev = half;
};

constexpr ProcessorClass classes[] = {
    {.name = "ViT", .size = 224},
    {.name = "DeiT", .size = 256, .crop = 224, .filter = Filter::bicubic},
    {.name = "Bit",
     .resize = Resize::edges,
     .size = 224,
     .crop = 224,
     .int_is_square = false,
     .filter = Filter::bicubic,
     .mean = clip_mean,
     .std_dev = clip_std},
    {.name = "DINOv3ViT",
     .size = 224,
     .exact = true,
     .mean = imagenet_mean,
     .std_dev = imagenet_std},
    {.name = "Blip",
     .size = 384,
     .filter = Filter::bicubic,
     .mean = clip_mean,
     .std_dev = clip_std},
    {.name = "CLIP",
     .resize = Resize::edges,
     .size = 224,
     .crop = 224,
     .int_is_square = false,
     .filter = Filter::bicubic,
     .mean = clip_mean,
     .std_dev = clip_std},
    {.name = "Siglip", .size = 224, .int_is_square = false, .filter = Filter::bicubic},
    {.name = "Siglip2", .resize = Resize::patches},
    {.name = "SmolVLM", .resize = Resize::tiles, .filter = Filter::lanczos},
    {.name = "Idefics3", .resize = Resize::tiles, .filter = Filter::lanczos},
    {.name = "OwlViT",
     .size = 768,
     .filter = Filter::bicubic,
     .mean = clip_mean,
     .std_dev = clip_std},
    {.name = "Owlv2", .size = 960, .blurs = true, .mean = clip_mean, .std_dev = clip_std},
    {.name = "Detr",
     .resize = Resize::edges,
     .size = 800,
     .longest = 1333,
     .int_is_square = false,
     .is_detector = true,
     .mean = imagenet_mean,
     .std_dev = imagenet_std},
    {.name = "Yolos",
     .resize = Resize::edges,
     .size = 800,
     .longest = 1333,
     .multiple = 16,
     .int_is_square = false,
     .is_detector = true,
     .mean = imagenet_mean,
     .std_dev = imagenet_std},
    {.name = "RfDetr",
     .resize = Resize::edges,
     .size = 800,
     .longest = 1333,
     .int_is_square = false,
     .exact = true,
     .is_detector = true,
     .mean = imagenet_mean,
     .std_dev = imagenet_std},
    {.name = "RTDetr",
     .size = 640,
     .is_detector = true,
     .normalizes = false,
     .mean = imagenet_mean,
     .std_dev = imagenet_std},
};
constexpr const char* supported =
    "ViT, DeiT, BiT, DINOv3, BLIP, CLIP, SigLIP, OWL-ViT, OWLv2, SmolVLM, DETR, YOLOS, RT-DETR and "
    "RF-DETR are";

const ProcessorClass* find_class(std::string_view name) {
    for (const ProcessorClass& c : classes)
        if (c.name == name) return &c;
    return nullptr;
}

bool strip(std::string& text, std::string_view suffix) {
    if (!text.ends_with(suffix)) return false;
    text.resize(text.size() - suffix.size());
    return true;
}

// "ViTImageProcessorFast", "ViTImageProcessorPil", "ViTFeatureExtractor" -> "ViT"
std::string bare_class(std::string name) {
    if (!strip(name, "Fast")) strip(name, "Pil");
    if (!strip(name, "ImageProcessor")) strip(name, "FeatureExtractor");
    return name;
}

// A switch that is null is off in every version of transformers; other fields that are null count
// as absent.
bool is_on(const JsonFields& fields, const Json& file, const char* key, bool otherwise) {
    if (file.contains(key) && file[key].is_null()) return false;
    return fields.flag(key, otherwise);
}

const ProcessorClass& class_of_file(const JsonFields& fields, std::string_view otherwise) {
    for (const char* key : {"image_processor_type", "feature_extractor_type"}) {
        if (!fields.has(key)) continue;
        const std::string name = fields.text(key);
        if (const ProcessorClass* found = find_class(bare_class(name))) return *found;
        fields.refuse(key, "is " + in_quotes(name) + ", which is not supported; " + supported);
    }
    if (const ProcessorClass* found = find_class(otherwise)) return *found;
    std::string processor = fields.text("processor_class", "");
    strip(processor, "Processor");
    if (processor == "Git") processor = "CLIP";
    if (const ProcessorClass* found = find_class(processor)) return *found;
    throw Error(fields.where() +
                ": does not say which image processor it is for; add image_processor_type");
}

// An unknown switch that is on is an Error, because ignoring it would change the model's input.
void refuse_unknown_switches(const JsonFields& fields, const Json& file) {
    constexpr std::string_view understood[] = {
        "do_resize", "do_center_crop", "do_rescale", "do_normalize",
        // No effect on a single RGB frame without annotations: do_pad only pads within a batch.
        "do_pad", "do_convert_rgb", "do_image_splitting", "do_convert_annotations",
        "do_reduce_labels"};
    for (const auto& [key, value] : file.items()) {
        const bool on = value.is_boolean() && value.get<bool>();
        const bool is_switch = key.starts_with("do_") || key == "use_square_size";
        if (on && is_switch && std::ranges::find(understood, key) == std::end(understood))
            fields.refuse(in_quotes(key), "is true; this option is not supported");
    }
    // pad_size affects even a single frame.
    if (fields.has("pad_size") && is_on(fields, file, "do_pad", true))
        fields.refuse("pad_size", "is set; this option is not supported");
}

// Whether the object has exactly these keys, not counting nulls: a mixture of two forms is
// ambiguous, and an error in transformers, too.
bool holds_only(const Json& object, std::initializer_list<std::string_view> keys) {
    size_t present = 0;
    for (const auto& [key, value] : object.items()) {
        if (value.is_null()) continue;
        if (std::ranges::find(keys, key) == keys.end()) return false;
        ++present;
    }
    return present == keys.size();
}

// An integer for a square, [height, width] or {"height", "width"}; nullopt for anything else.
std::optional<Size> height_and_width(const JsonFields& fields, const char* key) {
    const Json& value = *fields.find(key);
    if (value.is_number() || value.is_array()) {
        const auto [height, width] = fields.extent(key, one_side);
        return Size{width, height};
    }
    if (!value.is_object()) return std::nullopt;
    if (!holds_only(value, {"height", "width"})) return std::nullopt;
    const JsonFields size = fields.object(key);
    return Size{size.whole("width", one_side), size.whole("height", one_side)};
}

void read_size(const JsonFields& fields, const ProcessorClass& defaults, Preprocessor& p) {
    p.resize = defaults.resize;
    p.multiple = defaults.multiple;
    if (p.resize == Resize::tiles) {
        auto longest = [&](const char* key, uint32_t otherwise) {
            return fields.has(key) ? fields.object(key).whole("longest_edge", one_side) : otherwise;
        };
        p.longest_edge = longest("size", 4 * 364);
        p.tile = longest("max_image_size", 364);
        p.splits = fields.flag("do_image_splitting", true);
        return;
    }
    if (p.resize == Resize::patches) {
        p.patch = fields.whole("patch_size", {1, 1024}, 16);
        p.most_patches = fields.whole("max_num_patches", {1, 1u << 20}, 256);
        return;
    }
    if (!fields.has("size")) {
        if (p.resize == Resize::fixed) p.size = {defaults.size, defaults.size};
        if (p.resize == Resize::edges) {
            p.shortest_edge = defaults.size;
            p.longest_edge = defaults.longest;
        }
        return;
    }
    if (fields.find("size")->is_number() &&
        !fields.flag("default_to_square", defaults.int_is_square)) {
        p.resize = Resize::edges;
        p.shortest_edge = fields.whole("size", one_side);
        if (defaults.is_detector)
            p.longest_edge = fields.whole("max_size", one_side, defaults.longest);
        return;
    }
    if (const auto exact = height_and_width(fields, "size")) {
        p.resize = Resize::fixed;
        p.size = *exact;
        return;
    }
    const JsonFields size = fields.object("size");
    const Json& form = *fields.find("size");
    if (holds_only(form, {"shortest_edge"}) ||
        holds_only(form, {"shortest_edge", "longest_edge"})) {
        p.resize = Resize::edges;
        p.shortest_edge = size.whole("shortest_edge", one_side);
        if (size.has("longest_edge")) p.longest_edge = size.whole("longest_edge", one_side);
    } else if (holds_only(form, {"max_height", "max_width"})) {
        p.resize = Resize::box;
        p.size = {size.whole("max_width", one_side), size.whole("max_height", one_side)};
    } else {
        fields.refuse("size",
                      "must hold height and width, shortest_edge with or without longest_edge, or "
                      "max_height and max_width, and nothing else");
    }
}

void read_crop(const JsonFields& fields, const ProcessorClass& defaults, Preprocessor& p) {
    if (fields.has("crop_size")) {
        p.crop = height_and_width(fields, "crop_size");
        if (!p.crop) fields.refuse("crop_size", "must be a number, or hold height and width");
    } else if (defaults.crop != 0) {
        p.crop = Size{defaults.crop, defaults.crop};
    } else {
        fields.refuse("do_center_crop", "is true, but there is no crop_size");
    }
}

Triple three_numbers(const JsonFields& fields, const char* key, const Triple& otherwise) {
    constexpr double largest = std::numeric_limits<float>::max();
    if (!fields.has(key)) return otherwise;
    const Json& value = *fields.find(key);
    if (!value.is_array()) {
        const double all = fields.number(key, -largest, largest);
        return {all, all, all};
    }
    const bool numbers = std::ranges::all_of(value, [](const Json& v) { return v.is_number(); });
    if (value.size() != 3 || !numbers) fields.refuse(key, "must be three numbers, one per colour");
    return value.get<Triple>();
}

// Sides that keep the aspect ratio, not yet floored to a multiple: transformers'
// get_size_with_aspect_ratio, with the same order of operations and roundings, which decide the
// last pixel. Python's round() rounds half to even.
struct Sides {
    double width, height;
};

Sides by_edges(const Preprocessor& p, double width, double height) {
    const double shorter = std::min(width, height), longer = std::max(width, height);
    double target = p.shortest_edge;
    double exact = target;
    if (p.longest_edge != 0 && longer / shorter * target > p.longest_edge) {
        exact = p.longest_edge * shorter / longer;
        target = std::nearbyint(exact);
    }
    // A frame whose short side is already right keeps its size, even if the long side exceeds
    // longest_edge by a pixel. YOLOS' own copy of the rule tests this for landscapes only.
    const bool portrait = width < height;
    if (shorter == target && !(p.multiple > 1 && portrait)) return {width, height};
    const double other = std::trunc(exact * longer / shorter);
    return portrait ? Sides{target, other} : Sides{other, target};
}

// transformers' get_image_size_for_max_height_width.
Sides by_box(const Size& box, double width, double height) {
    const double scale = std::min(box.y / height, box.x / width);
    return {std::trunc(width * scale), std::trunc(height * scale)};
}

// --size, in integers, so that the side that touches the box has exactly its length.
Sides within_box(const Size& box, uint64_t width, uint64_t height) {
    const bool wide = width * box.y >= height * box.x;
    const uint64_t w = wide ? box.x : width * box.y / height;
    const uint64_t h = wide ? height * box.x / width : box.y;
    return {static_cast<double>(w), static_cast<double>(h)};
}

// SigLIP 2: the largest scale, found by bisection as in transformers, at which both sides, rounded
// up to whole patches, have at most most_patches patches.
Size by_patches(const Preprocessor& p, Size source) {
    constexpr double close = 1e-5;
    auto side = [&](double scale, uint32_t length) {
        const double patches = std::ceil(length * scale / p.patch);
        return std::max(1.0, patches);
    };
    double least = close / 10, most = 100.0;
    while (most - least >= close) {
        const double scale = (least + most) / 2;
        const bool fits = side(scale, source.x) * side(scale, source.y) <= p.most_patches;
        (fits ? least : most) = scale;
    }
    return {static_cast<uint32_t>(side(least, source.x)) * p.patch,
            static_cast<uint32_t>(side(least, source.y)) * p.patch};
}

Size whole(const Sides& sides, uint32_t multiple) {
    auto side = [multiple](double length) {
        const auto pixels = static_cast<uint32_t>(length);
        return std::max(pixels - pixels % multiple, multiple);
    };
    return {side(sides.width), side(sides.height)};
}

std::string dimensions(const Size& size) {
    return std::to_string(size.x) + "x" + std::to_string(size.y);
}

void check_sides(const char* what, const Size& image) {
    if (image.x == 0 || image.y == 0)
        throw Error(std::string(what) + " of " + dimensions(image) + " has no pixels");
    if (image.x > max_side || image.y > max_side)
        throw Error(std::string(what) + " of " + dimensions(image) + " is too large; " +
                    std::to_string(max_side) + " pixels a side is the most");
}

// The crop's offset along one side. transformers v5 (torchvision) pads a small picture by
// floor(missing / 2) before and the rest after; v4 and the PIL backend put the odd pixel before.
int32_t crop_offset(uint32_t resized, uint32_t crop, bool to_even) {
    if (to_even && resized >= crop)
        return static_cast<int32_t>(std::nearbyint((resized - crop) / 2.0));
    return crop > resized ? -static_cast<int32_t>((crop - resized) / 2)
                          : static_cast<int32_t>((resized - crop) / 2);
}

}  // namespace

Preprocessor Preprocessor::read(const std::filesystem::path& folder, std::string_view otherwise) {
    namespace fs = std::filesystem;
    const fs::path nested = folder / "processor_config.json";
    const fs::path plain = folder / "preprocessor_config.json";

    Json file;
    std::string where;
    std::error_code ignored;
    if (fs::exists(nested, ignored)) {
        const Json processor = read_json(nested);
        const JsonFields fields(processor, nested.string());
        if (const Json* found = fields.find("image_processor")) {
            file = *found;
            where = fields.where() + ": image_processor";
        }
    }
    if (where.empty()) {
        file = read_json(plain);
        where = plain.string();
    }

    return parse(file, where, otherwise);
}

Preprocessor Preprocessor::parse(const Json& file, const std::string& where,
                                 std::string_view otherwise) {
    const JsonFields fields(file, where);
    const ProcessorClass& defaults = class_of_file(fields, otherwise);
    refuse_unknown_switches(fields, file);

    Preprocessor p;
    p.type = defaults.name;
    p.exact = defaults.exact;
    if (p.exact) p.rounding = Rounding::pillow;  // the finer weights
    if (is_on(fields, file, "do_resize", true)) read_size(fields, defaults, p);
    if (defaults.resize == Resize::tiles) {
        if (p.resize != Resize::tiles) fields.refuse("do_resize", "is off; tiles need it");
        p.rounding = Rounding::pillow;
    }
    if (defaults.blurs) {
        p.blurs = true;
        p.square = is_on(fields, file, "do_pad", true);
        if (p.resize != Resize::fixed)
            fields.refuse("size", "must be a height and a width, and do_resize on");
    }
    // DETR's and YOLOS' classes ignore do_center_crop.
    if (!defaults.is_detector && !defaults.blurs &&
        is_on(fields, file, "do_center_crop", defaults.crop != 0))
        read_crop(fields, defaults, p);
    const auto filter_id = static_cast<uint32_t>(defaults.filter);
    p.filter = static_cast<Filter>(fields.whole("resample", {0, 5}, filter_id));

    constexpr double largest = std::numeric_limits<float>::max();
    if (is_on(fields, file, "do_rescale", true))
        p.rescale_factor = fields.number("rescale_factor", -largest, largest, 1.0 / 255.0);
    if (is_on(fields, file, "do_normalize", defaults.normalizes)) {
        p.mean = three_numbers(fields, "image_mean", defaults.mean);
        p.std_dev = three_numbers(fields, "image_std", defaults.std_dev);
    }
    if (p.rescale_factor == 0.0) fields.refuse("rescale_factor", "must not be 0");
    for (size_t c = 0; c < 3; ++c) {
        if (p.std_dev[c] == 0.0) fields.refuse("image_std", "must not be 0");
        const double brightest = (255.0 * p.rescale_factor - p.mean[c]) / p.std_dev[c];
        const double darkest = -p.mean[c] / p.std_dev[c];
        if (!(std::abs(brightest) < largest && std::abs(darkest) < largest))
            fields.refuse("image_std",
                          "makes pixels infinite, together with image_mean and rescale_factor");
    }
    return p;
}

std::optional<Size> Preprocessor::fixed_size() const {
    if (crop) return crop;
    if (resize == Resize::fixed) return size;
    if (resize == Resize::tiles) return Size{tile, tile};
    return std::nullopt;
}

Preprocessor::Tiling Preprocessor::tiling(Size source) const {
    check_sides("a frame", source);
    constexpr uint32_t largest = 4096;
    // Both sides as in transformers, the longer one first, with the same order of roundings.
    const bool wide = source.x >= source.y;
    const double aspect = double(source.x) / source.y;
    auto other = [&](uint32_t length) {
        return static_cast<uint32_t>(wide ? length / aspect : length * aspect);
    };
    uint32_t longer = longest_edge, shorter = other(longer);
    shorter = std::max(shorter + shorter % 2, 1u);
    const double then = wide ? double(longer) / shorter : double(shorter) / longer;
    if (longer > largest) {
        longer = largest;
        shorter = std::max(static_cast<uint32_t>(wide ? longer / then : longer * then), 1u);
    }
    Tiling result;
    result.first = wide ? Size{longer, shorter} : Size{shorter, longer};
    result.filled = {tile, tile};
    if (!splits) return result;
    auto whole_tiles = [&](uint32_t length) { return (length + tile - 1) / tile * tile; };
    const bool lies = result.first.x >= result.first.y;
    const double filled_aspect = double(result.first.x) / result.first.y;
    const uint32_t along = whole_tiles(lies ? result.first.x : result.first.y);
    const uint32_t across =
        whole_tiles(static_cast<uint32_t>(lies ? along / filled_aspect : along * filled_aspect));
    result.filled = lies ? Size{along, across} : Size{across, along};
    if (result.filled.x > tile || result.filled.y > tile) result.tiles = result.filled / tile;
    return result;
}

Size Preprocessor::resized(Size source, std::optional<Size> within) const {
    check_sides("a frame", source);
    if (within) {
        check_sides("a size", *within);
        if (const auto only = fixed_size())
            throw Error("this model takes pictures of " + dimensions(*only) +
                        " only; leave out --size");
        if (resize == Resize::none)
            throw Error("this model's preprocessor does not resize; leave out --size");
        return whole(within_box(*within, source.x, source.y), multiple);
    }
    switch (resize) {
        case Resize::none:
            break;
        case Resize::fixed:
            return size;
        case Resize::edges:
            return whole(by_edges(*this, source.x, source.y), multiple);
        case Resize::box:
            return whole(by_box(size, source.x, source.y), 1);
        case Resize::patches:
            return by_patches(*this, source);
        case Resize::tiles:
            return {tile, tile};
    }
    return source;
}

PreprocessPlan Preprocessor::plan(uint32_t source_width, uint32_t source_height,
                                  std::optional<Size> within) const {
    Size source{source_width, source_height};
    const Size whole_frame = resized(source, within);
    if (resize == Resize::tiles) {
        const Tiling tiling = this->tiling(source);
        source = tiling.tiles == Size{} ? tiling.first : tiling.filled;
        if (splits) source = tiling.filled;
    }
    // With a crop, only the weights are computed for the whole side.
    const uint32_t most = crop ? max_side_before_crop : max_side;
    if (whole_frame.x > most || whole_frame.y > most)
        throw Error("a frame of " + dimensions(source) + " would be enlarged to " +
                    dimensions(whole_frame) + "; it is too long and thin for this model");

    PreprocessPlan plan;
    plan.source_width = source.x;
    plan.source_height = source.y;
    plan.resized_width = whole_frame.x;
    plan.resized_height = whole_frame.y;
    const Size out = crop.value_or(whole_frame);
    plan.width = out.x;
    plan.height = out.y;
    if (crop) {
        plan.crop_left = crop_offset(whole_frame.x, out.x, crop_to_even);
        plan.crop_top = crop_offset(whole_frame.y, out.y, crop_to_even);
    }
    for (size_t c = 0; c < 3; ++c) {
        plan.scale[c] = static_cast<float>(rescale_factor / std_dev[c]);
        plan.shift[c] = static_cast<float>(-mean[c] / std_dev[c]);
    }
    if (blurs) {
        const uint32_t side = std::max(source.x, source.y);
        if (square) plan.source_width = plan.source_height = side;
        // As in transformers, the blur for the height is applied horizontally and that for the
        // width vertically.
        auto blur = [](uint32_t from, uint32_t to) {
            return std::max((double(from) / to - 1) / 2, 0.0);
        };
        double across = blur(plan.source_height, out.y), down = blur(plan.source_width, out.x);
        if (across == 0 || down == 0) across = down = 0;
        plan.horizontal = make_blurred_taps(plan.source_width, source.x, out.x, across);
        plan.vertical = make_blurred_taps(plan.source_height, source.y, out.y, down);
        return plan;
    }
    if (!antialias && !crop) {
        plan.horizontal = make_blurred_taps(source.x, source.x, out.x, 0);
        plan.vertical = make_blurred_taps(source.y, source.y, out.y, 0);
        return plan;
    }
    plan.horizontal = make_taps(source.x, whole_frame.x, filter, plan.crop_left, out.x, rounding);
    plan.vertical = make_taps(source.y, whole_frame.y, filter, plan.crop_top, out.y, rounding);
    return plan;
}

}  // namespace saccade
