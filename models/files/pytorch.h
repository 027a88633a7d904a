#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "models/files/safetensors.h"
#include "models/files/zip_archive.h"

namespace saccade {

// What torch.save makes of a state dict: a zip archive with a pickle, data.pkl, that names tensors
// and how they lie in storages, and a file for each storage. Tensors are all that is read; a pickle
// that asks for anything else is refused, and nothing in it is ever executed.
class PyTorchFile {
public:
    explicit PyTorchFile(const std::filesystem::path& path);

    // Names, types and shapes, by name; their bytes come from bytes_of.
    std::span<const StoredTensor> tensors() const { return tensors_; }
    // The bytes of the tensor with this index, row by row, valid until the next call.
    std::span<const std::byte> bytes_of(size_t index);

private:
    struct Layout {
        std::span<const std::byte> storage;  // from the tensor's first element on
        std::vector<uint64_t> strides;       // in elements; empty: the elements lie in one piece
    };

    ZipArchive archive_;
    std::vector<StoredTensor> tensors_;
    std::vector<Layout> layouts_;       // of the same
    std::vector<std::byte> gathered_;   // what does not lie in one piece
    std::span<const std::byte> given_;  // what bytes_of returned last
};

// Writes what a model folder has as pytorch_model.bin, or in the shards that
// pytorch_model.bin.index.json lists, to converted_weights beside it.
void convert_pytorch(const std::filesystem::path& folder);

}  // namespace saccade
