#pragma once

#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "app/lab/dump/dump.h"
#include "gpu/engine.h"
#include "gpu/transfer/frame.h"
#include "gpu/transfer/read_back.h"
#include "models/attention/parts.h"
#include "models/attention/tap.h"
#include "models/classifier.h"
#include "models/contrast/text_tower.h"
#include "models/detector.h"
#include "models/files/safetensors.h"
#include "models/picture/picture_input.h"

// Helpers of the dumps, and the dump of each kind of model.

namespace saccade {

class Captioner;
class Classifier;
class Detector;
class Tap;

// Tensors for a file, with their values.
class Collection {
public:
    void add(std::string name, std::vector<uint64_t> shape, std::vector<float> values) {
        values_.push_back(std::move(values));
        tensors_.push_back({std::move(name), StoredType::f32, std::move(shape),
                            std::as_bytes(std::span(values_.back()))});
    }
    void add(std::string name, std::vector<uint64_t> shape, std::vector<int32_t> values) {
        whole_.push_back(std::move(values));
        tensors_.push_back({std::move(name), StoredType::i32, std::move(shape),
                            std::as_bytes(std::span(whole_.back()))});
    }
    void write(const std::filesystem::path& path) const { write_safetensors(path, tensors_); }

private:
    std::deque<std::vector<float>> values_;  // a deque: tensors_ points to the elements
    std::deque<std::vector<int32_t>> whole_;
    std::vector<StoredTensor> tensors_;
};

// Every max(1, rows / 16)-th row of a tensor, as in the references.
std::vector<float> some_tokens(Engine& engine, const Tensor& z, uint64_t& rows);

// The texts for a text tower: those of the inputs, or a dummy text.
TextIds texts_for(const TextTowerConfig& config, const DumpInputs& inputs);
// "text 0" and so on.
std::vector<std::string> text_names(size_t count);

// Patches of one picture, (patches, 3 * h * w), as (3, height, width).
std::vector<float> picture_of(const std::vector<float>& patches, const PictureInput& input);
// The model's input as pixel_values (1, 3, height, width).
void add_pixel_values(Engine& engine, const PictureInput& input, const Frame& frame,
                      Collection& out);

// A map of one picture (1, height * width, channels) as (channels, rows, columns), subsampled like
// the references along each dimension.
void add_map(Engine& engine, const std::string& name, const Tensor& map, Size size,
             Collection& out);
// The maps `name`, `name`_0 and so on, subsampled like the references.
void add_maps(Engine& engine, const Parts& parts, const std::string& name, Collection& out);
// About 16 rows of a tensor, evenly spread.
void add_some_tokens(Engine& engine, const std::string& name, const Tensor& rows, Collection& out);

void dump_classifier(Engine& engine, const std::filesystem::path& model, const PictureView& picture,
                     const DumpInputs& inputs, Collection& out);
// The stages of a hierarchical classifier, instead of ViT's class token.
void add_stages(Engine& engine, const Classifier& classifier, const Tap& tap, Collection& out);
// For zero-shot classifiers.
void dump_contrast(Engine& engine, Classifier& classifier, const PictureView& picture,
                   const DumpInputs& inputs, Collection& out);
// For open-vocabulary detectors.
void dump_owl(Engine& engine, Detector& detector, const PictureView& picture,
              const DumpInputs& inputs, Collection& out);
void dump_captioner(Engine& engine, const std::filesystem::path& model, const PictureView& picture,
                    const DumpInputs& inputs, Collection& out);
// The tensors that only SmolVLM has; `vision` is the tap of its vision tower.
void dump_smolvlm(Engine& engine, const Captioner& captioner, const Frame& frame, const Tap& vision,
                  Collection& out);
void dump_detector(Engine& engine, const std::filesystem::path& model, const PictureView& picture,
                   const DumpInputs& inputs, Collection& out);
// For detectors with query selection: everything but pixel_values.
void dump_queries(Engine& engine, const Detector& detector, const DetectionTaps& taps,
                  const DumpInputs& inputs, Collection& out);

}  // namespace saccade
