#include "app/lecture/lecture.h"

#include <map>

#include "app/draw/colour.h"
#include "app/draw/heat_map.h"
#include "app/hub/model_finder.h"
#include "app/lecture/parts.h"
#include "app/page/base64.h"
#include "app/page/page.h"
#include "app/page/page_picture.h"
#include "gpu/core/error.h"
#include "gpu/core/files.h"

namespace saccade {

namespace {

constexpr int picture_side = 1280;  // pixels; larger pictures are scaled down

// The texts of the page: English, with those that a translation replaces.
LectureData texts_of(const std::string& translation) {
    LectureData texts = LectureData::parse(text_asset("texts.json"));
    if (translation.empty()) return texts;
    const LectureData other = LectureData::parse(translation, nullptr, false);
    if (!other.is_object())
        throw Error("--texts: the file is not a JSON object; begin with a copy of texts.json");
    texts.merge_patch(other);
    return texts;
}

// What of the first block cost_part() measures.
std::optional<BlockForm> block_form(const LectureData& classifier) {
    if (classifier.is_null()) return std::nullopt;
    const uint32_t dim = classifier["dim"];
    return BlockForm{dim, classifier["heads"], 4 * dim, classifier["patch"][0]};
}

}  // namespace

LectureData place_of(const MapGeometry& g) {
    return {{"grid", {g.grid.x, g.grid.y}},
            {"left", g.corner.x},
            {"top", g.corner.y},
            {"cell", {g.cell.x, g.cell.y}}};
}

void write_lecture(Engine& engine, const LectureModels& with, const std::string& name,
                   const PictureView& picture, const std::string& texts,
                   const std::function<void(const std::string& what)>& progress,
                   const std::filesystem::path& path) {
    const LectureInput in{engine, picture, progress};
    const PagePicture shown = page_picture(picture, picture_side);
    PageTensors tensors;
    LectureData data = {{"name", name},
                        {"width", picture.width},
                        {"height", picture.height},
                        {"device", engine.device().info().name},
                        {"precision", engine.precision() == Type::f16 ? "fp16" : "fp32"},
                        {"texts", texts_of(texts)}};
    auto add = [&](const char* key, LectureData part, const std::string& model) {
        if (part.is_null()) return;
        part["model"] = title_of(model);
        data[key] = std::move(part);
    };
    const Models& models = with.models;
    if (models.classifier)
        add("classifier", classifier_part(in, *models.classifier, tensors), with.names.classifier);
    if (models.classifier)
        add("cells", cells_part(in, *models.classifier, tensors), with.names.classifier);
    if (models.detector)
        add("detector", detector_part(in, *models.detector, with.filter, tensors),
            with.names.detector);
    if (models.captioner)
        add("caption", caption_part(in, *models.captioner, "words.", tensors),
            with.names.captioner);
    if (with.recurrent)
        add("recurrent", caption_part(in, *with.recurrent, "recurrent.", tensors),
            with.recurrent_name);
    if (!data.contains("classifier") && !data.contains("cells") && !data.contains("detector") &&
        !data.contains("caption"))
        throw Error(
            "none of these models can be explained: a lecture needs a classifier, a captioner, or "
            "a detector with a decoder, as DETR's");
    const LectureData classifier = data.value("classifier", LectureData());
    if (LectureData cost = cost_part(in, block_form(classifier)); !cost.is_null())
        data["cost"] = std::move(cost);

    const auto colours = heat_colours();
    std::map<std::string, std::string> parts = {
        {"title", escaped(data["texts"]["title"].get<std::string>() + ": " + name)},
        {"language", escaped(data["texts"]["language"].get<std::string>())},
        {"style", text_asset("page.css") + text_asset("lecture.css")},
        {"picture", shown.url},
        {"heat-colours", base64_of(colours)},
        {"data", for_script(data)},
        {"tensors", tensors.elements()}};
    for (const char* part :
         {"page", "tensors", "arithmetic", "figures", "tokens", "head", "cells", "heads", "block",
          "phrases", "decoder", "sentence", "cost", "follow", "lecture"})
        parts["script"] += text_asset(std::string(part) + ".js");
    add_shared_parts(parts, "default-src 'none'; img-src data:; style-src '" +
                                hash_of(parts["style"]) + "'; script-src '" +
                                hash_of(parts["script"]) +
                                "'; base-uri 'none'; form-action 'none'");
    NewFile file(path);
    file.write(filled(text_asset("lecture.html"), parts));
    file.finish();
}

}  // namespace saccade
