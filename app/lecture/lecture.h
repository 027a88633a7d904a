#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "app/pipeline/models_in_use.h"
#include "gpu/engine.h"
#include "gpu/transfer/frame.h"

namespace saccade {

// What a lecture is made with: the models, and their names.
struct LectureModels {
    Models models;
    Captioner* recurrent = nullptr;  // a second captioner, shown beside the first; may be null
    ModelNames names;
    std::string recurrent_name;
    DetectionFilter filter;
};

// Writes a self-contained HTML page that explains the models on this picture, step by step, from
// their own tensors. The page has at most 15 MB: of large models it has fewer layers, and says so.
// `texts`: a translation of texts.json; empty: English. `progress` is called before each long step.
void write_lecture(Engine& engine, const LectureModels& with, const std::string& name,
                   const PictureView& picture, const std::string& texts,
                   const std::function<void(const std::string& what)>& progress,
                   const std::filesystem::path& path);

}  // namespace saccade
