#pragma once

#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "app/lab/dump.h"
#include "gpu/engine.h"
#include "gpu/transfer/download.h"
#include "gpu/transfer/frame.h"
#include "models/attention/parts.h"
#include "models/attention/tap.h"
#include "models/classifier.h"
#include "models/detector.h"
#include "models/files/safetensors.h"
#include "models/picture/picture_input.h"

// What the dumps of the models share, and the dumps themselves.

namespace saccade {

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
    std::deque<std::vector<float>> values_;  // never moves what it holds
    std::deque<std::vector<int32_t>> whole_;
    std::vector<StoredTensor> tensors_;
};

// Runs what `record` records, on its own, and brings the tensor that it returns back.
template <typename Record>
std::vector<float> read_back(Engine& engine, const char* name, Record record) {
    Commands c(engine.device(), engine.scratch(), name);
    Download download;
    c.begin();
    {
        auto scope = c.scope(name);
        download.record(c, record(c));
    }
    c.end();
    c.run();
    return download.floats();
}

// pixel_values (1, 3, height, width), as the model gets them.
void add_pixel_values(Engine& engine, const PictureInput& input, const Frame& frame,
                      Collection& out);

// A map of one picture (1, height * width, channels) as (channels, rows, columns), every so many of
// each, as the references are.
void add_map(Engine& engine, const std::string& name, const Tensor& map, Size size,
             Collection& out);
// Maps from inside a model, `name` and `name`_0 and so on, sampled as the references are.
void add_maps(Engine& engine, const Parts& parts, const std::string& name, Collection& out);
// About 16 rows of a tensor, evenly spread.
void add_some_tokens(Engine& engine, const std::string& name, const Tensor& rows, Collection& out);

void dump_classifier(Engine& engine, const std::filesystem::path& model, const PictureView& picture,
                     Collection& out);
// What a classifier that comes in stages has kept, in place of ViT's class token.
void add_stages(Engine& engine, const Classifier& classifier, const Tap& tap, Collection& out);
void dump_captioner(Engine& engine, const std::filesystem::path& model, const PictureView& picture,
                    Collection& out);
void dump_detector(Engine& engine, const std::filesystem::path& model, const PictureView& picture,
                   const DumpInputs& inputs, Collection& out);
// What a detector that chooses its queries has left of a run, but for the picture.
void dump_queries(Engine& engine, const Detector& detector, const DetectionTaps& taps,
                  const DumpInputs& inputs, Collection& out);

}  // namespace saccade
