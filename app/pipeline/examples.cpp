#include "app/pipeline/examples.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

#include "app/io/picture_file.h"
#include "gpu/core/error.h"
#include "models/contrast/phrases.h"

namespace saccade {

namespace {

// Four numbers and nothing else.
std::optional<std::array<float, 4>> four_numbers(const std::string& text) {
    std::array<float, 4> numbers{};
    const char *at = text.data(), *const end = at + text.size();
    for (size_t i = 0; i < numbers.size(); ++i) {
        if (i > 0 && (at == end || *at++ != ',')) return {};
        const auto [rest, bad] = std::from_chars(at, end, numbers[i]);
        if (bad != std::errc()) return {};
        at = rest;
    }
    if (at != end) return {};
    return numbers;
}

}  // namespace

ExamplePicture parse_example(const std::string& text) {
    const size_t at = text.rfind('@');
    // A name may have an @ in it, too.
    if (at == text.npos || std::filesystem::exists(text)) return {text};
    const auto part = four_numbers(text.substr(at + 1));
    if (!part || (*part)[2] <= 0 || (*part)[3] <= 0)
        throw Error("--like '" + text +
                    "': the part of a picture is its left, top, width and height in "
                    "pixels, as in desk.png@40,60,120,90");
    const auto [left, top, width, height] = *part;
    return {text.substr(0, at), Rectangle(left, top, left + width, top + height)};
}

std::vector<Example> examples_of(Engine& engine, Detector& detector,
                                 const std::vector<std::string>& like) {
    std::vector<Example> examples;
    for (const std::string& text : like) {
        const ExamplePicture from = parse_example(text);
        const PictureFile file(from.file);
        const PictureView picture = file.view();
        const Rectangle whole(0, 0, static_cast<float>(picture.width),
                              static_cast<float>(picture.height));
        if (from.box && !(whole.contains(from.box->min) && from.box->max.x <= whole.max.x &&
                          from.box->max.y <= whole.max.y))
            throw Error("--like '" + text + "': the part lies outside of the picture, which has " +
                        std::to_string(picture.width) + "x" + std::to_string(picture.height) +
                        " pixels");
        Frame frame(engine.device(), picture.width, picture.height, picture.bgr);
        frame.write(picture);
        detector.prepare({picture.width, picture.height});
        examples.push_back(detector.example_in(
            engine.scratch(), [&](Commands& c) { frame.record(c); }, frame.image(), from.box,
            "like " + std::filesystem::path(from.file).stem().string()));
    }
    return examples;
}

void set_thresholds(DetectionFilter& filter, const Detector& detector,
                    const std::map<std::string, float>& own) {
    const std::vector<std::string>& labels = detector.labels();
    const size_t words = labels.size() - detector.phrases()->examples().size();
    filter.threshold = 1;
    for (uint32_t id = 0; id < labels.size(); ++id) {
        const auto set = own.find(labels[id]);
        const float least = set != own.end() ? set->second
                            : id < words     ? phrase_threshold
                                             : example_threshold;
        filter.thresholds[id] = least;
        filter.threshold = std::min(filter.threshold, least);
    }
    // If all thresholds are the same, the device can apply it.
    if (std::ranges::all_of(filter.thresholds,
                            [&](const auto& one) { return one.second == filter.threshold; }))
        filter.thresholds.clear();
    if (words < labels.size()) filter.overlap = example_overlap;
}

}  // namespace saccade
